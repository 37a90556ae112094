//! One file into a run's folder.

use std::io::{self, Read};
use std::path::{Path, PathBuf};

use flate2::read::GzDecoder;
use plimsoll_store::private;
use tar::EntryType;

use super::{BundleFault, BundleHead, FILES, FORM, HEAD, PipeReader, is_name};

/// The first entry is far shorter.
const HEAD_BYTES: u64 = 4_096;
/// Bytes that a run has at most.
const MOST_RUN_BYTES: u64 = 16 << 30;
/// A run's file becomes so many times as long at most; the store packs what it keeps.
const TIMES: u64 = 100;
/// Before this a length says nothing of the kind.
pub(super) const SMALL: u64 = 64 << 20;

/// A reader that gives no more than a run may have.
struct WithinBounds<R> {
    from: R,
    given: u64,
    /// Before this a length says nothing.
    small: u64,
}

impl<R: Read + Came> Read for WithinBounds<R> {
    fn read(&mut self, to: &mut [u8]) -> io::Result<usize> {
        let read = self.from.read(to)?;
        self.given += read as u64;
        let most = (self.from.came() * TIMES).clamp(self.small, MOST_RUN_BYTES);
        match self.given > most {
            true => Err(io::ErrorKind::FileTooLarge.into()),
            false => Ok(read),
        }
    }
}

/// How many bytes came of something packed.
trait Came {
    fn came(&self) -> u64;
}

impl Came for GzDecoder<&mut PipeReader> {
    fn came(&self) -> u64 {
        self.get_ref().came
    }
}

/// Unpacks a run into a folder that is there and empty; gives what the run is called.
///
/// # Errors
/// What is no run that was exported; what the network or the disk refuses.
pub(crate) fn unpacked(from: &mut PipeReader, to: &Path) -> Result<String, BundleFault> {
    unpacked_from(from, to, SMALL)
}

/// The same where a length says something from so many bytes on.
///
/// # Errors
/// See [`unpacked`].
pub(super) fn unpacked_from(
    from: &mut PipeReader,
    to: &Path,
    small: u64,
) -> Result<String, BundleFault> {
    let read = entries(from, to, small);
    let lost = from.lost.take();
    match (read, lost) {
        // What was read by then is of no use.
        (_, Some(reason)) => Err(BundleFault::Lost(reason)),
        (read, None) => read,
    }
}

fn entries(from: &mut PipeReader, to: &Path, small: u64) -> Result<String, BundleFault> {
    let mut tar = tar::Archive::new(WithinBounds {
        from: GzDecoder::new(from),
        given: 0,
        small,
    });
    // Raw: a long name is then an entry that no run has, and not memory without bounds.
    let mut entries = tar.entries().map_err(broken)?.raw(true);
    let head = entries.next().ok_or(BundleFault::NoRun)?.map_err(broken)?;
    if &*head.path_bytes() != HEAD.as_bytes() {
        return Err(BundleFault::NoRun);
    }
    let mut text = Vec::new();
    head.take(HEAD_BYTES)
        .read_to_end(&mut text)
        .map_err(broken)?;
    let head: BundleHead = serde_json::from_slice(&text).map_err(|_| BundleFault::NoRun)?;
    if head.form > FORM {
        return Err(BundleFault::Newer(head.form));
    }
    if !is_name(&head.id) {
        return Err(BundleFault::Foreign(head.id));
    }
    for entry in entries {
        let mut entry = entry.map_err(broken)?;
        let is_plain = entry.header().entry_type() == EntryType::Regular;
        let path = entry.path_bytes().into_owned();
        let known = FILES.into_iter().find(|name| name.as_bytes() == path);
        let Some(name) = known.filter(|_| is_plain) else {
            let path = String::from_utf8_lossy(&path).into_owned();
            return Err(BundleFault::Foreign(path));
        };
        let mut file = match private::new_file(&to.join(name)) {
            Ok(file) => file,
            Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {
                return Err(BundleFault::Foreign(format!("{name} (2)")));
            }
            Err(error) => return Err(BundleFault::Disk(error)),
        };
        copied(&mut entry, &mut file)?;
    }
    // What stands behind the last entry is read, too: a checksum that is wrong is told then.
    let mut rest = tar.into_inner();
    io::copy(&mut rest, &mut io::sink()).map_err(broken)?;
    match to.join("run.sqlite").is_file() && to.join("plan").is_file() {
        true => Ok(head.id),
        false => Err(BundleFault::NoRun),
    }
}

/// As `io::copy`, and it tells whose fault it was.
fn copied(from: &mut impl Read, to: &mut impl io::Write) -> Result<(), BundleFault> {
    let mut piece = vec![0; 64 << 10];
    loop {
        match from.read(&mut piece).map_err(broken)? {
            0 => return Ok(()),
            read => to.write_all(&piece[..read]).map_err(BundleFault::Disk)?,
        }
    }
}

fn broken(error: io::Error) -> BundleFault {
    match error.kind() {
        io::ErrorKind::FileTooLarge => BundleFault::TooLong(MOST_RUN_BYTES),
        _ => BundleFault::Broken(error.to_string()),
    }
}

/// A name that no run below a folder has: its own, else with a number behind it.
pub(crate) fn free_name(root: &Path, id: &str) -> Option<(String, PathBuf)> {
    let own = std::iter::once(id.to_owned());
    let mut names = own.chain((2..1_000).map(|number| format!("{id}-{number}")));
    names.find_map(|name| {
        let dir = root.join(&name);
        (!dir.exists()).then_some((name, dir))
    })
}
