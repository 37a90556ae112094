//! Bodies of the type `application/x-www-form-urlencoded`.

use url::form_urlencoded::byte_serialize;

/// Appends name and value pairs as a browser encodes a form (WHATWG URL, 5.2):
/// blanks as `+`, everything but `A-Z a-z 0-9 * - . _` as `%XX`.
///
/// Names and values are bytes, so a form may be sent in GBK as well.
#[derive(Debug)]
pub struct FormBody<'b> {
    out: &'b mut Vec<u8>,
    begin: usize,
}

impl<'b> FormBody<'b> {
    /// A form at the end of the buffer.
    pub fn new(out: &'b mut Vec<u8>) -> Self {
        let begin = out.len();
        Self { out, begin }
    }

    /// Appends one pair.
    pub fn pair(&mut self, name: impl AsRef<[u8]>, value: impl AsRef<[u8]>) -> &mut Self {
        if self.out.len() > self.begin {
            self.out.push(b'&');
        }
        self.encode(name.as_ref());
        self.out.push(b'=');
        self.encode(value.as_ref());
        self
    }

    fn encode(&mut self, bytes: &[u8]) {
        for piece in byte_serialize(bytes) {
            self.out.extend_from_slice(piece.as_bytes());
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_byte_comes_back() {
        let all: Vec<u8> = (0..=255).collect();
        let mut body = b"kept".to_vec();
        FormBody::new(&mut body)
            .pair("a&=b", "")
            .pair([0xd6, 0xd0], &all);
        let text = String::from_utf8_lossy(&body);
        assert!(text.starts_with("kepta%26%3Db=&%D6%D0=%00%01"), "{text}");
        let value = text
            .rsplit('=')
            .next()
            .unwrap_or_default()
            .replace('+', "%20");
        let mut decoded = Vec::new();
        let mut rest = value.as_bytes();
        while let [first, after @ ..] = rest {
            if let (b'%', [high, low, after @ ..]) = (first, after) {
                let hex = [*high, *low];
                let hex = std::str::from_utf8(&hex).unwrap_or_default();
                decoded.extend(u8::from_str_radix(hex, 16).ok());
                rest = after;
            } else {
                decoded.push(*first);
                rest = after;
            }
        }
        assert_eq!(decoded, all);
    }
}
