//! `cases.txt` holds what Jayway JsonPath 2.8 finds within JMeter 5.6.3: a document after
//! `DOC`, then path, what the JSON extractor reads (`!`: an exception) and what the JSON
//! assertion reads, apart by tabs.
#![allow(clippy::unwrap_used, clippy::expect_used)]

use super::super::parse;
use super::*;

/// A field of a file of cases, with its escapes read.
pub(crate) fn plain(text: &str) -> String {
    let mut out = String::new();
    let mut chars = text.chars();
    while let Some(c) = chars.next() {
        match (c, c == '\\') {
            (_, true) => match chars.next() {
                Some('n') => out.push('\n'),
                Some('t') => out.push('\t'),
                Some('r') => out.push('\r'),
                other => out.extend(other),
            },
            (c, false) => out.push(c),
        }
    }
    out
}

fn extracted(document: &str, path: &str) -> String {
    let found = || -> Result<String, PathError> {
        if document.is_empty() {
            return Err(PathError::Bad(String::new()));
        }
        let path = Path::new(path).map_err(PathError::Bad)?;
        let document = parse(document).map_err(PathError::Bad)?;
        let values = path.list(&document)?;
        let texts = values.iter().map(|value| {
            let text = value.extracted();
            text.unwrap_or("(null)".into()).into_owned()
        });
        Ok(texts.collect::<Vec<_>>().join(" ; "))
    };
    match found() {
        Ok(texts) => format!("[{texts}]"),
        Err(PathError::NotFound(_)) => "[]".to_owned(),
        Err(PathError::Bad(_)) => "!".to_owned(),
    }
}

fn read(document: &str, path: &str) -> String {
    if document.is_empty() {
        return "!bad: json string can not be null or empty".to_owned();
    }
    let found = || -> Result<String, PathError> {
        let path = Path::new(path).map_err(PathError::Bad)?;
        let document = parse(document).map_err(PathError::Bad)?;
        Ok(path.read(&document)?.shown().into_owned())
    };
    match found() {
        Ok(text) => text,
        Err(PathError::NotFound(message)) => format!("!missing: {message}"),
        Err(PathError::Bad(message)) => format!("!bad: {message}"),
    }
}

#[test]
fn paths_find_what_jayway_finds() {
    let mut document = String::new();
    let (mut wrong, mut checked) = (Vec::new(), 0);
    for line in include_str!("cases.txt").lines() {
        let fields: Vec<String> = line.split('\t').map(plain).collect();
        if fields[0] == "DOC" {
            document = fields[1].clone();
            continue;
        }
        let [path, list, value] = &fields[..] else {
            panic!("three fields: {line}");
        };
        checked += 1;
        let found = extracted(&document, path);
        if found != *list {
            wrong.push(format!(
                "{document}\n {path}\n extracts {found}\n not      {list}"
            ));
        }
        let found = read(&document, path);
        if found != *value {
            wrong.push(format!(
                "{document}\n {path}\n reads {found}\n not   {value}"
            ));
        }
    }
    assert!(
        wrong.is_empty(),
        "{}\n{} wrong",
        wrong.join("\n"),
        wrong.len()
    );
    assert!(checked > 300);
}
