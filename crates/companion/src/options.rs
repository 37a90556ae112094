//! How the companion is started.

use std::path::PathBuf;
use std::time::Duration;

use plimsoll_access::Access;
use plimsoll_elements::Properties;

use crate::find::Installed;

/// How the companion is started.
#[derive(Debug, Clone)]
pub struct CompanionOptions {
    /// What the plan may do on this host. All that runs in Java is code of the plan: its classes come
    /// by name, and its properties name files with more.
    pub access: Access,
    /// Where it is: [`crate::find`].
    pub installed: Installed,
    /// JMeter's properties of the run. Changes go both ways while it runs.
    pub properties: Properties,
    /// The plan's file name; empty when it has none.
    pub plan_file: String,
    /// The folder that relative file names start from.
    pub plan_folder: PathBuf,
    /// The most memory for Java objects, in megabytes; none: Java's own choice.
    pub max_heap_mb: Option<u32>,
    /// Java's system properties, set before anything of JMeter's is loaded. They go over the
    /// socket: the command line is for everybody to see.
    pub system: Vec<(String, String)>,
    /// More arguments for the JVM.
    pub jvm_arguments: Vec<String>,
    /// How long it may take to start.
    pub start_timeout: Duration,
}

impl CompanionOptions {
    /// The usual ones.
    #[must_use]
    pub fn new(installed: Installed, properties: Properties, access: Access) -> Self {
        Self {
            access,
            installed,
            properties,
            plan_file: String::new(),
            plan_folder: PathBuf::new(),
            max_heap_mb: None,
            system: Vec::new(),
            jvm_arguments: Vec::new(),
            start_timeout: Duration::from_secs(60),
        }
    }
}
