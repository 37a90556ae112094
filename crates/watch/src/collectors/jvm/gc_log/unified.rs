//! The unified log of JDK 9 and later (`-Xlog:gc*`), with any decorations.

use super::event::{GcEvent, GcKind, GcSaid, GcStamp, date, groups, heap};

/// Whether the line is of this format: it begins with decorations or a collection's number.
pub(crate) fn is_unified(line: &str) -> bool {
    let (decorations, message) = split(line);
    !decorations.is_empty()
        && !message.is_empty()
        && !line.starts_with("[GC")
        && !line.starts_with("[CMS")
        && !line.starts_with("[Full GC")
        || line.starts_with("GC(")
}

/// What the line says.
pub(crate) fn read(line: &str) -> Option<GcSaid> {
    let (decorations, message) = split(line);
    let (stamp, tags) = decorated(&decorations);
    // Phases within a collection have tags of their own and are not its sum.
    if !matches!(tags, None | Some("gc" | "gc,phases" | "gc,alloc")) {
        return None;
    }
    let (id, message) = numbered(message.trim());
    if let Some(name) = message.strip_prefix("Using ") {
        let name = name
            .trim_start_matches("The ")
            .trim_end_matches(" Garbage Collector");
        return (id.is_none() && !name.contains(' ')).then(|| GcSaid::Using(name.to_owned()));
    }
    if message.starts_with("Allocation Stall (") {
        let (_, seconds) = ends_with_time(message)?;
        return Some(GcSaid::Stall(seconds));
    }
    let message = ["Y: ", "y: ", "O: "]
        .iter()
        .find_map(|generation| message.strip_prefix(generation))
        .unwrap_or(message);
    event(stamp, id, message).map(GcSaid::Event)
}

fn event(stamp: GcStamp, id: Option<u64>, message: &str) -> Option<GcEvent> {
    let cycle = [
        "Garbage Collection (",
        "Major Collection (",
        "Minor Collection (",
    ]
    .iter()
    .any(|start| message.starts_with(start));
    let (rest, seconds) = match ends_with_time(message) {
        Some((rest, seconds)) => (rest, Some(seconds)),
        None => (message, None),
    };
    let (rest, heap) = match rest.rsplit_once(' ') {
        Some((before, last)) if last.contains("->") => (before, heap(last)),
        _ => (rest, None),
    };
    let kind = if cycle {
        // The line at its beginning has no heap.
        heap?;
        GcKind::Cycle
    } else {
        seconds?;
        kind_of(rest)?
    };
    let groups = groups(rest);
    let failed = groups
        .iter()
        .find(|group| group.starts_with("Evacuation Failure"));
    let mut causes = groups
        .iter()
        .filter(|group| !group.starts_with("Evacuation Failure"));
    let cause = match kind {
        GcKind::Minor | GcKind::Full | GcKind::Cycle => causes.next_back(),
        GcKind::Pause | GcKind::Concurrent => None,
    };
    let degenerated = rest
        .starts_with("Pause Degenerated")
        .then_some("Degenerated GC");
    Some(GcEvent {
        stamp,
        id,
        kind,
        cause: cause.map(|&cause| cause.to_owned()),
        seconds,
        heap,
        failure: failed.copied().or(degenerated).map(str::to_owned),
    })
}

fn kind_of(what: &str) -> Option<GcKind> {
    if what.starts_with("Pause Young") {
        Some(GcKind::Minor)
    } else if what.starts_with("Pause Full") || what.starts_with("Pause Degenerated") {
        Some(GcKind::Full)
    } else if what.starts_with("Pause ") {
        Some(GcKind::Pause)
    } else if what.starts_with("Concurrent ") {
        Some(GcKind::Concurrent)
    } else {
        None
    }
}

/// The decorations at the beginning, and the rest.
fn split(line: &str) -> (Vec<&str>, &str) {
    let mut decorations = Vec::new();
    let mut rest = line;
    while let Some(inner) = rest.strip_prefix('[') {
        let Some((decoration, after)) = inner.split_once(']') else {
            break;
        };
        decorations.push(decoration.trim());
        rest = after;
    }
    (decorations, rest)
}

/// What the decorations say of the time, and the tags.
fn decorated<'a>(decorations: &[&'a str]) -> (GcStamp, Option<&'a str>) {
    let mut stamp = GcStamp::default();
    let mut tags = None;
    for decoration in decorations {
        if let Some(unix_ns) = date(decoration) {
            stamp.unix_ns = Some(unix_ns);
        } else if let Some(number) = ends(decoration, "ms") {
            // Milliseconds since 1970 or since the start.
            let ns = nanoseconds(number.round(), 1.0).and_then(|ms| ms.checked_mul(1_000_000));
            if number > 1e11 {
                stamp.unix_ns = stamp.unix_ns.or(ns);
            } else {
                stamp.uptime_ns = stamp.uptime_ns.or(ns);
            }
        } else if let Some(number) = ends(decoration, "ns") {
            stamp.uptime_ns = stamp.uptime_ns.or(nanoseconds(number, 1.0));
        } else if let Some(number) = ends(decoration, "s") {
            stamp.uptime_ns = nanoseconds(number, 1e9);
        } else if *decoration == "gc" || decoration.starts_with("gc,") {
            tags = Some(*decoration);
        } else if decoration.starts_with("safepoint") {
            tags = Some("safepoint");
        }
    }
    (stamp, tags)
}

fn ends(text: &str, unit: &str) -> Option<f64> {
    // Some locales write a comma.
    let number = text.strip_suffix(unit)?;
    let number = number.replace(',', ".").parse().ok()?;
    Some(number).filter(|number: &f64| number.is_finite() && *number >= 0.0)
}

#[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss)]
fn nanoseconds(number: f64, factor: f64) -> Option<u64> {
    let ns = number * factor;
    (0.0..1.8e19).contains(&ns).then_some(ns as u64)
}

/// The number of the collection, and the rest: `GC(12) Pause Young …`.
fn numbered(message: &str) -> (Option<u64>, &str) {
    let Some((number, rest)) = message
        .strip_prefix("GC(")
        .and_then(|rest| rest.split_once(')'))
    else {
        return (None, message);
    };
    (number.parse().ok(), rest.trim())
}

/// What stands before a length of time at the end, and that length in seconds.
fn ends_with_time(message: &str) -> Option<(&str, f64)> {
    let (rest, last) = message.trim_end().rsplit_once(' ')?;
    let seconds = match ends(last, "ms") {
        Some(ms) => ms / 1e3,
        None => ends(last, "s")?,
    };
    Some((rest.trim_end(), seconds))
}
