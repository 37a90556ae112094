//! How "equals" shows where two texts differ: the received one over the wanted one, with the
//! part that differs in `[[[…]]]`.

/// Longest section shown, in UTF-16 units (JMeter's `assertion.equals_section_diff_len`).
const LONGEST: usize = 100;

/// Both texts with their difference marked. Lengths count UTF-16 units, as in Java.
pub(super) fn shown(received: &str, wanted: &str) -> String {
    let received: Vec<u16> = received.encode_utf16().collect();
    let wanted: Vec<u16> = wanted.encode_utf16().collect();
    let same = received.iter().zip(&wanted);
    let first = same.take_while(|(a, b)| a == b).count();
    // From the ends inwards, but never over the first difference.
    let most = received.len().min(wanted.len()).saturating_sub(first + 1);
    let backwards = received.iter().rev().zip(wanted.iter().rev());
    let tail = backwards.take(most).take_while(|(a, b)| a == b).count();

    let start = end_of(&received[..first]);
    let end = start_of(&received[received.len() - tail..]);
    let mut differs = start_of(&received[first..received.len() - tail]);
    let mut from = start_of(&wanted[first..wanted.len() - tail]);
    let width = differs.len().max(from.len());
    differs.resize(width, u16::from(b' '));
    from.resize(width, u16::from(b' '));

    let text = String::from_utf16_lossy;
    let (start, end) = (text(&start), text(&end));
    format!(
        "\n\n****** received  : {start}[[[{}]]]{end}\n\n****** comparison: {start}[[[{}]]]{end}\n\n",
        text(&differs),
        text(&from)
    )
}

fn start_of(text: &[u16]) -> Vec<u16> {
    match text.get(..LONGEST) {
        Some(start) if text.len() > LONGEST => [start, &dots()].concat(),
        _ => text.to_vec(),
    }
}

fn end_of(text: &[u16]) -> Vec<u16> {
    match text.len() > LONGEST {
        true => [&dots(), &text[text.len() - LONGEST..]].concat(),
        false => text.to_vec(),
    }
}

fn dots() -> [u16; 3] {
    [u16::from(b'.'); 3]
}
