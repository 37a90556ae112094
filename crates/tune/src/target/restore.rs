//! Brings a target back after a study that was killed, or at its end.

use std::path::{Path, PathBuf};
use std::time::Duration;

use plimsoll_plan::parse_study;
use plimsoll_plan::study::Study;
use plimsoll_run::Interrupt;
use plimsoll_text::Message;

use super::component::Component;
use super::files::unwritten;
use super::journal::{Entry, Journal};
use super::prepared::Prepared;
use super::resolve::prepare;
use super::values::set_stopped_value;
use super::{marks, originals};

/// How long processes of a killed study may take to end.
const END_WITHIN: Duration = Duration::from_secs(10);

/// What was brought back.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Restored {
    /// Files that were changed and are as they were.
    pub files: Vec<PathBuf>,
    /// Whether processes were ended.
    pub processes: bool,
    /// What could not be brought back.
    pub failed: Vec<Message>,
}

/// Brings back what a journal says of a study that did not do it itself. Harmless where there is nothing to do.
///
/// # Errors
/// If that it is done cannot be written down; it can be done again then.
pub fn restore(journal: &mut Journal) -> Result<Restored, Message> {
    restore_with(journal, &read)
}

/// The same, where what knows the commands is read otherwise.
///
/// # Errors
/// As [`restore`].
pub fn restore_with(
    journal: &mut Journal,
    read: &dyn Fn(&Path, Option<&Path>) -> Option<Prepared>,
) -> Result<Restored, Message> {
    let entries = journal.open_entries().to_vec();
    let mut restored = Restored::default();
    if entries.is_empty() {
        return Ok(restored);
    }
    let mut study = None;
    for entry in &entries {
        if let Entry::Begun {
            mark,
            study: file,
            folder,
            ..
        } = entry
        {
            study = Some((file, folder.as_deref()));
            if !marks::marked(&format!("{mark}/")).is_empty() {
                restored.processes = true;
                if !marks::end(&format!("{mark}/"), END_WITHIN, &mut || {}) {
                    let message = Message::new("tune-cannot-stop").with("name", mark.as_str());
                    restored.failed.push(message);
                }
            }
        }
    }
    files(&entries, &mut restored);
    let commands = entries
        .iter()
        .any(|it| matches!(it, Entry::Set { .. } | Entry::Touched { .. }));
    if commands {
        // Commands come from the study alone.
        let done = match study.and_then(|(file, folder)| read(file, folder)) {
            Some(prepared) => by_commands(&prepared, &entries, journal.folder()),
            None => Err(Message::new("tune-study-gone")),
        };
        restored.failed.extend(done.err());
    }
    if restored.failed.is_empty() {
        let folder = journal.folder().to_owned();
        journal
            .write(Entry::Restored)
            .map_err(|error| unwritten(&folder, &error))?;
    }
    Ok(restored)
}

fn read(file: &Path, folder: Option<&Path>) -> Option<Prepared> {
    let text = std::fs::read_to_string(file).ok()?;
    let (study, _) = parse_study(&text, &file.display().to_string()).ok()?;
    prepare(without_agents(study), file, folder).ok()
}

/// What is changed on this host: agents put back themselves what they have changed.
fn without_agents(mut study: Study) -> Study {
    let agents: Vec<String> = study
        .components
        .iter()
        .filter(|component| component.agent.is_some())
        .map(|component| component.name.clone())
        .collect();
    let elsewhere = |name: &str| agents.iter().any(|agent| agent == name);
    study.components.retain(|it| !elsewhere(&it.name));
    study
        .knobs
        .retain(|it| it.of.as_ref().is_none_or(|of| !elsewhere(&of.raw)));
    // What holds between knobs counts for new values alone.
    study.relations.clear();
    study.knobs.iter_mut().for_each(|knob| knob.only_if = None);
    study
}

fn files(entries: &[Entry], restored: &mut Restored) {
    for entry in entries {
        let Entry::Kept { path } = entry else {
            continue;
        };
        match originals::bring_back(path) {
            Ok(originals::Back::Done) => restored.files.push(path.clone()),
            Ok(originals::Back::NothingToDo) => {}
            Err(error) => restored.failed.push(unwritten(path, &error)),
        }
    }
}

/// Brings everything back that a study has done so far, while it is there itself. What is started for that writes its log
/// to the folder `state`.
///
/// # Errors
/// The first thing that could not be; the rest is brought back all the same.
pub fn bring_back(prepared: &Prepared, entries: &[Entry], state: &Path) -> Result<(), Message> {
    let mut restored = Restored::default();
    files(entries, &mut restored);
    restored
        .failed
        .extend(by_commands(prepared, entries, state).err());
    restored.failed.into_iter().next().map_or(Ok(()), Err)
}

/// What commands have set, and what others run, gets what it was.
fn by_commands(prepared: &Prepared, entries: &[Entry], state: &Path) -> Result<(), Message> {
    let mark = entries.iter().find_map(|entry| match entry {
        Entry::Begun { mark, .. } => Some(mark.as_str()),
        _ => None,
    });
    let mark = mark.unwrap_or_default();
    let mut first = Ok(());
    let mut note = |failure: Option<String>| {
        if let (Some(detail), true) = (failure, first.is_ok()) {
            first = Err(Message::new("tune-command-failed").with("detail", detail));
        }
    };
    for entry in entries {
        if let Entry::Touched { component } = entry {
            let specs = prepared.study.components.iter().enumerate();
            for (at, spec) in specs.filter(|(_, spec)| spec.name == *component) {
                let mut component = Component::new(spec, &prepared.folder, "", Path::new(""));
                let by_reload = prepared.reload_does(at);
                let renewed = component.renew(by_reload, &Interrupt::default());
                note(renewed.err().map(|failure| failure.detail));
            }
        }
        if let Entry::Set { knob, was } = entry {
            let knobs = prepared.knobs.iter().filter(|known| known.name == *knob);
            for knob in knobs {
                note(set_stopped_value(prepared, knob, was, (mark, state)).err());
            }
        }
    }
    first
}
