//! Lines and columns, and lines that are put in.

/// Line and column of a byte, from 1, in characters.
pub(super) fn place(text: &str, byte: usize) -> (usize, usize) {
    let mut end = byte.min(text.len());
    while !text.is_char_boundary(end) {
        end -= 1;
    }
    let before = &text[..end];
    let line_start = before.rfind('\n').map_or(0, |at| at + 1);
    let line = before.bytes().filter(|byte| *byte == b'\n').count() + 1;
    let column = before[line_start..]
        .trim_start_matches('\u{feff}')
        .chars()
        .count();
    (line, column + 1)
}

/// What ends the lines of a text: as its first line does.
pub(super) fn line_end(text: &str) -> &'static str {
    match text.find('\n') {
        Some(at) if text[..at].ends_with('\r') => "\r\n",
        _ => "\n",
    }
}

/// A line to put in at a byte: on a line of its own there.
pub(super) fn as_line(text: &str, at: usize, line: &str) -> String {
    let end = line_end(text);
    let before = &text[..at];
    let open = !before.is_empty() && !before.ends_with('\n') && before != "\u{feff}";
    format!("{}{line}{end}", if open { end } else { "" })
}
