//! Options of commands: which words are one, what they say, and where one more belongs.

use std::ops::Range;

use crate::formats::editor::relaxed;
use crate::formats::error::Stop;

/// What an address in a command means.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum CommandOption {
    /// `-Xmx512m`: a name with the value right behind it, or `-XX:Name=value` that means the same.
    Joined(String),
    /// `-XX:Name=value`, `-Dname=value`.
    Equals(String),
    /// `-XX:+Name` and `-XX:-Name`.
    Switch(String),
    /// `-XX:+UseG1GC`: one of several that exclude each other.
    Collector,
    /// `--name=value` or `--name value` of the program itself.
    Argument(String),
    /// `NAME=value` before the program.
    Variable(String),
}

const FORM: &str = "-Xmx, -XX:Name, -XX:+Name, -XX:+Use*GC, -Dname, --name, NAME=";

/// The flag that a short option of the JVM is.
pub(crate) fn flag_of_short(option: &str) -> Option<&'static str> {
    match option {
        "-Xmx" => Some("MaxHeapSize"),
        "-Xms" => Some("InitialHeapSize"),
        _ => None,
    }
}

/// The long form of a short option, up to its value.
fn long_of(short: &str) -> Option<String> {
    flag_of_short(short).map(|flag| format!("-XX:{flag}="))
}

/// Options of V8 that Node.js takes.
const V8_OPTIONS: [&str; 2] = ["--max-old-space-size", "--max-semi-space-size"];

/// Options of Java whose value is the next word.
pub(super) const WITH_WORD: [&str; 14] = [
    "-cp",
    "-classpath",
    "--class-path",
    "-p",
    "--module-path",
    "--upgrade-module-path",
    "--add-modules",
    "--add-opens",
    "--add-exports",
    "--add-reads",
    "--limit-modules",
    "--patch-module",
    "--enable-native-access",
    "--source",
];

/// What was found: the words, and the value that they say.
pub(super) struct FoundOption {
    pub(super) words: Range<usize>,
    pub(super) value: String,
}

impl CommandOption {
    pub(super) fn read(path: &str) -> Result<Self, Stop> {
        let path = path.trim();
        let name = |c: char| c.is_ascii_alphanumeric() || matches!(c, '_' | '-' | '.' | '[' | ']');
        let named = |rest: &str| !rest.is_empty() && rest.chars().all(name);
        if path == "-XX:+Use*GC" {
            return Ok(Self::Collector);
        }
        if let Some(rest) = path.strip_prefix("-XX:+") {
            return match named(rest) {
                true => Ok(Self::Switch(rest.to_owned())),
                false => Err(Stop::address(path, FORM)),
            };
        }
        for prefix in ["-XX:", "-D"] {
            if path.strip_prefix(prefix).is_some_and(named) {
                return Ok(Self::Equals(format!("{path}=")));
            }
        }
        if path.strip_prefix("-X").is_some_and(named) {
            return Ok(Self::Joined(path.to_owned()));
        }
        if path.starts_with('-') && named(path.trim_start_matches('-')) {
            return Ok(Self::Argument(path.to_owned()));
        }
        match path.strip_suffix('=') {
            Some(variable) if named(variable) => Ok(Self::Variable(path.to_owned())),
            _ => Err(Stop::address(path, FORM)),
        }
    }

    /// Whether it is the JVM's own.
    pub(super) fn of_jvm(&self) -> bool {
        !matches!(self, Self::Argument(_) | Self::Variable(_))
    }

    /// What the words at a place say of it.
    fn at(&self, words: &[String], place: usize) -> Option<FoundOption> {
        let word = words[place].as_str();
        let one = |value: &str| {
            Some(FoundOption {
                words: place..place + 1,
                value: value.to_owned(),
            })
        };
        match self {
            Self::Joined(name) => {
                let long = long_of(name);
                let long = long.and_then(|long| word.strip_prefix(long.as_str()));
                one(long.or_else(|| word.strip_prefix(name.as_str()))?)
            }
            Self::Equals(name) | Self::Variable(name) => one(word.strip_prefix(name.as_str())?),
            Self::Switch(name) => match word.strip_prefix("-XX:")? {
                rest if rest.strip_prefix('+') == Some(name) => one("on"),
                rest if rest.strip_prefix('-') == Some(name) => one("off"),
                _ => None,
            },
            Self::Collector => one(collector(word)?),
            Self::Argument(name) => {
                let (own, value) = word
                    .split_once('=')
                    .map_or((word, None), |(a, b)| (a, Some(b)));
                let same = own == name
                    || name.starts_with("--")
                        && own.starts_with("--")
                        && relaxed(own) == relaxed(name);
                match (same, value) {
                    (false, _) => None,
                    (true, Some(value)) => one(value),
                    (true, None) => {
                        let next = words
                            .get(place + 1)
                            .filter(|next| !next.starts_with("--"))?;
                        Some(FoundOption {
                            words: place..place + 2,
                            value: next.clone(),
                        })
                    }
                }
            }
        }
    }

    /// Where it stands in a command; the last of several holds.
    pub(super) fn find(&self, words: &[String]) -> Option<FoundOption> {
        self.all(words).pop()
    }

    /// All words that must go for another value: with two collectors a JVM does not start. Of other options the last
    /// one holds, whatever stands before it.
    pub(super) fn exchanged(&self, words: &[String]) -> Vec<FoundOption> {
        let mut all = self.all(words);
        match self {
            Self::Collector => all,
            _ => all.split_off(all.len().saturating_sub(1)),
        }
    }

    fn all(&self, words: &[String]) -> Vec<FoundOption> {
        let places = self.places(words);
        let mut found = Vec::new();
        let mut at = places.start;
        while at < places.end {
            match self.at(words, at) {
                Some(one) => {
                    at = one.words.end;
                    found.push(one);
                }
                None => at += 1,
            }
        }
        found
    }

    /// The words that say a value, in the form that they had.
    pub(super) fn words(&self, value: &str, before: &[String]) -> Vec<String> {
        let first = before.first().map_or("", String::as_str);
        match self {
            Self::Joined(name) => {
                let long = long_of(name).filter(|long| first.starts_with(long.as_str()));
                vec![format!("{}{value}", long.as_ref().unwrap_or(name))]
            }
            Self::Equals(name) | Self::Variable(name) => vec![format!("{name}{value}")],
            Self::Switch(name) => {
                let sign = if value == "on" { '+' } else { '-' };
                vec![format!("-XX:{sign}{name}")]
            }
            Self::Collector => vec![format!("-XX:+Use{value}GC")],
            Self::Argument(name) => match before {
                [own, _] => vec![own.clone(), value.to_owned()],
                [one] => vec![format!("{}={value}", one.split('=').next().unwrap_or(name))],
                // Short options stand apart from their values.
                _ if !name.starts_with("--") => vec![name.clone(), value.to_owned()],
                _ => vec![format!("{name}={value}")],
            },
        }
    }

    /// The words among which it may stand.
    pub(super) fn places(&self, words: &[String]) -> Range<usize> {
        let java = java_at(words);
        match (self, java) {
            (Self::Variable(_), _) => 0..assignments(words),
            (_, Some(java)) if self.of_jvm() => java + 1..main_at(words, java),
            (_, Some(java)) => behind_main(words, java)..words.len(),
            (_, None) if self.of_jvm() => 0..words.len(),
            (_, None) => match self.behind_node(words) {
                Some(begin) => {
                    let rest = words[begin..].iter();
                    let options = rest.take_while(|word| word.starts_with('-'));
                    begin..begin + options.count()
                }
                None => 1.min(words.len())..words.len(),
            },
        }
    }

    /// Before which word one more belongs: after all that it must override.
    pub(super) fn place_for_new(&self, words: &[String]) -> usize {
        match self.behind_node(words) {
            // Some of Node.js's own options have a value of their own behind them.
            Some(_) => self.places(words).start,
            None => self.places(words).end,
        }
    }

    /// Where Node.js's options begin, if this is one of V8's, which it takes before the script alone.
    fn behind_node(&self, words: &[String]) -> Option<usize> {
        let is_of_v8 = matches!(self, Self::Argument(name) if V8_OPTIONS.contains(&name.as_str()));
        let is_node = |word: &String| {
            let program = word.rsplit('/').next().unwrap_or_default();
            ["node", "nodejs"].contains(&program)
        };
        let at = words.iter().position(is_node).filter(|_| is_of_v8)?;
        Some(at + 1)
    }
}

/// `G1` of `-XX:+UseG1GC`.
fn collector(word: &str) -> Option<&str> {
    let name = match word.strip_prefix("-XX:+Use")?.strip_suffix("GC")? {
        // The halves of one collector that Java 8 has flags for.
        "ParallelOld" => "Parallel",
        "ParNew" => "ConcMarkSweep",
        name => name,
    };
    // The rest end in GC and choose none: -XX:+UseMaximumCompactionOnSystemGC, …AdaptiveSizePolicyWithSystemGC.
    [
        "Serial",
        "Parallel",
        "G1",
        "Z",
        "Shenandoah",
        "Epsilon",
        "ConcMarkSweep",
    ]
    .contains(&name)
    .then_some(name)
}

/// The place of the word that starts Java, by itself or through other programs (`taskset -c 0 java …`).
#[must_use]
pub fn java_at(words: &[String]) -> Option<usize> {
    let name = |word: &String| word.rsplit('/').next().unwrap_or_default().to_owned();
    let run = run_by(words);
    let behind = run.iter().position(|word| name(word) == "java")?;
    Some(words.len() - words_left(words).len() + behind)
}

/// The words that may name the program that a command is there to run: the first one, or any where the first one starts
/// others (`taskset -c 0 java …`).
pub(crate) fn run_by(words: &[String]) -> &[String] {
    let left = words_left(words);
    let first = left.first().and_then(|word| word.rsplit('/').next());
    match first {
        Some(program) if STARTERS.contains(&program) => left,
        _ => &left[..left.len().min(1)],
    }
}

/// What is behind the variables.
fn words_left(words: &[String]) -> &[String] {
    &words[assignments(words)..]
}

/// Programs that start another one, which is named behind their own options.
const STARTERS: &[&str] = &[
    "cgexec",
    "chroot",
    "chrt",
    "dbus-run-session",
    "docker",
    "doas",
    "dumb-init",
    "env",
    "exec",
    "firejail",
    "gosu",
    "ionice",
    "ip",
    "nice",
    "nohup",
    "nsenter",
    "numactl",
    "perf",
    "podman",
    "prlimit",
    "runuser",
    "setarch",
    "setpriv",
    "setsid",
    "stdbuf",
    "strace",
    "su-exec",
    "sudo",
    "systemd-run",
    "taskset",
    "time",
    "timeout",
    "tini",
    "unshare",
];

/// Variables before the program.
fn assignments(words: &[String]) -> usize {
    let name = |text: &str| {
        text.starts_with(|c: char| c.is_ascii_alphabetic() || c == '_')
            && text.chars().all(|c| c.is_ascii_alphanumeric() || c == '_')
    };
    let is = |word: &&String| {
        word.split_once('=').is_some_and(|(before, _)| name(before)) || *word == "env"
    };
    words.iter().take_while(is).count()
}

/// `-jar`, `-m` or the class to run.
fn main_at(words: &[String], java: usize) -> usize {
    let mut at = java + 1;
    while let Some(word) = words.get(at) {
        match word.as_str() {
            "-jar" | "-m" | "--module" => return at,
            with if WITH_WORD.contains(&with) => at += 2,
            // What a shell puts in may be options.
            option if option.starts_with(['-', '@', '$', '`']) => at += 1,
            _ => return at,
        }
    }
    words.len()
}

fn behind_main(words: &[String], java: usize) -> usize {
    let main = main_at(words, java);
    let with_word = words.get(main).is_some_and(|word| word.starts_with('-'));
    (main + 1 + usize::from(with_word)).min(words.len())
}
