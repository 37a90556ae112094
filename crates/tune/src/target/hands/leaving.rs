//! The end: all as it was, or with what was found.

use std::collections::BTreeSet;
use std::fs::File;
use std::path::{Path, PathBuf};

use plimsoll_run::Interrupt;
use plimsoll_text::Message;

use super::{Hands, failed_command, set_entry};
use crate::space::Configuration;
use crate::target::files::unwritten;
use crate::target::journal::Entry;
use crate::target::originals;
use crate::target::place::Place;
use crate::target::restore::bring_back;
use crate::target::values::{set_stopped_value, set_value};
use crate::trial::{Stopped, TrialEnd};

impl Hands<'_> {
    /// Brings everything back, or leaves a configuration there. What cannot be brought back is told, and the
    /// rest is brought back all the same.
    ///
    /// # Errors
    /// The first thing that could not be.
    pub fn finish(mut self, keep: Option<&Configuration>) -> Result<(), Message> {
        let mut first = Ok(());
        let mut note = |result: Result<(), Message>| {
            if first.is_ok() {
                first = result;
            }
        };
        let back = match keep {
            Some(of) => {
                note(self.set_to_keep(of));
                BTreeSet::new()
            }
            None => self.set_back(),
        };
        for at in self.mine.clone().into_iter().rev() {
            note(self.stop(at));
        }
        match keep {
            Some(of) => note(self.leave(of)),
            None => {
                let mut left = self.journal.open_entries().to_vec();
                left.retain(
                    |entry| !matches!(entry, Entry::Set { knob, .. } if back.contains(knob)),
                );
                note(bring_back(self.prepared, &left, self.journal.folder()));
            }
        }
        if first.is_ok() {
            first = self.write_down(Entry::Restored);
        }
        first
    }

    /// Gives what it was to each knob that was set while the target runs, as far as that still does; their names.
    fn set_back(&self) -> BTreeSet<String> {
        let mut back = BTreeSet::new();
        for (at, was) in &self.set {
            let knob = &self.prepared.knobs[*at];
            if set_value(self.prepared, knob, was, &Interrupt::default()).is_ok() {
                back.insert(knob.name.clone());
            }
        }
        back
    }

    /// Gives what is kept to each knob that was set while the target runs: the last trial was of something else.
    fn set_to_keep(&mut self, of: &Configuration) -> Result<(), Message> {
        self.set_values(of, true).map_err(why)?;
        match self.started {
            true => self.set_values(of, false).map_err(why),
            false => self.set_stopped(of),
        }
    }

    /// The same of a study whose trials were all made before: nothing of it runs.
    fn set_stopped(&mut self, of: &Configuration) -> Result<(), Message> {
        let prepared = self.prepared;
        for (at, knob) in prepared.knobs.iter().enumerate() {
            let is_mine = self.mine.contains(&knob.component);
            let is_told = matches!(knob.place, Place::Command(_) | Place::Sql(_));
            let (true, Some(value)) = (is_mine && is_told, &of.0[at]) else {
                continue;
            };
            if let Some(was) = self.is_before(at)? {
                self.write_down(set_entry(knob, &was))?;
            }
            let state = self.journal.folder().to_owned();
            set_stopped_value(prepared, knob, value, (&self.mark, &state))
                .map_err(|detail| why(failed_command(detail)))?;
        }
        Ok(())
    }

    /// Leaves a configuration in the files; the originals go to the study's own folder. Up to the line of the journal
    /// that says so all of it can be brought back, from then on all of it stays.
    fn leave(&mut self, of: &Configuration) -> Result<(), Message> {
        self.write_files(of)?;
        let folder = self.journal.folder().join("originals");
        copy_originals(&self.kept, &folder)?;
        self.write_down(Entry::Left)?;
        for path in &self.kept {
            originals::leave(path).map_err(|error| unwritten(path, &error))?;
        }
        for at in self.touched.clone() {
            let by_reload = self.prepared.reload_does(at);
            let renewed = self.components[at].renew(by_reload, &self.interrupt);
            renewed.map_err(|failure| why(failure.into()))?;
        }
        Ok(())
    }
}

/// Copies the originals of files to a folder; they are on the disk when this returns.
fn copy_originals(of: &BTreeSet<PathBuf>, folder: &Path) -> Result<(), Message> {
    plimsoll_store::private::folders(folder).map_err(|error| unwritten(folder, &error))?;
    for (number, path) in of.iter().enumerate() {
        let name = path.file_name().unwrap_or_default().to_string_lossy();
        let copy = folder.join(format!("{number}-{name}"));
        let content = originals::read(path).map_err(|error| unwritten(path, &error))?;
        plimsoll_store::private::write(&copy, &content)
            .and_then(|()| File::open(&copy)?.sync_all())
            .map_err(|error| unwritten(&copy, &error))?;
    }
    let synced = File::open(folder).and_then(|folder| folder.sync_all());
    synced.map_err(|error| unwritten(folder, &error))
}

/// Why something could not be left there.
fn why(stopped: Stopped) -> Message {
    match stopped {
        Stopped::Broken(message) => message,
        Stopped::End(TrialEnd::Failed { what, detail }) => Message::new(what.id())
            .with("any", if detail.is_empty() { "no" } else { "yes" })
            .with("detail", detail),
        // Only an interrupt is left.
        Stopped::End(_) => Message::new("tune-interrupted"),
    }
}
