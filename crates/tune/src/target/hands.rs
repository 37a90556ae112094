//! What changes a target on this host: files, processes and values, with the journal that brings all back.

mod beginning;
mod leaving;

use std::cell::OnceCell;
use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use plimsoll_run::Interrupt;
use plimsoll_text::Message;
use rustix::process::Pid;

use super::addresses::{listeners, listens};
use super::changes::start_with;
use super::component::{CannotStop, Component, ComponentFailure};
use super::domains::in_domain;
use super::file_messages::{never_now, unwritten};
use super::files::contents;
use super::identity::FolderIdentity;
use super::journal::{Entry, Journal, KernelText};
use super::named::of_kernel;
use super::never::never_of_file;
use super::place::{Place, TargetKnob};
use super::prepared::Prepared;
use super::readback::{ComponentSeen, Shown, as_found, look, look_by_name};
use super::target_file::TargetFile;
use super::target_folder::TargetFolder;
use super::values::set_value;
use super::{marks, originals};
use crate::space::{Configuration, Domain};
use crate::trial::{FailedTrial, SeenValue, Stopped, TrialEnd};

/// A reload returns before the new settings hold: so long they are waited for at most,
const SETTLES_WITHIN: Duration = Duration::from_secs(5);
/// and it is looked for them so often.
const LOOK: Duration = Duration::from_millis(100);

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
    /// Knobs that the target showed as they were found, or did not, while they were not changed.
    found_shown: BTreeMap<usize, bool>,
    started: bool,
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
            found_shown: BTreeMap::new(),
            started: false,
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
        let mine = self.mine.clone();
        let by_reload = |at: usize| self.prepared.reload_does(at);
        let is_anew = |at: &usize| !self.started || self.is_turned(*at) && !by_reload(*at);
        let anew: Vec<usize> = mine.iter().copied().filter(is_anew).collect();
        for at in anew.iter().rev() {
            self.stop(*at)?;
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

    /// Knobs that commands set, or that are the kernel's, before what asks for them begins; one that was set
    /// before and is no more gets what it was.
    fn set_values(&mut self, of: &Configuration, of_kernel: bool) -> Result<(), Stopped> {
        let prepared = self.prepared;
        for (at, knob) in prepared.knobs.iter().enumerate() {
            if !self.mine.contains(&knob.component) {
                continue;
            }
            let is_turn = match knob.place {
                Place::Command(_) | Place::Sql(_) => !of_kernel,
                Place::Value(_) => of_kernel,
                _ => false,
            };
            if !is_turn {
                continue;
            }
            let value = match (&of.0[at], self.set.get(&at)) {
                (Some(value), _) => value.clone(),
                (None, Some(was)) => was.clone(),
                (None, None) => continue,
            };
            if !self.set.contains_key(&at) {
                let Some(was) = self.is_before(at)? else {
                    continue;
                };
                self.write_down(set_entry(knob, &was))?;
                self.set.insert(at, was);
            }
            set_value(self.prepared, knob, &value, &self.interrupt).map_err(failed_command)?;
        }
        Ok(())
    }

    /// What a knob is before it is set for the first time: in the kernel it may have changed since the study was
    /// read, also by another study.
    fn is_before(&self, at: usize) -> Result<Option<String>, Message> {
        let (knob, in_space) = (&self.prepared.knobs[at], &self.prepared.space.knobs[at]);
        let now = match (&knob.place, &knob.setting) {
            (Place::Value(path), Some(setting)) => of_kernel(setting, path)?
                .map(|value| in_domain(setting.knob, &value, &in_space.domain)),
            _ => None,
        };
        Ok(now.or_else(|| in_space.found.clone()))
    }

    /// Looks for all values in the running target, also for those that a reload or a command has just brought back; gives
    /// those that it showed, and the changed knobs that nothing could show.
    ///
    /// # Errors
    /// A value that did not arrive.
    pub fn read_back(
        &mut self,
        of: &Configuration,
    ) -> Result<(Vec<SeenValue>, Vec<String>), Stopped> {
        self.look_at_found(of);
        let (mut instead, mut seen, mut unseen) = (Vec::new(), Vec::new(), Vec::new());
        for component in self.mine.iter().copied() {
            for (at, shown) in self.settled(of, component) {
                match shown {
                    Shown::Arrived(value) => seen.push(value),
                    Shown::Other(other) => instead.push(other),
                    Shown::NotConfirmed if of.0[at].is_some() => {
                        unseen.push(self.prepared.knobs[at].name.clone());
                    }
                    Shown::NotConfirmed => {}
                }
            }
        }
        match instead.is_empty() {
            true => Ok((seen, unseen)),
            false => Err(Stopped::End(TrialEnd::Void { instead })),
        }
    }

    /// Looks once whether the target shows the value of a knob that was found: only then it can be held to it later.
    fn look_at_found(&mut self, of: &Configuration) {
        for component in self.mine.clone() {
            let seen = OnceCell::new();
            let mut shown = Vec::new();
            for (at, knob) in self.prepared.knobs.iter().enumerate() {
                let is_new = knob.component == component && of.0[at].is_none();
                if !is_new || self.found_shown.contains_key(&at) || !self.comes_while_it_runs(knob)
                {
                    continue;
                }
                let in_space = &self.prepared.space.knobs[at];
                let has = in_space.found.as_deref().is_some_and(|found| {
                    let seen = seen.get_or_init(|| self.seen(component));
                    let shown = self.look_for(knob, &in_space.domain, found, seen);
                    matches!(shown, Shown::Arrived(_))
                });
                shown.push((at, has));
            }
            self.found_shown.extend(shown);
        }
    }

    /// Whether a value comes to a target that goes on, and may come late or not at all.
    fn comes_while_it_runs(&self, knob: &TargetKnob) -> bool {
        self.reloaded.contains(&knob.component)
            || matches!(knob.place, Place::Command(_) | Place::Sql(_))
    }

    fn look_for(
        &self,
        knob: &TargetKnob,
        domain: &Domain,
        wanted: &str,
        component: &ComponentSeen<'_>,
    ) -> Shown {
        match (&knob.setting, &knob.read_back) {
            (Some(setting), None) => look_by_name(knob, setting, wanted, component),
            _ => look(knob, domain, wanted, component),
        }
    }

    /// What a component shows of what a configuration wants, by the places of knobs; after a reload once it shows that.
    fn settled(&self, of: &Configuration, component: usize) -> Vec<(usize, Shown)> {
        let until = Instant::now() + SETTLES_WITHIN;
        loop {
            let seen = self.seen(component);
            let all = self.wanted(of, component).map(|(at, wanted)| {
                let (knob, in_space) = (&self.prepared.knobs[at], &self.prepared.space.knobs[at]);
                (at, self.look_for(knob, &in_space.domain, wanted, &seen))
            });
            let all: Vec<_> = all.collect();
            let settles = |(at, shown): &(usize, Shown)| {
                let is_told_later = self.comes_while_it_runs(&self.prepared.knobs[*at]);
                is_told_later && matches!(shown, Shown::Other(_))
            };
            let is_over = Instant::now() >= until || self.interrupt.is_hit();
            if is_over || !all.iter().any(settles) {
                return all;
            }
            std::thread::sleep(LOOK);
        }
    }

    /// What the target that was just started shows of knobs of which nobody knows yet what they are.
    #[must_use]
    pub fn as_found(&self) -> Vec<SeenValue> {
        let mut all = Vec::new();
        for at in self.mine.iter().copied() {
            let knobs = self.prepared.knobs.iter().zip(&self.prepared.space.knobs);
            let unknown = knobs.filter(|(knob, it)| knob.component == at && it.found.is_none());
            let named = unknown.filter_map(|(knob, _)| Some((knob, knob.setting.as_ref()?)));
            let named: Vec<_> = named.collect();
            if !named.is_empty() {
                let component = self.seen(at);
                all.extend(as_found(&named, &component));
            }
        }
        all
    }

    /// The knobs of a component of which it is known what they should be: those that a configuration changes, and those
    /// that are brought back while it runs, where it can show them.
    fn wanted<'c>(
        &'c self,
        of: &'c Configuration,
        component: usize,
    ) -> impl Iterator<Item = (usize, &'c str)> {
        let knobs = self.prepared.knobs.iter().enumerate();
        let own = knobs.filter(move |(_, knob)| knob.component == component);
        own.filter_map(move |(at, knob)| match &of.0[at] {
            Some(value) => Some((at, value.as_str())),
            None if self.comes_while_it_runs(knob) && self.found_shown.get(&at) == Some(&true) => {
                let found = self.prepared.space.knobs[at].found.as_deref()?;
                Some((at, found))
            }
            None => None,
        })
    }

    /// A component as it is asked for its settings.
    fn seen(&self, at: usize) -> ComponentSeen<'_> {
        let spec = &self.prepared.study.components[at];
        let component = &self.components[at];
        let listens = spec.ready.as_ref().and_then(|ready| listens(&ready.raw));
        ComponentSeen {
            mark: component.is_ours().then(|| component.mark()),
            folder: &self.prepared.folder,
            sources: &self.prepared.sources[at],
            found: OnceCell::new(),
            listeners: listens.as_deref().map(listeners).unwrap_or_default(),
            listens,
            database: self.prepared.database(at).ok(),
            interrupt: self.interrupt.clone(),
        }
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
        for at in &self.mine {
            let component = &mut self.components[*at];
            if !component.is_alive() {
                return Err(Stopped::End(TrialEnd::Failed {
                    what: FailedTrial::Died,
                    detail: component.last_words(),
                }));
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

/// That a knob is about to be set which is so far as it was.
fn set_entry(knob: &TargetKnob, was: &str) -> Entry {
    let kernel = match &knob.place {
        Place::Value(path) => Some(KernelText {
            path: path.clone(),
            text: knob.spelled(was),
        }),
        _ => None,
    };
    Entry::Set {
        knob: knob.name.clone(),
        was: was.to_owned(),
        kernel,
    }
}

/// A command that failed is the trial's result.
pub(super) fn failed_command(detail: String) -> Stopped {
    Stopped::End(TrialEnd::Failed {
        what: FailedTrial::CommandFailed,
        detail,
    })
}

#[cfg(test)]
mod tests;
