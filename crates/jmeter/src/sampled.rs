//! What a sampler brought back, with the engine's own times.

use std::borrow::Cow;
use std::iter::repeat;

use plimsoll_elements::SampleResult;
use plimsoll_stats::ErrorKind;

use plimsoll_load::clock::{Clock, Nanos};
use plimsoll_load::kit::failed::FailedResponse;

/// Nanoseconds of a millisecond.
const MS: u64 = 1_000_000;

/// A result and its times.
#[derive(Debug, Default)]
pub struct Sampled {
    /// What listeners, assertions and post-processors see.
    pub result: SampleResult,
    /// What is recorded.
    pub times: SampleTimes,
    /// What a sample of its failure shows, when one is wanted.
    pub failed: Option<FailedExchange>,
}

impl Sampled {
    /// The same by this label.
    #[must_use]
    pub fn labelled(mut self, label: &str) -> Self {
        label.clone_into(&mut self.result.label);
        self
    }

    /// A result and its times.
    #[must_use]
    pub fn new(result: SampleResult, times: SampleTimes) -> Self {
        Self {
            result,
            times,
            failed: None,
        }
    }
}

/// A request whose response failed by its status, and the response.
#[derive(Debug)]
pub struct FailedExchange {
    /// The request as sent.
    pub request: Vec<u8>,
    /// The response.
    pub response: Box<FailedResponse>,
}

/// The times of a result on the run's clock, beside the milliseconds that JMeter knows.
#[derive(Debug, Clone, Default)]
pub struct SampleTimes {
    /// When it began.
    pub start_ns: Nanos,
    /// Duration of name resolution; 0: none.
    pub dns_ns: u64,
    /// Duration of connecting; 0: none.
    pub connect_ns: u64,
    /// Duration of the TLS handshake; 0: none.
    pub tls_ns: u64,
    /// First byte of the response; 0: none came.
    pub first_byte_ns: Nanos,
    /// When it ended.
    pub end_ns: Nanos,
    /// How long its last bytes lay in the kernel before they were noticed, if that is known.
    pub lag_ns: Option<u64>,
    /// Why it failed, as far as the sampler knows; what its assertions find is added later.
    pub error: Option<ErrorKind>,
    /// The times of its parts, in their order. Parts without times are recorded by their
    /// milliseconds.
    pub parts: Vec<SampleTimes>,
}

impl SampleTimes {
    /// The times of a result that has only milliseconds.
    pub(super) fn of(result: &SampleResult, clock: Clock) -> Self {
        let zero_ns = clock.unix_ns(0);
        let at = |unix_ms: u64| (unix_ms * MS).saturating_sub(zero_ns);
        let start_ns = at(result.start_unix_ms);
        let first_byte_ns = match result.latency_ms {
            0 => 0,
            latency_ms => start_ns + latency_ms * MS,
        };
        Self {
            start_ns,
            connect_ns: result.connect_ms * MS,
            first_byte_ns,
            end_ns: start_ns + result.elapsed_ms * MS,
            ..Self::default()
        }
    }

    /// Puts the milliseconds that JMeter knows beside these times. Like JMeter's they are readings
    /// of a clock of milliseconds, and their differences.
    pub(super) fn stamp(&self, result: &mut SampleResult, clock: Clock) {
        let unix_ms = |at_ns: Nanos| clock.unix_ns(at_ns) / MS;
        if self.end_ns > 0 {
            result.start_unix_ms = unix_ms(self.start_ns);
            result.end_unix_ms = unix_ms(self.end_ns);
            let whole = result.end_unix_ms.saturating_sub(result.start_unix_ms);
            result.elapsed_ms = whole.saturating_sub(result.idle_ms);
            if self.first_byte_ns > 0 {
                result.latency_ms =
                    unix_ms(self.first_byte_ns).saturating_sub(result.start_unix_ms);
            }
            let connect_ns = self.dns_ns + self.connect_ns + self.tls_ns;
            if connect_ns > 0 {
                let connected = unix_ms(self.start_ns + connect_ns);
                result.connect_ms = connected.saturating_sub(result.start_unix_ms);
            }
        }
        for (part, times) in result.parts.iter_mut().zip(&self.parts) {
            times.stamp(part, clock);
        }
    }

    /// The parts of a result with their times: its own, or those by their milliseconds.
    pub(super) fn with_parts<'t>(
        &'t self,
        result: &'t SampleResult,
        clock: Clock,
    ) -> impl Iterator<Item = (&'t SampleResult, Cow<'t, Self>)> {
        let own = self.parts.iter().map(Some).chain(repeat(None));
        let parts = result.parts.iter().zip(own);
        parts.map(move |(part, own)| {
            let times = own.map_or_else(|| Cow::Owned(Self::of(part, clock)), Cow::Borrowed);
            (part, times)
        })
    }
}
