//! Python's texts (`cpython/unicodeobject.h`) and its table of lines
//! (`Objects/locations.md` of 3.11).

use crate::memory::{Memory, MemoryWords as _};

/// Names and paths are no longer.
const MAX_TEXT: u64 = 512;

/// Where the letters of a text begin.
pub(super) struct TextLayout {
    pub(super) ascii: u64,
    pub(super) other: u64,
}

/// A text object, as far as it can be a name or a path.
pub(super) fn text(memory: &dyn Memory, at: u64, layout: &TextLayout) -> Option<String> {
    let length = memory.u64(at.checked_add(16)?)?;
    let state = memory.u32(at.checked_add(32)?)?;
    let (kind, is_compact, is_ascii) = (state >> 2 & 7, state >> 5 & 1 == 1, state >> 6 & 1 == 1);
    (is_compact && (1..=MAX_TEXT).contains(&length)).then_some(())?;
    let begin = at.checked_add(if is_ascii { layout.ascii } else { layout.other })?;
    let width = match kind {
        1 | 2 | 4 => u64::from(kind),
        _ => return None,
    };
    let bytes = memory.bytes(begin, usize::try_from(length * width).ok()?)?;
    let letters = bytes
        .chunks_exact(usize::try_from(width).ok()?)
        .map(|letter| {
            let mut wide = [0; 4];
            wide[..letter.len()].copy_from_slice(letter);
            char::from_u32(u32::from_le_bytes(wide))
        });
    letters.collect()
}

/// The line of an instruction, by its distance from the first one, bytes.
pub(super) fn line(table: &[u8], first: u32, offset: u64) -> Option<u32> {
    let mut line = i64::from(first);
    let mut end = 0_u64;
    let mut rest = table;
    while let Some((head, after)) = rest.split_first() {
        let code = head >> 3 & 15;
        let length = after
            .iter()
            .position(|byte| byte & 0x80 != 0)
            .unwrap_or(after.len());
        let (entry, next) = after.split_at(length);
        line += match code {
            10..=12 => i64::from(code - 10),
            13 | 14 => signed(entry)?,
            _ => 0,
        };
        end += 2 * (u64::from(head & 7) + 1);
        if offset < end {
            return (code != 15).then(|| u32::try_from(line).ok())?;
        }
        rest = next;
    }
    None
}

/// A signed number in groups of six bits, lowest first; the lowest bit is the sign.
fn signed(entry: &[u8]) -> Option<i64> {
    let mut value = 0_i64;
    for (place, byte) in entry.iter().enumerate() {
        value |= i64::from(byte & 63).checked_shl(u32::try_from(place * 6).ok()?)?;
        if byte & 64 == 0 {
            return Some(if value & 1 == 1 {
                -(value >> 1)
            } else {
                value >> 1
            });
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn lines_go_by_differences() {
        // Two units in line 5, one without a line, one three lines before, one a line after that.
        let table = [
            0x80 | 1,
            0,
            0x80 | 15 << 3,
            0x80 | 13 << 3,
            7,
            0x80 | 11 << 3,
            1,
            2,
        ];
        assert_eq!(line(&table, 5, 0), Some(5));
        assert_eq!(line(&table, 5, 3), Some(5));
        assert_eq!(line(&table, 5, 4), None);
        assert_eq!(line(&table, 5, 6), Some(2));
        assert_eq!(line(&table, 5, 8), Some(3));
        assert_eq!(line(&table, 5, 10), None);
    }

    proptest! {
        #[test]
        fn never_panics(table in proptest::collection::vec(any::<u8>(), 0..60), first: u32, offset in 0..200_u64) {
            let _ = line(&table, first, offset);
        }
    }
}
