//! What a file has beside its bytes, mode and owner: access control lists, labels, attributes of users.

use std::fs::File;
use std::io;
use std::path::Path;

use rustix::buffer::spare_capacity;
use rustix::fs::{fgetxattr, fsetxattr, lgetxattr, llistxattr};
use rustix::io::Errno;

/// The kernel's own most, of all names and of one value.
const MOST_BYTES: usize = 64 << 10;
/// The kernel computes these of a file's bytes: those of other bytes would be wrong.
const OF_BYTES: [&[u8]; 2] = [b"security.ima", b"security.evm"];

/// The extended attributes of a file, its access control list among them.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct FileAttributes(Vec<(Vec<u8>, Vec<u8>)>);

impl FileAttributes {
    /// Those of a file; none where its file system has none. No link is followed.
    ///
    /// # Errors
    /// If they may not be read.
    pub fn of(path: &Path) -> io::Result<Self> {
        let mut names = Vec::with_capacity(MOST_BYTES);
        match llistxattr(path, spare_capacity(&mut names)) {
            Ok(_) => {}
            Err(Errno::OPNOTSUPP) => return Ok(Self::default()),
            Err(error) => return Err(error.into()),
        }
        let names = names.split(|byte| *byte == 0);
        let mut all = Vec::new();
        for name in names.filter(|name| !name.is_empty() && !OF_BYTES.contains(name)) {
            let mut value = Vec::with_capacity(MOST_BYTES);
            match lgetxattr(path, name, spare_capacity(&mut value)) {
                Ok(_) => all.push((name.to_vec(), value)),
                // It went in between, or is one that only its file system understands.
                Err(Errno::NODATA | Errno::OPNOTSUPP) => {}
                Err(error) => return Err(error.into()),
            }
        }
        Ok(Self(all))
    }

    /// Gives them to a new file. What it has already, such as the label of its folder, is not set again: that may take
    /// rights.
    ///
    /// # Errors
    /// If the system refuses one of them.
    pub fn give(&self, file: &File) -> io::Result<()> {
        for (name, value) in &self.0 {
            let mut now = Vec::with_capacity(MOST_BYTES);
            let has = fgetxattr(file, name.as_slice(), spare_capacity(&mut now)).is_ok();
            if has && now == *value {
                continue;
            }
            match fsetxattr(
                file,
                name.as_slice(),
                value,
                rustix::fs::XattrFlags::empty(),
            ) {
                Ok(()) | Err(Errno::OPNOTSUPP) => {}
                Err(error) => return Err(error.into()),
            }
        }
        Ok(())
    }
}
