//! HAProxy's process on this host: the files that its command line names, and the stats socket that
//! these name. Nothing is run; its files are read, and its socket is reached, with its own rights.

use std::io;
use std::sync::Arc;
use std::time::Duration;

use plimsoll_stats::series::Entity;
use plimsoll_text::Message;

use super::config::{self, HaproxyConfig};
use super::status::HaproxySocket;
use crate::collector::{Collector, Look, Opened, Pending, Trouble};
use crate::collectors::places::SocketPlace;
use crate::proc::find::stat_of;
use crate::proc::root::Root;
use crate::proc::{Pid, file, name};

const PERIOD: Duration = Duration::from_secs(30);

/// Finds its stats socket.
pub(super) struct HaproxyProcess {
    pid: Pid,
    entity: Arc<Entity>,
    known: bool,
    found: Opened,
}

impl HaproxyProcess {
    pub(super) fn new(pid: Pid, entity: Arc<Entity>) -> Self {
        Self {
            pid,
            entity,
            known: false,
            found: Opened::default(),
        }
    }

    fn look(&mut self, look: &mut Look) {
        let (root, config) = match read(self.pid) {
            Ok(read) => read,
            Err(error) => return self.unread("", &error.to_string(), look),
        };
        if let Some((path, reason)) = config.missing {
            self.unread(&path, &reason, look);
        }
        for (key, value) in config.facts {
            look.fact(&self.entity, format!("haproxy.{key}"), value);
        }
        let master = master(self.pid);
        let mut places = config.sockets.iter();
        let place = places.find_map(|place| SocketPlace::of_setting(place, master, &root));
        let Some(place) = place else {
            look.missing(&self.entity, Message::new("watch-haproxy-no-socket"));
            return;
        };
        if !self.known {
            self.known = true;
            let entity = Arc::clone(&self.entity);
            let status = HaproxySocket { entity, place };
            self.found.collectors.push(Box::new(status));
        }
    }

    fn unread(&self, path: &str, reason: &str, look: &mut Look) {
        let message = Message::new("watch-haproxy-no-config");
        let message = message.with("path", path).with("reason", reason);
        look.missing(&self.entity, message);
    }
}

impl Collector for HaproxyProcess {
    fn about(&self) -> String {
        format!("haproxy pid:{}", self.pid)
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

/// Of a worker, the master: a worker may see no files any more.
fn master(pid: Pid) -> Pid {
    let parent = stat_of(pid).map(|stat| stat.parent);
    let is_haproxy = |pid: &Pid| name::program(*pid).as_deref() == Some("haproxy");
    parent.filter(is_haproxy).unwrap_or(pid)
}

fn read(pid: Pid) -> io::Result<(Root, HaproxyConfig)> {
    let pid = master(pid);
    let line = file::read(format!("/proc/{pid}/cmdline"))?;
    let folder = std::fs::read_link(format!("/proc/{pid}/cwd")).unwrap_or_default();
    let root = Root::of(pid)?;
    let folder = root.inner(&folder).unwrap_or_else(|| "/".into());
    let words: Vec<&str> = line.split('\0').collect();
    let paths: Vec<String> = files_of(&words)
        .into_iter()
        .map(|path| folder.join(path).to_string_lossy().into_owned())
        .collect();
    let config = root.visit(move |files| Ok(config::read(&paths, files)))?;
    Ok((root, config))
}

/// The files that a command line names: each behind `-f`, and all behind `--`.
fn files_of<'a>(words: &[&'a str]) -> Vec<&'a str> {
    let mut files = Vec::new();
    let mut words = words.iter().copied().filter(|word| !word.is_empty());
    while let Some(word) = words.next() {
        match word {
            "-f" => files.extend(words.next()),
            "--" => files.extend(words.by_ref()),
            _ => {}
        }
    }
    files
}

#[cfg(test)]
mod tests {
    use super::files_of;

    #[test]
    fn the_command_line_names_files() {
        let words = [
            "haproxy", "-Ws", "-f", "a.cfg", "-p", "/run/pid", "-f", "/b", "--", "c", "d", "",
        ];
        assert_eq!(files_of(&words), ["a.cfg", "/b", "c", "d"]);
        assert!(files_of(&["haproxy", "-f"]).is_empty());
    }
}
