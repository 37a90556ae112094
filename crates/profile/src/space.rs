//! The code of one process: where a place in it belongs, and which calls a stack holds.

use std::sync::Arc;

use framehop::x86_64::{CacheX86_64, UnwindRegsX86_64, UnwinderX86_64};
use framehop::{Module, Unwinder};

use crate::binary::Binary;
use crate::maps::Mapping;
use crate::table::{CodePlace, CodeTable};

/// Calls that are told of one stack: the innermost.
const MAX_CALLS: usize = 256;

/// Words of a stack in which a frame pointer is looked for.
const SEARCHED: u64 = 512;
/// Of the nearest places so many are guessed to be where it leads.
const NEAREST: usize = 3;

/// The registers of x86-64 by which a stack is unwound.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Registers {
    /// The place in the code.
    pub pc: u64,
    /// The stack pointer.
    pub sp: u64,
    /// The frame pointer, which code may use for other things; 0: not known.
    pub fp: u64,
}

/// The innermost part of a thread's stack.
#[derive(Debug, Clone, Copy)]
pub struct StackBytes<'a> {
    /// The address of its first byte.
    pub begin: u64,
    /// Its bytes.
    pub bytes: &'a [u8],
}

impl StackBytes<'_> {
    fn word(&self, address: u64) -> Option<u64> {
        let at = usize::try_from(address.checked_sub(self.begin)?).ok()?;
        let bytes = self.bytes.get(at..at.checked_add(8)?)?;
        Some(u64::from_le_bytes(bytes.try_into().ok()?))
    }
}

/// A range of a process's memory that holds code.
struct CodeRange {
    begin: u64,
    end: u64,
    /// Which binary, and what is added to an address to have it as the file states it; none:
    /// compiled while running.
    binary: Option<(u32, u64)>,
}

/// A binary in a process.
struct LoadedBinary {
    number: u32,
    binary: Arc<Binary>,
    /// What is added to an address that its file states.
    bias: u64,
}

/// The code of one process.
pub struct CodeSpace {
    process: u32,
    ranges: Vec<CodeRange>,
    binaries: Vec<LoadedBinary>,
    unwinder: UnwinderX86_64<Arc<[u8]>>,
    cache: CacheX86_64,
}

impl CodeSpace {
    /// The space that these mappings tell; `read` gives the binary behind a mapping, which the table
    /// keeps.
    pub fn new(
        process: u32,
        mappings: &[Mapping],
        table: &mut CodeTable,
        mut read: impl FnMut(&Mapping) -> Option<Binary>,
    ) -> Self {
        let mut space = Self {
            process,
            ranges: Vec::new(),
            binaries: Vec::new(),
            unwinder: UnwinderX86_64::new(),
            cache: CacheX86_64::new(),
        };
        for mapping in mappings.iter().filter(|mapping| mapping.runs) {
            let is_binary = mapping.is_of_file() || mapping.path == "[vdso]";
            let found = match is_binary {
                true => table.binary(mapping, &mut read),
                false => None,
            };
            space.add(mapping, found);
        }
        space.ranges.sort_by_key(|range| range.begin);
        space
    }

    fn add(&mut self, mapping: &Mapping, found: Option<(u32, Arc<Binary>)>) {
        let located = found.and_then(|(number, binary)| {
            let stated = binary.code_at(mapping.offset)?;
            Some((number, binary, mapping.begin.wrapping_sub(stated)))
        });
        let (begin, end) = (mapping.begin, mapping.end);
        self.ranges.push(CodeRange {
            begin,
            end,
            binary: located.as_ref().map(|(number, _, bias)| (*number, *bias)),
        });
        let Some((number, binary, bias)) = located else {
            return;
        };
        let mut info = binary.unwind();
        // Tables hold distances of 32 bits from here: programs may begin anywhere.
        let base = begin.wrapping_sub(bias) & !0xffff_ffff;
        info.base_svma = base;
        let module = Module::new(
            binary.name().to_owned(),
            begin..end,
            base.wrapping_add(bias),
            info,
        );
        self.unwinder.add_module(module);
        if !self
            .binaries
            .iter()
            .any(|known| (known.number, known.bias) == (number, bias))
        {
            self.binaries.push(LoadedBinary {
                number,
                binary,
                bias,
            });
        }
    }

    /// Whether code lies at an address.
    #[must_use]
    pub fn holds(&self, address: u64) -> bool {
        self.range(address).is_some()
    }

    fn range(&self, address: u64) -> Option<&CodeRange> {
        let after = self.ranges.partition_point(|range| range.begin <= address);
        let range = self.ranges.get(after.checked_sub(1)?)?;
        (address < range.end).then_some(range)
    }

    /// Where in the process a variable of one of its binaries is, by which interpreters are found.
    pub(crate) fn variable(&self, name: &str) -> Option<(&Arc<Binary>, u64)> {
        let mut all = self.binaries.iter();
        all.find_map(|known| {
            let stated = known.binary.variable(name)?;
            Some((&known.binary, stated.wrapping_add(known.bias)))
        })
    }

    /// Whether a place is in an exported function by which interpreters are found.
    pub(crate) fn is_in(&self, place: CodePlace, function: &str) -> bool {
        let CodePlace::Binary { binary, address } = place else {
            return false;
        };
        let mut all = self.binaries.iter().filter(|known| known.number == binary);
        all.any(|known| known.binary.holds(function, address))
    }

    /// The place of an address.
    fn place(&self, address: u64) -> CodePlace {
        match self.range(address).and_then(|range| range.binary) {
            Some((binary, bias)) => CodePlace::Binary {
                binary,
                address: address.wrapping_sub(bias),
            },
            None => CodePlace::Other {
                process: self.process,
                address,
            },
        }
    }

    /// The places of the calls on a stack, innermost first, into a list. Gives whether the stack
    /// ended as stacks do, rather than where nothing more was known.
    pub fn unwind(
        &mut self,
        from: Registers,
        stack: &StackBytes<'_>,
        into: &mut Vec<CodePlace>,
    ) -> bool {
        let Self {
            unwinder, cache, ..
        } = self;
        let mut read = |address: u64| stack.word(address).ok_or(());
        let registers = UnwindRegsX86_64::new(from.pc, from.sp, from.fp);
        let mut frames = unwinder.iter_frames(from.pc, registers, cache, &mut read);
        let mut addresses = Vec::with_capacity(64);
        let mut ended = false;
        while addresses.len() < MAX_CALLS {
            match frames.next() {
                // Where the caller is, not where it goes on, which may be another function.
                Ok(Some(frame)) => addresses.push(frame.address_for_lookup()),
                Ok(None) => {
                    ended = true;
                    break;
                }
                Err(_) => break,
            }
        }
        // What is no code came from guessing a frame pointer.
        let known = addresses.iter().enumerate();
        let known = known.take_while(|(n, address)| *n == 0 || self.holds(**address));
        let before = into.len();
        into.extend(known.map(|(_, address)| self.place(*address)));
        let told = into.len() - before;
        told == addresses.len() && (ended || told == MAX_CALLS)
    }

    /// Where the frame pointer of a stack may lead, the likeliest first: to one of the nearest words that lie before
    /// an address of code, as the innermost function may be the only one that keeps a frame pointer; else to where a
    /// chain of them seems to begin, a word that leads further up to another of the kind.
    #[must_use]
    pub fn frame_pointers(&self, stack: &StackBytes<'_>) -> Vec<u64> {
        let returns = |at: u64| {
            let back = stack.word(at.checked_add(8)?)?;
            self.holds(back).then_some(())
        };
        let is_link = |at: &u64| {
            let up = stack.word(*at).filter(|up| up > at);
            up.and_then(returns).is_some()
        };
        let words = u64::try_from(stack.bytes.len() / 8)
            .unwrap_or(0)
            .min(SEARCHED);
        let places = (0..words).filter_map(|n| stack.begin.checked_add(8 * n));
        let mut places = places.filter(|at| returns(*at).is_some());
        let nearest: Vec<u64> = places.by_ref().take(NEAREST).collect();
        // One that is among the nearest is tried already.
        let chain = match nearest.iter().any(is_link) {
            true => None,
            false => places.find(is_link),
        };
        nearest.into_iter().chain(chain).collect()
    }
}
