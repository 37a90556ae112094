//! What findings are about, by the things that were watched.

use plimsoll_stats::series::{Entity, EntityKind};

use crate::model::FindingObject;

/// Things that are in a process.
pub(crate) const IN_PROCESSES: &[EntityKind] = &[
    EntityKind::Process,
    EntityKind::Jvm,
    EntityKind::WebServer,
    EntityKind::Pool,
    EntityKind::Client,
    EntityKind::Application,
    EntityKind::Database,
];

/// What the client saw, whichever host it was.
pub(crate) fn seen_by_client(kind: &'static str, name: impl Into<String>) -> FindingObject {
    FindingObject {
        kind,
        name: name.into(),
        host: String::new(),
        process: String::new(),
    }
}

/// A host as a whole.
pub(crate) fn host_object(host: &str) -> FindingObject {
    FindingObject {
        host: host.to_owned(),
        ..seen_by_client("host", host)
    }
}

/// The thing as an object of that kind.
pub(crate) fn object(kind: &'static str, name: impl Into<String>, of: &Entity) -> FindingObject {
    // Until all are found, the thing in the process: see `findings::whose`.
    let process = match IN_PROCESSES.contains(&of.kind) {
        true => of.name.as_str(),
        false => "",
    };
    FindingObject {
        kind,
        name: name.into(),
        host: of.host.clone(),
        process: process.to_owned(),
    }
}
