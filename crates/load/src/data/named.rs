//! The rows of files that each user names.

use std::sync::{Arc, PoisonError};

use plimsoll_plan::functions::Function;
use plimsoll_plan::model::{CsvData, SharedBy};
use plimsoll_plan::program::{Part, Program, SharedDef, SharedId, Slot, Template};
use plimsoll_text::Message;

use super::by_user::OpenedFile;
use super::read::Unusable;
use super::{ColumnNames, Cursor, DataFiles, Rows, place, read};

/// Whether no two users of a thread group get the same text: the number of the user is in it.
fn has_user_number(text: &Template) -> bool {
    let is_number = |part: &Part| match part {
        Part::Call(call) => matches!(call.function, Function::JMeter("__threadNum")),
        _ => false,
    };
    text.parts.iter().any(is_number)
}

impl DataFiles {
    /// The text that names the file of a cursor, if each user evaluates it.
    #[must_use]
    pub fn named_by_user<'p>(&self, program: &'p Program, id: SharedId) -> Option<&'p Template> {
        let SharedDef::Rows { path, .. } = program.shared.get(id.0 as usize)? else {
            return None;
        };
        self.by_user.is_asked(id).then_some(path)
    }

    /// Whether there are no rows before a user says what the file is called.
    #[must_use]
    pub fn is_late(&self, id: SharedId) -> bool {
        self.by_user.is_late(id)
    }

    /// The rows of the file that a user named; none: it is the one that was read before the run.
    /// The first user to name a file reads it.
    ///
    /// # Errors
    /// A file that cannot be used.
    pub fn open(
        &self,
        program: &Program,
        id: SharedId,
        path: &str,
        columns: &[(String, Slot)],
    ) -> Result<Option<Rows>, Message> {
        let path = place(program, path, &self.access);
        let Some(SharedDef::Rows { data, .. }) = program.shared.get(id.0 as usize) else {
            return Ok(None);
        };
        let known = self.cursors.contains_key(&id);
        if known && self.by_user.at_start.get(&id) == Some(&path) {
            return Ok(None);
        }
        let mut opened = self
            .by_user
            .opened
            .lock()
            .unwrap_or_else(PoisonError::into_inner);
        let file = match opened.get(&(id, path.clone())) {
            Some(file) => file.clone(),
            None => {
                let table = read::read(&path, data, true, &self.access);
                let table = table.map_err(Unusable::into_message)?;
                let table = Arc::new(table);
                let taken = Arc::default();
                let file = OpenedFile { table, taken };
                opened.insert((id, path), file.clone());
                file
            }
        };
        drop(opened);
        let cursor = match data.shared_by {
            SharedBy::User => Cursor::User(id),
            _ => Cursor::File {
                taken: file.taken,
                of_one_user: self.named_by_user(program, id).is_some_and(has_user_number),
            },
        };
        let names = self.names(id, data);
        Rows::new(&file.table, data, (columns, names), cursor, self).map(Some)
    }

    /// How sure the names of a file's columns are.
    pub(super) fn names(&self, id: SharedId, data: &CsvData) -> ColumnNames {
        match data.columns.is_empty() && self.by_user.is_asked(id) {
            true => ColumnNames::Guessed,
            false => ColumnNames::Known,
        }
    }
}
