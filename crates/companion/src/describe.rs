//! What the companion's jars hold of what a plan names: asked of a Java of its own, before any run.

use std::io::{Read, Write};
use std::process::{Command, Stdio};
use std::sync::mpsc;
use std::time::Duration;

use plimsoll_access::Right;

use crate::error::StartError;
use crate::options::CompanionOptions;
use crate::process::{arguments_of, finish};

/// What a class or a function of a jar is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ForeignKind {
    /// A thread group.
    ThreadGroup,
    /// A controller.
    Controller,
    /// A sampler.
    Sampler,
    /// Configuration.
    Config,
    /// Configuration that works each time its scope is entered.
    Pass,
    /// A pre-processor.
    Pre,
    /// A post-processor.
    Post,
    /// An assertion.
    Assertion,
    /// A timer.
    Timer,
    /// A listener.
    Listener,
    /// A function.
    Function,
}

/// By the words of `Describe.java`.
const KINDS: &[(&str, ForeignKind)] = &[
    ("thread-group", ForeignKind::ThreadGroup),
    ("controller", ForeignKind::Controller),
    ("sampler", ForeignKind::Sampler),
    ("config", ForeignKind::Config),
    ("pass", ForeignKind::Pass),
    ("pre-processor", ForeignKind::Pre),
    ("post-processor", ForeignKind::Post),
    ("assertion", ForeignKind::Assertion),
    ("timer", ForeignKind::Timer),
    ("listener", ForeignKind::Listener),
    ("function", ForeignKind::Function),
];

/// Begins each line that is meant.
const MARK: char = '\u{1}';
/// What is read of its output at most.
const MOST_BYTES: u64 = 1 << 20;

/// Says what classes (by their full names) and functions (with their `__`) are, as far as the jars of the companion, or
/// those that JMeter's properties name, have them. Takes about a second.
///
/// # Errors
/// When Java cannot be started, or says nothing in time.
pub fn describe(
    options: &CompanionOptions,
    names: &[String],
) -> Result<Vec<(String, ForeignKind)>, StartError> {
    let asked = options.access.ask(Right::Scripts, "JMeter's companion");
    asked.map_err(StartError::Refused)?;
    let system = |why: std::io::Error| StartError::System {
        what: options.installed.java.display().to_string(),
        why: why.to_string(),
    };
    let mut command = Command::new(&options.installed.java);
    command.args(arguments_of(options, "org.plimsoll.companion.Describe"));
    command.arg(options.properties.get("search_paths").unwrap_or_default());
    command.stdin(Stdio::piped()).stdout(Stdio::piped());
    let mut child = command.stderr(Stdio::null()).spawn().map_err(system)?;
    let (told, heard) = mpsc::channel();
    if let Some(output) = child.stdout.take() {
        let read = move || {
            let mut text = Vec::new();
            let read = output.take(MOST_BYTES).read_to_end(&mut text);
            // Nobody listens only when it took too long.
            let _ = told.send(read.map(|_| text));
        };
        std::thread::Builder::new()
            .name("companion-describe".to_owned())
            .spawn(read)
            .map_err(system)?;
    }
    if let Some(mut input) = child.stdin.take() {
        // A Java that ended already has said why, or nothing.
        let _ = input.write_all(names.join("\n").as_bytes());
    }
    let text = heard.recv_timeout(options.start_timeout);
    finish(&mut child, Duration::from_millis(500));
    let text = text.map_err(|_| StartError::Slow {
        after_s: options.start_timeout.as_secs(),
        said: String::new(),
    })?;
    Ok(read(&String::from_utf8_lossy(&text.map_err(system)?)))
}

fn read(text: &str) -> Vec<(String, ForeignKind)> {
    let line = |line: &str| {
        let (kind, name) = line.trim_end().strip_prefix(MARK)?.split_once(' ')?;
        let (_, kind) = KINDS.iter().find(|(known, _)| *known == kind)?;
        Some((name.to_owned(), *kind))
    };
    text.lines().filter_map(line).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_marked_lines_count() {
        let text =
            "\u{1}sampler a.B\nnoise sampler c.D\r\n\u{1}function __x\r\n\u{1}odd e.F\n\u{1}";
        let wanted = [
            ("a.B", ForeignKind::Sampler),
            ("__x", ForeignKind::Function),
        ];
        assert_eq!(
            read(text),
            wanted.map(|(name, kind)| (name.to_owned(), kind))
        );
    }
}
