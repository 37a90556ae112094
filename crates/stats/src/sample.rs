//! What one request, redirect hop or transaction did.

use serde::{Deserialize, Serialize};

use crate::ErrorKind;
pub use code::Code;

mod code;

/// Index of a label within one run.
#[derive(
    Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize,
)]
#[serde(transparent)]
pub struct LabelId(pub u32);

impl LabelId {
    /// As an index into a vector.
    pub const fn index(self) -> usize {
        self.0 as usize
    }
}

/// What a label's samples are. Only requests count in the total.
#[derive(
    Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize,
)]
#[serde(rename_all = "snake_case")]
pub enum LabelKind {
    /// A request that a user makes.
    #[default]
    Request,
    /// Several steps timed as one.
    Transaction,
    /// Part of a request: a redirect hop or an embedded resource.
    SubRequest,
}

impl LabelKind {
    /// The name in JSON, e.g. `sub_request`.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Request => "request",
            Self::Transaction => "transaction",
            Self::SubRequest => "sub_request",
        }
    }
}

/// The parts of a request's time, in their order.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[repr(u8)]
pub enum Phase {
    /// Resolving the host name.
    Dns,
    /// Making the TCP connection.
    Connect,
    /// The TLS handshake.
    Tls,
    /// From the request's sending to the first byte of the response.
    FirstByte,
    /// From the first byte to the end of the response.
    Receive,
}

impl Phase {
    /// All phases, in their order.
    pub const ALL: [Self; 5] = [
        Self::Dns,
        Self::Connect,
        Self::Tls,
        Self::FirstByte,
        Self::Receive,
    ];

    /// The name in JSON, e.g. `first_byte`.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Dns => "dns",
            Self::Connect => "connect",
            Self::Tls => "tls",
            Self::FirstByte => "first_byte",
            Self::Receive => "receive",
        }
    }
}

/// One node of the sample tree.
///
/// Instants are nanoseconds since the run's start, on a monotonic clock.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Sample<'a> {
    /// Which label it belongs to.
    pub label: LabelId,
    /// Request, transaction or part of a request.
    pub kind: LabelKind,
    /// The label of the transaction or request it is part of.
    pub parent: Option<LabelId>,
    /// Number of the virtual user.
    pub user: u32,
    /// The user's iteration, from 0.
    pub iteration: u64,
    /// Response code.
    pub code: Code,
    /// Reason phrase, or what went wrong.
    pub message: &'a str,
    /// Why it failed; `None` for a success.
    pub error: Option<ErrorKind>,
    /// Bytes written for it.
    pub sent_bytes: u64,
    /// Bytes read for it.
    pub received_bytes: u64,
    /// When it ought to have started, by the plan (instant).
    pub intended_ns: u64,
    /// From when on the generator could have started it (instant): its user had nothing else to
    /// do, such as to wait for the response before. 0: from the intended start on.
    pub ready_ns: u64,
    /// When it did start (instant).
    pub start_ns: u64,
    /// Duration of name resolution; 0 = did not happen.
    pub dns_ns: u64,
    /// Duration of connecting; 0 = did not happen.
    pub connect_ns: u64,
    /// Duration of the TLS handshake; 0 = did not happen.
    pub tls_ns: u64,
    /// When the first byte of the response came (instant); 0 = none came.
    pub first_byte_ns: u64,
    /// When it ended (instant).
    pub end_ns: u64,
    /// How much of its time it lay ready in the kernel, or could have gone on, while the
    /// generator did not look; 0 = not known.
    pub lag_ns: u64,
}

impl Sample<'_> {
    /// Service time: from the actual start to the end.
    #[inline]
    pub fn service_ns(&self) -> u64 {
        self.end_ns.saturating_sub(self.start_ns)
    }

    /// Response time: from the intended start to the end. A start before the
    /// intended one does not shorten it.
    #[inline]
    pub fn response_ns(&self) -> u64 {
        self.end_ns
            .saturating_sub(self.intended_ns.min(self.start_ns))
    }

    /// How late the generator started it: from when it could have to when it did. What its
    /// user waited for the target is not the generator's lateness.
    #[inline]
    pub fn lateness_ns(&self) -> u64 {
        self.start_ns
            .saturating_sub(self.intended_ns.max(self.ready_ns))
    }

    /// Duration of a phase; `None` if it did not happen.
    ///
    /// The time to the first byte counts from the end of DNS, connect and TLS;
    /// it includes writing the request and waiting for a connection.
    #[inline]
    pub fn phase_ns(&self, phase: Phase) -> Option<u64> {
        let happened = |ns: u64| (ns != 0).then_some(ns);
        match phase {
            Phase::Dns => happened(self.dns_ns),
            Phase::Connect => happened(self.connect_ns),
            Phase::Tls => happened(self.tls_ns),
            Phase::FirstByte => happened(self.first_byte_ns).map(|first| {
                [self.start_ns, self.dns_ns, self.connect_ns, self.tls_ns]
                    .into_iter()
                    .fold(first, u64::saturating_sub)
            }),
            Phase::Receive => {
                happened(self.first_byte_ns).map(|first| self.end_ns.saturating_sub(first))
            }
        }
    }
}

#[cfg(test)]
pub(crate) mod tests {
    use super::*;

    /// A request that starts at 1 s on time and takes `service_ns`.
    pub(crate) fn sample(service_ns: u64) -> Sample<'static> {
        Sample {
            label: LabelId(0),
            kind: LabelKind::Request,
            parent: None,
            user: 1,
            iteration: 0,
            code: Code::Http(200),
            message: "OK",
            error: None,
            sent_bytes: 100,
            received_bytes: 1_000,
            intended_ns: 1_000_000_000,
            ready_ns: 0,
            start_ns: 1_000_000_000,
            dns_ns: 0,
            connect_ns: 0,
            tls_ns: 0,
            first_byte_ns: 1_000_000_000 + service_ns / 2,
            end_ns: 1_000_000_000 + service_ns,
            lag_ns: 0,
        }
    }

    #[test]
    fn times_run_from_actual_and_intended_start() {
        let mut late = sample(500);
        late.intended_ns -= 200;
        assert_eq!(
            (late.service_ns(), late.response_ns(), late.lateness_ns()),
            (500, 700, 200)
        );
        // Half of it went on the response before.
        late.ready_ns = late.start_ns - 100;
        assert_eq!((late.response_ns(), late.lateness_ns()), (700, 100));
        let mut early = sample(500);
        early.intended_ns += 100;
        assert_eq!((early.response_ns(), early.lateness_ns()), (500, 0));
    }

    #[test]
    fn phases_add_up_to_the_service_time() {
        let mut s = sample(1_000);
        (s.dns_ns, s.connect_ns, s.tls_ns) = (100, 150, 50);
        let sum: u64 = Phase::ALL.iter().filter_map(|p| s.phase_ns(*p)).sum();
        assert_eq!(sum, s.service_ns());
        s.first_byte_ns = 0;
        assert_eq!(s.phase_ns(Phase::FirstByte), None);
        assert_eq!(s.phase_ns(Phase::Receive), None);
    }
}
