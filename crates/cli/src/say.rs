//! Saying things: a reader that went away must not end a run, as the standard macros would by a
//! panic. That standard output was not written is told at the end, in the exit code too.

use std::io::{IsTerminal as _, Write};
use std::sync::OnceLock;

use plimsoll_report::{Screen, printable};
use plimsoll_text::{COLUMNS, wrap};

static STDOUT: OnceLock<std::io::Error> = OnceLock::new();

/// Why standard output could not be written, if it could not.
#[must_use]
pub fn stdout_error() -> Option<&'static std::io::Error> {
    STDOUT.get()
}

/// Writes to standard output.
pub fn out(text: &str) {
    out_bytes(text.as_bytes());
}

/// Writes a sentence to standard output, in lines that fit it.
pub fn out_filled(text: &str) {
    let lines = wrap(&printable(text), screen().columns);
    out(&format!("{}\n", lines.join("\n")));
}

/// Writes bytes to standard output.
pub fn out_bytes(bytes: &[u8]) {
    let mut stdout = std::io::stdout().lock();
    if let Err(error) = stdout.write_all(bytes).and_then(|()| stdout.flush()) {
        // The first failure says most.
        let _ = STDOUT.set(error);
    }
}

/// Writes what somebody else may have made to standard output: as it is into a file or a pipe, and
/// without what would steer it on a terminal.
pub fn out_foreign(bytes: &[u8]) {
    if !std::io::stdout().is_terminal() {
        return out_bytes(bytes);
    }
    let mut text = harmless(&String::from_utf8_lossy(bytes));
    if !text.is_empty() && !text.ends_with('\n') {
        text.push('\n');
    }
    out(&text);
}

/// The text for a terminal: control characters but line breaks and tabs are escaped.
#[must_use]
pub fn harmless(text: &str) -> String {
    let mut shown = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            '\n' | '\t' => shown.push(c),
            c if c.is_control() => shown.extend(c.escape_default()),
            c => shown.push_str(&printable(c.encode_utf8(&mut [0; 4]))),
        }
    }
    shown
}

/// Writes a line to standard error, without what would steer a terminal.
pub fn err(line: &str) {
    match std::io::stderr().is_terminal() {
        true => err_styled(&harmless(line)),
        false => err_styled(line),
    }
}

/// Writes a line that may have colours to standard error.
pub fn err_styled(line: &str) {
    // There is nobody left to tell.
    let _ = writeln!(std::io::stderr(), "{line}");
}

/// Most columns that a text takes on a wide terminal.
const WIDEST: u16 = 160;
/// Fewer are not reckoned with.
const NARROWEST: u16 = 40;

/// What standard output is for.
#[must_use]
pub fn screen() -> Screen {
    if !std::io::stdout().is_terminal() {
        return Screen::PLAIN;
    }
    let size = crossterm::terminal::size().ok();
    // Some terminals say nothing, or 0.
    let columns = size.map(|(columns, _)| columns).filter(|it| *it > 0);
    Screen {
        columns: columns.map_or(COLUMNS, |it| it.clamp(NARROWEST, WIDEST).into()),
        colours: colours(true),
    }
}

/// Whether what goes to a terminal may have colours: `NO_COLOR` (if not empty) and a terminal
/// without any forbid it.
#[must_use]
pub fn colours(is_terminal: bool) -> bool {
    let set = |name: &str| std::env::var_os(name).filter(|value| !value.is_empty());
    is_terminal && set("NO_COLOR").is_none() && set("TERM").is_none_or(|term| term != "dumb")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nothing_steers_a_terminal() {
        let bytes = b"a\x1b]0;title\x07b\r\n\tc\xff\xc2\x9b31m";
        let shown = harmless(&String::from_utf8_lossy(bytes));
        assert_eq!(shown, "a\\u{1b}]0;title\\u{7}b\\r\n\tc\u{fffd}\\u{9b}31m");
        assert!(!harmless("\u{202e}").contains('\u{202e}'));
    }
}
