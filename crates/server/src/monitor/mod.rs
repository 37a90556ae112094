//! The target without load: watched as `plimsoll watch` does, with the last hours kept.

mod desk;
mod kept;

pub(crate) use desk::{AgentHeard, MonitorDesk, MonitorSource};
