//! Queues before network interfaces (qdiscs), by netlink: what `tc -s qdisc` shows.

use std::io;

use rustix::net::netdevice::index_to_name;

use super::area::{Area, Out};
use crate::collector::Trouble;
use crate::names::host as names;
use crate::sockets::NetSpace;
use crate::sockets::netlink::{Netlink, attribute, u32_at};

/// Of `linux/rtnetlink.h`, `linux/pkt_sched.h` and `linux/gen_stats.h`.
const RTM_NEWQDISC: u16 = 36;
const RTM_GETQDISC: u16 = 38;
const TCMSG_BYTES: usize = 20;
const TC_H_ROOT: u32 = 0xffff_ffff;
const TCA_KIND: u16 = 1;
const TCA_OPTIONS: u16 = 2;
const TCA_STATS2: u16 = 7;
const TCA_STATS_QUEUE: u16 = 3;
const TCA_TBF_PARMS: u16 = 1;
const TCA_TBF_RATE64: u16 = 4;

/// The queue directly before an interface.
#[derive(Debug, Default, PartialEq)]
struct DeviceQueue {
    interface: u32,
    backlog_bytes: u32,
    drops: u32,
    overlimits: u32,
    /// What a shaper (tbf) lets through.
    bytes_per_s: Option<f64>,
}

/// The queues of one network namespace.
pub(crate) struct Queues {
    space: NetSpace,
    netlink: Option<Netlink>,
}

impl Queues {
    pub(crate) fn new(space: NetSpace) -> Self {
        Self {
            space,
            netlink: None,
        }
    }

    fn read(&mut self) -> io::Result<Vec<(String, DeviceQueue)>> {
        let netlink = match self.netlink.take() {
            Some(netlink) => self.netlink.insert(netlink),
            None => {
                let open = || Netlink::open(None);
                self.netlink.insert(self.space.inside(open)??)
            }
        };
        let mut queues = Vec::new();
        let mut visit = |body: &[u8]| queues.extend(parse(body));
        let done = netlink.dump(RTM_GETQDISC, &[0; TCMSG_BYTES], RTM_NEWQDISC, &mut visit);
        let named = queues.into_iter().filter_map(|queue: DeviceQueue| {
            let name = index_to_name(&*netlink, queue.interface).ok()?;
            Some((name, queue))
        });
        let named = named.collect();
        if done.is_err() {
            self.netlink = None;
        }
        done.map(|()| named)
    }
}

impl Area for Queues {
    fn look(&mut self, out: &mut Out<'_>) -> Result<(), Trouble> {
        // Where netlink is refused, the interfaces' own counters are told all the same.
        for (name, queue) in self.read().unwrap_or_default() {
            let attributes = [("network.interface.name", name.as_str())];
            out.value(&names::QUEUE_DROPPED, &attributes, queue.drops.into());
            let overlimits = queue.overlimits.into();
            out.value(&names::QUEUE_OVERLIMITS, &attributes, overlimits);
            let backlog = queue.backlog_bytes.into();
            out.value(&names::QUEUE_BACKLOG, &attributes, backlog);
            if let Some(rate) = queue.bytes_per_s {
                out.value(&names::SHAPER_LIMIT, &attributes, rate);
            }
        }
        Ok(())
    }
}

/// `struct tcmsg` and its attributes; none if it is not directly before its interface.
fn parse(body: &[u8]) -> Option<DeviceQueue> {
    if u32_at(body, 12)? != TC_H_ROOT {
        return None;
    }
    let attributes = body.get(TCMSG_BYTES..)?;
    let statistics = attribute(attribute(attributes, TCA_STATS2)?, TCA_STATS_QUEUE)?;
    let is_shaper = attribute(attributes, TCA_KIND).is_some_and(|kind| kind == b"tbf\0");
    let options = attribute(attributes, TCA_OPTIONS).filter(|_| is_shaper);
    Some(DeviceQueue {
        interface: u32_at(body, 4)?,
        backlog_bytes: u32_at(statistics, 4)?,
        drops: u32_at(statistics, 8)?,
        overlimits: u32_at(statistics, 16)?,
        bytes_per_s: options.and_then(shaper_rate),
    })
}

/// The rate of a token bucket filter, in 64 bits where it does not fit into 32.
fn shaper_rate(options: &[u8]) -> Option<f64> {
    let long = attribute(options, TCA_TBF_RATE64);
    if let Some(rate) = long.and_then(|bytes| bytes.try_into().ok()) {
        return Some(u64::from_ne_bytes(rate) as f64);
    }
    // `struct tc_ratespec` comes first, and the rate is its last member.
    u32_at(attribute(options, TCA_TBF_PARMS)?, 8).map(f64::from)
}

#[cfg(test)]
#[allow(clippy::unwrap_used, clippy::expect_used)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn with(kind: u16, content: &[u8]) -> Vec<u8> {
        let mut bytes = ((content.len() + 4) as u16).to_ne_bytes().to_vec();
        bytes.extend(kind.to_ne_bytes());
        bytes.extend(content);
        bytes.resize(bytes.len().next_multiple_of(4), 0);
        bytes
    }

    fn words(words: &[u32]) -> Vec<u8> {
        words.iter().flat_map(|word| word.to_ne_bytes()).collect()
    }

    fn body(parent: u32) -> Vec<u8> {
        let mut body = words(&[0, 5, 0x8001_0000, parent, 2]);
        body.extend(with(TCA_KIND, b"tbf\0"));
        let shaper = with(TCA_TBF_PARMS, &words(&[0, 0, 12_500_000, 0, 0, 0, 0, 0, 0]));
        body.extend(with(TCA_OPTIONS | 0x8000, &shaper));
        let queue = with(TCA_STATS_QUEUE, &words(&[3, 4500, 17, 0, 99]));
        body.extend(with(TCA_STATS2, &queue));
        body
    }

    #[test]
    fn a_shaper_tells_its_rate_and_its_drops() {
        let expected = DeviceQueue {
            interface: 5,
            backlog_bytes: 4500,
            drops: 17,
            overlimits: 99,
            bytes_per_s: Some(12_500_000.0),
        };
        assert_eq!(parse(&body(TC_H_ROOT)), Some(expected));
        assert_eq!(parse(&body(0x8001_0000)), None, "one behind another");
    }

    proptest! {
        #[test]
        fn never_panics(noise in prop::collection::vec(any::<u8>(), 0..80), at in 0..200_usize, with in any::<u8>()) {
            let _ = parse(&noise);
            let mut bytes = body(TC_H_ROOT);
            let place = at % bytes.len();
            bytes[place] = with;
            let _ = parse(&bytes);
        }
    }
}
