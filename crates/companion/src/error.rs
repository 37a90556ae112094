//! What can go wrong, for people.

use std::path::PathBuf;

use plimsoll_text::Message;

/// Why the companion cannot be started.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum StartError {
    /// Its folder is nowhere.
    #[error("the JVM companion is not built; looked in {looked:?}")]
    NotBuilt {
        /// Where it was looked for.
        looked: Vec<PathBuf>,
    },
    /// `PLIMSOLL_COMPANION` names a folder that holds no companion.
    #[error("PLIMSOLL_COMPANION names {0}, which holds no companion.jar")]
    NotThere(PathBuf),
    /// No `java` was found.
    #[error("no Java: looked for {looked:?}")]
    NoJava {
        /// What was tried.
        looked: Vec<PathBuf>,
        /// The variable that named where to look.
        named: Option<&'static str>,
    },
    /// What is called so does not say a version as a Java does.
    #[error("{java} does not say its version: {said}")]
    NoVersion {
        /// The program.
        java: PathBuf,
        /// The begin of what it said.
        said: String,
    },
    /// The Java found is too old.
    #[error("{java} is Java {found}, {least} is needed")]
    OldJava {
        /// The program.
        java: PathBuf,
        /// Its major version.
        found: u32,
        /// The least that works.
        least: u32,
    },
    /// The companion and the engine are not of the same version.
    #[error("the companion speaks protocol {found}, the engine {wanted}")]
    OtherVersion {
        /// The companion's.
        found: u32,
        /// The engine's.
        wanted: u32,
    },
    /// The process ended before it was ready.
    #[error("the JVM ended while it started: {0}")]
    Ended(String),
    /// It was not ready in time.
    #[error("the JVM was not ready after {after_s} s: {said}")]
    Slow {
        /// How long was waited.
        after_s: u64,
        /// What it wrote to its error output.
        said: String,
    },
    /// Code of the plan may not run here.
    #[error("{0}")]
    Refused(plimsoll_access::Refused),
    /// The system refused something.
    #[error("{what}: {why}")]
    System {
        /// What was tried.
        what: String,
        /// The system's reason.
        why: String,
    },
}

impl StartError {
    /// For people: what is wrong and what to do next.
    #[must_use]
    pub fn message(&self) -> Message {
        match self {
            Self::Refused(refused) => refused.message(),
            Self::NotBuilt { looked } => {
                Message::new("jmeter-companion-not-built").with("looked", listed(looked))
            }
            Self::NotThere(folder) => Message::new("jmeter-companion-not-there")
                .with("folder", folder.display().to_string()),
            Self::NoJava { looked, named } => Message::new("jmeter-companion-no-java")
                .with("looked", listed(looked))
                .with("variable", named.unwrap_or("PATH")),
            Self::NoVersion { java, said } => Message::new("jmeter-companion-no-version")
                .with("java", java.display().to_string())
                .with("said", said.as_str()),
            Self::OldJava { java, found, least } => Message::new("jmeter-companion-old-java")
                .with("java", java.display().to_string())
                .with("found", found.to_string())
                .with("least", least.to_string()),
            Self::OtherVersion { found, wanted } => Message::new("jmeter-companion-other-version")
                .with("found", found.to_string())
                .with("wanted", wanted.to_string()),
            Self::Ended(said) => Message::new("jmeter-companion-ended").with("said", said.as_str()),
            Self::Slow { after_s, said } => Message::new("jmeter-companion-slow")
                .with("seconds", after_s.to_string())
                .with("said", said.as_str()),
            Self::System { what, why } => Message::new("jmeter-companion-system")
                .with("what", what.as_str())
                .with("why", why.as_str()),
        }
    }
}

fn listed(paths: &[PathBuf]) -> String {
    let shown: Vec<String> = paths
        .iter()
        .map(|path| path.display().to_string())
        .collect();
    shown.join(", ")
}

/// Why a call has no response.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum CallError {
    /// The companion's process has ended; the text is what it said last.
    #[error("the JVM companion has ended: {0}")]
    Ended(String),
    /// It has not responded in time.
    #[error("the JVM companion has not responded after {after_s} s")]
    Late {
        /// How long was waited.
        after_s: u64,
    },
    /// Its response could not be read.
    #[error("the JVM companion's response cannot be read: {0}")]
    Unreadable(String),
}

impl CallError {
    /// For people.
    #[must_use]
    pub fn message(&self) -> Message {
        match self {
            Self::Ended(said) => Message::new("jmeter-companion-gone").with("said", said.as_str()),
            Self::Late { after_s } => {
                Message::new("jmeter-companion-late").with("seconds", after_s.to_string())
            }
            Self::Unreadable(why) => {
                Message::new("jmeter-companion-unreadable").with("why", why.as_str())
            }
        }
    }
}
