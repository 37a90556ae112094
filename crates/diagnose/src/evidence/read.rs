//! Evidence of a stored run, finished or still going on.

use std::collections::BTreeMap;

use plimsoll_stats::series::Fact;
use plimsoll_stats::{
    Aggregate, GeneratorSecond, LabelKind, LabelSummary, Window, judge_generator,
};
use plimsoll_store::{MeasuredLoad, OriginMeta, Run, StoreError};

use super::{
    CapturedText, Evidence, EvidenceStep, FORMAT, LoadElsewhere, LoadEvidence, SecondOfLoad,
    Series, unseen,
};
use crate::jfr;

/// The last stretch of even load must last this long to be judged alone.
const LEAST_WINDOW_S: u32 = 5;
/// Loads that differ by less are the same step.
const SAME_LOAD: f64 = 0.1;
/// Seconds between which so many others lie are of one stretch.
const SAME_STRETCH_S: u32 = 2;
/// Facts and captures longer than this say nothing more.
const MAX_TEXT: usize = 8 << 20;

impl Evidence {
    /// Reads all that a run has.
    ///
    /// # Errors
    /// If the run cannot be read.
    pub fn of_run(run: &Run) -> Result<Self, StoreError> {
        let mut evidence = Self {
            format: FORMAT,
            load: load(run)?,
            series: series(run)?,
            facts: facts(run)?,
            captures: captures(run)?,
            unseen: unseen::of_events(&run.events()?),
        };
        evidence.load.watched = !evidence.series.is_empty();
        Ok(evidence)
    }
}

fn load(run: &Run) -> Result<LoadEvidence, StoreError> {
    let meta = run.meta();
    let (_, end_s) = run.span_s()?;
    let generator = run.generator()?;
    let mut seconds = seconds(run, end_s, &generator)?;
    // A load that was raised at its end is told of by itself.
    if let Some(from_s) = meta.probe_from_s {
        seconds.retain(|second| second.second < from_s);
    }
    let loads = run.loads_measured()?;
    let window_s = match loaded_until(run)? {
        Some(end_s) => {
            let loaded = seconds.partition_point(|second| second.second < end_s);
            window(&seconds[..loaded], meta.warm_up_s, &loads)
        }
        None => window(&seconds, meta.warm_up_s, &loads),
    };
    let sum = judged_requests(run, window_s)?;
    let labels = sum.label_summaries();
    let window = Window::new(f64::from(window_s.0), f64::from(window_s.1));
    let judged: Vec<GeneratorSecond> = generator
        .into_iter()
        .filter(|second| window.contains(second.second))
        .collect();
    let threads = judged.iter().map(|second| second.threads.len()).max();
    let several_hosts = judged.iter().any(|second| !second.workers.is_empty());
    let mut load = LoadEvidence {
        target: meta.target.clone(),
        host: meta.environment.host_name.clone(),
        cpus: meta.environment.allowed_cpus,
        watched: false,
        warm_up_s: meta.warm_up_s,
        total: Some(sum.total_summary()),
        elsewhere: elsewhere(&meta.other_origins, &labels),
        labels,
        generator: judge_generator(&judged, &sum.total()),
        threads: u32::try_from(threads.unwrap_or(0)).unwrap_or(u32::MAX),
        several_hosts,
        ceiling: None,
        hops: run.hops()?,
        probe: run.summary()?.and_then(|summary| summary.probe),
        steps: Vec::new(),
        window_s,
        seconds,
    };
    load.choose_ceiling(&meta.ceilings);
    load.steps = steps(loads);
    Ok(load)
}

/// What went to each other address, by its labels.
#[expect(clippy::cast_precision_loss, reason = "counts of a run")]
fn elsewhere(origins: &[OriginMeta], labels: &[LabelSummary]) -> Vec<LoadElsewhere> {
    let of = |other: &OriginMeta| {
        let own = labels.iter().filter(|label| {
            label.kind == LabelKind::Request && other.labels.contains(&label.label)
        });
        let (mut requests, mut sum_ms) = (0_u64, 0.0);
        for label in own {
            requests += label.samples;
            sum_ms += label.samples as f64 * label.response_time_ms.mean;
        }
        LoadElsewhere {
            origin: other.origin.clone(),
            requests,
            mean_ms: sum_ms / requests.max(1) as f64,
        }
    };
    let found = origins.iter().map(of);
    found.filter(|other| other.requests > 0).collect()
}

/// Where the whole seconds of load end. The second in which it ended has little of it: as part of
/// the stretch it would make every rate too low. None while the run goes on, or if it was so short
/// that there is no whole second.
#[expect(
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "seconds of a run"
)]
fn loaded_until(run: &Run) -> Result<Option<u32>, StoreError> {
    let summary = run.summary()?.filter(|summary| summary.duration_s >= 1.0);
    Ok(summary.map(|summary| (summary.warm_up_s + summary.duration_s).floor() as u32))
}

/// The requests that ended in the judged stretch; where none did, since all of them hang, those too
/// that ended after the load.
fn judged_requests(run: &Run, window_s: (u32, u32)) -> Result<Aggregate, StoreError> {
    let (from_s, to_s) = (f64::from(window_s.0), f64::from(window_s.1));
    let sum = run.aggregate(from_s, to_s)?;
    match sum.total_summary().samples {
        0 => run.aggregate_with_tail(from_s, to_s),
        _ => Ok(sum),
    }
}

/// The loads of a run that has several.
fn steps(loads: Vec<MeasuredLoad>) -> Vec<EvidenceStep> {
    let mut steps: Vec<EvidenceStep> = loads
        .into_iter()
        .map(|measured| EvidenceStep {
            load: measured.load,
            from_s: measured.from_s,
            to_s: measured.to_s,
        })
        .collect();
    steps.sort_by(|a, b| a.load.total_cmp(&b.load));
    if steps.len() < 2 {
        steps.clear();
    }
    steps
}

#[expect(clippy::cast_precision_loss, reason = "counts of one second")]
fn seconds(
    run: &Run,
    end_s: u32,
    generator: &[GeneratorSecond],
) -> Result<Vec<SecondOfLoad>, StoreError> {
    let mut found: BTreeMap<u32, SecondOfLoad> = BTreeMap::new();
    for own in generator {
        let second = u32::try_from(own.second).unwrap_or(u32::MAX);
        let entry = found.entry(second).or_default();
        entry.users = own.users_active;
        entry.in_flight = own.in_flight;
    }
    for (second, did) in (0_u32..).zip(run.figures(end_s)?) {
        if did.samples > 0 {
            let entry = found.entry(second).or_default();
            entry.samples = did.samples;
            entry.errors = did.errors;
            entry.response_ms = did.response_ns as f64 / 1e6 / did.samples as f64;
            entry.fastest_ms = did.fastest_ns as f64 / 1e6;
        }
    }
    let all = found
        .into_iter()
        .map(|(second, known)| SecondOfLoad { second, ..known });
    Ok(all.collect())
}

/// The stretch to be judged: the last one of even load after the warm-up, if it is long enough;
/// else all that was measured. A stepped load is judged where it was heaviest.
#[expect(clippy::cast_precision_loss, reason = "counts of users")]
fn window(seconds: &[SecondOfLoad], warm_up_s: u32, loads: &[MeasuredLoad]) -> (u32, u32) {
    let measured: Vec<&SecondOfLoad> = seconds
        .iter()
        .filter(|second| second.second >= warm_up_s)
        .collect();
    let (Some(first), Some(last)) = (measured.first(), measured.last()) else {
        return (warm_up_s, warm_up_s);
    };
    let whole = (first.second, last.second + 1);
    // Of arrivals the users at work are no load: how many there are is chance, and what the target takes.
    if loads.iter().any(|load| load.open) {
        let heaviest = loads.iter().max_by(|a, b| a.load.total_cmp(&b.load));
        let heaviest = heaviest.map(|load| (load.from_s.max(whole.0), load.to_s.min(whole.1)));
        let is_long = |(from_s, to_s): &(u32, u32)| *to_s >= from_s + LEAST_WINDOW_S;
        return heaviest.filter(is_long).unwrap_or(whole);
    }
    let top = measured
        .iter()
        .map(|second| second.users)
        .max()
        .unwrap_or(0) as f64;
    let even = |second: &&&SecondOfLoad| second.users as f64 >= top * (1.0 - SAME_LOAD);
    let heaviest = measured.iter().filter(even).map(|second| second.second);
    // The last stretch of them: a load that comes back is no even one with what lies between.
    let last = heaviest.fold(None, |stretch: Option<(u32, u32)>, second| match stretch {
        Some((from, to)) if second <= to + SAME_STRETCH_S => Some((from, second + 1)),
        _ => Some((second, second + 1)),
    });
    let is_long = |(from, to): &(u32, u32)| *to >= from + LEAST_WINDOW_S;
    last.filter(is_long).unwrap_or(whole)
}

fn series(run: &Run) -> Result<Vec<Series>, StoreError> {
    let known = run.series()?;
    let ids: Vec<_> = known.iter().map(|(id, _)| *id).collect();
    let columns = run.target(&ids)?;
    let both = known.into_iter().zip(columns);
    let all = both.map(|((_, key), column)| Series {
        key,
        at_ms: column.at_ms,
        values: column.values,
        breaks: column.breaks,
    });
    Ok(all.collect())
}

fn facts(run: &Run) -> Result<Vec<Fact>, StoreError> {
    let all = run.facts()?.into_iter().map(|record| record.fact);
    Ok(all.filter(|fact| fact.value.len() < MAX_TEXT).collect())
}

fn captures(run: &Run) -> Result<Vec<CapturedText>, StoreError> {
    let mut all = Vec::new();
    for stored in run.captures()? {
        let record = stored.record;
        let is_recording = record.kind == "jfr";
        let is_text = record.media_type.starts_with("text/") || record.media_type.ends_with("json");
        if !is_text && !is_recording {
            continue;
        }
        let mut bytes = run.capture_bytes(stored.number)?.unwrap_or_default();
        if is_recording {
            // What of it is read, in place of the recording.
            let profile = jfr::read(&bytes, run.zero_unix_ns());
            let json = profile.ok().and_then(|read| serde_json::to_vec(&read).ok());
            bytes = json.unwrap_or_default();
        }
        if bytes.len() < MAX_TEXT {
            all.push(CapturedText {
                number: stored.number,
                kind: record.kind,
                moment: record.moment,
                at_ms: stored.at_ns / 1_000_000,
                entity: record.entity,
                text: String::from_utf8_lossy(&bytes).into_owned(),
            });
        }
    }
    Ok(all)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(loads: &[u64]) -> Vec<SecondOfLoad> {
        let all = loads.iter().zip(0..);
        let second = |(users, second): (&u64, u32)| SecondOfLoad {
            second,
            users: *users,
            ..SecondOfLoad::default()
        };
        all.map(second).collect()
    }

    #[test]
    fn a_stepped_load_is_judged_where_it_was_heaviest() {
        let steps: Vec<u64> = [10, 20, 40].into_iter().flat_map(|n| [n; 8]).collect();
        assert_eq!(window(&at(&steps), 3, &[]), (16, 24));
        assert_eq!(window(&at(&[50; 20]), 5, &[]), (5, 20));
        let ramp: Vec<u64> = (1..=20).collect();
        assert_eq!(window(&at(&ramp), 0, &[]), (0, 20));
        assert_eq!(window(&[], 4, &[]), (4, 4));
        // A peak that comes back: the last of both, and not what lies between.
        let peaks: Vec<u64> = [100, 10, 100].into_iter().flat_map(|n| [n; 8]).collect();
        assert_eq!(window(&at(&peaks), 0, &[]), (16, 24));
    }

    #[test]
    fn arrivals_are_judged_by_their_rate() {
        let rate = |load: f64, from_s: u32, to_s: u32| MeasuredLoad {
            load,
            open: true,
            from_s,
            to_s,
        };
        // Users at work by chance: the most of them twice.
        let users: Vec<u64> = (0..30)
            .map(|second| 2 + u64::from(second % 13 == 9))
            .collect();
        assert_eq!(window(&at(&users), 3, &[rate(100.0, 3, 30)]), (3, 30));
        // The first of two rates made all of them wait once.
        let mut users = vec![3; 30];
        users[4] = 90;
        let both = [rate(100.0, 2, 15), rate(200.0, 17, 30)];
        assert_eq!(window(&at(&users), 0, &both), (17, 30));
    }
}
