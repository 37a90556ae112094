//! One value of a configuration file or a start command, read and changed; every other byte stays.
//!
//! A file is cut where the value stands and nothing else is written anew. What was changed is read again
//! before it is handed out: a value that would not be found afterwards is an error, never a file.

mod address;
mod dialects;
mod error;
mod lines;
mod profiles;
mod text;

#[cfg(test)]
mod tests;

pub use address::Address;
pub use error::{EditError, EditFault};

use error::Stop;
use lines::LineDialect;
use text::FileText;

/// Files that are longer are not looked at.
pub const MAX_BYTES: usize = 64 << 20;

/// How a text is written.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Format {
    /// Java properties.
    Properties,
    /// Properties that Spring Boot reads: relaxed names, documents, profiles.
    SpringProperties,
    /// Ini as Python's `configparser` reads it, and much like it systemd.
    Ini,
    /// PHP's ini, as PHP-FPM reads its pools.
    PhpIni,
    /// MySQL's and MariaDB's options.
    MyCnf,
    /// Redis' and Valkey's directives.
    RedisConf,
    /// PostgreSQL's parameters.
    PostgresConf,
    /// `sysctl.conf`.
    Sysctl,
    /// `NAME=value` lines, as systemd's `EnvironmentFile` and `docker --env-file` have them.
    EnvFile,
    /// A file that holds one value and nothing else.
    Whole,
}

impl Format {
    /// All formats.
    pub const ALL: &[Self] = &[
        Self::Properties,
        Self::SpringProperties,
        Self::Ini,
        Self::PhpIni,
        Self::MyCnf,
        Self::RedisConf,
        Self::PostgresConf,
        Self::Sysctl,
        Self::EnvFile,
        Self::Whole,
    ];

    /// Its name in studies.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Properties => "properties",
            Self::SpringProperties => "spring-properties",
            Self::Ini => "ini",
            Self::PhpIni => "php-ini",
            Self::MyCnf => "my.cnf",
            Self::RedisConf => "redis.conf",
            Self::PostgresConf => "postgresql.conf",
            Self::Sysctl => "sysctl",
            Self::EnvFile => "env-file",
            Self::Whole => "value",
        }
    }

    /// The format of a name.
    #[must_use]
    pub fn named(name: &str) -> Option<Self> {
        Self::ALL
            .iter()
            .copied()
            .find(|format| format.name() == name)
    }

    fn editor(self) -> &'static dyn Editor {
        match self {
            Self::Properties => &dialects::PROPERTIES,
            Self::SpringProperties => &dialects::SPRING_PROPERTIES,
            Self::Ini => &dialects::INI,
            Self::PhpIni => &dialects::PHP_INI,
            Self::MyCnf => &dialects::MY_CNF,
            Self::RedisConf => &dialects::REDIS_CONF,
            Self::PostgresConf => &dialects::POSTGRES_CONF,
            Self::Sysctl => &dialects::SYSCTL,
            Self::EnvFile => &dialects::ENV_FILE,
            Self::Whole => &WholeFile,
        }
    }
}

/// A value that was found.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Found {
    /// The value, without quotes and escapes.
    pub value: String,
    /// Its line, from 1.
    pub line: usize,
    /// Its column in characters, from 1.
    pub column: usize,
}

/// A file that a file takes in.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Included {
    /// The path or pattern, as it is written.
    pub path: String,
    /// All files of the folder `path` are meant.
    pub folder: bool,
    /// Its line, from 1.
    pub line: usize,
}

/// The value that holds at an address, if there is one.
///
/// # Errors
///
/// If the text is not of the format, or the address is none of it.
pub fn get(format: Format, file: &[u8], address: &Address) -> Result<Option<Found>, EditError> {
    let text = FileText::read(file)?;
    let found = format.editor().find(text.text(), address);
    Ok(found.map_err(|stop| stop.at(text.text()))?.map(|place| {
        let (line, column) = text::place(text.text(), place.span.start);
        Found {
            value: place.value,
            line,
            column,
        }
    }))
}

/// The file with that value at the address, which is added where it is missing. The same value again
/// changes nothing.
///
/// # Errors
///
/// If the text is not of the format, there is no single place for the value, or it cannot be written.
pub fn set(
    format: Format,
    file: &[u8],
    address: &Address,
    value: &str,
) -> Result<Vec<u8>, EditError> {
    let text = FileText::read(file)?;
    let editor = format.editor();
    let changed =
        change(editor, text.text(), address, value).map_err(|stop| stop.at(text.text()))?;
    let Some(changed) = changed else {
        return Ok(file.to_vec());
    };
    let again = editor.find(&changed, address).ok().flatten();
    if again.is_none_or(|again| again.value != value) {
        return Err(Stop::nowhere(EditFault::NotKept(value.to_owned())).at(text.text()));
    }
    text.bytes(changed).map_err(|stop| stop.at(text.text()))
}

/// The file without the value at the address, wherever it stands more than once.
///
/// # Errors
///
/// As of [`set`].
pub fn remove(format: Format, file: &[u8], address: &Address) -> Result<Vec<u8>, EditError> {
    let text = FileText::read(file)?;
    let editor = format.editor();
    let mut now = text.text().to_owned();
    let mut found = editor.find(&now, address);
    while let Some(place) = found.map_err(|stop| stop.at(text.text()))? {
        now.replace_range(editor.whole(&now, &place), "");
        found = editor.find(&now, address);
    }
    text.bytes(now).map_err(|stop| stop.at(text.text()))
}

/// The files that a file takes in. What they say may come before or after it.
#[must_use]
pub fn includes(format: Format, file: &[u8]) -> Vec<Included> {
    match FileText::read(file) {
        Ok(text) => format.editor().includes(text.text()),
        Err(_) => Vec::new(),
    }
}

fn change(
    editor: &dyn Editor,
    text: &str,
    address: &Address,
    value: &str,
) -> Result<Option<String>, Stop> {
    let splice = match editor.find(text, address)? {
        Some(place) if place.value == value => return Ok(None),
        Some(place) => editor.replaced(text, &place, value)?,
        None => editor.added(text, address, value)?,
    };
    let mut changed = String::with_capacity(text.len() + splice.with.len());
    changed.push_str(&text[..splice.range.start]);
    changed.push_str(&splice.with);
    changed.push_str(&text[splice.range.end..]);
    Ok(Some(changed))
}

/// Where a value stands in a text.
#[derive(Debug, Clone)]
struct Standing {
    /// What it says.
    value: String,
    /// Its bytes, quotes included.
    span: std::ops::Range<usize>,
    /// The bytes of the setting with its name, line end included.
    whole: std::ops::Range<usize>,
}

/// What takes the place of a part of a text.
struct Splice {
    range: std::ops::Range<usize>,
    with: String,
}

/// One way to write values.
trait Editor: Sync {
    /// Where the value stands that holds.
    fn find(&self, text: &str, address: &Address) -> Result<Option<Standing>, Stop>;
    /// Another value where one stands.
    fn replaced(&self, text: &str, place: &Standing, value: &str) -> Result<Splice, Stop>;
    /// A value where none stands.
    fn added(&self, text: &str, address: &Address, value: &str) -> Result<Splice, Stop>;
    /// What goes when the value goes.
    fn whole(&self, _text: &str, place: &Standing) -> std::ops::Range<usize> {
        place.whole.clone()
    }
    /// What the text takes in.
    fn includes(&self, _text: &str) -> Vec<Included> {
        Vec::new()
    }
}

/// A file that holds the value alone.
struct WholeFile;

impl Editor for WholeFile {
    fn find(&self, text: &str, _: &Address) -> Result<Option<Standing>, Stop> {
        let value = text.trim();
        let start = text.len() - text.trim_start().len();
        let span = start..start + value.len();
        // The kernel marks what is chosen: `always [madvise] never`.
        let chosen = value
            .split_once('[')
            .and_then(|(_, rest)| rest.split_once(']'));
        let value = chosen.map_or(value, |(word, _)| word).to_owned();
        Ok((!value.is_empty()).then(|| Standing {
            value,
            whole: span.clone(),
            span,
        }))
    }

    fn replaced(&self, _: &str, place: &Standing, value: &str) -> Result<Splice, Stop> {
        lines::one_line(value)?;
        Ok(Splice {
            range: place.span.clone(),
            with: value.to_owned(),
        })
    }

    fn added(&self, text: &str, _: &Address, value: &str) -> Result<Splice, Stop> {
        lines::one_line(value)?;
        Ok(Splice {
            range: text.len()..text.len(),
            with: value.to_owned(),
        })
    }
}

impl Editor for LineDialect {
    fn find(&self, text: &str, address: &Address) -> Result<Option<Standing>, Stop> {
        self.holding(text, address)
    }

    fn replaced(&self, text: &str, place: &Standing, value: &str) -> Result<Splice, Stop> {
        self.with_value(text, place, value)
    }

    fn added(&self, text: &str, address: &Address, value: &str) -> Result<Splice, Stop> {
        self.with_line(text, address, value)
    }

    fn includes(&self, text: &str) -> Vec<Included> {
        self.included(text)
    }
}

/// A name of Spring as it is compared: in small letters, without dashes and underscores
/// (`ConfigurationPropertyName`).
pub(crate) fn relaxed(name: &str) -> String {
    name.chars()
        .filter(|c| !matches!(c, '-' | '_'))
        .flat_map(char::to_lowercase)
        .collect()
}
