//! `Summariser` (Generate Summary Results): `summary + ...` for the time since the last line,
//! `summary = ...` for the whole run, as JMeter 5.6.3 writes them.

use std::sync::atomic::Ordering;
use std::sync::{Arc, Mutex, PoisonError};

use plimsoll_text::Message;

use crate::context::Properties;
use crate::evaluated::Evaluated;

use super::totals::{ListenerTotals, RunningTotals};
use super::{Listener, SampleEvent, Surroundings, is_of_transaction};

/// How late after the full interval a line may still be written.
const WINDOW_S: u64 = 5;

struct Summariser {
    name: String,
    totals: Arc<Mutex<ListenerTotals>>,
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
        let totals = ListenerTotals::new(surroundings.clock.unix_ms());
        Ok::<_, std::convert::Infallible>(Mutex::new(totals))
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
    fn show(&self, running: &RunningTotals, kind: char) {
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
        let fresh = Arc::new(Mutex::new(ListenerTotals::new(now_ms)));
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
    use crate::listeners::{ConsoleOutput, ListenerClock};
    use crate::result::SampleResult;
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
            clock: ListenerClock::new(Arc::new(move || clock.load(Ordering::Relaxed))),
            output: ConsoleOutput::to(written.clone()),
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
