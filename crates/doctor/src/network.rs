//! The kernel's network: connections it tracks, queues of servers, interfaces.

use std::net::{TcpListener, TcpStream};

use plimsoll_text::Message;
use serde_json::Value;

use crate::examined::{Examined, Grade, HostSetting};
use crate::proc::{number, text};

/// A server's queue that is shorter overflows at the first burst.
const SHORT_QUEUE: i64 = 1_024;
/// A table of tracked connections that is smaller is full at usual loads.
const SMALL_TABLE: i64 = 65_536;
/// The packet of Ethernet, bytes.
const ETHERNET: u32 = 1_500;

/// The table of connections that a firewall keeps.
pub(crate) fn conntrack(setting: &HostSetting) -> Examined {
    let folder = "/proc/sys/net/netfilter";
    let most = number(&format!("{folder}/nf_conntrack_max"));
    let count = number(&format!("{folder}/nf_conntrack_count"));
    tracked(most, count, setting)
}

/// Of the most connections of the table and those in it, if there is one.
fn tracked(most: Option<i64>, count: Option<i64>, setting: &HostSetting) -> Examined {
    let (Some(most), Some(count)) = (most, count) else {
        let mut examined = Examined::good("conntrack", Message::new("doctor-conntrack-unused"))
            .fact("most", most)
            .fact("count", count);
        examined.grade = Grade::Unused;
        return examined;
    };
    let says = Message::new("doctor-conntrack-says")
        .with("count", count)
        .with("most", most);
    let mut examined = Examined::good("conntrack", says)
        .fact("most", most)
        .fact("count", count);
    if most < SMALL_TABLE || count > most / 2 {
        examined.cost(Grade::Limited, Message::new("doctor-conntrack-costs"));
        let more = most.saturating_mul(4).max(262_144).to_string();
        examined.mend(setting.sysctl("net.netfilter.nf_conntrack_max", &more));
    }
    examined
}

/// The longest queue that a server on this host may have.
pub(crate) fn accept_queue(setting: &HostSetting) -> Examined {
    let somaxconn = number("/proc/sys/net/core/somaxconn");
    let says =
        Message::new("doctor-accept_queue-says").with("somaxconn", somaxconn.unwrap_or_default());
    let mut examined = Examined::good("accept_queue", says)
        .fact("somaxconn", somaxconn)
        .fact(
            "tcp_max_syn_backlog",
            number("/proc/sys/net/ipv4/tcp_max_syn_backlog"),
        )
        .fact(
            "tcp_syncookies",
            number("/proc/sys/net/ipv4/tcp_syncookies"),
        );
    match somaxconn {
        None => {
            examined.grade = Grade::Unknown;
            examined.says = Message::new("doctor-unseen");
        }
        Some(length) if length < SHORT_QUEUE => {
            examined.cost(Grade::Limited, Message::new("doctor-accept_queue-costs"));
            examined.mend(setting.sysctl("net.core.somaxconn", "4096"));
        }
        Some(_) => {}
    }
    examined
}

/// Whether this host can connect to itself by an address.
fn reaches(address: &str) -> bool {
    let Ok(listener) = TcpListener::bind((address, 0)) else {
        return false;
    };
    listener.local_addr().and_then(TcpStream::connect).is_ok()
}

/// The interfaces of this network namespace: `/proc/net/dev`.
fn interfaces(dev: &str) -> Vec<String> {
    let names = dev.lines().skip(2).filter_map(|line| line.split_once(':'));
    names.map(|(name, _)| name.trim().to_owned()).collect()
}

/// The interface of the default route: `/proc/net/route`.
fn default_interface(route: &str) -> Option<String> {
    route.lines().skip(1).find_map(|line| {
        let mut fields = line.split_ascii_whitespace();
        let (name, destination, mask) = (fields.next()?, fields.next()?, fields.nth(5)?);
        (destination == "00000000" && mask == "00000000").then(|| name.to_owned())
    })
}

/// The longest packet of an interface of this process's network namespace, bytes.
fn mtu(name: &str) -> Option<u32> {
    use std::os::fd::AsRawFd as _;
    let socket = std::net::UdpSocket::bind(("0.0.0.0", 0)).ok()?;
    let bytes = name.as_bytes();
    if bytes.len() >= libc::IFNAMSIZ {
        return None;
    }
    // SAFETY: an all-zero ifreq is valid; the name fits with its zero behind, and the call writes the
    // MTU into this ifreq alone, which is read only when it succeeded.
    unsafe {
        let mut request: libc::ifreq = std::mem::zeroed();
        for (to, from) in request.ifr_name.iter_mut().zip(bytes) {
            *to = from.cast_signed();
        }
        // The type of requests differs between C libraries.
        let asked = libc::ioctl(socket.as_raw_fd(), libc::SIOCGIFMTU as _, &raw mut request);
        match asked {
            0 => request.ifr_ifru.ifru_mtu.try_into().ok(),
            _ => None,
        }
    }
}

/// This host's connections to itself, and what its packets carry.
pub(crate) fn loopback(setting: &HostSetting) -> Examined {
    let (v4, v6) = (reaches("127.0.0.1"), reaches("::1"));
    let all = interfaces(&text("/proc/net/dev").unwrap_or_default());
    let mtus = all
        .iter()
        .filter_map(|name| Some((name.clone(), mtu(name)?)));
    let mtus: Vec<(String, u32)> = mtus.collect();
    let out = default_interface(&text("/proc/net/route").unwrap_or_default());
    let told = mtus.iter().map(|(name, mtu)| format!("{name} {mtu}"));
    let told = told.collect::<Vec<_>>().join(", ");
    let id = match (v4, mtus.is_empty()) {
        (true, false) => "doctor-loopback-says",
        (true, true) => "doctor-loopback-only",
        (false, _) => "doctor-loopback-down",
    };
    let table = mtus
        .iter()
        .map(|(name, mtu)| (name.clone(), Value::from(*mtu)));
    let mut examined = Examined::good("loopback", Message::new(id).with("mtus", told))
        .fact("ipv4", v4)
        .fact("ipv6", v6)
        .fact("default_interface", out.clone())
        .fact("mtus", Value::Object(table.collect()));
    if !v4 {
        examined.cost(Grade::Bad, Message::new("doctor-loopback-costs"));
        examined.mend(setting.as_root("ip link set lo up"));
    }
    let way_out = mtus.iter().find(|(name, _)| Some(name) == out.as_ref());
    if let Some((name, mtu)) = way_out.filter(|(_, mtu)| *mtu < ETHERNET) {
        let costs = Message::new("doctor-loopback-mtu").with("name", name.as_str());
        examined.cost(Grade::Limited, costs.with("mtu", *mtu));
    }
    examined
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::examined::test_setting;

    #[test]
    fn a_table_that_is_small_or_half_full_costs_something() {
        let grade = |most, count| tracked(Some(most), Some(count), &test_setting()).grade;
        assert_eq!(tracked(None, None, &test_setting()).grade, Grade::Unused);
        assert_eq!(grade(262_144, 10), Grade::Good);
        assert_eq!(grade(262_144, 131_073), Grade::Limited);
        assert_eq!(grade(1_024, 0), Grade::Limited);
        assert_eq!(grade(0, 0), Grade::Limited);
        assert_eq!(grade(i64::MAX, i64::MAX), Grade::Limited);
        let full = tracked(Some(65_536), Some(65_536), &test_setting());
        assert!(full.remedies[0].0.contains("nf_conntrack_max=\"262144\""));
    }

    #[test]
    fn interfaces_and_the_way_out_are_read() {
        let dev = "Inter-| Receive\n face |bytes\n    lo: 1 2\neth0:3 4\n";
        assert_eq!(interfaces(dev), ["lo", "eth0"]);
        let route = "Iface\tDestination\tGateway\tFlags\tRefCnt\tUse\tMetric\tMask\n\
                     eth1\t0000A8C0\t00000000\t1\t0\t0\t0\t00FFFFFF\n\
                     eth0\t00000000\t0100000A\t3\t0\t0\t0\t00000000\n";
        assert_eq!(default_interface(route).as_deref(), Some("eth0"));
        assert_eq!(default_interface("Iface\n"), None);
    }
}
