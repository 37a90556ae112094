//! Commands of the study: run with a limit of time, and with as much of what they print as a person reads.

use std::fs::File;
use std::io::{self, Read as _, Seek as _, SeekFrom};
use std::os::unix::process::CommandExt as _;
use std::path::Path;
use std::process::{Command, ExitStatus, Stdio};
use std::time::{Duration, Instant};

use plimsoll_run::Interrupt;

use super::command_line::words;
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
