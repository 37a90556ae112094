//! A HotSpot JVM read from outside, without asking it anything: which method a place in its
//! compiled code belongs to, and which calls are on a stack.
//!
//! HotSpot exports tables of its own structures, their fields and offsets, for debuggers
//! (`vmStructs.cpp`, used by its Serviceability Agent). They are read, like all else here, from
//! `/proc/PID/mem`: nothing is stopped, started or changed. JDK 8 has them as JDK 25 has.
//!
//! Calls that the compiler put into their callers have no frame of their own, so they are not seen.

mod code;
mod layout;
mod memory;
mod unwind;

pub(crate) use unwind::{Stack, UnwoundFrame};

use std::sync::Arc;

use crate::collectors::jvm::target::JvmProcess;

use code::CodeCache;
use layout::JvmLayout;
use memory::JvmMemory;

/// The code of a JVM. Opening it takes some milliseconds: it reads the library's names.
pub(crate) struct HotSpot {
    process: JvmProcess,
    code: CodeCache,
}

impl HotSpot {
    /// Opens the JVM; none if its memory may not be read, or is not laid out as is known here.
    pub(crate) fn open(process: &JvmProcess) -> Option<Self> {
        let memory = JvmMemory::of(process.pid).ok()?;
        let layout = JvmLayout::read(process, &memory)?;
        Some(Self {
            process: process.clone(),
            code: CodeCache::open(memory, &layout)?,
        })
    }

    /// Whether it is that process.
    pub(crate) fn is_of(&self, process: &JvmProcess) -> bool {
        self.process == *process
    }

    /// Forgets which code lies where: it is compiled anew all the time.
    pub(crate) fn forget(&mut self) {
        self.code.forget();
    }

    /// The calls of Java methods on a stack, innermost first: `java/lang/Thread.run`.
    pub(crate) fn calls(&mut self, innermost: UnwoundFrame, stack: &Stack<'_>) -> Vec<Arc<str>> {
        unwind::calls(&mut self.code, innermost, stack)
    }
}
