//! Python's calls, from `_PyRuntime` (`pycore_runtime.h`, `pycore_interp.h`, `cpython/pystate.h`,
//! `pycore_frame.h`, `cpython/code.h` of each version; 3.13 tells where its lists begin itself, by
//! `_Py_DebugOffsets`).

use std::collections::HashMap;

use super::python_text::{TextLayout, line, text};
use super::refused::{InterpreterRefused, MAX_CALLS};
use crate::frame::{FrameKind, NamedFrame, tellable};
use crate::memory::{Memory, MemoryWords as _};
use crate::owner::script_library;
use crate::space::CodeSpace;
use crate::table::{CodePlace, CodeTable};

/// Interpreters and threads of one that are looked through.
const MAX_INTERPRETERS: usize = 64;
const MAX_THREADS: usize = 4_096;
const MAX_LINES: usize = 64 << 10;

/// Where fields are, by version.
struct PythonLayout {
    interpreters: u64,
    next_interpreter: u64,
    threads: u64,
    native_id: u64,
    /// To the frame: a field of the thread, or first to a structure and then to its field.
    frame: (u64, Option<u64>),
    code: usize,
    previous: usize,
    instruction: usize,
    owner: usize,
    /// The owner of what is no call of Python.
    glue: Option<u8>,
    first_line: u64,
    instructions: u64,
    text: TextLayout,
}

const NEXT_THREAD: u64 = 8;
const FILE: u64 = 112;
const NAME: u64 = 128;
const LINES: u64 = 136;
const TYPE: u64 = 8;
const TYPE_NAME: u64 = 24;
const FRAME_BYTES: usize = 72;
/// The owner of a generator's frame, which has another one before it while it runs.
const BY_GENERATOR: u8 = 1;
/// A thread that goes on meanwhile is read so often until all of its calls are there.
const MAX_READS: usize = 5;

const PYTHON_3_11: PythonLayout = PythonLayout {
    interpreters: 40,
    next_interpreter: 0,
    threads: 16,
    native_id: 160,
    frame: (56, Some(8)),
    code: 32,
    previous: 48,
    instruction: 56,
    owner: 69,
    glue: None,
    first_line: 72,
    instructions: 184,
    text: TextLayout {
        ascii: 48,
        other: 72,
    },
};
const PYTHON_3_12: PythonLayout = PythonLayout {
    threads: 72,
    native_id: 144,
    frame: (56, Some(0)),
    code: 0,
    previous: 8,
    owner: 70,
    glue: Some(3),
    first_line: 68,
    instructions: 192,
    text: TextLayout {
        ascii: 40,
        other: 56,
    },
    ..PYTHON_3_11
};
const PYTHON_3_13: PythonLayout = PythonLayout {
    // All three are told by the runtime.
    interpreters: 0,
    next_interpreter: 0,
    threads: 0,
    native_id: 160,
    frame: (72, None),
    instructions: 200,
    ..PYTHON_3_12
};

/// A function, as far as it is the same wherever it is.
struct PythonCode {
    function: String,
    file: String,
    library: Option<String>,
    first_line: u32,
    lines: Vec<u8>,
    begin: u64,
}

/// A Python of one process.
pub struct Python {
    version: u32,
    runtime: u64,
    layout: PythonLayout,
    /// The thread's structure, by the thread's number.
    threads: HashMap<u32, u64>,
    codes: HashMap<u64, Option<PythonCode>>,
}

impl Python {
    pub(super) fn find(
        space: &CodeSpace,
        memory: &dyn Memory,
    ) -> Option<Result<Self, InterpreterRefused>> {
        let (_, runtime) = space.variable("_PyRuntime")?;
        let refused = |found: String| Some(Err(InterpreterRefused::Python { found }));
        let Some((_, version)) = space.variable("Py_Version") else {
            return refused("3.10 or older".to_owned());
        };
        // 0x030b02f0 is 3.11.2.
        let version = memory.u32(version)? >> 16;
        let layout = match version {
            0x030b => PYTHON_3_11,
            0x030c => PYTHON_3_12,
            0x030d => match told_by_runtime(memory, runtime) {
                Some(layout) => layout,
                None => return refused("3.13, free-threaded".to_owned()),
            },
            _ => return refused(format!("{}.{}", version >> 8, version & 0xff)),
        };
        Some(Ok(Self {
            version,
            runtime,
            layout,
            threads: HashMap::new(),
            codes: HashMap::new(),
        }))
    }

    pub(super) fn name(&self) -> String {
        format!("Python {}.{}", self.version >> 8, self.version & 0xff)
    }

    pub(super) fn calls(
        &mut self,
        memory: &dyn Memory,
        thread: u32,
        table: &mut CodeTable,
    ) -> Vec<CodePlace> {
        let mut most = Vec::new();
        for _ in 0..MAX_READS {
            let (calls, whole) = self.read_calls(memory, thread, table);
            if whole || calls.len() > most.len() {
                most = calls;
            }
            if whole {
                break;
            }
        }
        most
    }

    /// The calls, the innermost first, and whether they go back to the first one: the thread may go on
    /// while they are read.
    fn read_calls(
        &mut self,
        memory: &dyn Memory,
        thread: u32,
        table: &mut CodeTable,
    ) -> (Vec<CodePlace>, bool) {
        let (mut calls, mut whole) = (Vec::new(), false);
        let mut next = self
            .thread(memory, thread)
            .and_then(|state| self.frame(memory, state));
        let mut steps = 0;
        while let Some(frame) = next.take() {
            let mut bytes = [0; FRAME_BYTES];
            steps += 1;
            if steps > 4 * MAX_CALLS || calls.len() >= MAX_CALLS || !memory.read(frame, &mut bytes)
            {
                break;
            }
            let word = |at: usize| {
                let word = bytes.get(at..at + 8).and_then(|word| word.try_into().ok());
                word.map_or(0, u64::from_le_bytes)
            };
            let (code, at) = (word(self.layout.code), word(self.layout.instruction));
            let owner = bytes.get(self.layout.owner).copied();
            let is_glue = self.layout.glue == owner;
            if !is_glue && code != 0 {
                // What is no code was freed while it was read.
                match self.code(memory, code) {
                    Some(code) => calls.push(table.interpreted(code.frame(at))),
                    None => break,
                }
            }
            next = Some(word(self.layout.previous)).filter(|previous| *previous != 0);
            whole = next.is_none() && owner != Some(BY_GENERATOR);
        }
        (calls, whole)
    }

    /// The structure of a thread.
    fn thread(&mut self, memory: &dyn Memory, thread: u32) -> Option<u64> {
        let native_id = self.layout.native_id;
        let is_it = |state: u64| memory.u64(state + native_id) == Some(thread.into());
        if let Some(known) = self.threads.get(&thread)
            && is_it(*known)
        {
            return Some(*known);
        }
        self.threads.clear();
        let mut interpreter = memory.pointer(self.runtime, self.layout.interpreters);
        for _ in 0..MAX_INTERPRETERS {
            let Some(of) = interpreter else { break };
            let mut state = memory.pointer(of, self.layout.threads);
            for _ in 0..MAX_THREADS {
                let Some(at) = state else { break };
                let id = memory.u64(at.checked_add(native_id)?)?;
                self.threads.insert(u32::try_from(id).unwrap_or(0), at);
                state = memory.pointer(at, NEXT_THREAD);
            }
            interpreter = memory.pointer(of, self.layout.next_interpreter);
        }
        self.threads.get(&thread).copied()
    }

    fn frame(&self, memory: &dyn Memory, state: u64) -> Option<u64> {
        let (first, second) = self.layout.frame;
        let found = memory.pointer(state, first)?;
        second.map_or(Some(found), |second| memory.pointer(found, second))
    }

    fn code(&mut self, memory: &dyn Memory, at: u64) -> Option<&PythonCode> {
        if !self.codes.contains_key(&at) {
            let read = PythonCode::read(memory, at, &self.layout);
            self.codes.insert(at, read);
        }
        self.codes.get(&at)?.as_ref()
    }
}

impl PythonCode {
    fn read(memory: &dyn Memory, at: u64, layout: &PythonLayout) -> Option<Self> {
        let mut name = [0; 5];
        let kind = memory.pointer(memory.pointer(at, TYPE)?, TYPE_NAME)?;
        (memory.read(kind, &mut name) && &name == b"code\0").then_some(())?;
        let file = text(memory, memory.pointer(at, FILE)?, &layout.text)?;
        let name = text(memory, memory.pointer(at, NAME)?, &layout.text)?;
        let lines = memory.pointer(at, LINES)?;
        let length = usize::try_from(memory.u64(lines.checked_add(16)?)?).ok()?;
        Some(Self {
            function: tellable(&format!("{}.{name}", module(&file))),
            library: script_library(&file),
            file: tellable(&file),
            first_line: memory.u32(at.checked_add(layout.first_line)?)?,
            lines: memory.bytes(lines.checked_add(32)?, length.min(MAX_LINES))?,
            begin: at.checked_add(layout.instructions)?,
        })
    }

    fn frame(&self, instruction: u64) -> NamedFrame {
        let offset = instruction.saturating_sub(self.begin);
        NamedFrame {
            function: self.function.clone(),
            file: Some(self.file.clone()),
            line: line(&self.lines, self.first_line, offset),
            library: self.library.clone(),
            kind: FrameKind::Interpreted,
        }
    }
}

/// The module that a file is, as it is mostly called.
fn module(file: &str) -> &str {
    let path = file.strip_suffix(".py").unwrap_or(file);
    let path = path.strip_suffix("/__init__").unwrap_or(path);
    path.rsplit('/').next().unwrap_or(path)
}

/// What `_Py_DebugOffsets` says of 3.13: after a mark, the version and whether it is
/// free-threaded, sizes and offsets of eight bytes each.
fn told_by_runtime(memory: &dyn Memory, runtime: u64) -> Option<PythonLayout> {
    let word = |n: u64| memory.u64(runtime.checked_add(8 * n)?);
    let is_marked = memory.array(runtime)? == *b"xdebugpy";
    let is_plain = word(2)? == 0;
    (is_marked && is_plain).then_some(PythonLayout {
        interpreters: word(5)?,
        next_interpreter: word(8)?,
        threads: word(9)?,
        ..PYTHON_3_13
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn modules_are_called_after_their_files() {
        assert_eq!(module("/srv/app/shop.py"), "shop");
        assert_eq!(module("/srv/app/cart/__init__.py"), "cart");
        assert_eq!(module("<string>"), "<string>");
    }
}
