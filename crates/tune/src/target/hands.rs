//! What changes a target on this host: files, processes and values, with the journal that brings all back.

mod beginning;
mod leaving;
mod looking;
mod setting;

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::time::Duration;

use plimsoll_run::Interrupt;
use plimsoll_text::Message;
use rustix::process::Pid;

use super::changes::start_with;
use super::component::{CannotStop, Component, ComponentFailure};
use super::file_messages::{never_now, unwritten};
use super::files::contents;
use super::identity::FolderIdentity;
use super::journal::{Entry, Journal};
use super::never::never_of_file;
use super::place::{Place, TargetKnob};
use super::prepared::Prepared;
use super::target_file::TargetFile;
use super::target_folder::TargetFolder;
use super::target_secrets::TargetSecrets;
use super::{marks, originals};
use crate::space::Configuration;
use crate::trial::{FailedTrial, Stopped, TrialEnd};

impl From<ComponentFailure> for Stopped {
    fn from(failure: ComponentFailure) -> Self {
        Self::End(TrialEnd::Failed {
            what: failure.what,
            detail: failure.detail,
        })
    }
}

/// The components of a study that run on this host, and what was done to them so far.
pub struct Hands<'a> {
    pub(super) prepared: &'a Prepared,
    /// Of all components of the study, in its order; those of others are never started.
    pub(super) components: Vec<Component>,
    /// Which of them are changed here.
    mine: Vec<usize>,
    pub(super) journal: &'a mut Journal,
    interrupt: Interrupt,
    /// What the processes of the study carry.
    mark: String,
    pub(super) kept: BTreeMap<PathBuf, TargetFile>,
    /// The folders of the files as they were when the study began.
    folders: BTreeMap<PathBuf, FolderIdentity>,
    pub(super) touched: BTreeSet<usize>,
    /// Knobs that were set while the target runs, or in the kernel, with what they were before.
    set: BTreeMap<usize, String>,
    /// Components whose last values came by a reload.
    reloaded: BTreeSet<usize>,
    /// The longest that setting one took.
    slowest: Duration,
    /// Knobs that the target showed as they were found, or did not, while they were not changed.
    found_shown: BTreeMap<usize, bool>,
    /// The configuration of which the target has shown values.
    shown: Option<Configuration>,
    started: bool,
    /// A trial has failed: what the study starts may be there still, but of no use.
    is_suspect: bool,
    /// What is said is said without it.
    pub(super) secrets: TargetSecrets,
}

impl<'a> Hands<'a> {
    /// For some components of a study, whose processes carry a mark.
    #[must_use]
    pub fn new(
        prepared: &'a Prepared,
        mine: Vec<usize>,
        journal: &'a mut Journal,
        mark: &str,
        interrupt: Interrupt,
    ) -> Self {
        let component = |spec| Component::new(spec, &prepared.folder, mark, journal.folder());
        Self {
            components: prepared.study.components.iter().map(component).collect(),
            prepared,
            mine,
            journal,
            interrupt,
            mark: mark.to_owned(),
            kept: BTreeMap::new(),
            folders: folders(prepared),
            touched: BTreeSet::new(),
            set: BTreeMap::new(),
            reloaded: BTreeSet::new(),
            slowest: Duration::ZERO,
            found_shown: BTreeMap::new(),
            shown: None,
            started: false,
            is_suspect: false,
            secrets: TargetSecrets::of(prepared),
        }
    }

    /// Whether a component takes part in what is changed, so that each trial gives it anew.
    fn is_turned(&self, component: usize) -> bool {
        let mut knobs = self.prepared.knobs.iter();
        knobs.any(|knob| knob.component == component)
    }

    /// Writes something down in the journal.
    ///
    /// # Errors
    /// If it is not on the disk.
    pub fn write_down(&mut self, entry: Entry) -> Result<(), Message> {
        let folder = self.journal.folder().to_owned();
        self.journal
            .write(entry)
            .map_err(|error| unwritten(&folder, &error))
    }

    /// Writes the files of a configuration; each original is kept before.
    pub(super) fn write_files(&mut self, of: &Configuration) -> Result<(), Message> {
        let mine = |knob: &&TargetKnob| self.mine.contains(&knob.component);
        let knobs: Vec<TargetKnob> = self.prepared.knobs.iter().filter(mine).cloned().collect();
        let values = self.prepared.knobs.iter().zip(&of.0);
        let values = values.filter(|(knob, _)| mine(knob));
        let of = Configuration(values.map(|(_, value)| value.clone()).collect());
        let original = |path: &Path| match self.kept.get(path).and_then(TargetFile::original) {
            Some(content) => Ok(content.to_vec()),
            None => originals::read(path),
        };
        for (path, content) in contents(&knobs, &of, &original)? {
            let study = &self.prepared.study;
            if let Some(never) = never_of_file(study, &self.prepared.folder, &path) {
                return Err(never_now(&path, &never.raw));
            }
            let mut file = match self.kept.remove(&path) {
                Some(file) => file,
                None => self.keep(&path)?,
            };
            let written = self.write_file(&mut file, &content);
            // What brings it back knows it also where it was not written.
            self.kept.insert(path, file);
            written?;
        }
        Ok(())
    }

    /// Keeps the original of a file.
    fn keep(&mut self, path: &Path) -> Result<TargetFile, Message> {
        // Before the journal says that it is kept: what it says is brought back at the end.
        let file = TargetFile::look(path, self.folders.get(path))?;
        self.write_down(file.entry())?;
        file.keep(self.journal.folder())?;
        Ok(file)
    }

    /// Writes a file that is as it was left, if it has other bytes.
    fn write_file(&mut self, file: &mut TargetFile, content: &[u8]) -> Result<(), Message> {
        let now = file.check()?;
        if now.content == content {
            return Ok(());
        }
        if let Some(entry) = file.about_to_write(content) {
            self.write_down(entry)?;
        }
        file.write(&now, content)
    }

    pub(super) fn stop(&mut self, component: usize) -> Result<(), Message> {
        let name = &self.prepared.study.components[component].name;
        let message = || Message::new("tune-cannot-stop").with("name", name.as_str());
        self.components[component]
            .stop()
            .map_err(|CannotStop| message())
    }

    /// Brings the target to a configuration.
    ///
    /// # Errors
    /// Why the trial cannot be measured.
    pub fn apply(&mut self, of: &Configuration) -> Result<(), Stopped> {
        self.bring_to(of).map_err(|stopped| self.because(stopped))
    }

    /// A trial has ended.
    pub fn heard(&mut self, end: &TrialEnd) {
        if end.casts_doubt() {
            self.doubt();
        }
    }

    /// What the study starts is started anew for the next configuration, also where a reload were enough.
    pub fn doubt(&mut self) {
        self.is_suspect = true;
    }

    /// Why something was not done, as it may be said.
    fn because(&mut self, stopped: Stopped) -> Stopped {
        if let Stopped::End(end) = &stopped {
            self.heard(end);
        }
        self.secrets.stopped(stopped)
    }

    /// The components that the next configuration starts anew.
    fn anew(&mut self) -> Vec<usize> {
        let is_suspect = std::mem::take(&mut self.is_suspect);
        let is_anew = |at: &usize| {
            let by_reload = self.prepared.reload_does(*at);
            let is_ours = self.components[*at].is_ours();
            !self.started || self.is_turned(*at) && !by_reload || is_suspect && is_ours
        };
        self.mine.iter().copied().filter(is_anew).collect()
    }

    fn bring_to(&mut self, of: &Configuration) -> Result<(), Stopped> {
        let (mine, anew) = (self.mine.clone(), self.anew());
        self.shown = None;
        for at in anew.iter().rev() {
            self.stop(*at)?;
        }
        if self.started
            && let Some(message) = self.stranger(&anew)
        {
            return Err(Stopped::Broken(message));
        }
        self.write_files(of)?;
        self.set_values(of, true)?;
        let interrupt = self.interrupt.clone();
        self.reloaded.clear();
        for at in mine {
            let with = start_with(&self.prepared.knobs, of, at);
            let ours = self.components[at].is_ours();
            if ours && (anew.contains(&at) || !self.components[at].is_alive()) {
                self.components[at].start(&with, &interrupt)?;
            } else if self.is_turned(at) {
                let name = self.prepared.study.components[at].name.clone();
                if !ours && self.touched.insert(at) {
                    self.write_down(Entry::Touched { component: name })?;
                }
                let by_reload = self.prepared.reload_does(at);
                self.components[at].renew(by_reload, &interrupt)?;
                self.reloaded.insert(at);
            } else if !self.started {
                self.components[at].start(&with, &interrupt)?;
            }
            if interrupt.is_hit() {
                return Err(Stopped::End(TrialEnd::Interrupted));
            }
        }
        self.started = true;
        self.set_values(of, false)
    }

    /// The processes that it has started.
    #[must_use]
    pub fn pids(&self) -> Vec<Pid> {
        let all = self.marks();
        all.iter().flat_map(|mark| marks::marked(mark)).collect()
    }

    /// The marks of the components that it starts.
    #[must_use]
    pub fn marks(&self) -> Vec<String> {
        let all = self.mine.iter().map(|at| &self.components[*at]);
        let all = all.filter(|it| it.is_ours());
        all.map(|component| component.mark().to_owned()).collect()
    }

    /// What died under load died of the configuration.
    ///
    /// # Errors
    /// That it did.
    pub fn still_there(&mut self) -> Result<(), Stopped> {
        for at in self.mine.clone() {
            let component = &mut self.components[at];
            if !component.is_alive() {
                let died = Stopped::End(TrialEnd::Failed {
                    what: FailedTrial::Died,
                    detail: component.last_words(),
                });
                return Err(self.because(died));
            }
        }
        Ok(())
    }
}

/// The folders of the files of a study, as they are now, by the files.
fn folders(prepared: &Prepared) -> BTreeMap<PathBuf, FolderIdentity> {
    let files = prepared.knobs.iter().filter_map(|knob| match &knob.place {
        Place::File { path, .. } => Some(path),
        _ => None,
    });
    let all = files.filter_map(|path| {
        let identity = TargetFolder::of(path).ok()?.identity().ok()?;
        Some((path.clone(), identity))
    });
    all.collect()
}

/// A command that failed is the trial's result.
pub(super) fn failed_command(detail: String) -> Stopped {
    Stopped::End(TrialEnd::Failed {
        what: FailedTrial::CommandFailed,
        detail,
    })
}

#[cfg(test)]
mod stranger_tests;
#[cfg(test)]
mod tests;
