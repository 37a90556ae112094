//! CPUs that are wanted in bursts: requests wait for one before all are used up.

use plimsoll_stats::series::EntityKind;
use serde_json::json;

use super::principles::{FRONT, hop, level};
use crate::DiagnosisOutcome;
use crate::testing::{Made, thing};

/// 14 requests of 125 ms in a process that uses so many of two CPUs and wants so many more, on a host that is busy to
/// that share; those that come when there are 21 take so long.
fn made(used: f64, wanted: f64, busy: f64, many_ms: f64) -> Made {
    let times = |in_flight: u32, mean_ms: f64| json!({"in_flight": in_flight, "requests": 60, "mean_ms": mean_ms});
    let wire = json!({
        "version": 1, "lasts_ms": 3000.0,
        "hops": [hop("plimsoll[7]", FRONT, "127.0.0.1:8000", 112.0, 14.0)],
        "processes": [{
            "process": FRONT, "requests_per_s": 112.0, "in_flight": level(14.0), "waiting_for_others": 0.0,
            "inside": level(14.0), "times_by_number": [times(14, 125.0), times(21, many_ms)],
        }],
    });
    let (host, process) = (
        thing(EntityKind::Host, ""),
        thing(EntityKind::Process, FRONT),
    );
    let made = Made::load(112.0, 125.0)
        .users(14)
        .at("http://127.0.0.1:8000/")
        .process(FRONT, used, 2.0)
        .counter(&process, "process.cpu.wait_time", &[], wanted)
        .capture(&host, "wire", "steady", &wire.to_string());
    let modes = [("user", busy), ("idle", 1.0 - busy)];
    modes.iter().fold(made, |made, (mode, share)| {
        made.counter(&host, "system.cpu.time", &[("cpu.mode", mode)], 2.0 * share)
    })
}

#[test]
fn cpus_that_are_wanted_in_bursts_limit_before_they_are_saturated() {
    let diagnosis = made(1.47, 0.9, 0.86, 165.0).diagnose();
    assert_eq!(diagnosis.findings[0].id, "cpu", "{diagnosis:?}");
    assert_eq!(diagnosis.findings[0].object.name, FRONT);
    assert_eq!(diagnosis.outcome, DiagnosisOutcome::Healthy);
    // A host with room, threads that hardly want one, requests that wait for none of the others.
    for (used, wanted, busy, many_ms) in [
        (1.1, 0.9, 0.6, 165.0),
        (1.47, 0.1, 0.86, 165.0),
        (1.47, 0.9, 0.86, 126.0),
        (0.6, 1.6, 0.86, 165.0),
    ] {
        let found = made(used, wanted, busy, many_ms).find("cpu");
        assert_eq!(found, None, "{used} {wanted} {busy} {many_ms}");
    }
}
