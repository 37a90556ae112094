//! Made-up samples for tests.

use plimsoll_stats::{Code, LabelId, LabelKind, Sample};

/// A sample of a label that took so long.
pub fn sample(label: u32, service_ns: u64) -> Sample<'static> {
    Sample {
        label: LabelId(label),
        kind: LabelKind::Request,
        parent: None,
        user: 0,
        iteration: 0,
        code: Code::Http(200),
        message: "",
        error: None,
        sent_bytes: 10,
        received_bytes: 100,
        intended_ns: 0,
        ready_ns: 0,
        start_ns: 0,
        dns_ns: 0,
        connect_ns: 0,
        tls_ns: 0,
        first_byte_ns: 0,
        end_ns: service_ns,
        lag_ns: 0,
    }
}
