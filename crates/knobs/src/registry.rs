//! All knobs.

use crate::families::tomcat;
use crate::knob::{Family, Knob, PlaceKind};

/// All families: a file and a line each.
pub const FAMILIES: &[Family] = &[tomcat::FAMILY];

/// All knobs, in the order of their families.
pub fn all() -> impl Iterator<Item = &'static Knob> {
    FAMILIES.iter().flat_map(|family| family.knobs)
}

/// The knob of an id.
#[must_use]
pub fn find(id: &str) -> Option<&'static Knob> {
    all().find(|knob| knob.id == id)
}

/// The knob that a setting is, as its server calls it: `server.tomcat.threads.max`, `-Xmx`,
/// `worker_connections`.
#[must_use]
pub fn by_setting(kind: PlaceKind, setting: &str) -> Option<&'static Knob> {
    all().find(|knob| {
        knob.places_of(kind).any(|place| {
            let name = place.address.rsplit(" > ").next().unwrap_or_default();
            place.address == setting || name == setting
        })
    })
}
