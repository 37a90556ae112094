//! New lines of a log file, across rotation.

use std::fs::File;
use std::io;
use std::os::unix::fs::FileExt;

use crate::proc::log_file::{LogFile, identity};

/// More than that of one look is left out.
const MAX_BYTES: u64 = 8 << 20;
/// A line is no longer.
const MAX_LINE: usize = 64 << 10;

/// A log that grows.
pub(super) struct Tail {
    log: LogFile,
    file: Option<File>,
    at: u64,
    /// The beginning of a line whose end is not there yet.
    rest: Vec<u8>,
    /// Looked at before: what appears from now on is new from its beginning.
    known: bool,
    /// Bytes that were left out.
    pub(super) unread: u64,
}

impl Tail {
    pub(super) fn new(log: LogFile) -> Self {
        Self {
            log,
            file: None,
            at: 0,
            rest: Vec::new(),
            known: false,
            unread: 0,
        }
    }

    pub(super) fn log(&self) -> &LogFile {
        &self.log
    }

    /// Gives each line since the last look. The first look gives none: what happened before
    /// is not of this run.
    ///
    /// # Errors
    /// The file cannot be opened or read.
    pub(super) fn lines(&mut self, each: &mut impl FnMut(&str)) -> io::Result<()> {
        let begun = self.known;
        let now = self.log.look();
        if let Some(file) = self.file.take() {
            // What was written before the file was moved away is still read.
            self.read(&file, each)?;
            let (opened, _) = identity(&file.metadata()?);
            if now.is_ok_and(|(now, _)| now == opened) {
                self.file = Some(file);
                return Ok(());
            }
        }
        let file = match self.log.open() {
            Ok(file) => file,
            // nginx has moved its log away and not made the new one yet.
            Err(error) if begun && error.kind() == io::ErrorKind::NotFound => return Ok(()),
            Err(error) => return Err(error),
        };
        self.known = true;
        self.rest.clear();
        self.at = 0;
        if begun {
            self.read(&file, each)?;
        } else {
            self.at = file.metadata()?.len();
        }
        self.file = Some(file);
        Ok(())
    }

    fn read(&mut self, file: &File, each: &mut impl FnMut(&str)) -> io::Result<()> {
        let length = file.metadata()?.len();
        if length < self.at {
            // Emptied in place.
            self.at = 0;
            self.rest.clear();
        }
        if length - self.at > MAX_BYTES {
            let over = length - self.at - MAX_BYTES;
            self.unread += over;
            self.at += over;
            self.rest.clear();
        }
        let mut buffer = vec![
            0;
            usize::try_from(length - self.at)
                .unwrap_or(0)
                .min(256 << 10)
        ];
        while self.at < length {
            let count = file.read_at(&mut buffer, self.at)?;
            if count == 0 {
                break;
            }
            self.at += count as u64;
            self.split(&buffer[..count], each);
        }
        Ok(())
    }

    fn split(&mut self, bytes: &[u8], each: &mut impl FnMut(&str)) {
        let mut lines = bytes.split_inclusive(|byte| *byte == b'\n');
        for line in &mut lines {
            let Some(whole) = line.strip_suffix(b"\n") else {
                if self.rest.len() + line.len() <= MAX_LINE {
                    self.rest.extend_from_slice(line);
                }
                continue;
            };
            if self.rest.is_empty() {
                each(&String::from_utf8_lossy(whole));
            } else {
                self.rest.extend_from_slice(whole);
                each(&String::from_utf8_lossy(&self.rest));
                self.rest.clear();
            }
        }
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used, clippy::expect_used)]
mod tests {
    use super::*;
    use std::fs;
    use std::io::Write;

    fn lines(tail: &mut Tail) -> Vec<String> {
        let mut lines = Vec::new();
        tail.lines(&mut |line| lines.push(line.to_owned())).unwrap();
        lines
    }

    #[test]
    fn new_lines_only_also_across_rotation() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("a.log");
        assert!(Tail::new(LogFile::named(&path)).lines(&mut |_| ()).is_err());
        fs::write(&path, "old\n").unwrap();
        let mut tail = Tail::new(LogFile::named(&path));
        assert!(lines(&mut tail).is_empty());
        let mut file = fs::OpenOptions::new().append(true).open(&path).unwrap();
        file.write_all(b"one\ntw").unwrap();
        assert_eq!(lines(&mut tail), ["one"]);
        file.write_all(b"o\n").unwrap();
        fs::rename(&path, folder.path().join("a.log.1")).unwrap();
        assert_eq!(lines(&mut tail), ["two"]);
        fs::write(&path, "three\n").unwrap();
        assert_eq!(lines(&mut tail), ["three"]);
        fs::write(&path, "4\n").unwrap();
        assert_eq!(lines(&mut tail), ["4"]);
    }

    #[test]
    fn what_grows_too_quickly_is_left_out_and_counted() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("a.log");
        fs::write(&path, "").unwrap();
        let mut tail = Tail::new(LogFile::named(&path));
        assert!(lines(&mut tail).is_empty());
        let line = format!("{}\n", "x".repeat(1023));
        let all = line.repeat(9 << 10);
        fs::write(&path, &all).unwrap();
        assert_eq!(lines(&mut tail).len(), 8 << 10);
        assert_eq!(tail.unread, 1 << 20);
    }
}
