//! What reading and writing plans gives, word for word: right plans, wrong plans, and edits of both.
//!
//! `grammar.txt` has it all as it was recorded: for each plan its problems with their places, or its model (as a
//! hash) and how it is written again; for edits and plans made up at random only hashes. Who changes a message or
//! a key on purpose records anew with `UPDATE_EXPECTED=1` and reads the difference.

#![allow(clippy::unwrap_used, clippy::expect_used)]

mod common;
mod write_made;

use std::fmt::Write as _;
use std::path::Path;

use common::files;
use plimsoll_plan::{Problem, parse_yaml, to_yaml};
use plimsoll_text::{Lang, render};

/// FNV-1a: the same on every machine and with every compiler.
fn hash(text: &str) -> u64 {
    let fold = |hash: u64, byte: u8| (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3);
    text.bytes().fold(0xcbf2_9ce4_8422_2325, fold)
}

fn told(problems: &[Problem]) -> String {
    let mut out = String::new();
    for problem in problems {
        let text = render(Lang::En, &problem.message);
        let remedy = problem
            .remedy
            .as_ref()
            .map(|remedy| render(Lang::En, remedy));
        let (line, column) = (problem.at.line, problem.at.column);
        let _ = writeln!(
            out,
            "{line}:{column} {:?} {text} | {}",
            problem.severity,
            remedy.unwrap_or_default()
        );
    }
    out
}

/// All that reading a text and writing it again gives.
fn outcome(source: &str) -> String {
    match parse_yaml(source, "plan.yaml") {
        Err(problems) => told(&problems),
        Ok((plan, warnings)) => format!(
            "{}model {:016x}\n{}",
            told(&warnings),
            hash(&format!("{plan:?}")),
            to_yaml(&plan)
        ),
    }
}

/// Numbers that look random and are always the same.
struct Numbers(u64);

impl Numbers {
    fn below(&mut self, end: usize) -> usize {
        self.0 = self
            .0
            .wrapping_mul(0x5851_f42d_4c95_7f2d)
            .wrapping_add(0x1405_7b7e_f767_814f);
        usize::try_from(self.0 >> 33).unwrap() % end
    }
}

const VALUES: &[&str] = &[
    "1",
    "0",
    "-5",
    "abc",
    "1s",
    "1..2",
    "5/s",
    "1.5",
    "null",
    "[]",
    "{}",
    "[1]",
    "[1s, 2s]",
    "{a: b}",
    "\"1\"",
    "true",
    "'${x}'",
    "99999999999999999999",
    "{json: $.a}",
    "{at-least: 1}",
    "[[1], {a: 1}]",
    "2xx",
    "'< 5 ms'",
    "[{get: /a}]",
    "[{think: 1s}, {js: 1}]",
    "{users: 1}",
    "{name: x}",
    "'a b'",
    "'${a} && ${b}'",
    "''",
];

/// A plan with a few lines moved, doubled, cut, or given another value or key.
fn edited(source: &str, numbers: &mut Numbers) -> String {
    let mut lines: Vec<String> = source.lines().map(str::to_owned).collect();
    for _ in 0..=numbers.below(3) {
        if lines.is_empty() {
            break;
        }
        let (from, to) = (numbers.below(lines.len()), numbers.below(lines.len()));
        let value = VALUES[numbers.below(VALUES.len())];
        let colon = lines[from].find(": ").map(|at| at + 2);
        match (numbers.below(8), colon) {
            (0, _) => lines.swap(from, to),
            (1, _) => lines.insert(to, lines[from].clone()),
            (2, _) => drop(lines.remove(from)),
            (3, _) => lines[from].insert(0, ' '),
            (4, Some(at)) => lines[from].insert(at - 2, 'x'),
            (_, Some(at)) => lines[from].replace_range(at.., value),
            (_, None) => lines[from].push_str(value),
        }
    }
    lines.join("\n") + "\n"
}

/// Everything that is recorded.
fn record() -> String {
    let mut out = String::new();
    let folders = ["tests/plans/good", "tests/plans/bad", "tests/programs"];
    for path in folders.iter().flat_map(|folder| files(folder)) {
        let name = path.file_name().unwrap().to_str().unwrap();
        let source = std::fs::read_to_string(&path).unwrap();
        let _ = write!(out, "=== {name}\n{}", outcome(&source));
        if source.lines().count() < 2 {
            continue;
        }
        let mut numbers = Numbers(hash(name));
        let _ = write!(out, "--- edited");
        for _ in 0..8 {
            let outcomes: String = (0..25)
                .map(|_| outcome(&edited(&source, &mut numbers)))
                .collect();
            let _ = write!(out, " {:016x}", hash(&outcomes));
        }
        out.push('\n');
    }
    let mut numbers = Numbers(1);
    let _ = write!(out, "=== made up");
    for _ in 0..20 {
        let mut written = String::new();
        for _ in 0..10 {
            let bytes: Vec<u8> = (0..numbers.below(900))
                .map(|_| u8::try_from(numbers.below(256)).unwrap())
                .collect();
            written.push_str(&to_yaml(&write_made::plan(&bytes)));
        }
        let _ = write!(out, " {:016x}", hash(&written));
    }
    out.push('\n');
    out
}

#[test]
fn plans_are_read_and_written_as_recorded() {
    let recorded = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/grammar.txt");
    let now = record();
    if std::env::var_os("UPDATE_EXPECTED").is_some() {
        std::fs::write(&recorded, &now).unwrap();
    }
    let recorded = std::fs::read_to_string(&recorded).unwrap_or_default();
    let differs = recorded
        .lines()
        .zip(now.lines())
        .find(|(was, is)| was != is);
    assert!(
        recorded == now,
        "first difference (UPDATE_EXPECTED=1 records anew): {differs:#?}"
    );
}
