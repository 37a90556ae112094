//! What the functions of a binary are called.

use std::sync::{Arc, Mutex, PoisonError};

use framehop::ExplicitModuleSectionInfo;
use gimli::UnwindSection as _;
use object::read::ReadCacheOps;

use crate::frame::{FrameKind, NamedFrame, tellable};
use crate::go::{GoBuild, GoTable};
use crate::lines::Lines;
use crate::owner::FunctionOwner;
use crate::sections::ElfSections;
use crate::symbols::{SymbolTable, named};

/// The names of a binary's functions.
#[derive(Default)]
pub(crate) struct BinaryNames {
    symbols: SymbolTable,
    exported: SymbolTable,
    go: Option<GoTable>,
    go_build: Option<GoBuild>,
    /// Tables are read as they are asked for.
    lines: Option<Mutex<Lines>>,
}

/// Whose names they are.
pub(crate) struct NamedBy<'a> {
    pub(crate) name: &'a str,
    pub(crate) path: &'a str,
    pub(crate) is_program: bool,
    pub(crate) unwind: &'a ExplicitModuleSectionInfo<Arc<[u8]>>,
}

impl BinaryNames {
    pub(crate) fn read<R: ReadCacheOps>(sections: &ElfSections<'_, R>) -> Self {
        let read = |tables: Option<(&[u8], &[u8])>| {
            let read = tables.map(|(table, names)| SymbolTable::read(table, Arc::from(names)));
            read.unwrap_or_default()
        };
        let symtab = sections.tables(".symtab", ".strtab");
        let go_text = symtab.and_then(|(table, names)| named(table, names, "runtime.text"));
        let go_text = go_text.map(|text| text.start);
        let text = || sections.range(".text").map_or(0, |text| text.start);
        let mut tables = [".gopclntab", ".data.rel.ro.gopclntab"].into_iter();
        let go = tables.find_map(|name| sections.owned(name));
        let lines = sections.lines();
        let section = |name: &str| {
            let mut all = lines.iter();
            all.find(|(known, _)| *known == name)
                .map(|(_, bytes)| Arc::clone(bytes))
        };
        Self {
            symbols: read(symtab),
            exported: read(sections.tables(".dynsym", ".dynstr")),
            go: go.and_then(|table| GoTable::read(table, go_text.unwrap_or_else(text))),
            go_build: sections.raw(".go.buildinfo").and_then(GoBuild::read),
            lines: if lines.is_empty() {
                None
            } else {
                Lines::open(section).map(Mutex::new)
            },
        }
    }

    /// The calls at an address, innermost first; at least one.
    pub(crate) fn calls(&self, address: u64, of: &NamedBy<'_>) -> Vec<NamedFrame> {
        let symbol = self
            .symbols
            .at(address)
            .or_else(|| self.exported.at(address));
        let lines = self.lines.as_ref();
        let lines = lines.map(|lines| lines.lock().unwrap_or_else(PoisonError::into_inner));
        let mut calls = lines.map(|lines| lines.at(address)).unwrap_or_default();
        if calls.is_empty() {
            calls.push(self.call(address, symbol, of));
        }
        let is_rust = symbol.is_some_and(|(name, _)| is_rust(name));
        let owner = FunctionOwner {
            name: of.name,
            path: of.path,
            is_program: of.is_program,
            go: self.go_build.as_ref(),
        };
        for call in &mut calls {
            call.library = owner.library_of(&call.function, call.file.as_deref(), is_rust);
        }
        calls
    }

    /// The call without lines: by Go's table, a symbol, or where its function begins.
    fn call(&self, address: u64, symbol: Option<(&str, u64)>, of: &NamedBy<'_>) -> NamedFrame {
        let go = self.go.as_ref().and_then(|go| go.at(address));
        let function = match (&go, symbol) {
            (Some(go), _) => tellable(go.name),
            (None, Some((name, _))) => tellable(&addr2line::demangle_auto(name.into(), None)),
            (None, None) => {
                let begin = function_begin(of.unwind, address).unwrap_or(address);
                tellable(&format!("{}+{begin:#x}", of.name))
            }
        };
        NamedFrame {
            function,
            file: go.as_ref().and_then(|go| go.file).map(tellable),
            line: go.and_then(|go| go.line),
            library: None,
            kind: FrameKind::Native,
        }
    }
}

/// Where the function that an address is in begins, by the unwinding tables: functions of stripped
/// files are at least told apart.
fn function_begin(unwind: &ExplicitModuleSectionInfo<Arc<[u8]>>, address: u64) -> Option<u64> {
    let (frames, index) = (unwind.eh_frame.as_ref()?, unwind.eh_frame_hdr.as_ref()?);
    let bases = gimli::BaseAddresses::default()
        .set_eh_frame(unwind.eh_frame_svma.as_ref()?.start)
        .set_eh_frame_hdr(unwind.eh_frame_hdr_svma.as_ref()?.start);
    let index = gimli::EhFrameHdr::new(index, gimli::LittleEndian);
    let index = index.parse(&bases, 8).ok()?;
    let frames = gimli::EhFrame::new(frames, gimli::LittleEndian);
    let cie = gimli::EhFrame::cie_from_offset;
    let entry = index
        .table()?
        .fde_for_address(&frames, &bases, address, cie);
    entry.ok().map(|entry| entry.initial_address())
}

/// Whether a name is mangled as Rust does.
fn is_rust(name: &str) -> bool {
    let legacy = name
        .strip_suffix('E')
        .and_then(|name| name.rsplit_once("17h"));
    let has_hash = legacy
        .is_some_and(|(_, hash)| hash.len() == 16 && hash.chars().all(|c| c.is_ascii_hexdigit()));
    name.starts_with("_R") || has_hash
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rust_is_told_by_its_mangling() {
        assert!(is_rust("_ZN4core3fmt5write17h0123456789abcdefE"));
        assert!(is_rust("_RNvCs1234_7mycrate3foo"));
        assert!(!is_rust("_ZN3foo3barEv"));
        assert!(!is_rust("main"));
    }
}
