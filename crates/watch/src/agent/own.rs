//! What the agent itself costs.

use std::sync::Arc;

use plimsoll_stats::series::Entity;

use crate::collector::{Collector, Look, Pending};
use crate::names::agent as names;
use crate::watcher::process_cpu;

/// Looks at the agent's own process.
pub(super) struct OwnProcess {
    entity: Arc<Entity>,
}

impl OwnProcess {
    /// `entity` is the agent.
    pub(super) fn new(entity: Arc<Entity>) -> Self {
        Self { entity }
    }
}

impl Collector for OwnProcess {
    fn about(&self) -> String {
        "agent".to_owned()
    }

    fn collect<'a>(&'a mut self, look: &'a mut Look) -> Pending<'a, ()> {
        Box::pin(async move {
            let cpu = process_cpu().as_secs_f64();
            look.value(&self.entity, &names::CPU_TIME, &[], cpu);
            look.fact(&self.entity, "plimsoll.version", env!("CARGO_PKG_VERSION"));
            Ok(())
        })
    }
}
