//! How long packets are on their way, where a connection is seen at both of its sides: in the network namespaces of
//! both.
//!
//! What one side says before the other speaks is a turn. It is on its way from the moment at which its last segment
//! is sent first until all of its segments have come: a segment that was lost and sent again is in that time. So are
//! pauses in which its sender waits for an acknowledgement, since no more may be on the way at once.

use std::collections::HashMap;

use crate::exchanges::WireExchange;
use crate::protocol::Speaker;

/// So many segments of a direction are kept of each place, from the first on.
const MAX_SEGMENTS: usize = 4_096;
/// And so many other places: the sides' own namespaces, and what lies between.
const MAX_PLACES: usize = 3;
/// What was held back for an acknowledgement follows it at once.
const FOLLOWS_NS: u64 = 1_000_000;
/// Less is what looking at two places takes.
const LEAST_NS: u64 = 200_000;

/// What came by at one place: of client and server.
#[derive(Default)]
struct Sightings {
    /// When segments did first, by the numbers behind their last bytes.
    segments: [HashMap<u32, u64>; 2],
    /// When packets did that carry nothing but an acknowledgement.
    acknowledged_ns: [Vec<u64>; 2],
}

impl Sightings {
    fn acknowledges(&mut self, by: Speaker, at_ns: u64) {
        let seen = &mut self.acknowledged_ns[usize::from(by == Speaker::Server)];
        if seen.len() < MAX_SEGMENTS {
            seen.push(at_ns);
        }
    }

    fn see(&mut self, by: Speaker, end: u32, at_ns: u64) {
        let seen = &mut self.segments[usize::from(by == Speaker::Server)];
        if let Some(known) = seen.get_mut(&end) {
            *known = at_ns.min(*known);
        } else if seen.len() < MAX_SEGMENTS {
            seen.insert(end, at_ns);
        }
    }

    fn kept(&self) -> usize {
        let segments: usize = self.segments.iter().map(HashMap::len).sum();
        let acknowledged: usize = self.acknowledged_ns.iter().map(Vec::len).sum();
        segments * size_of::<(u32, u64)>() + acknowledged * size_of::<u64>()
    }

    fn of(&self, by: Speaker) -> &HashMap<u32, u64> {
        &self.segments[usize::from(by == Speaker::Server)]
    }

    /// How long the sender of these waited between them for acknowledgements; its packets are seen here first.
    fn held_ns(&self, by: Speaker, ends: &[u32]) -> u64 {
        let seen = self.of(by);
        let mut sent_ns: Vec<u64> = ends
            .iter()
            .filter_map(|end| seen.get(end).copied())
            .collect();
        sent_ns.sort_unstable();
        let acknowledged_ns = &self.acknowledged_ns[usize::from(by == Speaker::Client)];
        let follows = |two: &&[u64]| {
            let before = acknowledged_ns.partition_point(|at_ns| *at_ns <= two[1]);
            let since_ns = two[0].max(two[1].saturating_sub(FOLLOWS_NS));
            let last_ns = acknowledged_ns[..before].last();
            two[1] - two[0] > FOLLOWS_NS && last_ns.is_some_and(|at_ns| *at_ns >= since_ns)
        };
        let held = sent_ns.windows(2).filter(follows);
        held.map(|two| two[1] - two[0]).sum()
    }

    /// Who spoke, with the numbers of the segments, in the order of time.
    fn turns(&self) -> Vec<(Speaker, Vec<u32>)> {
        let mut all: Vec<(u64, u32, Speaker)> = Vec::new();
        for by in [Speaker::Client, Speaker::Server] {
            let seen = self.of(by).iter();
            all.extend(seen.map(|(end, at_ns)| (*at_ns, *end, by)));
        }
        all.sort_unstable_by_key(|(at_ns, end, by)| (*at_ns, *by == Speaker::Server, *end));
        let mut turns: Vec<(Speaker, Vec<u32>)> = Vec::new();
        for (_, end, by) in all {
            match turns.last_mut() {
                Some((speaker, ends)) if *speaker == by => ends.push(end),
                _ => turns.push((by, vec![end])),
            }
        }
        turns
    }

    /// When the last of these came by; none unless all did.
    fn all_by_ns(&self, by: Speaker, ends: &[u32]) -> Option<u64> {
        let times: Option<Vec<u64>> = ends
            .iter()
            .map(|end| self.of(by).get(end).copied())
            .collect();
        times?.into_iter().max()
    }
}

/// The places at which a connection is seen.
#[derive(Default)]
pub(crate) struct SeenPlaces {
    own: Sightings,
    /// By their network namespaces.
    others: Vec<(u32, Sightings)>,
}

/// How long the turns of a connection were on their way.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub(crate) struct Transit {
    /// Of each turn of the client.
    pub(crate) to_server_ns: Vec<u64>,
    /// Of each turn of the server.
    pub(crate) to_client_ns: Vec<u64>,
    /// How much later than by its client a request was seen where the connection is followed, the mean.
    late_ns: u64,
    /// How much earlier than by its client a response was, the mean.
    early_ns: u64,
}

impl SeenPlaces {
    /// So many bytes are kept.
    pub(crate) fn kept(&self) -> usize {
        let others = self.others.iter().map(|(_, seen)| seen);
        let all = std::iter::once(&self.own).chain(others);
        all.map(Sightings::kept).sum()
    }

    /// A segment with content came by where the connection is followed.
    pub(crate) fn see(&mut self, by: Speaker, end: u32, at_ns: u64) {
        self.own.see(by, end, at_ns);
    }

    /// A packet without content did.
    pub(crate) fn acknowledges(&mut self, by: Speaker, at_ns: u64) {
        self.own.acknowledges(by, at_ns);
    }

    /// A packet came by in another network namespace; `end`: of one with content, the number behind its last byte.
    pub(crate) fn see_elsewhere(&mut self, space: u32, by: Speaker, end: Option<u32>, at_ns: u64) {
        let known = self.others.iter().position(|(known, _)| *known == space);
        if known.is_none() && self.others.len() < MAX_PLACES {
            self.others.push((space, Sightings::default()));
        }
        let Some((_, seen)) = self.others.iter_mut().find(|(known, _)| *known == space) else {
            return;
        };
        match end {
            Some(end) => seen.see(by, end, at_ns),
            None => seen.acknowledges(by, at_ns),
        }
    }

    /// How long turns were on their way; none where one place alone was seen, or that takes next to no time.
    pub(crate) fn transit(&mut self) -> Option<Transit> {
        if self.others.is_empty() {
            return None;
        }
        let others = self.others.iter_mut().map(|(_, seen)| seen);
        let all = std::iter::once(&mut self.own).chain(others);
        all.flat_map(|seen| &mut seen.acknowledged_ns)
            .for_each(|times_ns| times_ns.sort_unstable());
        let mut made = Transit::default();
        let (mut late_ns, mut early_ns) = (Vec::new(), Vec::new());
        for (by, ends) in self.own.turns() {
            let Some(way) = self.way(by, &ends) else {
                continue;
            };
            let (all, apart) = match by {
                Speaker::Client => (&mut made.to_server_ns, &mut late_ns),
                Speaker::Server => (&mut made.to_client_ns, &mut early_ns),
            };
            all.push(way.lasts_ns);
            apart.push(way.apart_ns);
        }
        (made.late_ns, made.early_ns) = (mean(&late_ns), mean(&early_ns));
        let both_ns = mean(&made.to_server_ns) + mean(&made.to_client_ns);
        (both_ns >= LEAST_NS).then_some(made)
    }
}

/// The way of one turn.
struct TurnWay {
    lasts_ns: u64,
    /// Between where the connection is followed and the client.
    apart_ns: u64,
}

impl SeenPlaces {
    /// The way of these segments; none where one place alone saw them all.
    fn way(&self, by: Speaker, ends: &[u32]) -> Option<TurnWay> {
        let own_ns = self.own.all_by_ns(by, ends)?;
        let (mut sender, mut first_ns, mut last_ns, mut places) = (&self.own, own_ns, own_ns, 1);
        for (_, seen) in &self.others {
            let Some(at_ns) = seen.all_by_ns(by, ends) else {
                continue;
            };
            if at_ns < first_ns {
                (sender, first_ns) = (seen, at_ns);
            }
            last_ns = at_ns.max(last_ns);
            places += 1;
        }
        (places > 1).then(|| TurnWay {
            lasts_ns: last_ns - first_ns + sender.held_ns(by, ends),
            apart_ns: match by {
                Speaker::Client => own_ns - first_ns,
                Speaker::Server => last_ns - own_ns,
            },
        })
    }
}

/// The arithmetic mean; 0 of none.
pub(crate) fn mean(all_ns: &[u64]) -> u64 {
    let sum: u128 = all_ns.iter().map(|ns| u128::from(*ns)).sum();
    let mean = sum / all_ns.len().max(1) as u128;
    u64::try_from(mean).unwrap_or(u64::MAX)
}

impl Transit {
    /// Whether nothing is known of it.
    pub(crate) fn is_none(&self) -> bool {
        self.to_server_ns.is_empty() && self.to_client_ns.is_empty()
    }

    /// Takes in the turns of another connection.
    pub(crate) fn join(&mut self, other: Self) {
        self.to_server_ns.extend(other.to_server_ns);
        self.to_client_ns.extend(other.to_client_ns);
    }

    /// Exchanges as the client sees them, wherever the connection is followed.
    pub(crate) fn as_client_sees(&self, exchanges: &mut [WireExchange], from_ns: u64) {
        for one in exchanges {
            if one.asked_ns > from_ns {
                one.asked_ns = one.asked_ns.saturating_sub(self.late_ns).max(from_ns);
            }
            if one.seen.has_ended() {
                one.began_ns = one.began_ns.map(|at_ns| at_ns + self.early_ns);
                one.done_ns += self.early_ns;
            }
        }
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::exchanges::HowSeen;

    const MS: u64 = 1_000_000;

    /// Requests and responses of three segments between two places, so long on their way; the second segment of
    /// each response is lost `lost_ms` long where that is not 0. Seen in whatever order, the connection is followed at the client's place
    /// or at the server's.
    fn seen(
        to_server: u64,
        to_client: u64,
        lost: u64,
        at_server: bool,
        order: &[usize],
    ) -> SeenPlaces {
        let mut all: Vec<(bool, Speaker, u32, u64)> = Vec::new();
        let (mut at, mut ends) = (1_000 * MS, [0_u32; 2]);
        for _ in 0..10 {
            ends[0] += 100;
            all.push((false, Speaker::Client, ends[0], at));
            all.push((true, Speaker::Client, ends[0], at + to_server));
            at += to_server + 5 * MS;
            let mut last = 0;
            for segment in 0..3 {
                ends[1] += 1_000;
                let late = if segment == 1 { lost } else { 0 };
                all.push((true, Speaker::Server, ends[1], at));
                let came = at + to_client + late;
                all.push((false, Speaker::Server, ends[1], came));
                last = came.max(last);
            }
            at = last + MS;
        }
        let mut places = SeenPlaces::default();
        for place in order {
            let (is_far, by, end, at_ns) = all[place % all.len()];
            match is_far == at_server {
                true => places.see(by, end, at_ns),
                false => places.see_elsewhere(7, by, Some(end), at_ns),
            }
        }
        places
    }

    proptest! {
        #[test]
        fn what_is_on_its_way_is_told_from_either_side(
            to_server in 0..80_u64, to_client in 0..80_u64, lost in 0..300_u64, at_server: bool,
            order in Just((0..80_usize).collect::<Vec<_>>()).prop_shuffle(),
        ) {
            prop_assume!(to_server + to_client > 0);
            let (to_server, to_client, lost) = (to_server * MS, to_client * MS, lost * MS);
            let transit = seen(to_server, to_client, lost, at_server, &order).transit().unwrap();
            prop_assert_eq!(&transit.to_server_ns, &vec![to_server; 10]);
            prop_assert_eq!(&transit.to_client_ns, &vec![to_client + lost; 10]);
            let (asked_ns, done_ns) = match at_server {
                true => (to_server, 5 * MS + to_server),
                false => (0, 5 * MS + to_server + to_client + lost),
            };
            let whole = WireExchange {
                seen: HowSeen::Whole,
                asked_ns: 1_000 * MS + asked_ns,
                began_ns: Some(1_000 * MS + done_ns),
                done_ns: 1_000 * MS + done_ns,
                failed: false,
                mark: None,
            };
            let mut exchanges = [whole];
            transit.as_client_sees(&mut exchanges, 0);
            let took_ns = exchanges[0].done_ns - exchanges[0].asked_ns;
            prop_assert_eq!(took_ns, 5 * MS + to_server + to_client + lost);
            prop_assert_eq!(exchanges[0].asked_ns, 1_000 * MS);
        }
    }

    #[test]
    fn one_place_and_places_without_a_way_between_tell_nothing() {
        let order: Vec<usize> = (0..80).collect();
        assert_eq!(seen(MS / 20, MS / 20, 0, false, &order).transit(), None);
        let mut alone = SeenPlaces::default();
        alone.see(Speaker::Client, 5, MS);
        assert_eq!(alone.transit(), None);
        // A segment that one place did not see: its turn is left out.
        alone.see_elsewhere(7, Speaker::Server, Some(9), 2 * MS);
        assert_eq!(alone.transit(), None);
    }

    #[test]
    fn what_waits_for_an_acknowledgement_is_on_its_way_all_the_same() {
        // 30 ms each way; the last segment is sent when the first are acknowledged, or much later.
        let sent = |last_after: u64, at_server: bool| {
            let mut places = SeenPlaces::default();
            let mut see =
                |is_far: bool, by, end: Option<u32>, at: u64| match (is_far == at_server, end) {
                    (true, Some(end)) => places.see(by, end, at * MS),
                    (true, None) => places.acknowledges(by, at * MS),
                    (false, end) => places.see_elsewhere(7, by, end, at * MS),
                };
            for (by, is_near, end, at) in [
                (Speaker::Client, true, Some(10), 100),
                (Speaker::Server, false, Some(1_000), 135),
                (Speaker::Server, false, Some(2_000), 135),
                (Speaker::Client, true, None, 165),
                (Speaker::Server, false, Some(3_000), 195 + last_after),
            ] {
                see(!is_near, by, end, at);
                see(is_near, by, end, at + 30);
            }
            places.transit().unwrap()
        };
        for at_server in [false, true] {
            let transit = sent(0, at_server);
            assert_eq!(
                (transit.to_server_ns, transit.to_client_ns),
                (vec![30 * MS], vec![90 * MS])
            );
            // Who sends the rest later has worked on it.
            assert_eq!(sent(20, at_server).to_client_ns, [30 * MS]);
        }
    }

    #[test]
    fn no_more_than_so_much_is_kept() {
        let mut places = SeenPlaces::default();
        for end in 0..100_000 {
            places.see(Speaker::Client, end, u64::from(end));
            places.see_elsewhere(end % 50, Speaker::Server, Some(end), u64::from(end));
            places.see_elsewhere(end % 50, Speaker::Server, None, u64::from(end));
        }
        assert_eq!(
            places.others[0].1.acknowledged_ns[1].len(),
            MAX_SEGMENTS.min(2_000)
        );
        assert_eq!(places.own.of(Speaker::Client).len(), MAX_SEGMENTS);
        assert_eq!(places.others.len(), MAX_PLACES);
    }
}
