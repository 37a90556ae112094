//! A quota that stops a process in some of its periods: which share of the requests that hits.

use plimsoll_stats::series::{EntityKind, SeriesKind};
use plimsoll_text::{Lang, render};

use crate::model::{Finding, Layer};
use crate::testing::{Made, thing};

const NAME: &str = "shop[8000]";

/// Requests of 20 ms on average in a process that is stopped in so many of ten periods a second, for 60 ms each.
fn stopped(periods: f64, (p50, p95): (f64, f64)) -> Made {
    let process = thing(EntityKind::Process, NAME);
    Made::load(100.0, 20.0)
        .at("http://127.0.0.1:8000/")
        .spread(p50, p95)
        .process(NAME, 0.3, 1.0)
        .counter(&process, "cgroup.cpu.periods", &[], 10.0)
        .counter(&process, "cgroup.cpu.throttled.periods", &[], periods)
        .counter(&process, "cgroup.cpu.throttled.time", &[], periods * 0.06)
}

fn found(made: &Made) -> Option<Finding> {
    made.find("some_requests_slow")
}

#[test]
fn the_requests_that_a_quota_stops_are_told_as_their_share() {
    let finding = found(&stopped(2.0, (10.0, 70.0))).unwrap();
    assert_eq!(
        (finding.layer, finding.object.name.as_str()),
        (Layer::Cause, NAME)
    );
    let shown = render(Lang::En, &finding.evidence[1].text);
    // (20 + 60) ms of each 100 in a fifth of the periods.
    assert!(shown.contains("20 % of the periods for 60 ms"), "{shown}");
    assert!(shown.contains("16 % of the requests"), "{shown}");
    assert_eq!(finding.advice[0].setting.as_deref(), Some("cpu quota"));
}

#[test]
fn what_the_stops_cannot_explain_is_not_theirs() {
    // All are alike; the slow ones are much slower than any stop; hardly a period has one; most requests meet one.
    assert_eq!(found(&stopped(2.0, (19.0, 22.0))), None);
    assert_eq!(found(&stopped(2.0, (10.0, 900.0))), None);
    assert_eq!(found(&stopped(0.2, (10.0, 70.0))), None);
    assert_eq!(found(&stopped(8.0, (10.0, 70.0))), None);
    // Another process is stopped, through which no request comes.
    let other = thing(EntityKind::Process, "backup[99]");
    let made = Made::load(100.0, 20.0)
        .at("http://127.0.0.1:8000/")
        .spread(10.0, 70.0)
        .process(NAME, 0.3, 1.0)
        .process("backup[99]", 0.9, 1.0)
        .counter(&other, "cgroup.cpu.periods", &[], 10.0)
        .track(
            &other,
            "cgroup.cpu.throttled.periods",
            &[],
            SeriesKind::Counter,
            |s| 2.0 * s,
        )
        .counter(&other, "cgroup.cpu.throttled.time", &[], 0.12);
    assert_eq!(found(&made), None);
}

#[test]
fn a_quota_is_named_whatever_its_size() {
    let (host, process) = (
        thing(EntityKind::Host, ""),
        thing(EntityKind::Process, NAME),
    );
    for hundredths in 1..750 {
        let quota = f64::from(hundredths) / 100.0;
        let modes = [("user", 0.2), ("idle", 0.8)];
        let made = Made::load(100.0, 145.0)
            .process(NAME, 0.98 * quota, quota)
            .gauge(&process, "process.cpu.available", &[], quota)
            .counter(&process, "cgroup.cpu.periods", &[], 10.0)
            .counter(&process, "cgroup.cpu.throttled.periods", &[], 9.0);
        let made = modes.iter().fold(made, |made, (mode, share)| {
            made.counter(&host, "system.cpu.time", &[("cpu.mode", mode)], 8.0 * share)
        });
        let finding = made.find("cpu").unwrap();
        let by = format!("{:?}", finding.args);
        assert!(!finding.healthy && by.contains("quota"), "{quota}: {by}");
        assert_eq!(finding.advice[0].setting.as_deref(), Some("cpu quota"));
    }
}
