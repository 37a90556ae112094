//! What a Go program says of itself even where it was stripped: its functions with files and lines
//! (`runtime/symtab.go`, `pclntab` of Go 1.18 and later), and which module is its own
//! (`debug/buildinfo`).

use std::sync::Arc;

/// Names and paths are no longer.
const MAX_TEXT: usize = 4096;
/// Steps through the table of lines of one function.
const MAX_STEPS: usize = 100_000;

/// Go's table of functions.
pub(crate) struct GoTable {
    bytes: Arc<[u8]>,
    /// Where the program's text begins.
    text: u64,
    functions: usize,
    names: usize,
    units: usize,
    files: usize,
    values: usize,
    table: usize,
    quantum: u64,
}

/// A function by Go's table.
pub(crate) struct GoFunction<'a> {
    pub(crate) name: &'a str,
    pub(crate) file: Option<&'a str>,
    pub(crate) line: Option<u32>,
}

impl GoTable {
    /// Reads the table's head; `text` is where the text begins if the table does not say. None for
    /// versions that are not known.
    pub(crate) fn read(bytes: Arc<[u8]>, text: u64) -> Option<Self> {
        let magic = u32_at(&bytes, 0)?;
        // Go 1.18 and 1.20.
        let known = matches!(magic, 0xffff_fff0 | 0xffff_fff1) && bytes.get(7) == Some(&8);
        let word = |n: usize| {
            Some(u64::from_le_bytes(
                bytes.get(8 + 8 * n..16 + 8 * n)?.try_into().ok()?,
            ))
        };
        let offset = |n: usize| usize::try_from(word(n)?).ok();
        let told = word(2)?;
        let table = Self {
            text: if told == 0 { text } else { told },
            functions: offset(0)?,
            names: offset(3)?,
            units: offset(4)?,
            files: offset(5)?,
            values: offset(6)?,
            table: offset(7)?,
            quantum: u64::from(*bytes.get(6)?),
            bytes: Arc::clone(&bytes),
        };
        known.then_some(table)
    }

    /// The function that an address is in.
    pub(crate) fn at(&self, address: u64) -> Option<GoFunction<'_>> {
        let at = u32::try_from(address.checked_sub(self.text)?).ok()?;
        let entry = |n: usize| u32_at(&self.bytes, self.table.checked_add(n.checked_mul(8)?)?);
        // The last entry is the end of the text.
        let (mut low, mut high) = (0, self.functions);
        while low < high {
            let middle = low + (high - low) / 2;
            match entry(middle)? <= at {
                true => low = middle + 1,
                false => high = middle,
            }
        }
        let number = low.checked_sub(1)?;
        if number + 1 == self.functions && at >= entry(self.functions)? {
            return None;
        }
        let offset = self
            .table
            .checked_add(number.checked_mul(8)?)?
            .checked_add(4)?;
        let function = self.table.checked_add(usize_at(&self.bytes, offset)?)?;
        let field = |n: usize| usize_at(&self.bytes, function.checked_add(4 * n)?);
        let begin = u64::from(u32_at(&self.bytes, function)?);
        let value = |n: usize| self.value(field(n)?, begin, u64::from(at));
        let file = || {
            let number = usize::try_from(value(5)?).ok()?;
            let unit = field(8)?.checked_add(number)?.checked_mul(4)?;
            let offset = usize_at(&self.bytes, self.units.checked_add(unit)?)?;
            text_at(&self.bytes, self.files.checked_add(offset)?)
        };
        Some(GoFunction {
            name: text_at(&self.bytes, self.names.checked_add(field(1)?)?)?,
            file: file(),
            line: value(6).and_then(|line| u32::try_from(line).ok()),
        })
    }

    /// The value at a place, of a table of values by program counter: pairs of differences.
    fn value(&self, offset: usize, begin: u64, at: u64) -> Option<i64> {
        let mut rest = self.bytes.get(self.values.checked_add(offset)?..)?;
        let (mut value, mut pc) = (-1_i64, begin);
        for step in 0..MAX_STEPS {
            let difference = varint(&mut rest)?;
            if difference == 0 && step > 0 {
                return None;
            }
            let signed = (difference >> 1) as i64 ^ -((difference & 1) as i64);
            value = value.checked_add(signed)?;
            pc = pc.checked_add(varint(&mut rest)?.checked_mul(self.quantum)?)?;
            if at < pc {
                return Some(value);
            }
        }
        None
    }
}

fn u32_at(bytes: &[u8], at: usize) -> Option<u32> {
    let word = bytes.get(at..at.checked_add(4)?)?;
    word.try_into().ok().map(u32::from_le_bytes)
}

fn usize_at(bytes: &[u8], at: usize) -> Option<usize> {
    usize::try_from(u32_at(bytes, at)?).ok()
}

fn text_at(bytes: &[u8], at: usize) -> Option<&str> {
    let rest = bytes.get(at..)?;
    let end = rest.iter().take(MAX_TEXT).position(|byte| *byte == 0)?;
    std::str::from_utf8(&rest[..end]).ok()
}

fn varint(rest: &mut &[u8]) -> Option<u64> {
    let mut value = 0_u64;
    for shift in (0..64).step_by(7) {
        let (byte, after) = rest.split_first()?;
        *rest = after;
        value |= u64::from(byte & 0x7f).checked_shl(shift)?;
        if byte & 0x80 == 0 {
            return Some(value);
        }
    }
    None
}

/// What a Go program was built from.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct GoBuild {
    /// Its own module: `example.org/shop`.
    pub(crate) main: String,
    /// The modules that it uses.
    pub(crate) modules: Vec<String>,
}

/// Marks around the list of modules.
const MARK: usize = 16;
const MAX_MODULES: usize = 5_000;

impl GoBuild {
    /// Reads the section `.go.buildinfo` of Go 1.18 and later.
    pub(crate) fn read(section: &[u8]) -> Option<Self> {
        let rest = section.strip_prefix(b"\xff Go buildinf:")?;
        let has_texts = rest.get(1)? & 2 != 0;
        let mut rest = section.get(32..).filter(|_| has_texts)?;
        let mut text = || {
            let length = usize::try_from(varint(&mut rest)?).ok()?;
            let (text, after) = rest.split_at_checked(length)?;
            rest = after;
            Some(text)
        };
        let _version = text()?;
        let modules = text()?;
        let list = modules.get(MARK..modules.len().checked_sub(MARK)?)?;
        let mut build = Self::default();
        for line in String::from_utf8_lossy(list).lines().take(MAX_MODULES) {
            let mut parts = line.split('\t');
            match (parts.next(), parts.next()) {
                (Some("mod"), Some(main)) => build.main = main.to_owned(),
                (Some("dep"), Some(module)) => build.modules.push(module.to_owned()),
                _ => {}
            }
        }
        // The longest name that fits is right.
        build
            .modules
            .sort_by_key(|module| std::cmp::Reverse(module.len()));
        Some(build)
    }

    /// The library that a function belongs to; none of the program's own.
    pub(crate) fn library_of(&self, function: &str) -> Option<String> {
        let package = package(function);
        let is_in = |module: &str| {
            let rest = package.strip_prefix(module);
            rest.is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
        };
        if package == "main" || (!self.main.is_empty() && is_in(&self.main)) {
            return None;
        }
        let mut modules = self.modules.iter();
        let module = modules.find(|module| is_in(module));
        Some(module.cloned().unwrap_or(package))
    }
}

/// The package of a function: `encoding/json` of `encoding/json.(*Decoder).Decode`. The linker writes
/// dots behind the last slash as `%2e`.
fn package(function: &str) -> String {
    // A type's parameters may hold paths of their own.
    let plain = function.split('[').next().unwrap_or(function);
    let folder = plain.rfind('/').map_or(0, |at| at + 1);
    let name = &plain[folder..];
    let end = folder + name.find('.').unwrap_or(name.len());
    let package = plain[..end].replace("%2e", ".");
    // Functions in assembly of the runtime stand alone: `memeqbody`, `gogo`.
    if package.is_empty() || !plain.contains('.') {
        return "runtime".to_owned();
    }
    package
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn functions_belong_to_modules() {
        let build = GoBuild {
            main: "example.org/shop".to_owned(),
            modules: vec![
                "github.com/go-sql-driver/mysql".to_owned(),
                "gopkg.in/yaml.v3".to_owned(),
            ],
        };
        for (function, library) in [
            ("main.handler", None),
            ("main.handler.func1", None),
            ("example.org/shop/cart.(*Cart).Add", None),
            ("example.org/shopping.Add", Some("example.org/shopping")),
            ("encoding/json.(*Decoder).Decode", Some("encoding/json")),
            ("runtime.mallocgc", Some("runtime")),
            ("memeqbody", Some("runtime")),
            (
                "gopkg.in/yaml%2ev3.yaml_parser_parse",
                Some("gopkg.in/yaml.v3"),
            ),
            (
                "github.com/go-sql-driver/mysql.(*mysqlConn).readPacket",
                Some("github.com/go-sql-driver/mysql"),
            ),
            (
                "slices.SortFunc[go.shape.[]example.org/shop.T,go.shape.int]",
                Some("slices"),
            ),
        ] {
            assert_eq!(build.library_of(function).as_deref(), library, "{function}");
        }
    }

    #[test]
    fn modules_are_read() {
        let list = "path\texample.org/shop\nmod\texample.org/shop\t(devel)\t\ndep\tgithub.com/a/b\tv1\th1:x\nbuild\tGOOS=linux\n";
        let mut section = b"\xff Go buildinf:\x08\x02".to_vec();
        section.resize(32, 0);
        section.extend([6]);
        section.extend(b"go1.26");
        let list = format!("{0}{list}{0}", "m".repeat(MARK));
        section.extend([(list.len() as u8) | 0x80, (list.len() >> 7) as u8]);
        section.extend(list.bytes());
        let build = GoBuild::read(&section).unwrap();
        assert_eq!(build.main, "example.org/shop");
        assert_eq!(build.modules, ["github.com/a/b"]);
    }

    proptest! {
        #[test]
        fn never_panics(mut bytes in proptest::collection::vec(any::<u8>(), 0..300), at: u64) {
            let _ = GoBuild::read(&bytes);
            for (place, byte) in [0xf1, 0xff, 0xff, 0xff, 0, 0, 1, 8].into_iter().enumerate() {
                if let Some(there) = bytes.get_mut(place) {
                    *there = byte;
                }
            }
            // Small offsets lead into the table.
            for at in (9..72).filter(|at| at % 8 != 0) {
                if let Some(there) = bytes.get_mut(at) {
                    *there = 0;
                }
            }
            if let Some(table) = GoTable::read(Arc::from(&bytes[..]), 0) {
                let _ = table.at(at);
                let _ = table.at(at >> 56);
            }
        }
    }
}
