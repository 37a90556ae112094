//! `/proc/PID/stat` and what is counted in clock ticks.

use std::sync::OnceLock;

/// Seconds of a number of clock ticks, the unit of CPU times in `/proc`.
pub(crate) fn ticks_to_seconds(ticks: f64) -> f64 {
    static PER_SECOND: OnceLock<f64> = OnceLock::new();
    ticks / PER_SECOND.get_or_init(|| rustix::param::clock_ticks_per_second() as f64)
}

/// What is of use in `/proc/PID/stat` or `/proc/PID/task/TID/stat` (proc_pid_stat(5)).
#[derive(Debug, Clone, Default, PartialEq)]
pub(crate) struct Stat {
    /// Its name, at most 15 bytes.
    pub(crate) name: String,
    /// R, S, D, Z, T …
    pub(crate) state: char,
    /// The parent's number.
    pub(crate) parent: u32,
    /// Faults served without a disk.
    pub(crate) minor_faults: f64,
    /// Faults that needed one.
    pub(crate) major_faults: f64,
    /// CPU time in user mode, ticks.
    pub(crate) user_ticks: f64,
    /// CPU time in the kernel, ticks.
    pub(crate) system_ticks: f64,
    /// CPU time of children that have ended and were waited for, ticks.
    pub(crate) child_ticks: f64,
    /// Threads.
    pub(crate) threads: f64,
    /// Start, ticks since boot: with the number it says which process this is.
    pub(crate) start_ticks: u64,
    /// Address space, bytes.
    pub(crate) virtual_bytes: f64,
    /// Memory in RAM, bytes.
    pub(crate) resident_bytes: f64,
}

/// Reads the line. The name may hold anything, brackets and blanks too.
pub(crate) fn parse(line: &str) -> Option<Stat> {
    let (head, rest) = line.rsplit_once(')')?;
    let (_, name) = head.split_once('(')?;
    // From the third field on.
    let fields: Vec<&str> = rest.split_ascii_whitespace().collect();
    let number = |field: usize| fields.get(field - 3)?.parse::<f64>().ok();
    Some(Stat {
        name: name.to_owned(),
        state: fields.first()?.chars().next()?,
        parent: fields.get(1)?.parse().ok()?,
        minor_faults: number(10)?,
        major_faults: number(12)?,
        user_ticks: number(14)?,
        system_ticks: number(15)?,
        child_ticks: number(16)? + number(17)?,
        threads: number(20)?,
        start_ticks: fields.get(22 - 3)?.parse().ok()?,
        virtual_bytes: number(23)?,
        resident_bytes: number(24)? * rustix::param::page_size() as f64,
    })
}

/// Time that a thread ran and time that it waited for a CPU, s, of
/// `/proc/PID/task/TID/schedstat` (the kernel's sched-stats).
pub(crate) fn parse_times(text: &str) -> Option<(f64, f64)> {
    let mut numbers = super::file::numbers(text);
    Some((numbers.next()? / 1e9, numbers.next()? / 1e9))
}

#[cfg(test)]
#[allow(clippy::unwrap_used, clippy::expect_used)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    const LINE: &str = "812 (odd) name (x) S 1 812 812 0 -1 4194304 2371 15 3 4 120 34 5 6 20 0 \
        7 0 98765 123456789 321 18446744073709551615 1 1 0 0 0 0 0 4096 0 0 0 0 17 1 0 0 0 0 0";

    #[test]
    fn a_name_may_hold_brackets_and_blanks() {
        let stat = parse(LINE).unwrap();
        assert_eq!(stat.name, "odd) name (x");
        assert_eq!((stat.state, stat.parent), ('S', 1));
        assert_eq!((stat.minor_faults, stat.major_faults), (2371.0, 3.0));
        assert_eq!((stat.user_ticks, stat.system_ticks), (120.0, 34.0));
        assert_eq!(stat.child_ticks, 11.0);
        assert_eq!((stat.threads, stat.start_ticks), (7.0, 98_765));
        assert_eq!(stat.virtual_bytes, 123_456_789.0);
        let page = rustix::param::page_size() as f64;
        assert_eq!(stat.resident_bytes, 321.0 * page);
    }

    #[test]
    fn times_of_a_thread_are_in_nanoseconds() {
        assert_eq!(parse_times("1500000000 2000 3\n"), Some((1.5, 2e-6)));
        assert_eq!(parse_times("0"), None);
    }

    proptest! {
        #[test]
        fn never_panics(cut in 0..LINE.len(), noise in ".{0,40}") {
            let _ = parse(&LINE[..cut]);
            let _ = parse(&noise);
            let _ = parse(&format!("{}{noise}", &LINE[..cut]));
        }
    }
}
