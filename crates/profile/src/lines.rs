//! Functions with files and lines by DWARF, and with what the compiler put into its callers.

use std::sync::Arc;

use addr2line::Context;
use gimli::{EndianArcSlice, LittleEndian, SectionId};

use crate::frame::{FrameKind, NamedFrame, tellable};

type Bytes = EndianArcSlice<LittleEndian>;

/// Calls that one address may stand for.
const MAX_INLINED: usize = 32;

/// The line tables of a binary.
pub(crate) struct Lines(Context<Bytes>);

impl Lines {
    /// Opens them; none where there are none, or they cannot be read.
    pub(crate) fn open(mut section: impl FnMut(&str) -> Option<Arc<[u8]>>) -> Option<Self> {
        let load = |id: SectionId| {
            let bytes = section(id.name()).unwrap_or_else(|| Arc::from(&[][..]));
            Ok::<_, gimli::Error>(Bytes::new(bytes, LittleEndian))
        };
        let dwarf = gimli::Dwarf::load(load).ok()?;
        Context::from_dwarf(dwarf).ok().map(Self)
    }

    /// The calls at an address, innermost first: what was put into the function comes first. The
    /// library is not told. None where the address is in no function of the tables.
    pub(crate) fn at(&self, address: u64) -> Vec<NamedFrame> {
        let mut found = Vec::new();
        // The library looks for a range that ends behind the address; no code is at the last one.
        if address == u64::MAX {
            return found;
        }
        let Ok(mut frames) = self.0.find_frames(address).skip_all_loads() else {
            return found;
        };
        while let Ok(Some(frame)) = frames.next() {
            let Some(name) = frame.function else { continue };
            let Ok(function) = name.demangle() else {
                continue;
            };
            found.push(NamedFrame {
                function: tellable(&function),
                file: frame.location.as_ref().and_then(|at| at.file).map(tellable),
                line: frame.location.as_ref().and_then(|at| at.line),
                library: None,
                kind: FrameKind::Native,
            });
            if found.len() >= MAX_INLINED {
                break;
            }
        }
        found
    }
}
