//! `__CSVRead`: rows of a file that all users share, a column at a time (JMeter 5.6.3,
//! `FileWrapper`, `FileRowColContainer`).

use std::collections::HashMap;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

use plimsoll_plan::limits::{DATA_BYTES, read_file};
use plimsoll_plan::program::Call;
use plimsoll_plan::share::Share;

use super::args::text;
use super::files::{read_line, resolved, usable};
use super::keep::{for_run, for_user};
use crate::context::{Context, Fault};

/// The files of the run, by path or alias.
#[derive(Default)]
struct CsvReadFiles(Mutex<OpenedCsv>);

#[derive(Default)]
struct OpenedCsv {
    rows: HashMap<String, Arc<CsvReadRows>>,
    /// The first file: what an empty name stands for.
    first: String,
}

/// A file's rows, and which one the next user gets.
struct CsvReadRows {
    rows: Vec<Vec<String>>,
    taken: AtomicU64,
}

/// A user's row of each file it uses; none: the next one is taken when it is needed.
#[derive(Default)]
struct OwnRows(HashMap<String, (Arc<CsvReadRows>, Option<usize>)>);

/// `__CSVRead(file, column | next | *alias)`.
pub(super) fn csv_read(call: &Call, cx: &mut dyn Context) -> Result<String, Fault> {
    let file = text(call, 0, cx)?;
    let column = text(call, 1, cx)?;
    if column.starts_with('*') {
        open(&file, &column, cx)?;
        return Ok(String::new());
    }
    if matches!(&*column, "next" | "next()") {
        let name = or_first(&file, cx);
        match for_user::<OwnRows>(cx).0.get_mut(&name) {
            Some((_, row)) => *row = None,
            None => cx.log(&format!("WARN __CSVRead: no entry for {name}")),
        }
        return Ok(String::new());
    }
    let Ok(number) = column.parse::<i32>() else {
        cx.log(&format!(
            "WARN __CSVRead: can't parse column number: {column}"
        ));
        return Ok(String::new());
    };
    let found = value(&file, number, cx)?;
    if found.is_none() {
        cx.log(&format!("WARN __CSVRead: no column {column} of {file}"));
    }
    Ok(found.unwrap_or_default())
}

fn value(file: &str, column: i32, cx: &mut dyn Context) -> Result<Option<String>, Fault> {
    let mut name = file.to_owned();
    if !for_user::<OwnRows>(cx).0.contains_key(&name) {
        if name.starts_with('*') {
            return Ok(None);
        }
        name = or_first(file, cx);
        open(&name, &name, cx)?;
    }
    let share = cx.thread().share;
    let Some((rows, row)) = for_user::<OwnRows>(cx).0.get_mut(&name) else {
        return Ok(None);
    };
    let at = *row.get_or_insert_with(|| rows.take(share));
    let column = usize::try_from(column).ok();
    let row = rows.rows.get(at).zip(column);
    Ok(row.and_then(|(row, column)| row.get(column).cloned()))
}

impl CsvReadRows {
    /// The next row of this share of the load; the first follows the last.
    fn take(&self, share: Share) -> usize {
        let number = share.number(self.taken.fetch_add(1, Ordering::Relaxed));
        let rows = self.rows.len().max(1) as u64;
        usize::try_from(number % rows).unwrap_or_default()
    }
}

/// The name, or that of the only file for an empty one.
fn or_first(file: &str, cx: &mut dyn Context) -> String {
    if !file.is_empty() {
        return file.to_owned();
    }
    let files = for_run::<CsvReadFiles>(cx);
    let opened = files.0.lock().unwrap_or_else(PoisonError::into_inner);
    if opened.rows.len() == 1 {
        return opened.first.clone();
    }
    cx.log("ERROR __CSVRead: Cannot determine default file name");
    String::new()
}

/// Opens a file for this user, under a name.
fn open(file: &str, name: &str, cx: &mut dyn Context) -> Result<(), Fault> {
    let file = or_first(file, cx);
    if for_user::<OwnRows>(cx).0.contains_key(name) {
        return Ok(());
    }
    let files = for_run::<CsvReadFiles>(cx);
    let mut opened = files.0.lock().unwrap_or_else(PoisonError::into_inner);
    let rows = match opened.rows.get(name) {
        Some(rows) => Arc::clone(rows),
        None => match usable("__CSVRead", load(&file, cx))? {
            Ok(rows) => {
                let rows = Arc::new(CsvReadRows {
                    rows,
                    taken: AtomicU64::new(0),
                });
                opened.rows.insert(name.to_owned(), Arc::clone(&rows));
                if opened.first.is_empty() {
                    opened.first.clone_from(&file);
                }
                rows
            }
            Err(error) => {
                cx.log(&format!("WARN __CSVRead: {file}: {error}"));
                return Ok(());
            }
        },
    };
    drop(opened);
    for_user::<OwnRows>(cx)
        .0
        .insert(name.to_owned(), (rows, None));
    Ok(())
}

/// The rows up to the first empty line.
fn load(file: &str, cx: &dyn Context) -> std::io::Result<Vec<Vec<String>>> {
    let delimiter = cx.properties().get("csvread.delimiter");
    let delimiter = delimiter.as_deref().map(super::args::trim).unwrap_or(",");
    let delimiter = if delimiter.is_empty() { "," } else { delimiter };
    let bytes = read_file(cx.access().open(&resolved(file, cx)), DATA_BYTES)?;
    let mut reader = bytes.as_slice();
    let mut rows = Vec::new();
    while let Some(line) = read_line(&mut reader)?
        && !line.is_empty()
    {
        rows.push(line.split(delimiter).map(str::to_owned).collect());
    }
    Ok(rows)
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, clippy::expect_used)]

    use crate::context::testing::TestContext;
    use crate::functions::testing::run;

    #[test]
    fn rows_are_shared_and_columns_taken_by_number() {
        let folder = tempfile::tempdir().unwrap();
        std::fs::write(folder.path().join("a.csv"), "a,b,c\nd,,f,\n\nx,y,z\n").unwrap();
        let mut cx = TestContext::with(&[]);
        cx.thread.plan_folder = folder.path().into();
        let mut read = |file: &str, column: &str| run("__CSVRead", &[file, column], &mut cx);
        // Values: JMeter 5.6.3.
        assert_eq!(
            ["0", "1", "2", "9", "x"].map(|at| read("a.csv", at)),
            ["a", "b", "c", "", ""]
        );
        assert_eq!(
            ["next", "0", "1", "3"].map(|at| read("a.csv", at)),
            ["", "d", "", ""]
        );
        // The empty line is the end: the first row follows the second.
        assert_eq!(["next()", "0"].map(|at| read("a.csv", at)), ["", "a"]);
        assert_eq!(read("", "1"), "b");
        assert_eq!(["*other", "0"].map(|at| read("a.csv", at)), ["", "a"]);
        assert_eq!(
            ["0", "next", "0"].map(|at| read("*other", at)),
            ["a", "", "d"]
        );
        assert_eq!(read("*none", "0"), "");
        assert_eq!(read("none.csv", "0"), "");
    }
}
