//! What is around a target on this host, found by looking, and looked for again: a proxy's
//! connections to its upstream are there only under load.

use std::sync::Arc;
use std::time::Duration;

use plimsoll_access::Reach;
use plimsoll_stats::series::{Entity, EntityKind};
use plimsoll_text::Message;
use tokio::task::JoinHandle;

use crate::capture::Level;
use crate::collector::{Collector, Look, Pending, Trouble};
use crate::discover::{self, AskedDoors, Discovered};
use crate::proc::host::hostname;
use crate::source::{Opened, Spec};
use crate::together::Together;

/// Looks at first, while the load begins.
const EARLY: usize = 4;
const EARLY_PERIOD: Duration = Duration::from_secs(3);
/// Looks later: what comes up then comes up seldom.
const LATER_PERIOD: Duration = Duration::from_secs(30);

/// Opens the search around `HOST:PORT`.
pub(crate) fn open(spec: &Spec) -> Result<Opened, Trouble> {
    if !spec.address.contains(':') {
        return Err(Trouble::new(Message::new("watch-auto-needs-target")));
    }
    Ok(open_beside(spec, &Together::default()))
}

/// Opens the search around a target beside other sources: what they watch it does not take up.
pub(crate) fn open_beside(spec: &Spec, beside: &Together) -> Opened {
    Opened {
        collectors: vec![Box::new(Auto {
            target: spec.address.clone(),
            level: spec.level,
            reach: spec.reach.clone(),
            host: spec.host.clone(),
            entity: Entity::new(
                EntityKind::Host,
                "",
                spec.host.clone().unwrap_or_else(hostname),
            ),
            looks: 0,
            under_way: None,
            beside: beside.clone(),
            found: Opened::default(),
            asked: AskedDoors::default(),
        })],
        captures: Vec::new(),
    }
}

struct Auto {
    target: String,
    level: Level,
    reach: Option<Reach>,
    host: Option<String>,
    entity: Arc<Entity>,
    looks: usize,
    /// A search that took longer than a look may; the next look takes it up.
    under_way: Option<JoinHandle<Discovered>>,
    /// What is watched already, by its name or because it was found.
    beside: Together,
    found: Opened,
    /// What earlier searches were told.
    asked: AskedDoors,
}

impl Collector for Auto {
    fn about(&self) -> String {
        format!("auto {}", self.target)
    }

    fn period(&self) -> Duration {
        if self.looks < EARLY {
            EARLY_PERIOD
        } else {
            LATER_PERIOD
        }
    }

    fn collect<'a>(&'a mut self, look: &'a mut Look) -> Pending<'a, ()> {
        Box::pin(async move {
            let (target, level) = (self.target.clone(), self.level);
            let (reach, asked) = (self.reach.clone(), self.asked.clone());
            let search = self.under_way.get_or_insert_with(|| {
                tokio::task::spawn_blocking(move || {
                    discover::around_within(&target, level, reach.as_ref(), asked)
                })
            });
            let found = search.await;
            self.under_way = None;
            self.looks += 1;
            let found = found.map_err(|error| {
                let reason = error.to_string();
                Trouble::new(Message::new("watch-auto-failed").with("reason", reason))
            })?;
            self.asked = found.asked;
            for note in found.notes {
                look.missing(&self.entity, note);
            }
            for spec in found.specs {
                self.take_up(spec);
            }
            Ok(())
        })
    }

    fn found(&mut self) -> Opened {
        std::mem::take(&mut self.found)
    }
}

impl Auto {
    fn take_up(&mut self, mut spec: Spec) {
        if !self.beside.take(&spec) {
            return;
        }
        spec.host = self.host.clone();
        // What the search itself wrote can be opened; a source that cannot is left out.
        if let Ok(opened) = spec.open() {
            self.found.add(opened, spec.level);
        }
    }
}
