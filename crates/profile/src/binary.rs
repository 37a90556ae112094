//! A program or library on disk.

use std::io::{Read, Seek};
use std::ops::Range;
use std::sync::{Arc, Mutex, OnceLock, PoisonError};

use framehop::ExplicitModuleSectionInfo;
use object::ReadCache;

use crate::frame::NamedFrame;
use crate::names::{BinaryNames, NamedBy};
use crate::sections::{ElfSections, LoadedSegment, code_at};

/// Variables and functions by which interpreters are found.
const WANTED: [&str; 6] = [
    "_PyRuntime",
    "Py_Version",
    "_PyEval_EvalFrameDefault",
    "executor_globals",
    "executor_globals_offset",
    "execute_ex",
];

/// Why a file cannot be used.
#[derive(Debug, thiserror::Error, PartialEq, Eq)]
pub enum BinaryError {
    /// It is no ELF file of a 64-bit little-endian machine, or a damaged one.
    #[error("no 64-bit ELF file that can be read: {0}")]
    Unreadable(String),
}

/// A file to read from.
trait ReadSeek: Read + Seek + Send {}

impl<T: Read + Seek + Send> ReadSeek for T {}

/// A program or library: how its stacks are unwound, and what its functions are called.
pub struct Binary {
    name: String,
    path: String,
    is_program: bool,
    segments: Vec<LoadedSegment>,
    unwind: ExplicitModuleSectionInfo<Arc<[u8]>>,
    wanted: Vec<(&'static str, Range<u64>)>,
    php: Option<String>,
    /// Until names are read.
    file: Mutex<Option<Box<dyn ReadSeek>>>,
    names: OnceLock<BinaryNames>,
}

impl Binary {
    /// Reads how to unwind from a file that a process has mapped under that path. Names are read
    /// when the first is asked for, which may be after the process has ended.
    ///
    /// # Errors
    /// It is no ELF file.
    pub fn read(
        path: &str,
        is_program: bool,
        mut file: impl Read + Seek + Send + 'static,
    ) -> Result<Self, BinaryError> {
        let cache = ReadCache::new(&mut file);
        let sections =
            ElfSections::of(&cache).map_err(|error| BinaryError::Unreadable(error.to_string()))?;
        let path = path.strip_suffix(" (deleted)").unwrap_or(path);
        let find = |wanted: &'static str| Some((wanted, sections.exported(wanted)?));
        let (segments, unwind) = (sections.segments(), sections.unwind());
        let wanted: Vec<_> = WANTED.into_iter().filter_map(find).collect();
        let is_php = wanted
            .iter()
            .any(|(name, _)| name.starts_with("executor_globals"));
        let php = if is_php { sections.php() } else { None };
        drop(cache);
        Ok(Self {
            name: path.rsplit('/').next().unwrap_or(path).to_owned(),
            path: path.to_owned(),
            is_program,
            segments,
            unwind,
            wanted,
            php,
            file: Mutex::new(Some(Box::new(file))),
            names: OnceLock::new(),
        })
    }

    /// The file's name.
    #[must_use]
    pub fn name(&self) -> &str {
        &self.name
    }

    /// The file's path as its process sees it.
    #[must_use]
    pub fn path(&self) -> &str {
        &self.path
    }

    /// The address, as the file states it, of code that is mapped from an offset in it on.
    pub(crate) fn code_at(&self, offset: u64) -> Option<u64> {
        code_at(&self.segments, offset)
    }

    /// The address, as the file states it, of a variable by which interpreters are found.
    pub(crate) fn variable(&self, name: &str) -> Option<u64> {
        let mut wanted = self.wanted.iter();
        wanted
            .find(|(known, _)| *known == name)
            .map(|(_, at)| at.start)
    }

    /// Whether an address is in a function by which interpreters are found.
    pub(crate) fn holds(&self, function: &str, address: u64) -> bool {
        let mut wanted = self.wanted.iter();
        wanted.any(|(known, at)| *known == function && at.contains(&address))
    }

    /// The version of the PHP that it is.
    pub(crate) fn php(&self) -> Option<&str> {
        self.php.as_deref()
    }

    pub(crate) fn unwind(&self) -> ExplicitModuleSectionInfo<Arc<[u8]>> {
        self.unwind.clone()
    }

    /// The calls at an address as the file states it, innermost first; at least one.
    pub(crate) fn calls(&self, address: u64) -> Vec<NamedFrame> {
        let names = self.names.get_or_init(|| self.read_names());
        let by = NamedBy {
            name: &self.name,
            path: &self.path,
            is_program: self.is_program,
            unwind: &self.unwind,
        };
        names.calls(address, &by)
    }

    fn read_names(&self) -> BinaryNames {
        let file = self
            .file
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .take();
        let Some(file) = file else {
            return BinaryNames::default();
        };
        let cache = ReadCache::new(file);
        ElfSections::of(&cache).map_or_else(
            |_| BinaryNames::default(),
            |sections| BinaryNames::read(&sections),
        )
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use std::fs;

    use object::{Object, ObjectSymbol};

    use super::*;
    use crate::maps::mappings;

    #[inline(never)]
    fn somewhere_in_this_program() -> u64 {
        somewhere_in_this_program as *const () as u64
    }

    #[test]
    fn code_of_this_program_is_where_its_linker_put_it() {
        let here = somewhere_in_this_program();
        let text = fs::read_to_string("/proc/self/maps").unwrap();
        let mut all = mappings(&text).into_iter();
        let mapping = all.find(|one| one.runs && (one.begin..one.end).contains(&here));
        let mapping = mapping.unwrap();
        let file = fs::File::open(&mapping.path).unwrap();
        let binary = Binary::read(&mapping.path, true, file).unwrap();
        let bytes = fs::read(&mapping.path).unwrap();
        let elf = object::File::parse(&*bytes).unwrap();
        let named = |symbol: &object::Symbol<'_, '_>| {
            symbol
                .name()
                .is_ok_and(|name| name.contains("somewhere_in_this_program"))
        };
        let symbol = elf.symbols().find(named).unwrap();
        let stated = binary.code_at(mapping.offset).unwrap();
        assert_eq!(stated + (here - mapping.begin), symbol.address());
    }
}
