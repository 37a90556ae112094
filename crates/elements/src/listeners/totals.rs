//! What summarisers add up, and how they write it.

use std::sync::Mutex;

use crate::result::SampleResult;

use super::register::ListenerRegister;

/// What summarisers of the same name add up together.
pub(super) type Summaries = ListenerRegister<String, Mutex<ListenerTotals>>;

/// What one of them has added up.
#[derive(Debug)]
pub(super) struct ListenerTotals {
    pub(super) last_s: u64,
    pub(super) delta: RunningTotals,
    pub(super) total: RunningTotals,
}

/// Counts and times of samples.
#[derive(Debug, Clone)]
pub(super) struct RunningTotals {
    pub(super) count: u64,
    errors: u64,
    sum_ms: u64,
    least_ms: Option<u64>,
    most_ms: u64,
    start_unix_ms: u64,
    pub(super) end_unix_ms: u64,
}

impl ListenerTotals {
    pub(super) fn new(now_ms: u64) -> Self {
        Self {
            last_s: 0,
            delta: RunningTotals::new(now_ms),
            total: RunningTotals::new(now_ms),
        }
    }

    /// What came since the last line becomes part of the whole run.
    pub(super) fn move_delta(&mut self, now_ms: u64) {
        self.total.add_all(&self.delta, now_ms);
        self.delta = RunningTotals::new(now_ms);
    }
}

impl RunningTotals {
    fn new(now_ms: u64) -> Self {
        Self {
            count: 0,
            errors: 0,
            sum_ms: 0,
            least_ms: None,
            most_ms: 0,
            start_unix_ms: now_ms,
            end_unix_ms: now_ms,
        }
    }

    pub(super) fn add(&mut self, result: &SampleResult, now_ms: u64) {
        let ms = result.elapsed_ms;
        self.count += u64::from(result.samples);
        self.errors += u64::from(result.error_count());
        self.sum_ms += ms;
        self.least_ms = Some(self.least_ms.map_or(ms, |least| least.min(ms)));
        self.most_ms = self.most_ms.max(ms);
        self.end_unix_ms = now_ms;
    }

    fn add_all(&mut self, other: &Self, now_ms: u64) {
        self.count += other.count;
        self.errors += other.errors;
        self.sum_ms += other.sum_ms;
        self.least_ms = [self.least_ms, other.least_ms].into_iter().flatten().min();
        self.most_ms = self.most_ms.max(other.most_ms);
        self.end_unix_ms = now_ms;
    }

    /// The line's part that depends on the numbers alone.
    #[expect(clippy::cast_precision_loss)] // Counts and times below 2^53.
    pub(super) fn line(&self, name: &str, kind: char) -> String {
        let elapsed_ms = match self.count {
            0 => 0,
            _ => self.end_unix_ms.saturating_sub(self.start_unix_ms),
        };
        let seconds = (elapsed_ms + 500) / 1000;
        let rate = match elapsed_ms {
            0 => "******".to_owned(),
            _ => format!("{:6.1}", self.count as f64 / elapsed_ms as f64 * 1000.0),
        };
        let average_ms = self.sum_ms.checked_div(self.count).unwrap_or(0);
        let percent = match self.count {
            0 => 0.0,
            _ => self.errors as f64 / self.count as f64 * 100.0,
        };
        // Without samples JMeter shows the numbers its extremes begin with.
        let (least_ms, most_ms) = match self.least_ms {
            Some(least) => (least.to_string(), self.most_ms.to_string()),
            None => (i64::MAX.to_string(), i64::MIN.to_string()),
        };
        format!(
            "{name} {kind} {:6} in {:02}:{:02}:{:02} = {rate}/s Avg: {average_ms:5} \
             Min: {least_ms:>5} Max: {most_ms:>5} Err: {:5} ({percent:.2}%)",
            self.count,
            seconds / 3600,
            seconds / 60 % 60,
            seconds % 60,
            self.errors,
        )
    }
}
