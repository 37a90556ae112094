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

/// What was asked, of a share of all connections.
pub(crate) fn told(lookups: &[SeenLookup], share: f64) -> Vec<HopLookup> {
    let mut sums: BTreeMap<(&str, u16, Option<u8>), LookupSums> = BTreeMap::new();
    for lookup in lookups {
        let Some(question) = &lookup.question else {
            continue;
        };
        let code = lookup.done.map(|(_, code)| code);
        let sum = sums
            .entry((&question.name, question.kind, code))
            .or_default();
        sum.count += 1;
        sum.took_ns += lookup
            .done
            .map_or(0, |(at_ns, _)| at_ns.saturating_sub(lookup.asked_ns));
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
