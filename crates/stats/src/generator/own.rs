//! What the generator itself added to response times: kept beside what was measured, so that
//! both can be told.

use serde::{Deserialize, Serialize};

use crate::{Histogram, Sample};

/// Less than this of a request's response time changes no figure by a tenth: such requests are
/// not looked at one by one. A power of two, since each request is compared with it.
const LEAST_PART: u64 = 64;
/// Nor does less than this, which is under a fifth of [`super::CLOCK_FLOOR_NS`].
const LEAST_NS: u64 = 20_000;

/// What the generator added to the response times of some requests.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct OwnTime {
    /// Time that requests waited to be sent when they could have been, all together.
    pub late_ns: u64,
    /// Time that responses waited to be noticed, all together, as far as it is known.
    pub lag_ns: u64,
    /// Response times, as measured, of the requests to which it added a notable part.
    #[serde(with = "hex", skip_serializing_if = "Histogram::is_empty")]
    measured: Histogram,
    /// Response times of the same requests without that part.
    #[serde(with = "hex", skip_serializing_if = "Histogram::is_empty")]
    corrected: Histogram,
}

impl OwnTime {
    /// Takes in a request that had a response.
    #[inline]
    pub fn add(&mut self, sample: &Sample<'_>) {
        let (late_ns, lag_ns) = (sample.lateness_ns(), sample.lag_ns);
        let own_ns = late_ns.saturating_add(lag_ns);
        if own_ns == 0 {
            return;
        }
        self.late_ns = self.late_ns.saturating_add(late_ns);
        self.lag_ns = self.lag_ns.saturating_add(lag_ns);
        let response_ns = sample.response_ns();
        if own_ns >= LEAST_NS && own_ns >= response_ns / LEAST_PART {
            self.measured.record(response_ns);
            self.corrected.record(response_ns.saturating_sub(own_ns));
        }
    }

    /// Adds what was added to other requests.
    pub fn merge(&mut self, other: &Self) {
        self.late_ns = self.late_ns.saturating_add(other.late_ns);
        self.lag_ns = self.lag_ns.saturating_add(other.lag_ns);
        self.measured.merge(&other.measured);
        self.corrected.merge(&other.corrected);
    }

    /// Whether it added nothing.
    pub fn is_empty(&self) -> bool {
        self.late_ns == 0 && self.lag_ns == 0 && self.measured.is_empty()
    }

    /// All of it, ns.
    pub fn total_ns(&self) -> u64 {
        self.late_ns.saturating_add(self.lag_ns)
    }

    /// What `measured`, which these requests are part of, would be without it.
    #[must_use]
    pub fn taken_from(&self, measured: &Histogram) -> Histogram {
        let mut corrected = measured.without(&self.measured);
        corrected.merge(&self.corrected);
        corrected
    }
}

/// A histogram's encoding as hexadecimal digits.
mod hex {
    use serde::{Deserialize, Deserializer, Serializer, de::Error};

    use crate::Histogram;

    pub fn serialize<S: Serializer>(histogram: &Histogram, to: S) -> Result<S::Ok, S::Error> {
        let mut bytes = Vec::new();
        histogram.encode(&mut bytes);
        let digits: String = bytes.iter().map(|byte| format!("{byte:02x}")).collect();
        to.serialize_str(&digits)
    }

    pub fn deserialize<'de, D: Deserializer<'de>>(from: D) -> Result<Histogram, D::Error> {
        let digits = String::deserialize(from)?;
        let byte = |pair: &[u8]| {
            let text = std::str::from_utf8(pair).ok()?;
            u8::from_str_radix(text, 16).ok()
        };
        let bytes: Option<Vec<u8>> = digits.as_bytes().chunks(2).map(byte).collect();
        let bytes = bytes.ok_or_else(|| D::Error::custom("not hexadecimal digits"))?;
        let mut histogram = Histogram::new();
        histogram.merge_encoded(&bytes).map_err(D::Error::custom)?;
        Ok(histogram)
    }
}
