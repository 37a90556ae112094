//! Thread dumps, read: which threads a JVM has, what each does, and which locks it holds or
//! waits for. Of JDK 8 to 25, as text (`jstack`, `Thread.print`) and, with virtual threads, as
//! JSON (`Thread.dump_to_file -format=json`).

mod dump;
mod json;
mod text;

pub use dump::{DumpedThread, JavaThreadState, Lock, StackFrame, ThreadDump, Wait, WaitKind};
pub use json::read_json;
pub use text::read_text;

impl ThreadDump {
    /// Reads a dump of either form.
    #[must_use]
    pub fn read(text: &str) -> Self {
        if text.trim_start().starts_with('{') {
            read_json(text)
        } else {
            read_text(text)
        }
    }
}

#[cfg(test)]
mod tests;
