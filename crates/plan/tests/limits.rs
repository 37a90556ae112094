//! The pages about limits say what holds.

#![allow(clippy::unwrap_used, clippy::expect_used)]

use plimsoll_plan::limits::*;

/// A number with its thousands apart.
fn number(value: u64) -> String {
    let digits = value.to_string();
    let mut out = String::new();
    for (at, digit) in digits.chars().enumerate() {
        if at > 0 && (digits.len() - at).is_multiple_of(3) {
            out.push(',');
        }
        out.push(digit);
    }
    out
}

#[test]
fn the_pages_say_what_the_limits_are() {
    let mib = |bytes: usize| format!("{} MiB", number((bytes >> 20) as u64));
    let plain = |count: usize| number(count as u64);
    for (page, levels) in [("limits.md", " levels"), ("limits.zh-CN.md", " 层")] {
        let wanted = [
            mib(PLAN_BYTES),
            format!("{PLAN_DEPTH}{levels}"),
            plain(PLAN_VALUES),
            mib(JMX_BYTES),
            mib(SETTINGS_BYTES),
            mib(DATA_BYTES),
            plain(PROBLEMS_COLLECTED),
            plain(PROBLEMS_SHOWN),
            number(USERS.into()),
            number(RATE_PER_S),
            mib(TEXT_BYTES),
            number(EVALUATION_DEPTH.into()),
            number(EVALUATIONS.into()),
            mib(JEXL_BYTES),
            format!("{} ms", number(PATTERNS_CPU_MS)),
            format!("{JMX_DEPTH}{levels}"),
            format!("{DOCUMENT_DEPTH}{levels}"),
            plain(DOCUMENT_NODES),
            plain(DOCUMENT_ATTRIBUTES),
            plain(XPATH_VISITS),
            number(JSON_VISITS),
            format!("{} ms", number(DOCUMENT_CPU_MS)),
        ];
        let path = format!("{}/../../docs/{page}", env!("CARGO_MANIFEST_DIR"));
        let text = std::fs::read_to_string(path).unwrap();
        let rows = text.lines().filter(|line| line.starts_with("| "));
        let found: Vec<&str> = rows
            .skip(1)
            .filter_map(|row| row.split(" | ").nth(1))
            .collect();
        assert_eq!(found, wanted, "{page}");
    }
}
