//! Lookups of names at one server, by what was asked and how it went.

use std::collections::BTreeMap;

use crate::dns::{DnsQuestion, code_name, kind_name};
use crate::report::HopLookup;

/// So many are told, those with the most lookups.
const MAX_LOOKUPS: usize = 20;

/// A question to a name server.
pub(crate) struct SeenLookup {
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
