//! The host this program runs on, from `/proc`, `/sys` and netlink.

mod cgroup;
mod cpu;
mod disk;
mod files;
mod filesystems;
mod listeners;
mod memory;
mod network;
mod peers;
mod queues;
mod settings;
mod tcp;

use std::path::Path;
use std::sync::Arc;

use plimsoll_stats::series::{Entity, EntityKind};

use crate::captures::sockets::SocketTable;
use crate::collector::{Collector, Look, Pending, Trouble};
use crate::names::Metric;
use crate::sockets::NetSpace;
use crate::source::{Opened, Spec};

pub(crate) use cgroup::Cgroup;
pub(crate) use listeners::ListenQueues;
pub(crate) use network::Interfaces;
pub(crate) use peers::Connections;
pub(crate) use queues::Queues;
pub(crate) use tcp::Tcp;

/// Opens the host this program runs on.
pub(crate) fn open(spec: &Spec) -> Result<Opened, Trouble> {
    let name = spec.host.clone().unwrap_or_else(hostname);
    let entity = Entity::new(EntityKind::Host, "", name);
    Ok(Opened {
        collectors: vec![
            Box::new(Host::below(
                Arc::clone(&entity),
                Path::new("/proc"),
                Path::new("/sys"),
            )),
            Box::new(listeners::Listeners::new(Arc::clone(&entity))),
            Box::new(peers::Peers::new(Arc::clone(&entity))),
            Box::new(settings::Slow::new(Arc::clone(&entity))),
        ],
        captures: vec![Box::new(SocketTable::new(entity))],
    })
}

/// The name of this host.
#[must_use]
pub fn hostname() -> String {
    std::fs::read_to_string("/proc/sys/kernel/hostname")
        .map_or_else(|_| "localhost".to_owned(), |name| name.trim().to_owned())
}

/// Where an area says what it saw.
pub(crate) struct Out<'a> {
    pub(crate) look: &'a mut Look,
    pub(crate) entity: &'a Arc<Entity>,
}

impl Out<'_> {
    pub(crate) fn value(
        &mut self,
        metric: &Metric,
        attributes: &[(&'static str, &str)],
        value: f64,
    ) {
        self.look.value(self.entity, metric, attributes, value);
    }
}

/// A part of a host that is looked at together.
pub(crate) trait Area {
    /// Looks. A part that fails is told of once; the others go on.
    fn look(&mut self, out: &mut Out<'_>) -> Result<(), Trouble>;
}

/// What is cheap to see: once a second.
struct Host {
    entity: Arc<Entity>,
    areas: Vec<Box<dyn Area>>,
}

impl Host {
    fn below(entity: Arc<Entity>, proc: &Path, sys: &Path) -> Self {
        let (net, speeds) = (proc.join("net"), sys.join("class/net"));
        Self {
            entity,
            areas: vec![
                Box::new(cpu::Cpu::below(proc)),
                Box::new(cpu::Pressure::below(proc)),
                Box::new(memory::Memory::below(proc)),
                Box::new(disk::Disks::below(proc, sys)),
                Box::new(Interfaces::new(&net, Some(speeds))),
                Box::new(Tcp::new(&net)),
                Box::new(Queues::new(NetSpace::own())),
                Box::new(files::Files::below(proc)),
                Box::new(Cgroup::of("self")),
            ],
        }
    }
}

impl Collector for Host {
    fn about(&self) -> String {
        self.entity.to_string()
    }

    fn collect<'a>(&'a mut self, look: &'a mut Look) -> Pending<'a, ()> {
        Box::pin(async move { look_at(&mut self.areas, &self.entity, look) })
    }
}

/// Looks at each area; fails if none could be seen.
pub(crate) fn look_at(
    areas: &mut [Box<dyn Area>],
    entity: &Arc<Entity>,
    look: &mut Look,
) -> Result<(), Trouble> {
    let count = areas.len();
    let mut troubles = Vec::new();
    for area in areas {
        if let Err(trouble) = area.look(&mut Out { look, entity }) {
            troubles.push(trouble);
        }
    }
    if troubles.len() == count
        && let Some(first) = troubles.pop()
    {
        return Err(first);
    }
    for trouble in troubles {
        look.missing(entity, trouble.message);
    }
    Ok(())
}

/// For tests: what the host's files below other folders say, those of its file systems too.
#[cfg(test)]
pub(crate) fn seen_below(proc: &Path, sys: &Path) -> Look {
    let entity = Entity::new(EntityKind::Host, "", "h");
    let mut host = Host::below(Arc::clone(&entity), proc, sys);
    host.areas
        .push(Box::new(filesystems::Filesystems::below(proc)));
    let mut look = Look::at(1);
    let _ = look_at(&mut host.areas, &entity, &mut look);
    look
}

/// For tests: what an area says, by name, attributes and value.
#[cfg(test)]
pub(crate) mod testing {
    use plimsoll_stats::series::{Entity, EntityKind};

    use super::Out;
    use crate::collector::Look;

    /// Runs an area and gives its points as `name{attribute=value,…}` with values.
    pub(crate) fn told(run: impl FnOnce(&mut Out<'_>)) -> Vec<(String, f64)> {
        let entity = Entity::new(EntityKind::Host, "", "test");
        let mut look = Look::at(0);
        run(&mut Out {
            look: &mut look,
            entity: &entity,
        });
        let points = look.points().map(|(key, value)| {
            let attributes: Vec<_> = key
                .attributes
                .iter()
                .map(|(name, value)| format!("{name}={value}"))
                .collect();
            (format!("{}{{{}}}", key.name, attributes.join(",")), *value)
        });
        points.collect()
    }

    /// The value told under that name.
    pub(crate) fn value(told: &[(String, f64)], name: &str) -> Option<f64> {
        let found = told.iter().find(|(known, _)| known == name);
        found.map(|(_, value)| *value)
    }
}
