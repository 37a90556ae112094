//! `Summariser` (Generate Summary Results): `summary + ...` for the time since the last line,
//! `summary = ...` for the whole run, as JMeter 5.6.3 writes them.

use std::sync::atomic::Ordering;
use std::sync::{Arc, Mutex, PoisonError};

use plimsoll_text::Message;

use crate::context::Properties;
use crate::evaluated::Evaluated;
use crate::result::SampleResult;

use super::surroundings::Register;
use super::{Listener, SampleEvent, Surroundings, is_of_transaction};

/// What summarisers of the same name add up together.
pub(super) type Summaries = Register<String, Mutex<Totals>>;

/// How late after the full interval a line may still be written.
const WINDOW_S: u64 = 5;

#[derive(Debug)]
pub(super) struct Totals {
    last_s: u64,
    delta: Running,
    total: Running,
}

#[derive(Debug, Clone)]
struct Running {
    count: u64,
    errors: u64,
    sum_ms: u64,
    least_ms: Option<u64>,
    most_ms: u64,
    start_unix_ms: u64,
    end_unix_ms: u64,
}

impl Running {
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

    fn add(&mut self, result: &SampleResult, now_ms: u64) {
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
    fn line(&self, name: &str, kind: char) -> String {
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

struct Summariser {
    name: String,
    totals: Arc<Mutex<Totals>>,
    interval_s: u64,
    is_shown: bool,
    skips_transactions: bool,
    surroundings: Surroundings,
}

/// Makes a summariser from its element.
///
/// # Errors
/// None.
pub fn make(
    element: &Evaluated,
    surroundings: &Surroundings,
) -> Result<Option<Box<dyn Listener>>, Message> {
    Ok(Some(named(&element.name, surroundings)))
}

fn truth(properties: &Properties, name: &str) -> bool {
    let text = properties.get(name);
    text.is_none_or(|text| text.trim().eq_ignore_ascii_case("true"))
}

fn named(name: &str, surroundings: &Surroundings) -> Box<dyn Listener> {
    let properties = &surroundings.properties;
    let interval = properties.get("summariser.interval");
    let interval = interval.and_then(|text| text.trim().parse().ok());
    let fresh = || {
        let now = surroundings.clock.unix_ms();
        Ok::<_, std::convert::Infallible>(Mutex::new(Totals {
            last_s: 0,
            delta: Running::new(now),
            total: Running::new(now),
        }))
    };
    let Ok(totals) = surroundings.summaries.get(name.to_owned(), fresh);
    Box::new(Summariser {
        name: name.to_owned(),
        totals,
        interval_s: interval.filter(|seconds| *seconds > 0).unwrap_or(30),
        is_shown: truth(properties, "summariser.out"),
        skips_transactions: truth(
            properties,
            "summariser.ignore_transaction_controller_sample_result",
        ),
        surroundings: surroundings.clone(),
    })
}

impl Summariser {
    fn show(&self, running: &Running, kind: char) {
        if !self.is_shown {
            return;
        }
        let mut line = running.line(&self.name, kind);
        if kind == '+' {
            let threads = &self.surroundings.threads;
            let count = |of: &std::sync::atomic::AtomicU32| of.load(Ordering::Relaxed);
            line += &format!(
                " Active: {} Started: {} Finished: {}",
                count(&threads.active),
                count(&threads.started),
                count(&threads.finished)
            );
        }
        self.surroundings.output.line(&line);
    }
}

impl Totals {
    fn move_delta(&mut self, now_ms: u64) {
        self.total.add_all(&self.delta, now_ms);
        self.delta = Running::new(now_ms);
    }
}

impl Listener for Summariser {
    fn sample(&mut self, event: &SampleEvent) {
        if self.skips_transactions && is_of_transaction(&event.result) {
            return;
        }
        let now_ms = self.surroundings.clock.unix_ms();
        let now_s = now_ms / 1000;
        let mut totals = self.totals.lock().unwrap_or_else(PoisonError::into_inner);
        totals.delta.add(&event.result, now_ms);
        let is_time = now_s > totals.last_s + WINDOW_S && now_s % self.interval_s <= WINDOW_S;
        if !is_time {
            return;
        }
        let delta = totals.delta.clone();
        totals.move_delta(now_ms);
        totals.last_s = now_s;
        let total = totals.total.clone();
        drop(totals);
        self.show(&delta, '+');
        if total.count != delta.count {
            self.show(&total, '=');
        }
    }

    fn end(mut self: Box<Self>) -> Vec<Message> {
        let now_ms = self.surroundings.clock.unix_ms();
        let fresh = Arc::new(Mutex::new(Totals {
            last_s: 0,
            delta: Running::new(now_ms),
            total: Running::new(now_ms),
        }));
        // The last one of this name tells.
        let Some(totals) = Arc::into_inner(std::mem::replace(&mut self.totals, fresh)) else {
            return Vec::new();
        };
        let mut totals = totals.into_inner().unwrap_or_else(PoisonError::into_inner);
        totals.delta.end_unix_ms = now_ms;
        if totals.delta.count > 0 && totals.total.count > 0 {
            self.show(&totals.delta, '+');
        }
        totals.move_delta(now_ms);
        self.show(&totals.total, '=');
        Vec::new()
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used, clippy::expect_used)]
mod tests {
    use super::*;
    use crate::listeners::{Clock, Output};
    use std::sync::atomic::AtomicU64;

    fn event(label: &str, ms: u64, success: bool) -> SampleEvent {
        let mut result = SampleResult::new(label);
        result.elapsed_ms = ms;
        result.success = success;
        SampleEvent {
            result: Arc::new(result),
            group: "g".into(),
            variables: [].into(),
            transaction: false,
            told_before: None,
        }
    }

    struct Run {
        now_ms: Arc<AtomicU64>,
        written: Arc<Mutex<Vec<u8>>>,
        surroundings: Surroundings,
    }

    fn run() -> Run {
        // At 10 s past a half minute: no line is due.
        let now_ms = Arc::new(AtomicU64::new(1_800_000_010_000));
        let written = Arc::new(Mutex::new(Vec::new()));
        let clock = Arc::clone(&now_ms);
        let surroundings = Surroundings {
            clock: Clock::new(Arc::new(move || clock.load(Ordering::Relaxed))),
            output: Output::to(written.clone()),
            ..Surroundings::default()
        };
        surroundings.threads.started.store(3, Ordering::Relaxed);
        surroundings.threads.active.store(2, Ordering::Relaxed);
        surroundings.threads.finished.store(1, Ordering::Relaxed);
        Run {
            now_ms,
            written,
            surroundings,
        }
    }

    impl Run {
        fn lines(&self) -> String {
            String::from_utf8(self.written.lock().unwrap().clone()).unwrap()
        }
    }

    #[test]
    fn a_short_run_has_one_line() {
        let run = run();
        let mut summariser = named("summary", &run.surroundings);
        summariser.sample(&event("a", 10, true));
        run.now_ms.fetch_add(1500, Ordering::Relaxed);
        summariser.sample(&event("a", 31, false));
        let mut transaction = event("t", 500, true);
        Arc::get_mut(&mut transaction.result).unwrap().message =
            "Number of samples in transaction : 2, number of failing samples : 1".to_owned();
        summariser.sample(&transaction);
        assert!(summariser.end().is_empty());
        assert_eq!(
            run.lines(),
            "summary =      2 in 00:00:02 =    1.3/s Avg:    20 Min:    10 Max:    31 \
             Err:     1 (50.00%)\n"
        );
    }

    #[test]
    fn each_interval_has_its_lines() {
        let run = run();
        let mut summariser = named("summary", &run.surroundings);
        summariser.sample(&event("a", 10, true));
        for _ in 0..2 {
            run.now_ms.fetch_add(30_000 - 10_000, Ordering::Relaxed);
            summariser.sample(&event("a", 20, true));
            run.now_ms.fetch_add(10_000, Ordering::Relaxed);
        }
        summariser.sample(&event("a", 5, true));
        assert!(summariser.end().is_empty());
        let lines = run.lines();
        let kinds: Vec<&str> = lines.lines().map(|line| &line[8..16]).collect();
        // Due in the first seconds of each half minute, and at the end.
        let expected = ["+      2", "+      1", "=      3", "+      1", "=      4"];
        assert_eq!(kinds, expected, "{lines}");
        assert!(
            lines.contains("Active: 2 Started: 3 Finished: 1\n"),
            "{lines}"
        );
    }

    #[test]
    fn summarisers_of_one_name_add_up() {
        let run = run();
        let one = Evaluated {
            name: "both".to_owned(),
            ..Evaluated::default()
        };
        let mut first = make(&one, &run.surroundings).unwrap().unwrap();
        let mut second = make(&one, &run.surroundings).unwrap().unwrap();
        first.sample(&event("a", 1, true));
        second.sample(&event("b", 3, true));
        assert!(first.end().is_empty());
        assert_eq!(run.lines(), "", "the other one is still at work");
        assert!(second.end().is_empty());
        assert!(
            run.lines().starts_with("both =      2 in"),
            "{}",
            run.lines()
        );
    }
}
