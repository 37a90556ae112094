//! What is said where something may not be done.

use std::io;
use std::path::Path;

use plimsoll_text::{Arg, Lang, Message, render};

/// Bytes that a plan writes into its folder, beyond which no file of it is opened to be written.
pub(crate) const MOST_BYTES: u64 = 1 << 30;

/// What can be allowed by name.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Right {
    /// Files outside the plan's folder, Unix sockets among them.
    Files,
    /// Code of the plan: scripts, and all that runs in Java.
    Scripts,
    /// Processes.
    Processes,
}

impl Right {
    /// Its name on the command line.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Files => "files",
            Self::Scripts => "scripts",
            Self::Processes => "processes",
        }
    }
}

/// Why a file cannot be used, for a message.
#[must_use]
pub fn reason(error: &io::Error) -> Arg {
    match Refused::of(error) {
        Some(refused) => refused.message().into(),
        None if error.kind() == io::ErrorKind::QuotaExceeded => {
            let most = MOST_BYTES >> 20;
            Message::new("access-folder-full")
                .with("most_mib", most)
                .into()
        }
        None => error.to_string().into(),
    }
}

/// Something that may not be done here.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Refused {
    right: Right,
    /// No right allows it.
    is_withheld: bool,
    what: String,
}

impl Refused {
    pub(crate) fn new(right: Right, what: &str) -> Self {
        Self {
            right,
            is_withheld: false,
            what: what.to_owned(),
        }
    }

    pub(crate) fn withheld(path: &Path) -> Self {
        Self {
            is_withheld: true,
            ..Self::file(path)
        }
    }

    pub(crate) fn file(path: &Path) -> Self {
        Self::new(Right::Files, &path.to_string_lossy())
    }

    /// The refusal behind an error; none: the system has another reason.
    #[must_use]
    pub fn of(error: &io::Error) -> Option<&Self> {
        error.get_ref()?.downcast_ref()
    }

    /// The right that was missing.
    #[must_use]
    pub fn right(&self) -> Right {
        self.right
    }

    /// As [`Refused::message`], with the part of the plan that wanted it.
    #[must_use]
    pub fn by(&self, who: &str) -> Message {
        Message::new("access-refused-by")
            .with("who", who)
            .with("reason", self.message())
    }

    /// For people: what wanted to be done, and what would allow it.
    #[must_use]
    pub fn message(&self) -> Message {
        let id = match self.is_withheld {
            true => "access-refused-withheld".to_owned(),
            false => format!("access-refused-{}", self.right.name()),
        };
        Message::new(id).with("what", self.what.as_str())
    }
}

impl std::fmt::Display for Refused {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(&render(Lang::En, &self.message()))
    }
}

impl std::error::Error for Refused {}

impl From<Refused> for io::Error {
    fn from(refused: Refused) -> Self {
        Self::new(io::ErrorKind::PermissionDenied, refused)
    }
}
