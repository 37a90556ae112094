//! The line formats, each after its own reader.

use super::error::Stop;
use super::lines::{LineDialect, LineParts};

/// `java.util.Properties` (Java SE 17, `Properties.load`).
pub(super) static PROPERTIES: LineDialect = LineDialect {
    parts: properties::parts,
    key: properties::decoded,
    decoded: properties::decoded,
    encoded: properties::encoded,
    written_key: properties::written_key,
    between: "=",
    goes_on: properties::goes_on,
    sections: None,
    documents: false,
    include: |_| None,
};

/// Spring Boot's: names are relaxed, `#---` parts documents
/// (`OriginTrackedPropertiesLoader`, Spring Boot 2.4).
pub(super) static SPRING_PROPERTIES: LineDialect = LineDialect {
    key: |key| super::relaxed(&properties::decoded(key)),
    documents: true,
    include: |line| imported(line.strip_prefix("spring.config.import")?),
    ..PROPERTIES
};

/// Python's `configparser`.
pub(super) static INI: LineDialect = LineDialect {
    parts: ini::parts,
    key: str::to_lowercase,
    decoded: ini::decoded,
    encoded: ini::encoded,
    written_key: str::to_owned,
    between: " = ",
    goes_on: ini::goes_on,
    sections: Some(|asked, section| asked == section),
    documents: false,
    include: |_| None,
};

/// PHP's scanner of ini files (`zend_ini_scanner.l`).
pub(super) static PHP_INI: LineDialect = LineDialect {
    parts: php_ini::parts,
    key: str::to_owned,
    decoded: php_ini::decoded,
    encoded: php_ini::encoded,
    goes_on: |_, _, _| false,
    include: |line| {
        let (key, path) = line.split_once('=')?;
        (key.trim() == "include").then_some((path, false))
    },
    ..INI
};

/// MySQL's and MariaDB's (`my_default.c`).
pub(super) static MY_CNF: LineDialect = LineDialect {
    parts: my_cnf::parts,
    key: my_cnf::key,
    decoded: my_cnf::decoded,
    encoded: my_cnf::encoded,
    sections: Some(my_cnf::reads),
    include: |line| match line.strip_prefix("!includedir") {
        Some(folder) => Some((folder, true)),
        None => line.strip_prefix("!include").map(|file| (file, false)),
    },
    ..PHP_INI
};

/// Redis' (`loadServerConfigFromString`, `sdssplitargs`).
pub(super) static REDIS_CONF: LineDialect = LineDialect {
    parts: redis::parts,
    key: str::to_lowercase,
    decoded: redis::decoded,
    encoded: redis::encoded,
    between: " ",
    sections: None,
    include: |line| line.strip_prefix("include ").map(|path| (path, false)),
    ..PHP_INI
};

/// PostgreSQL's (`guc-file.l`).
pub(super) static POSTGRES_CONF: LineDialect = LineDialect {
    parts: postgres::parts,
    decoded: postgres::decoded,
    encoded: postgres::encoded,
    between: " = ",
    include: postgres::include,
    ..REDIS_CONF
};

/// procps' `sysctl.conf(5)`.
pub(super) static SYSCTL: LineDialect = LineDialect {
    parts: sysctl::parts,
    key: sysctl::key,
    decoded: |value| value.to_owned(),
    encoded: |value| ini::encoded(value),
    include: |_| None,
    ..POSTGRES_CONF
};

/// systemd's `EnvironmentFile` and what is common with it.
pub(super) static ENV_FILE: LineDialect = LineDialect {
    parts: env_file::parts,
    key: str::to_owned,
    decoded: env_file::decoded,
    encoded: env_file::encoded,
    between: "=",
    goes_on: |first, line, _| !first.trim_start().starts_with('#') && ends_in_backslash(line),
    ..SYSCTL
};

/// What `spring.config.import=…` takes in.
fn imported(rest: &str) -> Option<(&str, bool)> {
    let (_, path) = rest.split_once(['=', ':'])?;
    Some((path, false))
}

/// Whether an odd number of backslashes stands before the line's end.
fn ends_in_backslash(line: &str) -> bool {
    let line = line.trim_end_matches(['\r', '\n']);
    (line.len() - line.trim_end_matches('\\').len()) % 2 == 1
}

/// A range without white space at its ends.
fn trimmed(line: &str, from: usize, to: usize) -> std::ops::Range<usize> {
    let part = &line[from..to];
    let start = from + (part.len() - part.trim_start().len());
    start..start + part.trim().len()
}

/// The parts of `key = value` around the first of these separators.
fn around(line: &str, separators: &[char], end: usize) -> Option<LineParts> {
    let at = line[..end].find(separators)?;
    Some(LineParts {
        key: trimmed(line, 0, at),
        value: trimmed(line, at + 1, end),
        alone: None,
    })
}

/// Whether white space would be lost at the ends of a value.
fn has_outer_space(value: &str) -> bool {
    value.trim() != value
}

/// In double quotes, with backslashes before quotes and backslashes.
fn in_quotes(value: &str) -> String {
    format!("\"{}\"", value.replace('\\', "\\\\").replace('"', "\\\""))
}

/// The text between quotes of one kind at both ends.
fn unquoted(value: &str) -> Option<(char, &str)> {
    let quote = value.chars().next().filter(|c| matches!(c, '"' | '\''))?;
    let inner = value.strip_prefix(quote)?.strip_suffix(quote)?;
    Some((quote, inner))
}

/// The text with each `\x` exchanged.
fn unescaped(text: &str, exchange: impl Fn(char, &mut String)) -> String {
    let mut plain = String::with_capacity(text.len());
    let mut letters = text.chars();
    while let Some(letter) = letters.next() {
        match letter {
            '\\' => match letters.next() {
                Some(next) => exchange(next, &mut plain),
                None => plain.push('\\'),
            },
            _ => plain.push(letter),
        }
    }
    plain
}

mod properties {
    use super::{LineParts, Stop, ends_in_backslash};

    const SPACE: [char; 3] = [' ', '\t', '\u{c}'];

    pub(super) fn parts(line: &str) -> Option<LineParts> {
        let start = line.len() - line.trim_start_matches(SPACE).len();
        if matches!(line[start..].chars().next()?, '#' | '!' | '\r' | '\n') {
            return None;
        }
        let mut escaped = false;
        let end = line[start..].find(|c: char| {
            let stops = !escaped && (matches!(c, '=' | ':' | '\r' | '\n') || SPACE.contains(&c));
            escaped = c == '\\' && !escaped;
            stops
        });
        let key_end = end.map_or(line.len(), |end| start + end);
        let rest = line[key_end..].trim_start_matches(SPACE);
        let rest = rest.strip_prefix(['=', ':']).unwrap_or(rest);
        let rest = rest.trim_start_matches(SPACE);
        Some(LineParts {
            key: start..key_end,
            value: line.len() - rest.len()..line.len(),
            alone: None,
        })
    }

    pub(super) fn goes_on(first: &str, line: &str, _: &str) -> bool {
        !first.trim_start_matches(SPACE).starts_with(['#', '!']) && ends_in_backslash(line)
    }

    pub(super) fn decoded(text: &str) -> String {
        let mut plain = String::with_capacity(text.len());
        // A pair of surrogates is written as two escapes.
        let mut units: Vec<u16> = Vec::new();
        let flush = |units: &mut Vec<u16>, plain: &mut String| {
            plain.push_str(&String::from_utf16_lossy(units));
            units.clear();
        };
        let mut rest = text;
        while let Some(letter) = rest.chars().next() {
            rest = &rest[letter.len_utf8()..];
            if letter != '\\' {
                flush(&mut units, &mut plain);
                plain.push(letter);
                continue;
            }
            let code = rest.strip_prefix('u').and_then(|rest| rest.get(..4));
            if let Some(unit) = code.and_then(|code| u16::from_str_radix(code, 16).ok()) {
                units.push(unit);
                rest = &rest[5..];
                continue;
            }
            flush(&mut units, &mut plain);
            let Some(next) = rest.chars().next() else {
                break;
            };
            rest = &rest[next.len_utf8()..];
            match next {
                't' => plain.push('\t'),
                'n' => plain.push('\n'),
                'r' => plain.push('\r'),
                'f' => plain.push('\u{c}'),
                '\r' | '\n' => {
                    rest = rest.trim_start_matches(['\n', ' ', '\t', '\u{c}']);
                }
                other => plain.push(other),
            }
        }
        flush(&mut units, &mut plain);
        plain
    }

    /// In ASCII alone, since `load(InputStream)` reads ISO 8859-1.
    fn escaped(text: &str, special: &[char]) -> String {
        let mut written = String::with_capacity(text.len());
        for letter in text.chars() {
            match letter {
                '\t' => written.push_str("\\t"),
                _ if special.contains(&letter) => written.extend(['\\', letter]),
                _ if letter.is_ascii() => written.push(letter),
                _ => {
                    for unit in letter.encode_utf16(&mut [0; 2]) {
                        written.push_str(&format!("\\u{unit:04X}"));
                    }
                }
            }
        }
        written
    }

    #[allow(clippy::unnecessary_wraps)]
    pub(super) fn encoded(value: &str) -> Result<String, Stop> {
        let mut written = escaped(value, &['\\']);
        if written.starts_with(' ') {
            written.insert(0, '\\');
        }
        Ok(written)
    }

    pub(super) fn written_key(key: &str) -> String {
        escaped(key, &['\\', ' ', '=', ':', '#', '!'])
    }
}

mod ini {
    use super::{LineParts, Stop, around, has_outer_space};

    fn says_nothing(line: &str) -> bool {
        let line = line.trim_start();
        line.is_empty() || line.starts_with(['#', ';', '['])
    }

    pub(super) fn parts(line: &str) -> Option<LineParts> {
        match says_nothing(line) {
            true => None,
            false => around(line, &['=', ':'], line.len()),
        }
    }

    /// Lines that are indented more than their key belong to its value.
    pub(super) fn goes_on(first: &str, _: &str, next: &str) -> bool {
        let indent = |line: &str| line.len() - line.trim_start_matches([' ', '\t']).len();
        let blank = next.trim().is_empty();
        !says_nothing(first) && !blank && indent(next) > indent(first)
    }

    pub(super) fn decoded(value: &str) -> String {
        let lines: Vec<&str> = value.lines().map(str::trim).collect();
        lines.join("\n")
    }

    pub(super) fn encoded(value: &str) -> Result<String, Stop> {
        match has_outer_space(value) {
            true => Err(Stop::value(value, "knobs-why-outer-space")),
            false => Ok(value.to_owned()),
        }
    }
}

mod php_ini {
    use super::{
        LineParts, Stop, around, has_outer_space, in_quotes, trimmed, unescaped, unquoted,
    };

    pub(super) fn parts(line: &str) -> Option<LineParts> {
        let start = line.trim_start();
        if start.is_empty() || start.starts_with([';', '#', '[']) {
            return None;
        }
        let mut parts = around(line, &['='], line.len())?;
        let value = &line[parts.value.clone()];
        let end = match value.chars().next() {
            Some(quote @ ('"' | '\'')) => closing(value, quote).map(|end| end + 1),
            _ => value.find(';'),
        };
        if let Some(end) = end {
            parts.value = trimmed(line, parts.value.start, parts.value.start + end);
        }
        Some(parts)
    }

    fn closing(value: &str, quote: char) -> Option<usize> {
        let mut escaped = false;
        let mut letters = value.char_indices().skip(1);
        letters
            .find(|(_, c)| {
                let closes = *c == quote && !escaped;
                escaped = quote == '"' && *c == '\\' && !escaped;
                closes
            })
            .map(|(at, _)| at)
    }

    pub(super) fn decoded(value: &str) -> String {
        match unquoted(value) {
            Some(('"', inner)) => unescaped(inner, |next, plain| match next {
                '"' | '\\' => plain.push(next),
                _ => plain.extend(['\\', next]),
            }),
            Some((_, inner)) => inner.to_owned(),
            None => value.to_owned(),
        }
    }

    pub(super) fn encoded(value: &str) -> Result<String, Stop> {
        if value.contains("${") {
            return Err(Stop::value(value, "knobs-why-interpolated"));
        }
        let special = [
            ';', '=', '"', '\'', '(', ')', '&', '|', '^', '~', '!', '{', '}', '?', '[', '$', '\\',
            '#',
        ];
        let quoted = value.contains(special) || value.is_empty() || has_outer_space(value);
        Ok(if quoted {
            in_quotes(value)
        } else {
            value.to_owned()
        })
    }
}

mod my_cnf {
    use super::{LineParts, Stop, has_outer_space, in_quotes, trimmed, unescaped, unquoted};

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

    /// The sections that the server reads beside its own.
    pub(super) fn reads(asked: &str, section: &str) -> bool {
        const SERVER: [&str; 4] = ["mysqld", "server", "mariadb", "mariadbd"];
        let servers = |name: &str| {
            let name = name.split_once('-').map_or(name, |(name, _)| name);
            SERVER.contains(&name)
        };
        asked == section || servers(asked) && servers(section)
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
}

mod redis {
    use super::{LineParts, Stop, has_outer_space, in_quotes, trimmed, unescaped, unquoted};

    pub(super) fn parts(line: &str) -> Option<LineParts> {
        let all = trimmed(line, 0, line.len());
        let content = &line[all.clone()];
        if content.is_empty() || content.starts_with('#') {
            return None;
        }
        let key = content.find(char::is_whitespace).unwrap_or(content.len());
        Some(LineParts {
            key: all.start..all.start + key,
            value: trimmed(line, all.start + key, all.end),
            alone: None,
        })
    }

    /// One quoted word without its quotes; several as they are written.
    pub(super) fn decoded(value: &str) -> String {
        let single = |quote: char, inner: &str| {
            let mut escaped = false;
            !inner.chars().any(|c| {
                let closes = c == quote && !escaped;
                escaped = c == '\\' && !escaped;
                closes
            }) && !escaped
        };
        match unquoted(value) {
            Some((quote @ '"', inner)) if single(quote, inner) => {
                unescaped(inner, |next, plain| match next {
                    'n' => plain.push('\n'),
                    't' => plain.push('\t'),
                    'r' => plain.push('\r'),
                    _ => plain.push(next),
                })
            }
            Some((quote, inner)) if single(quote, inner) => inner.replace("\\'", "'"),
            _ => value.to_owned(),
        }
    }

    #[allow(clippy::unnecessary_wraps)]
    pub(super) fn encoded(value: &str) -> Result<String, Stop> {
        let special = value.is_empty() || value.contains(['"', '\'', '\\']);
        Ok(match special || has_outer_space(value) {
            true => in_quotes(value),
            false => value.to_owned(),
        })
    }
}

mod postgres {
    use super::{LineParts, Stop, trimmed, unescaped};

    pub(super) fn parts(line: &str) -> Option<LineParts> {
        let start = line.len() - line.trim_start().len();
        let content = &line[start..];
        let letter =
            |c: char| c.is_ascii_alphanumeric() || matches!(c, '_' | '.' | '$') || !c.is_ascii();
        if !content.starts_with(|c: char| letter(c) && !c.is_ascii_digit()) {
            return None;
        }
        let key = content.find(|c| !letter(c)).unwrap_or(content.len());
        let behind = content[key..].trim_start();
        let value = behind.strip_prefix('=').unwrap_or(behind).trim_start();
        let from = line.len() - value.len();
        let end = match value.starts_with('\'') {
            true => closing(value).map_or(value.len(), |end| end + 1),
            false => value
                .find(|c: char| c.is_whitespace() || c == '#')
                .unwrap_or(value.len()),
        };
        Some(LineParts {
            key: start..start + key,
            value: trimmed(line, from, from + end),
            alone: value[..end].is_empty().then_some(""),
        })
    }

    /// The quote that closes: neither doubled nor behind a backslash.
    fn closing(value: &str) -> Option<usize> {
        let bytes = value.as_bytes();
        let mut at = 1;
        while let Some(byte) = bytes.get(at) {
            match byte {
                b'\\' => at += 2,
                b'\'' if bytes.get(at + 1) == Some(&b'\'') => at += 2,
                b'\'' => return Some(at),
                _ => at += 1,
            }
        }
        None
    }

    pub(super) fn decoded(value: &str) -> String {
        let Some(inner) = value
            .strip_prefix('\'')
            .and_then(|rest| rest.strip_suffix('\''))
        else {
            return value.to_owned();
        };
        unescaped(&inner.replace("''", "'"), |next, plain| match next {
            'n' => plain.push('\n'),
            't' => plain.push('\t'),
            'r' => plain.push('\r'),
            _ => plain.push(next),
        })
    }

    #[allow(clippy::unnecessary_wraps)]
    pub(super) fn encoded(value: &str) -> Result<String, Stop> {
        let word = |c: char| c.is_ascii_alphanumeric() || c == '_';
        let name = value.starts_with(|c: char| c.is_ascii_alphabetic() || c == '_')
            && value
                .chars()
                .all(|c| word(c) || matches!(c, '-' | '.' | ':' | '/'));
        let digits = value.trim_start_matches('-');
        let number = value.len() - digits.len() <= 1
            && digits.starts_with(|c: char| c.is_ascii_digit())
            && digits
                .trim_end_matches(|c: char| c.is_ascii_alphabetic())
                .parse::<f64>()
                .is_ok();
        Ok(match name || number {
            true => value.to_owned(),
            false => format!("'{}'", value.replace('\\', "\\\\").replace('\'', "''")),
        })
    }

    pub(super) fn include(line: &str) -> Option<(&str, bool)> {
        let (key, path) = line.split_once([' ', '\t', '='])?;
        let path = path.trim_start_matches([' ', '\t', '=']);
        match key {
            "include" | "include_if_exists" => Some((path, false)),
            "include_dir" => Some((path, true)),
            _ => None,
        }
    }
}

mod sysctl {
    use super::{LineParts, around};

    pub(super) fn parts(line: &str) -> Option<LineParts> {
        match line.trim_start().starts_with(['#', ';']) {
            true => None,
            false => around(line, &['='], line.len()),
        }
    }

    /// Whichever of `/` and `.` comes first parts the names (`sysctl.d(5)`); a `-` before it lets errors pass.
    pub(super) fn key(key: &str) -> String {
        let key = key.strip_prefix('-').unwrap_or(key);
        match key.find(['/', '.']).map(|at| &key[at..=at]) {
            Some("/") => key
                .chars()
                .map(|c| match c {
                    '/' => '.',
                    '.' => '/',
                    other => other,
                })
                .collect(),
            _ => key.to_owned(),
        }
    }
}

mod env_file {
    use super::{LineParts, Stop, around, has_outer_space, in_quotes, unescaped, unquoted};

    pub(super) fn parts(line: &str) -> Option<LineParts> {
        if line.trim_start().starts_with(['#', ';']) {
            return None;
        }
        let mut parts = around(line, &['='], line.len())?;
        let name = &line[parts.key.clone()];
        if let Some(own) = name.strip_prefix("export ") {
            parts.key.start = parts.key.end - own.trim_start().len();
        }
        Some(parts)
    }

    pub(super) fn decoded(value: &str) -> String {
        match unquoted(value) {
            Some(('"', inner)) => unescaped(inner, |next, plain| match next {
                '"' | '\\' | '$' | '`' => plain.push(next),
                '\n' => {}
                _ => plain.extend(['\\', next]),
            }),
            Some((_, inner)) => inner.to_owned(),
            None => value.to_owned(),
        }
    }

    #[allow(clippy::unnecessary_wraps)]
    pub(super) fn encoded(value: &str) -> Result<String, Stop> {
        let special = value.contains(['"', '\'', '\\', '`', '$']);
        Ok(match special || has_outer_space(value) {
            true => in_quotes(&value.replace('$', "\u{0}")).replace('\u{0}', "\\$"),
            false => value.to_owned(),
        })
    }
}
