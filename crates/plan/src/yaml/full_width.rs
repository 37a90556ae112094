//! Full-width punctuation where YAML wants its ASCII form: what a Chinese input method types
//! for a colon, a comma, a quote and a blank.

use plimsoll_text::Message;

use super::node::{Node, Value};
use crate::error::Problem;
use crate::limits::PROBLEMS_COLLECTED;
use crate::model::Span;

/// The message's id.
pub(super) const ID: &str = "plan-yaml-full-width";

/// What a full-width character stands for.
const fn kind(c: char) -> Option<&'static str> {
    match c {
        '：' => Some("colon"),
        '，' => Some("comma"),
        '“' | '”' | '‘' | '’' | '＂' | '＇' => Some("quote"),
        '\u{3000}' => Some("blank"),
        _ => None,
    }
}

fn problem(at: Span, character: char, kind: &'static str) -> Problem {
    let shown = match character {
        '\u{3000}' => String::from("U+3000"),
        c => c.to_string(),
    };
    let message = Message::new(ID).with("kind", kind).with("character", shown);
    Problem::mistake(at, message)
}

fn column(index: usize) -> u32 {
    u32::try_from(index + 1).unwrap_or(u32::MAX)
}

/// The first full-width character in a text, as a mistake; `at` is where the text begins.
pub(crate) fn in_text(text: &str, at: Span) -> Option<Problem> {
    let found = |(index, c)| Some((index, c, kind(c)?));
    let (index, character, kind) = text.chars().enumerate().find_map(found)?;
    let at = Span {
        line: at.line,
        column: at.column + column(index) - 1,
    };
    Some(problem(at, character, kind))
}

/// The first one on a line that was not understood that stands where YAML has a character of
/// its own; one within a text or a comment is left alone.
pub(super) fn on_line(text: &str, line: u32) -> Option<Problem> {
    let mut quote = None;
    let mut brackets = false;
    let mut last = None;
    let mut before = ' ';
    // Since the last bracket or comma: has there been a key, and its colon?
    let (mut word, mut has_colon) = (false, false);
    for (index, c) in text.chars().enumerate() {
        let begins = last.is_none_or(|c| matches!(c, ':' | '：' | ',' | '，' | '[' | '{' | '-'));
        if let Some(open) = quote {
            if c == open {
                quote = None;
            }
        } else if c == '#' && before.is_whitespace() {
            return None;
        } else if let Some(kind) = kind(c) {
            let there = match kind {
                "colon" => word && !has_colon,
                "comma" => brackets,
                _ => begins,
            };
            if there {
                let column = column(index);
                return Some(problem(Span { line, column }, c, kind));
            }
        } else if begins && matches!(c, '"' | '\'') {
            quote = Some(c);
        }
        match c {
            '[' | '{' | ',' => {
                brackets |= c != ',';
                (word, has_colon) = (false, false);
            }
            ' ' => has_colon |= before == ':',
            _ => word |= c.is_alphanumeric(),
        }
        if !c.is_whitespace() {
            last = Some(c);
        }
        before = c;
    }
    None
}

/// Texts of a study without quotes that begin with a full-width quote, and lists that are
/// one text because of full-width commas.
pub(crate) fn in_study(node: &Node, problems: &mut Vec<Problem>) {
    if problems.len() >= PROBLEMS_COLLECTED {
        return;
    }
    match &node.value {
        Value::Scalar { text, plain: true } if text.chars().next().and_then(kind).is_some() => {
            problems.extend(in_text(text, node.at));
        }
        Value::Scalar { .. } => {}
        Value::List(items) => {
            for item in items {
                let joined = matches!(&item.value, Value::Scalar { text, plain: true }
                    if items.len() == 1 && text.contains('，'));
                match joined {
                    true => problems.extend(item.scalar().and_then(|it| in_text(it, item.at))),
                    false => in_study(item, problems),
                }
            }
        }
        Value::Map(entries) => entries
            .iter()
            .for_each(|(_, value)| in_study(value, problems)),
    }
}
