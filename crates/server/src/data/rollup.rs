//! A run's minutes, as the store has them added up, kept for the runs that were looked at last: so a chart of hours
//! reads hundreds of sums and not a million.

use std::sync::{Arc, Mutex, PoisonError};

use plimsoll_stats::{LabelId, LabelInterval};
use plimsoll_store::{MINUTE_S, MinuteSums, Run, RunState, SecondFigures, StoreError};

/// Bytes of sums that are kept at most, beside those of the run that was looked at last: some days of 50 labels.
const MOST_BYTES: usize = 64 << 20;
/// Seconds at a run's end that may still come in parts from several load hosts.
const UNSETTLED_S: u32 = 30;

/// The sums of a run.
#[derive(Debug, Clone, Default)]
pub(crate) struct Rollup {
    /// Seconds before this are in it: whole minutes.
    pub until_s: u32,
    /// They, the first one first.
    minutes: Vec<Arc<MinuteSums>>,
}

impl Rollup {
    /// Adds whole minutes of a run, up to before that second.
    fn extend(&mut self, run: &Run, to_s: u32) -> Result<(), StoreError> {
        let to = to_s / MINUTE_S;
        run.for_each_minute(self.until_s / MINUTE_S, to, |sums| {
            self.minutes.push(Arc::new(sums));
        })?;
        self.until_s = to * MINUTE_S;
        Ok(())
    }

    fn bytes(&self) -> usize {
        self.minutes.iter().map(|sums| sums.bytes()).sum()
    }

    /// The minutes that some of these seconds are in.
    fn minutes(&self, from_s: u32, to_s: u32) -> &[Arc<MinuteSums>] {
        let end = (to_s.div_ceil(MINUTE_S) as usize).min(self.minutes.len());
        let begin = ((from_s / MINUTE_S) as usize).min(end);
        &self.minutes[begin..end]
    }

    /// Calls `each` with what all requests did by ten seconds, in the stretch alone: first second, whether it ended
    /// after the load, the sum.
    ///
    /// # Errors
    /// Sums that are not as they were written.
    pub fn for_each_ten(
        &self,
        run: &Run,
        (from_s, to_s): (u32, u32),
        mut each: impl FnMut(u32, bool, &LabelInterval),
    ) -> Result<(), StoreError> {
        let mut sum = LabelInterval::default();
        for minute in self.minutes(from_s, to_s) {
            let read = minute.for_each_ten(|at_s, late, bytes| {
                if (from_s..to_s).contains(&at_s) {
                    decode(&mut sum, bytes)?;
                    each(at_s, late, &sum);
                }
                Ok(())
            });
            read.map_err(|error| run.damaged(error))?;
        }
        Ok(())
    }

    /// Calls `each` with what each label did by the minute: first second, label, whether it ended after the load, the
    /// sum. With a label of it alone.
    ///
    /// # Errors
    /// Sums that are not as they were written.
    pub fn for_each_label(
        &self,
        run: &Run,
        (from_s, to_s): (u32, u32),
        wanted: Option<LabelId>,
        mut each: impl FnMut(u32, LabelId, bool, &LabelInterval),
    ) -> Result<(), StoreError> {
        let mut sum = LabelInterval::default();
        for minute in self.minutes(from_s, to_s) {
            let read = minute.for_each_label(|id, late, bytes| {
                if wanted.is_none_or(|wanted| wanted == id) {
                    decode(&mut sum, bytes)?;
                    each(minute.from_s(), id, late, &sum);
                }
                Ok(())
            });
            read.map_err(|error| run.damaged(error))?;
        }
        Ok(())
    }

    /// Figures of the seconds of a stretch, each with its second; those behind the sums from the run itself.
    ///
    /// # Errors
    /// If the run cannot be read.
    pub fn for_each_second(
        &self,
        run: &Run,
        (from_s, to_s): (u32, u32),
        mut each: impl FnMut(u32, &SecondFigures),
    ) -> Result<(), StoreError> {
        let mut all = |minute: &MinuteSums| {
            for (second, figures) in (minute.from_s()..).zip(&minute.seconds) {
                if (from_s..to_s).contains(&second) {
                    each(second, figures);
                }
            }
        };
        for minute in self.minutes(from_s, to_s) {
            all(minute);
        }
        let rest = from_s.max(self.until_s) / MINUTE_S;
        run.for_each_minute(rest, to_s.div_ceil(MINUTE_S).max(rest), |sums| all(&sums))
    }
}

fn decode(sum: &mut LabelInterval, bytes: &[u8]) -> Result<(), String> {
    sum.clear();
    sum.merge_encoded(bytes).map_err(|error| error.to_string())
}

/// Requests a second over time, so many numbers at most.
pub(crate) fn sparkline(seconds: &[SecondFigures], most: usize) -> Vec<f64> {
    let last = seconds.iter().rposition(|second| second.samples > 0);
    let seconds = &seconds[..last.map_or(0, |last| last + 1)];
    let step = seconds.len().div_ceil(most).max(1);
    let mean = |part: &[SecondFigures]| {
        let samples: u64 = part.iter().map(|second| second.samples).sum();
        (samples as f64 / part.len() as f64 * 10.0).round() / 10.0
    };
    seconds.chunks(step).map(mean).collect()
}

/// A run's sums that are kept.
struct KeptSums {
    run: String,
    is_over: bool,
    sums: Arc<Rollup>,
}

/// The sums of the runs that were looked at last.
#[derive(Default)]
pub(crate) struct Rollups(Mutex<Vec<KeptSums>>);

impl Rollups {
    /// A run's sums: all of one that is over; of one that goes on what is settled.
    ///
    /// # Errors
    /// If the run cannot be read.
    pub fn of(&self, run: &Run, state: RunState) -> Result<Arc<Rollup>, StoreError> {
        let id = run.id();
        let (_, seconds) = run.span_s()?;
        let is_over = state != RunState::Running;
        let to_s = match is_over {
            true => seconds.next_multiple_of(MINUTE_S),
            false => seconds.saturating_sub(UNSETTLED_S) / MINUTE_S * MINUTE_S,
        };
        let known = self.take(&id);
        let mut rollup = match known {
            // What was added up while it went on may lack what came late; a run of that name that is shorter is
            // another one.
            Some(known) if known.is_over == is_over && known.sums.until_s <= to_s => known.sums,
            _ => Arc::default(),
        };
        if rollup.until_s < to_s {
            Arc::make_mut(&mut rollup).extend(run, to_s)?;
        }
        self.keep(KeptSums {
            run: id,
            is_over,
            sums: Arc::clone(&rollup),
        });
        Ok(rollup)
    }

    fn take(&self, id: &str) -> Option<KeptSums> {
        let mut kept = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let at = kept.iter().position(|kept| kept.run == id)?;
        Some(kept.remove(at))
    }

    fn keep(&self, sums: KeptSums) {
        let mut kept = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        kept.retain(|other| other.run != sums.run);
        kept.push(sums);
        let mut bytes = 0;
        let newest = kept.len() - 1;
        let behind = kept.iter().rposition(|kept| {
            bytes += kept.sums.bytes();
            bytes > MOST_BYTES
        });
        if let Some(at) = behind {
            kept.drain(..(at + 1).min(newest));
        }
    }
}
