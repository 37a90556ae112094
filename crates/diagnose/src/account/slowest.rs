//! Where the slowest requests spend their time, as packets followed them, beside the mean of all.

use std::collections::BTreeMap;

use serde::Deserialize;

use super::door::MOST_STRETCHED;
use super::model::{AccountPart, LEAST_FOLLOWED, LONGEST_WAY, PartKind};
use super::moment::captures;
use super::slow::{SlowestKind, SlowestPart, SlowestRequests};
use crate::scene::Scene;

/// Less of their time than this is no line of its own.
const LEAST_SHARE: f64 = 0.005;

#[derive(Debug, Default, Deserialize)]
#[serde(default)]
struct FollowedCapture {
    slowest: Option<FollowedJson>,
}

#[derive(Debug, Default, Deserialize)]
#[serde(default)]
struct FollowedJson {
    percentile: u32,
    from_ms: f64,
    requests: u64,
    mean_ms: f64,
    processes: Vec<FollowedProcess>,
}

#[derive(Debug, Default, Deserialize)]
#[serde(default)]
struct FollowedProcess {
    process: String,
    stay_ms: f64,
    inside_ms: f64,
    undecided_ms: f64,
    calls: Vec<FollowedCallJson>,
}

#[derive(Debug, Default, Deserialize)]
#[serde(default)]
struct FollowedCallJson {
    process: String,
    address: String,
    ms: f64,
}

/// Reads them of the host at whose door they come in; none where nobody followed any. `parts`: of all
/// requests.
pub(super) fn of(scene: &Scene<'_>, parts: &[AccountPart]) -> Option<SlowestRequests> {
    let mut found: Option<(String, FollowedJson)> = None;
    for capture in captures(scene, "wire") {
        let read: FollowedCapture = serde_json::from_str(&capture.text).unwrap_or_default();
        let Some(followed) = read.slowest.filter(FollowedJson::is_possible) else {
            continue;
        };
        let host = capture.entity.host.clone();
        // Later captures stand better for the stretch; of several hosts the door's has them for longest.
        let longest = found
            .as_ref()
            .is_none_or(|(known, other)| *known == host || followed.mean_ms >= other.mean_ms);
        if longest {
            found = Some((host, followed));
        }
    }
    let (host, followed) = found?;
    // Nor do the slowest of that moment stand for those of the whole stretch.
    let times = &scene.total().response_time_ms;
    if followed.percentile == 95
        && times.p95 > MOST_STRETCHED * followed.from_ms.max(followed.mean_ms)
    {
        return None;
    }
    Some(followed.told(&host, parts))
}

impl FollowedJson {
    fn is_possible(&self) -> bool {
        let of_process = |process: &FollowedProcess| {
            let own = [process.stay_ms, process.inside_ms, process.undecided_ms];
            let calls = process.calls.iter().map(|call| call.ms);
            let mut all = own.into_iter().chain(calls);
            all.all(|ms| ms.is_finite() && ms >= 0.0)
        };
        let is_time = self.mean_ms.is_finite() && self.mean_ms > 0.0;
        is_time && self.requests > 0 && self.processes.iter().all(of_process)
    }

    fn told(&self, host: &str, parts: &[AccountPart]) -> SlowestRequests {
        let mut sums: BTreeMap<(SlowestKind, String, String), f64> = BTreeMap::new();
        let doors: Vec<(&FollowedProcess, f64)> = self.doors().collect();
        let all: f64 = doors.iter().map(|(_, ms)| ms).sum();
        for (door, ms) in doors {
            self.enter(door, ms / all.max(1e-9) * self.mean_ms, 0, &mut sums);
        }
        let part = |((kind, process, peer), ms): ((SlowestKind, String, String), f64)| {
            let all_ms = of_all(parts, (kind, &process, host, &peer));
            SlowestPart {
                kind,
                process,
                host: host.to_owned(),
                peer,
                ms,
                all_ms,
            }
        };
        let is_worth = |(_, ms): &(_, f64)| *ms >= LEAST_SHARE * self.mean_ms;
        let mut parts: Vec<_> = sums.into_iter().filter(is_worth).map(part).collect();
        parts.sort_by(|a, b| b.ms.total_cmp(&a.ms));
        SlowestRequests {
            percentile: self.percentile.min(100),
            requests: self.requests,
            from_ms: self.from_ms,
            mean_ms: self.mean_ms,
            parts,
        }
    }

    /// The processes that have requests which no other process here asked for, with how long.
    fn doors(&self) -> impl Iterator<Item = (&FollowedProcess, f64)> {
        self.processes.iter().filter_map(|process| {
            let calls = self.processes.iter().flat_map(|other| &other.calls);
            let called = calls.filter(|call| call.process == process.process);
            let called_ms: f64 = called.map(|call| call.ms).sum();
            let ms = process.stay_ms - called_ms;
            (ms > LEAST_SHARE * self.mean_ms).then_some((process, ms))
        })
    }

    /// Requests are so long in a process: parts as it has them, in proportion.
    fn enter(
        &self,
        process: &FollowedProcess,
        ms: f64,
        depth: usize,
        sums: &mut BTreeMap<(SlowestKind, String, String), f64>,
    ) {
        let scale = ms / process.stay_ms.max(1e-9);
        let mut add = |kind, peer: &str, ms: f64| {
            let of = (kind, process.process.clone(), peer.to_owned());
            *sums.entry(of).or_default() += ms;
        };
        let undecided_ms = (process.undecided_ms * scale).min(ms);
        add(SlowestKind::Undecided, "", undecided_ms);
        // Calls at the same time count once.
        let calls: f64 = process.calls.iter().map(|call| call.ms).sum();
        let inside_ms = (process.inside_ms * scale).min(ms - undecided_ms);
        let called_ms = ms - undecided_ms - inside_ms;
        if calls <= 0.0 {
            add(SlowestKind::Inside, "", ms - undecided_ms);
            return;
        }
        add(SlowestKind::Inside, "", inside_ms);
        for call in &process.calls {
            let ms = called_ms * call.ms / calls;
            let mut known = self.processes.iter();
            let below = known.find(|below| {
                !call.process.is_empty() && below.process == call.process && below.stay_ms > 0.0
            });
            match below {
                Some(below) if depth < LONGEST_WAY && ms > LEAST_FOLLOWED * self.mean_ms => {
                    self.enter(below, ms, depth + 1, sums);
                }
                _ => {
                    let peer = match call.process.is_empty() {
                        true => &call.address,
                        false => &call.process,
                    };
                    let of = (
                        SlowestKind::WaitingFor,
                        process.process.clone(),
                        peer.clone(),
                    );
                    *sums.entry(of).or_default() += ms;
                }
            }
        }
    }
}

/// The same of all requests, by their account; none of what it cannot tell.
fn of_all(
    parts: &[AccountPart],
    (kind, process, host, peer): (SlowestKind, &str, &str, &str),
) -> Option<f64> {
    // Of who is not watched, the account knows how long others wait for it.
    let waited_for = |part: &AccountPart| {
        kind == SlowestKind::Inside && part.kind == PartKind::WaitingFor && part.peer == process
    };
    let own =
        |part: &&AccountPart| part.process == process && part.host == host || waited_for(part);
    let fits = |part: &&AccountPart| match kind {
        SlowestKind::Inside => {
            let elsewhere = matches!(
                part.kind,
                PartKind::WaitingFor
                    | PartKind::Unaccounted
                    | PartKind::Generator
                    | PartKind::Network
            );
            !elsewhere || waited_for(part)
        }
        SlowestKind::WaitingFor => part.kind == PartKind::WaitingFor && part.peer == peer,
        SlowestKind::Undecided => false,
    };
    let ms = parts.iter().filter(own).filter(fits).map(|part| part.ms);
    (kind != SlowestKind::Undecided).then(|| ms.sum())
}
