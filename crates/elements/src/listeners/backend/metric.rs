//! The numbers that backend listeners send: counts of an interval and response times in a
//! sliding window, as JMeter 5.6.3 takes them (`SamplerMetric`, `UserMetric`, `ErrorMetric`).

use std::collections::{BTreeMap, VecDeque};
use std::sync::atomic::Ordering;

use plimsoll_text::Message;

use crate::context::Properties;
use crate::result::SampleResult;

pub(super) use crate::functions::numbers::java_double;

use super::super::{ThreadCounts, is_of_transaction};

/// The size and kind of the windows.
#[derive(Debug, Clone, Copy)]
pub(super) struct Windows {
    /// Values in the window of percentiles over all samples, and of users.
    small: usize,
    /// Values in the other windows.
    large: usize,
    /// The other windows begin anew with each interval.
    timed: bool,
}

impl Windows {
    /// As the properties `backend_metrics_*` say.
    ///
    /// # Errors
    /// When the mode is neither `fixed` nor `timed`.
    pub(super) fn of(properties: &Properties) -> Result<Self, Message> {
        let number = |name: &str, default: usize| {
            let text = properties.get(name);
            text.and_then(|text| text.trim().parse().ok())
                .unwrap_or(default)
        };
        let small = number("backend_metrics_window", 100);
        let large = number("backend_metrics_large_window", 5000);
        let mode = properties.get("backend_metrics_window_mode");
        let mode = mode.unwrap_or_else(|| "fixed".to_owned());
        let timed = match mode.trim().to_ascii_lowercase().as_str() {
            "fixed" => false,
            "timed" => true,
            _ => return Err(Message::new("jmeter-backend-window").with("found", mode)),
        };
        Ok(Self {
            small,
            large: if timed { large } else { small },
            timed,
        })
    }
}

/// The last values of a kind.
#[derive(Debug)]
pub(super) struct LastValues {
    values: VecDeque<f64>,
    most: usize,
}

impl LastValues {
    fn new(most: usize) -> Self {
        Self {
            values: VecDeque::new(),
            most: most.max(1),
        }
    }

    fn add(&mut self, value: f64) {
        if self.values.len() == self.most {
            self.values.pop_front();
        }
        self.values.push_back(value);
    }

    /// The least value; NaN without values.
    pub(super) fn least(&self) -> f64 {
        self.values.iter().copied().fold(f64::NAN, f64::min)
    }

    /// The greatest value; NaN without values.
    pub(super) fn most(&self) -> f64 {
        self.values.iter().copied().fold(f64::NAN, f64::max)
    }

    /// The mean; NaN without values.
    #[expect(clippy::cast_precision_loss)] // Windows are far smaller than 2^53.
    pub(super) fn mean(&self) -> f64 {
        self.values.iter().sum::<f64>() / self.values.len() as f64
    }

    /// A percentile by linear interpolation at p(n+1)/100 (Apache Commons Math's `LEGACY`
    /// estimation, which JMeter uses); NaN without values.
    #[expect(
        clippy::cast_precision_loss,
        clippy::cast_possible_truncation,
        clippy::cast_sign_loss
    )] // Positions lie between 1 and the number of values.
    pub(super) fn percentile(&self, percent: f64) -> f64 {
        let mut sorted: Vec<f64> = self.values.iter().copied().collect();
        sorted.sort_by(f64::total_cmp);
        let (Some(first), Some(last)) = (sorted.first(), sorted.last()) else {
            return f64::NAN;
        };
        let at = percent * (sorted.len() as f64 + 1.0) / 100.0;
        if at < 1.0 {
            return *first;
        }
        if at >= sorted.len() as f64 {
            return *last;
        }
        let below = at.floor();
        let lower = sorted[below as usize - 1];
        let upper = sorted[below as usize];
        lower + (at - below) * (upper - lower)
    }
}

/// What is known of one label, or of all samples.
#[derive(Debug)]
pub(super) struct LabelMetric {
    pub ok: LastValues,
    pub ko: LastValues,
    pub all: LastValues,
    percentiles: LastValues,
    pub successes: u64,
    pub failures: u64,
    pub hits: u64,
    /// By response code and message.
    pub errors: BTreeMap<(String, String), u64>,
    pub sent_bytes: u64,
    pub received_bytes: u64,
    is_timed: bool,
}

impl LabelMetric {
    pub(super) fn new(windows: Windows) -> Self {
        Self {
            ok: LastValues::new(windows.large),
            ko: LastValues::new(windows.large),
            all: LastValues::new(windows.large),
            percentiles: LastValues::new(windows.small),
            successes: 0,
            failures: 0,
            hits: 0,
            errors: BTreeMap::new(),
            sent_bytes: 0,
            received_bytes: 0,
            is_timed: windows.timed,
        }
    }

    /// Adds a sample. In the sum over all labels a transaction whose samples were told of
    /// themselves has neither hits nor bytes.
    #[expect(clippy::cast_precision_loss)] // Milliseconds below 2^53.
    pub(super) fn add(&mut self, result: &SampleResult, in_sum: bool) {
        let errors = u64::from(result.error_count());
        let ms = result.elapsed_ms as f64;
        if result.success {
            self.successes += u64::from(result.samples).saturating_sub(errors);
            self.ok.add(ms);
        } else {
            self.failures += errors;
            *self.errors.entry(error_of(result)).or_default() += errors;
            self.ko.add(ms);
        }
        self.all.add(ms);
        self.percentiles.add(ms);
        self.add_hits(result, in_sum);
        if !(in_sum && is_of_transaction(result) && result.parts.is_empty()) {
            self.sent_bytes += result.sent_bytes;
            self.received_bytes += result.received_bytes;
        }
    }

    fn add_hits(&mut self, result: &SampleResult, in_sum: bool) {
        let is_transaction = is_of_transaction(result);
        if in_sum && is_transaction && result.parts.is_empty() {
            return;
        }
        if !is_transaction || result.parts.is_empty() {
            self.hits += u64::from(result.samples);
        }
        for part in &result.parts {
            self.add_hits(part, in_sum);
        }
    }

    pub(super) fn total(&self) -> u64 {
        self.successes + self.failures
    }

    /// A percentile over all samples: of the small window, whatever the mode.
    pub(super) fn all_percentile(&self, percent: f64) -> f64 {
        self.percentiles.percentile(percent)
    }

    /// An interval has ended.
    pub(super) fn reset(&mut self) {
        if self.is_timed {
            for window in [&mut self.ok, &mut self.ko, &mut self.all] {
                window.values.clear();
            }
        }
        self.errors.clear();
        self.successes = 0;
        self.failures = 0;
        self.hits = 0;
        self.sent_bytes = 0;
        self.received_bytes = 0;
    }
}

/// Code and message of a failure: the first assertion's, whatever the response code is (5.6.3
/// looks at a code of its own there, which is always empty).
fn error_of(result: &SampleResult) -> (String, String) {
    let or = |text: &str, other: &str| match text.trim() {
        "" => other.to_owned(),
        text => text.to_owned(),
    };
    match result.first_assertion_message() {
        Some(message) if !message.is_empty() => {
            ("Assertion failed".to_owned(), or(message, "None"))
        }
        _ => (or(&result.code, "0"), or(&result.message, "None")),
    }
}

/// How many users there were when samples ended.
#[derive(Debug)]
pub(super) struct Users(LastValues);

impl Users {
    pub(super) fn new(windows: Windows) -> Self {
        Self(LastValues::new(windows.small))
    }

    pub(super) fn add(&mut self, threads: &ThreadCounts) {
        self.0
            .add(f64::from(threads.active.load(Ordering::Relaxed)));
    }

    /// Least, greatest and mean, cut to whole numbers as Java casts them.
    #[expect(clippy::cast_possible_truncation)] // Cast saturates; NaN becomes 0, as in Java.
    pub(super) fn counts(&self) -> [i64; 3] {
        [
            self.0.least() as i64,
            self.0.most() as i64,
            self.0.mean() as i64,
        ]
    }
}

/// The percentiles that a listener is asked for: a label without needless digits, its value
/// as a float's text, and the value. Texts that are no number are left out.
pub(super) fn percentiles(text: &str) -> Vec<(String, String, f64)> {
    let texts = text.split(';').map(str::trim);
    let numbers = texts.filter_map(|text| text.parse::<f32>().ok());
    numbers
        .map(|number| {
            let label = format!("{number:.2}");
            let label = label.trim_end_matches('0').trim_end_matches('.');
            (label.to_owned(), format!("{number:?}"), f64::from(number))
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    #[allow(clippy::float_cmp)]
    fn percentiles_interpolate_as_commons_math() {
        let mut window = LastValues::new(100);
        for value in [10.0, 20.0, 30.0, 40.0] {
            window.add(value);
        }
        assert_eq!(window.percentile(50.0), 25.0);
        assert_eq!(window.percentile(90.0), 40.0);
        assert_eq!(window.percentile(10.0), 10.0);
        assert_eq!(window.percentile(30.0), 15.0);
        assert!(LastValues::new(3).percentile(50.0).is_nan());
    }

    #[test]
    #[allow(clippy::float_cmp)]
    fn windows_slide() {
        let mut window = LastValues::new(2);
        for value in [1.0, 2.0, 6.0] {
            window.add(value);
        }
        assert_eq!(
            (window.least(), window.most(), window.mean()),
            (2.0, 6.0, 4.0)
        );
    }

    #[test]
    fn numbers_are_written_as_in_java() {
        let texts = [12.0, 0.5, 12_345_678.0, 0.0001, 0.0].map(java_double);
        assert_eq!(texts, ["12.0", "0.5", "1.2345678E7", "1.0E-4", "0.0"]);
        let asked = percentiles("99;99.9; x;;95.25");
        let labels: Vec<_> = asked
            .iter()
            .map(|(label, text, _)| (&**label, &**text))
            .collect();
        assert_eq!(
            labels,
            [("99", "99.0"), ("99.9", "99.9"), ("95.25", "95.25")]
        );
    }
}
