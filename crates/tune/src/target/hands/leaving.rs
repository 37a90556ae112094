//! The end: all as it was, or with what was found.

use std::collections::BTreeSet;
use std::path::Path;

use plimsoll_run::Interrupt;
use plimsoll_text::Message;

use super::{Hands, failed_command, set_entry};
use crate::space::Configuration;
use crate::target::file_messages::{together, unwritten};
use crate::target::journal::Entry;
use crate::target::place::Place;
use crate::target::restore::bring_back;
use crate::target::target_file::{TargetFile, write_synced};
use crate::target::values::{set_stopped_value, set_value};
use crate::trial::{Stopped, TrialEnd};

impl Hands<'_> {
    /// Brings everything back, or leaves a configuration there. What cannot be brought back is told, and the
    /// rest is brought back all the same. Gives what somebody must know of what was.
    ///
    /// # Errors
    /// What could not be.
    pub fn finish(mut self, keep: Option<&Configuration>) -> Result<Vec<Message>, Message> {
        let (mut failed, mut notes) = (Vec::new(), Vec::new());
        let mut note = |result: Result<(), Message>| failed.extend(result.err());
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
                let restored =
                    bring_back(self.prepared, (&left, &self.kept), self.journal.folder());
                restored.failed.into_iter().for_each(|it| note(Err(it)));
                notes = restored.notes;
            }
        }
        if failed.is_empty() {
            failed.extend(self.write_down(Entry::Restored).err());
        }
        if failed.is_empty() {
            return Ok(notes);
        }
        together(failed.into_iter().chain(notes)).map_or(Ok(Vec::new()), Err)
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
        copy_originals(self.kept.values(), &folder)?;
        self.write_down(Entry::Left)?;
        for file in self.kept.values() {
            file.leave(self.journal.folder())?;
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
fn copy_originals<'f>(
    of: impl Iterator<Item = &'f TargetFile>,
    folder: &Path,
) -> Result<(), Message> {
    for (number, file) in of.enumerate() {
        let name = file.path().file_name().unwrap_or_default();
        let copy = folder.join(format!("{number}-{}", name.to_string_lossy()));
        write_synced(&copy, file.original().unwrap_or_default())
            .map_err(|error| unwritten(&copy, &error))?;
    }
    Ok(())
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
