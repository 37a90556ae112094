//! Where the slowest requests spend their time: each is followed from process to process, as far as times
//! say whose a call is.
//!
//! A call belongs to a request of the process that makes it, and lies within it. Where it lies within one
//! request alone it is that one's. Where it lies within several it may be of any of them: the time is told
//! as undecided, so that what is told of calls is never too much, and what is told to be inside neither.
//! What a process asks for nobody (a check of its own) looks like a call of the request that it happens to
//! lie in.

use std::collections::BTreeMap;

use crate::exchanges::{HowSeen, WireExchange};
use crate::report::{SlowCall, SlowProcess, WireSlowest};

/// The slowest are those that are not faster than so many of a hundred.
const PERCENTILE: usize = 95;
/// Fewer requests have no slowest ones to speak of.
const LEAST_REQUESTS: usize = 100;
/// So many of the slowest are followed, evenly from all of them.
const MAX_FOLLOWED: usize = 500;
/// So many processes on the way.
const MAX_DEPTH: usize = 8;

/// A hop and what was seen of it.
pub(crate) struct HopExchanges<'a> {
    /// Who calls; empty: not known.
    pub(crate) client: &'a str,
    pub(crate) is_generator: bool,
    /// Who is called; empty: not known.
    pub(crate) server: &'a str,
    pub(crate) address: &'a str,
    /// Requests are told apart, each of them.
    pub(crate) told_apart: bool,
    pub(crate) exchanges: &'a [WireExchange],
}

/// A stretch of time, nanoseconds.
type Stretch = (u64, u64);

/// A call that a process makes.
#[derive(Clone, Copy)]
struct FollowedCall {
    hop: usize,
    at: Stretch,
    /// The requests that it may be of; 0 where not all of it was seen.
    within: usize,
}

/// The time of one of the slowest requests in a process.
#[derive(Clone, Copy)]
struct SlowStay {
    at: Stretch,
}

/// What is summed up of a process.
#[derive(Default)]
struct SlowSums {
    stay_ns: u64,
    inside_ns: u64,
    undecided_ns: u64,
    calls: BTreeMap<usize, (u64, u64)>,
}

/// Follows the slowest requests of the load, or where nobody here makes it, of whoever is not here; none
/// where there are too few.
pub(crate) fn of(hops: &[HopExchanges<'_>]) -> Option<WireSlowest> {
    let (slowest, from_ns) = slowest(hops)?;
    let step = slowest.len().div_ceil(MAX_FOLLOWED);
    let mut count = 0_u64;
    let mut all_ns = 0_u64;
    let mut stays: BTreeMap<&str, Vec<SlowStay>> = BTreeMap::new();
    for (server, at) in slowest.iter().step_by(step) {
        (count, all_ns) = (count + 1, all_ns + at.1 - at.0);
        stays.entry(server).or_default().push(SlowStay { at: *at });
    }
    let mut sums: BTreeMap<&str, SlowSums> = BTreeMap::new();
    let mut known: BTreeMap<&str, Vec<FollowedCall>> = BTreeMap::new();
    for _ in 0..MAX_DEPTH {
        let mut below: BTreeMap<&str, Vec<SlowStay>> = BTreeMap::new();
        for (process, stays) in stays {
            let calls = known
                .entry(process)
                .or_insert_with(|| calls_of(hops, process));
            let sums = sums.entry(process).or_default();
            for stay in stays {
                for (hop, at) in follow(stay, calls, sums) {
                    let server = hops[hop].server;
                    if !server.is_empty() {
                        below.entry(server).or_default().push(SlowStay { at });
                    }
                }
            }
        }
        stays = below;
    }
    Some(WireSlowest {
        percentile: PERCENTILE as u32,
        from_ms: from_ns as f64 / 1e6,
        requests: slowest.len() as u64,
        mean_ms: all_ns as f64 / 1e6 / count as f64,
        processes: sums
            .into_iter()
            .map(|(process, sums)| told(process, &sums, hops, count as f64))
            .collect(),
    })
}

fn told(process: &str, sums: &SlowSums, hops: &[HopExchanges<'_>], requests: f64) -> SlowProcess {
    let ms = |ns: u64| ns as f64 / 1e6 / requests;
    let calls = sums.calls.iter().map(|(hop, (ns, count))| SlowCall {
        process: hops[*hop].server.to_owned(),
        address: hops[*hop].address.to_owned(),
        ms: ms(*ns),
        calls: *count as f64 / requests,
    });
    let unseen = |hop: &HopExchanges<'_>| hop.client == process && !hop.told_apart;
    SlowProcess {
        process: process.to_owned(),
        stay_ms: ms(sums.stay_ns),
        inside_ms: ms(sums.inside_ns),
        undecided_ms: ms(sums.undecided_ns),
        calls: calls.collect(),
        calls_unseen: hops.iter().any(unseen),
    }
}

/// The slowest requests that come in: who serves each, and when; with the least time of them.
fn slowest<'a>(hops: &[HopExchanges<'a>]) -> Option<(Vec<(&'a str, Stretch)>, u64)> {
    let any_generator = hops.iter().any(|hop| hop.is_generator);
    let comes_in = |hop: &&HopExchanges<'_>| match any_generator {
        true => hop.is_generator,
        false => hop.client.is_empty(),
    };
    let doors = hops.iter().filter(comes_in).filter(|hop| hop.told_apart);
    let mut all: Vec<(&str, Stretch)> = doors
        .filter(|hop| !hop.server.is_empty())
        .flat_map(|hop| {
            let whole = hop
                .exchanges
                .iter()
                .filter(|one| one.seen == HowSeen::Whole);
            whole.map(|one| (hop.server, (one.asked_ns, one.done_ns)))
        })
        .collect();
    if all.len() < LEAST_REQUESTS {
        return None;
    }
    all.sort_by_key(|(_, (from, until))| (until - from, *from));
    let rank = (all.len() * PERCENTILE).div_ceil(100);
    let (from, until) = all[rank - 1].1;
    let least_ns = until - from;
    let first = all.partition_point(|(_, (from, until))| until - from < least_ns);
    Some((all.split_off(first), least_ns))
}

/// The calls that a process makes, by their beginning, with the number of its requests that each lies in.
fn calls_of(hops: &[HopExchanges<'_>], process: &str) -> Vec<FollowedCall> {
    let told_apart = || hops.iter().enumerate().filter(|(_, hop)| hop.told_apart);
    let mut calls: Vec<FollowedCall> = told_apart()
        .filter(|(_, hop)| hop.client == process)
        .flat_map(|(number, hop)| {
            hop.exchanges.iter().map(move |one| FollowedCall {
                hop: number,
                at: (one.asked_ns, one.done_ns),
                within: usize::from(one.seen == HowSeen::Whole),
            })
        })
        .collect();
    calls.sort_by_key(|call| call.at);
    let serves = told_apart().filter(|(_, hop)| hop.server == process);
    let mut requests: Vec<Stretch> = serves
        .flat_map(|(_, hop)| hop.exchanges.iter())
        .map(|one| (one.asked_ns, one.done_ns))
        .collect();
    requests.sort_unstable();
    let mut ends: Vec<u64> = requests.iter().map(|(_, until)| *until).collect();
    ends.sort_unstable();
    // Of the requests that have begun, how many have which end.
    let mut begun = CountsBelow::new(ends.len());
    let mut next = 0;
    for call in calls.iter_mut().filter(|call| call.within > 0) {
        while let Some((from, until)) = requests.get(next)
            && *from <= call.at.0
        {
            begun.add(ends.partition_point(|end| end < until));
            next += 1;
        }
        let over = ends.partition_point(|end| *end < call.at.1);
        call.within = next - begun.below(over);
    }
    calls
}

/// Numbers at places, and their sum below a place, each in logarithmic time (Fenwick, "A new data structure
/// for cumulative frequency tables", Software: Practice and Experience 24, 1994).
struct CountsBelow(Vec<usize>);

impl CountsBelow {
    fn new(places: usize) -> Self {
        Self(vec![0; places + 1])
    }

    fn add(&mut self, place: usize) {
        let mut at = place + 1;
        while let Some(count) = self.0.get_mut(at) {
            *count += 1;
            at += at & at.wrapping_neg();
        }
    }

    fn below(&self, place: usize) -> usize {
        let (mut at, mut sum) = (place, 0);
        while at > 0 {
            sum += self.0[at];
            at -= at & at.wrapping_neg();
        }
        sum
    }
}

/// Takes apart the time of a request in a process; gives its calls with the hop of each.
fn follow(stay: SlowStay, calls: &[FollowedCall], sums: &mut SlowSums) -> Vec<(usize, Stretch)> {
    let (from, until) = stay.at;
    let first = calls.partition_point(|call| call.at.0 < from);
    let inside = calls[first..].iter().take_while(|call| call.at.0 <= until);
    let (mut own, mut perhaps) = (Vec::new(), Vec::new());
    for call in inside {
        match call.within {
            // It goes on, and the response does not wait for it.
            1.. if call.at.1 > until => {}
            1 => own.push((call.hop, call.at)),
            _ => perhaps.push((call.at.0, call.at.1.min(until))),
        }
    }
    let mut by_hop: BTreeMap<usize, Vec<Stretch>> = BTreeMap::new();
    for (hop, at) in &own {
        by_hop.entry(*hop).or_default().push(*at);
    }
    for (hop, stretches) in by_hop {
        let count = stretches.len() as u64;
        let known = sums.calls.entry(hop).or_default();
        *known = (known.0 + covered(stretches), known.1 + count);
    }
    let theirs = covered(own.iter().map(|(_, at)| *at).collect());
    perhaps.extend(own.iter().map(|(_, at)| *at));
    let any = covered(perhaps);
    sums.stay_ns += until - from;
    sums.inside_ns += (until - from).saturating_sub(any);
    sums.undecided_ns += any - theirs;
    own
}

/// The time that stretches cover together, each moment once.
fn covered(mut stretches: Vec<Stretch>) -> u64 {
    stretches.sort_unstable();
    let (mut sum, mut end) = (0, 0);
    for (from, until) in stretches {
        sum += until.saturating_sub(from.max(end));
        end = end.max(until);
    }
    sum
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn whole((asked_ns, done_ns): Stretch) -> WireExchange {
        WireExchange {
            seen: HowSeen::Whole,
            asked_ns,
            began_ns: Some(done_ns),
            done_ns,
            failed: false,
            mark: None,
        }
    }

    fn hop<'a>(
        client: &'a str,
        server: &'a str,
        exchanges: &'a [WireExchange],
    ) -> HopExchanges<'a> {
        HopExchanges {
            client,
            is_generator: client == "load",
            server,
            address: server,
            told_apart: true,
            exchanges,
        }
    }

    const MS: u64 = 1_000_000;

    #[test]
    fn one_after_the_other_each_is_followed_to_the_end() {
        // Each tenth request takes 30 ms in the database, the others 3.
        let (mut front, mut back) = (Vec::new(), Vec::new());
        for number in 0..200 {
            let (at, takes) = (number * 100 * MS, if number % 10 == 0 { 30 } else { 3 });
            front.push(whole((at, at + (takes + 7) * MS)));
            back.push(whole((at + 5 * MS, at + (takes + 5) * MS)));
        }
        let hops = [hop("load", "app", &front), hop("app", "db", &back)];
        let slowest = of(&hops).unwrap();
        assert_eq!(
            (slowest.requests, slowest.mean_ms, slowest.from_ms),
            (20, 37.0, 37.0)
        );
        let [app, db] = &slowest.processes[..] else {
            panic!("{slowest:#?}");
        };
        assert_eq!(
            (app.stay_ms, app.inside_ms, app.undecided_ms),
            (37.0, 7.0, 0.0)
        );
        assert_eq!((app.calls[0].ms, app.calls[0].calls), (30.0, 1.0));
        assert_eq!((db.stay_ms, db.inside_ms), (30.0, 30.0));
        assert!(!app.calls_unseen && db.calls.is_empty());
    }

    #[test]
    fn a_call_that_may_be_of_two_requests_is_undecided() {
        let mut front: Vec<WireExchange> =
            (0..98).map(|at| whole((at * MS, at * MS + 1))).collect();
        let at = 1_000 * MS;
        front.extend([
            whole((at, at + 50 * MS)),
            whole((at + 5 * MS, at + 55 * MS)),
        ]);
        let back = [
            whole((at + 10 * MS, at + 40 * MS)),
            whole((at + MS, at + 4 * MS)),
        ];
        let hops = [hop("load", "app", &front), hop("app", "db", &back)];
        let slowest = of(&hops).unwrap();
        let app = &slowest.processes[0];
        // By rank five or more requests are the slowest; the others take no time.
        let all = slowest.requests as f64;
        assert!((app.undecided_ms * all - 60.0).abs() < 1e-6, "{slowest:#?}");
        assert!((app.calls[0].ms * all - 3.0).abs() < 1e-6);
        assert!((app.inside_ms * all - 37.0).abs() < 0.01);
    }

    #[test]
    fn few_requests_have_no_slowest() {
        let front: Vec<WireExchange> = (0..99).map(|at| whole((at * MS, at * MS + 1))).collect();
        assert_eq!(of(&[hop("load", "app", &front)]), None);
        assert_eq!(of(&[]), None);
    }

    #[test]
    fn calls_that_cannot_be_told_apart_are_said_to_be() {
        let front: Vec<WireExchange> = (0..100).map(|at| whole((at * MS, at * MS + 9))).collect();
        let mut unseen = hop("app", "socket", &[]);
        unseen.told_apart = false;
        let slowest = of(&[hop("load", "app", &front), unseen]).unwrap();
        assert!(slowest.processes[0].calls_unseen);
    }

    proptest! {
        /// Whatever overlaps: what is told of calls and of the inside is no more than there is, and together
        /// with what is undecided no less.
        #[test]
        fn what_is_told_is_within_the_truth(plans in prop::collection::vec(
            (0..2_000_u64, prop::collection::vec((0..20_u64, 0..30_u64), 0..4), 0..20_u64), 100..160))
        {
            let (mut front, mut back) = (Vec::new(), Vec::new());
            let mut truth = Vec::new();
            for (start, calls, rest) in plans {
                let mut at = start * MS;
                let (from, mut called) = (at, 0);
                for (before, takes) in calls {
                    at += before * MS;
                    back.push(whole((at, at + takes * MS)));
                    at += takes * MS;
                    called += takes;
                }
                at += rest * MS + 1;
                front.push(whole((from, at)));
                truth.push(((from, at), called as f64));
            }
            let hops = [hop("load", "app", &front), hop("app", "db", &back)];
            let slowest = of(&hops).unwrap();
            truth.retain(|((from, until), _)| (until - from) as f64 / 1e6 >= slowest.from_ms - 1e-9);
            prop_assert_eq!(truth.len() as u64, slowest.requests);
            let called = truth.iter().map(|(_, called)| called).sum::<f64>() / truth.len() as f64;
            let app = &slowest.processes[0];
            let told = app.calls.first().map_or(0.0, |call| call.ms);
            prop_assert!(told <= called + 1e-6, "{} {}", told, called);
            prop_assert!(told + app.undecided_ms >= called - 1e-6, "{} {:?}", called, app);
            let sum = app.inside_ms + app.undecided_ms + told;
            prop_assert!((sum - app.stay_ms).abs() < 1e-6 && (app.stay_ms - slowest.mean_ms).abs() < 1e-6);
        }
    }
}
