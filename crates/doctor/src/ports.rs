//! Local ports: how many new connections to one address there may be.

use plimsoll_text::Message;

use crate::examined::{Examined, Grade, HostSetting};
use crate::proc::{field, number, text};

/// How long the kernel keeps the port of a connection that this side closed
/// (`TCP_TIMEWAIT_LEN`, `include/net/tcp.h`), seconds.
const TIME_WAIT_S: u64 = 60;
/// The kernel's own range, less a little for reserved ports.
const USUAL: u64 = 28_000;

/// The ports of a range `low high`; none for what is no range.
fn range(text: &str) -> Option<(u64, u64)> {
    let mut ends = text.split_ascii_whitespace();
    let low = ends.next()?.parse().ok()?;
    let high = ends.next()?.parse().ok()?;
    (low <= high && high <= 65_535).then_some((low, high))
}

/// How many ports of a range are among the reserved ones: `8080,9000-9010`. Ranges may overlap.
fn reserved(text: &str, (low, high): (u64, u64)) -> u64 {
    let parts = text.trim().split(',');
    let mut ranges: Vec<(u64, u64)> = parts
        .filter_map(|part| {
            let (from, to) = part.split_once('-').unwrap_or((part, part));
            let (from, to) = (from.trim().parse().ok()?, to.trim().parse().ok()?);
            Some((low.max(from), high.min(to))).filter(|(from, to)| from <= to)
        })
        .collect();
    ranges.sort_unstable();
    let mut next = 0;
    let mut count = 0;
    for (from, to) in ranges {
        let from = from.max(next);
        if from <= to {
            count += to - from + 1;
            next = to + 1;
        }
    }
    count
}

/// Local ports for new connections.
pub(crate) fn ports(setting: &HostSetting) -> Examined {
    let net = "/proc/sys/net/ipv4";
    let range_text = text(&format!("{net}/ip_local_port_range")).unwrap_or_default();
    let Some((low, high)) = range(&range_text) else {
        let mut examined = Examined::good("ports", Message::new("doctor-unseen"));
        examined.grade = Grade::Unknown;
        return examined;
    };
    let taken = text(&format!("{net}/ip_local_reserved_ports")).unwrap_or_default();
    let available = high - low + 1 - reserved(&taken, (low, high));
    let sockets = text("/proc/net/sockstat").unwrap_or_default();
    let tcp = sockets.lines().find(|line| line.starts_with("TCP:"));
    let waiting = tcp.and_then(|line| field(line, "tw")).unwrap_or(0);
    let reuse = number(&format!("{net}/tcp_tw_reuse"));
    let per_s = available / TIME_WAIT_S;
    let says = Message::new("doctor-ports-says")
        .with("available", available)
        .with("range", format!("{low}–{high}"))
        .with("waiting", waiting)
        .with("per_s", per_s);
    let mut examined = Examined::good("ports", says)
        .fact("low", low)
        .fact("high", high)
        .fact("available", available)
        .fact("time_wait", waiting)
        .fact("tcp_tw_reuse", reuse)
        .fact("short_connections_per_s", per_s);
    if available < USUAL {
        let costs = Message::new("doctor-ports-costs").with("per_s", per_s);
        examined.cost(Grade::Limited, costs.with("available", available));
        examined.mend(setting.sysctl("net.ipv4.ip_local_port_range", "1024 65535"));
    }
    if waiting > available / 2 {
        examined.cost(Grade::Limited, Message::new("doctor-ports-waiting"));
        examined.mend(setting.sysctl("net.ipv4.tcp_tw_reuse", "1"));
    }
    examined
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn ranges_are_read() {
        assert_eq!(range("32768\t60999"), Some((32_768, 60_999)));
        assert_eq!(range("9 8"), None);
        assert_eq!(range("1 65536"), None);
        assert_eq!(range(""), None);
    }

    proptest! {
        #[test]
        fn reserved_ports_are_counted_once(
            low in 1u64..65_535,
            size in 0u64..1_000,
            parts in proptest::collection::vec((1u64..65_535, 0u64..2_000), 0..8),
        ) {
            let high = (low + size).min(65_535);
            let texts: Vec<String> = parts
                .iter()
                .map(|(from, more)| match more {
                    0 => from.to_string(),
                    more => format!("{from}-{}", (from + more).min(65_535)),
                })
                .collect();
            // Port by port, as nobody would do it.
            let is_in = |port: u64| parts.iter().any(|(from, more)| (*from..=(from + more).min(65_535)).contains(&port));
            let wanted = (low..=high).filter(|port| is_in(*port)).count() as u64;
            prop_assert_eq!(reserved(&texts.join(","), (low, high)), wanted);
        }

        #[test]
        fn no_text_makes_it_fail(text in ".*") {
            reserved(&text, (1, 65_535));
            range(&text);
        }
    }
}
