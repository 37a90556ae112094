//! Stacks with names, of any process: from registers, a piece of the stack and the files that are
//! mapped, to functions with their library, file and line.
//!
//! A [`CodeSpace`] is the code of one process as its memory map shows it. It unwinds a stack by
//! `.eh_frame` or `.debug_frame`, and by frame pointers where there is neither ([`framehop`]), so
//! that binaries without frame pointers are no gap. [`CodeTable`] keeps the binaries of several
//! processes, each once, and names places in them by DWARF (with what the compiler put into its
//! callers), by symbols, by Go's own table, or at least by the function's address. What interpreters
//! run is read from their memory ([`Interpreter`]).
//!
//! This crate must not know any other of the project, nor where files and memory come from: it is
//! handed [`Memory`] and bytes. Whatever they hold, it neither panics nor takes more than it says.

mod binary;
mod frame;
mod go;
mod interpreters;
mod jit;
mod kernel;
mod lines;
mod maps;
mod memory;
mod names;
mod owner;
mod perf_map;
mod sections;
mod space;
mod stacks;
mod symbols;
mod table;

pub use binary::{Binary, BinaryError};
pub use frame::{FrameKind, NamedFrame};
pub use interpreters::{Interpreter, InterpreterRefused};
pub use maps::{Mapping, mappings};
pub use memory::Memory;
pub use perf_map::PerfMap;
pub use space::{CodeSpace, Registers, StackBytes};
pub use stacks::{CountedStacks, StackCounts};
pub use table::{CodePlace, CodeTable};
