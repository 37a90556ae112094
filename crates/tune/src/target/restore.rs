//! Brings a target back after a study that was killed, or at its end.

use std::cell::OnceCell;
use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::time::Duration;

use plimsoll_knobs::write::assign;
use plimsoll_plan::study::Study;
use plimsoll_plan::{Problem, parse_study};
use plimsoll_run::Interrupt;
use plimsoll_text::Message;

use super::component::Component;
use super::file_messages::{of_another_study, unwritten};
use super::journal::{Entry, Journal, KernelText};
use super::marks::{self, StartedChild};
use super::originals::kept_as;
use super::place::Place;
use super::prepared::Prepared;
use super::resolve::prepare;
use super::target_file::{FileBack, TargetFile, has_copies};
use super::values::set_stopped_value;
use crate::given_file::{file_unread, why_no_file};

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
    /// What somebody must know of what was.
    pub notes: Vec<Message>,
    /// The journal is gone: what was changed nobody knows.
    pub is_journal_lost: bool,
}

impl Restored {
    /// All that somebody must hear of it.
    pub fn told(&self) -> impl Iterator<Item = &Message> {
        self.failed.iter().chain(&self.notes)
    }
}

/// Reads a study again: its file, and what its paths start from.
pub type ReadAgain<'a> = &'a dyn Fn(&Path, Option<&Path>) -> Result<Prepared, Vec<Message>>;

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
pub fn restore_with(journal: &mut Journal, read: ReadAgain<'_>) -> Result<Restored, Message> {
    let entries = journal.open_entries().to_vec();
    let mut restored = Restored::default();
    if entries.is_empty() {
        restored.is_journal_lost = journal.entries().is_empty() && has_copies(journal.folder());
        let lost = restored.is_journal_lost;
        let lost = lost.then(|| journal_message("tune-journal-lost", journal));
        restored.failed.extend(lost);
        return Ok(restored);
    }
    for entry in &entries {
        if let Entry::Unreadable { line } = entry {
            let message = journal_message("tune-journal-damaged", journal);
            restored.notes.push(message.with("line", *line));
        }
    }
    let study = OnceCell::new();
    let begun = entries.iter().rev().find_map(|entry| match entry {
        Entry::Begun { study, folder, .. } => Some((study, folder.as_deref())),
        _ => None,
    });
    let prepared = || {
        study.get_or_init(|| match begun {
            Some((file, folder)) => read(file, folder),
            None => Err(Vec::new()),
        })
    };
    for entry in &entries {
        if let Entry::Begun { mark, .. } = entry
            && !marks::marked(&format!("{mark}/")).is_empty()
        {
            restored.processes = true;
            let known = prepared().as_ref().ok();
            restored
                .failed
                .extend(end(mark, known, journal.folder()).err());
        }
    }
    files(&entries, &BTreeMap::new(), journal.folder(), &mut restored);
    kernel(&entries, &mut restored);
    if entries.iter().any(|entry| needs_study(entry, &entries)) {
        match prepared() {
            Ok(prepared) => by_commands(prepared, &entries, journal.folder(), &mut restored),
            Err(reasons) => restored.failed.extend(study_gone(reasons, &entries)),
        }
    }
    if has_unreadable(&entries) && has_copies(journal.folder()) && restored.failed.is_empty() {
        // The line was that of a file.
        restored.is_journal_lost = true;
        let message = journal_message("tune-journal-lost", journal);
        restored.failed.push(message);
    }
    if restored.failed.is_empty() {
        let folder = journal.folder().to_owned();
        journal
            .write(Entry::Restored)
            .map_err(|error| unwritten(&folder, &error))?;
    }
    Ok(restored)
}

fn has_unreadable(entries: &[Entry]) -> bool {
    let mut all = entries.iter();
    all.any(|entry| matches!(entry, Entry::Unreadable { .. }))
}

fn journal_message(id: &str, journal: &Journal) -> Message {
    Message::new(id).with("path", journal.folder().display().to_string())
}

/// Ends the processes of a study, as it says where it can be read: in the reverse of the order in which they start,
/// each by its own command and in its own time. What is left ends by signals.
fn end(mark: &str, prepared: Option<&Prepared>, state: &Path) -> Result<(), Message> {
    let components = prepared.into_iter().flat_map(|prepared| {
        let specs = prepared.study.components.iter().rev();
        specs.map(|spec| Component::new(spec, &prepared.folder, mark, state))
    });
    for mut component in components {
        // What it leaves is seen below.
        let _ = component.stop();
    }
    let nobody = &mut StartedChild::default();
    match marks::end(&format!("{mark}/"), nobody, END_WITHIN) {
        true => Ok(()),
        false => Err(Message::new("tune-cannot-stop").with("name", mark)),
    }
}

fn read(file: &Path, folder: Option<&Path>) -> Result<Prepared, Vec<Message>> {
    let reasons = |problems: Vec<Problem>| problems.into_iter().map(|it| it.message).collect();
    if let Some(reason) = why_no_file(file) {
        return Err(vec![file_unread(file, reason)]);
    }
    let text = std::fs::read_to_string(file)
        .map_err(|error| vec![file_unread(file, error.to_string())])?;
    let (study, _) = parse_study(&text, &file.display().to_string()).map_err(reasons)?;
    prepare(without_agents(study), file, folder).map_err(reasons)
}

/// Originals that lie beside the files of a study, and that nothing here knows how to bring back.
#[must_use]
pub fn left_beside(study: &Path) -> Vec<Message> {
    let Ok(prepared) = read(study, None) else {
        return Vec::new();
    };
    let files = prepared.knobs.iter().filter_map(|knob| match &knob.place {
        Place::File { path, .. } => Some(path),
        _ => None,
    });
    let files: BTreeSet<&PathBuf> = files.collect();
    let left = files.into_iter().filter_map(|path| {
        let original = kept_as(path);
        std::fs::symlink_metadata(&original).ok()?;
        Some(of_another_study(path, &original))
    });
    left.collect()
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

fn is_left(entries: &[Entry]) -> bool {
    entries.contains(&Entry::Left)
}

/// Files that are held by the study itself have their originals in memory, too.
fn files(
    entries: &[Entry],
    held: &BTreeMap<PathBuf, TargetFile>,
    state: &Path,
    restored: &mut Restored,
) {
    let is_left = is_left(entries);
    for file in TargetFile::all_of(entries) {
        let file = held.get(file.path()).unwrap_or(&file);
        let done = match is_left {
            true => file.leave(state).map(|()| FileBack::default()),
            false => file.bring_back(state),
        };
        match done {
            Ok(brought) => {
                let changed = brought.changed.then(|| file.path().to_owned());
                restored.files.extend(changed);
                restored.notes.extend(brought.notes);
            }
            Err(message) => restored.failed.push(message),
        }
    }
}

/// What stood in files of the kernel is written there again.
fn kernel(entries: &[Entry], restored: &mut Restored) {
    for entry in entries.iter().filter(|_| !is_left(entries)) {
        if let Entry::Set {
            kernel: Some(KernelText { path, text }),
            ..
        } = entry
            && let Err(error) = assign(path, text)
        {
            restored.failed.push(unwritten(path, &error));
        }
    }
}

/// Whether it takes a command of the study to bring something back.
fn needs_study(entry: &Entry, entries: &[Entry]) -> bool {
    match entry {
        Entry::Set { kernel: None, .. } => !is_left(entries),
        Entry::Touched { .. } => true,
        _ => false,
    }
}

/// What is not brought back since nobody knows any more how.
fn not_back(entry: &Entry) -> Option<Message> {
    match entry {
        Entry::Set { knob, was, .. } => Some(
            Message::new("tune-knob-not-back")
                .with("name", knob.as_str())
                .with("was", plimsoll_secrets::value(knob, was).into_owned()),
        ),
        Entry::Touched { component } => {
            Some(Message::new("tune-component-not-back").with("name", component.as_str()))
        }
        _ => None,
    }
}

/// That a study cannot be read, why, and what is not brought back for that.
fn study_gone(reasons: &[Message], entries: &[Entry]) -> Vec<Message> {
    let mut reasons = reasons.iter().cloned();
    let gone = match reasons.next() {
        Some(first) => Message::new("tune-study-gone")
            .with("any", "yes")
            .with("reason", first),
        None => Message::new("tune-study-gone")
            .with("any", "no")
            .with("reason", ""),
    };
    let needed = entries.iter().filter(|entry| needs_study(entry, entries));
    let all = [gone].into_iter().chain(reasons);
    all.chain(needed.filter_map(not_back)).collect()
}

/// Brings everything back that a study has done so far, while it is there itself and holds its files. What is started
/// for that writes its log to the folder `state`.
#[must_use]
pub fn bring_back(
    prepared: &Prepared,
    (entries, held): (&[Entry], &BTreeMap<PathBuf, TargetFile>),
    state: &Path,
) -> Restored {
    let mut restored = Restored::default();
    files(entries, held, state, &mut restored);
    kernel(entries, &mut restored);
    by_commands(prepared, entries, state, &mut restored);
    restored
}

/// What commands have set, and what others run, gets what it was.
fn by_commands(prepared: &Prepared, entries: &[Entry], state: &Path, restored: &mut Restored) {
    let mark = entries.iter().find_map(|entry| match entry {
        Entry::Begun { mark, .. } => Some(mark.as_str()),
        _ => None,
    });
    let mark = mark.unwrap_or_default();
    for entry in entries.iter().filter(|entry| needs_study(entry, entries)) {
        let done = match entry {
            Entry::Touched { component } => renewed(prepared, component),
            Entry::Set { knob, was, .. } => {
                let known = prepared.knobs.iter().find(|known| known.name == *knob);
                known.map(|knob| set_stopped_value(prepared, knob, was, (mark, state)))
            }
            _ => continue,
        };
        restored.failed.extend(match done {
            Some(Ok(())) => None,
            Some(Err(detail)) => Some(Message::new("tune-command-failed").with("detail", detail)),
            // The study has another name for it by now, or none.
            None => not_back(entry),
        });
    }
}

/// Has a component that others run take what stands in its files; none where the study does not know it.
fn renewed(prepared: &Prepared, name: &str) -> Option<Result<(), String>> {
    let mut specs = prepared.study.components.iter().enumerate();
    let (at, spec) = specs.find(|(_, spec)| spec.name == name)?;
    let mut component = Component::new(spec, &prepared.folder, "", Path::new(""));
    let renewed = component.renew(prepared.reload_does(at), &Interrupt::default());
    Some(renewed.map_err(|failure| failure.detail))
}

#[cfg(test)]
mod tests;
