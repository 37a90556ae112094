//! What who hears a run must do.

use plimsoll_load::engine::Second;
use plimsoll_outputs::{RunBegin, RunPart};
use plimsoll_stats::{LabelInfo, Summary};
use plimsoll_store::TargetPoints;
use plimsoll_text::Message;

/// Hears a run.
pub(crate) trait Hearer {
    /// The load begins.
    fn begin(&mut self, run: &RunBegin) {
        let _ = run;
    }

    /// New labels, before a second that uses them.
    fn labels(&mut self, labels: &[LabelInfo]) -> Result<(), Lost> {
        let _ = labels;
        Ok(())
    }

    /// A second is over.
    fn second(&mut self, heard: &HeardSecond<'_>) -> Result<(), Lost> {
        let _ = heard;
        Ok(())
    }

    /// Something happened.
    fn event(&mut self, at_ns: u64, message: &Message) -> Result<(), Lost> {
        let _ = (at_ns, message);
        Ok(())
    }

    /// What cannot be kept: it is for who looks at the run now.
    fn aside(&mut self, message: &Message) {
        let _ = message;
    }

    /// What was seen of the target, by moment.
    fn target(&mut self, moments: &[TargetPoints]) {
        let _ = moments;
    }

    /// The load is over.
    fn load_over(&mut self) -> Result<(), Lost> {
        Ok(())
    }

    /// The run is judged.
    fn end(&mut self, summary: &Summary) -> Result<(), Lost> {
        let _ = summary;
        Ok(())
    }

    /// Nothing comes any more.
    fn close(&mut self) -> Result<(), Lost> {
        Ok(())
    }
}

/// Something that a hearer could not take.
pub(crate) enum Lost {
    /// The run is not kept as it should be, and neither is this: it is told aside.
    OfStore(Message),
    /// A part of what the run is to keep; it says that it is incomplete.
    OfRun(Message),
    /// Something of somebody else's: the run itself is whole.
    Elsewhere(Message),
}

/// A second as it is heard.
pub(crate) struct HeardSecond<'a> {
    /// What the engine, or the workers together, say of it.
    pub second: &'a Second<'a>,
    /// All labels.
    pub labels: &'a [LabelInfo],
    /// Which part of the run it is in.
    pub part: RunPart,
    /// Others have been told before: it adds to a second that is past.
    pub is_late: bool,
    /// It is in the store already, with what belongs to it.
    pub is_stored: bool,
}
