//! The end: all as it was, or with what was found.

use std::collections::BTreeSet;

use plimsoll_text::Message;

use super::Hands;
use crate::space::Configuration;
use crate::target::files::unwritten;
use crate::target::journal::Entry;
use crate::target::originals;
use crate::target::restore::bring_back;
use crate::target::values::set_value;
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
        for at in self.set.iter().copied() {
            let knob = &self.prepared.knobs[at];
            let Some(was) = &self.prepared.space.knobs[at].found else {
                continue;
            };
            if set_value(self.prepared, knob, was).is_ok() {
                back.insert(knob.name.clone());
            }
        }
        back
    }

    /// Gives what is kept to each knob that was set while the target runs: the last trial was of something else.
    fn set_to_keep(&mut self, of: &Configuration) -> Result<(), Message> {
        for of_kernel in [true, false] {
            self.set_values(of, of_kernel).map_err(why)?;
        }
        Ok(())
    }

    /// Leaves a configuration in the files; the originals go to the study's own folder.
    fn leave(&mut self, of: &Configuration) -> Result<(), Message> {
        self.write_files(of)?;
        let folder = self.journal.folder().join("originals");
        plimsoll_store::private::folders(&folder).map_err(|error| unwritten(&folder, &error))?;
        for (number, path) in self.kept.iter().enumerate() {
            let name = path.file_name().unwrap_or_default().to_string_lossy();
            let copy = folder.join(format!("{number}-{name}"));
            let content = originals::read(path).map_err(|error| unwritten(path, &error))?;
            plimsoll_store::private::write(&copy, &content)
                .and_then(|()| std::fs::remove_file(originals::kept_as(path)))
                .map_err(|error| unwritten(&copy, &error))?;
        }
        for at in self.touched.clone() {
            let by_reload = self.prepared.reload_does(at);
            let renewed = self.components[at].renew(by_reload, &self.interrupt);
            renewed.map_err(|failure| why(failure.into()))?;
        }
        Ok(())
    }
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
