//! Which process is watched, now.

use std::cell::RefCell;
use std::fmt;
use std::rc::Rc;
use std::sync::Arc;

use plimsoll_stats::series::{Entity, EntityKind};
use plimsoll_text::Message;

use crate::collector::{Look, Trouble};
use crate::proc::find::{self, FoundProcess};
use crate::proc::{Pid, name};

/// What the plan says of a process.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum SubjectTarget {
    /// The one that listens there.
    Port(u16),
    /// The one with that number.
    Pid(Pid),
    /// The one of that program.
    Name(String),
}

impl SubjectTarget {
    /// Reads `8080`, `:8080`, `pid:123` or a name.
    pub(crate) fn parse(address: &str) -> Option<Self> {
        if let Some(pid) = address.strip_prefix("pid:") {
            return pid.parse().ok().filter(|pid| *pid > 0).map(Self::Pid);
        }
        let port = address.strip_prefix(':').unwrap_or(address);
        if port.bytes().all(|byte| byte.is_ascii_digit()) {
            return port.parse().ok().filter(|port| *port > 0).map(Self::Port);
        }
        let odd = |c: char| c == '/' || c.is_whitespace() || c.is_control();
        (!address.contains(odd)).then(|| Self::Name(address.to_owned()))
    }

    /// The process that is there now.
    pub(crate) fn find(&self) -> Result<Pid, Trouble> {
        let trouble = |id: &str| Trouble::new(Message::new(id).with("process", self.to_string()));
        match self {
            Self::Port(port) => match find::by_port(*port) {
                FoundProcess::Process(pid) => Ok(pid),
                FoundProcess::Hidden => Err(trouble("watch-process-hidden")),
                FoundProcess::Nobody => Err(trouble("watch-process-absent")),
            },
            Self::Pid(pid) => match find::stat_of(*pid) {
                Some(_) => Ok(*pid),
                None => Err(trouble("watch-process-absent")),
            },
            Self::Name(name) => match find::by_name(name).as_slice() {
                [pid] => Ok(*pid),
                [] => Err(trouble("watch-process-absent")),
                several => Err(ambiguous(name, several)),
            },
        }
    }
}

fn ambiguous(program: &str, pids: &[Pid]) -> Trouble {
    let known = pids.iter().map(|pid| {
        let name = name::entity_name(*pid).unwrap_or_default();
        format!("pid:{pid} {name}")
    });
    Trouble::new(
        Message::new("watch-process-ambiguous")
            .with("name", program)
            .with("known", known.collect::<Vec<_>>().join(", ")),
    )
}

impl fmt::Display for SubjectTarget {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Port(port) => write!(f, "{port}"),
            Self::Pid(pid) => write!(f, "pid:{pid}"),
            Self::Name(name) => f.write_str(name),
        }
    }
}

/// A process that is there.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Current {
    pub(crate) pid: Pid,
    /// With the number it tells this process from a later one.
    pub(crate) start_ticks: u64,
    pub(crate) entity: Arc<Entity>,
    /// The process and its workers of the same program.
    pub(crate) members: Vec<Pid>,
}

/// The process that several collectors watch together.
#[derive(Debug)]
pub(crate) struct Subject {
    target: SubjectTarget,
    host: String,
    current: Option<Current>,
    /// The last one, when it is gone.
    last: Option<Current>,
}

impl Subject {
    /// A subject that has not been looked for yet.
    pub(crate) fn shared(target: SubjectTarget, host: String) -> Rc<RefCell<Self>> {
        Rc::new(RefCell::new(Self {
            target,
            host,
            current: None,
            last: None,
        }))
    }

    /// What is watched, for messages.
    pub(crate) fn about(&self) -> String {
        format!("process {} @ {}", self.target, self.host)
    }

    /// Whom the others look at: what [`find`](Self::find) found last.
    pub(crate) fn current(&self) -> Option<Current> {
        self.current.clone()
    }

    /// The thing that is watched, even while it is not there.
    pub(crate) fn entity(&self) -> Arc<Entity> {
        let known = self.current.as_ref().or(self.last.as_ref());
        known.map_or_else(
            || Entity::new(EntityKind::Process, self.target.to_string(), &*self.host),
            |known| Arc::clone(&known.entity),
        )
    }

    /// Sees whether the process is still the same, and looks for it again if not.
    pub(crate) fn find(&mut self, look: &mut Look) -> Result<Current, Trouble> {
        if let Some(current) = &mut self.current {
            if is_alive(current) {
                current.members = members(current.pid);
                return Ok(current.clone());
            }
            let gone = Message::new("watch-process-gone")
                .with("name", current.entity.name.as_str())
                .with("pid", current.pid.to_string());
            look.event(&current.entity, gone);
            self.last = self.current.take();
        }
        let pid = self.target.find()?;
        let current = self.begin(pid)?;
        if let Some(last) = self.last.take() {
            let message = Message::new("watch-process-restarted")
                .with("name", current.entity.name.as_str())
                .with("before", last.pid.to_string())
                .with("pid", pid.to_string());
            look.event(&current.entity, message);
        }
        self.current = Some(current.clone());
        Ok(current)
    }

    fn begin(&self, pid: Pid) -> Result<Current, Trouble> {
        let absent = || {
            Trouble::new(
                Message::new("watch-process-absent").with("process", self.target.to_string()),
            )
        };
        let stat = find::stat_of(pid).filter(|stat| stat.state != 'Z');
        let stat = stat.ok_or_else(absent)?;
        // Whoever takes the same port is the same thing to its user.
        let known = self.last.as_ref().map(|last| Arc::clone(&last.entity));
        let entity = match known.filter(|_| matches!(self.target, SubjectTarget::Port(_))) {
            Some(entity) => entity,
            None => {
                let name = name::entity_name(pid).ok_or_else(absent)?;
                Entity::new(EntityKind::Process, name, self.host.as_str())
            }
        };
        Ok(Current {
            pid,
            start_ticks: stat.start_ticks,
            entity,
            members: members(pid),
        })
    }
}

fn members(pid: Pid) -> Vec<Pid> {
    let mut members = vec![pid];
    members.extend(find::workers(pid));
    members
}

fn is_alive(current: &Current) -> bool {
    find::stat_of(current.pid)
        .is_some_and(|stat| stat.start_ticks == current.start_ticks && stat.state != 'Z')
}

#[cfg(test)]
#[allow(clippy::unwrap_used, clippy::expect_used)]
mod tests {
    use super::*;

    #[test]
    fn addresses_are_ports_numbers_and_names() {
        for (text, target) in [
            ("8080", SubjectTarget::Port(8080)),
            (":8080", SubjectTarget::Port(8080)),
            ("pid:12", SubjectTarget::Pid(12)),
            ("mariadbd", SubjectTarget::Name("mariadbd".to_owned())),
        ] {
            assert_eq!(SubjectTarget::parse(text), Some(target.clone()));
            assert_eq!(SubjectTarget::parse(&target.to_string()), Some(target));
        }
        for text in ["", "0", "70000", "pid:", "pid:x", "pid:0", "/bin/x", "a b"] {
            assert_eq!(SubjectTarget::parse(text), None, "{text}");
        }
    }
}
