//! One value of a configuration file or a start command, read and changed; every other byte stays.
//!
//! A file is cut where the value stands and nothing else is written anew. What was changed is read again
//! before it is handed out: a value that would not be found afterwards is an error, never a file.

mod address;
pub mod command;
mod dialects;
mod editor;
mod error;
mod lines;
pub mod nginx;
mod pattern;
mod placing;
mod profiles;
mod text;
mod toml;
mod whole;
mod xml;
mod yaml;

#[cfg(test)]
mod tests;

pub use address::Address;
pub(crate) use dialects::{SERVERS, path_of};
pub use editor::Included;
pub(crate) use editor::relaxed;
pub use error::{EditError, EditFault, MAX_BYTES};

use editor::Editor;
use error::Stop;
use nginx::NginxEditor;
use pattern::PatternEditor;
use text::FileText;
use toml::TomlEditor;
use whole::WholeFile;
use xml::XmlEditor;
use yaml::{JsonEditor, YamlEditor};

/// How a text is written.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Format {
    /// Java properties.
    Properties,
    /// Properties that Spring Boot reads: relaxed names, documents, profiles.
    SpringProperties,
    /// YAML.
    Yaml,
    /// YAML that Spring Boot reads: relaxed names, documents, profiles.
    SpringYaml,
    /// JSON.
    Json,
    /// TOML.
    Toml,
    /// XML.
    Xml,
    /// Ini as Python's `configparser` reads it, and much like it systemd.
    Ini,
    /// PHP's ini, as PHP-FPM reads its pools.
    PhpIni,
    /// nginx' directives.
    Nginx,
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
    /// Assignments of Python, as in `gunicorn.conf.py`.
    Python,
    /// A start command of a shell.
    Command,
    /// Options of the JVM, as in `JAVA_TOOL_OPTIONS` and files of options.
    JvmOptions,
    /// A text of any other form, in which a regular expression finds the value.
    Pattern,
    /// A file that holds one value and nothing else.
    Whole,
}

/// Folders in which nginx' packages have its parts.
const NGINX_FOLDERS: &[&str] = &["nginx", "snippets", "sites-available", "sites-enabled"];

impl Format {
    /// All formats.
    pub const ALL: &[Self] = &[
        Self::Properties,
        Self::SpringProperties,
        Self::Yaml,
        Self::SpringYaml,
        Self::Json,
        Self::Toml,
        Self::Xml,
        Self::Ini,
        Self::PhpIni,
        Self::Nginx,
        Self::MyCnf,
        Self::RedisConf,
        Self::PostgresConf,
        Self::Sysctl,
        Self::EnvFile,
        Self::Python,
        Self::Command,
        Self::JvmOptions,
        Self::Pattern,
        Self::Whole,
    ];

    /// Its name in studies.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Properties => "properties",
            Self::SpringProperties => "spring-properties",
            Self::Yaml => "yaml",
            Self::SpringYaml => "spring-yaml",
            Self::Json => "json",
            Self::Toml => "toml",
            Self::Xml => "xml",
            Self::Ini => "ini",
            Self::PhpIni => "php-ini",
            Self::Nginx => "nginx",
            Self::MyCnf => "my.cnf",
            Self::RedisConf => "redis.conf",
            Self::PostgresConf => "postgresql.conf",
            Self::Sysctl => "sysctl",
            Self::EnvFile => "env-file",
            Self::Python => "python",
            Self::Command => "command",
            Self::JvmOptions => "jvm-options",
            Self::Pattern => "pattern",
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

    /// The format that a file's name says, with those of its folders, if they say one.
    #[must_use]
    pub fn of_file(path: &str) -> Option<Self> {
        let (folders, name) = path.rsplit_once('/').unwrap_or(("", path));
        let lies_in = |known: &[&str]| folders.split('/').any(|folder| known.contains(&folder));
        let folder = folders.rsplit('/').next().unwrap_or_default();
        let of_php = name.starts_with("php") || folders.split('/').any(|it| it.starts_with("php"));
        let spring = ["application", "bootstrap"]
            .iter()
            .any(|start| name.starts_with(start));
        let (_, end) = name.rsplit_once('.').unwrap_or(("", ""));
        Some(match end {
            "properties" if spring => Self::SpringProperties,
            "properties" => Self::Properties,
            "yml" | "yaml" if spring => Self::SpringYaml,
            "yml" | "yaml" => Self::Yaml,
            "json" => Self::Json,
            "toml" => Self::Toml,
            "xml" => Self::Xml,
            "cnf" => Self::MyCnf,
            "ini" if of_php => Self::PhpIni,
            // Jetty's are properties, with options of its start beside them.
            "ini" if name == "start.ini" || lies_in(&["start.d"]) => Self::Properties,
            "ini" => Self::Ini,
            "py" => Self::Python,
            "env" => Self::EnvFile,
            "service" => Self::Ini,
            "options" => Self::JvmOptions,
            "conf" if name.starts_with("redis") || name.starts_with("valkey") => Self::RedisConf,
            "conf" if name.starts_with("postgresql") => Self::PostgresConf,
            "conf" if name.contains("sysctl") => Self::Sysctl,
            "conf" if name.starts_with("nginx") || lies_in(NGINX_FOLDERS) => Self::Nginx,
            // By its own folder alone: one further up may be called so by chance.
            "conf" if name.starts_with("php") || ["pool.d", "php-fpm.d"].contains(&folder) => {
                Self::PhpIni
            }
            _ if lies_in(&["sites-available", "sites-enabled"]) => Self::Nginx,
            _ => return None,
        })
    }

    fn editor(self) -> &'static dyn Editor {
        match self {
            Self::Properties => &dialects::PROPERTIES,
            Self::SpringProperties => &dialects::SPRING_PROPERTIES,
            Self::Yaml => &YamlEditor { spring: false },
            Self::SpringYaml => &YamlEditor { spring: true },
            Self::Json => &JsonEditor,
            Self::Toml => &TomlEditor,
            Self::Xml => &XmlEditor,
            Self::Ini => &dialects::INI,
            Self::PhpIni => &dialects::PHP_INI,
            Self::Nginx => &NginxEditor,
            Self::MyCnf => &dialects::MY_CNF,
            Self::RedisConf => &dialects::REDIS_CONF,
            Self::PostgresConf => &dialects::POSTGRES_CONF,
            Self::Sysctl => &dialects::SYSCTL,
            Self::EnvFile => &dialects::ENV_FILE,
            Self::Python => &dialects::PYTHON,
            Self::Command => &command::COMMAND,
            Self::JvmOptions => &command::JVM_OPTIONS,
            Self::Pattern => &PatternEditor,
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

/// The value that holds at an address, if there is one.
///
/// # Errors
///
/// If the text is not of the format, or the address is none of it.
pub fn get(format: Format, file: &[u8], address: &Address) -> Result<Option<Found>, EditError> {
    let text = FileText::read(file)?;
    let found = format.editor().find(text.text(), address);
    Ok(found.map_err(|stop| stop.at(text.text()))?.map(|place| {
        let (line, column) = placing::place(text.text(), place.span.start);
        Found {
            value: place.value,
            line,
            column,
        }
    }))
}

/// Where the value at an address stands: the bytes of the text, behind a mark of its encoding if it has one. None where
/// it is not there, or nothing can be found.
#[must_use]
pub fn place(format: Format, file: &[u8], address: &Address) -> Option<std::ops::Range<usize>> {
    let text = FileText::read(file).ok()?;
    let found = format.editor().find(text.text(), address).ok()?;
    found.map(|place| place.span)
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
    let others = |text: &str| editor.others(text, address).ok();
    if again.is_none_or(|again| again.value != value) || others(&changed) != others(text.text()) {
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
    let stays = || EditFault::NotSingle(address.path.clone());
    let others = |text: &str| editor.others(text, address).ok();
    let before = others(text.text());
    let mut now = text.text().to_owned();
    let mut found = editor.find(&now, address).map_err(|stop| stop.at(&now))?;
    while let Some(place) = found {
        let whole = editor.whole(&now, &place);
        let start = place.span.start;
        let mut without = now.clone();
        without.replace_range(whole.clone(), "");
        let after = editor.find(&without, address);
        // It cannot go without what stands around it.
        let (Ok(after), false) = (after, whole.is_empty() || others(&without) != before) else {
            return Err(Stop::here(start, stays()).at(&now));
        };
        (now, found) = (without, after);
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
        Some(place) => editor.replaced(text, address, &place, value)?,
        None => editor.added(text, address, value)?,
    };
    let mut changed = String::with_capacity(text.len() + splice.with.len());
    changed.push_str(&text[..splice.range.start]);
    changed.push_str(&splice.with);
    changed.push_str(&text[splice.range.end..]);
    Ok(Some(changed))
}
