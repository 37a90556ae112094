//! Where a template's text goes.

/// Takes text, piece by piece.
pub trait TextSink {
    /// Appends a piece.
    fn put(&mut self, text: &str);

    /// Bytes that it holds.
    fn held(&self) -> usize;
}

impl TextSink for String {
    #[inline]
    fn put(&mut self, text: &str) {
        self.push_str(text);
    }

    #[inline]
    fn held(&self) -> usize {
        self.len()
    }
}

impl TextSink for Vec<u8> {
    #[inline]
    fn put(&mut self, text: &str) {
        self.extend_from_slice(text.as_bytes());
    }

    #[inline]
    fn held(&self) -> usize {
        self.len()
    }
}

/// The beginning of a text, at most so many bytes and whole characters.
pub(crate) fn beginning(text: &str, max_bytes: usize) -> &str {
    let mut end = text.len().min(max_bytes);
    while !text.is_char_boundary(end) {
        end -= 1;
    }
    &text[..end]
}
