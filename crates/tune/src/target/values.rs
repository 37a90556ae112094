//! Knobs that are set on the target while it runs: by commands, statements, files of the kernel.

use std::path::Path;
use std::time::Duration;

use plimsoll_knobs::write::assign;
use plimsoll_run::Interrupt;
use plimsoll_text::{Lang, render};

use super::commands;
use super::component::{CannotStop, Component, StartWith};
use super::place::{Place, TargetKnob};
use super::prepared::Prepared;
use super::resolve::COMMAND;

/// At the end of a study somebody waits: a statement has so long,
const AT_THE_END: Duration = Duration::from_secs(30);
/// and so many times as long as the slowest one of the study took.
const TIMES_SLOWEST: u32 = 2;

/// How long a statement that sets a knob may take, and what ends it, or a command, before.
#[derive(Clone)]
pub struct SetLimit {
    statement: Duration,
    interrupt: Interrupt,
}

impl SetLimit {
    /// Of what an interrupt ends.
    #[must_use]
    pub fn until(interrupt: &Interrupt) -> Self {
        Self {
            statement: COMMAND,
            interrupt: interrupt.clone(),
        }
    }

    /// At the end of a study, in which setting a knob took so long at most. Nothing ends it.
    #[must_use]
    pub fn at_the_end(slowest: Duration) -> Self {
        Self {
            statement: COMMAND.min(AT_THE_END + slowest * TIMES_SLOWEST),
            interrupt: Interrupt::default(),
        }
    }

    /// For a study that was killed: nobody knows how long it took there. Nothing ends it but its process's end.
    #[must_use]
    pub fn of_killed() -> Self {
        Self::until(&Interrupt::default())
    }
}

/// Gives a knob that is set while the target runs a value; others are left as they are.
///
/// # Errors
/// What it was told.
pub fn set_value(
    prepared: &Prepared,
    knob: &TargetKnob,
    value: &str,
    limit: &SetLimit,
) -> Result<(), String> {
    match &knob.place {
        Place::Command(command) => {
            let line = command.replace("{}", value);
            let end = commands::run_unless(&line, &prepared.folder, COMMAND, &limit.interrupt);
            end.failure().map_or(Ok(()), Err)
        }
        Place::Sql(statement) => {
            let statement = statement.replace("{}", value);
            let database = prepared.database(knob.component);
            let database = database.map_err(|message| render(Lang::En, &message))?;
            let said = database.set(&statement, limit.statement, &limit.interrupt);
            said.map_err(|error| format!("{}: {error}", plimsoll_secrets::text(&statement)))
        }
        Place::Value(path) => {
            let written = assign(path, &knob.spelled(value));
            written.map_err(|error| format!("{}: {error}", path.display()))
        }
        _ => Ok(()),
    }
}

/// The same of a component that a study has started and stopped again: what takes the value may be there only while it
/// runs, and keep it beyond. It is started for that where nothing takes the value, with the mark of the study.
///
/// # Errors
/// What it was told.
pub fn set_stopped_value(
    prepared: &Prepared,
    knob: &TargetKnob,
    value: &str,
    (mark, state): (&str, &Path),
    limit: &SetLimit,
) -> Result<(), String> {
    let refused = match set_value(prepared, knob, value, limit) {
        Ok(()) => return Ok(()),
        Err(refused) => refused,
    };
    let spec = &prepared.study.components[knob.component];
    if spec.start.is_none() || matches!(knob.place, Place::Value(_)) {
        return Err(refused);
    }
    let mut component = Component::new(spec, &prepared.folder, mark, state);
    let started = component.start(&StartWith::default(), &limit.interrupt);
    let set = match started {
        Ok(()) => set_value(prepared, knob, value, limit),
        Err(failure) => Err(format!("{refused}; {}", failure.detail)),
    };
    let stopped = component.stop().map_err(|CannotStop| spec.name.clone());
    set.and(stopped)
}
