//! What can be watched, by name, and how a source is opened.

use std::collections::BTreeMap;

use plimsoll_text::Message;

use crate::capture::{Capture, Level};
use crate::collector::{Collector, Trouble};
use crate::collectors;

/// What a plan, an option or the discovery says of one source.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Spec {
    /// The source's name in [`SOURCES`]: `host`, `actuator`, `mysql` …
    pub source: String,
    /// Where it is: an address, a path, a port or pid; empty for the host itself.
    pub address: String,
    /// The name of its host in series; by default this host's name, or the address' host.
    pub host: Option<String>,
    /// Further settings of that source. Values may be secrets: never print them.
    pub options: BTreeMap<String, String>,
    /// What may be done for captures.
    pub level: Level,
}

/// What a source consists of.
#[derive(Default)]
pub struct Opened {
    /// They look every period.
    pub collectors: Vec<Box<dyn Collector>>,
    /// They are taken at moments.
    pub captures: Vec<Box<dyn Capture>>,
}

impl Opened {
    /// Adds what another source consists of, without the captures that `level` forbids.
    pub fn add(&mut self, other: Self, level: Level) {
        self.collectors.extend(other.collectors);
        let allowed = other.captures.into_iter();
        self.captures
            .extend(allowed.filter(|capture| capture.level() <= level));
    }

    /// Whether there is nothing.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.collectors.is_empty() && self.captures.is_empty()
    }
}

/// A kind of source.
pub struct Source {
    /// Its name in plans and options.
    pub name: &'static str,
    /// Names of the options it understands beside the address.
    pub options: &'static [&'static str],
    /// Makes its collectors and captures. Opens no connection yet: a source that is not
    /// there is told of when it is looked at, and looked for again.
    pub open: fn(&Spec) -> Result<Opened, Trouble>,
}

/// All sources, one line each.
pub static SOURCES: &[Source] = &[
    Source {
        name: "agent",
        options: collectors::agent::OPTIONS,
        open: collectors::agent::open,
    },
    Source {
        name: "auto",
        options: &[],
        open: collectors::auto::open,
    },
    Source {
        name: "host",
        options: &[],
        open: collectors::host::open,
    },
    Source {
        name: "actuator",
        options: collectors::ENDPOINT_OPTIONS,
        open: collectors::actuator::open,
    },
    Source {
        name: "jolokia",
        options: collectors::jolokia::OPTIONS,
        open: collectors::jolokia::open,
    },
    Source {
        name: "mysql",
        options: collectors::mysql::OPTIONS,
        open: collectors::mysql::open,
    },
    Source {
        name: "nginx",
        options: collectors::nginx::OPTIONS,
        open: collectors::nginx::open,
    },
    Source {
        name: "prometheus",
        options: collectors::ENDPOINT_OPTIONS,
        open: collectors::prometheus::open,
    },
    Source {
        name: "redis",
        options: collectors::redis::OPTIONS,
        open: collectors::redis::open,
    },
    Source {
        name: "jvm",
        options: &["jfr", "profiler"],
        open: collectors::jvm::open,
    },
    Source {
        name: "process",
        options: &[],
        open: collectors::process::open,
    },
    Source {
        name: "gc-log",
        options: &[],
        open: collectors::jvm::open_gc_log,
    },
];

/// A source that cannot be opened as it is written.
#[derive(Debug, Clone, thiserror::Error)]
#[error("{}", plimsoll_text::render(plimsoll_text::Lang::En, .0))]
pub struct SpecError(pub Message);

impl Spec {
    /// The spec written in an option: `NAME` or `NAME=ADDRESS`.
    ///
    /// # Errors
    /// A name that is not known; the message lists the known ones.
    pub fn parse(text: &str) -> Result<Self, SpecError> {
        let (source, address) = text.split_once('=').unwrap_or((text, ""));
        find(source)?;
        Ok(Self {
            source: source.to_owned(),
            address: address.to_owned(),
            ..Self::default()
        })
    }

    /// Whether the source can be opened as it is written; nothing is looked at.
    ///
    /// # Errors
    /// As [`open`](Self::open).
    pub fn check(&self) -> Result<(), SpecError> {
        self.open().map(|_| ())
    }

    /// Makes the source's collectors and captures.
    ///
    /// # Errors
    /// A name or option that is not known, an address that makes no sense.
    pub fn open(&self) -> Result<Opened, SpecError> {
        let source = find(&self.source)?;
        if let Some(unknown) = self
            .options
            .keys()
            .find(|name| !source.options.contains(&name.as_str()))
        {
            return Err(SpecError(
                Message::new("watch-unknown-option")
                    .with("source", source.name)
                    .with("option", unknown.as_str())
                    .with("known", source.options.join(", ")),
            ));
        }
        (source.open)(self).map_err(|trouble| SpecError(trouble.message))
    }
}

impl std::fmt::Display for Spec {
    /// `mysql mysql://db:3306`; options are left out, since they may be secrets, and so is
    /// what an address holds before an `@`.
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let scheme = self.address.find("://").map_or(0, |at| at + 3);
        let (before, rest) = self.address.split_at(scheme);
        let shown = rest.rsplit_once('@').map_or(rest, |(_, host)| host);
        f.write_str(format!("{} {before}{shown}", self.source).trim_end())
    }
}

fn find(name: &str) -> Result<&'static Source, SpecError> {
    let known = SOURCES.iter().find(|source| source.name == name);
    known.ok_or_else(|| {
        let names: Vec<_> = SOURCES.iter().map(|source| source.name).collect();
        SpecError(
            Message::new("watch-unknown-source")
                .with("source", name)
                .with("known", names.join(", ")),
        )
    })
}
