//! A limit inside a process that no thread and no packet shows: permits that parked requests wait for.
//! Where throughput does not rise with the load, as many requests are at work at a time as pass in
//! the time that one takes when it is alone (Little's law).

use super::behind;
use super::calls::with_a_part;
use super::model::{AccountPlateau, FullPlace, TimesTogether, Together};
use super::passed::{Passed, place};
use super::seen::{SeenHop, Whose, Wire};
use crate::evidence::SecondOfLoad;
use crate::plateau;
use crate::scene::Scene;

/// The first seconds of a run, in which the first requests find nobody before them.
const FIRST_S: u32 = 3;
/// All requests of a load take so much longer than the first ones did, if they queue.
const LONGER: f64 = 2.0;
/// Where more load is known to make only a longer queue, so much longer.
const LONGER_IN_QUEUE: f64 = 1.25;
/// And where more load was seen to bring no more throughput.
const LONGER_AT_LIMIT: f64 = 1.1;
/// And so much longer than the quickest of all, which may have found few before it and not none.
const LONGER_THAN_QUICKEST: f64 = 1.5;
/// Protocols in which a connection has one request at a time.
const ONE_AT_A_TIME: [&str; 4] = ["http1", "mysql", "postgres", "redis"];
/// The process in which requests wait must have so much of them, and so many must wait for others.
const LEAST_SHARE_WAITING: f64 = 0.4;
/// Where more load was seen to bring no more throughput, so many.
const LEAST_WAITING: f64 = 0.2;

/// The place in the process in which most requests wait, if the load's times say that they do
/// for each other.
pub(super) fn inside(
    scene: &Scene<'_>,
    wire: Option<&Wire>,
    together: &Together,
    way: &[Passed<'_>],
) -> Option<AccountPlateau> {
    if together.is_apart() {
        return None;
    }
    let together = together.times.as_ref();
    let most = way.iter().max_by(|a, b| a.waiting.total_cmp(&b.waiting));
    let most = most.filter(|it| wire.is_some() || !behind::is_unknown(scene, it.whose))?;
    // Of several instances each has its own requests.
    let part = wire.and_then(|wire| with_a_part(scene, wire, most.whose));
    let (all, per_s) = part.map_or((scene.in_flight(), scene.throughput_per_s()), |seen| {
        (seen.in_flight.mean, seen.requests_per_s)
    });
    let queue = together.filter(|times| times.many_ms >= LONGER * times.few_ms);
    let few_ms = queue.map(|times| times.few_ms);
    let limited = together.filter(|times| times.is_at_limit());
    let longer = match together {
        Some(times) if times.is_at_limit() => LONGER_AT_LIMIT,
        Some(times) if times.is_queue() => LONGER_IN_QUEUE,
        _ => LONGER,
    };
    // The shorter of both: few may queue, too.
    let is_queue = together.is_some_and(TimesTogether::is_queue);
    let known = few_ms.into_iter().chain(alone(scene, longer, is_queue));
    let alone_ms = known.reduce(f64::min);
    let most_ms = scene.total().response_time_ms.mean;
    let is_clear = |quickest: &f64| is_queue && most_ms >= LONGER_THAN_QUICKEST * quickest;
    let quickest = || quickest_ms(scene).filter(is_clear);
    let alone_s = alone_ms.or_else(quickest)? / 1e3;
    let number = per_s * alone_s;
    // Requests that none was seen to be alone in take longer than one would, and more of them seem to be at work.
    let number = match wire.and_then(|wire| passed_on_over(wire, most.whose)) {
        Some(connections) => connections.min(number),
        None => number,
    };
    let waiting = (all - number).min(most.waiting);
    // A queue that more load only makes longer is judged where it is longest.
    let longest = limited.map_or(all, |times| match part {
        Some(_) => all,
        None => times.many.max(all),
    });
    let least = match limited {
        Some(_) => LEAST_WAITING,
        None => LEAST_SHARE_WAITING,
    };
    let is_short = longest - number < LEAST_SHARE_WAITING * longest;
    if most.waiting < LEAST_SHARE_WAITING * all || waiting < least * all || is_short {
        return None;
    }
    place(
        most,
        (FullPlace::Inside, ""),
        (number.max(1.0), 1.0),
        waiting,
    )
}

/// Whoever passes each request on as it came has no more at work than connections to do so: as many as there are at
/// a time, where they are kept.
fn passed_on_over(wire: &Wire, whose: &Whose) -> Option<f64> {
    let came = || wire.hops.iter().filter(|hop| hop.server == *whose);
    let passes = |hop: &&SeenHop| {
        let protocol = hop.protocol.as_str();
        hop.client == *whose
            && ONE_AT_A_TIME.contains(&protocol)
            && came().any(|known| known.protocol == protocol)
    };
    let on: Vec<&SeenHop> = wire.hops.iter().filter(passes).collect();
    let sum = |of: fn(&SeenHop) -> f64| on.iter().map(|hop| of(hop)).sum::<f64>();
    let (seen, opened) = (sum(|hop| hop.connections), sum(|hop| hop.opened));
    let asked: f64 = came().map(|hop| hop.requests_per_s).sum();
    let are_all = sum(|hop| hop.requests_per_s) >= asked && asked > 0.0;
    (are_all && 2.0 * opened <= seen).then_some(seen - opened)
}

/// How long a request takes when none is before it, ms, if they queue now, as they are known to or not.
fn alone(scene: &Scene<'_>, longer: f64, is_queue: bool) -> Option<f64> {
    let lightest = || {
        let steps = scene.load().steps.first()?;
        let seconds = scene.load().seconds.iter();
        let inside = seconds.filter(|second| (steps.from_s..steps.to_s).contains(&second.second));
        mean(
            inside
                .map(|second| second.response_ms)
                .filter(|ms| *ms > 0.0),
        )
    };
    match plateau::of(scene) {
        Some(_) => lightest(),
        // The first requests may be of another kind than those that come later.
        None => first_ms(scene, longer).filter(|_| is_queue || is_one_kind(scene)),
    }
}

/// The fastest response of the first seconds, if those of the judged stretch are all much slower.
fn first_ms(scene: &Scene<'_>, longer: f64) -> Option<f64> {
    let first = scene.load().seconds.iter().filter(|second| is_told(second));
    let first = first.filter(|second| second.second < FIRST_S);
    let alone_ms = first.map(|second| second.fastest_ms).reduce(f64::min)?;
    let mut fastest: Vec<f64> = scene
        .seconds()
        .filter(|second| is_told(second))
        .map(|second| second.fastest_ms)
        .collect();
    fastest.sort_by(f64::total_cmp);
    // Of a tenth of the seconds none may be as fast, so that no other kind of request is.
    let now_ms = fastest.get(fastest.len() / 10).copied()?;
    (now_ms >= longer * alone_ms).then_some(alone_ms)
}

/// The fastest response of all that is no failure, if all are of one kind: where it is known that they queue, the one that
/// found the fewest before it.
pub(super) fn quickest_ms(scene: &Scene<'_>) -> Option<f64> {
    let seconds = scene.load().seconds.iter().filter(|second| is_told(second));
    let quickest = seconds.map(|second| second.fastest_ms).reduce(f64::min)?;
    is_one_kind(scene).then_some(quickest)
}

/// Whether it is known how long the fastest request of a second took that was served.
fn is_told(second: &SecondOfLoad) -> bool {
    second.fastest_ms > 0.0 && second.errors == 0
}

fn is_one_kind(scene: &Scene<'_>) -> bool {
    scene.load().labels.len() <= 1
}

#[expect(clippy::cast_precision_loss, reason = "seconds of a load")]
fn mean(values: impl Iterator<Item = f64>) -> Option<f64> {
    let all: Vec<f64> = values.collect();
    (!all.is_empty()).then(|| all.iter().sum::<f64>() / all.len() as f64)
}
