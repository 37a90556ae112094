//! What goes into a session and what comes out of it.

use std::path::PathBuf;
use std::sync::Arc;

use plimsoll_elements::listeners::TargetReadings;
use plimsoll_load::engine::control::Stopper;
use plimsoll_outputs::Feed;
use plimsoll_plan::program::Program;
use plimsoll_stats::Summary;
use plimsoll_store::{Run, RunMeta};
use plimsoll_text::Message;

use super::LoadProbe;
use super::early_end::GiveUp;
use super::jtl::SampleLog;
use crate::Listener;
use crate::control::RunControl;
use crate::watching::Target;

/// What a session is made of.
pub struct SessionParts {
    /// The program.
    pub program: Arc<Program>,
    /// What is known of the run.
    pub meta: RunMeta,
    /// Folder of the runs.
    pub root: PathBuf,
    /// Hears of it.
    pub listener: Box<dyn Listener>,
    /// Who else hears of it, on threads of their own.
    pub outputs: Vec<Feed>,
    /// Listeners of a plan of JMeter's that write what is seen of the target.
    pub readings: Option<TargetReadings>,
    /// Takes every sample.
    pub log: Option<SampleLog>,
    /// Ends the run.
    pub stopper: Stopper,
    /// What reaches it from outside.
    pub control: RunControl,
    /// It goes on although nothing can be reached.
    pub goes_on: bool,
    /// Watches the target.
    pub target: Option<Target>,
    /// Ends the run once its goals are out of reach.
    pub give_up: Option<GiveUp>,
    /// How the load is changed at its end.
    pub probe: Option<LoadProbe>,
    /// Why no request was made, if none is.
    pub no_request: Message,
}

/// A run that was made.
pub struct Made {
    /// What came out of it.
    pub summary: Summary,
    /// The run.
    pub run: Run,
    /// All of it is stored where it should be, the sample log too. What is not was told by events.
    pub is_kept: bool,
}
