//! What the kernel counts of TCP and UDP.

use std::path::Path;

use super::area::{Area, Out};
use crate::collector::Trouble;
use crate::names::SeriesName;
use crate::names::host as names;
use crate::proc::KeptFile;

/// A column of `/proc/net/snmp` or `/proc/net/netstat`: its line, its name, what it is.
type Column = (
    &'static str,
    &'static str,
    &'static SeriesName,
    &'static [(&'static str, &'static str)],
);

const RECEIVE: &[(&str, &str)] = &[("network.io.direction", "receive")];
const TRANSMIT: &[(&str, &str)] = &[("network.io.direction", "transmit")];

const COLUMNS: &[Column] = &[
    ("Tcp", "InSegs", &names::TCP_SEGMENTS, RECEIVE),
    ("Tcp", "OutSegs", &names::TCP_SEGMENTS, TRANSMIT),
    ("Tcp", "RetransSegs", &names::TCP_RETRANSMITS, &[]),
    (
        "Tcp",
        "ActiveOpens",
        &names::TCP_OPENS,
        &[("tcp.open", "active")],
    ),
    (
        "Tcp",
        "PassiveOpens",
        &names::TCP_OPENS,
        &[("tcp.open", "passive")],
    ),
    ("Tcp", "AttemptFails", &names::TCP_ATTEMPT_FAILS, &[]),
    ("Tcp", "EstabResets", &names::TCP_RESETS, &[]),
    ("Tcp", "OutRsts", &names::TCP_RESETS_SENT, &[]),
    ("Udp", "RcvbufErrors", &names::UDP_RECEIVE_DROPS, &[]),
    (
        "TcpExt",
        "ListenOverflows",
        &names::TCP_LISTEN_OVERFLOWS,
        &[],
    ),
    ("TcpExt", "ListenDrops", &names::TCP_LISTEN_DROPS, &[]),
    ("TcpExt", "TCPSynRetrans", &names::TCP_SYN_RETRANSMITS, &[]),
    ("TcpExt", "TCPTimeouts", &names::TCP_TIMEOUTS, &[]),
    ("TcpExt", "TCPDeferAcceptDrop", &names::TCP_DEFERRED, &[]),
    ("TcpExt", "DelayedACKs", &names::TCP_DELAYED_ACKS, &[]),
    (
        "TcpExt",
        "TCPReqQFullDrop",
        &names::TCP_SYN_QUEUE_FULL,
        &[("tcp.syn", "dropped")],
    ),
    (
        "TcpExt",
        "TCPReqQFullDoCookies",
        &names::TCP_SYN_QUEUE_FULL,
        &[("tcp.syn", "cookie")],
    ),
    (
        "TcpExt",
        "TCPAbortOnMemory",
        &names::TCP_ABORT_ON_MEMORY,
        &[],
    ),
    (
        "TcpExt",
        "TCPTimeWaitOverflow",
        &names::TCP_TIME_WAIT_OVERFLOWS,
        &[],
    ),
];

/// The counters of one network namespace.
pub(crate) struct Tcp {
    snmp: KeptFile,
    netstat: KeptFile,
    sockets: KeptFile,
}

impl Tcp {
    /// The counters told of in that `net` folder.
    pub(crate) fn new(folder: impl AsRef<Path>) -> Self {
        let file = |name| KeptFile::new(folder.as_ref().join(name));
        Self {
            snmp: file("snmp"),
            netstat: file("netstat"),
            sockets: file("sockstat"),
        }
    }
}

impl Area for Tcp {
    fn look(&mut self, out: &mut Out<'_>) -> Result<(), Trouble> {
        tell_counters(self.snmp.text_or_trouble()?, out);
        tell_counters(self.netstat.text_or_trouble()?, out);
        tell_sockets(self.sockets.text_or_trouble()?, out);
        Ok(())
    }
}

/// Pairs of lines with the same head: names, then values.
fn tell_counters(text: &str, out: &mut Out<'_>) {
    let mut lines = text.lines();
    while let (Some(head), Some(values)) = (lines.next(), lines.next()) {
        let (Some((line, head)), Some((_, values))) =
            (head.split_once(':'), values.split_once(':'))
        else {
            continue;
        };
        let head = head.split_ascii_whitespace();
        let values = values.split_ascii_whitespace();
        for (name, value) in head.zip(values) {
            let known = COLUMNS
                .iter()
                .find(|column| column.0 == line && column.1 == name);
            if let (Some((_, _, metric, attributes)), Ok(value)) = (known, value.parse()) {
                out.value(metric, attributes, value);
            }
        }
    }
}

/// `TCP: inuse 1 orphan 0 tw 0 alloc 1 mem 50`, memory in pages.
fn tell_sockets(text: &str, out: &mut Out<'_>) {
    let line = text.lines().find_map(|line| line.strip_prefix("TCP:"));
    let mut words = line.unwrap_or_default().split_ascii_whitespace();
    while let (Some(name), Some(value)) = (words.next(), words.next()) {
        let value: f64 = value.parse().unwrap_or(f64::NAN);
        match name {
            "orphan" => out.value(&names::TCP_ORPHANS, &[], value),
            "tw" => out.value(&names::TCP_TIME_WAIT, &[], value),
            "mem" => out.value(
                &names::TCP_MEMORY,
                &[],
                value * rustix::param::page_size() as f64,
            ),
            _ => {}
        }
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used, clippy::expect_used)]
mod tests {
    use super::super::area::testing::{told, value};
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn counters_are_found_by_the_names_of_their_columns() {
        let text = "Ip: Forwarding InSegs\nIp: 2 64\n\
            Tcp: MaxConn ActiveOpens PassiveOpens InSegs RetransSegs\nTcp: -1 52 25 9 30\n\
            TcpExt: ListenOverflows ListenDrops New TCPSynRetrans\nTcpExt: 15 16 1 7\n";
        let told = told(|out| tell_counters(text, out));
        let of = |name: &str| value(&told, name);
        assert_eq!(of("system.tcp.opens{tcp.open=active}"), Some(52.0));
        let received = "system.tcp.segments{network.io.direction=receive}";
        assert_eq!(of(received), Some(9.0));
        assert_eq!(of("system.tcp.retransmits{}"), Some(30.0));
        assert_eq!(of("system.tcp.listen.drops{}"), Some(16.0));
        assert_eq!(of("system.tcp.syn.retransmits{}"), Some(7.0));
        assert_eq!(told.len(), 7);
    }

    #[test]
    fn sockets_in_time_wait_are_told() {
        let text = "sockets: used 17\nTCP: inuse 1 orphan 4 tw 12 alloc 1 mem 5\nUDP: inuse 0\n";
        let told = told(|out| tell_sockets(text, out));
        assert_eq!(value(&told, "system.tcp.time_wait{}"), Some(12.0));
        assert_eq!(value(&told, "system.tcp.orphans{}"), Some(4.0));
    }

    proptest! {
        #[test]
        fn never_panics(text in "(Tcp:|TCP:|tw|InSegs|[ \n0-9]|.){0,60}") {
            told(|out| tell_counters(&text, out));
            told(|out| tell_sockets(&text, out));
        }
    }
}
