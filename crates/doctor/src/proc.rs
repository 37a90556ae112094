//! Files in which the kernel says one thing.

use std::fs;

/// The text of such a file without its end of line; none where it cannot be read.
pub(crate) fn text(path: &str) -> Option<String> {
    let bytes = fs::read(path).ok()?;
    Some(String::from_utf8_lossy(&bytes).trim_end().to_owned())
}

/// The only number of such a file.
pub(crate) fn number(path: &str) -> Option<i64> {
    text(path)?.trim().parse().ok()
}

/// The number behind a name in a line of fields: `TCP: inuse 5 tw 3`.
pub(crate) fn field(line: &str, name: &str) -> Option<u64> {
    let mut words = line.split_ascii_whitespace();
    words.find(|word| *word == name)?;
    words.next()?.parse().ok()
}

/// The value behind `Name:` at the begin of a line.
pub(crate) fn value<'a>(text: &'a str, name: &str) -> Option<&'a str> {
    let lines = text.lines();
    let mut values = lines.filter_map(|line| line.strip_prefix(name)?.strip_prefix(':'));
    values.next().map(str::trim)
}

/// The effective capabilities of this process, a bit each (capabilities(7)).
pub(crate) fn capabilities() -> u64 {
    let status = text("/proc/self/status").unwrap_or_default();
    let bits = value(&status, "CapEff").map(|bits| u64::from_str_radix(bits, 16));
    bits.and_then(Result::ok).unwrap_or(0)
}

/// Numbers of capabilities (`linux/capability.h`).
pub(crate) mod capability {
    pub(crate) const NET_RAW: u32 = 13;
    pub(crate) const SYS_PTRACE: u32 = 19;
    pub(crate) const SYS_ADMIN: u32 = 21;
    pub(crate) const PERFMON: u32 = 38;
    pub(crate) const BPF: u32 = 39;
}

/// Whether this process has a capability.
pub(crate) fn has(capability: u32) -> bool {
    capabilities() >> capability & 1 == 1
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;

    #[test]
    fn fields_are_found_by_name() {
        let line = "TCP: inuse 5 orphan 0 tw 3 alloc 7";
        assert_eq!(field(line, "tw"), Some(3));
        assert_eq!(field(line, "alloc"), Some(7));
        assert_eq!(field("TCP: tw", "tw"), None);
        assert_eq!(value("A:\t1\nCapEff:\t00ff\n", "CapEff"), Some("00ff"));
        assert_eq!(value("CapEffX: 1", "CapEff"), None);
    }
}
