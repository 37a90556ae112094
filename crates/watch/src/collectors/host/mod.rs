//! The host this program runs on, from `/proc`, `/sys` and netlink.

mod area;
mod cgroup;
mod conntrack;
mod cpu;
mod disk;
mod files;
mod filesystems;
mod kernel_log;
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

use crate::capture::{Capture, Level};
use crate::captures::sockets::SocketTable;
use crate::captures::wire::WireCapture;
use crate::collector::{Collector, Look, Pending, Trouble};
use crate::proc::host::hostname;
use crate::sockets::NetSpace;
use crate::source::{Opened, Spec};

pub(crate) use area::{Area, Out, look_at};
pub(crate) use cgroup::Cgroup;
pub(crate) use conntrack::Conntrack;
pub(crate) use filesystems::{Mount, mounts, tell_space};
pub(crate) use listeners::ListenQueues;
pub(crate) use network::Interfaces;
pub(crate) use peers::Connections;
pub(crate) use queues::Queues;
pub(crate) use tcp::Tcp;

/// Opens the host this program runs on.
pub(crate) fn open(spec: &Spec) -> Result<Opened, Trouble> {
    let name = spec.host.clone().unwrap_or_else(hostname);
    let entity = Entity::new(EntityKind::Host, "", name);
    let mut captures: Vec<Box<dyn Capture>> = vec![Box::new(SocketTable::new(Arc::clone(&entity)))];
    if spec.level >= Level::Capture {
        captures.push(Box::new(WireCapture::new(Arc::clone(&entity))));
    }
    Ok(Opened {
        collectors: vec![
            Box::new(HostLook::below(
                Arc::clone(&entity),
                Path::new("/proc"),
                Path::new("/sys"),
            )),
            Box::new(listeners::ListeningSockets::new(Arc::clone(&entity))),
            Box::new(peers::Peers::new(Arc::clone(&entity))),
            Box::new(settings::Slow::new(entity)),
        ],
        captures,
    })
}

/// What is cheap to see: once a second.
struct HostLook {
    entity: Arc<Entity>,
    areas: Vec<Box<dyn Area>>,
}

impl HostLook {
    fn below(entity: Arc<Entity>, proc: &Path, sys: &Path) -> Self {
        let (net, speeds) = (proc.join("net"), sys.join("class/net"));
        Self {
            entity,
            areas: vec![
                Box::new(cpu::Cpu::below(proc)),
                Box::new(cpu::Pressure::below(proc)),
                Box::new(memory::HostMemory::below(proc)),
                Box::new(disk::Disks::below(proc, sys)),
                Box::new(Interfaces::new(&net, Some(speeds))),
                Box::new(Tcp::new(&net)),
                Box::new(Queues::new(NetSpace::own())),
                Box::new(files::HostFiles::below(proc)),
                Box::new(Conntrack::below(proc)),
                Box::new(Cgroup::of("self")),
            ],
        }
    }
}

impl Collector for HostLook {
    fn about(&self) -> String {
        self.entity.to_string()
    }

    fn collect<'a>(&'a mut self, look: &'a mut Look) -> Pending<'a, ()> {
        Box::pin(async move { look_at(&mut self.areas, &self.entity, look) })
    }
}

/// For tests: what the host's files below other folders say, those of its file systems too.
#[cfg(test)]
pub(crate) fn seen_below(proc: &Path, sys: &Path) -> Look {
    let entity = Entity::new(EntityKind::Host, "", "h");
    let mut host = HostLook::below(Arc::clone(&entity), proc, sys);
    host.areas
        .push(Box::new(filesystems::Filesystems::below(proc)));
    let mut look = Look::at(1);
    let _ = look_at(&mut host.areas, &entity, &mut look);
    look
}
