//! What a configuration changes, as a person takes it over: lines that go and lines that come.

use plimsoll_text::Message;

use super::component::{StartArgument, StartWith, command_of};
use super::file_messages::unwritten;
use super::files::{contents, difference};
use super::fragment::Fragment;
use super::originals;
use super::place::{Place, TargetKnob};
use super::prepared::Prepared;
use crate::space::Configuration;

/// What a configuration wants of a component's start.
#[must_use]
pub fn start_with(knobs: &[TargetKnob], of: &Configuration, component: usize) -> StartWith {
    let mut with = StartWith::default();
    for (knob, value) in knobs.iter().zip(&of.0) {
        match (&knob.place, value) {
            _ if knob.component != component => {}
            (Place::Argument(template), Some(value)) => {
                let argument = StartArgument::Template(template.clone());
                with.arguments.push((argument, value.clone()));
            }
            (Place::Option(address), Some(value)) => {
                let argument = StartArgument::Option(address.clone());
                with.arguments.push((argument, knob.spelled(value)));
            }
            (Place::Environment(name), Some(value)) => {
                with.environment.push((name.clone(), knob.spelled(value)));
            }
            _ => {}
        }
    }
    with
}

/// What a configuration changes.
///
/// # Errors
/// A file that cannot be read, or a value that cannot be written there.
pub fn fragments_of(prepared: &Prepared, of: &Configuration) -> Result<Vec<Fragment>, Message> {
    let mut fragments = Vec::new();
    let mut add = |of: String, lines: Vec<String>| {
        if !lines.is_empty() {
            fragments.push(Fragment { of, lines });
        }
    };
    for (path, content) in contents(&prepared.knobs, of, &originals::read)? {
        let old = originals::read(&path).map_err(|error| unwritten(&path, &error))?;
        let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
        add(
            path.display().to_string(),
            difference(&text(&old), &text(&content)),
        );
    }
    for (at, component) in prepared.study.components.iter().enumerate() {
        let with = start_with(&prepared.knobs, of, at);
        let line = |with: &StartWith| {
            let command = command_of(component, with).unwrap_or_default();
            plimsoll_secrets::command_line(&command)
        };
        if !with.arguments.is_empty() {
            let lines = vec![
                format!("-{}", line(&StartWith::default())),
                format!("+{}", line(&with)),
            ];
            add(format!("{}: start", component.name), lines);
        }
        let variables = with.environment.iter();
        let lines = variables
            .map(|(name, value)| format!("+{name}={}", plimsoll_secrets::value(name, value)));
        add(format!("{}: environment", component.name), lines.collect());
        let own = prepared.knobs.iter().zip(&of.0);
        let commands = own.filter_map(|(knob, value)| match (&knob.place, value) {
            (Place::Command(line) | Place::Sql(line), Some(value)) if knob.component == at => {
                let line = line.replace("{}", value);
                Some(format!("+{}", plimsoll_secrets::text(&line)))
            }
            (Place::Value(path), Some(value)) if knob.component == at => {
                Some(format!("+{} > {}", knob.spelled(value), path.display()))
            }
            _ => None,
        });
        add(format!("{}: commands", component.name), commands.collect());
    }
    for (at, agent) in prepared.agents.iter().enumerate() {
        let values = prepared.values_at(at, of);
        if !values.is_empty() {
            let there = agent.changes(&values)?.into_iter();
            fragments.extend(there.map(|it| Fragment {
                of: format!("{}: {}", agent.address(), it.of),
                ..it
            }));
        }
    }
    Ok(fragments)
}
