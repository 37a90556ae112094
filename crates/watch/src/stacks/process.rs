//! The code of a watched process: its mappings, the files behind them, its memory.

use std::collections::HashMap;
use std::fs::{self, File};
use std::io::{Cursor, Read, Seek, SeekFrom};
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use plimsoll_profile::{
    Binary, CodePlace, CodeSpace, CodeTable, Interpreter, InterpreterRefused, Mapping, Memory as _,
    Registers, StackBytes, mappings,
};
use rustix::fs::fstat;

use crate::perf::shared::KeptStack;
use crate::proc::memory::ProcessMemory;
use crate::proc::root::{Root, open_named};
use crate::proc::thread_name::group;
use crate::proc::{Pid, find};

/// Text that is read of a perf map: runtimes add to it as long as they run.
const MAX_MAP_BYTES: u64 = 64 << 20;
/// The kernel's own code that it maps into processes.
const MAX_KERNEL_PART: u64 = 64 << 10;
/// The part of a waiting thread's stack that is read, bytes.
const WAITING_STACK: usize = 16 << 10;
/// Mappings are read again where code is met that was not there, so often and after so long.
const MAX_READS: u32 = 4;
const READS_AFTER: Duration = Duration::from_millis(300);

/// A process whose code was read.
pub(super) struct WatchedCode {
    pid: Pid,
    started_ticks: u64,
    space: CodeSpace,
    memory: Option<ProcessMemory>,
    interpreter: Option<Interpreter>,
    refused: Option<InterpreterRefused>,
    is_jvm: bool,
    makes_code: bool,
    root: Option<Root>,
    reads: u32,
    read_at: Instant,
    threads: HashMap<Pid, WatchedThread>,
}

/// What is known of a thread.
struct WatchedThread {
    /// Its number as the process itself has it.
    inner: Pid,
    class: String,
}

impl WatchedCode {
    /// Reads the code of a process; none if it is gone or may not be looked into.
    pub(super) fn open(pid: Pid, table: &mut CodeTable) -> Option<Self> {
        let started_ticks = find::stat_of(pid)?.start_ticks;
        let root = Root::of(pid).ok();
        let mut mapped = mapped(pid)?;
        let is_jvm = mapped.iter().any(|mapping| mapping.name() == "libjvm.so");
        if is_jvm {
            mapped.clear();
        }
        let memory = ProcessMemory::of(pid).ok();
        let space = space(pid, &mapped, root.as_ref(), memory.as_ref(), table);
        let found = memory
            .as_ref()
            .and_then(|memory| Interpreter::find(&space, memory));
        let (interpreter, refused) = match found {
            Some(Ok(interpreter)) => (Some(interpreter), None),
            Some(Err(refused)) => (None, Some(refused)),
            None => (None, None),
        };
        let made = |mapping: &Mapping| mapping.runs && mapping.path.is_empty();
        Some(Self {
            pid,
            started_ticks,
            space,
            memory,
            interpreter,
            refused,
            is_jvm,
            makes_code: mapped.iter().any(made),
            root,
            reads: 1,
            read_at: Instant::now(),
            threads: HashMap::new(),
        })
    }

    /// Whether its number still is this process's.
    pub(super) fn is_current(&self) -> bool {
        // One that has ended had this code.
        find::stat_of(self.pid).is_none_or(|stat| stat.start_ticks == self.started_ticks)
    }

    pub(super) fn is_jvm(&self) -> bool {
        self.is_jvm
    }

    pub(super) fn refused(&self) -> Option<&InterpreterRefused> {
        self.refused.as_ref()
    }

    /// What it runs, where that is told: `Python 3.11`.
    pub(super) fn runtime(&self) -> Option<String> {
        self.interpreter.as_ref().map(Interpreter::name)
    }

    /// Whether it compiles while it runs, and tells no names of that.
    pub(super) fn lacks_map(&self) -> bool {
        self.makes_code && self.interpreter.is_none() && self.open_map().is_none()
    }

    /// The class of a thread, by its name.
    pub(super) fn thread_class(&mut self, tid: Pid) -> String {
        self.thread(tid).class.clone()
    }

    fn thread(&mut self, tid: Pid) -> &WatchedThread {
        let pid = self.pid;
        self.threads.entry(tid).or_insert_with(|| {
            let file = |name: &str| fs::read_to_string(format!("/proc/{pid}/task/{tid}/{name}"));
            let status = file("status").unwrap_or_default();
            let mut lines = status.lines();
            let numbers = lines.find_map(|line| line.strip_prefix("NSpid:"));
            let inner = numbers.and_then(|all| all.split_ascii_whitespace().last()?.parse().ok());
            WatchedThread {
                inner: inner.unwrap_or(tid),
                class: group(file("comm").unwrap_or_default().trim_end()),
            }
        })
    }

    /// Adds the calls of a sample, innermost first. Gives whether they were followed to the end.
    pub(super) fn unwind(
        &mut self,
        sample: &KeptStack,
        table: &mut CodeTable,
        into: &mut Vec<CodePlace>,
    ) -> bool {
        let innermost = sample.innermost;
        if !self.space.holds(innermost.pc) {
            self.read_again(table);
        }
        let inner = self.thread(sample.tid).inner;
        let Self {
            space,
            memory,
            interpreter,
            ..
        } = self;
        // First what may change at any moment.
        let run = match (interpreter.as_mut(), memory.as_ref()) {
            (Some(interpreter), Some(memory)) => interpreter.calls(memory, inner, table),
            _ => Vec::new(),
        };
        let from = Registers {
            pc: innermost.pc,
            sp: innermost.sp,
            fp: innermost.fp,
        };
        let stack = StackBytes {
            begin: innermost.sp,
            bytes: &sample.stack,
        };
        let mut native = Vec::new();
        let mut whole = space.unwind(from, &stack, &mut native);
        if let Some(interpreter) = interpreter {
            whole |= !run.is_empty();
            native = interpreter.joined(native, run, space);
        }
        into.append(&mut native);
        whole
    }

    /// Adds the calls of a thread that waits, innermost first. Its frame pointer is not known; most
    /// stacks do not need it, and where they do it is looked for.
    pub(super) fn unwind_waiting(
        &mut self,
        tid: Pid,
        from: Registers,
        table: &mut CodeTable,
        into: &mut Vec<CodePlace>,
    ) {
        let inner = self.thread(tid).inner;
        let (Some(memory), space) = (self.memory.as_ref(), &mut self.space) else {
            return;
        };
        let mut bytes = vec![0; WAITING_STACK];
        let length = memory.read_some(from.sp, &mut bytes);
        let stack = StackBytes {
            begin: from.sp,
            bytes: &bytes[..length],
        };
        let mut native = Vec::new();
        // Without a frame pointer a stack that needs one seems to have ended.
        space.unwind(from, &stack, &mut native);
        for fp in space.frame_pointers(&stack) {
            let mut guessed = Vec::new();
            let is_whole = space.unwind(Registers { fp, ..from }, &stack, &mut guessed);
            if guessed.len() > native.len() {
                native = guessed;
                // A wrong guess does not lead to where threads begin.
                if is_whole {
                    break;
                }
            }
        }
        if let Some(interpreter) = self.interpreter.as_mut() {
            let run = interpreter.calls(memory, inner, table);
            native = interpreter.joined(native, run, space);
        }
        into.append(&mut native);
    }

    fn read_again(&mut self, table: &mut CodeTable) {
        if self.reads >= MAX_READS || self.read_at.elapsed() < READS_AFTER {
            return;
        }
        (self.reads, self.read_at) = (self.reads + 1, Instant::now());
        if let Some(mapped) = mapped(self.pid) {
            self.space = space(
                self.pid,
                &mapped,
                self.root.as_ref(),
                self.memory.as_ref(),
                table,
            );
        }
    }

    /// What it tells of code that it has compiled.
    pub(super) fn perf_map(&self) -> Option<String> {
        let mut map = self.open_map()?;
        let length = map.metadata().ok()?.len();
        // Of a long one the end: runtimes add to it, and use memory again.
        let from = length.saturating_sub(MAX_MAP_BYTES);
        map.seek(SeekFrom::Start(from)).ok()?;
        let mut bytes = Vec::new();
        map.take(MAX_MAP_BYTES).read_to_end(&mut bytes).ok()?;
        let text = String::from_utf8_lossy(&bytes);
        let whole = match from {
            0 => &*text,
            _ => text.split_once('\n').map_or("", |(_, whole)| whole),
        };
        Some(whole.to_owned())
    }

    fn open_map(&self) -> Option<File> {
        let status = fs::read_to_string(format!("/proc/{}/status", self.pid)).ok()?;
        let numbers = status
            .lines()
            .find_map(|line| line.strip_prefix("NSpid:"))?;
        let inner = numbers.split_ascii_whitespace().last()?;
        let path = PathBuf::from(format!("/tmp/perf-{inner}.map"));
        self.root.as_ref()?.open(path).ok()
    }
}

fn mapped(pid: Pid) -> Option<Vec<Mapping>> {
    let text = fs::read(format!("/proc/{pid}/maps")).ok()?;
    Some(mappings(&String::from_utf8_lossy(&text)))
}

fn space(
    pid: Pid,
    mapped: &[Mapping],
    root: Option<&Root>,
    memory: Option<&ProcessMemory>,
    table: &mut CodeTable,
) -> CodeSpace {
    let program = fs::read_link(format!("/proc/{pid}/exe")).ok();
    CodeSpace::new(pid, mapped, table, |mapping| {
        if mapping.path == "[vdso]" {
            return kernel_part(mapping, memory?);
        }
        let is_program = program.as_deref() == Some(Path::new(&mapping.path));
        let file = open(pid, mapping, root)?;
        Binary::read(&mapping.path, is_program, file).ok()
    })
}

/// The file behind a mapping: itself, also where it was replaced or deleted, or the one at its path,
/// if that is it.
fn open(pid: Pid, mapping: &Mapping, root: Option<&Root>) -> Option<File> {
    let (begin, end) = (mapping.begin, mapping.end);
    let itself = open_named(Path::new(&format!(
        "/proc/{pid}/map_files/{begin:x}-{end:x}"
    )));
    itself.ok().or_else(|| {
        let file = root?.open(&mapping.path).ok()?;
        let is_it = fstat(&file).ok()?.st_ino == mapping.file.1;
        is_it.then_some(file)
    })
}

/// The kernel's code in a process, from its memory.
fn kernel_part(mapping: &Mapping, memory: &ProcessMemory) -> Option<Binary> {
    let length = (mapping.end - mapping.begin).min(MAX_KERNEL_PART);
    let mut bytes = vec![0; usize::try_from(length).ok()?];
    memory.read(mapping.begin, &mut bytes).then_some(())?;
    Binary::read("[vdso]", false, Cursor::new(bytes)).ok()
}
