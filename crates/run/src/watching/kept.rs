//! What a run watches, as its folder keeps it, so that whoever takes the run up again can watch it
//! too. Secrets are not kept: a source whose address holds one has to be named again.

use std::collections::BTreeMap;

use plimsoll_secrets::{MASK, value};
use plimsoll_text::Message;
use plimsoll_watch::{Level, Spec};
use serde::{Deserialize, Serialize};

use super::specs::{for_target, not_opened, placed};
use crate::LoadSettings;

/// The note that holds it.
pub const NOTE: &str = "watch";

/// One source.
#[derive(Debug, Serialize, Deserialize)]
struct Kept {
    source: String,
    address: String,
    #[serde(default)]
    host: Option<String>,
    #[serde(default)]
    options: BTreeMap<String, String>,
    /// Captures that disturb the target were allowed.
    #[serde(default)]
    capture: bool,
}

/// What is kept of the sources.
#[must_use]
pub fn to_note(specs: &[Spec]) -> String {
    let kept = specs.iter().map(|spec| Kept {
        source: spec.source.clone(),
        address: plimsoll_secrets::text(&spec.address).into_owned(),
        host: spec.host.clone(),
        options: spec
            .options
            .iter()
            .map(|(name, text)| (name.clone(), value(name, text).into_owned()))
            .collect(),
        capture: spec.level == Level::Capture,
    });
    // Texts and truths can always be written.
    serde_json::to_string(&kept.collect::<Vec<_>>()).unwrap_or_default()
}

/// The sources that can be watched again, and what must be told of the others.
fn from_note(note: &[u8]) -> (Vec<Spec>, Vec<Message>) {
    let kept: Vec<Kept> = serde_json::from_slice(note).unwrap_or_default();
    let (mut specs, mut told) = (Vec::new(), Vec::new());
    for kept in kept {
        let spec = Spec {
            source: kept.source,
            address: kept.address,
            host: kept.host,
            options: kept.options,
            level: match kept.capture {
                true => Level::Capture,
                false => Level::Observe,
            },
            reach: None,
        };
        let is_masked = |text: &String| text.contains(MASK);
        if is_masked(&spec.address) || spec.options.values().any(is_masked) {
            let source = spec.to_string();
            told.push(Message::new("event-watch-secret-gone").with("source", source));
        } else if let Err(error) = spec.check() {
            told.push(not_opened(&spec, error.0));
        } else {
            specs.push(spec);
        }
    }
    (specs, told)
}

/// What is watched of `target` when a run is taken up again: what the command line names, or else
/// what the run watched before; and what must be told of sources that are left out.
///
/// # Errors
/// Names, settings and addresses on the command line that make no sense.
pub fn again(
    note: Option<&[u8]>,
    load: &LoadSettings,
    target: &str,
) -> Result<(Vec<Spec>, Vec<Message>), Message> {
    if !load.watch.is_empty() {
        return Ok((for_target(load, target)?, Vec::new()));
    }
    let (specs, told) = note.map(from_note).unwrap_or_default();
    let captures = load.watch_allow_capture;
    let specs = specs.into_iter();
    let specs = specs.map(|spec| placed(spec, target, captures));
    Ok((specs.collect(), told))
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::super::from_texts;
    use super::*;

    fn load(watch: &[&str]) -> LoadSettings {
        LoadSettings {
            watch: watch.iter().map(|&text| text.to_owned()).collect(),
            ..LoadSettings::default()
        }
    }

    #[test]
    fn what_was_watched_is_watched_again_but_for_secrets() {
        let texts = [
            "host",
            "mysql=mysql://db:3306,user=root,on=db1,allow=capture",
            "redis=redis://:hunter2@cache:6379",
            "mysql=root:hunter2@db:3306",
        ];
        let specs = from_texts(&load(&texts).watch, Level::Observe).unwrap();
        let note = to_note(&specs);
        assert!(!note.contains("hunter2"), "{note}");
        let (again, told) = again(Some(note.as_bytes()), &load(&[]), "http://h:80").unwrap();
        assert_eq!(again, specs[..2]);
        let ids: Vec<&str> = told.iter().map(|told| &*told.id).collect();
        assert_eq!(ids, ["event-watch-secret-gone"; 2]);
    }

    #[test]
    fn the_command_line_takes_the_place_of_what_was_watched() {
        let note = to_note(&from_texts(&load(&["host"]).watch, Level::Observe).unwrap());
        let note = Some(note.as_bytes());
        let (specs, _) = again(note, &load(&["auto"]), "http://127.0.0.1:8080/x").unwrap();
        assert_eq!(specs.len(), 1);
        assert_eq!(specs[0].address, "127.0.0.1:8080");
        assert!(again(note, &load(&["nothing"]), "http://h").is_err());
        let (none, told) = again(None, &load(&[]), "http://h").unwrap();
        assert!(none.is_empty() && told.is_empty());
    }
}
