//! Limits of the kernel that are beside CPU and memory: connections that a firewall tracks, memory beyond
//! which a control group is slowed down, processes and threads that it may have.

use plimsoll_stats::names::{self, SeriesName, attributes};
use plimsoll_stats::series::{Entity, EntityKind};
use plimsoll_text::Message;

use super::Rule;
use super::attempts::{self, LOST_S};
use super::support::turned_away;
use crate::about::object;
use crate::figures::{megabytes, percent};
use crate::model::{Advice, Exhibit, Explains, Finding, FindingObject, Layer, ShareOf};
use crate::scene::Scene;

pub const RULE: Rule = Rule {
    ids: &["conntrack_full", "memory_throttled", "tasks_limit"],
    refuted_by: "a level below its limit and no refusal, or requests that do not touch what is limited",
    look,
};

/// The table of tracked connections is full from this share on.
const FULL: f64 = 0.97;
/// Fewer packets lost may be chance.
const LEAST_LOST: f64 = 3.0;
/// So much of what went wrong must be counted by the kernel to be explained by it.
const MATCHES: f64 = 0.5;
/// A group is beyond its mark of memory, or against its limit, from this share on.
const AT_LIMIT: f64 = 0.9;

fn look(scene: &Scene<'_>) -> Vec<Finding> {
    let mut found = tracked(scene);
    found.extend(throttled(scene));
    found.extend(tasks(scene));
    found
}

/// Firewalls that cannot track more connections: packets of new ones are lost without a word.
fn tracked(scene: &Scene<'_>) -> Vec<Finding> {
    let all = scene.series(names::host::CONNTRACK).by_thing();
    let full = all.into_iter().filter_map(|(thing, count)| {
        let limit = scene.of(&thing, names::host::CONNTRACK_LIMIT).last()?;
        let drops = scene.of(&thing, names::host::CONNTRACK_DROPPED);
        let lost = drops.with_any(attributes::CONNTRACK_DROP, &["packet", "insert"]);
        let (peak, lost) = (count.peak()?, lost.counted().unwrap_or(0.0));
        (limit > 0.0 && peak >= FULL * limit).then(|| {
            let (explains, layer) = lost_packets(scene, lost);
            let text = Message::new("exhibit-conntrack")
                .with("count", peak.round())
                .with("limit", limit)
                .with("lost", lost.round());
            let about = object("conntrack", name_of(&thing), &thing);
            let finding = Finding::new("conntrack_full", layer, about, explains)
                .shows(Exhibit::new(text).series(names::host::CONNTRACK))
                .advises(Advice::setting(
                    "net.netfilter.nf_conntrack_max",
                    Some(limit.to_string()),
                    (limit * 4.0).max(262_144.0).to_string(),
                    Message::new("advice-conntrack-full"),
                ));
            Finding {
                confidence: 0.9,
                source: "Linux, Documentation/networking/nf_conntrack-sysctl.rst; RFC 6298, section 2",
                ..finding
            }
        })
    });
    full.collect()
}

/// What packets of new connections that were lost explain: the failures that are as many at most, else
/// the time that making connections took, since each is sent again only after a second.
fn lost_packets(scene: &Scene<'_>, lost: f64) -> (Explains, Layer) {
    let none = (Explains::new(0.0, ShareOf::ResponseTime), Layer::Hint);
    if lost < LEAST_LOST {
        return none;
    }
    let failed = turned_away(scene);
    #[expect(clippy::cast_precision_loss, reason = "counts of a run")]
    let errors = scene.total().errors as f64 * failed;
    if errors > 0.0 && lost >= MATCHES * errors {
        return (Explains::new(failed, ShareOf::Errors), Layer::Cause);
    }
    let connecting_s = attempts::connecting_s(scene);
    if connecting_s < MATCHES * lost * LOST_S {
        return none; // others' connections
    }
    let share = connecting_s / attempts::all_s(scene);
    (
        Explains::new(share.min(1.0), ShareOf::ResponseTime),
        Layer::Cause,
    )
}

/// Groups that stand still for giving memory back: beyond `memory.high` the kernel holds up whoever
/// wants more, and at the limit it looks for pages to give up.
fn throttled(scene: &Scene<'_>) -> Vec<Finding> {
    const MARKS: [(&str, SeriesName, SeriesName); 2] = [
        (
            "memory.high",
            names::host::CGROUP_MEMORY_HIGH,
            names::host::CGROUP_MEMORY_THROTTLED,
        ),
        (
            "memory.max",
            names::host::CGROUP_MEMORY_LIMIT,
            names::host::CGROUP_MEMORY_LIMITED,
        ),
    ];
    let processes = scene.things(EntityKind::Process).into_iter();
    let found = processes.filter_map(|process| {
        let used = scene.of(&process, names::host::CGROUP_MEMORY).peak()?;
        MARKS.iter().find_map(|(setting, mark, events)| {
            let mark = scene.of(&process, *mark).last()?;
            let count = scene.of(&process, *events).counted()?;
            let stalled = stalled_for_memory(scene, &process)?;
            (count >= 1.0 && used >= AT_LIMIT * mark).then(|| {
                let text = Message::new("exhibit-memory-throttled")
                    .with("setting", *setting)
                    .with("count", count.round())
                    .with("used", megabytes(used))
                    .with("limit", megabytes(mark));
                let stands =
                    Message::new("exhibit-memory-stalled").with("percent", percent(stalled));
                let about = object("process", process.name.as_str(), &process);
                let explains = Explains::new(stalled, ShareOf::ResponseTime);
                let finding = Finding::new("memory_throttled", Layer::Cause, about, explains)
                    .with("setting", *setting)
                    .shows(Exhibit::new(text).series(*events))
                    .shows(Exhibit::new(stands).series(names::host::CGROUP_PRESSURE))
                    .advises(Advice::setting(
                        *setting,
                        Some(mark.to_string()),
                        (mark * 1.5).round().to_string(),
                        Message::new("advice-memory-throttled"),
                    ));
                Finding {
                    confidence: 0.85,
                    source: "Linux, Documentation/admin-guide/cgroup-v2.rst, memory.high; psi.rst",
                    ..finding
                }
            })
        })
    });
    found.collect()
}

/// The share of the time in which some task of the process's group stood still for memory.
fn stalled_for_memory(scene: &Scene<'_>, process: &Entity) -> Option<f64> {
    let stalls = scene.of(process, names::host::CGROUP_PRESSURE);
    let memory = stalls.with(attributes::PRESSURE_RESOURCE, "memory");
    let some = memory.with(attributes::PRESSURE_STALL, "some").mean()?;
    Some(some.min(1.0))
}

/// Groups that may have no more processes and threads, where some were refused.
fn tasks(scene: &Scene<'_>) -> Vec<Finding> {
    let processes = scene.things(EntityKind::Process).into_iter();
    let found = processes.filter_map(|process| {
        let refused = scene.of(&process, names::host::CGROUP_TASKS_LIMITED);
        let refused = refused.counted().filter(|refused| *refused >= 1.0)?;
        let limit = scene.of(&process, names::host::CGROUP_TASKS_LIMIT).last()?;
        let failed = scene.failed_enough();
        let explains = Explains::new(if failed { 0.8 } else { 0.0 }, ShareOf::Errors);
        let text = Message::new("exhibit-tasks-limit")
            .with("count", refused.round())
            .with("limit", limit);
        let about: FindingObject = object("process", process.name.as_str(), &process);
        let layer = Layer::cause_if(failed);
        let finding = Finding::new("tasks_limit", layer, about, explains)
            .shows(Exhibit::new(text).series(names::host::CGROUP_TASKS_LIMITED))
            .advises(Advice::setting(
                "pids.max / TasksMax",
                Some(limit.to_string()),
                (limit * 4.0).max(4096.0).to_string(),
                Message::new("advice-tasks-limit"),
            ));
        Some(Finding {
            confidence: 0.8,
            source: "Linux, Documentation/admin-guide/cgroup-v2.rst, pids.events",
            ..finding
        })
    });
    found.collect()
}

/// A process's name, or its host's.
fn name_of(thing: &Entity) -> &str {
    match thing.name.as_str() {
        "" => &thing.host,
        name => name,
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used, clippy::expect_used)]
mod tests {
    use plimsoll_stats::ErrorKind;
    use plimsoll_stats::series::EntityKind;

    use crate::model::{Layer, ShareOf};
    use crate::testing::{Made, thing};

    fn firewall(load: Made, count: f64, lost: f64) -> Made {
        let host = thing(EntityKind::Host, "");
        load.gauge(&host, "system.network.conntrack.count", &[], count)
            .gauge(&host, "system.network.conntrack.max", &[], 1_000.0)
            .counter(
                &host,
                "system.network.conntrack.dropped",
                &[("conntrack.drop", "packet")],
                lost,
            )
    }

    #[test]
    fn a_firewall_that_tracks_no_more_explains_what_it_lost() {
        let failing = || Made::load(100.0, 50.0).errors(ErrorKind::ConnectTimeout, 200);
        let finding = firewall(failing(), 1_000.0, 20.0)
            .find("conntrack_full")
            .unwrap();
        assert_eq!(finding.layer, Layer::Cause);
        assert_eq!(
            (finding.explains.share, finding.explains.of),
            (1.0, ShareOf::Errors)
        );
        // Without failures: a fifth of the requests connects, in two seconds.
        let slow = || Made::load(100.0, 450.0).connects(0.2, 2_000.0);
        let finding = firewall(slow(), 1_000.0, 20.0)
            .find("conntrack_full")
            .unwrap();
        assert_eq!(finding.layer, Layer::Cause);
        assert_eq!(finding.explains.of, ShareOf::ResponseTime);
        assert!((finding.explains.share - 400.0 / 450.0).abs() < 0.01);
        // Too few for that many failures; nothing lost; others' packets; room.
        for (made, count, lost) in [
            (failing(), 1_000.0, 0.4),
            (failing(), 1_000.0, 0.0),
            (Made::load(100.0, 50.0).connects(0.1, 1.0), 1_000.0, 20.0),
        ] {
            let found = firewall(made, count, lost).find("conntrack_full").unwrap();
            assert_eq!(found.layer, Layer::Hint, "{count} {lost}");
        }
        assert_eq!(
            firewall(failing(), 500.0, 20.0).find("conntrack_full"),
            None
        );
    }

    fn group(events: f64, used: f64, stalled: f64) -> Made {
        let process = thing(EntityKind::Process, "java[8080]");
        let of = [("pressure.resource", "memory"), ("pressure.stall", "some")];
        Made::load(100.0, 50.0)
            .process("java[8080]", 0.2, 2.0)
            .gauge(&process, "cgroup.memory.usage", &[], used)
            .gauge(&process, "cgroup.memory.high", &[], 100e6)
            .counter(&process, "cgroup.memory.throttled", &[], events)
            .counter(&process, "cgroup.pressure.stall.time", &of, stalled)
    }

    #[test]
    fn a_group_that_is_held_up_for_memory_is_found_by_the_time_it_stands() {
        let finding = group(40.0, 101e6, 0.6).find("memory_throttled").unwrap();
        assert_eq!(finding.layer, Layer::Cause);
        assert!((finding.explains.share - 0.6).abs() < 0.01);
        let advice = &finding.advice[0];
        assert_eq!(advice.setting.as_deref(), Some("memory.high"));
        assert_eq!(advice.proposed.as_deref(), Some("150000000"));
        // Hardly any time; never; far below.
        let little = group(40.0, 101e6, 0.02).find("memory_throttled").unwrap();
        assert_eq!(little.layer, Layer::Hint);
        assert_eq!(group(0.0, 101e6, 0.6).find("memory_throttled"), None);
        assert_eq!(group(40.0, 50e6, 0.6).find("memory_throttled"), None);
    }

    #[test]
    fn tasks_that_are_refused_explain_failures() {
        let process = thing(EntityKind::Process, "java[8080]");
        let made = |refused: f64, failed: u64| {
            Made::load(100.0, 50.0)
                .process("java[8080]", 0.2, 2.0)
                .gauge(&process, "cgroup.tasks.limit", &[], 64.0)
                .counter(&process, "cgroup.tasks.limited", &[], refused)
                .errors(ErrorKind::CheckFailed, failed)
        };
        let layer = |refused, failed| Some(made(refused, failed).find("tasks_limit")?.layer);
        assert_eq!(layer(5.0, 50), Some(Layer::Cause));
        assert_eq!(layer(5.0, 0), Some(Layer::Hint));
        assert_eq!(layer(0.0, 50), None);
    }
}
