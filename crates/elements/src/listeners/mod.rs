//! Listeners: what is told of each sample, and the files that become of it. One file a class,
//! one line in [`LISTENERS`].

use std::sync::Arc;

use plimsoll_text::Message;

use crate::context::Properties;
use crate::evaluated::Evaluated;
use crate::result::SampleResult;

/// A sample as listeners are told of it.
#[derive(Debug, Clone)]
pub struct SampleEvent {
    /// The sample with its parts.
    pub result: Arc<SampleResult>,
    /// The thread group's name.
    pub group: Arc<str>,
    /// Values of the variables that the property `sample_variables` names, in its order.
    pub variables: Arc<[String]>,
    /// It is a transaction's own sample, not that of a sampler.
    pub transaction: bool,
}

/// What is told of samples: on a thread of its own, in the order of their ends.
pub trait Listener: Send {
    /// A sample has ended.
    fn sample(&mut self, event: &SampleEvent);
    /// A moment has passed (about once a second): for what is told at intervals.
    fn tick(&mut self, unix_ms: u64) {
        let _ = unix_ms;
    }
    /// The run has ended; gives what went wrong meanwhile (a full disk), for people.
    fn end(self: Box<Self>) -> Vec<Message>;
}

/// What listeners know of the run.
#[derive(Debug, Clone, Default)]
pub struct Surroundings {
    /// JMeter's properties, `jmeter.save.saveservice.*` among them.
    pub properties: Properties,
    /// The folder that relative file names start from (JMeter: the working directory).
    pub folder: std::path::PathBuf,
    /// The name of this host, as JMeter puts it into results.
    pub host: String,
    /// The offset of local time to UTC and the zone are the system's unless a test sets this.
    pub time_zone: Option<String>,
}

/// How a listener is made from its element; the message says what is wrong with it. None: the
/// listener only shows something in JMeter's window and has nothing to do here.
pub type Make = fn(&Evaluated, &Surroundings) -> Result<Option<Box<dyn Listener>>, Message>;

/// The classes, by name.
pub const LISTENERS: &[(&str, Make)] = &[];
