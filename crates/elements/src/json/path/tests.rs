//! `cases.txt` holds what Jayway JsonPath 2.8 finds within JMeter 5.6.3: a document after
//! `DOC`, then path, what the JSON extractor reads (`!`: an exception) and what the JSON
//! assertion reads, apart by tabs.
#![allow(clippy::unwrap_used, clippy::expect_used)]

use super::super::parse;
use super::*;
use crate::testing::check_table;

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
    check_table(include_str!("cases.txt"), 300, |document, path, _| {
        vec![extracted(document, path), read(document, path)]
    });
}
