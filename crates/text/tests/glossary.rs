//! Messages, pages and names in code use the words of docs/glossary.md, which lists those that they do not.

#![allow(clippy::unwrap_used, clippy::expect_used)]

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use plimsoll_text::{Lang, texts};

/// A word that is not written, what is written instead, and phrases in which it is right.
#[derive(Debug)]
struct Word {
    word: String,
    /// Further letters may follow.
    open: bool,
    instead: String,
    right_in: Vec<String>,
}

impl Word {
    fn is_in(&self, text: &str) -> bool {
        let mut text = text.to_lowercase();
        for phrase in &self.right_in {
            text = text.replace(&phrase.to_lowercase(), " ");
        }
        let letter = |c: Option<char>| c.is_some_and(|c| c.is_ascii_alphanumeric());
        let mut from = 0;
        while let Some(at) = text[from..].find(&self.word) {
            let (start, end) = (from + at, from + at + self.word.len());
            let before = text[..start].chars().next_back();
            let after = text[end..].chars().next();
            let whole = !letter(before) && (self.open || !letter(after));
            if whole || !self.word.is_ascii() {
                return true;
            }
            from = end;
        }
        false
    }
}

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

/// The last table of the glossary.
fn words() -> Vec<Word> {
    let glossary = std::fs::read_to_string(root().join("docs/glossary.md")).unwrap();
    let (_, table) = glossary
        .split_once("## Words that are not written")
        .unwrap();
    let rows = table.lines().filter(|line| line.starts_with("| "));
    let words: Vec<Word> = rows
        .skip(1)
        .flat_map(|row| {
            let cells: Vec<&str> = row.trim_matches('|').split('|').map(str::trim).collect();
            let [written, instead, right_in] = cells[..] else {
                panic!("three columns: {row}");
            };
            let phrases = right_in.split(", ").filter(|phrase| !phrase.is_empty());
            let phrases: Vec<String> = phrases.map(str::to_owned).collect();
            written.split(", ").map(move |word| Word {
                word: word.trim_end_matches('*').to_lowercase(),
                open: word.ends_with('*'),
                instead: instead.to_owned(),
                right_in: phrases.clone(),
            })
        })
        .collect();
    assert!(words.len() > 30, "{words:?}");
    words
}

/// A line of a Fluent file without its id, its placeables and the keys of its variants.
fn said(line: &str) -> String {
    if line.starts_with('#') {
        return String::new();
    }
    let text = match line.split_once('=') {
        Some((head, text))
            if !head.contains(char::is_whitespace)
                || head.trim().len() < 60 && !head.trim().contains(' ') =>
        {
            text
        }
        _ => line,
    };
    let text = match text.trim_start().split_once(']') {
        Some((key, text)) if key.trim_start_matches('*').starts_with('[') => text,
        _ => text,
    };
    let mut text = without(text, '{', '}');
    text = without(&text, '`', '`');
    text
}

/// The text without what stands between two marks.
fn without(text: &str, open: char, close: char) -> String {
    let mut text = text.to_owned();
    while let Some(from) = text.find(open) {
        let after = from + open.len_utf8();
        let Some(length) = text[after..].find(close) else {
            // What is chosen from begins here and ends lines below.
            if open != close {
                text.truncate(from);
            }
            break;
        };
        text.replace_range(from..after + length + close.len_utf8(), " ");
    }
    text
}

/// The pages that people read, but for the glossary, the changes of the past and what is made from
/// data.
fn pages() -> Vec<PathBuf> {
    let mut pages: Vec<PathBuf> = [
        "README.md",
        "README.zh-CN.md",
        "ARCHITECTURE.md",
        "CONTRIBUTING.md",
    ]
    .iter()
    .map(|name| root().join(name))
    .collect();
    for folder in ["docs", "docs/design", "deploy"] {
        for entry in std::fs::read_dir(root().join(folder)).unwrap() {
            let path = entry.unwrap().path();
            if path.extension().is_some_and(|extension| extension == "md") {
                pages.push(path);
            }
        }
    }
    pages.retain(|page| !page.ends_with("docs/glossary.md"));
    pages
}

fn assert_none(place: &str, text: &str, words: &[Word], wrong: &mut Vec<String>) {
    for word in words.iter().filter(|word| word.is_in(text)) {
        wrong.push(format!(
            "{place}: “{}”, write {}: {}",
            word.word,
            word.instead,
            text.trim()
        ));
    }
}

#[test]
fn messages_use_the_glossarys_words() {
    let words = words();
    let mut wrong = Vec::new();
    for lang in Lang::ALL {
        for (area, source) in texts(lang) {
            for (number, line) in source.lines().enumerate() {
                let place = format!("locales/{}/{area}.ftl:{}", lang.code(), number + 1);
                assert_none(&place, &said(line), &words, &mut wrong);
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn pages_use_the_glossarys_words() {
    let words = words();
    let mut wrong = Vec::new();
    for page in pages() {
        let text = std::fs::read_to_string(&page).unwrap();
        for (number, line) in text.lines().enumerate() {
            let place = format!("{}:{}", page.display(), number + 1);
            assert_none(&place, &without(line, '`', '`'), &words, &mut wrong);
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

/// Names of others: where in the code, and what they contain.
const NAMES_OF_OTHERS: [(&str, &str, &str); 10] = [
    ("redis", "repl", "the word of Redis for what it sends"),
    ("truth/databases", "Reply", "the same"),
    ("fleet/", "repl", "the subject that NATS has for a response"),
    (
        "stats/src/error_kind",
        "malformed_answer",
        "in runs of older versions",
    ),
    (
        "watch/src/collectors/redis",
        "quantile",
        "a label of its exporter",
    ),
    ("watch/", "quantile", "a label of Prometheus"),
    ("stats/", "t_quantile", "of Student's distribution"),
    ("stats/src/hdr", "value_at_quantile", "of HdrHistogram"),
    ("load/src/driver/resolve", "answer", "of hickory, by DNS"),
    ("fleet/src/link/nats", "inactive_threshold", "of NATS"),
];

/// The names in a source file: what is neither comment nor text.
fn names(source: &str) -> BTreeSet<String> {
    let mut code = String::new();
    for line in source.lines() {
        // A text over several lines is none of our style; what is within quotes is left out.
        let parts = line.split('"').step_by(2);
        let parts: String = parts.collect::<Vec<_>>().join(" ");
        code += parts.split("//").next().unwrap_or_default();
        code.push('\n');
    }
    let names = code.split(|c: char| !c.is_alphanumeric() && c != '_');
    let is_name = |name: &&str| name.starts_with(|first: char| first.is_alphabetic());
    names.filter(is_name).map(str::to_owned).collect()
}

/// A name as words: `used_up` and `UsedUp` are "used up".
fn as_words(name: &str) -> String {
    let mut words = String::new();
    let mut before = '_';
    for letter in name.chars() {
        if letter.is_uppercase() && before.is_lowercase() {
            words.push(' ');
        }
        words.push(if letter == '_' { ' ' } else { letter });
        before = letter;
    }
    words
}

fn sources(folder: &Path, found: &mut Vec<PathBuf>) {
    for entry in std::fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            sources(&path, found);
        } else if path.extension().is_some_and(|extension| extension == "rs") {
            found.push(path);
        }
    }
}

#[test]
fn names_in_code_use_the_glossarys_words() {
    let words = words();
    let mut files = Vec::new();
    sources(&root().join("crates"), &mut files);
    assert!(files.len() > 300, "{}", files.len());
    let mut wrong = Vec::new();
    for file in files {
        let place = file.display().to_string();
        for name in names(&std::fs::read_to_string(&file).unwrap()) {
            let of_others = NAMES_OF_OTHERS.iter().any(|(part, contained, _)| {
                let name = name.to_lowercase();
                place.contains(part) && name.contains(&contained.to_lowercase())
            });
            if !of_others && !place.ends_with("text/tests/glossary.rs") {
                assert_none(
                    &format!("{place}: {name}"),
                    &as_words(&name),
                    &words,
                    &mut wrong,
                );
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn words_are_found() {
    let words = words();
    let found = |text: &str| words.iter().any(|word| word.is_in(text));
    assert!(found("Answers that come late"));
    assert!(found("the pool is used up"));
    assert!(found("a reply") && found("replies"));
    assert!(found("没有应答"));
    assert!(found("满足目标"));
    assert!(!found("满足性能目标"));
    assert!(!found("a diagnosis of the response"));
    assert!(said("a-answer = { $answer ->").trim().is_empty());
    assert_eq!(said("        [answer] The text").trim(), "The text");
}
