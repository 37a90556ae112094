//! Listeners: what is told of each sample, and the files that become of it. One file a class,
//! one line in [`LISTENERS`].

pub mod auto_stop;
pub mod backend;
pub mod collector;
pub mod console_status;
mod csv;
mod files;
pub mod flexible;
mod listener;
pub mod perf_mon;
mod readings;
mod register;
pub mod save_config;
pub mod saver;
pub mod summariser;
mod surroundings;
#[cfg(test)]
#[allow(clippy::unwrap_used, clippy::expect_used)]
mod tests;
mod timestamp;
mod totals;
mod xml;

use plimsoll_text::Message;

use crate::evaluated::Evaluated;

pub use collector::to_file;
pub use listener::{Listener, Namer, SampleEvent, Wants, is_of_transaction};
pub use readings::{TargetReading, TargetReadings};
pub use save_config::SaveConfig;
pub use surroundings::{
    ConsoleOutput, HostCheck, HostRule, ListenerClock, Surroundings, ThreadCounts, is_loopback,
};

/// How a listener is made from its element; the message says what is wrong with it. None: the
/// listener only shows something in JMeter's window and has nothing to do here.
pub type Make = fn(&Evaluated, &Surroundings) -> Result<Option<Box<dyn Listener>>, Message>;

/// The classes, by name.
pub const LISTENERS: &[(&str, Make)] = &[
    ("ResultCollector", collector::make),
    ("Summariser", summariser::make),
    ("ResultSaver", saver::make),
    ("BackendListener", backend::make),
    ("kg.apc.jmeter.reporters.AutoStop", auto_stop::make),
    (
        "kg.apc.jmeter.reporters.ConsoleStatusLogger",
        console_status::make,
    ),
    ("kg.apc.jmeter.reporters.FlexibleFileWriter", flexible::make),
    ("kg.apc.jmeter.perfmon.PerfMonCollector", perf_mon::make),
];
