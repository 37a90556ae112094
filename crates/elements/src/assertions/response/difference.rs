//! How "equals" shows where two texts differ: the received one over the wanted one, with the
//! part that differs in `[[[…]]]`.

use crate::context::Context;

/// How a difference is shown.
pub(super) struct DifferenceMarks {
    /// Longest section shown, in UTF-16 units (`assertion.equals_section_diff_len`).
    longest: usize,
    /// What stands before the part that differs (`assertion.equals_diff_delta_start`).
    start: String,
    /// What stands behind it (`assertion.equals_diff_delta_end`).
    end: String,
}

impl DifferenceMarks {
    /// As JMeter's properties say.
    pub(super) fn of(cx: &dyn Context) -> Self {
        let text = |name: &str| cx.properties().get(&format!("assertion.equals_{name}"));
        let longest = text("section_diff_len").and_then(|text| text.trim().parse().ok());
        Self {
            longest: longest.unwrap_or(100),
            start: text("diff_delta_start").unwrap_or_else(|| "[[[".to_owned()),
            end: text("diff_delta_end").unwrap_or_else(|| "]]]".to_owned()),
        }
    }

    fn start_of(&self, text: &[u16]) -> Vec<u16> {
        match text.get(..self.longest) {
            Some(start) if text.len() > self.longest => [start, &dots()].concat(),
            _ => text.to_vec(),
        }
    }

    fn end_of(&self, text: &[u16]) -> Vec<u16> {
        match text.len() > self.longest {
            true => [&dots(), &text[text.len() - self.longest..]].concat(),
            false => text.to_vec(),
        }
    }
}

/// Both texts with their difference marked. Lengths count UTF-16 units, as in Java.
pub(super) fn shown(received: &str, wanted: &str, marks: &DifferenceMarks) -> String {
    let received: Vec<u16> = received.encode_utf16().collect();
    let wanted: Vec<u16> = wanted.encode_utf16().collect();
    let same = received.iter().zip(&wanted);
    let first = same.take_while(|(a, b)| a == b).count();
    // From the ends inwards, but never over the first difference.
    let most = received.len().min(wanted.len()).saturating_sub(first + 1);
    let backwards = received.iter().rev().zip(wanted.iter().rev());
    let tail = backwards.take(most).take_while(|(a, b)| a == b).count();

    let start = marks.end_of(&received[..first]);
    let end = marks.start_of(&received[received.len() - tail..]);
    let mut differs = marks.start_of(&received[first..received.len() - tail]);
    let mut from = marks.start_of(&wanted[first..wanted.len() - tail]);
    let width = differs.len().max(from.len());
    differs.resize(width, u16::from(b' '));
    from.resize(width, u16::from(b' '));

    let text = String::from_utf16_lossy;
    let (start, end) = (text(&start), text(&end));
    let marked =
        |differs: &[u16]| format!("{start}{}{}{}{end}", marks.start, text(differs), marks.end);
    format!(
        "\n\n****** received  : {}\n\n****** comparison: {}\n\n",
        marked(&differs),
        marked(&from)
    )
}

fn dots() -> [u16; 3] {
    [u16::from(b'.'); 3]
}
