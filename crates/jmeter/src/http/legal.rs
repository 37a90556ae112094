//! What may stand in an address, and what Java says of what may not.

/// An address that Java cannot read: its class of exception and the message.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct BadUrl {
    /// The exception.
    pub class: &'static str,
    /// Its message.
    pub message: String,
}

impl BadUrl {
    pub(super) fn malformed(message: impl Into<String>) -> Self {
        let class = "java.net.MalformedURLException";
        let message = message.into();
        Self { class, message }
    }

    pub(super) fn syntax(reason: &str, at: usize, url: &str) -> Self {
        let class = "java.net.URISyntaxException";
        let message = format!("{reason} at index {at}: {url}");
        Self { class, message }
    }
}

/// Checks the characters of a part of an address.
pub(super) fn check(
    text: &str,
    from: usize,
    to: usize,
    part: &str,
    also: &str,
) -> Result<(), BadUrl> {
    if from >= to {
        return Ok(());
    }
    // Indices are Java's: UTF-16 units.
    let index = |at: usize| text[..at].encode_utf16().count();
    let bytes = text.as_bytes();
    for (offset, c) in text[from..to].char_indices() {
        let at = from + offset;
        if c == '%' && part != "authority" {
            let hex = |at: usize| at < to && bytes[at].is_ascii_hexdigit();
            if !hex(at + 1) || !hex(at + 2) {
                return Err(BadUrl::syntax("Malformed escape pair", index(at), text));
            }
            continue;
        }
        if !may_stand(c, also) {
            let reason = format!("Illegal character in {part}");
            return Err(BadUrl::syntax(&reason, index(at), text));
        }
    }
    Ok(())
}

/// Encodes what may not stand in a part of an address.
pub(super) fn quoted(text: &str, also: &str) -> String {
    let mut out = String::with_capacity(text.len() + 8);
    for c in text.chars() {
        if may_stand(c, also) {
            out.push(c);
            continue;
        }
        for byte in c.encode_utf8(&mut [0; 4]).bytes() {
            out.push_str(&format!("%{byte:02X}"));
        }
    }
    out
}

/// Encodes what is not ASCII.
pub(super) fn put_ascii(byte: u8, out: &mut Vec<u8>) {
    if byte.is_ascii() {
        out.push(byte);
        return;
    }
    let digit = |nibble: u8| b"0123456789ABCDEF"[usize::from(nibble)];
    out.extend([b'%', digit(byte >> 4), digit(byte & 15)]);
}

/// Whether a character may stand in a part of an address that takes these `also`.
fn may_stand(c: char, also: &str) -> bool {
    let plain = c.is_ascii_alphanumeric() || "_-!.~'()*,;$&+=".contains(c);
    // Java's class "other": neither control nor blank.
    let other = !c.is_ascii() && !c.is_control() && !c.is_whitespace();
    plain || other || also.contains(c)
}
