//! Rows of CSV files that become variables.
//!
//! A file is read once, before the run, and shared by all threads; what users share while
//! running is only the number of the next row.

mod by_user;
mod named;
mod read;
mod shuffle;
mod table;

use std::collections::HashMap;
use std::path::{Path, PathBuf};
use std::rc::Rc;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};

use plimsoll_plan::model::{AtEnd, CsvData, DataOrder, SharedBy, Span, Undefined};
use plimsoll_plan::program::{Program, SharedDef, SharedId, Slot};
use plimsoll_plan::share::Share;
use plimsoll_text::Message;

use plimsoll_access::Access;
use read::Unusable;
pub use read::column_names;
pub use table::DataTable;

use crate::extract::BindError;
use crate::functions::{EvalContext, eval_text};
use crate::random::Random;
use crate::shared::Shared;
use crate::variables::Variables;

/// What variables hold after the last row, with [`AtEnd::Marker`] (as in JMeter).
const MARKER: &str = "<EOF>";
/// The setting that names another, as JMeter's properties do.
const MARKER_SETTING: &str = "csvdataset.eofstring";

/// What makes two tables the same: the file, its encoding, its delimiters, quotes, columns, and whether it has a head.
type TableKey = (
    PathBuf,
    String,
    (u8, Option<String>),
    bool,
    Vec<String>,
    bool,
);

/// The files of a program, read: for each [`SharedId`] that is a cursor over rows.
#[derive(Debug, Default)]
pub struct DataFiles {
    /// What variables hold after the last row, if JMeter's properties say so.
    marker: Option<String>,
    cursors: HashMap<SharedId, (Arc<DataTable>, CsvData)>,
    /// Those that go on with another one's rows.
    with: HashMap<SharedId, SharedId>,
    /// Files of imported plans that cannot be used: whoever wants their rows ends, as a
    /// thread of JMeter's does.
    missing: HashMap<SharedId, (Span, Message)>,
    by_user: by_user::ByUser,
    access: Access,
    /// What shuffled rows are ordered by; the same in all processes of a run.
    seed: u64,
    /// It was told that users have no row of their own.
    want_told: AtomicBool,
}

impl DataFiles {
    /// Whether this is the first time that a user finds no row of its own; it is told once.
    pub fn is_first_want(&self) -> bool {
        !self.want_told.swap(true, Ordering::Relaxed)
    }

    /// Reads a program's files. Their paths may use variables of the plan, which `ctx` holds.
    /// A file that several cursors go over is read once.
    ///
    /// # Errors
    /// Every file that cannot be used, with what to do about it.
    pub fn read(program: &Program, ctx: &mut EvalContext<'_>) -> Result<Self, Vec<BindError>> {
        let mut tables = HashMap::<_, Arc<DataTable>>::new();
        let access = ctx.scripts.access().clone();
        let mut files = Self {
            access: access.clone(),
            seed: ctx.rng.clone().bits(),
            marker: ctx
                .extension
                .as_ref()
                .and_then(|view| view.texts.setting(MARKER_SETTING)),
            ..Self::default()
        };
        let mut errors = Vec::new();
        let lenient = program.undefined == Undefined::KeepLiteral;
        for (id, def) in (0..).map(SharedId).zip(&program.shared) {
            let SharedDef::Rows { data, path, cursor } = def else {
                continue;
            };
            files.with.extend(cursor.map(|other| (id, other)));
            let path = match eval_text(path, ctx) {
                Err(error) if lenient && error.waits() => {
                    files.by_user.late(id);
                    continue;
                }
                evaluated => evaluated.map_err(|error| *error.message),
            };
            let read_now = || {
                let path = place(program, &path?, &access);
                if lenient && by_user::is_named_by_user(def) {
                    files.by_user.at_start(id, &path);
                }
                let key = table_key(path, data);
                if let Some(table) = tables.get(&key) {
                    return Ok(Arc::clone(table));
                }
                let table = Arc::new(read::read(&key.0, data, lenient, &access)?);
                tables.insert(key, Arc::clone(&table));
                Ok(table)
            };
            let table = read_now();
            match table {
                Ok(table) => _ = files.cursors.insert(id, (table, data.clone())),
                Err(Unusable::Wrong(message)) if lenient => {
                    files.missing.insert(id, (data.at, message));
                }
                Err(unusable) => errors.push(BindError {
                    at: data.at,
                    message: unusable.into_message(),
                }),
            }
        }
        if errors.is_empty() {
            Ok(files)
        } else {
            Err(errors)
        }
    }

    /// What variables hold after the last row.
    fn marker(&self) -> &str {
        self.marker.as_deref().unwrap_or(MARKER)
    }

    /// Why there are no rows of a cursor.
    #[must_use]
    pub fn missing(&self, id: SharedId) -> Option<&Message> {
        self.missing.get(&id).map(|(_, why)| why)
    }

    /// All that cannot be used, and why, in the order of the plan.
    #[must_use]
    pub fn all_missing(&self) -> Vec<(Span, Message)> {
        let mut all: Vec<_> = self.missing.values().cloned().collect();
        all.sort_by_key(|(at, _)| (at.line, at.column));
        all
    }

    /// The rows of a cursor as the variables of one place in the plan want them; each thread
    /// makes its own.
    ///
    /// # Errors
    /// A column that the file does not have.
    pub fn bind(&self, id: SharedId, columns: &[(String, Slot)]) -> Result<Rows, BindError> {
        let Some((table, data)) = self.cursors.get(&id) else {
            let message = Message::new("data-unknown").with("number", id.0);
            return Err(BindError {
                at: Span::default(),
                message,
            });
        };
        let cursor = match data.shared_by {
            SharedBy::User => Cursor::User(id),
            _ => Cursor::Run(self.with.get(&id).copied().unwrap_or(id)),
        };
        let names = self.names(id, data);
        Rows::new(table, data, (columns, names), cursor, self).map_err(|message| BindError {
            at: data.at,
            message,
        })
    }
}

fn table_key(path: PathBuf, data: &CsvData) -> TableKey {
    (
        path,
        data.encoding.clone(),
        (data.delimiter, data.separator.clone()),
        data.quoted,
        data.columns.clone(),
        data.has_header,
    )
}

/// Where a file is. JMeter looks for it in the working directory first (5.6.3,
/// `FileServer.getResolvedFile`).
fn place(program: &Program, path: &str, access: &Access) -> PathBuf {
    if program.undefined == Undefined::KeepLiteral {
        // As typed into a form, white space around it does not count.
        let path = Path::new(path.trim());
        return match access.exists(path) {
            true => path.to_owned(),
            false => program.folder.join(path),
        };
    }
    program.folder.join(path)
}

/// Where the names of the columns that a plan wants are from.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum ColumnNames {
    /// The plan, or the file's first row.
    Known,
    /// The plan's variables that nothing else sets: nobody knew the file.
    Guessed,
}

/// Rows on their way into variables.
#[derive(Debug)]
pub struct Rows {
    table: Arc<DataTable>,
    columns: Vec<(usize, Slot)>,
    cursor: Cursor,
    order: DataOrder,
    at_end: AtEnd,
    marker: Rc<str>,
    seed: u64,
}

/// Who goes over the rows of a file together.
#[derive(Debug, Clone)]
enum Cursor {
    /// All users that share it in the run.
    Run(SharedId),
    /// All users that named the same file.
    File {
        taken: Arc<AtomicU64>,
        /// Only one user has that name for it, so that no other share of a load reads it.
        of_one_user: bool,
    },
    /// Nobody: each user has its own (but for rows that are handed out one a user).
    User(SharedId),
}

/// What became of a request for a row.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum NextRow {
    /// The variables hold the next row, or the marker after the last.
    Set,
    /// There is no row any more: the user ends.
    StopUser,
}

impl Rows {
    /// How many rows there are, if each user needs one of its own.
    #[must_use]
    pub fn of_users(&self) -> Option<usize> {
        (self.order == DataOrder::UniquePerUser).then(|| self.table.rows())
    }

    fn new(
        table: &Arc<DataTable>,
        data: &CsvData,
        (columns, names): (&[(String, Slot)], ColumnNames),
        cursor: Cursor,
        files: &DataFiles,
    ) -> Result<Self, Message> {
        let mut bound = Vec::with_capacity(columns.len());
        for (at, (name, slot)) in columns.iter().enumerate() {
            if columns[..at].iter().any(|(_, known)| known == slot) {
                continue;
            }
            let before = bound.len();
            // Of columns of one name the last that a row has counts, as in JMeter (5.6.3, `CSVDataSet`).
            bound.extend(table.columns_of(name).map(|column| (column, *slot)));
            if bound.len() == before && names == ColumnNames::Known {
                return Err(Message::new("data-no-column")
                    .with("file", &*data.name)
                    .with("column", &**name)
                    .with("columns", table.columns().join(", ")));
            }
        }
        Ok(Self {
            table: Arc::clone(table),
            columns: bound,
            cursor,
            order: data.order,
            at_end: data.at_end,
            marker: Rc::from(files.marker()),
            seed: files.seed,
        })
    }

    /// How many rows were taken before this one, by all who share the cursor.
    fn taken(&self, shared: &dyn Shared) -> usize {
        let before = match &self.cursor {
            Cursor::Run(id) | Cursor::User(id) => usize::try_from(shared.next(*id)).ok(),
            Cursor::File { taken, of_one_user } => {
                let taken = taken.fetch_add(1, Ordering::Relaxed);
                let share = if *of_one_user {
                    Share::WHOLE
                } else {
                    shared.share()
                };
                usize::try_from(share.number(taken)).ok()
            }
        };
        before.unwrap_or(usize::MAX)
    }

    /// Puts the next row into the variables. `own` is a number of this user's own that starts
    /// at 0: rows taken so far, or the user's row plus one where each user has one for life.
    ///
    /// A user who finds no row left where each has its own ends, also when rows else start
    /// again: no two users ever have the same.
    pub fn next(
        &self,
        vars: &mut Variables,
        rng: &mut Random,
        shared: &dyn Shared,
        own: &mut u64,
    ) -> NextRow {
        let rows = self.table.rows();
        let taken = match self.order {
            DataOrder::Random => rng.below(rows),
            DataOrder::UniquePerUser => {
                if *own == 0 {
                    *own = (self.taken(shared) as u64).saturating_add(1);
                }
                usize::try_from(*own - 1).unwrap_or(usize::MAX)
            }
            _ if matches!(self.cursor, Cursor::User(_)) => {
                let number = usize::try_from(*own).unwrap_or(usize::MAX);
                *own = own.saturating_add(1);
                number
            }
            DataOrder::Sequential | DataOrder::Shuffled => self.taken(shared),
        };
        let number = taken;
        let number = match (self.at_end, self.order) {
            (AtEnd::Recycle, DataOrder::Sequential) if self.table.is_end(number % rows.max(1)) => {
                return self.mark_end(vars);
            }
            _ if number < rows && !self.table.is_end(number) => number,
            (AtEnd::Recycle, order) if order != DataOrder::UniquePerUser => number % rows.max(1),
            (AtEnd::Marker, _) => return self.mark_end(vars),
            _ => return NextRow::StopUser,
        };
        let number = match self.order {
            DataOrder::Shuffled => {
                let time = (taken / rows.max(1)) as u64;
                shuffle::shuffled(number, rows, shuffle::key_of(self.seed, time))
            }
            _ => number,
        };
        for (column, slot) in &self.columns {
            if !self.table.is_missing(number, *column) {
                vars.set(*slot, self.table.get(number, *column));
            }
        }
        NextRow::Set
    }

    /// All variables say that the file is at its end.
    fn mark_end(&self, vars: &mut Variables) -> NextRow {
        for (_, slot) in &self.columns {
            vars.set(*slot, Rc::clone(&self.marker));
        }
        NextRow::Set
    }

    /// How many rows there are.
    #[must_use]
    pub fn count(&self) -> usize {
        self.table.rows()
    }
}

#[cfg(test)]
pub(crate) mod tests;
