//! A CSV file into a table.

use std::borrow::Cow;
use std::io::Read as _;
use std::path::Path;

use encoding_rs::{Encoding, UTF_8};
use plimsoll_access::{Access, Refused};
use plimsoll_plan::limits::{DATA_BYTES, InputError, read_file};
use plimsoll_plan::model::CsvData;
use plimsoll_text::Message;

use super::DataTable;

/// As much of a file as its first row may take.
const FIRST_ROW_BYTES: u64 = 64 * 1024;

/// The names in a file's first row; none when it cannot be read. What is wrong with the file
/// is told when it is read whole.
#[must_use]
pub fn column_names(data: &CsvData, path: &Path, access: &Access) -> Option<Vec<String>> {
    let encoding = encoding(data).ok()?;
    let mut bytes = Vec::new();
    access
        .open(path)
        .ok()?
        .take(FIRST_ROW_BYTES)
        .read_to_end(&mut bytes)
        .ok()?;
    // Bytes after the first row may be broken, or cut.
    let (text, ..) = encoding.decode(&bytes);
    let mut record = csv::StringRecord::new();
    let parted = PartedText::of(&text, data)?;
    let found = parted.reader(data).read_record(&mut record).ok()?;
    restore_mark(&mut record, &bytes, data);
    found.then(|| names(&record, &text, data))
}

fn encoding(data: &CsvData) -> Result<&'static Encoding, Message> {
    match data.encoding.trim() {
        "" => Ok(UTF_8),
        label => Encoding::for_label(label.as_bytes()).ok_or_else(|| {
            Message::new("data-unknown-encoding")
                .with("file", &*data.name)
                .with("encoding", label)
        }),
    }
}

/// A text whose columns are parted by one byte.
struct PartedText<'t> {
    text: Cow<'t, str>,
    delimiter: u8,
    /// What the byte stands for.
    stands_for: Option<&'t str>,
}

impl<'t> PartedText<'t> {
    /// A separator of several bytes is put for one that the text does not have; none if it has all of them.
    fn of(text: &'t str, data: &'t CsvData) -> Option<Self> {
        let Some(separator) = data.separator.as_deref().filter(|it| !it.is_empty()) else {
            return Some(Self {
                text: Cow::Borrowed(text),
                delimiter: data.delimiter,
                stands_for: None,
            });
        };
        let unused = |byte: &u8| memchr::memchr(*byte, text.as_bytes()).is_none();
        let mut control = (1..b' ').filter(|byte| !byte.is_ascii_whitespace());
        let delimiter = control.find(unused)?;
        Some(Self {
            text: Cow::Owned(text.replace(separator, &char::from(delimiter).to_string())),
            delimiter,
            stands_for: Some(separator),
        })
    }

    fn reader(&self, data: &CsvData) -> csv::Reader<&[u8]> {
        csv_reader(&self.text, self.delimiter, data.quoted)
    }

    /// A row with the separator wherever it is part of a quoted field.
    fn restore(&self, record: &mut csv::StringRecord) {
        let byte = char::from(self.delimiter);
        if let Some(separator) = self.stands_for
            && record.iter().any(|field| field.contains(byte))
        {
            let fields = record.iter().map(|field| field.replace(byte, separator));
            *record = fields.collect();
        }
    }
}

/// Puts a byte order mark back before the first row, for who reads it as text.
fn restore_mark(record: &mut csv::StringRecord, bytes: &[u8], data: &CsvData) {
    const MARK: &str = "\u{feff}";
    if data.verbatim && bytes.starts_with(MARK.as_bytes()) {
        let mark = std::iter::once(MARK).chain(std::iter::repeat(""));
        let fields = record.iter().zip(mark);
        *record = fields
            .map(|(field, mark)| format!("{mark}{field}"))
            .collect();
    }
}

fn csv_reader(text: &str, delimiter: u8, quoted: bool) -> csv::Reader<&[u8]> {
    csv::ReaderBuilder::new()
        .has_headers(false)
        .flexible(true)
        .delimiter(delimiter)
        .quoting(quoted)
        .from_reader(text.as_bytes())
}

/// The names in the first row. Of a separator of several characters JMeter (5.6.3, `CSVDataSet`) parts names at the
/// first one, whatever it does with rows.
fn names(record: &csv::StringRecord, text: &str, data: &CsvData) -> Vec<String> {
    let trimmed = |record: &csv::StringRecord| {
        let trimmed = |name: &str| match data.verbatim {
            true => name.to_owned(),
            false => name.trim().to_owned(),
        };
        record.iter().map(trimmed).collect::<Vec<_>>()
    };
    let mut characters = data.separator.as_deref().unwrap_or_default().chars();
    if let (Some(first), Some(_)) = (characters.next(), characters.next()) {
        let at_first = CsvData {
            separator: Some(first.to_string()),
            quoted: true,
            ..data.clone()
        };
        let mut by_first = csv::StringRecord::new();
        if let Some(parted) = PartedText::of(text, &at_first)
            && let Ok(true) = parted.reader(&at_first).read_record(&mut by_first)
        {
            parted.restore(&mut by_first);
            return trimmed(&by_first);
        }
    }
    trimmed(record)
}

/// Why there is no table.
#[derive(Debug)]
pub(super) enum Unusable {
    /// The file may not be used here.
    Refused(Message),
    /// It is not there, or not what it should be.
    Wrong(Message),
}

impl From<Message> for Unusable {
    fn from(message: Message) -> Self {
        Self::Wrong(message)
    }
}

impl Unusable {
    /// For people.
    pub(super) fn into_message(self) -> Message {
        match self {
            Self::Refused(message) | Self::Wrong(message) => message,
        }
    }
}

/// Reads a file; the message names it and says what to do.
/// `lenient`: as JMeter reads (5.6.3, `CSVDataSet`), which takes rows of any width and text that
/// is broken.
pub(super) fn read(
    path: &Path,
    data: &CsvData,
    lenient: bool,
    access: &Access,
) -> Result<DataTable, Unusable> {
    let shown = path.display().to_string();
    let encoding = encoding(data)?;
    let bytes = read_file(access.open(path), DATA_BYTES).map_err(|error| {
        if let InputError::Io(error) = &error
            && let Some(refused) = Refused::of(error)
        {
            return Unusable::Refused(refused.by(&data.name));
        }
        let id = match &error {
            InputError::Io(error) if error.kind() == std::io::ErrorKind::NotFound => {
                "data-not-found"
            }
            _ => "data-unreadable",
        };
        let message = Message::new(id)
            .with("file", &*shown)
            .with("reason", error.to_string());
        Unusable::Wrong(message)
    })?;
    let text = match lenient {
        true => encoding.decode(&bytes).0,
        false => decode(&bytes, encoding, &shown)?,
    };
    Ok(parse((&text, &bytes), data, &shown, lenient)?)
}

/// The text; a byte order mark wins over the encoding that the plan names.
fn decode<'b>(
    bytes: &'b [u8],
    encoding: &'static Encoding,
    file: &str,
) -> Result<Cow<'b, str>, Message> {
    let (text, used, broken) = encoding.decode(bytes);
    if !broken {
        return Ok(text);
    }
    let before = text.split('\u{fffd}').next().unwrap_or_default();
    Err(Message::new("data-wrong-encoding")
        .with("file", file)
        .with("line", before.matches('\n').count() + 1)
        .with("encoding", used.name()))
}

fn parse(
    (written, bytes): (&str, &[u8]),
    data: &CsvData,
    file: &str,
    lenient: bool,
) -> Result<DataTable, Message> {
    let malformed = |reason: String| {
        let message = Message::new("data-malformed").with("file", file);
        message.with("reason", reason)
    };
    let parted = PartedText::of(written, data)
        .ok_or_else(|| malformed("it has every control character there is".to_owned()))?;
    let text = &*parted.text;
    let mut reader = parted.reader(data);
    let mut record = csv::StringRecord::new();
    let mut table = None::<DataTable>;
    let mut skip_names = data.has_header && !data.columns.is_empty();
    if lenient && !data.columns.is_empty() {
        table = Some(DataTable::new(data.columns.clone()));
    }
    let mut is_first = true;
    loop {
        if let (true, Some(table)) = (lenient, &mut table) {
            let at = usize::try_from(reader.position().byte()).unwrap_or(usize::MAX);
            let blank = blank_lines(text, at);
            push_blank(table, blank, &mut skip_names, data.quoted);
        }
        let more = reader.read_record(&mut record);
        if !more.map_err(|error| malformed(error.to_string()))? {
            break;
        }
        parted.restore(&mut record);
        if std::mem::take(&mut is_first) {
            restore_mark(&mut record, bytes, data);
        }
        let line = record.position().map_or(0, csv::Position::line);
        if std::mem::take(&mut skip_names) {
            continue;
        }
        let Some(table) = &mut table else {
            let (made, is_names) = match data.columns.is_empty() {
                true => (DataTable::new(names(&record, written, data)), true),
                false => (first_row(&record, data, file, line)?, false),
            };
            let made = table.insert(made);
            if !is_names {
                push(made, &record, file, line, lenient)?;
            }
            continue;
        };
        push(table, &record, file, line, lenient)?;
    }
    let table = table.filter(|table| lenient || table.rows() > 0);
    let mut table = table.ok_or_else(|| Message::new("data-empty").with("file", file))?;
    if table.rows() == 0 {
        // JMeter goes on with what stands for the end.
        table.push_end();
    }
    table.shrink();
    Ok(table)
}

/// Adds what blank lines are: with quotes rows with an empty field, and else ends. The first line
/// may be that of the names.
fn push_blank(table: &mut DataTable, count: usize, skip_names: &mut bool, quoted: bool) {
    for _ in 0..count {
        if std::mem::take(skip_names) {
            continue;
        }
        if !quoted {
            table.push_end();
            continue;
        }
        for column in 0..table.columns().len() {
            // Nothing is added to the text, which therefore has room.
            let _ = match column {
                0 => table.push(""),
                _ => table.push_missing(),
            };
        }
    }
}

/// How many blank lines follow a row that ends there.
fn blank_lines(text: &str, at: usize) -> usize {
    let (Some(before), Some(mut rest)) = (text.get(..at), text.get(at..)) else {
        return 0;
    };
    if before.ends_with('\r') {
        // The second half of the row's own end.
        rest = rest.strip_prefix('\n').unwrap_or(rest);
    }
    let mut blank = 0;
    while let Some(next) = rest.strip_prefix("\r\n").or(rest.strip_prefix('\n')) {
        rest = next;
        blank += 1;
    }
    blank
}

/// The table for a file whose columns the plan names and which has this first row.
fn first_row(
    record: &csv::StringRecord,
    data: &CsvData,
    file: &str,
    line: u64,
) -> Result<DataTable, Message> {
    if record.len() < data.columns.len() {
        return Err(wrong_width(record, data.columns.len(), file, line));
    }
    // Columns that the plan does not name have no name, and no variable asks for them.
    let mut columns = data.columns.clone();
    columns.resize(record.len(), String::new());
    Ok(DataTable::new(columns))
}

fn push(
    table: &mut DataTable,
    record: &csv::StringRecord,
    file: &str,
    line: u64,
    lenient: bool,
) -> Result<(), Message> {
    let wanted = table.columns().len();
    if lenient {
        let fields = (0..wanted).map(|column| record.get(column));
        let mut all = fields.map(|field| match field {
            Some(field) => table.push(field),
            None => table.push_missing(),
        });
        return match all.all(|pushed| pushed) {
            true => Ok(()),
            false => Err(Message::new("data-too-large").with("file", file)),
        };
    }
    if record.len() != wanted {
        return Err(wrong_width(record, wanted, file, line));
    }
    if record.iter().all(|field| table.push(field)) {
        Ok(())
    } else {
        Err(Message::new("data-too-large").with("file", file))
    }
}

fn wrong_width(record: &csv::StringRecord, wanted: usize, file: &str, line: u64) -> Message {
    Message::new("data-wrong-width")
        .with("file", file)
        .with("line", line)
        .with("found", record.len())
        .with("wanted", wanted)
}
