//! The JVM's process: how it is started, what it says, how it ends.

use std::collections::VecDeque;
use std::ffi::OsString;
use std::io::{BufRead, BufReader, Read};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use crate::error::StartError;
use crate::options::CompanionOptions;

/// Lines kept until somebody takes them.
const MOST_LINES: usize = 2_000;
/// Lines kept to say what the process said last.
const LAST_LINES: usize = 12;
/// How an entry of the log begins and ends (`log4j2.properties` of the companion).
const BEGIN: char = '\u{1}';
const END: char = '\u{2}';
/// What is kept of an entry.
const MOST_BYTES: usize = 16_384;

/// A line that the companion wrote: to JMeter's log, or to its output.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LogLine {
    /// `ERROR`, `WARN`, `INFO`, `DEBUG`; empty for its output (`OUT` in scripts).
    pub level: String,
    /// The text.
    pub text: String,
}

/// What the process wrote.
#[derive(Debug, Default)]
pub struct ProcessOutput {
    lines: VecDeque<LogLine>,
    dropped: u64,
    last: VecDeque<String>,
}

/// [`ProcessOutput`], for several threads.
pub type SharedSaid = Arc<Mutex<ProcessOutput>>;

impl ProcessOutput {
    fn add(&mut self, line: LogLine) {
        if self.last.len() == LAST_LINES {
            self.last.pop_front();
        }
        self.last.push_back(line.text.clone());
        if self.lines.len() == MOST_LINES {
            self.lines.pop_front();
            self.dropped += 1;
        }
        self.lines.push_back(line);
    }
}

/// Takes the lines so far; a last one tells of lines that were too many.
pub fn take_lines(said: &SharedSaid) -> Vec<LogLine> {
    let mut said = said.lock().unwrap_or_else(PoisonError::into_inner);
    let mut lines: Vec<LogLine> = said.lines.drain(..).collect();
    let dropped = std::mem::take(&mut said.dropped);
    if dropped > 0 {
        lines.push(LogLine {
            level: "WARN".to_owned(),
            text: format!("{dropped} lines of the companion's log were too many to keep"),
        });
    }
    lines
}

/// What it said last.
pub fn last_words(said: &SharedSaid) -> String {
    let said = said.lock().unwrap_or_else(PoisonError::into_inner);
    let last: Vec<&str> = said.last.iter().map(String::as_str).collect();
    last.join("\n")
}

/// The process and what it says.
#[derive(Debug)]
pub struct CompanionProcess {
    /// The child.
    pub child: Child,
    /// What it writes.
    pub said: SharedSaid,
}

/// Starts the JVM; it will connect to the socket.
pub fn spawn(options: &CompanionOptions, socket: &Path) -> Result<CompanionProcess, StartError> {
    let mut command = Command::new(&options.installed.java);
    command.args(arguments_of(options, "org.plimsoll.companion.Main"));
    command.arg(socket);
    command.stdin(Stdio::null());
    command.stdout(Stdio::piped()).stderr(Stdio::piped());
    let mut child = command.spawn().map_err(|error| StartError::System {
        what: options.installed.java.display().to_string(),
        why: error.to_string(),
    })?;
    let said = SharedSaid::default();
    listen(child.stdout.take(), &said);
    listen(child.stderr.take(), &said);
    Ok(CompanionProcess { child, said })
}

fn listen(pipe: Option<impl Read + Send + 'static>, said: &SharedSaid) {
    let Some(pipe) = pipe else { return };
    let said = Arc::clone(said);
    let work = move || {
        let mut pipe = BufReader::new(pipe);
        let mut line = Vec::new();
        let mut entry = None;
        while matches!(pipe.read_until(b'\n', &mut line), Ok(length) if length > 0) {
            let text = String::from_utf8_lossy(&line);
            let heard = hear(text.trim_end_matches(['\n', '\r']), &mut entry);
            if let Some(heard) = heard {
                add(&said, heard);
            }
            line.clear();
        }
        if let Some(cut) = entry {
            add(&said, cut);
        }
    };
    // Without the thread the JVM would only be mute.
    let _ = std::thread::Builder::new()
        .name("companion-log".into())
        .spawn(work);
}

fn add(said: &SharedSaid, line: LogLine) {
    said.lock()
        .unwrap_or_else(PoisonError::into_inner)
        .add(line);
}

/// A line of the output: what is complete with it, if something is.
fn hear(text: &str, entry: &mut Option<LogLine>) -> Option<LogLine> {
    let (begins, rest) = match text
        .strip_prefix(BEGIN)
        .and_then(|text| text.split_once(BEGIN))
    {
        Some((level, rest)) => (Some(level), rest),
        None => (None, text),
    };
    let (ends, rest) = match rest.strip_suffix(END) {
        Some(rest) => (true, rest),
        None => (false, rest),
    };
    let before = match begins {
        Some(level) => entry.replace(LogLine {
            level: level.to_owned(),
            text: String::new(),
        }),
        None => None,
    };
    let Some(open) = entry else {
        return Some(LogLine {
            level: String::new(),
            text: rest.to_owned(),
        });
    };
    if open.text.len() + rest.len() < MOST_BYTES && !rest.is_empty() {
        if !open.text.is_empty() {
            open.text.push('\n');
        }
        open.text.push_str(rest);
    }
    if ends { entry.take() } else { before }
}

/// Packages that JMeter's own launcher opens to libraries, for those that look into them.
const OPEN: [&str; 8] = [
    "java.base/java.lang",
    "java.base/java.lang.invoke",
    "java.base/java.lang.reflect",
    "java.base/java.net",
    "java.base/java.text",
    "java.base/java.util",
    "java.base/sun.security.x509",
    "java.base/sun.net.www.protocol.http",
];

/// The arguments of the JVM for a program of the companion's; the last is the companion's folder.
pub fn arguments_of(options: &CompanionOptions, program: &str) -> Vec<OsString> {
    let home = &options.installed.home;
    let mut arguments: Vec<OsString> = Vec::new();
    if let Some(most) = options.max_heap_mb {
        arguments.push(format!("-Xmx{most}m").into());
    }
    for open in OPEN {
        arguments.push(format!("--add-opens={open}=ALL-UNNAMED").into());
    }
    arguments.push("-XX:-OmitStackTraceInFastThrow".into());
    let archive = home.join("companion.jsa");
    if archive.is_file() {
        // Made by companion/build.sh; the JVM goes without if it does not fit.
        let mut option = OsString::from("-XX:SharedArchiveFile=");
        option.push(archive);
        arguments.push(option);
        arguments.push("-Xlog:cds=off,cds+dynamic=off,class+path=off".into());
    }
    arguments.push("-Djava.awt.headless=true".into());
    arguments.push("-Dfile.encoding=UTF-8".into());
    arguments.push("-Dlog4j2.disable.jmx=true".into());
    let mut log = OsString::from("-Dlog4j2.configurationFile=");
    log.push(home.join("log4j2.properties"));
    arguments.push(log);
    arguments.extend(options.jvm_arguments.iter().map(OsString::from));
    arguments.push("-cp".into());
    arguments.push(class_path(options));
    arguments.push(program.into());
    arguments.push(home.into());
    arguments
}

/// The companion's own libraries, then what JMeter's properties name.
fn class_path(options: &CompanionOptions) -> OsString {
    let home = &options.installed.home;
    let mut entries = vec![home.join("companion.jar")];
    for folder in ["lib", "lib/ext", "lib/junit"] {
        entries.push(home.join(folder).join("*"));
    }
    // JMeter 5.6.3, JMeterUtils.getSearchPaths and JMeter.updateClassLoader: the first is
    // separated as the system separates paths, the others by semicolons.
    let properties = &options.properties;
    let named = |name: &str| properties.get(name).unwrap_or_default();
    let user = named("user.classpath");
    let listed = [named("search_paths"), named("plugin_dependency_paths")];
    let listed: Vec<&str> = listed.iter().flat_map(|paths| paths.split(';')).collect();
    let paths = std::env::split_paths(&user).chain(listed.into_iter().map(PathBuf::from));
    for path in paths.filter(|path| !path.as_os_str().is_empty()) {
        if path.is_dir() {
            entries.push(path.join("*"));
        }
        entries.push(path);
    }
    let separated: Vec<OsString> = entries.into_iter().map(PathBuf::into_os_string).collect();
    separated.join(std::ffi::OsStr::new(":"))
}

/// Waits for the process to end by itself, then ends it.
pub fn finish(child: &mut Child, patience: Duration) {
    let deadline = Instant::now() + patience;
    while Instant::now() < deadline {
        match child.try_wait() {
            Ok(Some(_)) | Err(_) => return,
            Ok(None) => std::thread::sleep(Duration::from_millis(10)),
        }
    }
    // It may have ended meanwhile; then there is nothing to end.
    let _ = child.kill();
    let _ = child.wait();
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn entries_of_the_log_are_put_together() {
        let mut entry = None;
        let mut heard = Vec::new();
        for line in [
            "plain",
            "\u{1}INFO\u{1}c: one",
            "\u{2}",
            "\u{1}WARN\u{1}c: two",
            "java.lang.Error: why",
            "\tat x\u{2}",
            "plain again",
        ] {
            heard.extend(hear(line, &mut entry).map(|line| (line.level, line.text)));
        }
        let wanted = [
            ("", "plain"),
            ("INFO", "c: one"),
            ("WARN", "c: two\njava.lang.Error: why\n\tat x"),
            ("", "plain again"),
        ];
        let wanted = wanted.map(|(level, text)| (level.to_owned(), text.to_owned()));
        assert_eq!(heard, wanted);
    }
}
