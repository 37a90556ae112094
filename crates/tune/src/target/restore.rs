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
use super::outstanding::outstanding;
use super::place::Place;
use super::prepared::Prepared;
use super::resolve::prepare;
use super::target_file::{FileBack, TargetFile, has_copies};
use super::target_secrets::TargetSecrets;
use super::values::{SetLimit, set_stopped_value};
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
    let all = journal.open_entries().to_vec();
    if all.is_empty() {
        return Ok(of_nothing(journal));
    }
    let entries = outstanding(&all);
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
    let state = journal.folder().to_owned();
    let mut restoring = Restoring::of(&entries, journal);
    restoring.damaged();
    restoring.end_processes(&|| prepared().as_ref().ok());
    forget_back(&all, &entries, &state);
    restoring.files(&BTreeMap::new());
    restoring.kernel();
    if entries.iter().any(|entry| needs_study(entry, &entries)) {
        match prepared() {
            Ok(prepared) => restoring.by_commands(prepared, &SetLimit::of_killed()),
            Err(reasons) => {
                let gone = study_gone(reasons, &entries);
                restoring.restored.failed.extend(gone);
            }
        }
    }
    let mut restored = restoring.restored;
    if has_unreadable(&entries) && has_copies(&state) && restored.failed.is_empty() {
        // The line was that of a file.
        restored.is_journal_lost = true;
        let message = journal_message("tune-journal-lost", journal);
        restored.failed.push(message);
    }
    if restored.failed.is_empty() {
        journal
            .write(Entry::Restored)
            .map_err(|error| unwritten(&state, &error))?;
    }
    Ok(restored)
}

/// Nothing is open, unless the journal is gone.
fn of_nothing(journal: &Journal) -> Restored {
    let is_journal_lost = journal.entries().is_empty() && has_copies(journal.folder());
    let lost = is_journal_lost.then(|| journal_message("tune-journal-lost", journal));
    Restored {
        failed: lost.into_iter().collect(),
        is_journal_lost,
        ..Restored::default()
    }
}

/// The copies of what is back go: whoever has written that down was killed before they did.
fn forget_back(all: &[Entry], outstanding: &[Entry], state: &Path) {
    let left = TargetFile::all_of(outstanding);
    for file in TargetFile::all_of(all) {
        if left.iter().all(|it| it.path() != file.path()) {
            file.forget(state);
        }
    }
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

/// What is brought back by entries of a journal. What is back is written down at once, so that it is not brought back
/// again while something else cannot be: by then it may be what somebody else made of it.
struct Restoring<'a> {
    entries: &'a [Entry],
    journal: &'a mut Journal,
    restored: Restored,
    /// Files that are not back.
    files_left: BTreeSet<PathBuf>,
}

impl<'a> Restoring<'a> {
    fn of(entries: &'a [Entry], journal: &'a mut Journal) -> Self {
        Self {
            entries,
            journal,
            restored: Restored::default(),
            files_left: BTreeSet::new(),
        }
    }

    /// Writes down that something is back. Where that cannot be, it is brought back once more, which does no harm.
    fn is_written(&mut self, entry: Entry) -> bool {
        self.journal.write(entry).is_ok()
    }

    /// Names the lines that cannot be read.
    fn damaged(&mut self) {
        for entry in self.entries {
            if let Entry::Unreadable { line } = entry {
                let message = journal_message("tune-journal-damaged", self.journal);
                self.restored.notes.push(message.with("line", *line));
            }
        }
    }

    fn end_processes<'p>(&mut self, prepared: &dyn Fn() -> Option<&'p Prepared>) {
        for entry in self.entries {
            if let Entry::Begun { mark, .. } = entry
                && !marks::marked(&format!("{mark}/")).is_empty()
            {
                self.restored.processes = true;
                let ended = end(mark, prepared(), self.journal.folder());
                self.restored.failed.extend(ended.err());
            }
        }
    }

    /// Files that are held by the study itself have their originals in memory, too.
    fn files(&mut self, held: &BTreeMap<PathBuf, TargetFile>) {
        let is_left = is_left(self.entries);
        let state = self.journal.folder().to_owned();
        for file in TargetFile::all_of(self.entries) {
            let file = held.get(file.path()).unwrap_or(&file);
            let path = file.path().to_owned();
            let done = match is_left {
                true => file.leave(&state).map(|()| FileBack::default()),
                false => file.bring_back(&state),
            };
            match done {
                Ok(brought) => {
                    self.restored.notes.extend(brought.notes);
                    let is_back = Entry::FileIsBack { path: path.clone() };
                    if !is_left && !brought.is_gone && self.is_written(is_back) {
                        file.forget(&state);
                    }
                    self.restored.files.extend(brought.changed.then_some(path));
                }
                Err(message) => {
                    self.files_left.insert(path);
                    self.restored.failed.push(message);
                }
            }
        }
    }

    /// What stood in files of the kernel is written there again.
    fn kernel(&mut self) {
        let entries = self.entries;
        for entry in entries.iter().filter(|_| !is_left(entries)) {
            let Entry::Set {
                knob,
                kernel: Some(KernelText { path, text }),
                ..
            } = entry
            else {
                continue;
            };
            match assign(path, text) {
                Ok(()) => {
                    let knob = knob.clone();
                    self.is_written(Entry::KnobIsBack { knob });
                }
                Err(error) => self.restored.failed.push(unwritten(path, &error)),
            }
        }
    }

    /// What others run takes what stands in its files, and then what commands have set gets what it was: who starts
    /// anew may lose it.
    fn by_commands(&mut self, prepared: &Prepared, limit: &SetLimit) {
        let again = self.components(prepared);
        if !is_left(self.entries) {
            self.knobs(prepared, &again, limit);
        }
    }

    /// Gives the components that must take their files once more.
    fn components(&mut self, prepared: &Prepared) -> BTreeSet<usize> {
        let mut again = BTreeSet::new();
        for entry in self.entries {
            let Entry::Touched { component: name } = entry else {
                continue;
            };
            let mut specs = prepared.study.components.iter();
            let Some(at) = specs.position(|spec| spec.name == *name) else {
                // The study has another name for it by now, or none.
                self.restored.failed.extend(not_back(entry));
                continue;
            };
            let own = prepared.knobs.iter().filter(|it| it.component == at);
            let mut files = own.filter_map(|knob| knob.place.in_file());
            let lacks = files.any(|(path, ..)| self.files_left.contains(path));
            let done = renewed(prepared, at);
            if done.is_ok() && !lacks {
                let component = name.clone();
                self.is_written(Entry::ComponentIsBack { component });
            } else {
                again.insert(at);
            }
            self.failed(prepared, done);
        }
        again
    }

    /// Sets what commands and statements have set to what it was.
    fn knobs(&mut self, prepared: &Prepared, again: &BTreeSet<usize>, limit: &SetLimit) {
        let entries = self.entries;
        let mark = entries.iter().find_map(|entry| match entry {
            Entry::Begun { mark, .. } => Some(mark.as_str()),
            _ => None,
        });
        let (mark, state) = (mark.unwrap_or_default(), self.journal.folder().to_owned());
        for entry in entries {
            let Entry::Set {
                knob: name,
                was,
                kernel: None,
            } = entry
            else {
                continue;
            };
            let Some(knob) = prepared.knobs.iter().find(|it| it.name == *name) else {
                self.restored.failed.extend(not_back(entry));
                continue;
            };
            let done = set_stopped_value(prepared, knob, was, (mark, &state), limit);
            if done.is_ok() && !again.contains(&knob.component) {
                let knob = name.clone();
                self.is_written(Entry::KnobIsBack { knob });
            }
            self.failed(prepared, done);
        }
    }

    /// Says why a command failed, without what is secret in the study's files.
    fn failed(&mut self, prepared: &Prepared, done: Result<(), String>) {
        if let Err(detail) = done {
            let detail = TargetSecrets::of(prepared).text(&detail);
            let message = Message::new("tune-command-failed").with("detail", detail);
            self.restored.failed.push(message);
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
/// for that writes its log to the folder of the journal.
#[must_use]
pub fn bring_back(
    prepared: &Prepared,
    held: &BTreeMap<PathBuf, TargetFile>,
    journal: &mut Journal,
    limit: &SetLimit,
) -> Restored {
    let entries = outstanding(journal.open_entries());
    let mut restoring = Restoring::of(&entries, journal);
    restoring.files(held);
    restoring.kernel();
    restoring.by_commands(prepared, limit);
    restoring.restored
}

/// Has a component that others run take what stands in its files.
fn renewed(prepared: &Prepared, at: usize) -> Result<(), String> {
    let spec = &prepared.study.components[at];
    let mut component = Component::new(spec, &prepared.folder, "", Path::new(""));
    let renewed = component.renew(prepared.reload_does(at), &Interrupt::default());
    renewed.map_err(|failure| failure.detail)
}

#[cfg(test)]
mod tests;
