//! Names of code that was compiled while running, as runtimes tell `perf`: `/tmp/perf-PID.map`
//! (the kernel's `tools/perf/Documentation/jit-interface.txt`; Node with `--perf-basic-prof`).

/// Lines that are read; runtimes add one for each function each time it is compiled.
const MAX_LINES: usize = 2_000_000;

/// The functions of a perf map, by address. Of several at one place the last is right: its
/// memory was used again.
#[derive(Debug, Default)]
pub struct PerfMap {
    /// Begin, end, name; by the begin.
    functions: Vec<(u64, u64, String)>,
}

impl PerfMap {
    /// Reads a map, only what is at one of those addresses. Lines that are none are passed over.
    #[must_use]
    pub fn read(text: &str, wanted: &mut [u64]) -> Self {
        wanted.sort_unstable();
        let mut functions = Vec::new();
        // The last lines are of what runs now.
        for line in text.lines().rev().take(MAX_LINES) {
            let mut parts = line.splitn(3, ' ');
            let mut hex = || {
                let part = parts.next()?;
                u64::from_str_radix(part.strip_prefix("0x").unwrap_or(part), 16).ok()
            };
            let (Some(begin), Some(length)) = (hex(), hex()) else {
                continue;
            };
            let (Some(end), Some(name)) = (begin.checked_add(length), parts.next()) else {
                continue;
            };
            let first = wanted.partition_point(|at| *at < begin);
            if wanted.get(first).is_some_and(|at| *at < end) {
                functions.push((begin, end, name.to_owned()));
            }
        }
        functions.reverse();
        Self { functions }
    }

    /// The name of the function at an address.
    #[must_use]
    pub fn at(&self, address: u64) -> Option<&str> {
        let mut latest_first = self.functions.iter().rev();
        let found = latest_first.find(|(begin, end, _)| (*begin..*end).contains(&address));
        found.map(|(_, _, name)| name.as_str())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn the_last_function_at_a_place_counts() {
        let text = "1000 40 LazyCompile:*first /srv/a.js:1:2\n0x1000 0x20 second with spaces\nzz 1 x\n1040 0 empty\nffffffffffffffff ff far\n";
        let map = PerfMap::read(text, &mut [0x1021, 0x1000]);
        assert_eq!(map.at(0x1000), Some("second with spaces"));
        assert_eq!(map.at(0x1021), Some("LazyCompile:*first /srv/a.js:1:2"));
        assert_eq!(map.at(0x1040), None);
    }

    proptest! {
        #[test]
        fn never_panics(text in "([0-9a-fx]{0,18} ?){0,4}[a-z \n]{0,9}", mut at: Vec<u64>) {
            let map = PerfMap::read(&text, &mut at);
            for at in at {
                let _ = map.at(at);
            }
        }
    }
}
