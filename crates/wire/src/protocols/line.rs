//! A line of text, put together from pieces.

/// So much of a line is looked at: names of methods and headers, numbers.
const KEPT_BYTES: usize = 96;

/// The line that is being read: its beginning.
#[derive(Default)]
pub(super) struct LineStart {
    kept: Vec<u8>,
}

impl LineStart {
    /// Takes bytes up to the line's end; what is behind it, if the end is there.
    pub(super) fn read<'a>(&mut self, bytes: &'a [u8]) -> Option<&'a [u8]> {
        let end = bytes.iter().position(|byte| *byte == b'\n');
        let line = &bytes[..end.unwrap_or(bytes.len())];
        let room = KEPT_BYTES.saturating_sub(self.kept.len());
        self.kept.extend(&line[..line.len().min(room)]);
        end.map(|end| &bytes[end + 1..])
    }

    /// Takes the line out, without its end.
    pub(super) fn take(&mut self) -> Vec<u8> {
        let mut line = std::mem::take(&mut self.kept);
        if line.last() == Some(&b'\r') {
            line.pop();
        }
        line
    }
}

/// The number that is all of a text.
pub(super) fn number(text: &[u8], radix: u32) -> Option<u64> {
    let text = std::str::from_utf8(text).ok()?.trim();
    u64::from_str_radix(text, radix).ok()
}
