//! The symbols of an ELF file: which function an address is in, where a variable is.

use std::ops::Range;
use std::sync::Arc;

/// Symbols that are kept of one file.
const MAX_SYMBOLS: usize = 4_000_000;

/// An entry of a symbol table (`elf(5)`, `Elf64_Sym`).
const ENTRY: usize = 24;
const FUNCTION: u8 = 2;
const CHOSEN_FUNCTION: u8 = 10;
const OBJECT: u8 = 1;

struct Symbol {
    address: u64,
    size: u64,
    name: u32,
}

/// Functions by address.
#[derive(Default)]
pub(crate) struct SymbolTable {
    functions: Vec<Symbol>,
    names: Option<Arc<[u8]>>,
}

impl SymbolTable {
    /// Reads a table and its names.
    pub(crate) fn read(table: &[u8], names: Arc<[u8]>) -> Self {
        let symbols = entries(table).filter(|(kind, symbol)| {
            matches!(*kind, FUNCTION | CHOSEN_FUNCTION) && symbol.address != 0
        });
        let mut functions: Vec<Symbol> = symbols
            .map(|(_, symbol)| symbol)
            .take(MAX_SYMBOLS)
            .collect();
        // Of several names of one place the longest function comes last, and is taken.
        functions.sort_by_key(|symbol| (symbol.address, symbol.size));
        Self {
            functions,
            names: Some(names),
        }
    }

    /// The function that an address is in: its name and where it begins. One without a size
    /// reaches to the next.
    pub(crate) fn at(&self, address: u64) -> Option<(&str, u64)> {
        let after = self
            .functions
            .partition_point(|symbol| symbol.address <= address);
        let symbol = self.functions.get(after.checked_sub(1)?)?;
        let inside = address - symbol.address < symbol.size || symbol.size == 0;
        let name = text(self.names.as_deref()?, symbol.name)?;
        (inside && !name.is_empty()).then_some((name, symbol.address))
    }
}

/// Where a variable or function of that name in a table begins and ends.
pub(crate) fn named(table: &[u8], names: &[u8], wanted: &str) -> Option<Range<u64>> {
    let mut all = entries(table)
        .filter(|(kind, symbol)| matches!(*kind, OBJECT | FUNCTION) && symbol.address != 0);
    let found = all.find(|(_, symbol)| text(names, symbol.name) == Some(wanted));
    found.map(|(_, symbol)| symbol.address..symbol.address.saturating_add(symbol.size))
}

fn entries(table: &[u8]) -> impl Iterator<Item = (u8, Symbol)> {
    table.as_chunks::<ENTRY>().0.iter().filter_map(|entry| {
        let number = |at: usize| {
            let bytes = entry.get(at..at + 8)?;
            Some(u64::from_le_bytes(bytes.try_into().ok()?))
        };
        let name = entry.get(..4)?.try_into().ok().map(u32::from_le_bytes)?;
        let symbol = Symbol {
            address: number(8)?,
            size: number(16)?,
            name,
        };
        Some((entry.get(4)? & 0xf, symbol))
    })
}

fn text(names: &[u8], at: u32) -> Option<&str> {
    let rest = names.get(usize::try_from(at).ok()?..)?;
    let end = rest.iter().position(|byte| *byte == 0)?;
    std::str::from_utf8(&rest[..end]).ok()
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn entry(name: u32, kind: u8, address: u64, size: u64) -> Vec<u8> {
        let mut bytes = name.to_le_bytes().to_vec();
        bytes.extend([kind, 0, 1, 0]);
        bytes.extend(address.to_le_bytes());
        bytes.extend(size.to_le_bytes());
        bytes
    }

    #[test]
    fn an_address_between_functions_is_in_none() {
        let table = [
            entry(1, FUNCTION, 0x20, 0x10),
            entry(3, FUNCTION, 0x10, 4),
            entry(5, OBJECT, 0x14, 4),
            entry(7, FUNCTION, 0x40, 0),
        ]
        .concat();
        let names: Arc<[u8]> = Arc::from(&b"\0f\0g\0v\0a\0"[..]);
        let symbols = SymbolTable::read(&table, Arc::clone(&names));
        assert_eq!(symbols.at(0x13), Some(("g", 0x10)));
        assert_eq!(symbols.at(0x14), None);
        assert_eq!(symbols.at(0x2f), Some(("f", 0x20)));
        assert_eq!(symbols.at(0x99), Some(("a", 0x40)));
        assert_eq!(symbols.at(0), None);
        assert_eq!(named(&table, &names, "v"), Some(0x14..0x18));
        assert_eq!(named(&table, &names, "w"), None);
    }

    proptest! {
        #[test]
        fn never_panics(table in proptest::collection::vec(any::<u8>(), 0..200), names in proptest::collection::vec(any::<u8>(), 0..50), at: u64) {
            let symbols = SymbolTable::read(&table, Arc::from(&names[..]));
            let _ = symbols.at(at);
            let _ = named(&table, &names, "x");
        }
    }
}
