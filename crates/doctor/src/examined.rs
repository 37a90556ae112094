//! One thing that was looked at, and where.

use std::path::{Path, PathBuf};

use plimsoll_text::Message;
use serde_json::{Map, Value};

/// How it stands with one thing.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Grade {
    /// As it should be.
    Good,
    /// It is not used here; nothing is lost.
    Unused,
    /// It could not be seen.
    Unknown,
    /// Something costs the user something.
    Limited,
    /// Runs fail, or their figures are wrong.
    Bad,
}

impl Grade {
    /// Its name in JSON.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Good => "good",
            Self::Unused => "unused",
            Self::Unknown => "unknown",
            Self::Limited => "limited",
            Self::Bad => "bad",
        }
    }
}

/// What mends something: a command to copy.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Remedy(pub String);

/// One thing that was looked at.
#[derive(Debug, Clone, PartialEq)]
pub struct Examined {
    /// Its name in JSON; `doctor-<id>` is its title.
    pub id: &'static str,
    /// How it stands with it.
    pub grade: Grade,
    /// What was seen, by name.
    pub facts: Map<String, Value>,
    /// That in words.
    pub says: Message,
    /// What it costs the user; nothing where it is good.
    pub costs: Vec<Message>,
    /// What mends it, the first being the best.
    pub remedies: Vec<Remedy>,
}

impl Examined {
    /// A thing that is as it should be, so far.
    #[must_use]
    pub fn good(id: &'static str, says: Message) -> Self {
        Self {
            id,
            grade: Grade::Good,
            facts: Map::new(),
            says,
            costs: Vec::new(),
            remedies: Vec::new(),
        }
    }

    /// Adds what was seen.
    #[must_use]
    pub fn fact(mut self, name: &str, value: impl Into<Value>) -> Self {
        self.facts.insert(name.to_owned(), value.into());
        self
    }

    /// It costs something: the grade is at least this one.
    pub fn cost(&mut self, grade: Grade, costs: Message) -> &mut Self {
        self.grade = self.grade.max(grade);
        self.costs.push(costs);
        self
    }

    /// A command that mends it.
    pub fn mend(&mut self, command: impl Into<String>) -> &mut Self {
        self.remedies.push(Remedy(command.into()));
        self
    }
}

/// Where this program runs: commands that mend something depend on it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct HostSetting {
    /// In a container, where settings are those of who starts it.
    pub container: bool,
    /// As root.
    pub root: bool,
    /// The program's own file.
    pub program: PathBuf,
}

/// This program's own file, also where /proc does not say it.
fn program() -> PathBuf {
    let called = || PathBuf::from(std::env::args_os().next().unwrap_or_default());
    let on_path = || {
        let path = std::env::var_os("PATH").unwrap_or_default();
        let mut places = std::env::split_paths(&path).map(|folder| folder.join(called()));
        places.find(|place| place.is_file())
    };
    std::env::current_exe()
        .ok()
        .or_else(on_path)
        .or_else(|| std::path::absolute(called()).ok())
        .unwrap_or_else(called)
}

impl HostSetting {
    /// The setting of this process.
    #[must_use]
    pub fn here() -> Self {
        let marks = ["/.dockerenv", "/run/.containerenv"];
        Self {
            container: marks.iter().any(|mark| Path::new(mark).exists())
                || std::env::var_os("KUBERNETES_SERVICE_HOST").is_some(),
            root: rustix::process::geteuid().is_root(),
            program: program(),
        }
    }

    /// A command as root.
    #[must_use]
    pub fn as_root(&self, command: &str) -> String {
        match self.root {
            true => command.to_owned(),
            false => format!("sudo {command}"),
        }
    }

    /// A setting of the kernel's.
    #[must_use]
    pub fn sysctl(&self, name: &str, value: &str) -> String {
        match self.container {
            true => format!("docker run --sysctl {name}=\"{value}\" …"),
            false => self.as_root(&format!("sysctl -w {name}=\"{value}\"")),
        }
    }

    /// The installation of a package, whose name differs by package manager.
    #[must_use]
    pub fn install(&self, debian: &str, fedora: &str, alpine: &str) -> String {
        let managers = [
            ("apt-get", format!("apt-get install {debian}")),
            ("dnf", format!("dnf install {fedora}")),
            ("yum", format!("yum install {fedora}")),
            ("apk", format!("apk add {alpine}")),
        ];
        let there = |name: &str| {
            ["/usr/bin", "/bin", "/sbin", "/usr/sbin"]
                .iter()
                .any(|folder| Path::new(folder).join(name).exists())
        };
        let found = managers.iter().find(|(name, _)| there(name));
        self.as_root(found.map_or(&managers[0].1, |(_, command)| command))
    }
}

#[cfg(test)]
impl Examined {
    /// The ids of what it costs.
    pub(crate) fn costs_ids(&self) -> Vec<&str> {
        self.costs.iter().map(|costs| costs.id.as_str()).collect()
    }
}

/// A host of its own, not in a container and not as root.
#[cfg(test)]
pub(crate) fn test_setting() -> HostSetting {
    HostSetting {
        container: false,
        root: false,
        program: PathBuf::from("/p"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn commands_are_those_of_the_place() {
        let mut setting = HostSetting {
            container: false,
            root: false,
            program: PathBuf::from("/p"),
        };
        assert_eq!(setting.sysctl("a.b", "1 2"), "sudo sysctl -w a.b=\"1 2\"");
        setting.root = true;
        assert_eq!(setting.sysctl("a.b", "1"), "sysctl -w a.b=\"1\"");
        setting.container = true;
        assert!(
            setting
                .sysctl("a.b", "1")
                .starts_with("docker run --sysctl a.b")
        );
    }

    #[test]
    fn the_worst_grade_stays() {
        let mut one = Examined::good("x", Message::new("x"));
        one.cost(Grade::Bad, Message::new("a"));
        one.cost(Grade::Limited, Message::new("b"));
        assert_eq!((one.grade, one.costs.len()), (Grade::Bad, 2));
    }
}
