//! Connections that the firewall tracks, and what it could not track.

use std::path::Path;

use super::area::{Area, Out};
use crate::collector::Trouble;
use crate::names::host as names;
use crate::proc::KeptFile;
use crate::proc::file::numbers;
use crate::sockets::NetSpace;

/// A kernel that tracks no connection has no such file.
const MAX: &str = "sys/net/netfilter/nf_conntrack_max";
/// Columns of its counters that tell of what was dropped, and what they are called here.
const DROPS: [(&str, &str); 3] = [
    ("drop", "packet"),
    ("insert_failed", "insert"),
    ("early_drop", "early"),
];

/// The tracked connections of one network namespace.
pub(crate) struct Conntrack {
    /// A line for each CPU; the first column is the number of connections, in each line the same.
    counters: KeptFile,
    /// The number; to be read for our own namespace alone.
    count: Option<KeptFile>,
    /// One for all namespaces.
    limit: Option<KeptFile>,
}

impl Conntrack {
    /// Of this program's namespace.
    pub(crate) fn below(proc: &Path) -> Self {
        let count = proc.join("sys/net/netfilter/nf_conntrack_count");
        Self {
            count: count.exists().then(|| KeptFile::new(count)),
            ..Self::new(proc, &proc.join("net"))
        }
    }

    /// Of a namespace.
    pub(crate) fn of(space: &NetSpace) -> Self {
        Self::new(Path::new("/proc"), &space.folder())
    }

    fn new(proc: &Path, net: &Path) -> Self {
        let limit = proc.join(MAX);
        Self {
            counters: KeptFile::new(net.join("stat/nf_conntrack")),
            count: None,
            limit: limit.exists().then(|| KeptFile::new(limit)),
        }
    }
}

impl Area for Conntrack {
    fn look(&mut self, out: &mut Out<'_>) -> Result<(), Trouble> {
        let Some(limit) = &mut self.limit else {
            return Ok(());
        };
        let number = |file: &mut KeptFile| {
            let text = file.text().ok()?;
            numbers(text).next()
        };
        let limit = number(limit);
        let (entries, drops) = read(self.counters.text().unwrap_or_default());
        let count = self.count.as_mut().and_then(number).or(entries);
        out.value(&names::CONNTRACK, &[], count.unwrap_or(f64::NAN));
        out.value(&names::CONNTRACK_LIMIT, &[], limit.unwrap_or(f64::NAN));
        for ((_, drop), count) in DROPS.iter().zip(drops) {
            let attributes = [("conntrack.drop", *drop)];
            let count = count.unwrap_or(f64::NAN);
            out.value(&names::CONNTRACK_DROPPED, &attributes, count);
        }
        Ok(())
    }
}

/// The number of connections, and of what was dropped, of all CPUs; written as hexadecimals.
fn read(text: &str) -> (Option<f64>, [Option<f64>; DROPS.len()]) {
    let mut lines = text.lines();
    let head: Vec<&str> = lines
        .next()
        .unwrap_or_default()
        .split_ascii_whitespace()
        .collect();
    let rows: Vec<Vec<u32>> = lines
        .map(|line| {
            let words = line.split_ascii_whitespace();
            words
                .map_while(|word| u32::from_str_radix(word, 16).ok())
                .collect()
        })
        .collect();
    let column = |name: &str| {
        let at = head.iter().position(|known| *known == name)?;
        let values = rows
            .iter()
            .filter_map(|row: &Vec<u32>| row.get(at).copied());
        Some(values.map(f64::from).collect::<Vec<f64>>()).filter(|values| !values.is_empty())
    };
    let entries = column("entries").and_then(|values| values.first().copied());
    (
        entries,
        DROPS.map(|(name, _)| column(name).map(|values| values.iter().sum())),
    )
}

#[cfg(test)]
#[allow(clippy::unwrap_used, clippy::expect_used)]
mod tests {
    use super::super::area::testing::{told, value};
    use super::*;
    use proptest::prelude::*;

    const COUNTERS: &str = "entries  clashres found insert insert_failed drop early_drop\n\
        0000001f  00000000 00000000 00000000 00000002 0000000a 00000001\n\
        0000001f  00000000 00000000 00000000 00000001 00000006 00000000\n";

    #[test]
    fn what_was_dropped_is_summed_over_cpus() {
        assert_eq!(
            read(COUNTERS),
            (Some(31.0), [Some(16.0), Some(3.0), Some(1.0)])
        );
        assert_eq!(read("entries drop\n"), (None, [None; 3]));
    }

    #[test]
    fn a_kernel_that_tracks_nothing_tells_nothing() {
        let folder = tempfile::tempdir().unwrap();
        let look = || told(|out| Conntrack::below(folder.path()).look(out).unwrap());
        assert_eq!(look(), []);
        let firewall = folder.path().join("sys/net/netfilter");
        std::fs::create_dir_all(&firewall).unwrap();
        std::fs::create_dir_all(folder.path().join("net/stat")).unwrap();
        std::fs::write(firewall.join("nf_conntrack_max"), "64\n").unwrap();
        std::fs::write(folder.path().join("net/stat/nf_conntrack"), COUNTERS).unwrap();
        let seen = look();
        assert_eq!(value(&seen, "system.network.conntrack.count{}"), Some(31.0));
        assert_eq!(value(&seen, "system.network.conntrack.max{}"), Some(64.0));
        let dropped = "system.network.conntrack.dropped{conntrack.drop=packet}";
        assert_eq!(value(&seen, dropped), Some(16.0));
    }

    proptest! {
        #[test]
        fn never_panics(text in "(entries|drop|[0-9a-f]{1,9}|[ \n]|.){0,60}") {
            let _ = read(&text);
        }
    }
}
