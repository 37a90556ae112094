//! Follows a file that grows, is rotated or begins again.

use std::fs::File;
use std::io;
use std::os::unix::fs::FileExt;

use crate::proc::log_file::{FileIdentity, LogFile, identity};

/// Bytes read at one look at most; the rest comes at the next.
const MAX_READ: usize = 4 << 20;
/// A line longer than this is dropped.
const MAX_LINE: usize = 64 << 10;

/// A file that is read from its end on.
#[derive(Debug, Default)]
pub(crate) struct Follower {
    open: Option<OpenLog>,
    /// Whether a file was open before: the next one is read from its beginning.
    again: bool,
    line: Vec<u8>,
}

#[derive(Debug)]
struct OpenLog {
    file: File,
    identity: FileIdentity,
    offset: u64,
}

impl Follower {
    /// Gives the lines that were written since the last call. The first call gives none: what
    /// was written before is of another time.
    ///
    /// # Errors
    /// The file is not there or cannot be read; what an open one still held is given.
    pub(crate) fn read(&mut self, log: &LogFile, take: &mut impl FnMut(&str)) -> io::Result<()> {
        let mut left = MAX_READ;
        if self.open.is_some() {
            self.drain(&mut left, take)?;
        }
        let (now, length) = log.look()?;
        match &mut self.open {
            Some(open) if open.identity == now => {
                if length < open.offset {
                    open.offset = 0;
                    self.line.clear();
                    self.drain(&mut left, take)?;
                }
            }
            _ if left == 0 => {}
            other => {
                let file = log.open()?;
                let (identity, length) = identity(&file.metadata()?);
                *other = Some(OpenLog {
                    offset: if self.again { 0 } else { length },
                    identity,
                    file,
                });
                self.again = true;
                self.line.clear();
                self.drain(&mut left, take)?;
            }
        }
        Ok(())
    }

    /// The beginning of the file, which tells how the JVM was set up.
    pub(crate) fn head(log: &LogFile) -> io::Result<String> {
        let mut bytes = vec![0; 16 << 10];
        let read = log.open()?.read_at(&mut bytes, 0)?;
        Ok(String::from_utf8_lossy(&bytes[..read]).into_owned())
    }

    fn drain(&mut self, left: &mut usize, take: &mut impl FnMut(&str)) -> io::Result<()> {
        let Some(open) = &mut self.open else {
            return Ok(());
        };
        let mut chunk = [0; 16 << 10];
        while *left > 0 {
            let size = chunk.len().min(*left);
            let read = open.file.read_at(&mut chunk[..size], open.offset)?;
            if read == 0 {
                break;
            }
            open.offset += read as u64;
            *left -= read;
            for piece in chunk[..read].split_inclusive(|byte| *byte == b'\n') {
                // A file that was cut and written on at the old place is filled with NUL.
                self.line.extend(piece.iter().filter(|byte| **byte != 0));
                if piece.ends_with(b"\n") {
                    if self.line.len() <= MAX_LINE {
                        take(String::from_utf8_lossy(&self.line).trim_end());
                    }
                    self.line.clear();
                }
                self.line.truncate(MAX_LINE + 1);
            }
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, clippy::expect_used)]
    use std::fs;
    use std::io::Write;

    use super::*;

    #[test]
    fn a_file_is_followed_as_it_grows_is_renamed_and_cut() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("gc.log");
        let (log, mut follower) = (LogFile::named(&path), Follower::default());
        let mut read = || {
            let mut lines = Vec::new();
            let result = follower.read(&log, &mut |line| lines.push(line.to_owned()));
            (lines, result.is_ok())
        };
        assert_eq!(read(), (vec![], false));
        let mut log = File::create(&path).unwrap();
        writeln!(log, "before").unwrap();
        assert_eq!(read(), (vec![], true));
        write!(log, "one\ntw").unwrap();
        assert_eq!(read(), (vec!["one".to_owned()], true));
        writeln!(log, "o").unwrap();
        fs::rename(&path, folder.path().join("gc.log.0")).unwrap();
        writeln!(log, "last").unwrap();
        assert_eq!(read(), (vec!["two".to_owned(), "last".to_owned()], false));
        let mut log = File::create(&path).unwrap();
        writeln!(log, "new").unwrap();
        assert_eq!(read(), (vec!["new".to_owned()], true));
        log.set_len(0).unwrap();
        // Written on where it was: the hole before it reads as NUL.
        writeln!(log, "after").unwrap();
        log.set_len(5).unwrap();
        assert_eq!(read().0, Vec::<String>::new());
        let long = "x".repeat(MAX_LINE + 10);
        fs::write(&path, format!("{long}\nshort\n")).unwrap();
        assert_eq!(read().0, ["short"]);
    }
}
