//! This host, from `/proc`.

use std::sync::Arc;

use plimsoll_stats::series::{Entity, EntityKind};
use plimsoll_text::Message;

use crate::collector::{Collector, Look, Pending, Trouble};
use crate::names::host as names;
use crate::source::{Opened, Spec};

/// Opens the host this program runs on.
pub(crate) fn open(spec: &Spec) -> Result<Opened, Trouble> {
    let name = spec.host.clone().unwrap_or_else(hostname);
    Ok(Opened {
        collectors: vec![Box::new(Host {
            entity: Entity::new(EntityKind::Host, "", name),
        })],
        captures: Vec::new(),
    })
}

/// The name of this host.
#[must_use]
pub fn hostname() -> String {
    std::fs::read_to_string("/proc/sys/kernel/hostname")
        .map_or_else(|_| "localhost".to_owned(), |name| name.trim().to_owned())
}

struct Host {
    entity: Arc<Entity>,
}

impl Collector for Host {
    fn about(&self) -> String {
        self.entity.to_string()
    }

    fn collect<'a>(&'a mut self, look: &'a mut Look) -> Pending<'a, ()> {
        Box::pin(async move {
            let stat = std::fs::read_to_string("/proc/stat").map_err(|error| {
                Trouble::new(
                    Message::new("watch-file-unreadable")
                        .with("path", "/proc/stat")
                        .with("reason", error.to_string()),
                )
            })?;
            for line in stat.lines() {
                if let Some(running) = line.strip_prefix("procs_running ") {
                    let value = running.trim().parse().unwrap_or(f64::NAN);
                    look.value(&self.entity, &names::RUN_QUEUE, &[], value);
                }
            }
            Ok(())
        })
    }
}
