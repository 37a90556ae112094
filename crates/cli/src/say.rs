//! Saying things: a reader that went away has seen enough and must not end a run, as the
//! standard macros would by a panic.

use std::io::Write;

/// Writes to standard output.
pub fn out(text: &str) {
    out_bytes(text.as_bytes());
}

/// Writes bytes to standard output.
pub fn out_bytes(bytes: &[u8]) {
    let mut stdout = std::io::stdout().lock();
    // See the module's comment.
    let _ = stdout.write_all(bytes).and_then(|()| stdout.flush());
}

/// Writes a line to standard error.
pub fn err(line: &str) {
    // As above.
    let _ = writeln!(std::io::stderr(), "{line}");
}
