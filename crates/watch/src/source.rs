//! What is said of a source, and what it consists of when it is open.

use std::collections::BTreeMap;

use plimsoll_access::Reach;
use plimsoll_text::Message;

use crate::capture::Level;

pub use crate::collector::Opened;

/// What a plan, an option or the discovery says of one source.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Spec {
    /// The source's name in [`SOURCES`](crate::SOURCES): `host`, `actuator`, `mysql` …
    pub source: String,
    /// Where it is: an address, a path, a port or pid; empty for the host itself.
    pub address: String,
    /// The name of its host in series; by default this host's name, or the address' host.
    pub host: Option<String>,
    /// Further settings of that source. Values may be secrets: never print them.
    pub options: BTreeMap<String, String>,
    /// What may be done for captures.
    pub level: Level,
    /// The addresses that may be looked at by the search around a target (`auto`); none: any.
    pub reach: Option<Reach>,
}

/// A source that cannot be opened as it is written.
#[derive(Debug, Clone, thiserror::Error)]
#[error("{}", plimsoll_text::render(plimsoll_text::Lang::En, .0))]
pub struct SpecError(pub Message);

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
