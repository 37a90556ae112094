//! The JVM's performance counters (`/tmp/hsperfdata_USER/PID`): format 2.0, of JDK 5 to 25.
//!
//! A header of 32 bytes (magic 0xcafec0c0, byte order, version, ready, used, overflow, time of
//! the last change, offset and number of entries), then entries: length, offset of the name,
//! length of an array, type, flags, unit, variability, offset of the value (HotSpot,
//! `perfMemory.hpp`). The JVM writes it while it is read: a torn value lasts one look.

use std::collections::HashMap;
use std::fs::File;
use std::io;
use std::os::unix::fs::FileExt;

/// No file of counters is longer than this; 32 KiB is the JVM's own choice.
const MAX_BYTES: u64 = 4 << 20;
const MAGIC: u32 = 0xcafe_c0c0;
const HEADER: usize = 32;
const ENTRY: usize = 20;

/// Why bytes are no counters.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub(crate) enum MalformedCounters {
    /// The first bytes are others.
    #[error("not a JVM's counters")]
    Magic,
    /// A version that is not known.
    #[error("format {0}.{1}")]
    Version(u8, u8),
    /// The JVM is still starting.
    #[error("not ready yet")]
    NotReady,
    /// Offsets that lead out of the file.
    #[error("cut short")]
    Cut,
}

/// Where a counter's value is.
#[derive(Debug, Clone, Copy)]
enum CounterPlace {
    Long(usize),
    Text(usize, usize),
}

/// The counters of one JVM: where each is, found once, and the bytes of the last reading.
#[derive(Debug, Default)]
pub(crate) struct PerfData {
    bytes: Vec<u8>,
    big_endian: bool,
    places: HashMap<String, CounterPlace>,
    /// Number of entries and used bytes for which `places` was made.
    indexed: (u32, u32),
}

impl PerfData {
    /// Reads the counters anew.
    ///
    /// # Errors
    /// When the file cannot be read, or holds no counters (`InvalidData`).
    pub(crate) fn read(&mut self, file: &File) -> io::Result<()> {
        let length = file.metadata()?.len().min(MAX_BYTES);
        self.bytes.resize(usize::try_from(length).unwrap_or(0), 0);
        let mut filled = 0;
        while filled < self.bytes.len() {
            match file.read_at(&mut self.bytes[filled..], filled as u64)? {
                0 => break,
                n => filled += n,
            }
        }
        self.bytes.truncate(filled);
        self.index()
            .map_err(|error| io::Error::new(io::ErrorKind::InvalidData, error))
    }

    /// The counters in these bytes.
    #[cfg(test)]
    pub(crate) fn of(bytes: &[u8]) -> Result<Self, MalformedCounters> {
        let mut data = Self {
            bytes: bytes.to_vec(),
            ..Self::default()
        };
        data.index().map(|()| data)
    }

    /// A number.
    pub(crate) fn long(&self, name: &str) -> Option<i64> {
        match self.places.get(name)? {
            CounterPlace::Long(at) => self.i64_at(*at),
            CounterPlace::Text(..) => None,
        }
    }

    /// A number, as what is computed with.
    #[allow(clippy::cast_precision_loss)]
    pub(crate) fn number(&self, name: &str) -> Option<f64> {
        self.long(name).map(|value| value as f64)
    }

    /// A text, up to its first NUL.
    pub(crate) fn text(&self, name: &str) -> Option<String> {
        match self.places.get(name)? {
            CounterPlace::Text(at, length) => {
                let bytes = self.bytes.get(*at..at + length)?;
                let bytes = bytes.split(|byte| *byte == 0).next()?;
                Some(String::from_utf8_lossy(bytes).into_owned())
            }
            CounterPlace::Long(_) => None,
        }
    }

    /// Number of entries in bytes, for a test.
    #[cfg(test)]
    pub(crate) fn len(&self) -> usize {
        self.places.len()
    }

    /// Finds the entries, unless they are where they were.
    fn index(&mut self) -> Result<(), MalformedCounters> {
        let (first, entries) = self.header()?;
        let used = self.u32_at(8).ok_or(MalformedCounters::Cut)?;
        if self.indexed == (entries, used) {
            return Ok(());
        }
        let mut places = HashMap::new();
        let mut at = first;
        for _ in 0..entries {
            let length = self.usize_at(at)?;
            if length < ENTRY {
                return Err(MalformedCounters::Cut);
            }
            if let Some((name, place)) = self.entry(at, length)? {
                places.insert(name, place);
            }
            at += length;
        }
        self.places = places;
        self.indexed = (entries, used);
        Ok(())
    }

    /// Offset and number of the entries.
    fn header(&mut self) -> Result<(usize, u32), MalformedCounters> {
        let head = self.bytes.get(..HEADER).ok_or(MalformedCounters::Cut)?;
        if u32::from_be_bytes([head[0], head[1], head[2], head[3]]) != MAGIC {
            return Err(MalformedCounters::Magic);
        }
        self.big_endian = head[4] == 0;
        let (major, minor, ready) = (head[5], head[6], head[7]);
        if major != 2 {
            return Err(MalformedCounters::Version(major, minor));
        }
        if ready == 0 {
            return Err(MalformedCounters::NotReady);
        }
        let first = self.usize_at(24)?;
        let entries = self.u32_at(28).ok_or(MalformedCounters::Cut)?;
        // Each entry takes its fixed part at least.
        if entries as usize > self.bytes.len() / ENTRY {
            return Err(MalformedCounters::Cut);
        }
        Ok((first, entries))
    }

    fn entry(
        &self,
        at: usize,
        length: usize,
    ) -> Result<Option<(String, CounterPlace)>, MalformedCounters> {
        let entry = at
            .checked_add(length)
            .and_then(|end| self.bytes.get(at..end))
            .ok_or(MalformedCounters::Cut)?;
        let name_at = self.usize_at(at + 4)?;
        let vector = self.usize_at(at + 8)?;
        let value_at = self.usize_at(at + 16)?;
        let (kind, value_end) = match (entry[12], vector) {
            (b'J', 0) => (CounterPlace::Long(at + value_at.min(length)), Some(8)),
            (b'B', 1..) => (
                CounterPlace::Text(at + value_at.min(length), vector),
                Some(vector),
            ),
            // Other types are described by the format and used by nobody.
            _ => return Ok(None),
        };
        let end = value_end.and_then(|size| value_at.checked_add(size));
        if name_at >= length || end.is_none_or(|end| end > length) {
            return Err(MalformedCounters::Cut);
        }
        let name = entry[name_at..].split(|byte| *byte == 0).next();
        let name = String::from_utf8_lossy(name.unwrap_or_default()).into_owned();
        Ok(Some((name, kind)))
    }

    fn u32_at(&self, at: usize) -> Option<u32> {
        let bytes = self.bytes.get(at..at.checked_add(4)?)?;
        let bytes: [u8; 4] = bytes.try_into().ok()?;
        Some(if self.big_endian {
            u32::from_be_bytes(bytes)
        } else {
            u32::from_le_bytes(bytes)
        })
    }

    fn usize_at(&self, at: usize) -> Result<usize, MalformedCounters> {
        self.u32_at(at)
            .map(|value| value as usize)
            .ok_or(MalformedCounters::Cut)
    }

    fn i64_at(&self, at: usize) -> Option<i64> {
        let bytes = self.bytes.get(at..at.checked_add(8)?)?;
        let bytes: [u8; 8] = bytes.try_into().ok()?;
        Some(if self.big_endian {
            i64::from_be_bytes(bytes)
        } else {
            i64::from_le_bytes(bytes)
        })
    }
}

#[cfg(test)]
pub(crate) mod testing {
    /// The bytes of a file with these counters, little or big endian.
    pub(crate) fn file(longs: &[(&str, i64)], texts: &[(&str, &str)], big: bool) -> Vec<u8> {
        let u32_of = |value: usize| {
            let value = u32::try_from(value).unwrap_or(u32::MAX);
            if big {
                value.to_be_bytes()
            } else {
                value.to_le_bytes()
            }
        };
        let mut entries = Vec::new();
        let mut add = |name: &str, kind: u8, vector: usize, value: &[u8]| {
            let name_bytes = (name.len() + 1).next_multiple_of(8);
            let value_at = 24 + name_bytes;
            let length = (value_at + value.len()).next_multiple_of(8);
            let start = entries.len();
            for field in [length, 20, vector] {
                entries.extend_from_slice(&u32_of(field));
            }
            entries.extend_from_slice(&[kind, 1, 4, 2]);
            entries.extend_from_slice(&u32_of(value_at));
            entries.extend_from_slice(name.as_bytes());
            entries.resize(start + value_at, 0);
            entries.extend_from_slice(value);
            entries.resize(start + length, 0);
        };
        for (name, value) in longs {
            let bytes = if big {
                value.to_be_bytes()
            } else {
                value.to_le_bytes()
            };
            add(name, b'J', 0, &bytes);
        }
        for (name, value) in texts {
            let mut bytes = value.as_bytes().to_vec();
            bytes.push(0);
            add(name, b'B', bytes.len(), &bytes);
        }
        let mut file = vec![0xca, 0xfe, 0xc0, 0xc0, u8::from(!big), 2, 0, 1];
        file.extend_from_slice(&u32_of(32 + entries.len()));
        file.extend_from_slice(&[0; 12]);
        file.extend_from_slice(&u32_of(32));
        file.extend_from_slice(&u32_of(longs.len() + texts.len()));
        file.extend_from_slice(&entries);
        file
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, clippy::expect_used)]
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn both_byte_orders_are_read() {
        for big in [false, true] {
            let bytes = testing::file(&[("a.b", -5), ("c", 7)], &[("t", "G1 Old")], big);
            let data = PerfData::of(&bytes).unwrap();
            assert_eq!(data.len(), 3);
            assert_eq!(data.long("a.b"), Some(-5));
            assert_eq!(data.number("c"), Some(7.0));
            assert_eq!(data.text("t").as_deref(), Some("G1 Old"));
            assert_eq!((data.long("t"), data.text("c")), (None, None));
            assert_eq!(data.long("absent"), None);
        }
    }

    #[test]
    fn what_is_no_file_of_counters_is_told_apart() {
        let whole = testing::file(&[("a", 1)], &[], false);
        let with = |at: usize, value: u8| {
            let mut bytes = whole.clone();
            bytes[at] = value;
            PerfData::of(&bytes).map(|_| ()).unwrap_err()
        };
        assert_eq!(with(0, 1), MalformedCounters::Magic);
        assert_eq!(with(5, 1), MalformedCounters::Version(1, 0));
        assert_eq!(with(7, 0), MalformedCounters::NotReady);
        assert_eq!(with(28, 200), MalformedCounters::Cut);
        assert_eq!(
            PerfData::of(&whole[..40]).map(|_| ()).unwrap_err(),
            MalformedCounters::Cut
        );
    }

    #[test]
    fn a_new_entry_is_found_at_the_next_reading() {
        let mut data = PerfData::of(&testing::file(&[("a", 1)], &[], false)).unwrap();
        data.bytes = testing::file(&[("a", 2), ("b", 3)], &[], false);
        data.index().unwrap();
        assert_eq!((data.long("a"), data.long("b")), (Some(2), Some(3)));
    }

    proptest! {
        #[test]
        fn bytes_never_panic(
            mut bytes in proptest::collection::vec(any::<u8>(), 0..400),
            whole in any::<bool>(),
            changes in proptest::collection::vec((0_usize..200, any::<u8>()), 0..6),
        ) {
            if whole {
                bytes = testing::file(&[("a.b", 1)], &[("text", "value")], false);
                for (at, value) in changes {
                    let at = at % bytes.len();
                    bytes[at] = value;
                }
            }
            if let Ok(data) = PerfData::of(&bytes) {
                data.long("a.b");
                data.text("text");
            }
        }
    }
}
