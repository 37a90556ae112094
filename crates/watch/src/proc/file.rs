//! Small files that are read again and again.

use std::fs::File;
use std::io;
use std::os::unix::fs::FileExt;
use std::path::{Path, PathBuf};

use plimsoll_text::Message;

use crate::collector::Trouble;

/// No file of `/proc` that is of use is larger: 300,000 sockets as text.
const MAX_BYTES: usize = 64 << 20;

/// A file that is kept open between looks: reading costs one system call, and a process'
/// file never turns into that of another process with the same number.
#[derive(Debug)]
pub(crate) struct KeptFile {
    path: PathBuf,
    file: Option<File>,
    bytes: Vec<u8>,
}

impl KeptFile {
    /// The file at that path; nothing is opened yet.
    pub(crate) fn new(path: impl Into<PathBuf>) -> Self {
        Self {
            path: path.into(),
            file: None,
            bytes: Vec::new(),
        }
    }

    /// Its text now. After a failure the next call opens it anew.
    pub(crate) fn text(&mut self) -> io::Result<&str> {
        let file = match self.file.take() {
            Some(file) => file,
            None => File::open(&self.path)?,
        };
        fill(&mut self.bytes, |buffer, offset| {
            file.read_at(buffer, offset)
        })?;
        self.file = Some(file);
        Ok(text(&mut self.bytes))
    }

    /// The same, and its failure as a trouble that names the file.
    pub(crate) fn text_or_trouble(&mut self) -> Result<&str, Trouble> {
        let path = self.path.clone();
        self.text().map_err(|error| unreadable(&path, &error))
    }
}

/// The trouble of a file that cannot be read.
pub(crate) fn unreadable(path: &Path, error: &io::Error) -> Trouble {
    Trouble::new(
        Message::new("watch-file-unreadable")
            .with("path", path.display().to_string())
            .with("reason", error.to_string()),
    )
}

/// Reads a file once, at most [`MAX_BYTES`].
pub(crate) fn read(path: impl AsRef<Path>) -> io::Result<String> {
    let file = File::open(path)?;
    let mut bytes = Vec::new();
    fill(&mut bytes, |buffer, offset| file.read_at(buffer, offset))?;
    Ok(String::from_utf8_lossy(&bytes).into_owned())
}

/// Reads a file that holds one number.
pub(crate) fn number<T: std::str::FromStr>(path: impl AsRef<Path>) -> Option<T> {
    read(path).ok()?.trim().parse().ok()
}

/// Fills a buffer that is used again by reads at offsets until one gives nothing.
pub(crate) fn fill(
    bytes: &mut Vec<u8>,
    mut read_at: impl FnMut(&mut [u8], u64) -> io::Result<usize>,
) -> io::Result<()> {
    let mut length = 0;
    bytes.resize(bytes.capacity().max(4096), 0);
    loop {
        if length == bytes.len() {
            if length >= MAX_BYTES {
                return Err(io::Error::from(io::ErrorKind::FileTooLarge));
            }
            bytes.resize(length * 2, 0);
        }
        match read_at(&mut bytes[length..], length as u64) {
            Ok(0) => break,
            Ok(count) => length += count,
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            Err(error) => return Err(error),
        }
    }
    bytes.truncate(length);
    Ok(())
}

/// Bytes as text; bytes that are none (in the name of a process) become `?`.
pub(crate) fn text(bytes: &mut [u8]) -> &str {
    while let Err(error) = std::str::from_utf8(bytes) {
        bytes[error.valid_up_to()] = b'?';
    }
    std::str::from_utf8(bytes).unwrap_or_default()
}

/// The numbers of a line; what is no number is left out.
pub(crate) fn numbers(line: &str) -> impl Iterator<Item = f64> {
    line.split_ascii_whitespace()
        .filter_map(|word| word.parse().ok())
}

#[cfg(test)]
#[allow(clippy::unwrap_used, clippy::expect_used)]
mod tests {
    use super::*;

    #[test]
    fn a_kept_file_is_read_anew_each_time_and_opened_again_after_a_failure() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("value");
        let mut kept = KeptFile::new(&path);
        assert!(kept.text().is_err());
        std::fs::write(&path, "1\n").unwrap();
        assert_eq!(kept.text().unwrap(), "1\n");
        std::fs::write(&path, "long ".repeat(4000)).unwrap();
        assert_eq!(kept.text().unwrap().len(), 20_000);
        std::fs::write(&path, b"\xff2\xfe").unwrap();
        assert_eq!(kept.text().unwrap(), "?2?");
    }
}
