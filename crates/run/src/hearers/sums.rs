//! What the summary is made of.

use plimsoll_fleet::merge::add_worker;
use plimsoll_load::engine::Second;
use plimsoll_stats::aggregate::Aggregate;
use plimsoll_stats::{GeneratorSecond, Histogram, LabelInfo, Window};

use super::hearer::{HeardSecond, Hearer, Lost};

/// Adds up a run.
pub(crate) struct Sums {
    pub sum: Aggregate,
    /// What the generator saw in the measured seconds.
    pub seconds: Vec<GeneratorSecond>,
    pub lateness: Histogram,
    pub receive_lag: Histogram,
    /// There were samples, though none in the result.
    pub seen_in_warm_up: bool,
    /// From this second on nothing is in the result.
    ends_s: Option<u64>,
}

impl Sums {
    pub fn new(warm_up_s: f64) -> Self {
        Self {
            sum: Aggregate::with_tail(Window::new(warm_up_s, f64::INFINITY)),
            seconds: Vec::new(),
            lateness: Histogram::new(),
            receive_lag: Histogram::new(),
            seen_in_warm_up: false,
            ends_s: None,
        }
    }

    /// From that second on nothing is in the result, whatever the load does.
    pub fn ends(&mut self, from_s: u64) {
        self.ends_s = Some(from_s);
    }

    /// Whether a second is after the result.
    pub fn is_over(&self, second: u64) -> bool {
        self.ends_s.is_some_and(|from_s| second >= from_s)
    }

    /// The load has ended, seconds since the run's start.
    pub fn set_end(&mut self, load_end_s: f64) {
        #[expect(clippy::cast_precision_loss, reason = "seconds of a run")]
        let ends_s = self.ends_s.map_or(f64::INFINITY, |from_s| from_s as f64);
        self.sum.set_end(load_end_s.min(ends_s));
    }

    fn add(&mut self, second: &Second<'_>, labels: &[LabelInfo]) {
        for (id, interval) in second.labels.iter() {
            let Some(info) = labels.get(id.index()) else {
                continue;
            };
            if second.after_load {
                self.sum.add_tail(info, interval);
            } else {
                self.sum.add(second.second, info, interval);
            }
        }
    }

    /// A second that the generator tells for the first time.
    fn first_heard(&mut self, second: &Second<'_>) {
        let is_measured = self.sum.window().contains(second.second);
        let any = second.labels.iter().any(|(_, it)| it.samples() > 0);
        self.seen_in_warm_up |= !is_measured && any;
        if is_measured && !second.after_load {
            self.seconds.push(second.generator.clone());
            self.lateness.merge(second.lateness);
            self.receive_lag.merge(second.receive_lag);
        } else if let Some(last) = self.seconds.last_mut() {
            // The tail of the load is in the result too.
            last.own.merge(&second.generator.own);
        }
    }

    /// What came late of a second that was told.
    fn heard_late(&mut self, second: &Second<'_>) {
        if !self.sum.window().contains(second.second) || second.after_load {
            return;
        }
        self.lateness.merge(second.lateness);
        self.receive_lag.merge(second.receive_lag);
        let told = self.seconds.iter_mut().rev();
        let mut told = told.skip_while(|told| told.second > second.second);
        match told.next().filter(|told| told.second == second.second) {
            Some(told) => {
                for worker in &second.generator.workers {
                    add_worker(told, &worker.worker, &worker.seen);
                }
            }
            None => self.seconds.push(second.generator.clone()),
        }
    }
}

impl Hearer for Sums {
    fn labels(&mut self, labels: &[LabelInfo]) -> Result<(), Lost> {
        labels.iter().for_each(|label| self.sum.add_label(label));
        Ok(())
    }

    fn second(&mut self, heard: &HeardSecond<'_>) -> Result<(), Lost> {
        if self.is_over(heard.second.second) {
            return Ok(());
        }
        self.add(heard.second, heard.labels);
        match heard.is_late {
            true => self.heard_late(heard.second),
            false => self.first_heard(heard.second),
        }
        Ok(())
    }
}
