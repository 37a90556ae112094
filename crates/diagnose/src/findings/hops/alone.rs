//! Hops that were loaded alone, by few users: what each adds when nothing waits in line.

use plimsoll_stats::HopTimes;
use plimsoll_stats::series::{Entity, EntityKind};
use plimsoll_text::Message;

use super::chain::{CalledHop, SHARE_OF_SLOWEST_HOP};
use crate::address;
use crate::cpu::of;
use crate::figures::{percent, tenths};
use crate::model::{Advice, Exhibit, Explains, Finding, FindingObject, Layer, ShareOf};
use crate::processes::{listens_at, process_of};
use crate::scene::Scene;

/// The hop that takes most of the response time already when it is loaded alone. Of one that is
/// watched and has CPU left other rules say more, so it is a hint there.
pub(super) fn finding(scene: &Scene<'_>, times: &HopTimes) -> Option<Finding> {
    let slowest = times.slowest().filter(|slowest| slowest.clear)?;
    let whole_ms = (scene.service_s() * 1e3).max(1e-9);
    let share = (slowest.own_ms / whole_ms).min(1.0);
    if slowest.share < SHARE_OF_SLOWEST_HOP || share < SHARE_OF_SLOWEST_HOP {
        return None;
    }
    let process = process(scene, &slowest.hop.address);
    let cpu = process.and_then(|process| of(scene, &process));
    let layer = match cpu {
        Some(cpu) if !cpu.is_full() => Layer::Hint,
        _ => Layer::Cause,
    };
    let about = FindingObject {
        kind: "hop",
        name: slowest.hop.name.clone(),
        host: address::host(&slowest.hop.address).to_owned(),
        process: String::new(),
    };
    let explains = Explains::new(share, ShareOf::ResponseTime);
    let finding = Finding::new("hop_latency", layer, about, explains)
        .with("ms", tenths(slowest.own_ms))
        .with("alone", 1_u64)
        .advises(Advice::code(Message::new("advice-hop-alone")));
    Some(Finding {
        confidence: 0.7,
        source: "time of a hop loaded alone less that of the next; field case F28",
        ..with_times(times, finding)
    })
}

/// What the hops took alone, beside what they take under load.
pub(super) fn beside(
    scene: &Scene<'_>,
    times: &HopTimes,
    slowest: &CalledHop,
    finding: Finding,
) -> Finding {
    let finding = with_times(times, finding);
    let own = process_of(scene, &slowest.thing);
    let same = times.hops.iter().find(|hop| {
        let process = process(scene, &hop.address);
        process.is_some() && process == own
    });
    let Some((hop, alone)) = same.and_then(|hop| Some((hop, hop.own_ms?))) else {
        return finding;
    };
    let waits = 1.0 - alone.value.max(0.0) / slowest.own_ms.max(1e-9);
    let text = Message::new("exhibit-hop-waits")
        .with("hop", hop.name.as_str())
        .with("loaded", tenths(slowest.own_ms))
        .with("alone", tenths(alone.value))
        .with("percent", percent(waits.clamp(0.0, 1.0)));
    finding.shows(Exhibit::new(text))
}

fn with_times(times: &HopTimes, mut finding: Finding) -> Finding {
    for hop in &times.hops {
        let (Some(time), Some(own)) = (hop.time_ms, hop.own_ms) else {
            let text = Message::new("exhibit-hop-fails").with("hop", hop.name.as_str());
            finding = finding.shows(Exhibit::new(text));
            continue;
        };
        let half = own.high.map_or(0.0, |high| high - own.value);
        let text = Message::new("exhibit-hop-alone")
            .with("hop", hop.name.as_str())
            .with("users", times.users)
            .with("total", tenths(time.value))
            .with("own", tenths(own.value))
            .with("half", tenths(half));
        finding = finding.shows(Exhibit::new(text));
    }
    finding
}

/// The process behind an address, if there is one with its port and no other.
fn process(scene: &Scene<'_>, at: &str) -> Option<Entity> {
    let port = address::port(at)?.to_string();
    let all = scene.things(EntityKind::Process).into_iter();
    let mut found = all.filter(|process| listens_at(scene, process, &port));
    let first = found.next()?;
    found.next().is_none().then(|| (*first).clone())
}

#[cfg(test)]
#[allow(clippy::unwrap_used, clippy::expect_used)]
mod tests {
    use super::*;
    use crate::model::DiagnosisOutcome;
    use crate::testing::{Made, thing};
    use plimsoll_stats::Estimate;
    use plimsoll_stats::hops::MeasuredHop as Alone;

    /// Hops by name, address, and what each adds, the outermost first.
    fn times(hops: &[(&str, &str, f64)]) -> HopTimes {
        let from = |place: usize| hops[place..].iter().map(|hop| hop.2).sum::<f64>();
        let sure = |value: f64| {
            Some(Estimate {
                value,
                low: Some(value - 0.5),
                high: Some(value + 0.5),
            })
        };
        let alone = hops.iter().enumerate().map(|(place, hop)| Alone {
            name: hop.0.to_owned(),
            address: hop.1.to_owned(),
            samples: 100,
            time_ms: sure(from(place)),
            own_ms: sure(hop.2),
            ..Alone::default()
        });
        HopTimes {
            users: 1,
            rounds: 4,
            round_s: 2.0,
            hops: alone.collect(),
            ..HopTimes::default()
        }
    }

    const CHAIN: [(&str, &str, f64); 3] = [
        ("front", "http://10.0.0.1", 2.0),
        ("gateway", "http://10.0.0.2:8081", 70.0),
        ("stock", "http://10.0.0.3:8082/stock", 8.0),
    ];

    #[test]
    fn the_slowest_hop_of_a_chain_that_nobody_watches_is_named() {
        let made = Made::load(200.0, 90.0).hops(times(&CHAIN));
        let finding = made.find("hop_latency").unwrap();
        assert_eq!(finding.object.name, "gateway");
        assert_eq!(finding.object.host, "10.0.0.2");
        assert_eq!(finding.layer, Layer::Cause);
        assert!((finding.explains.share - 70.0 / 90.0).abs() < 0.01);
        assert_eq!(finding.evidence.len(), 3);
        assert_eq!(made.diagnose().outcome, DiagnosisOutcome::Found);
    }

    #[test]
    fn what_waits_under_load_is_not_the_hops_own_time() {
        // 90 ms alone, ten times as much under load: the line is elsewhere.
        let made = Made::load(200.0, 900.0).hops(times(&CHAIN));
        assert_eq!(made.find("hop_latency"), None);
        // Two that add as much: neither is the slowest.
        let even = [("a", "http://a", 40.0), ("b", "http://b", 40.2)];
        let made = Made::load(200.0, 82.0).hops(times(&even));
        assert_eq!(made.find("hop_latency"), None);
    }

    #[test]
    fn a_watched_hop_with_room_is_a_hint() {
        let made = Made::load(200.0, 90.0)
            .process("java[8081]", 0.3, 1.0)
            .hops(times(&CHAIN));
        assert_eq!(made.find("hop_latency").unwrap().layer, Layer::Hint);
    }

    #[test]
    fn times_alone_stand_beside_those_under_load() {
        let series = "http.server.request.duration";
        let mut made = Made::load(200.0, 100.0).hops(times(&CHAIN));
        for (name, ms, cpu) in [
            ("java[80]", 98.0, 0.1),
            ("java[8081]", 94.0, 0.97),
            ("java[8082]", 10.0, 0.3),
        ] {
            let of = thing(EntityKind::Application, name);
            made = made
                .process(name, cpu, 1.0)
                .counter(&of, &format!("{series}.count"), &[], 200.0)
                .counter(&of, &format!("{series}.sum"), &[], 200.0 * ms / 1e3);
        }
        let finding = made.find("hop_latency").unwrap();
        assert_eq!(finding.object.name, "java[8081]");
        let ids: Vec<&str> = finding.evidence.iter().map(|e| &*e.text.id).collect();
        assert_eq!(
            ids.iter().filter(|id| **id == "exhibit-hop-alone").count(),
            3
        );
        // Of 84 ms under load 70 are its own work.
        let waits = finding.evidence.last().unwrap();
        assert_eq!(waits.text.id, "exhibit-hop-waits");
        let share = ("percent".into(), 17_u64.into());
        assert!(waits.text.args.contains(&share), "{waits:?}");
    }
}
