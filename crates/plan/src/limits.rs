//! The limits that keep hostile or mistaken input from taking all memory or all time. Each is
//! told with what to do where it is met; `docs/limits.md` has them all, and a test holds the page
//! against these numbers.

use std::fs::File;
use std::io::Read;

/// Longest YAML plan, bytes.
pub const PLAN_BYTES: usize = 8 << 20;
/// Deepest nesting of a YAML plan.
pub const PLAN_DEPTH: usize = 64;
/// Most values of a YAML plan after aliases were put in; more is an attack ("billion laughs") or a
/// mistake.
pub const PLAN_VALUES: usize = 500_000;
/// Longest `.jmx` file, bytes. Recorded plans with bodies in them grow long.
pub const JMX_BYTES: usize = 128 << 20;

/// Levels of XML in a JMeter test plan.
pub const JMX_DEPTH: usize = 200;
/// Longest file of properties, of a test's summary and the like, bytes.
pub const SETTINGS_BYTES: usize = 16 << 20;
/// Longest data file, bytes: rows are held in memory.
pub const DATA_BYTES: usize = 1 << 30;
/// Problems of a plan that are collected; what comes later is not looked at.
pub const PROBLEMS_COLLECTED: usize = 1_000;
/// Problems of a plan that are shown.
pub const PROBLEMS_SHOWN: usize = 100;

/// Most users of one scenario: each is a connection, and Linux gives a process no more than
/// 1,048,576 descriptors unless told otherwise. More are made by several plans or scenarios.
pub const USERS: u32 = 1_000_000;
/// Most arrivals in a second.
pub const RATE_PER_S: u64 = 10_000_000;

/// Longest text that a template, function or script may produce, bytes.
pub const TEXT_BYTES: usize = 64 << 20;
/// Texts evaluated within each other (`${__eval(…)}`, `${__evalVar(…)}`).
pub const EVALUATION_DEPTH: u32 = 32;
/// Texts evaluated for one text of the plan.
pub const EVALUATIONS: u32 = 10_000;
/// What one JEXL script may produce in texts and lists together, bytes.
pub const JEXL_BYTES: usize = 256 << 20;

/// Deepest nesting of an HTML or XML document that selectors look at; browsers stop there, too.
pub const DOCUMENT_DEPTH: u32 = 512;
/// Most nodes of a document, or values of a JSON text, that selectors look at.
pub const DOCUMENT_NODES: usize = 2_000_000;
/// Most attributes of one element of an XML document.
pub const DOCUMENT_ATTRIBUTES: usize = 1_000;
/// Most nodes that one XPath looks at, those that it looks at again among them.
pub const XPATH_VISITS: usize = 4_000_000;
/// Most values of a JSON text that one JSONPath may look at in the worst case.
pub const JSON_VISITS: u64 = 20_000_000;
/// CPU time that one selector or parser may spend on one document, milliseconds.
pub const DOCUMENT_CPU_MS: u64 = 2_000;

/// CPU time that compiling all regular expressions of a plan may take, milliseconds.
pub const PATTERNS_CPU_MS: u64 = 3_000;

/// Why a whole input could not be had.
#[derive(Debug, thiserror::Error)]
pub enum InputError {
    /// The system refused.
    #[error(transparent)]
    Io(#[from] std::io::Error),
    /// It is longer than the limit, or has no end.
    #[error("it is longer than {} MiB", .limit >> 20)]
    TooLong {
        /// The limit, bytes.
        limit: usize,
    },
}

impl From<InputError> for std::io::Error {
    fn from(error: InputError) -> Self {
        match error {
            InputError::Io(error) => error,
            long @ InputError::TooLong { .. } => {
                Self::new(std::io::ErrorKind::FileTooLarge, long.to_string())
            }
        }
    }
}

/// Reads all of an input of at most `limit` bytes. Devices, pipes and files that grow are read
/// no further than one byte beyond it.
///
/// # Errors
/// What the system says, or that there is more.
pub fn read_all(input: impl Read, limit: usize) -> Result<Vec<u8>, InputError> {
    let mut bytes = Vec::new();
    let most = u64::try_from(limit).unwrap_or(u64::MAX).saturating_add(1);
    input.take(most).read_to_end(&mut bytes)?;
    match bytes.len() > limit {
        true => Err(InputError::TooLong { limit }),
        false => Ok(bytes),
    }
}

/// Reads all of a file, device or pipe of at most `limit` bytes, if it could be opened.
///
/// # Errors
/// As [`read_all`].
pub fn read_file(opened: std::io::Result<File>, limit: usize) -> Result<Vec<u8>, InputError> {
    read_all(opened?, limit)
}

#[cfg(test)]
#[allow(clippy::unwrap_used, clippy::expect_used)]
mod tests {
    use super::*;

    #[test]
    fn inputs_without_an_end_are_read_no_further_than_the_limit() {
        struct Counted(usize);
        impl Read for Counted {
            fn read(&mut self, buffer: &mut [u8]) -> std::io::Result<usize> {
                self.0 += buffer.len();
                Ok(buffer.len())
            }
        }
        let mut endless = Counted(0);
        let error = read_all(&mut endless, 3 << 20).unwrap_err();
        assert!(matches!(error, InputError::TooLong { limit } if limit == 3 << 20));
        assert!(endless.0 <= (3 << 20) + 1, "{} bytes were read", endless.0);
        assert_eq!(read_all(&b"abc"[..], 3).unwrap(), b"abc");
        assert_eq!(read_all(&b""[..], 0).unwrap(), b"");
        assert!(read_all(&b"abcd"[..], 3).is_err());
    }
}
