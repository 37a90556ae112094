//! The grammar of a plan as tables: for each object its keys, the kind of each value, what it
//! is for. From them come the checks of the reader, the JSON Schema and the reference.

mod conditions;
mod element;
mod grammar;
mod leaf;
mod load;
mod outputs;
mod pause;
mod plan;
mod responses;
mod scope;
mod settings;
mod steps;
mod texts;
mod watch;

pub(crate) use grammar::*;
pub(crate) use leaf::*;
pub use outputs::outputs;
pub(crate) use plan::PLAN;
pub(crate) use steps::{METHODS, STEP_CASES};
pub use watch::sources as watch_sources;

/// The name of a group of keys that several objects share, for the reference.
pub(crate) fn shared_group(keys: &'static [Key]) -> Option<&'static str> {
    let groups = [
        ("load", load::LOAD),
        ("rhythm", load::RHYTHM),
        ("scope", scope::SCOPE),
        ("settings", settings::SETTINGS),
    ];
    // By their names: the address of a table may differ from one use to the next.
    let names = |keys: &'static [Key]| keys.iter().map(|key| key.name);
    let same = |(_, group): &&(_, &'static [Key])| names(group).eq(names(keys));
    groups.iter().find(same).map(|(name, _)| *name)
}
