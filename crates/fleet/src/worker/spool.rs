//! Reports that the server has not confirmed: in memory, and beyond a limit in a file.

use std::collections::VecDeque;
use std::fs::{File, OpenOptions};
use std::io;
use std::os::unix::fs::{FileExt as _, OpenOptionsExt as _};
use std::path::PathBuf;
use std::sync::{Mutex, MutexGuard, PoisonError};

use bytes::Bytes;
use tokio::sync::Notify;

/// Reports in memory, bytes; what is more goes to the file.
const MEMORY_BYTES: usize = 8 * 1024 * 1024;

/// A queue of numbered reports: the front is sent until it is confirmed.
#[derive(Debug)]
pub(super) struct Spool {
    inner: Mutex<SpoolInner>,
    more: Notify,
}

#[derive(Debug)]
struct SpoolInner {
    path: PathBuf,
    memory_limit: usize,
    memory: VecDeque<(u64, Bytes)>,
    bytes: usize,
    /// Later than all in memory.
    file: Option<Overflow>,
    last: u64,
    closed: bool,
}

#[derive(Debug)]
struct Overflow {
    file: File,
    read_at: u64,
    write_at: u64,
    entries: u64,
}

impl Spool {
    /// An empty spool; the file is made when it is needed.
    pub fn new(path: PathBuf) -> Self {
        Self::with_limit(path, MEMORY_BYTES)
    }

    fn with_limit(path: PathBuf, memory_limit: usize) -> Self {
        let inner = SpoolInner {
            path,
            memory_limit,
            memory: VecDeque::new(),
            bytes: 0,
            file: None,
            last: 0,
            closed: false,
        };
        Self {
            inner: Mutex::new(inner),
            more: Notify::new(),
        }
    }

    fn lock(&self) -> MutexGuard<'_, SpoolInner> {
        self.inner.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Appends a report; gives its number, from 1.
    pub fn push(&self, report: Bytes) -> u64 {
        let mut inner = self.lock();
        inner.last += 1;
        let number = inner.last;
        inner.push(number, report);
        drop(inner);
        self.more.notify_one();
        number
    }

    /// No more reports come.
    pub fn close(&self) {
        self.lock().closed = true;
        self.more.notify_one();
    }

    /// Reports that are not confirmed.
    pub fn kept(&self) -> u64 {
        let inner = self.lock();
        let more = inner.file.as_ref().map_or(0, |file| file.entries);
        inner.memory.len() as u64 + more
    }

    /// Reports so far.
    pub fn last(&self) -> u64 {
        self.lock().last
    }

    /// The oldest report, once there is one; none when all are confirmed and no more come.
    pub async fn front(&self) -> Option<(u64, Bytes)> {
        loop {
            let more = self.more.notified();
            {
                let mut inner = self.lock();
                if let Some(front) = inner.front() {
                    return Some(front);
                }
                if inner.closed {
                    return None;
                }
            }
            more.await;
        }
    }

    /// The front is confirmed.
    pub fn confirmed(&self) {
        let mut inner = self.lock();
        if let Some((_, report)) = inner.memory.pop_front() {
            inner.bytes -= report.len();
        }
    }
}

impl SpoolInner {
    fn push(&mut self, number: u64, report: Bytes) {
        let full = self.bytes + report.len() > self.memory_limit && !self.memory.is_empty();
        // Where nothing can be written memory has to do.
        if (full || self.file.is_some()) && self.write(number, &report).is_ok() {
            return;
        }
        self.bytes += report.len();
        self.memory.push_back((number, report));
    }

    fn write(&mut self, number: u64, report: &Bytes) -> io::Result<()> {
        if self.file.is_none() {
            let file = OpenOptions::new()
                .read(true)
                .write(true)
                .create(true)
                .truncate(true)
                .mode(0o600)
                .open(&self.path)?;
            self.file = Some(Overflow {
                file,
                read_at: 0,
                write_at: 0,
                entries: 0,
            });
        }
        let Some(overflow) = &mut self.file else {
            return Ok(());
        };
        let mut record = Vec::with_capacity(report.len() + 16);
        record.extend_from_slice(&number.to_le_bytes());
        record.extend_from_slice(&(report.len() as u64).to_le_bytes());
        record.extend_from_slice(report);
        overflow.file.write_all_at(&record, overflow.write_at)?;
        overflow.write_at += record.len() as u64;
        overflow.entries += 1;
        Ok(())
    }

    fn front(&mut self) -> Option<(u64, Bytes)> {
        if self.memory.is_empty() {
            self.refill();
        }
        self.memory.front().cloned()
    }

    /// Takes the next report of the file into memory.
    fn refill(&mut self) {
        let Some(overflow) = &mut self.file else {
            return;
        };
        // What cannot be read back is lost; the numbers after it go on.
        if let Ok(Some((number, report))) = overflow.next() {
            self.bytes += report.len();
            self.memory.push_back((number, report));
        }
        if overflow.entries == 0 {
            self.file = None;
            let _ = std::fs::remove_file(&self.path);
        }
    }
}

impl Overflow {
    fn next(&mut self) -> io::Result<Option<(u64, Bytes)>> {
        if self.entries == 0 {
            return Ok(None);
        }
        self.entries -= 1;
        let mut head = [0; 16];
        self.file.read_exact_at(&mut head, self.read_at)?;
        let (number, length) = head.split_at(8);
        let word = |bytes: &[u8]| bytes.iter().rev().fold(0, |n, b| n << 8 | u64::from(*b));
        let length = usize::try_from(word(length)).unwrap_or(usize::MAX);
        let left = self.write_at.saturating_sub(self.read_at + 16);
        if length as u64 > left {
            self.entries = 0;
            return Err(io::Error::from(io::ErrorKind::InvalidData));
        }
        let mut report = vec![0; length];
        self.file.read_exact_at(&mut report, self.read_at + 16)?;
        self.read_at += 16 + length as u64;
        Ok(Some((word(number), report.into())))
    }
}

impl Drop for Spool {
    fn drop(&mut self) {
        let inner = self.lock();
        if inner.file.is_some() {
            let _ = std::fs::remove_file(&inner.path);
        }
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used, clippy::expect_used)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn what_does_not_fit_comes_back_from_the_file_in_order() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("kept");
        let spool = Spool::with_limit(path.clone(), 100);
        for n in 0..50_u8 {
            assert_eq!(spool.push(vec![n; 40].into()), u64::from(n) + 1);
        }
        assert!(path.exists());
        assert_eq!(spool.kept(), 50);
        for n in 0..50_u8 {
            let (number, report) = spool.front().await.unwrap();
            assert_eq!((number, report[0], report.len()), (u64::from(n) + 1, n, 40));
            // Not confirmed: it comes again.
            assert_eq!(spool.front().await.unwrap().0, number);
            spool.confirmed();
        }
        assert!(!path.exists());
        spool.close();
        assert_eq!(spool.front().await, None);
    }
}
