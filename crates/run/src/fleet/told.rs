//! What the summary says of the workers: who did what, what was missing, what may be lost.

use plimsoll_fleet::controller::StoredRun;
use plimsoll_fleet::controller::conduct::Conducted;
use plimsoll_fleet::controller::stored::ClockSeen;
use plimsoll_stats::summary::{
    ClockMeasured, FleetSummary, FleetWorker, LostSamples, MissingLoad, ms,
};
use plimsoll_stats::{GeneratorSecond, LabelInterval, judge_generator};
use plimsoll_text::Message;

/// The summary of a fleet; `seconds` are the measured ones, `result` what all requests did.
#[must_use]
pub fn summary(
    conducted: &Conducted,
    seconds: &[GeneratorSecond],
    result: &LabelInterval,
) -> FleetSummary {
    let run = &conducted.run;
    let name = |worker: usize| {
        let worker = run.workers.get(worker);
        worker.map_or_else(String::new, |worker| worker.worker.name.clone())
    };
    let end_ns = conducted.end.load_end_ns;
    #[expect(clippy::cast_precision_loss)]
    let s = |ns: u64| ms(ns as f64 / 1e3);
    let workers = (0..run.workers.len()).map(|at| FleetWorker {
        clocks: clocks(&conducted.clocks, at),
        ..worker(run, at, seconds, result)
    });
    let missing = run.missing.iter().filter_map(|missing| {
        let to_ns = missing
            .to_ns
            .unwrap_or(end_ns)
            .min(end_ns.max(missing.from_ns));
        (to_ns > missing.from_ns).then(|| MissingLoad {
            worker: name(missing.worker),
            share: missing.share + 1,
            of_shares: run.count,
            from_s: s(missing.from_ns),
            to_s: s(to_ns),
        })
    });
    let lost = conducted.losses.iter();
    let lost = lost.map(|(of, from_ns, to_ns, most)| LostSamples {
        worker: name(of.worker),
        from_s: s(*from_ns),
        to_s: s(*to_ns),
        at_most: *most,
    });
    FleetSummary {
        shares: run.count,
        each: run.each,
        workers: workers.collect(),
        missing: missing.collect(),
        lost: lost.collect(),
        withheld: run.withheld,
    }
}

/// What one worker did. Its generator is judged by what it adds to the result of all.
fn worker(
    run: &StoredRun,
    at: usize,
    seconds: &[GeneratorSecond],
    result: &LabelInterval,
) -> FleetWorker {
    let worker = &run.workers[at];
    let own = own_seconds(seconds, &worker.worker.name);
    let judged = judge_generator(&own, result);
    let threads = own.iter().flat_map(|second| &second.threads);
    let shares = run.assignments.iter().filter(|of| of.worker == at);
    #[expect(clippy::cast_precision_loss)]
    FleetWorker {
        name: worker.worker.name.clone(),
        host: worker.worker.host.clone(),
        shares: shares.map(|of| of.share + 1).collect(),
        clock_offset_ms: ms(worker.clock.wall_ns as f64),
        clock_error_ms: ms(worker.worst_error_ns as f64),
        clocks: Vec::new(),
        limited: judged.limited,
        reasons: judged.reasons.iter().map(|reason| reason.kind).collect(),
        peak_cpu_share: threads.map(|thread| thread.cpu_share).fold(0.0, f64::max),
    }
}

/// A summary holds about so many measurements of one clock at most: beyond that every second,
/// third … one up to the last. The run's notes have all.
const MOST_CLOCKS: usize = 1_000;

/// How one worker's clock was measured.
fn clocks(all: &[ClockSeen], worker: usize) -> Vec<ClockMeasured> {
    let own: Vec<&ClockSeen> = all.iter().filter(|seen| seen.worker == worker).collect();
    let every = own.len().div_ceil(MOST_CLOCKS).max(1);
    let kept = own.iter().rev().step_by(every).rev();
    #[expect(clippy::cast_precision_loss)]
    let measured = kept.map(|seen| ClockMeasured {
        at_s: ms(seen.at_ns as f64 / 1e3),
        offset_ms: ms(seen.wall_ns as f64),
        error_ms: ms(seen.error_ns as f64),
    });
    measured.collect()
}

/// What one worker's generator saw, second by second.
fn own_seconds(seconds: &[GeneratorSecond], worker: &str) -> Vec<GeneratorSecond> {
    let all = seconds.iter().flat_map(|second| &second.workers);
    let own = all.filter(|one| one.worker == worker);
    own.map(|one| one.seen.clone()).collect()
}

/// The facts that a person must know, as they are told when the run ends.
#[must_use]
pub fn facts(fleet: &FleetSummary) -> Vec<(u64, Message)> {
    #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss)]
    let at_ns = |s: f64| (s * 1e9) as u64;
    let missing = fleet.missing.iter().map(|missing| {
        let message = Message::new("event-fleet-missing")
            .with("part", format!("1/{}", missing.of_shares))
            .with("name", missing.worker.clone())
            .with("from", format!("{:.1}", missing.from_s))
            .with("to", format!("{:.1}", missing.to_s));
        (at_ns(missing.from_s), message)
    });
    let lost = fleet.lost.iter().map(|lost| {
        let message = Message::new("event-fleet-lost")
            .with("name", lost.worker.clone())
            .with("most", i64::try_from(lost.at_most).unwrap_or(i64::MAX))
            .with("from", format!("{:.1}", lost.from_s))
            .with("to", format!("{:.1}", lost.to_s));
        (at_ns(lost.from_s), message)
    });
    let withheld = (fleet.withheld > 0).then(|| {
        let count = i64::try_from(fleet.withheld).unwrap_or(i64::MAX);
        let message = Message::new("event-fleet-withheld").with("count", count);
        (0, message)
    });
    missing.chain(lost).chain(withheld).collect()
}
