//! How long a load thread works on one document: the users beside wait meanwhile.

use std::cell::Cell;
use std::fmt;
use std::time::Duration;

use plimsoll_plan::limits::{
    DOCUMENT_ATTRIBUTES, DOCUMENT_CPU_MS, DOCUMENT_DEPTH, DOCUMENT_NODES, TEXT_BYTES,
};

/// Why a document is not looked at.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum DocumentRefused {
    /// It nests deeper than [`DOCUMENT_DEPTH`].
    TooDeep,
    /// It has more nodes than [`DOCUMENT_NODES`].
    TooMany,
    /// An element has more attributes than [`DOCUMENT_ATTRIBUTES`].
    TooManyAttributes,
    /// It took more than [`DOCUMENT_CPU_MS`].
    TooLong,
    /// What was found is longer than [`TEXT_BYTES`].
    TooMuchText,
}

impl fmt::Display for DocumentRefused {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::TooDeep => write!(
                f,
                "the document is nested more than {DOCUMENT_DEPTH} levels deep and is not looked at"
            ),
            Self::TooMany => write!(
                f,
                "the document has more than {DOCUMENT_NODES} nodes and is not looked at"
            ),
            Self::TooManyAttributes => write!(
                f,
                "an element of the document has more than {DOCUMENT_ATTRIBUTES} attributes; it is not looked at"
            ),
            Self::TooLong => write!(
                f,
                "the document took more than {DOCUMENT_CPU_MS} ms of CPU time and was given up"
            ),
            Self::TooMuchText => write!(
                f,
                "the matches are longer than {} MiB together",
                TEXT_BYTES >> 20
            ),
        }
    }
}

impl std::error::Error for DocumentRefused {}

/// CPU time of this thread that one piece of work may take. Time that other processes have, or
/// for which the machine sleeps, does not count.
#[derive(Debug)]
pub struct CpuPatience {
    time: Duration,
    /// Known once the clock was looked at: short work need not.
    end: Cell<Option<Duration>>,
    steps: Cell<u32>,
}

impl CpuPatience {
    /// Full patience, from when the clock is looked at first.
    #[must_use]
    pub fn new() -> Self {
        Self::of(Duration::from_millis(DOCUMENT_CPU_MS))
    }

    /// Patience for so long, from when the clock is looked at first.
    #[must_use]
    pub fn of(time: Duration) -> Self {
        Self {
            time,
            end: Cell::new(None),
            steps: Cell::new(0),
        }
    }

    /// A small step: the clock is looked at now and then.
    ///
    /// # Errors
    /// [`DocumentRefused::TooLong`] when time is up.
    pub fn step(&self) -> Result<(), DocumentRefused> {
        let steps = self.steps.get().wrapping_add(1);
        self.steps.set(steps);
        match steps.is_multiple_of(64) {
            true => self.check(),
            false => Ok(()),
        }
    }

    /// A large step.
    ///
    /// # Errors
    /// [`DocumentRefused::TooLong`] when time is up.
    pub fn check(&self) -> Result<(), DocumentRefused> {
        let now = cpu_time();
        match self.end.get() {
            Some(end) if now > end => Err(DocumentRefused::TooLong),
            Some(_) => Ok(()),
            None => {
                self.end.set(Some(now + self.time));
                Ok(())
            }
        }
    }
}

impl Default for CpuPatience {
    fn default() -> Self {
        Self::new()
    }
}

fn cpu_time() -> Duration {
    let now = rustix::time::clock_gettime(rustix::time::ClockId::ThreadCPUTime);
    Duration::new(
        u64::try_from(now.tv_sec).unwrap_or(0),
        u32::try_from(now.tv_nsec).unwrap_or(0),
    )
}

/// Refuses an XML text of too many nodes, before memory is taken for them, or of an element with
/// so many attributes that comparing each with the others takes long.
///
/// # Errors
/// [`DocumentRefused::TooMany`], [`DocumentRefused::TooManyAttributes`].
pub fn check_xml_size(text: &str) -> Result<(), DocumentRefused> {
    let bytes = text.as_bytes();
    let (mut nodes, mut attributes) = (0, 0);
    for at in memchr::memchr2_iter(b'<', b'=', bytes) {
        nodes += 1;
        let quoted = || {
            matches!(
                bytes[at + 1..].trim_ascii_start().first(),
                Some(b'"' | b'\'')
            )
        };
        // A tag has no `<` in it: what follows the last one is at most one tag, and text.
        if bytes[at] == b'<' {
            attributes = 0;
        } else if quoted() {
            attributes += 1;
        }
        if attributes > DOCUMENT_ATTRIBUTES {
            return Err(DocumentRefused::TooManyAttributes);
        }
    }
    at_most(nodes)
}

/// Refuses a JSON text of too many values, before memory is taken for them. Commas within texts
/// count too, which is quick to tell and far from what real texts have.
///
/// # Errors
/// [`DocumentRefused::TooMany`].
pub fn check_json_size(text: &str) -> Result<(), DocumentRefused> {
    at_most(memchr::memchr3_iter(b',', b'[', b'{', text.as_bytes()).count())
}

fn at_most(nodes: usize) -> Result<(), DocumentRefused> {
    match nodes > DOCUMENT_NODES {
        true => Err(DocumentRefused::TooMany),
        false => Ok(()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn patience_ends() {
        let none = CpuPatience::of(Duration::ZERO);
        let mut steps = 0_u32;
        // Whatever the machine's speed: some steps take some time.
        while none.step().is_ok() {
            steps += 1;
            assert!(steps < u32::MAX, "time does not pass");
        }
        assert_eq!(none.check(), Err(DocumentRefused::TooLong));
        assert_eq!(CpuPatience::new().check(), Ok(()));
    }

    #[test]
    fn texts_of_too_many_nodes_are_told_without_reading_them() {
        let many = |piece: &str| piece.repeat(DOCUMENT_NODES + 1);
        assert_eq!(check_xml_size(&many("<")), Err(DocumentRefused::TooMany));
        let element = |count: usize| format!("<r><a{}/></r>", " a = '1'".repeat(count));
        assert_eq!(check_xml_size(&element(DOCUMENT_ATTRIBUTES)), Ok(()));
        let refused = check_xml_size(&element(DOCUMENT_ATTRIBUTES + 1));
        assert_eq!(refused, Err(DocumentRefused::TooManyAttributes));
        assert_eq!(check_xml_size(&element(900).repeat(9)), Ok(()));
        // Blanks behind each sign are not gone through again and again.
        let blanks = format!("{}{}", "=".repeat(100_000), " ".repeat(100_000));
        assert_eq!(check_xml_size(&blanks), Ok(()));
        assert_eq!(check_json_size(&many("[")), Err(DocumentRefused::TooMany));
        assert_eq!(check_json_size(&many("x")), Ok(()));
    }
}
