//! What labels did in a stretch of a run: whole minutes by their sums where these are stored and hold, all else second
//! by second.

use plimsoll_stats::{Aggregate, LabelInterval, Window};

use crate::figures::MINUTE_S;
use crate::minutes::MinuteSums;
use crate::{Run, StoreError};

impl Run {
    /// The exact sum over the seconds from `from_s` (rounded up) to before `to_s`; every
    /// label of the run appears in it.
    ///
    /// # Errors
    /// If the run cannot be read.
    pub fn aggregate(&self, from_s: f64, to_s: f64) -> Result<Aggregate, StoreError> {
        let window = Window::new(from_s, to_s);
        // A float to integer cast saturates.
        self.sum(Aggregate::new(window), to_s.ceil() as u32)
    }

    /// As [`aggregate`](Self::aggregate), with what ended after the load did: such requests
    /// count in everything but the throughput. This is what summaries hold.
    ///
    /// # Errors
    /// If the run cannot be read.
    pub fn aggregate_with_tail(&self, from_s: f64, to_s: f64) -> Result<Aggregate, StoreError> {
        self.sum(Aggregate::with_tail(Window::new(from_s, to_s)), u32::MAX)
    }

    fn sum(&self, mut sum: Aggregate, before_s: u32) -> Result<Aggregate, StoreError> {
        self.labels().iter().for_each(|label| sum.add_label(label));
        let from_s = u32::try_from(sum.window().from_s()).unwrap_or(u32::MAX);
        let before_s = before_s.min(self.span_s()?.1);
        // A minute in which the load is raised at the end is read by its seconds.
        let raised = self.meta().probe_from_s.unwrap_or(u32::MAX) / MINUTE_S;
        let mut read_to_s = from_s;
        let (from, to) = (
            from_s.div_ceil(MINUTE_S),
            before_s.div_ceil(MINUTE_S).min(raised),
        );
        self.for_each_stored_minute(from, to.max(from), |minute| {
            if is_on_one_side(sum.window(), minute.from_s()) {
                self.sum_seconds(&mut sum, read_to_s, minute.from_s())?;
                self.sum_minute(&mut sum, &minute)?;
                read_to_s = minute.from_s() + MINUTE_S;
            }
            Ok(())
        })?;
        self.sum_seconds(&mut sum, read_to_s, before_s)?;
        Ok(sum)
    }

    fn sum_minute(&self, sum: &mut Aggregate, minute: &MinuteSums) -> Result<(), StoreError> {
        let second = u64::from(minute.from_s());
        let read = minute.for_each_label(|id, after_load, bytes| {
            add(sum, second, after_load, &self.label(id), bytes)
        });
        read.map_err(|error| self.damage(error))
    }

    fn sum_seconds(&self, sum: &mut Aggregate, from_s: u32, to_s: u32) -> Result<(), StoreError> {
        if from_s >= to_s {
            return Ok(());
        }
        let probe_from_s = self.meta().probe_from_s;
        self.for_each_encoded(from_s, to_s, |row, label, bytes| {
            // What was in flight then is that load's, too.
            if probe_from_s.is_some_and(|from_s| row.second >= from_s) {
                return Ok(());
            }
            let added = add(sum, u64::from(row.second), row.after_load, label, bytes);
            added.map_err(|error| self.damage(error))
        })
    }
}

/// Whether all seconds of a minute are in a window, or none.
fn is_on_one_side(window: Window, from_s: u32) -> bool {
    let (first, last) = (u64::from(from_s), u64::from(from_s + MINUTE_S - 1));
    window.contains(first) == window.contains(last)
}

fn add(
    sum: &mut Aggregate,
    second: u64,
    after_load: bool,
    label: &crate::LabelDef,
    bytes: &[u8],
) -> Result<(), String> {
    let damaged = |error: plimsoll_stats::DecodeError| error.to_string();
    if !after_load && sum.window().contains(second) {
        return sum.add_encoded(second, label, bytes).map_err(damaged);
    }
    let mut interval = LabelInterval::default();
    interval.merge_encoded(bytes).map_err(damaged)?;
    // Only beyond every window is a second sure to be taken for the tail.
    sum.add(u64::MAX, label, &interval);
    Ok(())
}
