//! Which process an address means, and what is known of it from `/proc`.

use std::fs;
use std::io;
use std::sync::Arc;

use plimsoll_stats::series::{Entity, EntityKind};
use plimsoll_text::Message;

use crate::collector::Trouble;
use crate::proc::find::{self, FoundProcess};
use crate::proc::name;
use crate::proc::root::Root;

/// How a JVM is found.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum JvmAddress {
    /// `pid:1234`: that process and no other.
    Pid(u32),
    /// `8080`, `:8080`, `port:8080`: whoever listens there, also after a restart.
    Port(u16),
}

impl JvmAddress {
    /// Reads an address.
    ///
    /// # Errors
    /// What it could be instead.
    pub(crate) fn parse(text: &str) -> Result<Self, Trouble> {
        let port = text.trim_start_matches("port:").trim_start_matches(':');
        let parsed = match text.strip_prefix("pid:") {
            Some(pid) => pid.parse().ok().filter(|pid| *pid > 0).map(Self::Pid),
            None => port.parse().ok().filter(|port| *port > 0).map(Self::Port),
        };
        parsed.ok_or_else(|| Trouble::new(Message::new("watch-jvm-address").with("address", text)))
    }

    /// The address as it is written.
    pub(crate) fn text(self) -> String {
        match self {
            Self::Pid(pid) => format!("pid:{pid}"),
            Self::Port(port) => port.to_string(),
        }
    }

    /// The name of the thing before its process was ever seen.
    pub(crate) fn guess(self) -> String {
        match self {
            Self::Pid(pid) => format!("java[{pid}]"),
            Self::Port(port) => format!("java[{port}]"),
        }
    }
}

/// A process that was found, and by which it is known again.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct JvmProcess {
    /// Its number here.
    pub(crate) pid: u32,
    /// Its number in its own (innermost) namespace, which names its files.
    pub(crate) inner_pid: u32,
    /// Whose files it makes.
    pub(crate) uid: u32,
    /// Their group.
    pub(crate) gid: u32,
    /// When it started, in clock ticks since boot: tells it from a later one of that number.
    pub(crate) started_ticks: u64,
}

impl JvmProcess {
    /// Finds the process of an address.
    ///
    /// # Errors
    /// Nothing is there, or it cannot be seen who it is.
    pub(crate) fn find(address: JvmAddress) -> Result<Self, Trouble> {
        match address {
            JvmAddress::Pid(pid) => Self::of(pid)
                .ok_or_else(|| Trouble::new(Message::new("watch-jvm-no-process").with("pid", pid))),
            JvmAddress::Port(port) => Self::listening(port),
        }
    }

    /// The process of that number, if there is one.
    pub(crate) fn of(pid: u32) -> Option<Self> {
        let status = fs::read_to_string(format!("/proc/{pid}/status")).ok()?;
        let field = |name: &str| {
            let line = status.lines().find(|line| line.starts_with(name))?;
            Some(line[name.len()..].split_whitespace().collect::<Vec<_>>())
        };
        let effective = |name: &str| field(name)?.get(1)?.parse().ok();
        let inner = field("NSpid:").and_then(|pids| pids.last()?.parse().ok());
        Some(Self {
            pid,
            inner_pid: inner.unwrap_or(pid),
            uid: effective("Uid:")?,
            gid: effective("Gid:")?,
            started_ticks: started_ticks(pid)?,
        })
    }

    fn listening(port: u16) -> Result<Self, Trouble> {
        let trouble = |id: &str| Trouble::new(Message::new(id).with("port", port.to_string()));
        match find::by_port(port) {
            FoundProcess::Process(pid) => {
                Self::of(pid).ok_or_else(|| trouble("watch-jvm-no-listener"))
            }
            FoundProcess::Hidden => Err(trouble("watch-jvm-listener-unseen")),
            FoundProcess::Nobody => Err(trouble("watch-jvm-no-listener")),
        }
    }

    /// Whether it still runs.
    pub(crate) fn alive(&self) -> bool {
        started_ticks(self.pid) == Some(self.started_ticks)
    }

    /// Its own view of the file system (it may run in a container).
    ///
    /// # Errors
    /// It is gone, or this user may not look into it.
    pub(crate) fn root(&self) -> io::Result<Root> {
        let root = Root::of(self.pid)?;
        match self.alive() {
            true => Ok(root),
            false => Err(io::ErrorKind::NotFound.into()),
        }
    }

    /// The arguments it was started with, which may hold secrets.
    pub(crate) fn arguments(&self) -> Vec<String> {
        let bytes = fs::read(format!("/proc/{}/cmdline", self.pid)).unwrap_or_default();
        let arguments = bytes.split(|byte| *byte == 0);
        let mut arguments: Vec<_> = arguments
            .map(|argument| String::from_utf8_lossy(argument).into_owned())
            .collect();
        // The last one ends with NUL too.
        arguments.pop();
        arguments
    }

    /// Its name in series, the same as that of the process itself.
    pub(crate) fn name(&self) -> String {
        name::entity_name(self.pid).unwrap_or_else(|| format!("java[{}]", self.pid))
    }

    /// The JVM in it, as a thing that has series.
    pub(crate) fn entity(&self, host: &str) -> Arc<Entity> {
        Entity::new(EntityKind::Jvm, self.name(), host)
    }
}

/// When a process started, in clock ticks since boot; none for one that is gone or a zombie.
fn started_ticks(pid: u32) -> Option<u64> {
    let stat = find::stat_of(pid).filter(|stat| !matches!(stat.state, 'Z' | 'X'));
    stat.map(|stat| stat.start_ticks)
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, clippy::expect_used)]
    use std::net::TcpListener;

    use super::*;

    #[test]
    fn addresses_are_pids_or_ports() {
        let parsed = |text| JvmAddress::parse(text).ok();
        assert_eq!(parsed("pid:12"), Some(JvmAddress::Pid(12)));
        assert_eq!(parsed("8080"), Some(JvmAddress::Port(8080)));
        assert_eq!(parsed("port:8080"), Some(JvmAddress::Port(8080)));
        assert_eq!(parsed(":8080"), Some(JvmAddress::Port(8080)));
        for wrong in ["", "pid:", "pid:0", "0", "70000", "web", "pid:-1"] {
            assert_eq!(parsed(wrong), None, "{wrong}");
        }
    }

    #[test]
    fn the_listener_of_a_port_is_found_and_named_after_its_lowest_port() {
        let (one, two) = (
            TcpListener::bind("127.0.0.1:0").unwrap(),
            TcpListener::bind("127.0.0.1:0").unwrap(),
        );
        let port = |listener: &TcpListener| listener.local_addr().unwrap().port();
        let process = JvmProcess::find(JvmAddress::Port(port(&one))).unwrap();
        assert_eq!(process.pid, std::process::id());
        assert!(process.alive());
        // Other tests of this program may listen too.
        let named = process.name();
        let lowest: u16 = named[named.find('[').unwrap() + 1..named.len() - 1]
            .parse()
            .unwrap();
        assert!(lowest <= port(&one).min(port(&two)), "{named}");
        assert!(!process.arguments().is_empty());
    }

    #[test]
    fn who_is_not_there_is_told() {
        let closed = TcpListener::bind("127.0.0.1:0").unwrap();
        let port = closed.local_addr().unwrap().port();
        drop(closed);
        let trouble = JvmProcess::find(JvmAddress::Port(port)).unwrap_err();
        assert_eq!(trouble.message.id, "watch-jvm-no-listener");
        let trouble = JvmProcess::find(JvmAddress::Pid(u32::MAX)).unwrap_err();
        assert_eq!(trouble.message.id, "watch-jvm-no-process");
        let mut process = JvmProcess::of(std::process::id()).unwrap();
        process.started_ticks += 1;
        assert!(!process.alive());
    }
}
