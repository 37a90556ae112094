//! Bytes as the plugin of eu.luminis writes them in texts (jmeter-websocket-samplers 1.3.1, `BinaryUtils`).

/// The bytes that a text says: hexadecimal digits in pairs, with or without `0x`, blanks between them.
///
/// # Errors
/// The piece that is no number, as Java's exception for it says it.
pub fn bytes_of(text: &str) -> Result<Vec<u8>, String> {
    let mut bytes = Vec::with_capacity(text.len() / 2);
    if text.trim().is_empty() {
        return Ok(bytes);
    }
    for element in text.split(' ') {
        if let Some(digits) = element.strip_prefix("0x") {
            bytes.push(low_byte(digits).ok_or_else(|| no_number(digits))?);
            continue;
        }
        let digits: Vec<char> = element.chars().collect();
        for pair in digits.chunks(2) {
            let pair: String = pair.iter().collect();
            bytes.push(signed_byte(&pair).ok_or_else(|| no_number(&pair))?);
        }
    }
    Ok(bytes)
}

/// The low byte of a number that Java's `Integer.decode` takes.
fn low_byte(digits: &str) -> Option<u8> {
    if digits.starts_with(['+', '-']) {
        return None;
    }
    let number = i32::from_str_radix(digits, 16).ok()?;
    Some(number.to_le_bytes()[0])
}

/// Java takes a sign for a digit's place.
fn signed_byte(pair: &str) -> Option<u8> {
    let number = i32::from_str_radix(pair, 16).ok()?;
    Some(number.to_le_bytes()[0])
}

fn no_number(text: &str) -> String {
    format!("For input string: \"{text}\"")
}

/// Bytes in a text; of more than so many what follows is the suffix.
#[must_use]
pub fn text_of(bytes: &[u8], most: usize, suffix: &str) -> String {
    let shown: Vec<String> = bytes
        .iter()
        .take(most)
        .map(|byte| format!("0x{byte:02x}"))
        .collect();
    let mut text = shown.join(" ");
    if bytes.len() > most {
        text.push_str(suffix);
    }
    text
}

/// Whether the bytes hold these; none are in nothing.
#[must_use]
pub fn holds(bytes: &[u8], wanted: &[u8]) -> bool {
    !wanted.is_empty() && bytes.windows(wanted.len()).any(|window| window == wanted)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bytes_are_read_as_the_plugin_reads_them() {
        let read = |text: &str| bytes_of(text).ok();
        assert_eq!(read("0xca 0xfe"), Some(vec![0xca, 0xfe]));
        assert_eq!(read("cafe ba be"), Some(vec![0xca, 0xfe, 0xba, 0xbe]));
        assert_eq!(read("abc"), Some(vec![0xab, 0x0c]));
        assert_eq!(read(" 0x1ff  -1"), Some(vec![0xff, 0xff]));
        assert_eq!(read("  "), Some(Vec::new()));
        for text in ["0x", "0x-1", "zz", "0xzz", "a b c g"] {
            assert_eq!(read(text), None, "{text}");
        }
    }

    #[test]
    fn bytes_are_shown_up_to_a_number() {
        assert_eq!(text_of(&[0, 255, 16], 3, "..."), "0x00 0xff 0x10");
        assert_eq!(text_of(&[0, 255, 16], 2, " ..."), "0x00 0xff ...");
        assert_eq!(text_of(&[], 2, "..."), "");
        assert!(holds(b"abcd", b"bc") && !holds(b"abcd", b"cb") && !holds(b"abcd", b""));
    }
}
