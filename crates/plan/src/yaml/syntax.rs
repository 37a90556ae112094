//! What is wrong with text that is not YAML, in the words of the person who wrote it.

use plimsoll_text::Message;
use saphyr_parser::ScanError;

use super::full_width;
use crate::error::Problem;
use crate::model::Span;

/// A mistake the YAML parser stopped at. The common ones are recognised by the line itself,
/// since the parser names its own state and not the cause.
pub(crate) fn explain(source: &str, error: &ScanError) -> Problem {
    let mark = error.marker();
    let line = u32::try_from(mark.line()).unwrap_or(u32::MAX);
    let column = u32::try_from(mark.col() + 1).unwrap_or(u32::MAX);
    let lines: Vec<&str> = source.lines().collect();
    let text_of = |line: u32| {
        let index = usize::try_from(line).unwrap_or(usize::MAX).checked_sub(1)?;
        lines.get(index).copied()
    };
    // The parser often notices only on the next line what is wrong on the one before.
    let before = (1..=line)
        .rev()
        .find(|&n| text_of(n).is_some_and(|t| !t.trim().is_empty()));
    let candidates = [Some(line), before, before.and_then(|n| n.checked_sub(1))];
    // A tab ends the text before it: then it is on the next line.
    for number in [Some(line + 1), Some(line), before].into_iter().flatten() {
        if let Some(column) = text_of(number).and_then(tab) {
            let at = Span {
                line: number,
                column,
            };
            return Problem::mistake(at, Message::new("plan-yaml-tab"));
        }
    }
    for number in candidates.into_iter().flatten() {
        let found = text_of(number).and_then(|text| full_width::on_line(text, number));
        if let Some(problem) = found {
            return problem;
        }
    }
    let anchor = error.info().contains("anchor");
    for number in candidates.into_iter().flatten().filter(|_| !anchor) {
        let Some(text) = text_of(number) else {
            continue;
        };
        if let Some((column, id)) = cause(text) {
            let at = Span {
                line: number,
                column,
            };
            return Problem::mistake(at, Message::new(id));
        }
    }
    let id = if error.info().contains("quoted scalar") {
        "plan-yaml-quote"
    } else if anchor {
        "plan-yaml-anchor"
    } else {
        "plan-yaml-syntax"
    };
    let message = Message::new(id).with("detail", error.info());
    let at = Span {
        line: line.max(1),
        column,
    };
    Problem::mistake(at, message)
}

/// The column of a tab in the indentation of a line that says something.
fn tab(text: &str) -> Option<u32> {
    let indent = text.len() - text.trim_start().len();
    let tab = text[..indent].chars().position(|c| c == '\t')?;
    (indent < text.len()).then(|| u32::try_from(tab + 1).unwrap_or(u32::MAX))
}

/// The likely cause on a line that was not understood, and its column.
fn cause(text: &str) -> Option<(u32, &'static str)> {
    let column = |byte: usize| {
        let characters = text[..byte].chars().count() + 1;
        u32::try_from(characters).unwrap_or(u32::MAX)
    };
    let indent = text.len() - text.trim_start().len();
    let content = text[indent..].trim_start_matches("- ").trim_start();
    let content_at = text.len() - content.len();
    let (value, value_at) = match content.split_once(": ") {
        Some((key, value)) if !key.starts_with(['"', '\'', '{', '[']) => {
            let trimmed = value.trim_start();
            (
                trimmed,
                content_at + key.len() + 2 + (value.len() - trimmed.len()),
            )
        }
        _ => (content, content_at),
    };
    if value.starts_with(['{', '[']) && has_unquoted_template(value) {
        return Some((column(value_at), "plan-yaml-template-in-brackets"));
    }
    if value.starts_with(['@', '`', '%', '&', '*', '!', '>', '|']) && value.len() > 1 {
        return Some((column(value_at), "plan-yaml-special-start"));
    }
    if !value.starts_with(['"', '\'', '{', '[']) && value.contains(": ") {
        return Some((column(value_at), "plan-yaml-colon"));
    }
    None
}

/// Whether `${` stands outside quotes.
fn has_unquoted_template(text: &str) -> bool {
    let mut quote = None;
    let mut before = ' ';
    for c in text.chars() {
        match quote {
            Some(open) if c == open => quote = None,
            Some(_) => {}
            None if c == '"' || c == '\'' => quote = Some(c),
            None if before == '$' && c == '{' => return true,
            None => {}
        }
        before = c;
    }
    false
}
