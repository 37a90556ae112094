//! What a run of JMeter elements is told from outside.

use plimsoll_elements::listeners::{ConsoleOutput, TargetReadings};
use plimsoll_elements::{Evaluated, Properties};

/// What a run of JMeter elements is told from outside.
#[derive(Debug, Clone, Default)]
pub struct JMeterOptions {
    /// JMeter's properties: its own defaults, files, `-J`.
    pub properties: Properties,
    /// The plan's file name, without its folder.
    pub plan_file: String,
    /// Listeners beside those of the plan: told of every sample (`-l`).
    pub listeners: Vec<Evaluated>,
    /// The folder that result files with relative names go to (JMeter: the working
    /// directory).
    pub folder: std::path::PathBuf,
    /// The name of this host in results.
    pub host: String,
    /// Where lines for people at the terminal go (the Summariser's).
    pub output: ConsoleOutput,
    /// What is seen of the target, for listeners that write it.
    pub readings: TargetReadings,
    /// Java's system properties, for the companion.
    pub system: Vec<(String, String)>,
}
