//! What classes and functions of plans are that no part of Plimsoll knows, by the companion's jars.

use plimsoll_access::Access;
use plimsoll_companion::{CompanionOptions, describe, find};
use plimsoll_elements::Properties;
use plimsoll_text::Message;

pub use plimsoll_companion::ForeignKind;

/// Asks the companion of these names.
///
/// # Errors
/// Why it cannot be asked: there is none, no Java, no right to start it.
pub fn foreign_kinds(
    names: &[String],
    properties: &Properties,
    access: &Access,
) -> Result<Vec<(String, ForeignKind)>, Message> {
    let described = find().and_then(|installed| {
        let options = CompanionOptions::new(installed, properties.clone(), access.clone());
        describe(&options, names)
    });
    described.map_err(|error| error.message())
}
