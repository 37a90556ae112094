//! A text with its escapes undone, and where each byte of it stood.

use std::borrow::Cow;

/// How often escapes are undone: JSON in a form in a JMeter plan has three layers.
const LAYERS: usize = 3;

/// Longer texts are only looked at as they are: places are kept in 32 bits.
const MAX_BYTES: usize = u32::MAX as usize;

/// A text without one or several layers of escapes.
pub(crate) struct UnescapedView {
    /// The text.
    pub(crate) bytes: Vec<u8>,
    /// Where each byte begins in the original, and where the last one ends.
    places: Vec<u32>,
}

impl UnescapedView {
    /// The place in the original.
    pub(crate) fn at(&self, place: usize) -> usize {
        let last = self.places.last().copied().unwrap_or(0);
        self.places.get(place).copied().unwrap_or(last) as usize
    }
}

/// The views of a text in which there is anything to undo.
pub(crate) fn of(text: &[u8]) -> Vec<UnescapedView> {
    let mut views: Vec<UnescapedView> = Vec::new();
    if text.len() >= MAX_BYTES {
        return views;
    }
    for _ in 0..LAYERS {
        let bytes = views.last().map_or(text, |view| &view.bytes);
        let Some(mut next) = undone(bytes) else { break };
        if let Some(last) = views.last() {
            for place in &mut next.places {
                *place = last.places[*place as usize];
            }
        }
        views.push(next);
    }
    views
}

/// One layer undone; nothing if there is none.
fn undone(text: &[u8]) -> Option<UnescapedView> {
    memchr::memchr3(b'&', b'%', b'\\', text)?;
    let mut view = UnescapedView {
        bytes: Vec::with_capacity(text.len()),
        places: Vec::with_capacity(text.len() + 1),
    };
    let mut changed = false;
    let mut at = 0;
    while at < text.len() {
        // Places fit, since the text does.
        let place = at as u32;
        match escape(&text[at..]) {
            Some((letter, length)) => {
                let mut buffer = [0; 4];
                let letter: &[u8] = match letter {
                    Letter::Byte(byte) => &[byte],
                    Letter::Char(letter) => letter.encode_utf8(&mut buffer).as_bytes(),
                };
                view.bytes.extend_from_slice(letter);
                view.places.extend(letter.iter().map(|_| place));
                at += length;
                changed = true;
            }
            None => {
                view.bytes.push(text[at]);
                view.places.push(place);
                at += 1;
            }
        }
    }
    view.places.push(text.len() as u32);
    changed.then_some(view)
}

enum Letter {
    Byte(u8),
    Char(char),
}

/// The escape that a text begins with, and its length.
fn escape(text: &[u8]) -> Option<(Letter, usize)> {
    match text[0] {
        b'%' => Some((Letter::Byte(percent(text)?), 3)),
        b'&' => entity(text),
        b'\\' => backslash(text),
        _ => None,
    }
}

/// The byte that `%XX` at the beginning of a text stands for.
pub(crate) fn percent(text: &[u8]) -> Option<u8> {
    match text {
        [b'%', digits @ ..] => u8::try_from(hex(digits.get(..2)?)?).ok(),
        _ => None,
    }
}

/// A name without its percent signs.
pub(crate) fn percent_decoded(name: &[u8]) -> Cow<'_, [u8]> {
    if !name.contains(&b'%') {
        return Cow::Borrowed(name);
    }
    let mut out = Vec::with_capacity(name.len());
    let mut at = 0;
    while at < name.len() {
        let decoded = percent(&name[at..]);
        out.push(decoded.unwrap_or(name[at]));
        at += if decoded.is_some() { 3 } else { 1 };
    }
    Cow::Owned(out)
}

fn hex(digits: &[u8]) -> Option<u32> {
    digits.iter().try_fold(0, |sum, digit| {
        Some(sum * 16 + char::from(*digit).to_digit(16)?)
    })
}

fn entity(text: &[u8]) -> Option<(Letter, usize)> {
    let end = text.iter().take(12).position(|byte| *byte == b';')?;
    let name = &text[1..end];
    let letter = match name {
        b"lt" => '<',
        b"gt" => '>',
        b"amp" => '&',
        b"quot" => '"',
        b"apos" => '\'',
        b"nbsp" => ' ',
        b"equals" => '=',
        b"colon" => ':',
        [b'#', b'x' | b'X', digits @ ..] => char::from_u32(hex(digits)?)?,
        [b'#', digits @ ..] => {
            let digits = std::str::from_utf8(digits).ok()?;
            char::from_u32(digits.parse().ok()?)?
        }
        _ => return None,
    };
    Some((Letter::Char(letter), end + 1))
}

fn backslash(text: &[u8]) -> Option<(Letter, usize)> {
    Some(match text.get(1)? {
        b'n' => (Letter::Byte(b'\n'), 2),
        b'r' => (Letter::Byte(b'\r'), 2),
        b't' => (Letter::Byte(b'\t'), 2),
        b'\n' => (Letter::Byte(b' '), 2),
        byte @ (b'"' | b'\'' | b'/' | b'\\' | b'=' | b':' | b'&' | b'$') => {
            (Letter::Byte(*byte), 2)
        }
        b'x' => (Letter::Byte(hex(text.get(2..4)?)? as u8), 4),
        b'u' => (Letter::Char(char::from_u32(hex(text.get(2..6)?)?)?), 6),
        _ => return None,
    })
}
