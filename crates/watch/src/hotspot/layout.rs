//! How HotSpot's structures are laid out in a JVM, as it tells debuggers itself
//! (`vmStructs.hpp`: `VMStructEntry`, `VMTypeEntry`).

use std::collections::HashMap;
use std::fs;
use std::io::Read;
use std::path::Path;

use object::{Object, ObjectSymbol};

use super::memory::JvmMemory;
use crate::collectors::jvm::target::JvmProcess;

/// Entries of a table that are read: there are some thousand.
const MAX_ENTRIES: u64 = 50_000;

/// A JVM's library has some 20 MB.
const MAX_LIBRARY_BYTES: u64 = 512 << 20;

/// A field of a structure.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct StructField {
    /// Its offset in the structure; of a static field its address.
    pub(super) at: u64,
    number: NumberType,
}

/// The C++ types of fields that are read as numbers.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum NumberType {
    I16,
    U16,
    I32,
}

impl NumberType {
    fn of(kind: Option<&str>) -> Self {
        match kind {
            Some("int16_t" | "short") => Self::I16,
            Some("u2" | "uint16_t" | "unsigned short") => Self::U16,
            _ => Self::I32,
        }
    }
}

impl StructField {
    /// Its value as a number in the structure at that address.
    pub(super) fn number(self, memory: &JvmMemory, of: u64) -> Option<i64> {
        let address = of.checked_add(self.at)?;
        match self.number {
            NumberType::I16 => memory.i16(address).map(i64::from),
            NumberType::U16 => memory.u16(address).map(i64::from),
            NumberType::I32 => memory.i32(address).map(i64::from),
        }
    }

    /// Its value as a pointer in the structure at that address.
    pub(super) fn pointer(self, memory: &JvmMemory, of: u64) -> Option<u64> {
        memory.u64(of.checked_add(self.at)?)
    }
}

/// The tables of a JVM.
pub(super) struct JvmLayout {
    fields: HashMap<(String, String), StructField>,
    sizes: HashMap<String, u64>,
}

impl JvmLayout {
    /// Reads the tables; none where the process has no HotSpot.
    pub(super) fn read(process: &JvmProcess, memory: &JvmMemory) -> Option<Self> {
        let symbols = Symbols::of(process)?;
        Some(Self {
            fields: fields(&symbols, memory)?,
            sizes: sizes(&symbols, memory)?,
        })
    }

    /// The field of a structure; versions of HotSpot have it in one of several.
    pub(super) fn field(&self, structures: &[&str], name: &str) -> Option<StructField> {
        let field = |structure: &&str| {
            let key = ((*structure).to_owned(), name.to_owned());
            self.fields.get(&key).copied()
        };
        structures.iter().find_map(field)
    }

    /// The size of a structure, bytes.
    pub(super) fn size(&self, structure: &str) -> Option<u64> {
        self.sizes.get(structure).copied()
    }
}

fn fields(symbols: &Symbols, memory: &JvmMemory) -> Option<HashMap<(String, String), StructField>> {
    let entry = |part: &str| symbols.value(memory, &format!("gHotSpotVMStructEntry{part}"));
    let (structure, name) = (entry("TypeNameOffset")?, entry("FieldNameOffset")?);
    let (kind, is_static) = (entry("TypeStringOffset")?, entry("IsStaticOffset")?);
    let (offset, address) = (entry("OffsetOffset")?, entry("AddressOffset")?);
    let mut found = HashMap::new();
    for at in symbols.entries(memory, "gHotSpotVMStructs", entry("ArrayStride")?)? {
        let text = |part: u64| memory.text(memory.u64(at.checked_add(part)?)?);
        let Some(structure) = text(structure) else {
            break;
        };
        let Some(name) = text(name) else { continue };
        let is_static = memory.i32(at.checked_add(is_static)?)? != 0;
        let place = if is_static { address } else { offset };
        let field = StructField {
            at: memory.u64(at.checked_add(place)?)?,
            number: NumberType::of(text(kind).as_deref()),
        };
        found.insert((structure, name), field);
    }
    Some(found)
}

fn sizes(symbols: &Symbols, memory: &JvmMemory) -> Option<HashMap<String, u64>> {
    let entry = |part: &str| symbols.value(memory, &format!("gHotSpotVMTypeEntry{part}"));
    let (name, size) = (entry("TypeNameOffset")?, entry("SizeOffset")?);
    let mut found = HashMap::new();
    for at in symbols.entries(memory, "gHotSpotVMTypes", entry("ArrayStride")?)? {
        let Some(name) = memory.text(memory.u64(at.checked_add(name)?)?) else {
            break;
        };
        found.insert(name, memory.u64(at.checked_add(size)?)?);
    }
    Some(found)
}

/// The names that a JVM's library exports for debuggers, and where they are in the process.
struct Symbols(HashMap<String, u64>);

impl Symbols {
    fn of(process: &JvmProcess) -> Option<Self> {
        let maps = fs::read_to_string(format!("/proc/{}/maps", process.pid)).ok()?;
        let (path, base) = library(&maps)?;
        let root = process.root().ok()?;
        let file = root.open(root.inner(Path::new(path))?).ok()?;
        let mut bytes = Vec::new();
        let length = file.take(MAX_LIBRARY_BYTES + 1).read_to_end(&mut bytes);
        length
            .ok()
            .filter(|length| *length as u64 <= MAX_LIBRARY_BYTES)?;
        let file = object::File::parse(&*bytes).ok()?;
        let exported = file.dynamic_symbols().filter_map(|symbol| {
            let name = symbol.name().ok()?;
            let is_table = name.starts_with("gHotSpotVM");
            is_table.then(|| (name.to_owned(), base.wrapping_add(symbol.address())))
        });
        Some(Self(exported.collect()))
    }

    /// What the variable of that name holds.
    fn value(&self, memory: &JvmMemory, name: &str) -> Option<u64> {
        memory.u64(*self.0.get(name)?)
    }

    /// Where the entries of a table are. Whoever reads ends at one without a name.
    fn entries(
        &self,
        memory: &JvmMemory,
        table: &str,
        stride: u64,
    ) -> Option<impl Iterator<Item = u64> + use<>> {
        let begin = self.value(memory, table)?;
        Some((0..MAX_ENTRIES).map_while(move |n| begin.checked_add(n.checked_mul(stride)?)))
    }
}

/// The JVM's library in `/proc/PID/maps`, and the address of its beginning.
fn library(maps: &str) -> Option<(&str, u64)> {
    let line = maps.lines().find(|line| line.ends_with("/libjvm.so"))?;
    let path = &line[line.find('/')?..];
    let (begin, _) = line.split_once('-')?;
    Some((path, u64::from_str_radix(begin, 16).ok()?))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_library_is_found_where_it_begins() {
        let maps = "7f00-7f10 r--p 00000000 fe:00 7 /lib/libc.so.6\n\
            7f5a6a000000-7f5a6a200000 r--p 00000000 fe:00 9 /opt/my jdk/lib/server/libjvm.so\n\
            7f5a6a200000-7f5a6b000000 r-xp 00200000 fe:00 9 /opt/my jdk/lib/server/libjvm.so\n";
        let found = library(maps);
        assert_eq!(
            found,
            Some(("/opt/my jdk/lib/server/libjvm.so", 0x7f5a_6a00_0000))
        );
        assert_eq!(
            library("7f00-7f10 r--p 00000000 fe:00 7 /lib/libc.so.6\n"),
            None
        );
    }
}
