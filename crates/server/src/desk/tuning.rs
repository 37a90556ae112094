//! Studies among the runs that this process makes.

use std::sync::Arc;

use plimsoll_text::Message;
use plimsoll_tune::target::{restore, studies};

use super::book::BothTexts;
use super::studies::{BroughtBack, StudyDocument, StudyEntry};
use super::studying::{StudyReady, left_open};
use super::tuned::tuned;
use super::{DeskJob, OrderWaiting, RunDesk, has_room};
use crate::problem::ApiError;

impl RunDesk {
    /// Asks for a study; it begins once nothing else goes on.
    ///
    /// # Errors
    /// As many wait as may; a folder that cannot be written.
    pub fn tune(
        &self,
        mut ready: StudyReady,
        by: Option<String>,
        most_waiting: u32,
    ) -> Result<Arc<StudyEntry>, ApiError> {
        let mut state = self.state();
        has_room(&state, most_waiting).map_err(ApiError::conflict)?;
        let entry = ready.enter(&self.studies, &self.root, by)?;
        let name = entry.document().study;
        state.waiting.push_back(OrderWaiting {
            ticket: study_ticket(&name),
            name,
            tags: Vec::new(),
            job: DeskJob::Study(Box::new(ready), Arc::clone(&entry)),
        });
        self.changed.notify_all();
        Ok(entry)
    }

    /// All studies, those of the command line too, the newest first.
    pub fn all_studies(&self) -> Vec<StudyDocument> {
        let own = self.studies.all();
        let names = studies(&self.root).into_iter();
        let others = names.filter(|name| own.iter().all(|known| known.study != *name));
        let mut all: Vec<StudyDocument> =
            others.filter_map(|name| tuned(&self.root, &name)).collect();
        all.extend(own);
        all.sort_by(|a, b| (&b.begin, &b.study).cmp(&(&a.begin, &a.study)));
        all
    }

    /// Ends a study of this process, or takes it out of those that wait; whether there was one to end.
    pub fn stop_study(&self, name: &str) -> bool {
        let is_withdrawn =
            self.take_out(&study_ticket(name), |job| matches!(job, DeskJob::Study(..)));
        let entry = self.studies.entry(name);
        let Some(entry) = entry.filter(|entry| entry.document().end.is_none()) else {
            return false;
        };
        entry.interrupt.stop();
        if is_withdrawn {
            entry.withdraw();
        }
        true
    }

    /// A study by its name.
    ///
    /// # Errors
    /// There is none, or it cannot be read.
    pub fn study(&self, name: &str) -> Result<StudyDocument, ApiError> {
        let own = self.studies.study(name);
        if let (Err(_), Some(document)) = (&own, tuned(&self.root, name)) {
            return Ok(document);
        }
        let mut document = own?;
        // The command line may have brought it back meanwhile.
        document.needs_restore = document.needs_restore && left_open(&self.root, name);
        Ok(document)
    }

    /// Brings back what a study has left whose server was killed.
    ///
    /// # Errors
    /// It goes on; it cannot be written down.
    pub fn restore_study(&self, name: &str) -> Result<StudyDocument, ApiError> {
        let document = self.study(name)?;
        if document.end.is_none() {
            let message = Message::new("server-study-goes-on").with("name", name);
            return Err(ApiError::conflict(message));
        }
        let mut journal =
            plimsoll_tune::study::open(&self.root, name).map_err(ApiError::conflict)?;
        let restored = restore(&mut journal).map_err(ApiError::conflict)?;
        drop(journal);
        let is_back = restored.failed.is_empty();
        let trouble: Vec<BothTexts> = restored.told().map(BothTexts::of).collect();
        if document.command_line {
            let brought_back = Some(BroughtBack {
                as_before: is_back,
                trouble,
            });
            let document = self.study(name)?;
            return Ok(StudyDocument {
                brought_back,
                ..document
            });
        }
        self.studies.settle(name, |document| {
            document.needs_restore = !is_back;
            document.look_back(!is_back, trouble);
        })
    }

    /// Studies that a server that was killed had begun.
    pub(super) fn find_cut_studies(&self) {
        for name in self.studies.names() {
            let document = self.studies.find(&name);
            let is_cut = document.is_some_and(|document| document.end.is_none());
            if is_cut {
                // What cannot be written now is said when it is asked for.
                let _ = self.studies.settle(&name, |document| {
                    document.needs_restore = left_open(&self.root, &name);
                });
            }
        }
    }
}

/// What a study that waits is called there: no run has such a name.
fn study_ticket(name: &str) -> String {
    format!("study/{name}")
}
