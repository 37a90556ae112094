//! Binaries, functions and what they are called, of several processes together.

use std::collections::HashMap;
use std::sync::Arc;

use crate::binary::Binary;
use crate::frame::{FrameKind, NamedFrame, tellable};
use crate::jit::compiled_call;
use crate::kernel::KernelNames;
use crate::maps::Mapping;
use crate::perf_map::PerfMap;

/// Binaries that are kept, and frames of interpreters.
const MAX_BINARIES: usize = 2_000;
const MAX_FRAMES: usize = 100_000;

/// A place in code, by which stacks are counted.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum CodePlace {
    /// In a binary: its number, and the address as its file states it.
    Binary {
        /// The number that the table gave it.
        binary: u32,
        /// The address.
        address: u64,
    },
    /// In code that was made while running.
    Other {
        /// The process.
        process: u32,
        /// The address.
        address: u64,
    },
    /// In the kernel.
    Kernel(u64),
    /// A call that an interpreter runs, by the number that the table gave it.
    Interpreted(u32),
}

/// A mapped file; paths tell apart what has no number, like the kernel's own.
type MappedFile = (u64, u64, String);

/// What places in code are called.
#[derive(Default)]
pub struct CodeTable {
    files: HashMap<MappedFile, Option<u32>>,
    binaries: Vec<Arc<Binary>>,
    interpreted: Vec<NamedFrame>,
    numbers: HashMap<NamedFrame, u32>,
    made: HashMap<u32, PerfMap>,
    kernel: KernelNames,
}

impl CodeTable {
    /// The binary behind a mapping, which `read` reads once.
    pub(crate) fn binary(
        &mut self,
        mapping: &Mapping,
        read: impl FnOnce(&Mapping) -> Option<Binary>,
    ) -> Option<(u32, Arc<Binary>)> {
        let file = (mapping.file.0, mapping.file.1, mapping.path.clone());
        let known = match self.files.get(&file) {
            Some(known) => *known,
            None if self.binaries.len() >= MAX_BINARIES => None,
            None => {
                let number = u32::try_from(self.binaries.len()).ok();
                let number = read(mapping).and_then(|binary| {
                    self.binaries.push(Arc::new(binary));
                    number
                });
                self.files.insert(file, number);
                number
            }
        };
        let number = known?;
        let binary = self.binaries.get(usize::try_from(number).ok()?)?;
        Some((number, Arc::clone(binary)))
    }

    /// The place of a call that an interpreter runs.
    pub fn interpreted(&mut self, frame: NamedFrame) -> CodePlace {
        if let Some(known) = self.numbers.get(&frame) {
            return CodePlace::Interpreted(*known);
        }
        let last = self.interpreted.len().min(MAX_FRAMES);
        if last < MAX_FRAMES {
            self.numbers.insert(frame.clone(), last as u32);
            self.interpreted.push(frame);
        }
        CodePlace::Interpreted(last as u32)
    }

    /// Names what a process has compiled while it ran.
    pub fn name_made(&mut self, process: u32, map: PerfMap) {
        self.made.insert(process, map);
    }

    /// Names places in the kernel, by the text of `/proc/kallsyms`.
    pub fn name_kernel(&mut self, symbols: &str, wanted: &mut [u64]) {
        self.kernel = KernelNames::read(symbols, wanted);
    }

    /// Whether something that was made while running has no name.
    #[must_use]
    pub fn is_unnamed(&self, place: CodePlace) -> bool {
        match place {
            CodePlace::Other { process, address } => self
                .made
                .get(&process)
                .and_then(|map| map.at(address))
                .is_none(),
            _ => false,
        }
    }

    /// The calls at a place, innermost first; at least one.
    #[must_use]
    pub fn calls(&self, place: CodePlace) -> Vec<NamedFrame> {
        let unknown = |function: &str, library: Option<&str>| NamedFrame {
            function: function.to_owned(),
            file: None,
            line: None,
            library: library.map(str::to_owned),
            kind: FrameKind::Native,
        };
        match place {
            CodePlace::Binary { binary, address } => {
                let binary = usize::try_from(binary).ok();
                let binary = binary.and_then(|number| self.binaries.get(number));
                binary.map_or_else(
                    || vec![unknown("[unknown]", Some("[unknown]"))],
                    |binary| binary.calls(address),
                )
            }
            CodePlace::Other { process, address } => {
                let name = self.made.get(&process).and_then(|map| map.at(address));
                vec![name.map_or_else(
                    || unknown("[unnamed code]", Some("[unnamed code]")),
                    compiled_call,
                )]
            }
            CodePlace::Kernel(address) => vec![NamedFrame {
                function: self
                    .kernel
                    .at(address)
                    .map_or_else(|| "[kernel]".to_owned(), tellable),
                kind: FrameKind::Kernel,
                ..unknown("", Some("kernel"))
            }],
            CodePlace::Interpreted(number) => {
                let number = usize::try_from(number).ok();
                let known = number.and_then(|number| self.interpreted.get(number));
                vec![
                    known
                        .cloned()
                        .unwrap_or_else(|| unknown("[too many functions]", None)),
                ]
            }
        }
    }
}
