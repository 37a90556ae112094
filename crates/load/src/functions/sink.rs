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

/// Percent-encodes on the way, as forms and queries want it (`application/x-www-form-urlencoded`
/// of the WHATWG URL standard: a blank becomes `+`).
pub struct FormEncoded<'a>(pub &'a mut Vec<u8>);

impl TextSink for FormEncoded<'_> {
    fn put(&mut self, text: &str) {
        for piece in url::form_urlencoded::byte_serialize(text.as_bytes()) {
            self.0.extend_from_slice(piece.as_bytes());
        }
    }

    fn held(&self) -> usize {
        self.0.len()
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
