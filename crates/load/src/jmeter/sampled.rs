//! What a sampler brought back, with the engine's own times.

use plimsoll_elements::SampleResult;
use plimsoll_stats::ErrorKind;

use crate::clock::Nanos;
use crate::failed::FailedResponse;

/// A result and its times.
#[derive(Debug, Default)]
pub struct Sampled {
    /// What listeners, assertions and post-processors see.
    pub result: SampleResult,
    /// What is recorded.
    pub times: Times,
    /// What a sample of its failure shows, when one is wanted.
    pub failed: Option<FailedExchange>,
}

impl Sampled {
    /// A result and its times.
    #[must_use]
    pub fn new(result: SampleResult, times: Times) -> Self {
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
pub struct Times {
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
    pub parts: Vec<Times>,
}
