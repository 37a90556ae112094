//! File descriptors of the whole host.

use std::path::Path;

use super::area::{Area, Out};
use crate::collector::Trouble;
use crate::names::host as names;
use crate::proc::KeptFile;
use crate::proc::file::numbers;

/// `/proc/sys/fs/file-nr`.
pub(crate) struct HostFiles {
    files: KeptFile,
}

impl HostFiles {
    pub(crate) fn below(proc: &Path) -> Self {
        Self {
            files: KeptFile::new(proc.join("sys/fs/file-nr")),
        }
    }
}

impl Area for HostFiles {
    fn look(&mut self, out: &mut Out<'_>) -> Result<(), Trouble> {
        tell(self.files.text_or_trouble()?, out);
        Ok(())
    }
}

/// Three numbers: allocated, of these unused (0 since Linux 2.6), largest.
fn tell(text: &str, out: &mut Out<'_>) {
    let mut numbers = numbers(text);
    let allocated = numbers.next().unwrap_or(f64::NAN);
    let unused = numbers.next().unwrap_or(f64::NAN);
    out.value(&names::FILES, &[], allocated - unused);
    out.value(&names::FILES_LIMIT, &[], numbers.next().unwrap_or(f64::NAN));
}

#[cfg(test)]
#[allow(clippy::unwrap_used, clippy::expect_used)]
mod tests {
    use super::super::area::testing::{told, value};
    use super::*;

    #[test]
    fn files_in_use_are_told() {
        let told = told(|out| tell("593\t3\t2466170\n", out));
        assert_eq!(value(&told, "system.file_descriptor.used{}"), Some(590.0));
        let limit = value(&told, "system.file_descriptor.limit{}");
        assert_eq!(limit, Some(2_466_170.0));
    }
}
