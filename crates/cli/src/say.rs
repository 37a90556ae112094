//! Saying things: a reader that went away must not end a run, as the standard macros would by a
//! panic. That standard output was not written is told at the end, in the exit code too.

use std::io::Write;

/// Writes to standard output.
pub fn out(text: &str) {
    out_bytes(text.as_bytes());
}

/// Writes bytes to standard output.
pub fn out_bytes(bytes: &[u8]) {
    let mut stdout = std::io::stdout().lock();
    if let Err(error) = stdout.write_all(bytes).and_then(|()| stdout.flush()) {
        crate::kept::stdout_failed(error);
    }
}

/// Writes a line to standard error.
pub fn err(line: &str) {
    // There is nobody left to tell.
    let _ = writeln!(std::io::stderr(), "{line}");
}
