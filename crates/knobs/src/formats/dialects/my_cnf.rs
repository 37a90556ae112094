//! MySQL's and MariaDB's options.

use super::common::{has_outer_space, in_quotes, trimmed, unescaped, unquoted};
use crate::formats::error::Stop;
use crate::formats::lines::LineParts;

pub(super) fn parts(line: &str) -> Option<LineParts> {
    let start = line.trim_start();
    if start.is_empty() || start.starts_with(['#', ';', '!', '[']) {
        return None;
    }
    let end = comment(line).unwrap_or(line.len());
    Some(match line[..end].find('=') {
        Some(at) => LineParts {
            key: trimmed(line, 0, at),
            value: trimmed(line, at + 1, end),
            alone: None,
        },
        None => {
            let key = trimmed(line, 0, end);
            LineParts {
                value: key.end..key.end,
                key,
                alone: Some("1"),
            }
        }
    })
}

/// A `#` outside of quotes (`remove_end_comment`).
fn comment(line: &str) -> Option<usize> {
    let (mut quote, mut escaped) = (None, false);
    line.find(|c: char| {
        if matches!(c, '"' | '\'') && !escaped {
            match quote {
                None => quote = Some(c),
                Some(open) if open == c => quote = None,
                Some(_) => {}
            }
        }
        escaped = quote.is_some() && c == '\\' && !escaped;
        quote.is_none() && c == '#'
    })
}

pub(super) fn key(key: &str) -> String {
    let key = key.replace('-', "_");
    key.strip_prefix("loose_").unwrap_or(&key).to_owned()
}

/// Sections of servers; others are of their clients.
pub(crate) const SERVERS: [&str; 4] = ["mysqld", "server", "mariadb", "mariadbd"];

/// The sections that every server reads beside its own; those of one version (`[mariadb-10.11]`) are its alone.
pub(super) fn reads(asked: &str, section: &str) -> bool {
    asked == section || SERVERS.contains(&asked) && SERVERS.contains(&section)
}

pub(super) fn decoded(value: &str) -> String {
    let inner = unquoted(value).map_or(value, |(_, inner)| inner);
    unescaped(inner, |next, plain| match next {
        'n' => plain.push('\n'),
        't' => plain.push('\t'),
        'r' => plain.push('\r'),
        'b' => plain.push('\u{8}'),
        's' => plain.push(' '),
        '"' | '\'' | '\\' => plain.push(next),
        _ => plain.extend(['\\', next]),
    })
}

#[allow(clippy::unnecessary_wraps)]
pub(super) fn encoded(value: &str) -> Result<String, Stop> {
    let special = value.contains(['#', '\\', '"', '\'']);
    Ok(match special || has_outer_space(value) {
        true => in_quotes(value),
        false => value.to_owned(),
    })
}
