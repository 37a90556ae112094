//! The log of JDK 8 and before (`-Xloggc`, `-XX:+PrintGC`, `-XX:+PrintGCDetails`), of the
//! serial, parallel, CMS and G1 collectors. A collection may span lines: its brackets tell.

use super::event::{GcEvent, GcHeap, GcKind, GcSaid, GcStamp, date, groups, heap, size};

/// A collection of more lines than this is given up.
const MAX_BYTES: usize = 16 << 10;

/// Puts lines together.
#[derive(Debug, Default)]
pub(crate) struct Legacy {
    /// A collection whose brackets are still open.
    open: String,
    /// A pause of G1, whose heap comes some lines later.
    pause: Option<GcEvent>,
}

impl Legacy {
    /// What the line completes. Up to two things: a pause that waited in vain for its heap,
    /// and what the line itself says.
    pub(crate) fn read(&mut self, line: &str) -> Vec<GcSaid> {
        let mut said = Vec::new();
        if !self.open.is_empty() {
            self.open.push(' ');
            self.open.push_str(line);
            if self.open.len() > MAX_BYTES {
                self.open.clear();
            } else if depth(&self.open) == 0 {
                let whole = std::mem::take(&mut self.open);
                self.whole(&whole, &mut said);
            }
            return said;
        }
        let (_, rest) = stamped(line);
        if is_start(rest) && depth(line) > 0 {
            line.clone_into(&mut self.open);
        } else if is_start(rest) || rest.starts_with("[CMS-concurrent") {
            self.whole(line, &mut said);
        } else if let Some(at) = line.find(" Heap: ")
            && let Some(mut pause) = self.pause.take()
        {
            let text = line[at + 7..].trim_end_matches(']').trim();
            pause.heap = pause.heap.or(heap(text));
            said.push(GcSaid::Event(pause));
        }
        said
    }

    fn whole(&mut self, text: &str, said: &mut Vec<GcSaid>) {
        said.extend(self.pause.take().map(GcSaid::Event));
        let (stamp, rest) = stamped(text);
        let Some(event) = collection(stamp, rest) else {
            return;
        };
        let of_g1 = rest.starts_with("[GC pause");
        if of_g1 && event.heap.is_none() {
            self.pause = Some(event);
        } else {
            said.push(GcSaid::Event(event));
        }
    }
}

fn is_start(text: &str) -> bool {
    // `[GC Worker Start …` is a detail of G1's pause.
    text.starts_with("[GC") && !text.starts_with("[GC Worker") || text.starts_with("[Full GC")
}

/// The stamps at the beginning (`2015-05-26T14:45:37.987-0200: 151.126: `), and the rest.
fn stamped(line: &str) -> (GcStamp, &str) {
    let mut stamp = GcStamp::default();
    let mut rest = line.trim_start();
    while let Some((word, after)) = rest.split_once(": ") {
        if let Some(unix_ns) = date(word) {
            stamp.unix_ns = Some(unix_ns);
        } else if let Some(uptime_ns) = uptime(word) {
            stamp.uptime_ns = Some(uptime_ns);
        } else {
            break;
        }
        rest = after.trim_start();
    }
    (stamp, rest)
}

#[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss)]
fn uptime(word: &str) -> Option<u64> {
    let seconds: f64 = word.replace(',', ".").parse().ok()?;
    (0.0..1e9)
        .contains(&seconds)
        .then_some((seconds * 1e9) as u64)
}

/// How many brackets are open at the end.
fn depth(text: &str) -> usize {
    text.bytes().fold(0, |depth, byte| match byte {
        b'[' => depth + 1,
        b']' => depth.saturating_sub(1),
        _ => depth,
    })
}

fn collection(stamp: GcStamp, text: &str) -> Option<GcEvent> {
    let text = &without_times(text);
    if let Some(phase) = text.strip_prefix("[CMS-concurrent") {
        // `[CMS-concurrent-mark: 0.035/0.036 secs]`: CPU, wall clock.
        let wall = phase.split_once('/')?.1;
        return Some(concurrent(stamp, seconds_at(wall)?));
    }
    if text.starts_with("[GC concurrent") {
        let seconds = text.rsplit_once(", ")?.1;
        return Some(concurrent(stamp, seconds_at(seconds)?));
    }
    let seconds = text.rfind(" secs]").and_then(|end| {
        let number = text[..end].rsplit([' ', ',']).next()?;
        number.parse::<f64>().ok().filter(|n| n.is_finite())
    })?;
    let top = top_level(text);
    // A young collection of CMS that failed became one of the whole heap.
    let failure = [
        "concurrent mode failure",
        "promotion failed",
        "to-space exhausted",
    ]
    .into_iter()
    .find(|failure| text.contains(failure));
    let whole = text.starts_with("[Full GC")
        || text.contains("[CMS:")
        || failure == Some("concurrent mode failure");
    let short = [
        "[GC remark",
        "[GC cleanup",
        "[GC (CMS Initial",
        "[GC (CMS Final",
    ]
    .iter()
    .any(|start| text.starts_with(start))
        || text.contains("[1 CMS-");
    let kind = match (whole, short) {
        (true, _) => GcKind::Full,
        (_, true) => GcKind::Pause,
        _ => GcKind::Minor,
    };
    let head = &text[..text[1..].find('[').map_or(text.len(), |at| at + 1)];
    let causes = groups(head);
    let cause = causes.iter().find(|group| size(group).is_none());
    let cause = cause.map(|&cause| cause.to_owned());
    Some(GcEvent {
        stamp,
        id: None,
        kind,
        cause: cause.filter(|_| kind != GcKind::Pause),
        seconds: Some(seconds),
        heap: transition(&top),
        failure: failure.map(str::to_owned),
    })
}

/// The text without `[Times: user=…]`, which says the same of the CPU.
fn without_times(text: &str) -> String {
    let mut pieces = text.split("[Times:");
    let mut kept = pieces.next().unwrap_or_default().to_owned();
    for piece in pieces {
        kept.push_str(piece.split_once(']').map_or("", |(_, rest)| rest));
    }
    kept
}

fn concurrent(stamp: GcStamp, seconds: f64) -> GcEvent {
    GcEvent {
        stamp,
        id: None,
        kind: GcKind::Concurrent,
        cause: None,
        seconds: Some(seconds),
        heap: None,
        failure: None,
    }
}

fn seconds_at(text: &str) -> Option<f64> {
    let number = text.split_whitespace().next()?.parse().ok()?;
    Some(number).filter(|number: &f64| number.is_finite())
}

/// The text without what stands in inner brackets.
fn top_level(text: &str) -> String {
    let mut depth = 0_usize;
    let mut top = String::new();
    for letter in text.chars() {
        match letter {
            '[' => depth += 1,
            ']' => depth = depth.saturating_sub(1),
            _ if depth == 1 => {
                top.push(letter);
                continue;
            }
            _ => {}
        }
        // Keeps apart what stood on both sides.
        top.push(' ');
    }
    top
}

/// The last transition, or an occupancy (`28000K(40000K)`), which is both before and after.
fn transition(top: &str) -> Option<GcHeap> {
    let words = || top.split([' ', ',']).rev();
    words().find_map(heap).or_else(|| {
        words().find_map(|word| {
            let (used, rest) = word.split_once('(')?;
            let used = size(used)?;
            let committed = size(rest.strip_suffix(')')?)?;
            Some(GcHeap {
                before: used,
                after: used,
                committed: Some(committed),
            })
        })
    })
}
