//! The audit log page by page, over all files that are kept.

use std::fmt;
use std::fs::File;
use std::io::{self, Read as _};
use std::str::FromStr;

use super::entry::{AuditEntry, KINDS};

/// Where a page begins: before a time, and after so many entries of each series at that very time. What is appended
/// meanwhile moves nothing.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct AuditPlace {
    at: String,
    left: [usize; KINDS],
}

impl fmt::Display for AuditPlace {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.at)?;
        self.left.iter().try_for_each(|left| write!(f, "~{left}"))
    }
}

impl FromStr for AuditPlace {
    type Err = ();

    fn from_str(text: &str) -> Result<Self, ()> {
        let mut parts = text.split('~');
        let at = parts.next().unwrap_or_default().to_owned();
        let mut left = [0; KINDS];
        for left in &mut left {
            *left = parts.next().ok_or(())?.parse().map_err(|_| ())?;
        }
        match parts.next() {
            None if !at.is_empty() => Ok(Self { at, left }),
            _ => Err(()),
        }
    }
}

/// A page of several series of files, each series the newest file first; and where the next page begins.
///
/// # Errors
/// A file that cannot be read.
pub(super) fn page(
    series: [Vec<File>; KINDS],
    before: Option<&AuditPlace>,
    limit: usize,
) -> io::Result<(Vec<AuditEntry>, Option<AuditPlace>)> {
    let mut all: Vec<(usize, AuditEntry)> = Vec::new();
    for (of, files) in series.into_iter().enumerate() {
        let before = before.map(|place| (&*place.at, place.left[of]));
        let newest = newest(files, before, limit)?.into_iter();
        all.extend(newest.map(|entry| (of, entry)));
    }
    all.sort_by(|(_, a), (_, b)| a.at.cmp(&b.at));
    let shown = all.split_off(all.len().saturating_sub(limit));
    let place = shown.first().filter(|_| !all.is_empty()).map(|(_, first)| {
        let mut left = [0; KINDS];
        let same = all.iter().filter(|(_, entry)| entry.at == first.at);
        same.for_each(|(of, _)| left[*of] += 1);
        let at = first.at.clone();
        AuditPlace { at, left }
    });
    let entries = shown.into_iter().rev().map(|(_, entry)| entry);
    Ok((entries.collect(), place))
}

/// Entries of a series, the oldest first: those before a place, more than a page if there are, and of each time all
/// or none.
fn newest(
    files: Vec<File>,
    before: Option<(&str, usize)>,
    limit: usize,
) -> io::Result<Vec<AuditEntry>> {
    // How many at the end stand on pages before.
    let shown = |found: &[AuditEntry]| {
        let (at, left) = before?;
        let same = found.iter().filter(|entry| entry.at == at).count();
        Some(same.saturating_sub(left))
    };
    let mut found: Vec<AuditEntry> = Vec::new();
    for file in files {
        let mut older = read(file)?;
        older.retain(|entry| before.is_none_or(|(at, _)| *entry.at <= *at));
        older.append(&mut found);
        // Times are written so that their order is that of their letters; a clock may have been set back.
        older.sort_by(|a, b| a.at.cmp(&b.at));
        found = older;
        let rest = found.len() - shown(&found).unwrap_or(0);
        if rest > limit && found[0].at < found[rest - limit].at {
            break;
        }
    }
    found.truncate(found.len() - shown(&found).unwrap_or(0));
    Ok(found)
}

fn read(mut file: File) -> io::Result<Vec<AuditEntry>> {
    let mut bytes = Vec::new();
    file.read_to_end(&mut bytes)?;
    let text = String::from_utf8_lossy(&bytes);
    let lines = text.lines();
    Ok(lines
        .filter_map(|line| serde_json::from_str(line).ok())
        .collect())
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn entry(path: &str, second: u32) -> AuditEntry {
        AuditEntry {
            at: format!("2026-11-27T00:00:{second:02}Z"),
            user: None,
            token: None,
            from: "192.0.2.1".to_owned(),
            method: "POST".to_owned(),
            path: path.to_owned(),
            status: 201,
            what: None,
        }
    }

    /// The files of a log that were closed, and the one that is written, the newest first.
    fn files(folder: &std::path::Path, name: &str) -> Vec<File> {
        let old = (0..9).rev().map(|number| format!("{name}-{number}.jsonl"));
        let names = std::iter::once(format!("{name}.jsonl")).chain(old);
        names
            .filter_map(|name| File::open(folder.join(name)).ok())
            .collect()
    }

    fn written(path: &std::path::Path, from: usize, seconds: &[u32]) {
        let line = |(number, second): (usize, &u32)| {
            let entry = entry(&format!("{}/{}", path.display(), from + number), *second);
            serde_json::to_string(&entry).unwrap() + "\n"
        };
        let lines: String = seconds.iter().enumerate().map(line).collect();
        let old = std::fs::read_to_string(path).unwrap_or_default();
        std::fs::write(path, old + &lines).unwrap();
    }

    proptest! {
        /// Entries of a few seconds in files that begin and end anywhere; more of the last second come meanwhile.
        #[test]
        fn pages_have_each_entry_once(
            users in prop::collection::vec(prop::collection::vec(0..6_u32, 0..9), 1..4),
            strangers in prop::collection::vec(prop::collection::vec(0..6_u32, 0..9), 1..4),
            limit in 1..8_usize,
            meanwhile in 5..9_u32,
        ) {
            let dir = tempfile::tempdir().unwrap();
            let mut expected = Vec::new();
            for (name, files) in [("audit", users), ("strangers", strangers)] {
                let mut seconds: Vec<u32> = files.concat();
                seconds.sort_unstable();
                expected.extend(seconds.iter().copied());
                let mut at = 0;
                for (number, file) in files.iter().enumerate() {
                    let is_open = number + 1 == files.len();
                    let stamp = if is_open { String::new() } else { format!("-{number}") };
                    let path = dir.path().join(format!("{name}{stamp}.jsonl"));
                    written(&path, at, &seconds[at..at + file.len()]);
                    at += file.len();
                }
            }
            expected.sort_unstable();
            let (mut told, mut place) = (Vec::new(), None);
            loop {
                let (entries, next) = page(["audit", "strangers"].map(|name| files(dir.path(), name)), place.as_ref(), limit).unwrap();
                prop_assert!(entries.len() <= limit);
                told.extend(entries);
                for name in ["audit", "strangers"] {
                    written(&dir.path().join(format!("{name}.jsonl")), 1_000, &[meanwhile]);
                }
                let Some(next) = next else { break };
                let again = next.to_string().parse();
                prop_assert_eq!(again, Ok(next.clone()));
                place = Some(next);
            }
            let mut paths: Vec<&str> = told.iter().map(|entry| &*entry.path).collect();
            paths.sort_unstable();
            let count = paths.len();
            paths.dedup();
            prop_assert_eq!(count, paths.len());
            let seconds: Vec<u32> = told.iter().rev().map(|entry| entry.at[17..19].parse().unwrap()).collect();
            prop_assert_eq!(seconds, expected);
        }
    }

    #[test]
    fn what_is_no_place_is_refused() {
        for text in [
            "",
            "3",
            "~1~2",
            "2026-11-27T00:00:00Z~1",
            "x~1~2~3",
            "x~1~-2",
        ] {
            assert_eq!(text.parse::<AuditPlace>(), Err(()), "{text}");
        }
    }
}
