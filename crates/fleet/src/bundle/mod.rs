//! What a worker needs of a run, in one block: the plan, its data files, its settings.
//!
//! A block is `PLB1` and, deflated: the length of the index (4 bytes), the index's SHA-256, the
//! index, the contents of the files one after another. The index has for each file the length of
//! its name (2 bytes), its name, its size (8 bytes) and its SHA-256. Integers are little-endian.
//! Before it leaves the process it is [locked](Bundle::lock).

mod error;
mod keys;
mod names;
mod unpacked;

use std::collections::BTreeMap;
use std::io::{Read, Write};

use bytes::Bytes;
use flate2::Compression;
use flate2::read::DeflateDecoder;
use flate2::write::DeflateEncoder;
use plimsoll_text::Message as Text;
use sha2::{Digest, Sha256};

use self::error::damaged;

pub use error::BundleError;
pub use keys::{ContentKey, PublicKey, WorkerKey};
pub use unpacked::Unpacked;

const MAGIC: &[u8; 4] = b"PLB1";
const HASH_BYTES: usize = 32;
/// The most an index may take, whatever the limits are.
const INDEX_BYTES: usize = 16 << 20;

/// How much a bundle may hold.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct BundleLimits {
    /// All files together, unpacked.
    pub bytes: u64,
    /// How many files.
    pub files: usize,
}

impl Default for BundleLimits {
    fn default() -> Self {
        Self {
            bytes: 2 << 30,
            files: 10_000,
        }
    }
}

/// Files by their names: relative, with `/` between folders.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Bundle {
    files: BTreeMap<String, Bytes>,
}

impl Bundle {
    /// A bundle without files.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// Adds a file.
    ///
    /// # Errors
    /// A name that is absolute, leads outside (`..`), is there already or is taken as a folder,
    /// or that some system could not write.
    pub fn add(&mut self, name: &str, contents: Bytes) -> Result<(), BundleError> {
        names::check(name)?;
        if self.is_taken(name) {
            return Err(BundleError(
                Text::new("bundle-name-twice").with("name", name),
            ));
        }
        self.files.insert(name.to_owned(), contents);
        Ok(())
    }

    fn is_taken(&self, name: &str) -> bool {
        let inside = format!("{name}/");
        let is_folder = self
            .files
            .range(inside.clone()..)
            .next()
            .is_some_and(|(other, _)| other.starts_with(&inside));
        let under_a_file = name
            .match_indices('/')
            .any(|(at, _)| self.files.contains_key(&name[..at]));
        self.files.contains_key(name) || is_folder || under_a_file
    }

    /// The contents of a file.
    #[must_use]
    pub fn get(&self, name: &str) -> Option<&Bytes> {
        self.files.get(name)
    }

    /// Names and contents, by name.
    pub fn files(&self) -> impl Iterator<Item = (&str, &Bytes)> {
        self.files
            .iter()
            .map(|(name, contents)| (name.as_str(), contents))
    }

    /// The block, not locked.
    ///
    /// # Errors
    /// More files than an index has room for.
    pub fn encode(&self) -> Result<Vec<u8>, BundleError> {
        let mut index = Vec::new();
        for (name, contents) in &self.files {
            // Checked when it was added: less than 64 KiB.
            index.extend((name.len() as u16).to_le_bytes());
            index.extend(name.as_bytes());
            index.extend((contents.len() as u64).to_le_bytes());
            index.extend(Sha256::digest(contents));
        }
        if index.len() > INDEX_BYTES {
            return Err(too_many(self.files.len()));
        }
        let mut block = DeflateEncoder::new(MAGIC.to_vec(), Compression::default());
        let mut written = block.write_all(&(index.len() as u32).to_le_bytes());
        for part in [Sha256::digest(&index).as_slice(), index.as_slice()]
            .into_iter()
            .chain(self.files.values().map(|contents| &contents[..]))
        {
            written = written.and_then(|()| block.write_all(part));
        }
        written
            .and_then(|()| block.finish())
            .map_err(|error| damaged(&error.to_string()))
    }

    /// Reads a block that is not locked.
    ///
    /// # Errors
    /// Damage, names that [`add`](Self::add) refuses, more than the limits allow.
    pub fn decode(block: &[u8], limits: &BundleLimits) -> Result<Self, BundleError> {
        let packed = block
            .strip_prefix(MAGIC)
            .ok_or_else(|| damaged("it does not begin as one"))?;
        let mut plain = DeflateDecoder::new(packed);
        let mut rest = limits.bytes;
        let mut bundle = Self::new();
        let index = read_index(&mut plain)?;
        let mut index = index.as_slice();
        while !index.is_empty() {
            if bundle.files.len() == limits.files {
                return Err(too_many(limits.files));
            }
            let line = IndexLine::read(&mut index)?;
            rest = rest.checked_sub(line.size).ok_or_else(|| {
                let mib = limits.bytes.div_ceil(1 << 20);
                BundleError(Text::new("bundle-too-large").with("mebibytes", mib))
            })?;
            let contents = read_exactly(&mut plain, line.size)?;
            if Sha256::digest(&contents).as_slice() != line.hash {
                return Err(damaged(&format!("{:?} has another checksum", line.name)));
            }
            bundle.add(line.name, contents.into())?;
        }
        if read_exactly(&mut plain, 1).is_ok() {
            return Err(damaged("there is more than the index says"));
        }
        Ok(bundle)
    }

    /// The block, encrypted with a new key.
    ///
    /// # Errors
    /// As [`encode`](Self::encode); no randomness from the system.
    pub fn lock(&self) -> Result<(Vec<u8>, ContentKey), BundleError> {
        let key = ContentKey::new()?;
        Ok((key.lock(self.encode()?)?, key))
    }

    /// Reads a block that is locked with that key.
    ///
    /// # Errors
    /// Another key, and as [`decode`](Self::decode).
    pub fn unlock(
        block: &[u8],
        key: &ContentKey,
        limits: &BundleLimits,
    ) -> Result<Self, BundleError> {
        Self::decode(&key.unlock(block)?, limits)
    }
}

/// One file in the index.
struct IndexLine<'a> {
    name: &'a str,
    size: u64,
    hash: &'a [u8],
}

impl<'a> IndexLine<'a> {
    fn read(index: &mut &'a [u8]) -> Result<Self, BundleError> {
        let [low, high] = fixed(index)?;
        let name = split(index, usize::from(u16::from_le_bytes([low, high])))?;
        let size = u64::from_le_bytes(fixed(index)?);
        Ok(Self {
            name: std::str::from_utf8(name).map_err(|_| damaged("a name is no text"))?,
            size,
            hash: split(index, HASH_BYTES)?,
        })
    }
}

fn split<'a>(bytes: &mut &'a [u8], count: usize) -> Result<&'a [u8], BundleError> {
    let (taken, rest) = bytes
        .split_at_checked(count)
        .ok_or_else(|| damaged("the index ends too soon"))?;
    *bytes = rest;
    Ok(taken)
}

fn fixed<const N: usize>(bytes: &mut &[u8]) -> Result<[u8; N], BundleError> {
    let taken = split(bytes, N)?;
    taken
        .try_into()
        .map_err(|_| damaged("the index ends too soon"))
}

fn read_index(plain: &mut impl Read) -> Result<Vec<u8>, BundleError> {
    let head = read_exactly(plain, 4 + HASH_BYTES as u64)?;
    let mut head = head.as_slice();
    let size = u32::from_le_bytes(fixed(&mut head)?);
    if size as usize > INDEX_BYTES {
        return Err(damaged("its index is too long"));
    }
    let index = read_exactly(plain, u64::from(size))?;
    if Sha256::digest(&index).as_slice() != head {
        return Err(damaged("its index has another checksum"));
    }
    Ok(index)
}

/// Reads so many bytes; room is made only for what there is.
fn read_exactly(plain: &mut impl Read, count: u64) -> Result<Vec<u8>, BundleError> {
    let mut bytes = Vec::new();
    let read = plain
        .take(count)
        .read_to_end(&mut bytes)
        .map_err(|error| damaged(&error.to_string()))?;
    if read as u64 == count {
        Ok(bytes)
    } else {
        Err(damaged("it ends too soon"))
    }
}

fn too_many(limit: usize) -> BundleError {
    BundleError(Text::new("bundle-too-many").with("limit", limit))
}

#[cfg(test)]
mod tests;
