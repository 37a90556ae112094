//! Encodings by their Java names, and the encoding of forms.

use std::borrow::Cow;

use encoding_rs::Encoding;

/// An encoding.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Charset {
    /// UTF-8.
    Utf8,
    /// ISO-8859-1.
    Latin1,
    /// US-ASCII.
    Ascii,
    /// UTF-16, big-endian with a mark.
    Utf16,
    /// Big-endian without a mark.
    Utf16Be,
    /// Little-endian without a mark.
    Utf16Le,
    /// One of the WHATWG's.
    Other(&'static Encoding),
}

impl Charset {
    /// The encoding of that name; none: it is not known.
    #[must_use]
    pub fn of(name: &str) -> Option<Self> {
        let name = name.trim();
        let is = |names: &[&str]| names.iter().any(|known| name.eq_ignore_ascii_case(known));
        Some(match () {
            () if is(&["utf-8", "utf8"]) => Self::Utf8,
            () if is(&["iso-8859-1", "iso8859-1", "iso8859_1", "latin1", "l1"]) => Self::Latin1,
            () if is(&["us-ascii", "ascii", "iso646-us", "ansi_x3.4-1968"]) => Self::Ascii,
            () if is(&["utf-16", "utf16", "unicode"]) => Self::Utf16,
            () if is(&["utf-16be"]) => Self::Utf16Be,
            () if is(&["utf-16le"]) => Self::Utf16Le,
            () => match Encoding::for_label(name.as_bytes())? {
                encoding if encoding == encoding_rs::UTF_8 => Self::Utf8,
                encoding => Self::Other(encoding),
            },
        })
    }

    /// Its name in `Content-Type`.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Utf8 => "UTF-8",
            Self::Latin1 => "ISO-8859-1",
            Self::Ascii => "US-ASCII",
            Self::Utf16 => "UTF-16",
            Self::Utf16Be => "UTF-16BE",
            Self::Utf16Le => "UTF-16LE",
            Self::Other(encoding) => encoding.name(),
        }
    }

    /// Text in it; what it does not have becomes `?`.
    #[must_use]
    pub fn encode(self, text: &str) -> Cow<'_, [u8]> {
        let narrow = |most: u32| {
            let byte = |c: char| match u32::from(c) {
                code if code <= most => u8::try_from(code).unwrap_or(b'?'),
                _ => b'?',
            };
            Cow::Owned(text.chars().map(byte).collect())
        };
        match self {
            Self::Utf8 => Cow::Borrowed(text.as_bytes()),
            _ if text.is_ascii()
                && !matches!(self, Self::Utf16 | Self::Utf16Be | Self::Utf16Le) =>
            {
                Cow::Borrowed(text.as_bytes())
            }
            Self::Latin1 => narrow(0xff),
            Self::Ascii => narrow(0x7f),
            Self::Utf16 => {
                let units = std::iter::once(0xfeff).chain(text.encode_utf16());
                Cow::Owned(units.flat_map(u16::to_be_bytes).collect())
            }
            Self::Utf16Be => Cow::Owned(text.encode_utf16().flat_map(u16::to_be_bytes).collect()),
            Self::Utf16Le => Cow::Owned(text.encode_utf16().flat_map(u16::to_le_bytes).collect()),
            Self::Other(encoding) => Cow::Owned(encode_other(encoding, text)),
        }
    }

    /// Bytes read in it.
    #[must_use]
    pub fn decode(self, bytes: &[u8]) -> Cow<'_, str> {
        match self {
            Self::Utf8 => String::from_utf8_lossy(bytes),
            Self::Latin1 | Self::Ascii => {
                Cow::Owned(bytes.iter().map(|b| char::from(*b)).collect())
            }
            Self::Utf16 | Self::Utf16Be => encoding_rs::UTF_16BE.decode(bytes).0,
            Self::Utf16Le => encoding_rs::UTF_16LE.decode(bytes).0,
            Self::Other(encoding) => encoding.decode_without_bom_handling(bytes).0,
        }
    }
}

fn encode_other(encoding: &'static Encoding, text: &str) -> Vec<u8> {
    let mut encoder = encoding.new_encoder();
    let mut out = Vec::with_capacity(text.len() * 2 + 16);
    let mut rest = text;
    loop {
        let (result, read) =
            encoder.encode_from_utf8_to_vec_without_replacement(rest, &mut out, true);
        rest = &rest[read..];
        match result {
            encoding_rs::EncoderResult::InputEmpty => return out,
            encoding_rs::EncoderResult::OutputFull => out.reserve(rest.len() * 4 + 16),
            encoding_rs::EncoderResult::Unmappable(_) => out.push(b'?'),
        }
    }
}

/// Appends text as a form has it (`java.net.URLEncoder`): blanks as `+`, all but letters,
/// digits and `*-._` as `%XX`.
pub fn put_encoded(text: &str, charset: Charset, out: &mut String) {
    for piece in url::form_urlencoded::byte_serialize(&charset.encode(text)) {
        out.push_str(piece);
    }
}

/// Undoes the encoding of a form (`java.net.URLDecoder`).
///
/// # Errors
/// The message of Java's exception when a `%` is not followed by two digits.
pub fn decoded(text: &str, charset: Charset) -> Result<Cow<'_, str>, String> {
    if !text.contains(['%', '+']) {
        return Ok(Cow::Borrowed(text));
    }
    let mut out = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(at) = rest.find(['%', '+']) {
        out.push_str(&rest[..at]);
        rest = &rest[at..];
        if let Some(behind) = rest.strip_prefix('+') {
            out.push(' ');
            rest = behind;
            continue;
        }
        let mut bytes = Vec::new();
        while rest.starts_with('%') {
            let Some(digits) = rest.get(1..3) else {
                let what = "URLDecoder: Incomplete trailing escape (%) pattern";
                return Err(what.to_owned());
            };
            let Ok(byte) = u8::from_str_radix(digits, 16) else {
                return Err(format!(
                    "URLDecoder: Illegal hex characters in escape (%) pattern - Error at index \
                     0 in: \"{digits}\""
                ));
            };
            bytes.push(byte);
            rest = &rest[3..];
        }
        out.push_str(&charset.decode(&bytes));
    }
    out.push_str(rest);
    Ok(Cow::Owned(out))
}

/// Appends text as HttpClient writes a head: one byte a character, what is beyond ISO-8859-1
/// or a control as `?`. So nothing in a value can split the head.
pub fn put_head_text(text: &str, out: &mut Vec<u8>) {
    if text.bytes().all(|byte| matches!(byte, b' '..=b'~')) {
        out.extend_from_slice(text.as_bytes());
        return;
    }
    out.extend(text.chars().map(|c| match u32::from(c) {
        code @ (0x20..=0x7e | 0xa0..=0xff | 0x09) => u8::try_from(code).unwrap_or(b'?'),
        _ => b'?',
    }));
}

#[cfg(test)]
#[allow(clippy::unwrap_used, clippy::expect_used)]
mod tests {
    use super::*;

    #[test]
    fn forms_in_other_encodings() {
        let encoded = |text: &str, charset: &str| {
            let mut out = String::new();
            put_encoded(text, Charset::of(charset).unwrap(), &mut out);
            out
        };
        assert_eq!(encoded("a b&c*~é€", "utf-8"), "a+b%26c*%7E%C3%A9%E2%82%AC");
        assert_eq!(encoded("é€", "ISO-8859-1"), "%E9%3F");
        assert_eq!(encoded("中é", "GBK"), "%D6%D0%A8%A6");
        assert_eq!(encoded("\u{0e01}x", "GB2312"), "%3Fx");
        assert!(Charset::of("nope").is_none());
        assert_eq!(decoded("a+%C3%A9%20x", Charset::Utf8).unwrap(), "a é x");
        assert!(decoded("100%", Charset::Utf8).is_err());
        assert!(decoded("%zz", Charset::Utf8).is_err());
        assert!(decoded("%é", Charset::Utf8).is_err());
    }

    #[test]
    fn a_head_cannot_be_split() {
        let mut out = Vec::new();
        put_head_text("a\r\nb: é€", &mut out);
        assert_eq!(out, b"a??b: \xe9?");
    }
}
