//! What a message is made of.

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;

/// How a message is written in the plan.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum MessageEncoding {
    /// As the text that it is.
    Text,
    /// As bytes in base64.
    Base64,
    /// As bytes in hexadecimal digits.
    Hex,
}

/// The bytes that a text of the plan stands for.
///
/// # Errors
/// Why it stands for none.
pub fn bytes_of_text(text: &str, encoding: MessageEncoding) -> Result<Vec<u8>, String> {
    match encoding {
        MessageEncoding::Text => Ok(text.as_bytes().to_vec()),
        MessageEncoding::Base64 => STANDARD.decode(text.trim()).map_err(|it| it.to_string()),
        MessageEncoding::Hex => {
            hex(text).ok_or_else(|| "no pairs of hexadecimal digits".to_owned())
        }
    }
}

fn hex(text: &str) -> Option<Vec<u8>> {
    let digits: Option<Vec<u8>> = text
        .chars()
        .filter(|c| !c.is_whitespace())
        .map(|c| c.to_digit(16).and_then(|digit| u8::try_from(digit).ok()))
        .collect();
    let digits = digits.filter(|digits| digits.len().is_multiple_of(2))?;
    Some(
        digits
            .chunks(2)
            .map(|pair| pair[0] << 4 | pair[1])
            .collect(),
    )
}
