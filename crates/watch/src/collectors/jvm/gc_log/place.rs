//! Where a GC log is: a path, or what a JVM's options and open files say.

use std::fs;
use std::io;
use std::path::PathBuf;

use plimsoll_text::Message;

use crate::collector::Trouble;
use crate::collectors::jvm::target::{JvmAddress, JvmProcess};
use crate::proc::log_file::LogFile;

/// Where to look for a log.
#[derive(Debug)]
pub(crate) enum GcLogPlace {
    /// A file.
    Path(PathBuf),
    /// That of a JVM.
    Jvm(JvmAddress, Option<JvmProcess>),
}

impl GcLogPlace {
    /// The log of that JVM.
    pub(crate) fn of(address: JvmAddress) -> Self {
        Self::Jvm(address, None)
    }

    /// Reads an address: a path (with a slash), or a JVM's port or process.
    ///
    /// # Errors
    /// It is neither.
    pub(crate) fn parse(text: &str) -> Result<Self, Trouble> {
        if text.contains('/') {
            return Ok(Self::Path(PathBuf::from(text)));
        }
        match JvmAddress::parse(text) {
            Ok(address) => Ok(Self::of(address)),
            Err(_) => Err(Trouble::new(
                Message::new("watch-jvm-gc-log-address").with("address", text),
            )),
        }
    }

    /// The address as it is written.
    pub(crate) fn text(&self) -> String {
        match self {
            Self::Path(path) => path.display().to_string(),
            Self::Jvm(address, _) => address.text(),
        }
    }

    /// Whether the JVM that was found is gone, so that another may be there.
    pub(crate) fn is_new_process(&mut self) -> bool {
        match self {
            Self::Jvm(_, process) => process.take_if(|process| !process.alive()).is_some(),
            Self::Path(_) => false,
        }
    }

    /// Whether a JVM was found.
    pub(crate) fn has_process(&self) -> bool {
        matches!(self, Self::Jvm(_, Some(_)))
    }

    /// The name of the JVM that writes it.
    pub(crate) fn name(&self) -> String {
        match self {
            Self::Path(path) => {
                let name = path.file_name().unwrap_or(path.as_os_str());
                name.to_string_lossy().into_owned()
            }
            Self::Jvm(_, Some(process)) => process.name(),
            Self::Jvm(address, None) => address.guess(),
        }
    }

    /// The file that is written now.
    ///
    /// # Errors
    /// There is none; the message says which option makes one.
    pub(crate) fn find(&mut self) -> Result<LogFile, Trouble> {
        match self {
            Self::Path(path) => Ok(LogFile::named(path.as_path())),
            Self::Jvm(address, process) => {
                let process = match process {
                    Some(process) => process,
                    none => none.insert(JvmProcess::find(*address)?),
                };
                log_of(process)
            }
        }
    }
}

/// The log that a JVM's options ask for, among the files it has open.
fn log_of(process: &JvmProcess) -> Result<LogFile, Trouble> {
    let trouble = |id: &str| Trouble::new(Message::new(id).with("pid", process.pid.to_string()));
    let arguments = process.arguments();
    let written = arguments.iter().rev().find_map(|option| output(option));
    let Some(written) = written else {
        return Err(trouble("watch-jvm-no-gc-log"));
    };
    let folder = format!("/proc/{}/fd", process.pid);
    let denied = |error: &io::Error| {
        Trouble::new(
            Message::new("watch-jvm-denied")
                .with("path", folder.as_str())
                .with("reason", error.to_string()),
        )
    };
    let root = process.root().map_err(|error| denied(&error))?;
    let GcLogOutput::File(pattern) = written else {
        // A log to the standard output can be followed where that is a file.
        let target = fs::read_link(format!("{folder}/1")).ok();
        let inner = target.and_then(|target| root.inner(&target));
        let file = inner.map(|inner| LogFile::of(&root, inner));
        let file = file.filter(|file| file.look().is_ok());
        return file.ok_or_else(|| trouble("watch-jvm-gc-log-to-stdout"));
    };
    let open = fs::read_dir(&folder).map_err(|error| denied(&error))?;
    let targets = open
        .flatten()
        .filter_map(|link| root.inner(&fs::read_link(link.path()).ok()?));
    let found = { targets }.find(|target| matches(pattern, &target.to_string_lossy()));
    found
        .map(|target| LogFile::of(&root, target))
        .ok_or_else(|| trouble("watch-jvm-no-gc-log"))
}

/// Where an option sends the log.
#[derive(Debug, PartialEq, Eq)]
enum GcLogOutput<'a> {
    Stdout,
    /// A path, maybe with `%p` and `%t`, absolute or not.
    File(&'a str),
}

/// What `-Xlog:gc*:file=PATH:…`, `-Xloggc:PATH`, `-Xlog:gc` or `-verbose:gc` asks for.
fn output(option: &str) -> Option<GcLogOutput<'_>> {
    if let Some(path) = option.strip_prefix("-Xloggc:") {
        return Some(GcLogOutput::File(path));
    }
    if matches!(
        option,
        "-verbose:gc" | "-XX:+PrintGC" | "-XX:+PrintGCDetails"
    ) {
        return Some(GcLogOutput::Stdout);
    }
    let rest = option.strip_prefix("-Xlog:")?;
    let mut parts = rest.split(':');
    let what = parts.next()?;
    let names_gc = what.split([',', '+']).any(|tag| {
        let tag = tag.split(['=', '*']).next().unwrap_or(tag);
        matches!(tag, "gc" | "all")
    });
    if !names_gc && !what.is_empty() {
        return None;
    }
    match parts.next().unwrap_or("") {
        "" | "stdout" => Some(GcLogOutput::Stdout),
        "stderr" => None,
        path => {
            let path = path.strip_prefix("file=").unwrap_or(path);
            Some(GcLogOutput::File(path.trim_matches('"')))
        }
    }
}

/// Whether an open file is the one of a pattern: `%p`, `%t` and `%hn` stand for anything, a
/// relative pattern for its end, and JDK 8 adds `.N.current`.
fn matches(pattern: &str, name: &str) -> bool {
    let mut pieces = Vec::new();
    let mut rest = pattern;
    while let Some(at) = rest.find('%') {
        pieces.push(&rest[..at]);
        let skip = if rest[at..].starts_with("%hn") { 3 } else { 2 };
        rest = rest.get(at + skip..).unwrap_or("");
    }
    pieces.push(rest);
    let name = match name
        .strip_suffix(".current")
        .and_then(|name| name.rsplit_once('.'))
    {
        Some((base, number)) if number.bytes().all(|byte| byte.is_ascii_digit()) => base,
        _ => name,
    };
    let first = pieces[0].trim_start_matches("./");
    let mut at = if pattern.starts_with('/') {
        if !name.starts_with(first) {
            return false;
        }
        first.len()
    } else if pieces.len() == 1 {
        return name.ends_with(&format!("/{first}"));
    } else {
        match name.rfind(&format!("/{first}")) {
            Some(found) => found + 1 + first.len(),
            None => return false,
        }
    };
    for (n, piece) in pieces.iter().enumerate().skip(1) {
        let last = n + 1 == pieces.len();
        let Some(left) = name.get(at..) else {
            return false;
        };
        if last {
            return left.ends_with(piece);
        }
        match left.find(piece) {
            Some(found) => at += found + piece.len(),
            None => return false,
        }
    }
    at == name.len()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn options_name_the_log() {
        let file = |path| Some(GcLogOutput::File(path));
        for (option, expected) in [
            ("-Xloggc:/var/log/gc-%t.log", file("/var/log/gc-%t.log")),
            (
                "-Xlog:gc*:file=gc.log:time,uptime:filecount=5",
                file("gc.log"),
            ),
            ("-Xlog:gc*,safepoint:logs/gc.log", file("logs/gc.log")),
            (
                "-Xlog:safepoint,gc=debug:file=\"/a/gc.log\"",
                file("/a/gc.log"),
            ),
            ("-Xlog:gc", Some(GcLogOutput::Stdout)),
            ("-Xlog:gc+heap=debug:stdout:time", Some(GcLogOutput::Stdout)),
            ("-verbose:gc", Some(GcLogOutput::Stdout)),
            ("-Xlog:class+load:file=classes.log", None),
            ("-Xmx512m", None),
        ] {
            assert_eq!(output(option), expected, "{option}");
        }
    }

    #[test]
    fn open_files_are_told_from_others() {
        for (pattern, name, expected) in [
            ("/var/log/gc.log", "/var/log/gc.log", true),
            ("/var/log/gc.log", "/var/log/gc.log.2.current", true),
            ("/var/log/gc.log", "/var/log/gc.log.1", false),
            ("/log/gc-%t.log", "/log/gc-2026-11-22_03-04-05.log", true),
            (
                "/log/gc-%p-%t.log",
                "/log/gc-pid12-2026.log.0.current",
                true,
            ),
            ("/log/gc-%p.log", "/log/app-12.log", false),
            ("logs/gc.log", "/opt/app/logs/gc.log", true),
            ("./gc.log", "/opt/app/gc.log", true),
            ("gc-%p.log", "/opt/app/gc-77.log", true),
            ("gc.log", "/opt/app/other-gc.log", false),
            ("/gc.log", "/gc.logs", false),
        ] {
            assert_eq!(matches(pattern, name), expected, "{pattern} {name}");
        }
    }
}
