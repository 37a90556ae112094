//! A command line as Windows splits it: by `cmd.exe`, which takes carets away, and then by the C
//! library of the program, which takes quotes and backslashes away ("Parsing C command-line
//! arguments", Microsoft). Browsers copy requests in this form, too.

use super::pasted::unquoted;
use super::words::{Pasted, Word};
use crate::model::Span;

/// Whether a line is one for `cmd.exe`: its first quote has a caret before it, its lines go on
/// with one, or its program is `curl.exe`.
pub(super) fn is_for_cmd(line: &str) -> bool {
    let special = |c: char| matches!(c, '"' | '\'' | '^' | '\\');
    let first = line.find(special).map(|at| &line[at..]);
    if first.is_some_and(|rest| rest.starts_with('\'')) {
        return false;
    }
    let is_unix = || {
        line.lines()
            .any(|line| line.trim_end_matches('\r').ends_with('\\'))
    };
    let program = line.split_whitespace().next().unwrap_or_default();
    let is_exe = program.to_ascii_lowercase().ends_with("curl.exe") && !is_unix();
    let has_carets = first.is_some_and(|rest| rest.starts_with("^\""));
    is_exe || has_carets || goes_on_by_carets(line)
}

/// Whether a line goes on with a caret. Within quotes it is one of a value, for every shell.
fn goes_on_by_carets(line: &str) -> bool {
    let mut goes_on = false;
    unquoted(line.trim_end(), &mut |at, c| {
        let rest = &line[at..];
        goes_on |= c == '^' && (rest.starts_with("^\n") || rest.starts_with("^\r\n"));
    });
    goes_on
}

/// A character that is left of what `cmd.exe` reads, and its place.
struct Left {
    c: char,
    at: Span,
    /// It ends a word, unless the program's quotes hold it.
    parts: bool,
    /// It ends a command, unless the program's quotes hold it.
    ends: bool,
}

/// Splits a line as both do it. An unclosed quote is an error at its place.
pub(super) fn split(line: &str) -> Result<Pasted, Span> {
    let left = without_carets(line);
    let mut pasted = Pasted::default();
    let mut words: Vec<Word> = Vec::new();
    let mut word: Option<Word> = None;
    let mut quote: Option<Span> = None;
    let mut next = 0;
    while let Some(Left { c, at, parts, ends }) = left.get(next) {
        if (*parts || *ends) && quote.is_none() {
            words.extend(word.take());
            match c {
                '&' | '\n' if *ends => pasted.end(&mut words),
                c if *ends => pasted.refuse(&c.to_string(), *at),
                _ => {}
            }
            next += 1;
            continue;
        }
        let text = &mut word
            .get_or_insert_with(|| Word {
                text: String::new(),
                at: *at,
            })
            .text;
        match c {
            '\\' => {
                let slashes = left[next..]
                    .iter()
                    .take_while(|left| left.c == '\\')
                    .count();
                next += slashes;
                let quoted = left.get(next).is_some_and(|left| left.c == '"');
                // Before a quote two of them are one, and a single one makes it a character.
                let kept = if quoted { slashes / 2 } else { slashes };
                text.extend(std::iter::repeat_n('\\', kept));
                if quoted && slashes % 2 == 1 {
                    text.push('"');
                    next += 1;
                }
                continue;
            }
            '"' if quote.is_some() && left.get(next + 1).is_some_and(|left| left.c == '"') => {
                text.push('"');
                next += 1;
            }
            '"' => quote = if quote.is_some() { None } else { Some(*at) },
            c => text.push(*c),
        }
        next += 1;
    }
    words.extend(word);
    pasted.end(&mut words);
    quote.map_or(Ok(pasted), Err)
}

/// What `cmd.exe` hands on: outside its own quotes a caret makes the next character an ordinary
/// one, and takes the end of a line away.
fn without_carets(line: &str) -> Vec<Left> {
    let line = line.replace("\r\n", "\n");
    let mut left = Vec::new();
    let mut at = Span { line: 1, column: 1 };
    let mut chars = line.chars();
    let mut quoted = false;
    let mut take = |at: &mut Span| {
        let c = chars.next()?;
        let place = *at;
        if c == '\n' {
            *at = Span {
                line: at.line.saturating_add(1),
                column: 1,
            };
        } else {
            at.column = at.column.saturating_add(1);
        }
        Some((c, place))
    };
    while let Some((c, place)) = take(&mut at) {
        if c == '^' && !quoted {
            let mut next = take(&mut at);
            let goes_on = next.is_some_and(|(c, _)| c == '\n');
            if goes_on {
                next = take(&mut at);
            }
            if let Some((c, place)) = next {
                // A line that goes on begins with blanks that part words.
                let parts = c == ' ' || c == '\t';
                left.push(Left {
                    c,
                    at: place,
                    parts,
                    ends: false,
                });
            }
            continue;
        }
        if c == '"' {
            quoted = !quoted;
        }
        let parts = c.is_whitespace();
        let ends = c == '\n' || !quoted && "&|<>".contains(c);
        left.push(Left {
            c,
            at: place,
            parts,
            ends,
        });
    }
    left
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;

    fn texts(line: &str) -> Vec<String> {
        let words = split(line).unwrap().commands.concat().into_iter();
        words.map(|word| word.text).collect()
    }

    #[test]
    fn commands_end_where_cmd_ends_them() {
        let line =
            "curl ^\"http://h/a?b=1^&c=2^\" ^\r\n -d x &\r\ncurl \"http://h/?d=1&e=2\"\r\ncurl h";
        assert_eq!(split(line).unwrap().commands.len(), 3);
        assert_eq!(split("curl.exe h | more").unwrap().problems.len(), 1);
    }

    #[test]
    fn two_quotes_within_quotes_are_one() {
        let line = "curl.exe \"http://h/\" -H \"X-Q: say \"\"hi\"\"\"";
        assert!(is_for_cmd(line));
        assert_eq!(texts(line)[3], "X-Q: say \"hi\"");
    }

    #[test]
    fn a_line_as_chrome_copies_it_for_cmd() {
        let line = "curl ^\"http://h/a?b=1^&c=%^20^\" ^\r\n  -H ^\"accept: */*^\" ^\r\n  --data-raw ^\"^{^\\^\"a^\\^\":^\\^\"100%^\\^\"^}^\"";
        assert!(is_for_cmd(line));
        assert_eq!(
            texts(line),
            [
                "curl",
                "http://h/a?b=1&c=%20",
                "-H",
                "accept: */*",
                "--data-raw",
                "{\"a\":\"100%\"}"
            ]
        );
    }

    #[test]
    fn line_breaks_in_a_value_stay() {
        let line = "curl ^\"h^\" -d ^\"a^\n\nb^\"";
        assert_eq!(texts(line), ["curl", "h", "-d", "a\nb"]);
    }

    #[test]
    fn the_older_form_has_quotes_of_its_own() {
        let line = "curl \"http://h/^x\" ^\n -H \"a: \\\"b\\\" c\\d\" ^\n -d \"\"";
        assert!(is_for_cmd(line));
        assert_eq!(
            texts(line),
            ["curl", "http://h/^x", "-H", "a: \"b\" c\\d", "-d", ""]
        );
    }

    #[test]
    fn lines_for_other_shells_are_none() {
        for line in [
            "curl 'a^\"b'",
            "curl \"h\" \\\n -d x",
            "curl h",
            "curl $'^\"'",
            "curl \"h\" -d \"n=^\n1\"",
            "curl \"h\" -d 'n=^\r\n1'",
            "curl \"h\" -d n=^",
            "",
        ] {
            assert!(!is_for_cmd(line), "{line}");
        }
        assert_eq!(split("curl ^\"x").unwrap_err(), Span { line: 1, column: 7 });
    }
}
