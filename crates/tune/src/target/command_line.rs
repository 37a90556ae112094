//! A command line of the study: split into words as a shell does, with nothing expanded.

use plimsoll_text::Message;

/// Words that only a shell understands where a command stands.
const OF_SHELLS: &[&str] = &[
    "cd", "export", "source", ".", "ulimit", "set", "umask", "alias",
];
/// Programs that understand such words themselves, in an argument.
const SHELLS: &[&str] = &["sh", "bash", "dash", "ash", "ksh", "zsh"];

/// How a character stands in a command line.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Standing {
    /// Outside of quotes.
    Bare,
    /// Behind a backslash: it means nothing.
    Escaped,
    InSingle,
    InDouble,
    /// A quote that opens or closes.
    Mark,
}

/// A character of a command line, without the backslashes before others.
#[derive(Debug, Clone, Copy)]
struct LineChar {
    /// In bytes.
    at: usize,
    c: char,
    standing: Standing,
}

/// The characters of a command line. None where a quote is not closed, or nothing follows a backslash.
fn characters(line: &str) -> Option<Vec<LineChar>> {
    let mut all = Vec::new();
    let mut inside = Standing::Bare;
    let mut chars = line.char_indices();
    while let Some((at, c)) = chars.next() {
        let mut add = |at, c, standing| all.push(LineChar { at, c, standing });
        match (inside, c) {
            (Standing::InSingle, '\'') | (Standing::InDouble, '"') => {
                add(at, c, Standing::Mark);
                inside = Standing::Bare;
            }
            (Standing::Bare, '\'' | '"') => {
                add(at, c, Standing::Mark);
                inside = match c {
                    '"' => Standing::InDouble,
                    _ => Standing::InSingle,
                };
            }
            (Standing::Bare | Standing::InDouble, '\\') => {
                let (next_at, next) = chars.next()?;
                // Within double quotes it stands for itself before most characters.
                if inside == Standing::InDouble && !"\"\\$`\n".contains(next) {
                    add(at, c, Standing::Escaped);
                }
                if next != '\n' {
                    add(next_at, next, Standing::Escaped);
                }
            }
            _ => add(at, c, inside),
        }
    }
    (inside == Standing::Bare).then_some(all)
}

/// Splits a command line as a shell does: blanks, quotes, backslashes; nothing is expanded. None where a quote is
/// not closed, or there is no word.
#[must_use]
pub fn words(line: &str) -> Option<Vec<String>> {
    let words = words_of(&characters(line)?);
    (!words.is_empty()).then_some(words)
}

fn words_of(line: &[LineChar]) -> Vec<String> {
    let mut words: Vec<String> = Vec::new();
    let mut word: Option<String> = None;
    for LineChar { c, standing, .. } in line {
        match standing {
            Standing::Bare if c.is_whitespace() => words.extend(word.take()),
            Standing::Mark => {
                word.get_or_insert_default();
            }
            _ => word.get_or_insert_default().push(*c),
        }
    }
    words.extend(word);
    words
}

/// What is wrong with a command line: quotes, or what only a shell would understand.
#[must_use]
pub fn not_a_command(line: &str) -> Option<Message> {
    let characters = characters(line).unwrap_or_default();
    let words = words_of(&characters);
    let Some(first) = words.first() else {
        let text = plimsoll_secrets::text(line).into_owned();
        return Some(Message::new("tune-bad-command").with("text", text));
    };
    let mut programs = words.iter().filter_map(|word| word.rsplit('/').next());
    let has_shell = programs.any(|program| SHELLS.contains(&program));
    let word = match OF_SHELLS.contains(&first.as_str()) {
        true => first,
        false => of_a_shell(line, &characters, has_shell)?,
    };
    let word = plimsoll_secrets::text(word).into_owned();
    Some(Message::new("tune-not-by-shell").with("word", word))
}

/// What outside of quotes, or in double ones that are no shell's argument, a shell would do something about. A program
/// would be given it as it stands, and `kill $(head -1 pid)` is `kill -1`: it ends everything.
fn of_a_shell<'l>(line: &'l str, characters: &[LineChar], has_shell: bool) -> Option<&'l str> {
    let mut begins_word = true;
    for LineChar { at, c, standing } in characters {
        let begun = begins_word;
        let is_bare = *standing == Standing::Bare;
        begins_word = is_bare && c.is_whitespace();
        let rest = &line[*at..];
        let may_expand = is_bare || *standing == Standing::InDouble && !has_shell;
        if may_expand && is_expanded(rest) || is_bare && is_between(rest, begun) {
            // As it is quoted: a word.
            return Some(rest.split_whitespace().next().unwrap_or(rest));
        }
    }
    None
}

/// A variable, or what a command prints.
fn is_expanded(rest: &str) -> bool {
    let mut chars = rest.chars();
    let names = |c: char| c.is_ascii_alphanumeric() || "_{($?!@*".contains(c);
    match chars.next() {
        Some('$') => chars.next().is_some_and(names),
        first => first == Some('`'),
    }
}

/// Between commands, or before a file.
fn is_between(rest: &str, begins_word: bool) -> bool {
    let bare = rest.split_whitespace().next().unwrap_or_default();
    let redirects = bare.trim_start_matches(|c: char| c.is_ascii_digit() || c == '&');
    rest.starts_with([';', '|'])
        || rest.starts_with("&&")
        || begins_word && (bare == "&" || redirects.starts_with(['<', '>']))
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use std::process::Command;

    use proptest::prelude::*;

    use super::*;

    #[test]
    fn commands_are_split_as_a_shell_does() {
        let split = |line: &str| words(line);
        assert_eq!(
            split(r#"java -Dx="a b" 'c $d' e\ f "" "g\"h\n""#).unwrap(),
            ["java", "-Dx=a b", "c $d", "e f", "", "g\"h\\n"]
        );
        for line in ["", "   ", "'", "a \"b", "a\\"] {
            assert_eq!(split(line), None, "{line:?}");
        }
    }

    proptest! {
        #[test]
        fn a_shell_splits_them_alike(line in r#"[a-c '"\\]{1,12}"#) {
            let script = format!("printf '%s\\0' {line}");
            let out = Command::new("sh").args(["-c", &script]).output().unwrap();
            let shell: Vec<&[u8]> = out.stdout.split(|byte| *byte == 0).collect();
            match words(&line) {
                Some(words) => {
                    prop_assert!(out.status.success(), "{line}");
                    let words: Vec<&[u8]> = words.iter().map(String::as_bytes).collect();
                    prop_assert_eq!(&shell[..shell.len() - 1], words);
                }
                // A shell takes a backslash at the very end for itself.
                None => prop_assert!(
                    !out.status.success() || line.trim().is_empty() || line.ends_with('\\')
                ),
            }
        }
    }

    #[test]
    fn what_only_a_shell_understands_is_refused() {
        for line in [
            "cd /tmp && ./run",
            "export A=1",
            "ulimit -n 1024",
            "a && b",
            "cat x | wc",
            "run > log",
            "run 'a",
            "kill -INT $(head -1 run.pid)",
            "kill -INT `cat run.pid`",
            "kill \"$(cat run.pid)\"",
            "java -jar $HOME/a.jar",
            "java -jar ${HOME}/a.jar",
            "a; b",
            "a;b",
            "a|b",
            "run 2>/dev/null",
            "run >log",
            "run &",
        ] {
            assert!(not_a_command(line).is_some(), "{line}");
        }
        for line in [
            "sh -c 'cd /tmp && ./run > log'",
            "expr 3 '>' 2",
            "cdrecord",
            "env A=1 x",
            "bash -c \"kill $(cat run.pid)\"",
            "timeout 5 /bin/sh -c \"test -e $1\"",
            "java '-Dx=${y}' -cp lib/*:a.jar",
            r"printf \$HOME",
            "curl -fsS http://127.0.0.1:80/?a=1&b=2",
            "grep -q ^ok$ state",
            "seq 2 10",
        ] {
            assert_eq!(not_a_command(line), None, "{line}");
        }
    }
}
