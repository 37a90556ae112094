//! Commands of the study: run with a limit of time, and with as much of what they print as a person reads.

use std::fs::File;
use std::io::{self, Read as _, Seek as _, SeekFrom};
use std::os::unix::process::CommandExt as _;
use std::path::Path;
use std::process::{Command, ExitStatus, Stdio};
use std::time::{Duration, Instant};

use plimsoll_run::Interrupt;
use plimsoll_text::Message;

use super::marks;

/// As much of what a command prints is kept.
const KEPT_BYTES: u64 = 64 << 10;
/// A command that prints more is ended: it would fill the disk.
const MOST_BYTES: u64 = 16 << 20;
/// How often it is looked whether it has ended.
const LOOK: Duration = Duration::from_millis(10);

/// What a command did.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum CommandEnd {
    /// It ended well, with this on its standard output.
    Done(String),
    /// It ended otherwise.
    Failed(String),
    /// It did not end in time, and was ended.
    TooLong,
    /// It could not be started.
    NotThere(String),
}

impl CommandEnd {
    /// Why it did not do what it should, if it did not.
    #[must_use]
    pub fn failure(&self) -> Option<String> {
        match self {
            Self::Done(_) => None,
            Self::Failed(detail) | Self::NotThere(detail) => Some(detail.clone()),
            Self::TooLong => Some("…".to_owned()),
        }
    }
}

/// Words that only a shell understands where a command stands.
const OF_SHELLS: &[&str] = &[
    "cd", "export", "source", ".", "ulimit", "set", "umask", "alias",
];
/// Programs that understand such words themselves, in an argument.
const SHELLS: &[&str] = &["sh", "bash", "dash", "ash", "ksh", "zsh"];

/// What is wrong with a command line: quotes, or what only a shell would understand.
#[must_use]
pub fn not_a_command(line: &str) -> Option<Message> {
    let Some(words) = words(line) else {
        let text = plimsoll_secrets::text(line).into_owned();
        return Some(Message::new("tune-bad-command").with("text", text));
    };
    let first = words.first().filter(|it| OF_SHELLS.contains(&it.as_str()));
    let program = |word: &String| word.rsplit('/').next().map(ToOwned::to_owned);
    let mut programs = words.iter().filter_map(program);
    let has_shell = programs.any(|it| SHELLS.contains(&it.as_str()));
    let word = first.cloned().or_else(|| of_a_shell(line, has_shell))?;
    let word = plimsoll_secrets::text(&word).into_owned();
    Some(Message::new("tune-not-by-shell").with("word", word))
}

/// What outside of quotes, or in double ones that are no shell's argument, a shell would do something about. A program
/// would be given it as it stands, and `kill $(head -1 pid)` is `kill -1`: it ends everything.
fn of_a_shell(line: &str, has_shell: bool) -> Option<String> {
    let (mut quote, mut escaped, mut begins) = (None, false, true);
    for (at, c) in line.char_indices() {
        let begun = std::mem::replace(&mut begins, quote.is_none() && c.is_whitespace());
        if std::mem::take(&mut escaped) {
            continue;
        }
        let rest = &line[at..];
        match (quote, c) {
            (Some('"') | None, '\\') => escaped = true,
            (Some(open), close) if open == close => quote = None,
            (None, '\'' | '"') => quote = Some(c),
            (Some('\''), _) => {}
            (Some(_), '$' | '`') if has_shell => {}
            (_, '$' | '`') if is_expanded(rest) => return Some(shown(rest)),
            (None, _) if is_between(rest, begun) => return Some(shown(rest)),
            _ => {}
        }
    }
    None
}

/// The beginning of a line, as it is quoted: a word.
fn shown(rest: &str) -> String {
    rest.split_whitespace().next().unwrap_or(rest).to_owned()
}

/// A variable, or what a command prints.
fn is_expanded(rest: &str) -> bool {
    let mut chars = rest.chars();
    let (first, second) = (chars.next(), chars.next());
    let names = |c: char| c.is_ascii_alphanumeric() || "_{($?!@*".contains(c);
    first == Some('`') || second.is_some_and(names)
}

/// Between commands, or before a file.
fn is_between(rest: &str, begins_word: bool) -> bool {
    let bare = rest.split_whitespace().next().unwrap_or_default();
    let redirects = bare.trim_start_matches(|c: char| c.is_ascii_digit() || c == '&');
    rest.starts_with([';', '|'])
        || rest.starts_with("&&")
        || begins_word && (bare == "&" || redirects.starts_with(['<', '>']))
}

/// Splits a command line as a shell does: blanks, quotes, backslashes; nothing is expanded. None where a quote is
/// not closed, or there is no word.
#[must_use]
pub fn words(line: &str) -> Option<Vec<String>> {
    let mut words: Vec<String> = Vec::new();
    let mut word: Option<String> = None;
    let mut chars = line.chars();
    while let Some(c) = chars.next() {
        match c {
            c if c.is_whitespace() => words.extend(word.take()),
            '\'' => {
                let word = word.get_or_insert_default();
                loop {
                    match chars.next()? {
                        '\'' => break,
                        c => word.push(c),
                    }
                }
            }
            '"' => {
                let word = word.get_or_insert_default();
                loop {
                    match chars.next()? {
                        '"' => break,
                        '\\' => match chars.next()? {
                            c @ ('"' | '\\' | '$' | '`') => word.push(c),
                            '\n' => {}
                            c => word.extend(['\\', c]),
                        },
                        c => word.push(c),
                    }
                }
            }
            '\\' => match chars.next()? {
                '\n' => {}
                c => word.get_or_insert_default().push(c),
            },
            c => word.get_or_insert_default().push(c),
        }
    }
    words.extend(word);
    (!words.is_empty()).then_some(words)
}

/// Runs a command and waits for it, whatever else happens. Its output goes through files, so that a child that it
/// leaves behind holds nothing up.
#[must_use]
pub fn run(line: &str, folder: &Path, within: Duration) -> CommandEnd {
    run_unless(line, folder, within, &Interrupt::default())
}

/// The same, ended when somebody ends the study.
#[must_use]
pub fn run_unless(
    line: &str,
    folder: &Path,
    within: Duration,
    interrupt: &Interrupt,
) -> CommandEnd {
    let Some(words) = words(line) else {
        return CommandEnd::NotThere(plimsoll_secrets::text(line).into_owned());
    };
    match run_words(&words, folder, within, interrupt) {
        Ok(end) => end,
        Err(error) => CommandEnd::NotThere(format!("{}: {error}", words[0])),
    }
}

fn run_words(
    words: &[String],
    folder: &Path,
    within: Duration,
    interrupt: &Interrupt,
) -> io::Result<CommandEnd> {
    let (mut out, mut err) = (scratch()?, scratch()?);
    let mut child = Command::new(&words[0])
        .args(&words[1..])
        .current_dir(folder)
        // What ends Plimsoll from the terminal does not end what brings the target back.
        .process_group(0)
        .stdin(Stdio::null())
        .stdout(out.try_clone()?)
        .stderr(err.try_clone()?)
        .spawn()?;
    let until = Instant::now() + within;
    let status: ExitStatus = loop {
        if let Some(status) = child.try_wait()? {
            break status;
        }
        let printed = [&out, &err].map(|file| file.metadata().map_or(0, |meta| meta.len()));
        let is_too_much = printed.iter().any(|bytes| *bytes > MOST_BYTES);
        if is_too_much || Instant::now() >= until || interrupt.is_hit() {
            let started = marks::descendants(&[child.id()]);
            let _ = child.kill();
            child.wait()?;
            marks::kill(&started);
            let most = MOST_BYTES >> 20;
            return Ok(match is_too_much {
                true => CommandEnd::Failed(format!("{}: > {most} MiB", words[0])),
                false => CommandEnd::TooLong,
            });
        }
        std::thread::sleep(LOOK);
    };
    if status.success() {
        return Ok(CommandEnd::Done(beginning(&mut out)?));
    }
    let said = [beginning(&mut err)?, beginning(&mut out)?];
    let said = said
        .iter()
        .map(|text| text.trim())
        .find(|text| !text.is_empty());
    let said = said.map_or_else(String::new, |text| format!(": {}", last_lines(text)));
    Ok(CommandEnd::Failed(format!("{} ({status}){said}", words[0])))
}

/// A file without a name.
fn scratch() -> io::Result<File> {
    let name = format!(
        "plimsoll-command-{}-{:016x}",
        std::process::id(),
        fastrand::u64(..)
    );
    let path = std::env::temp_dir().join(name);
    drop(plimsoll_store::private::new_file(&path)?);
    let file = File::options().read(true).write(true).open(&path);
    std::fs::remove_file(&path)?;
    file
}

fn beginning(file: &mut File) -> io::Result<String> {
    file.seek(SeekFrom::Start(0))?;
    let mut bytes = Vec::new();
    file.take(KEPT_BYTES).read_to_end(&mut bytes)?;
    Ok(String::from_utf8_lossy(&bytes).into_owned())
}

/// What a program said at its end, as far as a person reads it, without secrets.
#[must_use]
pub fn last_lines(text: &str) -> String {
    // First, while what tells that something is a secret stands beside it.
    let text = plimsoll_secrets::text(text);
    let lines: Vec<&str> = text.trim_end().lines().collect();
    let from = lines.len().saturating_sub(4);
    let last = lines[from..].join("\n");
    let short: String = last.chars().rev().take(600).collect();
    short.chars().rev().collect()
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;
    use proptest::prelude::*;

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

    #[test]
    fn what_a_command_does_is_told() {
        let here = Path::new(".");
        let second = Duration::from_secs(20);
        assert_eq!(
            run("printf hello", here, second),
            CommandEnd::Done("hello".into())
        );
        let failed = run(
            "sh -c 'echo no password=hunter2hunter2 >&2; exit 3'",
            here,
            second,
        );
        let CommandEnd::Failed(detail) = failed else {
            panic!("{failed:?}");
        };
        assert!(detail.contains("3") && detail.contains("no"), "{detail}");
        assert!(!detail.contains("hunter2"), "{detail}");
        // A line that cannot be split shows no secret either.
        let unclosed = run("tool --password=hunter2hunter2 'x", here, second);
        let CommandEnd::NotThere(detail) = unclosed else {
            panic!("{unclosed:?}");
        };
        assert!(
            detail.contains("tool") && !detail.contains("hunter2"),
            "{detail}"
        );
        let long = run("sleep 600", here, Duration::from_millis(50));
        assert_eq!(long, CommandEnd::TooLong);
        // Who ends the study need not wait for it.
        let interrupt = Interrupt::default();
        let until = interrupt.clone();
        let ends = std::thread::spawn(move || {
            std::thread::sleep(Duration::from_millis(100));
            until.stop();
        });
        let ended = run_unless("sleep 601", here, Duration::from_secs(600), &interrupt);
        assert_eq!(ended, CommandEnd::TooLong);
        ends.join().unwrap();
        // What it has started ends with it.
        let file = tempfile::NamedTempFile::new().unwrap();
        let path = file.path().display();
        let line = format!("sh -c 'sh -c \"sleep 600; true\" & echo $! > {path}; wait'");
        assert_eq!(
            run(&line, here, Duration::from_secs(1)),
            CommandEnd::TooLong
        );
        let pid = std::fs::read_to_string(file.path()).unwrap();
        let is_there = || std::fs::exists(format!("/proc/{}", pid.trim())).unwrap();
        let until = Instant::now() + second;
        while is_there() && Instant::now() < until {
            std::thread::sleep(LOOK);
        }
        assert!(!is_there(), "{pid}");
        assert!(matches!(
            run("/no/such", here, second),
            CommandEnd::NotThere(_)
        ));
        // Nor does one that prints without end, on either side.
        for to in ["", " >&2"] {
            let endless = run(&format!("sh -c 'yes{to}'"), here, Duration::from_secs(300));
            let CommandEnd::Failed(detail) = endless else {
                panic!("{endless:?}");
            };
            assert!(detail.contains("16 MiB"), "{detail}");
        }
        // It is in a group of its own, so that what is typed at the terminal does not reach it.
        let group = run("sh -c 'cut -d\\  -f5 /proc/$$/stat'", here, second);
        let own = rustix::process::getpgrp().as_raw_nonzero().to_string();
        assert_ne!(group, CommandEnd::Done(format!("{own}\n")));
        assert!(matches!(group, CommandEnd::Done(_)), "{group:?}");
        // A child that stays holds nothing up.
        let left = run("sh -c 'sleep 5 & echo done'", here, second);
        assert_eq!(left, CommandEnd::Done("done\n".into()));
    }
}
