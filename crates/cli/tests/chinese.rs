//! With `--lang zh` nothing is left in English: help, wrong command lines, wrong plans, reports.

#![allow(clippy::unwrap_used, clippy::expect_used)]

mod common;

use common::{Server, folder, plimsoll, write};
use tempfile::TempDir;

const COMMANDS: [&str; 19] = [
    "run",
    "check",
    "once",
    "report",
    "show",
    "captures",
    "diagnose",
    "list",
    "compare",
    "capacity",
    "hops",
    "calibrate",
    "size",
    "convert",
    "schema",
    "watch",
    "worker",
    "workers",
    "agent",
];

/// Three English words in a row, and what follows them; names, options, code, addresses and what
/// is quoted are no sentences, nor are lists of values.
fn english(text: &str) -> Option<String> {
    let examples = ["plimsoll ", "示例："];
    let lines = text.lines().filter(|line| {
        let line = line.trim_start();
        // Excerpts of a plan and command lines to copy.
        !examples.iter().any(|begin| line.starts_with(begin)) && !line.contains('│')
    });
    for line in lines {
        let bare = without_quotes(line);
        let words: Vec<&str> = bare.split_ascii_whitespace().collect();
        let found = words.windows(3).find(|three| {
            three.iter().all(|word| is_word(word))
                && !three.iter().take(2).any(|word| word.ends_with(','))
        });
        if found.is_some() {
            return Some(line.to_owned());
        }
    }
    None
}

fn is_word(word: &str) -> bool {
    let word = word.trim_end_matches([',', '.', ';', ':', '?', '!']);
    word.len() > 1
        && word.bytes().all(|byte| byte.is_ascii_alphabetic())
        && word.bytes().skip(1).all(|byte| byte.is_ascii_lowercase())
}

/// The line without what stands in quotation marks, brackets of placeholders or backticks.
fn without_quotes(line: &str) -> String {
    let mut line = line.to_owned();
    for (open, close) in [('“', '”'), ('`', '`'), ('"', '"'), ('<', '>'), ('（', '）')] {
        while let Some(from) = line.find(open) {
            let after = from + open.len_utf8();
            let Some(length) = line[after..].find(close) else {
                break;
            };
            line.replace_range(from..after + length + close.len_utf8(), " · ");
        }
    }
    line
}

/// What a call says in Chinese has no English sentence, and has Chinese.
fn assert_chinese(dir: &TempDir, args: &[&str]) {
    let told = plimsoll(dir, &[&["--lang", "zh"], args].concat());
    let said = format!("{}{}", told.out, told.err);
    assert_eq!(english(&said), None, "{args:?}: {said}");
    let chinese = said.chars().any(|c| ('\u{4e00}'..='\u{9fff}').contains(&c));
    assert!(chinese, "{args:?}: {said}");
}

#[test]
fn english_sentences_are_seen() {
    assert!(english("error: the following required arguments").is_some());
    assert!(english("不可用：the name is wrong").is_some());
    assert!(english("用法：plimsoll run [选项] <PLAN|URL>").is_none());
    assert!(english("可用的值为 plan, summary, compare，或“a name here”").is_none());
}

#[test]
fn help_is_chinese() {
    let dir = folder();
    assert_chinese(&dir, &["--help"]);
    let listed = plimsoll(&dir, &["--lang", "zh", "--help"]).out;
    for command in COMMANDS {
        assert!(
            listed.contains(&format!("\n  {command} ")),
            "{command}: {listed}"
        );
        assert_chinese(&dir, &[command, "--help"]);
    }
}

#[test]
fn wrong_command_lines_are_told_in_chinese() {
    let dir = folder();
    let url = "http://127.0.0.1:1";
    let wrong: [&[&str]; 26] = [
        &["bogus"],
        &["runn"],
        &["run"],
        &["run", "--bogus"],
        &["run", url, "extra"],
        &["run", url, "--users", "x"],
        &["run", url, "--users", "1", "--users", "2"],
        &["run", url, "--duration"],
        &["run", url, "--duration", "5"],
        &["run", url, "--rate", "fast"],
        &["run", url, "--set", "a"],
        &["run", url, "--lease", "1s"],
        &["run", url, "--goal", "p95"],
        &["run", url, "--goal", "p95 < 3 %"],
        &["run", url, "--workers", "0"],
        &["run", "nothing.yaml"],
        &["run", "/root/."],
        &["report", "--format", "strange"],
        &["show", "nothing"],
        &["schema", "strange"],
        &["size", "--tps", "5/s", "--users", "3"],
        &["size", "--memory", "much"],
        &["hops", "--rounds", "0"],
        &["capacity", url, "--from", "-"],
        &["agent", "--listen", "nowhere"],
        &["convert", "strange"],
    ];
    for args in wrong {
        assert_chinese(&dir, args);
    }
}

#[test]
fn mistakes_of_plans_are_told_in_chinese() {
    let dir = folder();
    let plans = [
        "target: http://x\nsteps:\n  - transaction: x\n",
        "steps: 3\nload: 4\n",
        "target: 3\nusers: [1]\nsteps:\n  - get: /\n    chek: 1\n    check: {jsonn: 3}\n",
        "target: http://x\ngoals: [p95]\nsteps:\n  - foo: 1\n  - {}\nguards: [{for: 3s}]\n",
        "target: http://x\nwatch: [{foo: 1}, {host: a, jvm: b}]\nsteps:\n  - get: ${a\n",
        "a: [\n",
    ];
    for plan in plans {
        write(&dir, "plan.yaml", plan);
        assert_chinese(&dir, &["check", "plan.yaml"]);
    }
}

#[test]
fn runs_and_their_reports_are_told_in_chinese() {
    let dir = folder();
    let server = Server::start();
    let load = ["-c", "2", "--iterations", "5", "--goal", "p95 < 1 ms"];
    let url = server.url("/hello");
    assert_chinese(&dir, &[&["run", &url][..], &load].concat());
    for args in [
        &["show", "last"][..],
        &["list"],
        &["diagnose", "last"],
        &["once", &url],
        &["report", "last", "--format", "markdown", "-o", "-"],
        &[
            "report",
            "last",
            "--form",
            "acceptance",
            "--format",
            "markdown",
            "-o",
            "-",
        ],
        &["compare", "last", "--", "last"],
        &["size", "--tps", "100/s", "--response-time", "50ms"],
        &["captures", "last"],
    ] {
        assert_chinese(&dir, args);
    }
}
