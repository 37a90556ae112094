//! docs/series.md lists the names of all series; it is made from `crates/stats/src/names`.

#![allow(clippy::unwrap_used, clippy::expect_used)]

use std::path::Path;

const HEAD: &str = "# Series

Made by `make schema` from `crates/stats/src/names`. Names, attributes and units follow OpenTelemetry's
semantic conventions where these say something. A counter is a sum that grows; reports make rates of
it. Series of Prometheus endpoints that are not known keep their own names.
";

/// One table for each file, in the order of their names.
fn reference() -> String {
    let names = Path::new(env!("CARGO_MANIFEST_DIR")).join("../stats/src/names");
    let mut files: Vec<_> = std::fs::read_dir(names)
        .unwrap()
        .map(|entry| entry.unwrap().path())
        .filter(|path| !path.ends_with("mod.rs"))
        .collect();
    files.sort();
    let mut page = HEAD.to_owned();
    for file in files {
        let source = std::fs::read_to_string(&file).unwrap();
        // Attributes and facts are no series.
        if source.contains(": SeriesName =") {
            page.push_str(&table(&source));
        }
    }
    page
}

fn table(source: &str) -> String {
    let about: Vec<_> = source
        .lines()
        .map_while(|line| line.strip_prefix("//!"))
        .map(str::trim)
        .collect();
    let mut text = format!(
        "\n{}\n\n| series | unit | kind | what |\n|---|---|---|---|\n",
        about.join(" ")
    );
    let (mut doc, mut rest) = (Vec::new(), source);
    while let Some((line, after)) = rest.split_once('\n') {
        rest = after;
        if let Some(words) = line.trim().strip_prefix("///") {
            doc.push(words.trim());
        } else if line.contains(": SeriesName =") {
            let (value, _) = [line, after]
                .concat()
                .split_once(';')
                .map(|(a, b)| (a.to_owned(), b.len()))
                .unwrap();
            let kind = if value.contains("counter(") {
                "counter"
            } else {
                "gauge"
            };
            let quoted: Vec<_> = value.split('"').skip(1).step_by(2).collect();
            let what = doc.join(" ").replace('|', "\\|");
            text.push_str(&format!(
                "| `{}` | `{}` | {kind} | {what} |\n",
                quoted[0], quoted[1]
            ));
            doc.clear();
        } else {
            doc.clear();
        }
    }
    text
}

#[test]
fn the_reference_is_up_to_date() {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/series.md");
    let made = reference();
    if std::env::var_os("UPDATE_EXPECTED").is_some() {
        std::fs::write(&path, &made).unwrap();
    }
    let found = std::fs::read_to_string(&path).unwrap_or_default();
    assert!(found == made, "docs/series.md is stale: make schema");
}
