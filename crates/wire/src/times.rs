//! Times as a report tells them.

use crate::protocol::SeenTls;
use crate::report::{HopTls, HopTransit, ResponseTimes};
use crate::transit::Transit;

/// How long what was said was on its way, if both sides were seen.
pub(crate) fn transit(seen: Transit) -> Option<HopTransit> {
    (!seen.is_none()).then(|| HopTransit {
        to_server_ms: times(seen.to_server_ns),
        to_client_ms: times(seen.to_client_ns),
    })
}

/// What was seen of handshakes.
pub(crate) fn tls(seen: &[SeenTls], share: f64) -> Option<HopTls> {
    let of_all = |count: usize| (count as f64 / share).round() as u64;
    let took_ns = |one: &SeenTls| Some(one.secured_ns?.saturating_sub(one.began_ns));
    (!seen.is_empty()).then(|| HopTls {
        handshakes: of_all(seen.len()),
        resumed: of_all(seen.iter().filter(|one| one.resumed).count()),
        handshake_ms: times(seen.iter().filter_map(took_ns).collect()),
    })
}

/// Percentiles of times in nanoseconds, by nearest rank; none of none.
pub(crate) fn times(mut all_ns: Vec<u64>) -> Option<ResponseTimes> {
    all_ns.sort_unstable();
    let max = *all_ns.last()?;
    let ms = |ns: u64| ns as f64 / 1e6;
    let at = |percent: usize| {
        let rank = (all_ns.len() * percent).div_ceil(100).max(1);
        ms(all_ns.get(rank - 1).copied().unwrap_or(max))
    };
    let sum: u128 = all_ns.iter().map(|ns| u128::from(*ns)).sum();
    Some(ResponseTimes {
        mean: sum as f64 / all_ns.len() as f64 / 1e6,
        p50: at(50),
        p90: at(90),
        p99: at(99),
        max: ms(max),
    })
}
