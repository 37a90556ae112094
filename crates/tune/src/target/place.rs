//! Where knobs stand on a target, and how a value is written there.

use std::borrow::Cow;
use std::path::{Path, PathBuf};

use plimsoll_knobs::{Address, Format, Gives, Knob, KnobPlace, KnobValue, Spelling};
use plimsoll_plan::model::Span;
use plimsoll_plan::study::ReadBackSpec;
use plimsoll_text::Message;

use crate::space::shown_value;

/// What is wrong with a knob of a study, and where.
pub type Wrong = (Span, Message);

/// Where a knob is written.
#[derive(Debug, Clone, PartialEq)]
pub enum Place {
    /// A key of a file.
    File {
        /// The file, without links.
        path: PathBuf,
        /// Its format.
        format: Format,
        /// Where in it.
        address: Address,
    },
    /// An argument of the start command, with `{}` for the value.
    Argument(String),
    /// An option of the start command, as a knob by name knows it.
    Option(Address),
    /// A variable of the environment.
    Environment(String),
    /// A file of the kernel that holds the value alone and is written as it is.
    Value(PathBuf),
    /// A command, with `{}` for the value.
    Command(String),
    /// A statement for the component's database, with `{}` for the value.
    Sql(String),
    /// The knob of this name in the file of the agent on its component's host.
    Agent(String),
}

/// The knob by name that a knob of the study is, and the place that was chosen of those that it has.
#[derive(Debug, Clone, Copy)]
pub struct NamedSetting {
    /// The knob.
    pub knob: &'static Knob,
    /// The place.
    pub place: &'static KnobPlace,
}

impl NamedSetting {
    /// A value of the study as the knob means it.
    #[must_use]
    pub fn value(&self, text: &str) -> KnobValue {
        self.knob.read(text, Spelling::Plain)
    }
}

/// A knob on a real target.
#[derive(Debug, Clone)]
pub struct TargetKnob {
    /// Its name in the study.
    pub name: String,
    /// Where it is written.
    pub place: Place,
    /// The component, by its place in the study.
    pub component: usize,
    /// A reload of the component is enough.
    pub by_reload: bool,
    /// How it is read back, where the study says it.
    pub read_back: Option<ReadBackSpec>,
    /// The knob by name that it is.
    pub setting: Option<NamedSetting>,
    /// What it gives up for speed.
    pub gives: Option<Gives>,
}

impl Place {
    /// What is the same for all that is written at one place.
    fn same_for(&self) -> Option<String> {
        let named = |kind: &str, name: &str| {
            let name = name.split("{}").next().unwrap_or_default();
            Some(format!("{kind} {}", name.trim_end_matches(['=', ' '])))
        };
        match self {
            Self::File { path, address, .. } => {
                Some(format!("{} {}", path.display(), address.path.trim()))
            }
            Self::Argument(template) => named("argument", template),
            Self::Option(address) => named("argument", &address.path),
            Self::Environment(name) => named("variable", name),
            Self::Value(path) => Some(path.display().to_string()),
            Self::Command(template) | Self::Sql(template) => Some(format!("command {template}")),
            Self::Agent(_) => None,
        }
    }

    /// The file, its format and where in it, of what is a key of one.
    #[must_use]
    pub fn in_file(&self) -> Option<(&Path, Format, &Address)> {
        match self {
            Self::File {
                path,
                format,
                address,
            } => Some((path, *format, address)),
            _ => None,
        }
    }

    /// Whether what is written there is a secret by the name that it has there.
    #[must_use]
    pub fn is_secret(&self) -> bool {
        // A word that is no secret by its own form.
        const PROBE: &str = "probe";
        let hides = |line: &str| {
            let line = line.replace("{}", PROBE);
            let words: Vec<&str> = line.split_whitespace().collect();
            let by_option = plimsoll_secrets::command_line(&words);
            !by_option.contains(PROBE) || !plimsoll_secrets::text(&line).contains(PROBE)
        };
        match self {
            Self::File { address, .. } | Self::Option(address) => {
                plimsoll_secrets::is_secret(address.path.trim())
            }
            Self::Environment(name) => plimsoll_secrets::is_secret(name),
            Self::Argument(template) | Self::Command(template) | Self::Sql(template) => {
                template.contains("{}") && hides(template)
            }
            Self::Value(_) | Self::Agent(_) => false,
        }
    }

    /// Whether two of one component are written at the same place.
    #[must_use]
    pub fn is_as(&self, other: &Self) -> bool {
        self.same_for()
            .is_some_and(|own| other.same_for() == Some(own))
    }
}

impl TargetKnob {
    /// A value as it may be shown.
    #[must_use]
    pub fn shown<'a>(&self, value: &'a str) -> Cow<'a, str> {
        shown_value(&self.name, self.place.is_secret(), value)
    }

    /// A value of the study as its place writes it.
    #[must_use]
    pub fn spelled(&self, value: &str) -> String {
        let spelled = self.setting.and_then(|setting| {
            let spelling = setting.place.spelling;
            // What no place has a word for was refused before anything was done.
            setting.knob.spell(&setting.value(value), spelling).ok()
        });
        spelled.unwrap_or_else(|| value.to_owned())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn place_in_file(path: &str) -> Place {
        Place::File {
            path: PathBuf::from("application.properties"),
            format: Format::Properties,
            address: Address::new(path),
        }
    }

    #[test]
    fn what_is_a_secret_by_where_it_stands() {
        let secret = [
            place_in_file("db.password"),
            Place::Environment("API_TOKEN".to_owned()),
            Place::Argument("--password={}".to_owned()),
            Place::Command("redis-cli config set requirepass {}".to_owned()),
        ];
        for place in secret {
            assert!(place.is_secret(), "{place:?}");
        }
        let open = [
            place_in_file("server.tomcat.threads.max"),
            Place::Environment("WORKERS".to_owned()),
            Place::Argument("--workers={}".to_owned()),
            Place::Argument("--no-cache".to_owned()),
            Place::Command("redis-cli config set maxclients {}".to_owned()),
            Place::Sql("SET GLOBAL max_connections = {}".to_owned()),
        ];
        for place in open {
            assert!(!place.is_secret(), "{place:?}");
        }
    }
}
