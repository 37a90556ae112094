//! What a GC log tells, whatever its format.

/// When a line was written, as far as it says.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub(crate) struct GcStamp {
    /// The wall clock, Unix nanoseconds.
    pub(crate) unix_ns: Option<u64>,
    /// Nanoseconds since the JVM's start (or since another moment that stays the same).
    pub(crate) uptime_ns: Option<u64>,
}

/// What ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum GcKind {
    /// A pause for the young generation, or for parts of the old one with it.
    Minor,
    /// A pause for the whole heap.
    Full,
    /// A short pause of a concurrent collection.
    Pause,
    /// A concurrent phase, beside the application.
    Concurrent,
    /// A concurrent cycle as a whole, whose pauses come as events of their own.
    Cycle,
}

/// The heap before and after, and what the JVM had from the system, bytes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct GcHeap {
    pub(crate) before: u64,
    pub(crate) after: u64,
    pub(crate) committed: Option<u64>,
}

/// One thing that a log tells of.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct GcEvent {
    pub(crate) stamp: GcStamp,
    /// The number of the collection, where the log has it.
    pub(crate) id: Option<u64>,
    pub(crate) kind: GcKind,
    pub(crate) cause: Option<String>,
    /// How long it took, seconds; none for a cycle whose length is not told.
    pub(crate) seconds: Option<f64>,
    pub(crate) heap: Option<GcHeap>,
    /// What went wrong in it, in the log's own words.
    pub(crate) failure: Option<String>,
}

/// What one line says.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum GcSaid {
    /// A collection or a part of one ended.
    Event(GcEvent),
    /// A thread had to wait for memory that long, seconds (ZGC, Shenandoah).
    Stall(f64),
    /// The collector's name.
    Using(String),
}

/// A size: `12M`, `4096K`, `1.5G`, `0.0B`, `33280K`.
#[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss)]
pub(crate) fn size(text: &str) -> Option<u64> {
    let (number, unit) = text.split_at(text.len().checked_sub(1)?);
    let factor = match unit {
        "B" => 1.0,
        "K" => 1024.0,
        "M" => 1_048_576.0,
        "G" => 1_073_741_824.0,
        _ => return None,
    };
    let number: f64 = number.parse().ok()?;
    let bytes = number * factor;
    (0.0..1e18).contains(&bytes).then_some(bytes as u64)
}

/// A transition: `6M->1M(64M)`, `14.0M(128.0M)->3000.0K(128.0M)`, `32M(50%)->16M(25%)`.
pub(crate) fn heap(text: &str) -> Option<GcHeap> {
    let (before, after) = text.split_once("->")?;
    let side = |text: &str| match text.split_once('(') {
        Some((used, rest)) => Some((size(used)?, size(rest.strip_suffix(')')?))),
        None => Some((size(text)?, None)),
    };
    let (before, _) = side(before)?;
    let (after, committed) = side(after)?;
    Some(GcHeap {
        before,
        after,
        committed,
    })
}

/// What stands in parentheses, outermost, in order: `Pause Full (System.gc())` has one.
pub(crate) fn groups(text: &str) -> Vec<&str> {
    let mut found = Vec::new();
    let mut depth = 0_usize;
    let mut start = 0;
    for (at, letter) in text.char_indices() {
        match letter {
            '(' => {
                if depth == 0 {
                    start = at + 1;
                }
                depth += 1;
            }
            ')' if depth > 0 => {
                depth -= 1;
                if depth == 0 {
                    found.push(&text[start..at]);
                }
            }
            _ => {}
        }
    }
    found
}

/// `2026-11-22T03:04:05.678+0100` as Unix nanoseconds.
pub(crate) fn date(text: &str) -> Option<u64> {
    let bytes = text.as_bytes();
    if !text.is_ascii() || bytes.len() < 28 || bytes[10] != b'T' || bytes[19] != b'.' {
        return None;
    }
    let at: jiff::Timestamp = text[..28].parse().ok()?;
    u64::try_from(at.as_nanosecond()).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sizes_and_transitions() {
        assert_eq!(size("33280K"), Some(33280 << 10));
        assert_eq!(size("0.0B"), Some(0));
        assert_eq!(size("1.5G"), Some(3 << 29));
        assert_eq!(
            (size("12"), size(""), size("xM"), size("-1M")),
            (None, None, None, None)
        );
        let of = |before: u64, after: u64, committed| {
            Some(GcHeap {
                before: before << 20,
                after: after << 20,
                committed,
            })
        };
        assert_eq!(heap("6M->1M(64M)"), of(6, 1, Some(64 << 20)));
        assert_eq!(heap("32M(50%)->16M(25%)"), of(32, 16, None));
        assert_eq!(
            heap("14.0M(128.0M)->3072.0K(128.0M)"),
            of(14, 3, Some(128 << 20))
        );
        assert_eq!(heap("6->0(11)"), None);
    }

    #[test]
    fn dates_have_zones() {
        // date -d 2026-11-22T03:04:05.678+0100 +%s%N
        assert_eq!(
            date("2026-11-22T03:04:05.678+0100"),
            Some(1_795_313_045_678_000_000)
        );
        assert_eq!(date("1970-01-01T00:00:00.001+0000"), Some(1_000_000));
        assert_eq!(
            date("2024-02-29T23:59:59.999-0230"),
            Some(1_709_260_199_999_000_000)
        );
        assert_eq!(date("2024-02-29 23:59:59.999-0230"), None);
        assert_eq!(date("2024-13-29T23:59:59.999-0230"), None);
    }

    #[test]
    fn groups_may_hold_parentheses() {
        assert_eq!(groups("Pause Full (System.gc())"), ["System.gc()"]);
        assert_eq!(
            groups("Pause Young (Normal) (G1 Evacuation Pause)"),
            ["Normal", "G1 Evacuation Pause"]
        );
        assert!(groups(")(").is_empty());
    }
}
