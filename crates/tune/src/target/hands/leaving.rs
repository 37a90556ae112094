//! The end: all as it was, or with what was found.

use std::path::Path;

use plimsoll_run::Interrupt;
use plimsoll_text::Message;

use super::{Hands, failed_command};
use crate::space::Configuration;
use crate::target::file_messages::{together, unwritten};
use crate::target::journal::Entry;
use crate::target::not_finished::NotFinished;
use crate::target::place::Place;
use crate::target::restore::{Restored, bring_back};
use crate::target::target_file::{TargetFile, write_synced};
use crate::target::values::{SetLimit, set_stopped_value, set_value};
use crate::trial::{Stopped, TrialEnd};

impl Hands<'_> {
    /// Brings everything back, or leaves a configuration there: all of it, or what cannot be left is brought back with
    /// the rest. What cannot be brought back is told, and the rest is brought back all the same. Gives what somebody must
    /// know of what was.
    ///
    /// # Errors
    /// What could not be.
    pub fn finish(mut self, keep: Option<&Configuration>) -> Result<Vec<Message>, NotFinished> {
        // Whoever has ended the study waits for this: it is not left half done.
        self.interrupt = Interrupt::default();
        let not_left = keep.and_then(|of| self.leave(of).err());
        let is_left = keep.is_some() && not_left.is_none();
        let Restored {
            mut failed,
            mut notes,
            ..
        } = match is_left {
            true => self.let_go(),
            false => self.all_back(),
        };
        if self.started && !is_left {
            notes.extend(self.stranger(&self.mine));
        }
        if failed.is_empty() {
            failed.extend(self.write_down(Entry::Restored).err());
        }
        let is_done = failed.is_empty();
        let not_left = not_left.map(|why| Message::new("tune-nothing-stays").with("reason", why));
        if is_done && not_left.is_none() {
            return Ok(notes
                .into_iter()
                .map(|it| self.secrets.message(it))
                .collect());
        }
        let all = not_left.into_iter().chain(failed).chain(notes);
        // There is one: something was not done.
        let message = together(all).unwrap_or_else(|| Message::new("tune-interrupted"));
        Err(NotFinished {
            message: self.secrets.message(message),
            is_left,
            is_back: is_done && !is_left,
        })
    }

    /// Leaves a configuration there, up to the line of the journal that says so: until then all of it can be brought
    /// back, from then on all of it stays. The originals go to the study's own folder.
    fn leave(&mut self, of: &Configuration) -> Result<(), Message> {
        self.set_to_keep(of)?;
        self.stop_all()?;
        self.write_files(of)?;
        self.have_taken(of)?;
        let folder = self.journal.folder().join("originals");
        copy_originals(self.kept.values(), &folder)?;
        self.write_down(Entry::Left)
    }

    /// What others run takes what stands in its files, and then gets again what commands set: it may have lost it.
    fn have_taken(&mut self, of: &Configuration) -> Result<(), Message> {
        let touched = self.touched.clone();
        for at in &touched {
            let by_reload = self.prepared.reload_does(*at);
            let renewed = self.components[*at].renew(by_reload, &self.interrupt);
            renewed.map_err(|failure| why(failure.into()))?;
        }
        self.set_of(of, &|component| touched.contains(&component))
    }

    /// What files would be brought back by goes.
    fn let_go(&self) -> Restored {
        let left = self.kept.values();
        let left = left.map(|file| file.leave(self.journal.folder()));
        Restored {
            failed: left.filter_map(Result::err).collect(),
            ..Restored::default()
        }
    }

    /// Brings all back, whatever cannot be.
    fn all_back(&mut self) -> Restored {
        self.set_back();
        let mut failed = Vec::new();
        for at in self.mine.clone().into_iter().rev() {
            failed.extend(self.stop(at).err());
        }
        let limit = SetLimit::at_the_end(self.slowest);
        let mut restored = bring_back(self.prepared, &self.kept, self.journal, &limit);
        failed.append(&mut restored.failed);
        Restored { failed, ..restored }
    }

    fn stop_all(&mut self) -> Result<(), Message> {
        let mut all = self.mine.clone().into_iter().rev();
        all.try_for_each(|at| self.stop(at))
    }

    /// Gives what it was to each knob that was set while the target runs, as far as that still does.
    fn set_back(&mut self) {
        let (prepared, limit) = (self.prepared, SetLimit::at_the_end(self.slowest));
        for (at, was) in self.set.clone() {
            let knob = &prepared.knobs[at];
            // What takes its files anew may lose it: there it is set after that.
            let is_later = self.touched.contains(&knob.component);
            if !is_later && set_value(prepared, knob, &was, &limit).is_ok() {
                let knob = knob.name.clone();
                // What is not written down is set once more, which does no harm.
                let _ = self.write_down(Entry::KnobIsBack { knob });
            }
        }
    }

    /// Gives what is kept to each knob that was set while the target runs: the last trial was of something else.
    fn set_to_keep(&mut self, of: &Configuration) -> Result<(), Message> {
        self.set_values(of, true).map_err(why)?;
        // What has died, or hangs, takes nothing.
        let runs = self.started && self.still_there().is_ok();
        if runs && self.set_values(of, false).is_ok() {
            return Ok(());
        }
        self.stop_all()?;
        self.set_of(of, &|_| true)
    }

    /// The same for some components, whether they run or not: the trials of the study were all made before, or the last
    /// one has failed.
    fn set_of(
        &mut self,
        of: &Configuration,
        is_one: &dyn Fn(usize) -> bool,
    ) -> Result<(), Message> {
        let (prepared, limit) = (self.prepared, SetLimit::until(&self.interrupt));
        let state = self.journal.folder().to_owned();
        for (at, knob) in prepared.knobs.iter().enumerate() {
            let is_told = matches!(knob.place, Place::Command(_) | Place::Sql(_));
            let is_mine = self.mine.contains(&knob.component) && is_one(knob.component);
            let value = self.value_to_set(of, at);
            let (true, Some(value)) = (is_told && is_mine, value) else {
                continue;
            };
            self.is_noted(at)?;
            set_stopped_value(prepared, knob, &value, (&self.mark, &state), &limit)
                .map_err(|detail| why(failed_command(detail)))?;
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
