//! What is said of the slowest requests.

use plimsoll_text::Message;

use crate::figures::tenths;

/// Where the slowest requests spent their time in the target, by packets, beside what all requests spend
/// there.
#[derive(Debug, Clone, PartialEq)]
pub struct SlowestRequests {
    /// They are not faster than so many of a hundred.
    pub percentile: u32,
    /// How many they are.
    pub requests: u64,
    /// The fastest of them, ms.
    pub from_ms: f64,
    /// Their mean time in the target, ms.
    pub mean_ms: f64,
    /// The parts, the longest first. They add up to the mean time.
    pub parts: Vec<SlowestPart>,
}

/// A part of the time of the slowest requests.
#[derive(Debug, Clone, PartialEq)]
pub struct SlowestPart {
    /// What happens then.
    pub kind: SlowestKind,
    /// The process that has the requests meanwhile.
    pub process: String,
    /// The host of that process.
    pub host: String,
    /// Who is called; else empty.
    pub peer: String,
    /// So long, ms of each of them on average.
    pub ms: f64,
    /// The same of all requests, by the account; none where that cannot be told.
    pub all_ms: Option<f64>,
}

/// What happens to a slow request meanwhile.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum SlowestKind {
    /// It is in the process and in no call that can be told apart.
    Inside,
    /// The process waits for another whose inside nobody sees.
    WaitingFor,
    /// Calls are under way, and it is not known of which request they are.
    Undecided,
}

impl SlowestKind {
    /// Its name in JSON and text ids.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Inside => "inside",
            Self::WaitingFor => "waiting_for",
            Self::Undecided => "undecided",
        }
    }
}

impl SlowestRequests {
    /// All of it in a sentence.
    #[must_use]
    pub fn message(&self) -> Message {
        Message::new("account-slowest-sum")
            .with("percent", 100_u32.saturating_sub(self.percentile))
            .with("requests", self.requests)
            .with("from", tenths(self.from_ms))
            .with("ms", tenths(self.mean_ms))
    }

    /// The part by which they are longer than all requests most, with how much of that difference it is,
    /// 0 to 1; none where they are hardly longer.
    #[must_use]
    pub fn most_longer(&self) -> Option<(&SlowestPart, f64)> {
        let longer = |part: &SlowestPart| (part.ms - part.all_ms.unwrap_or(part.ms)).max(0.0);
        let undecided = self.parts.iter().filter(|part| part.all_ms.is_none());
        let unknown: f64 = undecided.map(|part| part.ms).sum();
        let sum = self.parts.iter().map(longer).sum::<f64>() + unknown;
        let most = self
            .parts
            .iter()
            .max_by(|a, b| longer(a).total_cmp(&longer(b)))?;
        (longer(most) > 0.0).then(|| (most, longer(most) / sum))
    }
}

impl SlowestPart {
    /// What it is, without its figure.
    #[must_use]
    pub fn name(&self) -> Message {
        let kind = self.kind.name().replace('_', "-");
        Message::new(format!("account-slowest-{kind}"))
            .with("process", self.process.as_str())
            .with("peer", self.peer.as_str())
    }
}
