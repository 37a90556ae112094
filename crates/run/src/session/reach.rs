//! Whether the target can be reached at all.

use plimsoll_load::engine::Second;
use plimsoll_stats::{ErrorKind, LabelInterval};

use super::Session;

impl Session {
    /// Whether nothing but failures to connect was seen in this first second of samples.
    pub(super) fn cannot_connect(&self, second: &Second<'_>) -> bool {
        let mut samples = 0;
        for (_, interval) in second.labels.iter() {
            samples += interval.samples();
            if !only_failed_to_connect(interval) {
                return false;
            }
        }
        samples > 0 && self.hearers.sums.sum.total().samples() == samples
    }

    /// Whether nothing but failures to connect was seen in the whole run.
    pub(super) fn never_connected(&self) -> bool {
        let total = self.hearers.sums.sum.total();
        total.samples() > 0 && only_failed_to_connect(&total)
    }
}

/// Whether nothing else happened than failures to connect. Whoever sent a byte was reached.
fn only_failed_to_connect(interval: &LabelInterval) -> bool {
    let kinds = interval.errors_by_kind.iter();
    let connecting = kinds.filter(|(kind, _)| no_connection(*kind));
    interval.received_bytes == 0
        && connecting.map(|(_, count)| count).sum::<u64>() == interval.samples()
}

/// Kinds of failures before any connection was there.
#[must_use]
pub fn no_connection(kind: ErrorKind) -> bool {
    matches!(
        kind,
        ErrorKind::ConnectionRefused
            | ErrorKind::ConnectTimeout
            | ErrorKind::UnknownHost
            | ErrorKind::Network
            | ErrorKind::TlsHandshake
            | ErrorKind::TlsCertificate
            | ErrorKind::Proxy
    )
}
