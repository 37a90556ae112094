//! A study that goes on where it stopped: what was tried is not tried again.

use std::collections::VecDeque;

use plimsoll_text::Message;

use crate::engine::Record;
use crate::space::Configuration;
use crate::trial::{TrialAsk, TrialBench, TrialEnd};

/// Trials that were made before, then a bench for the rest.
///
/// The engine does the same with the same results, so that it asks for the same trials again. As soon as it asks
/// for another one, because the study was changed, what is left of the old ones is not looked at any more.
pub struct Resumed<'a> {
    made: VecDeque<Record>,
    bench: &'a mut dyn TrialBench,
}

impl<'a> Resumed<'a> {
    /// Trials of a journal, in order; what was broken off is made again.
    #[must_use]
    pub fn new(made: impl IntoIterator<Item = Record>, bench: &'a mut dyn TrialBench) -> Self {
        let whole = |record: &Record| record.result != TrialEnd::Interrupted;
        Self {
            made: made.into_iter().filter(whole).collect(),
            bench,
        }
    }
}

impl TrialBench for Resumed<'_> {
    fn trial(&mut self, of: &Configuration, ask: &TrialAsk) -> Result<(TrialEnd, f64), Message> {
        let same = |record: &Record| record.configuration == *of && record.why == ask.reason;
        if self.made.front().is_some_and(same)
            && let Some(record) = self.made.pop_front()
        {
            return Ok((record.result, record.seconds));
        }
        self.made.clear();
        self.bench.trial(of, ask)
    }
}
