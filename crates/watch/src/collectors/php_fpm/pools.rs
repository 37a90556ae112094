//! PHP-FPM's processes on this host: their configuration, the pools that it names, and where these
//! listen. What a process says of itself is data: nothing is run, its files are read with its own
//! rights, and no other host is connected to.

use std::collections::BTreeSet;
use std::io;
use std::sync::Arc;
use std::time::Duration;

use plimsoll_stats::series::{Entity, EntityKind};
use plimsoll_text::Message;

use super::config::{self, FpmConfig, PoolSettings};
use super::status::PoolStatus;
use crate::collector::{Collector, Look, Opened, Pending, Trouble};
use crate::collectors::places::SocketPlace;
use crate::names::php_fpm as names;
use crate::proc::root::Root;
use crate::proc::{Pid, file, pids};

/// At first, and when another process may have taken its place.
const PERIOD: Duration = Duration::from_secs(10);
/// How a master's title begins; its configuration's path is behind it.
const TITLE: &str = "php-fpm: master process (";
/// Masters that are looked at.
const MAX_MASTERS: usize = 16;

/// Which pools are meant.
pub(super) enum Wanted {
    /// All of a master.
    Master(Pid),
    /// All of this host.
    All,
    /// The one at that place, which is looked at by another.
    At(String),
}

/// Finds pools.
pub(super) struct Pools {
    wanted: Wanted,
    host: String,
    /// For messages about all of them.
    entity: Arc<Entity>,
    known: BTreeSet<String>,
    found: Opened,
}

/// What is known of a pool.
struct Pool {
    entity: Arc<Entity>,
    /// None: it cannot be reached from here.
    place: Option<SocketPlace>,
    settings: PoolSettings,
}

impl Pools {
    pub(super) fn new(wanted: Wanted, host: String) -> Self {
        let entity = Entity::new(EntityKind::WebServer, "php-fpm", host.as_str());
        Self {
            wanted,
            host,
            entity,
            known: BTreeSet::new(),
            found: Opened::default(),
        }
    }

    /// Of one pool, which is called otherwise.
    pub(super) fn named(wanted: Wanted, host: String, entity: Arc<Entity>) -> Self {
        Self {
            entity,
            ..Self::new(wanted, host)
        }
    }

    fn masters(&self) -> Vec<Pid> {
        match self.wanted {
            Wanted::Master(pid) => Vec::from_iter(config_of(pid).map(|_| pid)),
            Wanted::All | Wanted::At(_) => masters(),
        }
    }

    fn look(&mut self, look: &mut Look) {
        let masters = self.masters();
        if masters.is_empty() && !matches!(self.wanted, Wanted::At(_)) {
            look.missing(&self.entity, Message::new("watch-php-fpm-no-process"));
        }
        for pid in masters {
            match read(pid) {
                Ok((root, config)) => self.pools(pid, &root, config, look),
                Err(error) => self.unread("", &error.to_string(), look),
            }
        }
    }

    fn pools(&mut self, pid: Pid, root: &Root, config: FpmConfig, look: &mut Look) {
        if let Some((path, reason)) = config.missing {
            self.unread(&path, &reason, look);
        }
        for (name, settings) in config.pools {
            let Some(listen) = settings.get("listen") else {
                continue;
            };
            let place = SocketPlace::of_setting(listen, pid, root);
            let at = place.as_ref().map_or_else(|| name.clone(), name_of);
            let entity = match &self.wanted {
                Wanted::At(wanted) if *wanted != at => continue,
                Wanted::At(_) => Arc::clone(&self.entity),
                _ => Entity::new(EntityKind::WebServer, at, self.host.as_str()),
            };
            let pool = Pool {
                entity,
                place,
                settings,
            };
            self.tell(&pool, look);
            if !matches!(self.wanted, Wanted::At(_)) {
                self.take_up(pool, pid, root, look);
            }
        }
    }

    fn tell(&self, pool: &Pool, look: &mut Look) {
        for (key, value) in &pool.settings {
            look.fact(&pool.entity, format!("php_fpm.{key}"), value.as_str());
        }
        let limit = pool.settings.get("pm.max_children");
        if let Some(limit) = limit.and_then(|limit| limit.parse().ok()) {
            look.value(&pool.entity, &names::LIMIT, &[], limit);
        }
    }

    fn take_up(&mut self, pool: Pool, pid: Pid, root: &Root, look: &mut Look) {
        let Some(path) = pool.settings.get("pm.status_path") else {
            let message = Message::new("watch-php-fpm-no-status-path");
            look.missing(
                &pool.entity,
                message.with("name", pool.entity.name.as_str()),
            );
            return;
        };
        let Some(own) = pool.place else {
            return;
        };
        if !self.known.insert(format!("{pid} {}", pool.entity.name)) {
            return;
        }
        // A listener of its own responds while all processes serve.
        let other = pool.settings.get("pm.status_listen");
        let other = other.and_then(|listen| SocketPlace::of_setting(listen, pid, root));
        let has_queue = matches!(own, SocketPlace::Tcp(..));
        let mut status = PoolStatus::new(pool.entity, other.unwrap_or(own), path.clone());
        status.has_queue = has_queue;
        self.found.collectors.push(Box::new(status));
    }

    fn unread(&self, path: &str, reason: &str, look: &mut Look) {
        let message = Message::new("watch-php-fpm-no-config");
        let message = message.with("path", path).with("reason", reason);
        look.missing(&self.entity, message);
    }
}

impl Collector for Pools {
    fn about(&self) -> String {
        "processes of php-fpm".to_owned()
    }

    fn period(&self) -> Duration {
        PERIOD
    }

    fn collect<'a>(&'a mut self, look: &'a mut Look) -> Pending<'a, ()> {
        Box::pin(async move {
            self.look(look);
            Ok::<(), Trouble>(())
        })
    }

    fn found(&mut self) -> Opened {
        std::mem::take(&mut self.found)
    }
}

/// What a pool is called in series: by its port, or its socket's file.
pub(super) fn name_of(place: &SocketPlace) -> String {
    format!("php-fpm:{}", place.short_name())
}

/// The configuration that a master's title names.
fn config_of(pid: Pid) -> Option<String> {
    let line = file::read(format!("/proc/{pid}/cmdline")).ok()?;
    let title = line.split('\0').next().unwrap_or_default();
    let path = title.strip_prefix(TITLE)?.trim_end().strip_suffix(')')?;
    path.starts_with('/').then(|| path.to_owned())
}

/// All masters of this host.
pub(crate) fn masters() -> Vec<Pid> {
    let all = pids().into_iter().filter(|pid| config_of(*pid).is_some());
    all.take(MAX_MASTERS).collect()
}

/// Where a master's pools listen, as its configuration says it: a path, an address, a port.
pub(crate) fn listens(master: Pid) -> Vec<String> {
    let read = read(master).map(|(_, config)| config.pools);
    let pools = read.unwrap_or_default().into_values();
    pools
        .filter_map(|pool| pool.get("listen").cloned())
        .collect()
}

fn read(pid: Pid) -> io::Result<(Root, FpmConfig)> {
    let file = config_of(pid).ok_or(io::ErrorKind::NotFound)?;
    let root = Root::of(pid)?;
    let config = root.visit(move |files| Ok(config::read(&file, files)))?;
    Ok((root, config))
}

#[cfg(test)]
mod tests {
    use super::config_of;

    #[test]
    fn other_processes_are_no_masters() {
        assert_eq!(config_of(std::process::id()), None);
    }
}
