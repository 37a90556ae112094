//! Lookups of names at one server, by what was asked and how it went.

use std::collections::{BTreeMap, HashMap};

use crate::dns::{DnsQuestion, code_name, kind_name};
use crate::report::HopLookup;

/// So many are told, those with the most lookups.
const MAX_LOOKUPS: usize = 20;
/// A query that is seen twice on its way is so within that.
const AT_ONCE_NS: u64 = 10_000_000;

/// A question to a name server.
pub(crate) struct SeenLookup {
    pub(crate) id: u16,
    pub(crate) question: Option<DnsQuestion>,
    pub(crate) asked_ns: u64,
    /// When the response came, and how it went.
    pub(crate) done: Option<(u64, u8)>,
}

/// Sums of one name, type and outcome.
#[derive(Default)]
struct LookupSums {
    count: u64,
    took_ns: u64,
}

impl SeenLookup {
    /// What it had waited when the response came, or when nobody looked any more.
    fn waited_ns(&self, until_ns: u64) -> u64 {
        let until_ns = self.done.map_or(until_ns, |(at_ns, _)| at_ns);
        until_ns.saturating_sub(self.asked_ns)
    }
}

/// Whether all of these queries are among others, at the same moments.
pub(crate) fn are_among(these: &[SeenLookup], others: &[SeenLookup]) -> bool {
    let mut asked: HashMap<(u16, Option<&DnsQuestion>), Vec<u64>> = HashMap::new();
    for one in others {
        let key = (one.id, one.question.as_ref());
        asked.entry(key).or_default().push(one.asked_ns);
    }
    let is_among = |one: &SeenLookup| {
        let at_once = |at_ns: &u64| at_ns.abs_diff(one.asked_ns) <= AT_ONCE_NS;
        let same = asked.get(&(one.id, one.question.as_ref()));
        same.is_some_and(|all| all.iter().any(at_once))
    };
    !these.is_empty() && these.iter().all(is_among)
}

/// What was asked until then, of a share of all connections. Who has waited no longer than others did for their
/// response may still get one, and is not told.
pub(crate) fn told(lookups: &[SeenLookup], share: f64, until_ns: u64) -> Vec<HopLookup> {
    let responded = lookups.iter().filter(|one| one.done.is_some());
    let longest_ns = responded.map(|one| one.waited_ns(until_ns)).max();
    let is_over = |one: &&SeenLookup| {
        one.done.is_some() || longest_ns.is_none_or(|most_ns| one.waited_ns(until_ns) > most_ns)
    };
    let mut sums: BTreeMap<(&str, u16, Option<u8>), LookupSums> = BTreeMap::new();
    for lookup in lookups.iter().filter(is_over) {
        let Some(question) = &lookup.question else {
            continue;
        };
        let code = lookup.done.map(|(_, code)| code);
        let sum = sums
            .entry((&question.name, question.kind, code))
            .or_default();
        sum.count += 1;
        sum.took_ns += lookup.waited_ns(until_ns);
    }
    let mut told: Vec<HopLookup> = sums
        .into_iter()
        .map(|((name, kind, code), sum)| HopLookup {
            name: name.to_owned(),
            record: kind_name(kind),
            outcome: code.map(code_name),
            count: (sum.count as f64 / share).round() as u64,
            mean_ms: code.map(|_| sum.took_ns as f64 / sum.count as f64 / 1e6),
        })
        .collect();
    told.sort_by_key(|one| std::cmp::Reverse(one.count));
    told.truncate(MAX_LOOKUPS);
    told
}
