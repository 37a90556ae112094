//! `kg.apc.jmeter.reporters.ConsoleStatusLogger` (jpgc-csl 0.1): a line for each second with samples, on the console.

use std::sync::atomic::Ordering;

use plimsoll_text::Message;

use super::{Listener, SampleEvent, Surroundings};
use crate::evaluated::Evaluated;

/// Samples since the last line.
#[derive(Default)]
struct ConsoleStatus {
    surroundings: Surroundings,
    /// The second of the last line, since 1970-01-01 UTC; 0: there was none.
    last_s: u64,
    begin_s: u64,
    count: u64,
    threads: u32,
    elapsed_ms: u64,
    latency_ms: u64,
    errors: u64,
}

/// Makes one from its element.
///
/// # Errors
/// None.
pub fn make(
    _: &Evaluated,
    surroundings: &Surroundings,
) -> Result<Option<Box<dyn Listener>>, Message> {
    Ok(Some(Box::new(ConsoleStatus {
        surroundings: surroundings.clone(),
        ..ConsoleStatus::default()
    })))
}

impl ConsoleStatus {
    fn line(&mut self, since_s: u64) {
        let planned = self.surroundings.threads.planned.load(Ordering::Relaxed);
        let mean = |sum: u64| sum / self.count.max(1);
        self.surroundings.output.line(&format!(
            "#{since_s}\tThreads: {}/{planned}\tSamples: {}\tLatency: {}\tResp.Time: {}\tErrors: {}",
            self.threads,
            self.count,
            mean(self.latency_ms),
            mean(self.elapsed_ms),
            self.errors
        ));
        (self.count, self.elapsed_ms, self.latency_ms, self.errors) = (0, 0, 0, 0);
    }
}

impl Listener for ConsoleStatus {
    fn sample(&mut self, event: &SampleEvent) {
        let now_s = self.surroundings.clock.unix_ms() / 1000;
        if now_s != self.last_s && self.count > 0 {
            if self.last_s == 0 {
                self.begin_s = now_s;
            }
            self.line(now_s.saturating_sub(self.begin_s));
            self.last_s = now_s;
        }
        let result = &event.result;
        self.count += 1;
        self.elapsed_ms += result.elapsed_ms;
        self.latency_ms += result.latency_ms;
        self.errors += u64::from(!result.success);
        self.threads = result.all_threads;
    }

    /// What came after the last line is told of by none, as the plugin has it.
    fn end(self: Box<Self>) -> Vec<Message> {
        Vec::new()
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use std::sync::atomic::AtomicU64;
    use std::sync::{Arc, Mutex};

    use super::*;
    use crate::listeners::{ConsoleOutput, ListenerClock};
    use crate::result::SampleResult;

    #[test]
    fn a_second_with_samples_has_its_line() {
        let written = Arc::new(Mutex::new(Vec::new()));
        let now_ms = Arc::new(AtomicU64::new(1_800_000_000_000));
        let clock = Arc::clone(&now_ms);
        let surroundings = Surroundings {
            clock: ListenerClock::new(Arc::new(move || clock.load(Ordering::Relaxed))),
            output: ConsoleOutput::to(written.clone()),
            ..Surroundings::default()
        };
        surroundings.threads.planned.store(5, Ordering::Relaxed);
        let mut listener = make(&Evaluated::default(), &surroundings).unwrap().unwrap();
        for (second, elapsed_ms, success) in
            [(0, 10, true), (0, 21, false), (1, 7, true), (3, 1, true)]
        {
            now_ms.store(1_800_000_000_000 + second * 1000, Ordering::Relaxed);
            let result = SampleResult {
                elapsed_ms,
                latency_ms: 2,
                success,
                all_threads: 3,
                ..SampleResult::new("a")
            };
            listener.sample(&SampleEvent {
                result: Arc::new(result),
                group: "g".into(),
                variables: [].into(),
                transaction: false,
                told_before: None,
            });
        }
        assert!(listener.end().is_empty());
        // The plugin tells of the first sample at once, since no second was before it.
        let lines = String::from_utf8(written.lock().unwrap().clone()).unwrap();
        assert_eq!(
            lines,
            "#0\tThreads: 3/5\tSamples: 1\tLatency: 2\tResp.Time: 10\tErrors: 0\n\
             #1\tThreads: 3/5\tSamples: 1\tLatency: 2\tResp.Time: 21\tErrors: 1\n\
             #3\tThreads: 3/5\tSamples: 1\tLatency: 2\tResp.Time: 7\tErrors: 0\n"
        );
    }
}
