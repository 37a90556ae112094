//! What can be watched, by name, and how a source is opened.

use plimsoll_text::Message;

use crate::collector::{Opened, Trouble};
use crate::collectors;
use crate::collectors::server::SERVER_OPTIONS;
use crate::http::ENDPOINT_OPTIONS;
use crate::source::{Spec, SpecError};
use crate::together::{SEARCH, Together};

/// A kind of source.
pub struct SourceKind {
    /// Its name in plans and options.
    pub name: &'static str,
    /// Names of the options it understands beside the address: its own, and those that it shares.
    pub options: &'static [&'static [&'static str]],
    /// Makes its collectors and captures. Opens no connection yet: a source that is not
    /// there is told of when it is looked at, and looked for again.
    pub open: fn(&Spec) -> Result<Opened, Trouble>,
}

/// All sources, one line each.
pub static SOURCES: &[SourceKind] = &[
    SourceKind {
        name: "agent",
        options: &[collectors::agent::OPTIONS],
        open: collectors::agent::open,
    },
    SourceKind {
        name: "auto",
        options: &[],
        open: collectors::auto::open,
    },
    SourceKind {
        name: "host",
        options: &[],
        open: collectors::host::open,
    },
    SourceKind {
        name: "actuator",
        options: &[&["name", "max-series"], ENDPOINT_OPTIONS],
        open: collectors::actuator::open,
    },
    SourceKind {
        name: "haproxy",
        options: &[&["name"], ENDPOINT_OPTIONS],
        open: collectors::haproxy::open,
    },
    SourceKind {
        name: "jolokia",
        options: &[&["name"], ENDPOINT_OPTIONS],
        open: collectors::jolokia::open,
    },
    SourceKind {
        name: "mysql",
        options: &[&["name"], SERVER_OPTIONS],
        open: collectors::mysql::open,
    },
    SourceKind {
        name: "nginx",
        options: &[collectors::nginx::OPTIONS, ENDPOINT_OPTIONS],
        open: collectors::nginx::open,
    },
    SourceKind {
        name: "node-inspector",
        options: &[&["name"]],
        open: collectors::node_inspector::open,
    },
    SourceKind {
        name: "pgbouncer",
        options: &[&["name"], SERVER_OPTIONS],
        open: collectors::pgbouncer::open,
    },
    SourceKind {
        name: "php-fpm",
        options: &[collectors::php_fpm::OPTIONS, ENDPOINT_OPTIONS],
        open: collectors::php_fpm::open,
    },
    SourceKind {
        name: "postgresql",
        options: &[&["name", "database"], SERVER_OPTIONS],
        open: collectors::postgresql::open,
    },
    SourceKind {
        name: "pprof",
        options: &[&["name"], ENDPOINT_OPTIONS],
        open: collectors::pprof::open,
    },
    SourceKind {
        name: "prometheus",
        options: &[&["name", "max-series"], ENDPOINT_OPTIONS],
        open: collectors::prometheus::open,
    },
    SourceKind {
        name: "redis",
        options: &[&["name"], SERVER_OPTIONS],
        open: collectors::redis::open,
    },
    SourceKind {
        name: "server-agent",
        options: &[collectors::server_agent::OPTIONS],
        open: collectors::server_agent::open,
    },
    SourceKind {
        name: "jvm",
        options: &[&["jfr", "profiler"]],
        open: collectors::jvm::open,
    },
    SourceKind {
        name: "process",
        options: &[],
        open: collectors::process::open,
    },
    SourceKind {
        name: "gc-log",
        options: &[],
        open: collectors::jvm::open_gc_log,
    },
];

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
        let known = source.options.concat();
        let mut given = self.options.keys();
        if let Some(unknown) = given.find(|name| !known.contains(&name.as_str())) {
            return Err(SpecError(
                Message::new("watch-unknown-option")
                    .with("source", source.name)
                    .with("option", unknown.as_str())
                    .with("known", known.join(", ")),
            ));
        }
        (source.open)(self).map_err(|trouble| SpecError(trouble.message))
    }

    /// Opens sources that are watched side by side; `tell` hears what cannot be opened.
    pub fn open_together(specs: &[Self], mut tell: impl FnMut(&Self, SpecError)) -> Opened {
        let together = Together::default();
        let mut all = Opened::default();
        // What is named goes before what is found, since it says more: a login, a host.
        specs.iter().for_each(|spec| together.put(spec));
        for spec in specs {
            let opened = match spec.source == SEARCH {
                true => spec
                    .check()
                    .map(|()| collectors::auto::open_beside(spec, &together)),
                false => spec.open(),
            };
            match opened {
                Ok(opened) => all.add(opened, spec.level),
                Err(error) => tell(spec, error),
            }
        }
        all
    }
}

fn find(name: &str) -> Result<&'static SourceKind, SpecError> {
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn two_searches_are_opened_and_what_cannot_be_is_told() {
        let auto = |address: &str| Spec {
            source: SEARCH.to_owned(),
            address: address.to_owned(),
            ..Spec::default()
        };
        let mut failed = Vec::new();
        let specs = [auto("127.0.0.1:1"), auto("localhost:1"), auto("")];
        let opened = Spec::open_together(&specs, |spec, _| failed.push(spec.address.clone()));
        assert_eq!((opened.collectors.len(), failed), (2, vec![String::new()]));
    }
}
