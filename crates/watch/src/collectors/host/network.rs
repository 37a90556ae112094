//! Network interfaces.

use std::collections::HashMap;
use std::path::{Path, PathBuf};

use super::area::{Area, Out};
use crate::collector::Trouble;
use crate::names::SeriesName;
use crate::names::host as names;
use crate::proc::KeptFile;
use crate::proc::file::{number, numbers};

/// A link's speed is asked for again after so many looks.
const SPEED_EVERY: u32 = 30;

/// Columns of `/proc/net/dev` behind the interface's name, and what they are.
const COLUMNS: [(usize, &SeriesName, &str); 8] = [
    (0, &names::NETWORK_IO, "receive"),
    (1, &names::NETWORK_PACKETS, "receive"),
    (2, &names::NETWORK_ERRORS, "receive"),
    (3, &names::NETWORK_DROPPED, "receive"),
    (8, &names::NETWORK_IO, "transmit"),
    (9, &names::NETWORK_PACKETS, "transmit"),
    (10, &names::NETWORK_ERRORS, "transmit"),
    (11, &names::NETWORK_DROPPED, "transmit"),
];

/// The interfaces of one network namespace.
pub(crate) struct Interfaces {
    dev: KeptFile,
    /// Where link speeds are; `/sys` shows them for our own namespace alone.
    speeds: Option<PathBuf>,
    known_speeds: HashMap<String, Option<f64>>,
    looks: u32,
}

impl Interfaces {
    /// The interfaces told of in that `net` folder; where their speeds are, if it is this
    /// program's own.
    pub(crate) fn new(folder: impl AsRef<Path>, speeds: Option<PathBuf>) -> Self {
        Self {
            dev: KeptFile::new(folder.as_ref().join("dev")),
            speeds,
            known_speeds: HashMap::new(),
            looks: 0,
        }
    }
}

impl Area for Interfaces {
    fn look(&mut self, out: &mut Out<'_>) -> Result<(), Trouble> {
        if self.looks.is_multiple_of(SPEED_EVERY) {
            self.known_speeds.clear();
        }
        self.looks = self.looks.wrapping_add(1);
        let (known, speeds) = (&mut self.known_speeds, &self.speeds);
        let speed = |name: &str| {
            if let Some(known) = known.get(name) {
                return *known;
            }
            let folder = speeds.as_ref()?;
            let speed = bytes_per_second(number(folder.join(name).join("speed")));
            known.insert(name.to_owned(), speed);
            speed
        };
        tell(self.dev.text_or_trouble()?, speed, out);
        Ok(())
    }
}

/// A speed in Mbit/s; virtual links have none or say −1.
fn bytes_per_second(megabits: Option<i64>) -> Option<f64> {
    let megabits = megabits.filter(|megabits| *megabits > 0)?;
    Some(megabits as f64 * 1e6 / 8.0)
}

/// Interfaces that never carried a packet are left out.
fn tell(text: &str, mut speed: impl FnMut(&str) -> Option<f64>, out: &mut Out<'_>) {
    for line in text.lines() {
        let Some((name, rest)) = line.split_once(':') else {
            continue;
        };
        let name = name.trim();
        let values: Vec<f64> = numbers(rest).collect();
        let packets = |column| values.get(column).copied().unwrap_or(0.0);
        if packets(1) + packets(9) == 0.0 {
            continue;
        }
        for (column, metric, direction) in COLUMNS {
            let attributes = [
                ("network.interface.name", name),
                ("network.io.direction", direction),
            ];
            let value = values.get(column).copied().unwrap_or(f64::NAN);
            out.value(metric, &attributes, value);
        }
        if let Some(speed) = speed(name) {
            let attributes = [("network.interface.name", name)];
            out.value(&names::NETWORK_LIMIT, &attributes, speed);
        }
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used, clippy::expect_used)]
mod tests {
    use super::super::area::testing::{told, value};
    use super::*;
    use proptest::prelude::*;

    const DEV: &str = "Inter-|   Receive                                                |  Transmit
 face |bytes    packets errs drop fifo frame compressed multicast|bytes    packets errs drop
    lo: 270 89 0 758 0 0 0 0 271 90 0 0 0 0 0 0
  ifb0:       0       0    0    0    0     0          0         0 0 0 0 0 0 0 0 0
  eth0:1809 101 1 2 0 0 0 0 8682 903 3 4 0 0 0 0
";

    #[test]
    fn interfaces_in_use_are_told_both_ways() {
        let speed = |name: &str| bytes_per_second((name == "eth0").then_some(1_000));
        let told = told(|out| tell(DEV, speed, out));
        let of = |name: &str, interface: &str, direction: &str| {
            let attributes =
                format!("network.interface.name={interface},network.io.direction={direction}");
            value(&told, &format!("system.network.{name}{{{attributes}}}"))
        };
        assert_eq!(of("io", "eth0", "receive"), Some(1809.0));
        assert_eq!(of("io", "eth0", "transmit"), Some(8682.0));
        assert_eq!(of("packet.count", "lo", "receive"), Some(89.0));
        assert_eq!(of("packet.dropped", "lo", "receive"), Some(758.0));
        assert_eq!(of("errors", "eth0", "transmit"), Some(3.0));
        assert_eq!(of("packet.dropped", "eth0", "transmit"), Some(4.0));
        assert_eq!(of("io", "ifb0", "transmit"), None);
        let limit = "system.network.bandwidth.limit{network.interface.name=eth0}";
        assert_eq!(value(&told, limit), Some(125e6));
    }

    #[test]
    fn a_virtual_link_has_no_speed() {
        assert_eq!(bytes_per_second(Some(-1)), None);
        assert_eq!(bytes_per_second(Some(0)), None);
    }

    proptest! {
        #[test]
        fn never_panics(text in "([a-z0-9]{1,4}:|[ \n0-9]|.){0,60}") {
            told(|out| tell(&text, |_| None, out));
        }
    }
}
