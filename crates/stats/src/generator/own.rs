//! What the generator itself added to response times: kept beside what was measured, so that
//! both can be told.

use serde::de::Error as _;
use serde::{Deserialize, Deserializer, Serialize, Serializer};

use crate::{Histogram, Sample};

/// Less than this of a request's response time changes no figure by a tenth: such requests are
/// not looked at one by one. A power of two, since each request is compared with it.
const LEAST_PART: u64 = 64;
/// Nor does less than this, which is under a fifth of [`super::CLOCK_FLOOR_NS`].
const LEAST_NS: u64 = 20_000;

/// What the generator added to the response times of some requests, as it is counted.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct OwnTime {
    /// Time that requests waited to be sent when they could have been, all together.
    pub late_ns: u64,
    /// Time that responses waited to be noticed, all together, as far as it is known.
    pub lag_ns: u64,
    /// Response times, as measured, of the requests to which it added a notable part.
    measured: Histogram,
    /// Response times of the same requests without that part.
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

    /// Adds what is kept of other requests.
    pub fn merge_kept(&mut self, kept: &KeptOwnTime) {
        self.late_ns = self.late_ns.saturating_add(kept.late_ns);
        self.lag_ns = self.lag_ns.saturating_add(kept.lag_ns);
        kept.measured.merge_into(&mut self.measured);
        kept.corrected.merge_into(&mut self.corrected);
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

/// The same as it is kept for each second: a run of hours has thousands of them, and histograms
/// as they are counted would take a hundred times the room.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct KeptOwnTime {
    /// As [`OwnTime::late_ns`].
    pub late_ns: u64,
    /// As [`OwnTime::lag_ns`].
    pub lag_ns: u64,
    #[serde(skip_serializing_if = "PackedHistogram::is_empty")]
    measured: PackedHistogram,
    #[serde(skip_serializing_if = "PackedHistogram::is_empty")]
    corrected: PackedHistogram,
}

impl KeptOwnTime {
    /// Whether the generator added nothing.
    pub fn is_empty(&self) -> bool {
        self.late_ns == 0 && self.lag_ns == 0 && self.measured.is_empty()
    }

    /// Adds what was added to other requests.
    pub fn merge(&mut self, other: &Self) {
        if other.is_empty() {
            return;
        }
        let mut all = OwnTime::default();
        all.merge_kept(self);
        all.merge_kept(other);
        *self = Self::from(&all);
    }
}

impl From<&OwnTime> for KeptOwnTime {
    fn from(own: &OwnTime) -> Self {
        Self {
            late_ns: own.late_ns,
            lag_ns: own.lag_ns,
            measured: PackedHistogram::from(&own.measured),
            corrected: PackedHistogram::from(&own.corrected),
        }
    }
}

/// A histogram as its encoding, which holds one; in JSON as hexadecimal digits.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
struct PackedHistogram(Box<[u8]>);

impl PackedHistogram {
    fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    fn merge_into(&self, histogram: &mut Histogram) {
        // Only counts beyond what a histogram holds are refused: there is room for no more.
        let _ = match self.is_empty() {
            true => Ok(()),
            false => histogram.merge_encoded(&self.0),
        };
    }
}

impl From<&Histogram> for PackedHistogram {
    fn from(histogram: &Histogram) -> Self {
        let mut bytes = Vec::new();
        if !histogram.is_empty() {
            histogram.encode(&mut bytes);
        }
        Self(bytes.into())
    }
}

impl Serialize for PackedHistogram {
    fn serialize<S: Serializer>(&self, to: S) -> Result<S::Ok, S::Error> {
        const DIGITS: &[u8; 16] = b"0123456789abcdef";
        let digits = self.0.iter().flat_map(|byte| [byte >> 4, byte & 15]);
        let digits: String = digits
            .map(|digit| char::from(DIGITS[usize::from(digit)]))
            .collect();
        to.serialize_str(&digits)
    }
}

impl<'de> Deserialize<'de> for PackedHistogram {
    fn deserialize<D: Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
        let digits = String::deserialize(from)?;
        let byte = |pair: &[u8]| {
            let text = std::str::from_utf8(pair).ok()?;
            u8::from_str_radix(text, 16).ok()
        };
        let bytes: Option<Vec<u8>> = digits.as_bytes().chunks(2).map(byte).collect();
        let bytes = bytes.ok_or_else(|| D::Error::custom("not hexadecimal digits"))?;
        let mut histogram = Histogram::new();
        histogram.merge_encoded(&bytes).map_err(D::Error::custom)?;
        Ok(Self::from(&histogram))
    }
}
