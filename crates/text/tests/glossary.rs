//! Messages and pages write the words of docs/glossary.md, which lists those that they do not.

#![allow(clippy::unwrap_used, clippy::expect_used)]

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
        .map(|row| {
            let cells: Vec<&str> = row.trim_matches('|').split('|').map(str::trim).collect();
            let [word, instead, right_in] = cells[..] else {
                panic!("three columns: {row}");
            };
            Word {
                word: word.trim_end_matches('*').to_lowercase(),
                open: word.ends_with('*'),
                instead: instead.to_owned(),
                right_in: right_in
                    .split(", ")
                    .filter(|phrase| !phrase.is_empty())
                    .map(str::to_owned)
                    .collect(),
            }
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

#[test]
fn words_are_found() {
    let words = words();
    let found = |text: &str| words.iter().any(|word| word.is_in(text));
    assert!(found("Answers that come late"));
    assert!(found("the pool is used up"));
    assert!(found("没有应答"));
    assert!(found("满足目标"));
    assert!(!found("满足性能目标"));
    assert!(!found("a diagnosis of the response"));
    assert!(said("a-answer = { $answer ->").trim().is_empty());
    assert_eq!(said("        [answer] The text").trim(), "The text");
}
