//! Whether values arrived: what the running target shows of them. Nothing that is watched is executed for it.

use std::path::Path;
use std::time::Duration;

use plimsoll_plan::study::ReadBackSpec;
use serde_json::Value;

use super::arguments::value_in;
use super::commands::{CommandEnd, run};
use super::fetch::fetch;
use super::marks;
use super::resolve::{Place, TargetKnob, url};
use crate::space::Domain;
use crate::trial::NotArrived;

const QUESTION: Duration = Duration::from_secs(20);

/// What a target shows of a value.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Shown {
    /// It has it.
    Arrived,
    /// It has something else, or shows nothing where it should.
    Other(NotArrived),
    /// Nothing can show it.
    NotConfirmed,
}

/// Looks for the value of a knob in the component whose processes carry a mark.
#[must_use]
pub fn look(knob: &TargetKnob, domain: &Domain, wanted: &str, mark: &str, folder: &Path) -> Shown {
    let has = match (&knob.read_back, &knob.place) {
        (Some(ReadBackSpec::Nothing(_)), _) => return Shown::NotConfirmed,
        (Some(ReadBackSpec::Http(address, pointer)), _) => {
            of_http(&address.raw, pointer.as_ref().map(|it| it.raw.as_str()))
        }
        (Some(ReadBackSpec::Command(command)), _) => of_command(&command.raw, folder),
        (None, Place::Argument(template)) => {
            let seen = marks::seen(mark);
            let mut values = seen
                .iter()
                .filter_map(|(command, _)| value_in(command, template));
            match values.next() {
                Some(value) => Ok(value),
                // A program that sets its title shows no arguments.
                None if seen.iter().all(|(command, _)| command.len() < 2) => {
                    return Shown::NotConfirmed;
                }
                None => Err(String::new()),
            }
        }
        (None, Place::Environment(name)) => {
            let seen = marks::seen(mark);
            let mut values = seen
                .iter()
                .filter_map(|(_, environment)| environment.get(name));
            match values.next() {
                Some(value) => Ok(value.clone()),
                None if seen
                    .iter()
                    .all(|(_, all)| !all.contains_key(marks::VARIABLE)) =>
                {
                    return Shown::NotConfirmed;
                }
                None => Err(String::new()),
            }
        }
        (None, Place::File { .. } | Place::Command(_)) => return Shown::NotConfirmed,
    };
    match has {
        Ok(has) if domain.same(&has, wanted) => Shown::Arrived,
        Ok(has) | Err(has) => Shown::Other(NotArrived {
            knob: knob.name.clone(),
            wanted: wanted.to_owned(),
            has: plimsoll_secrets::value(&knob.name, has.trim()).into_owned(),
        }),
    }
}

fn of_command(command: &str, folder: &Path) -> Result<String, String> {
    match run(command, folder, QUESTION) {
        CommandEnd::Done(said) => Ok(said.trim().to_owned()),
        other => Err(other.failure().unwrap_or_default()),
    }
}

fn of_http(address: &str, pointer: Option<&str>) -> Result<String, String> {
    let url = url(address).ok_or_else(|| address.to_owned())?;
    let response = fetch(&url, QUESTION).map_err(|error| error.to_string())?;
    if response.status >= 400 {
        return Err(response.status.to_string());
    }
    let Some(pointer) = pointer else {
        return Ok(response.body.trim().to_owned());
    };
    let json: Value = serde_json::from_str(&response.body).map_err(|error| error.to_string())?;
    match json.pointer(pointer) {
        Some(Value::String(text)) => Ok(text.clone()),
        Some(Value::Null) | None => Err(String::new()),
        Some(other) => Ok(other.to_string()),
    }
}
