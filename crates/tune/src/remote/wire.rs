//! What a study and an agent say to each other about changes: JSON within the agent's own messages
//! (`schema/agent-tune.schema.json`).

use std::collections::BTreeMap;

use plimsoll_watch::agent::wire::WireText;
use serde::{Deserialize, Serialize};

use crate::space::Domain;
use crate::target::Fragment;
use crate::trial::{SeenValue, TrialEnd};

/// The version of what is said: both ends must speak the same.
pub const VERSION: u16 = 1;

/// Values of knobs, by the agent's names; those that are not named are as they were found.
pub type AgentValues = BTreeMap<String, String>;

/// What a study asks for.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case", tag = "ask", deny_unknown_fields)]
pub enum TuneAsk {
    /// What may be changed.
    Describe {
        /// The version that the study speaks.
        version: u16,
    },
    /// What values would change, without changing anything.
    Changes {
        /// The values.
        values: AgentValues,
    },
    /// To have components for itself.
    Begin {
        /// The version that the study speaks.
        version: u16,
        /// The study's name.
        study: String,
        /// Who makes it, as they say themselves.
        by: String,
        /// The components.
        components: Vec<String>,
    },
    /// To bring the components to values: files, restart, ready, read back.
    Apply {
        /// The lease that began.
        lease: String,
        /// The number of this work, more than that before.
        number: u32,
        /// The values.
        values: AgentValues,
        /// What was measured since may show that what runs is of no use: what the agent starts is started anew, also
        /// where a reload were enough.
        #[serde(default, skip_serializing_if = "std::ops::Not::not")]
        anew: bool,
    },
    /// Whether all components are there still.
    Check {
        /// The lease.
        lease: String,
        /// The number of this work.
        number: u32,
    },
    /// How far the work is. It keeps the lease.
    Look {
        /// The lease.
        lease: String,
    },
    /// To put everything back, or to leave values there.
    Finish {
        /// The lease.
        lease: String,
        /// The number of this work.
        number: u32,
        /// What is left there; none: all is put back.
        keep: Option<AgentValues>,
    },
}

/// What the agent says to it.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case", tag = "said")]
pub enum TuneSaid {
    /// To `describe`.
    Described(HostDescription),
    /// To `changes`.
    Changes {
        /// Lines that go and lines that come, without secrets.
        fragments: Vec<Fragment>,
    },
    /// To `begin`, when the components are another's of the same study: it is ended, and may be asked for again.
    Ending,
    /// To all else.
    State(WorkState),
}

/// What may be changed on an agent's host.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct HostDescription {
    /// The version that the agent speaks.
    pub version: u16,
    /// How long after a study was last heard of everything is put back, seconds.
    pub lease_s: f64,
    /// The names of the components.
    pub components: Vec<String>,
    /// The knobs.
    pub knobs: Vec<HostKnob>,
}

/// A knob on an agent's host.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct HostKnob {
    /// Its name in the agent's file.
    pub name: String,
    /// Its component.
    pub component: String,
    /// What it may be.
    pub domain: Domain,
    /// What it is now, as far as that is known and no secret.
    pub found: Option<String>,
    /// The knob by name that it is, such as `tomcat.threads.max`.
    pub knob: Option<String>,
}

/// How far an agent is.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct WorkState {
    /// The lease.
    pub lease: String,
    /// The number of the latest work: 0 is the beginning.
    pub number: u32,
    /// What came of it.
    pub work: AgentWork,
    /// Resident memory of what the agent has started, bytes.
    pub memory_bytes: u64,
    /// Processor time that it has used, seconds.
    pub cpu_s: f64,
}

/// What came of a piece of work.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case", tag = "work")]
pub enum AgentWork {
    /// It goes on.
    Working,
    /// It is done.
    Done(AgentArrived),
    /// The trial is over with it.
    Ended {
        /// How.
        end: TrialEnd,
    },
    /// Nothing more can be done.
    Broken {
        /// Why.
        message: WireText,
    },
}

/// What components showed of values.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct AgentArrived {
    /// Values that the running target has.
    pub seen: Vec<SeenValue>,
    /// Knobs whose values nothing could show.
    pub not_confirmed: Vec<String>,
    /// What it was found with, of knobs of which nothing was known before.
    pub as_found: Vec<SeenValue>,
}
