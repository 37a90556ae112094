//! `kg.apc.jmeter.reporters.AutoStop` (jpgc-autostop 0.3): ends the test when the means of a second, or a percentile,
//! have been beyond a limit for so many seconds.

use std::sync::{Arc, Mutex, PoisonError};

use plimsoll_plan::model::Action;
use plimsoll_text::Message;

use super::{ConsoleOutput, Listener, ListenerClock, Namer, SampleEvent, Surroundings};
use crate::context::{Context, Fault};
use crate::evaluated::Evaluated;
use crate::result::SampleResult;

/// The mean of what came in a second.
#[derive(Debug, Default, Clone, Copy)]
struct MeanOfSecond {
    mean: f64,
    count: f64,
}

impl MeanOfSecond {
    fn add(&mut self, value: f64) {
        self.mean = (self.mean * self.count + value) / (self.count + 1.0);
        self.count += 1.0;
    }
}

/// A limit of one quantity.
#[derive(Debug)]
struct StopLimit {
    /// What the line says of it, before and behind the limit.
    said: &'static str,
    written: String,
    written_s: String,
    most: f64,
    for_s: u64,
    /// The last second in which it was kept.
    kept_s: u64,
}

impl StopLimit {
    fn of(element: &Evaluated, (limit, time): (&str, &str), said: &'static str) -> Self {
        let (written, written_s) = (element.text(limit), element.text(time));
        let for_s = written_s.trim().parse().unwrap_or(1);
        Self {
            said,
            most: written.trim().parse().unwrap_or(0.0),
            for_s: std::cmp::max(for_s, 1),
            written: written.to_owned(),
            written_s: written_s.to_owned(),
            kept_s: 0,
        }
    }

    /// What to say when it was passed for long enough; looked at once a second.
    fn look(&mut self, value: f64, now_s: u64) -> Option<String> {
        if self.most <= 0.0 {
            return None;
        }
        if value <= self.most {
            self.kept_s = now_s;
            return None;
        }
        (now_s - self.kept_s.min(now_s) >= self.for_s).then(|| {
            format!(
                "AutoStop - {} more than {} for {}s. Auto-shutdown test...",
                self.said, self.written, self.written_s
            )
        })
    }
}

/// What samples of a second tell, and the limits.
#[derive(Debug)]
struct AutoStopState {
    now_s: u64,
    elapsed: MeanOfSecond,
    latency: MeanOfSecond,
    errors: MeanOfSecond,
    /// Elapsed times of the first sample of each second, sorted, from which the plugin takes its percentile.
    firsts_ms: Vec<u64>,
    percentile_ms: u64,
    /// The share of the percentile, 0 to 1.
    share: f64,
    limits: [StopLimit; 4],
}

struct AutoStop {
    state: Mutex<AutoStopState>,
    clock: ListenerClock,
    output: ConsoleOutput,
}

struct AutoStopListener(Arc<AutoStop>);

/// Makes one from its element.
///
/// # Errors
/// None.
pub fn make(
    element: &Evaluated,
    surroundings: &Surroundings,
) -> Result<Option<Box<dyn Listener>>, Message> {
    let limit = |names, said| StopLimit::of(element, names, said);
    let share = element.text("percentile_value").trim().parse::<f64>();
    let share = share.map_or(0.0, |percent| percent / 100.0);
    let of_errors = limit(("error_rate", "error_rate_length"), "Error rate");
    let of_errors = StopLimit {
        // Written in percent, held against a share.
        most: of_errors.most / 100.0,
        ..of_errors
    };
    let limits = [
        limit(
            ("avg_response_time", "avg_response_time_length"),
            "Average Response Time is",
        ),
        limit(
            ("avg_response_latency", "avg_response_latency_length"),
            "Average Latency Time is",
        ),
        of_errors,
        limit(
            ("percentile_response_time", "percentile_response_time_secs"),
            "Percentile Response",
        ),
    ];
    let state = AutoStopState {
        now_s: 0,
        elapsed: MeanOfSecond::default(),
        latency: MeanOfSecond::default(),
        errors: MeanOfSecond::default(),
        firsts_ms: Vec::new(),
        percentile_ms: 0,
        share: if share > 0.0 { share } else { 1.0 },
        limits,
    };
    Ok(Some(Box::new(AutoStopListener(Arc::new(AutoStop {
        state: Mutex::new(state),
        clock: surroundings.clock.clone(),
        output: surroundings.output.clone(),
    })))))
}

impl AutoStopState {
    /// A sample has ended; gives why the test is to end, if it is.
    fn sample(&mut self, result: &SampleResult, now_s: u64) -> Vec<String> {
        let mut why = Vec::new();
        if now_s != self.now_s {
            #[expect(clippy::cast_precision_loss)] // Milliseconds.
            let values = [
                self.elapsed.mean,
                self.latency.mean,
                self.errors.mean,
                self.percentile_ms as f64,
            ];
            let limits = self.limits.iter_mut().zip(values);
            why.extend(limits.filter_map(|(limit, value)| limit.look(value, now_s)));
            self.now_s = now_s;
            if self.limits[3].most > 0.0 {
                let at = self
                    .firsts_ms
                    .partition_point(|ms| *ms <= result.elapsed_ms);
                self.firsts_ms.insert(at, result.elapsed_ms);
                self.percentile_ms = self.percentile();
            }
            self.elapsed = MeanOfSecond::default();
            self.latency = MeanOfSecond::default();
            self.errors = MeanOfSecond::default();
        }
        #[expect(clippy::cast_precision_loss)] // Milliseconds.
        let (elapsed_ms, latency_ms) = (result.elapsed_ms as f64, result.latency_ms as f64);
        self.elapsed.add(elapsed_ms);
        self.latency.add(latency_ms);
        self.errors.add(if result.success { 0.0 } else { 1.0 });
        why
    }

    /// JMeter 5.6.3, `StatCalculator.getPercentPoint`.
    #[expect(
        clippy::cast_precision_loss,
        clippy::cast_possible_truncation,
        clippy::cast_sign_loss
    )]
    fn percentile(&self) -> u64 {
        if self.share >= 1.0 {
            return self.firsts_ms.last().copied().unwrap_or(0);
        }
        let rank = (self.firsts_ms.len() as f64 * self.share).round() as usize;
        let at = rank.saturating_sub(1);
        self.firsts_ms.get(at).copied().unwrap_or(0)
    }
}

impl Namer for AutoStop {
    fn name(&self, cx: &mut dyn Context, sample: &mut SampleResult) -> Result<(), Fault> {
        let now_s = self.clock.unix_ms() / 1000;
        let why = {
            let mut state = self.state.lock().unwrap_or_else(PoisonError::into_inner);
            state.sample(sample, now_s)
        };
        for line in &why {
            self.output.line(line);
            cx.log(line);
        }
        if !why.is_empty() {
            cx.ask(Action::StopRunNow);
        }
        Ok(())
    }
}

impl Listener for AutoStopListener {
    fn sample(&mut self, _: &SampleEvent) {}

    fn end(self: Box<Self>) -> Vec<Message> {
        Vec::new()
    }

    fn namer(&self) -> Option<Arc<dyn Namer>> {
        Some(Arc::<AutoStop>::clone(&self.0))
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use std::sync::atomic::{AtomicU64, Ordering};

    use super::*;
    use crate::context::testing::TestContext;
    use crate::evaluated::EvaluatedValue;

    /// In which second after the first the test ends, of samples of one time and success, one a second.
    fn ends(properties: &[(&str, &str)], elapsed_ms: u64, success: bool) -> Option<u64> {
        ends_with(properties, elapsed_ms, &[success])
    }

    /// The same of several samples a second.
    fn ends_with(properties: &[(&str, &str)], elapsed_ms: u64, successes: &[bool]) -> Option<u64> {
        let now_ms = Arc::new(AtomicU64::new(0));
        let clock = Arc::clone(&now_ms);
        let surroundings = Surroundings {
            clock: ListenerClock::new(Arc::new(move || clock.load(Ordering::Relaxed))),
            ..Surroundings::default()
        };
        let text = |(name, value): &(&str, &str)| {
            ((*name).into(), EvaluatedValue::Text((*value).to_owned()))
        };
        let element = Evaluated {
            properties: properties.iter().map(text).collect(),
            ..Evaluated::default()
        };
        let listener = make(&element, &surroundings).unwrap().unwrap();
        let namer = listener.namer().unwrap();
        let mut cx = TestContext::with(&[]);
        (0..20).find(|second| {
            now_ms.store(1_800_000_000_000 + second * 1000, Ordering::Relaxed);
            for success in successes {
                let mut result = SampleResult {
                    elapsed_ms,
                    latency_ms: elapsed_ms / 2,
                    success: *success,
                    ..SampleResult::new("a")
                };
                assert_eq!(namer.name(&mut cx, &mut result), Ok(()));
            }
            cx.asked == Some(Action::StopRunNow)
        })
    }

    #[test]
    fn each_limit_ends_the_test_after_its_time() {
        let time = [
            ("avg_response_time", "100"),
            ("avg_response_time_length", "3"),
        ];
        assert_eq!(ends(&time, 101, true), Some(3));
        assert_eq!(ends(&time, 100, true), None);
        let latency = [
            ("avg_response_latency", "100"),
            ("avg_response_latency_length", ""),
        ];
        assert_eq!(ends(&latency, 202, true), Some(1));
        assert_eq!(ends(&latency, 200, true), None);
        let errors = |percent| [("error_rate", percent), ("error_rate_length", "5")];
        assert_eq!(ends(&errors("99"), 1, false), Some(5));
        assert_eq!(ends(&errors("100"), 1, false), None);
        assert_eq!(ends(&errors("0.5"), 1, true), None);
        // A third fails.
        let third = |percent| ends_with(&errors(percent), 1, &[true, false, true]);
        assert_eq!((third("33"), third("34")), (Some(5), None));
        let percentile = [
            ("percentile_response_time", "50"),
            ("percentile_response_time_secs", "2"),
            ("percentile_value", "90"),
        ];
        assert_eq!(ends(&percentile, 51, true), Some(2));
        assert_eq!(ends(&percentile, 50, true), None);
        assert_eq!(ends(&[("avg_response_time", "x")], 1_000_000, false), None);
    }
}
