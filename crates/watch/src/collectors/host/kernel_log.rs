//! Who was killed for want of memory, by the kernel's log (`/dev/kmsg`, only read).

use std::fs::{File, OpenOptions};
use std::io::{ErrorKind, Read, Seek, SeekFrom};
use std::os::unix::fs::OpenOptionsExt;
use std::path::Path;

/// A record of the log is no longer.
const RECORD_BYTES: usize = 8 << 10;
/// So many records are read at once.
const MAX_RECORDS: usize = 10_000;
/// So many names are told.
const MAX_NAMES: usize = 10;

/// The log from now on; without the right to read it it stays empty.
#[derive(Debug)]
pub(super) struct KernelLog(Option<File>);

impl KernelLog {
    /// Opens it at its end.
    pub(super) fn at_end(path: &Path) -> Self {
        let mut options = OpenOptions::new();
        options.read(true).custom_flags(libc::O_NONBLOCK);
        let opened = options.open(path).and_then(|mut file| {
            file.seek(SeekFrom::End(0))?;
            Ok(file)
        });
        Self(opened.ok())
    }

    /// Processes that were killed since the last call: `java (1234)`.
    pub(super) fn killed(&mut self) -> Vec<String> {
        let mut names = Vec::new();
        let Some(file) = &mut self.0 else {
            return names;
        };
        let mut bytes = vec![0; RECORD_BYTES];
        for _ in 0..MAX_RECORDS {
            // Each call gives one record.
            match file.read(&mut bytes) {
                Ok(0) => break,
                Ok(count) => {
                    let text = String::from_utf8_lossy(&bytes[..count]);
                    names.extend(text.lines().filter_map(killed));
                }
                // Records were overwritten before they were read.
                Err(error) if error.kind() == ErrorKind::BrokenPipe => {}
                Err(_) => break,
            }
        }
        names.truncate(MAX_NAMES);
        names
    }
}

/// The process in a line such as `6,1,2,-;Out of memory: Killed process 1234 (java) total-vm: …`.
fn killed(line: &str) -> Option<String> {
    let (_, text) = line.split_once(';')?;
    let (cause, rest) = text.split_once("Killed process ")?;
    if !cause.to_ascii_lowercase().contains("out of memory") {
        return None;
    }
    let (pid, rest) = rest.split_once(" (")?;
    let pid: u32 = pid.parse().ok()?;
    // A name may hold brackets; what follows it begins after the last one.
    let end = rest.rfind(") total-vm").or_else(|| rest.rfind(')'))?;
    Some(format!("{} ({pid})", &rest[..end]))
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use std::io::Write;

    use super::*;
    use proptest::prelude::*;

    #[test]
    fn who_was_killed_since_is_read() {
        let mut file = tempfile::NamedTempFile::new().unwrap();
        writeln!(
            file,
            "3,1,1,-;Out of memory: Killed process 1 (old) total-vm:1kB"
        )
        .unwrap();
        let mut log = KernelLog::at_end(file.path());
        assert!(log.killed().is_empty());
        for line in [
            "6,2,2,-;oom-kill:constraint=CONSTRAINT_MEMCG,task=java,pid=12",
            "3,3,3,-;Memory cgroup out of memory: Killed process 12 (a) (b) total-vm:1kB, anon-rss:2kB",
            "3,4,4,-;Out of memory: Killed process 34 (java) total-vm:1kB",
            "3,5,5,-;Killed process 56 (other)",
        ] {
            writeln!(file, "{line}").unwrap();
        }
        assert_eq!(log.killed(), ["a) (b (12)", "java (34)"]);
        assert!(log.killed().is_empty());
        assert!(KernelLog::at_end(Path::new("/nowhere")).killed().is_empty());
    }

    proptest! {
        #[test]
        fn never_panics(line in "([0-9]{1,4},|-;|Out of memory: |Killed process |[(]|[)]| total-vm|.){0,12}") {
            let _ = killed(&line);
        }
    }
}
