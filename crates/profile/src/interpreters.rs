//! Calls that interpreters run, read from their memory as they lie there, while they run on: nothing
//! is stopped or asked. What changes meanwhile is told as far as it holds together.

mod php;
mod python;
mod python_text;
mod refused;

use crate::memory::Memory;
use crate::space::CodeSpace;
use crate::table::{CodePlace, CodeTable};

use php::Php;
use python::Python;

pub use refused::InterpreterRefused;

/// The interpreter that a process runs.
pub enum Interpreter {
    /// CPython.
    Python(Box<Python>),
    /// PHP.
    Php(Php),
}

impl Interpreter {
    /// The versions that are known here.
    pub const KNOWN: &'static str = "Python 3.11, 3.12, 3.13; PHP 8.2";

    /// The interpreter of a process; none where it runs none that is known.
    ///
    /// # Errors
    /// It is of a version that is not known.
    pub fn find(
        space: &CodeSpace,
        memory: &dyn Memory,
    ) -> Option<Result<Self, InterpreterRefused>> {
        if let Some(python) = Python::find(space, memory) {
            return Some(python.map(|python| Self::Python(Box::new(python))));
        }
        Some(Php::find(space)?.map(Self::Php))
    }

    /// Its name and version: `Python 3.11`.
    #[must_use]
    pub fn name(&self) -> String {
        match self {
            Self::Python(python) => python.name(),
            Self::Php(_) => "PHP 8.2".to_owned(),
        }
    }

    /// The calls that a thread runs now, innermost first. `thread` is its number as the process
    /// itself has it.
    pub fn calls(
        &mut self,
        memory: &dyn Memory,
        thread: u32,
        table: &mut CodeTable,
    ) -> Vec<CodePlace> {
        match self {
            Self::Python(python) => python.calls(memory, thread, table),
            Self::Php(php) => php.calls(memory, table),
        }
    }

    /// The stack with what the interpreter runs in the place of its own loop: what that has called
    /// stays within, and what has called the interpreter is left out.
    #[must_use]
    pub fn joined(
        &self,
        native: Vec<CodePlace>,
        mut run: Vec<CodePlace>,
        space: &CodeSpace,
    ) -> Vec<CodePlace> {
        if run.is_empty() {
            return native;
        }
        let looped = match self {
            Self::Python(_) => "_PyEval_EvalFrameDefault",
            Self::Php(_) => "execute_ex",
        };
        let mut joined = native;
        // Without the loop the stack was cut, or the thread is about to enter it.
        if let Some(at) = joined.iter().position(|place| space.is_in(*place, looped)) {
            joined.truncate(at);
        }
        joined.append(&mut run);
        joined
    }
}
