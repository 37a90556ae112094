//! Open files and sockets.

use std::cell::RefCell;
use std::collections::{BTreeMap, HashSet};
use std::rc::Rc;
use std::time::Duration;

use plimsoll_text::Message;

use super::facts::soft_limit;
use super::filesystems::WrittenFilesystems;
use super::subject::{Current, Subject};
use crate::collector::{Collector, Look, Pending, Trouble};
use crate::collectors::host::{Area, Connections, Out};
use crate::names::process as names;
use crate::proc::descriptors::Descriptors;
use crate::proc::{Pid, file};
use crate::sockets::{EVERY_STATE, NetSpace, Sockets, TcpState};

/// The sockets of one process until it ends.
struct WatchedSockets {
    pid: Pid,
    start_ticks: u64,
    sockets: Sockets,
    /// All connections of its network namespace, if that is not this program's.
    space: Option<Connections>,
}

impl WatchedSockets {
    fn new(current: &Current) -> Self {
        let space = NetSpace::of(current.pid);
        let other = (!space.is_own()).then(|| Connections::new(space.clone()));
        Self {
            pid: current.pid,
            start_ticks: current.start_ticks,
            sockets: Sockets::new(space),
            space: other,
        }
    }
}

/// Looks every 5 s.
pub(super) struct ProcessFiles {
    subject: Rc<RefCell<Subject>>,
    sockets: Option<WatchedSockets>,
    /// States that were seen: one that is empty again is told as 0.
    seen: BTreeMap<TcpState, f64>,
    written: WrittenFilesystems,
}

impl ProcessFiles {
    pub(super) fn new(subject: Rc<RefCell<Subject>>) -> Self {
        Self {
            subject,
            sockets: None,
            seen: BTreeMap::new(),
            written: WrittenFilesystems::default(),
        }
    }

    fn look(&mut self, look: &mut Look) -> Result<(), Trouble> {
        let Some(current) = self.subject.borrow().current() else {
            return Ok(());
        };
        let mut out = Out {
            look,
            entity: &current.entity,
        };
        let swap: f64 = current.members.iter().filter_map(|pid| swap(*pid)).sum();
        out.value(&names::SWAP, &[], swap);
        if let Some(limit) = soft_limit(current.pid, "Max open files") {
            let limit = limit.parse().unwrap_or(f64::NAN);
            out.value(&names::FILES_LIMIT, &[], limit);
        }
        let (mut whole, mut most) = (Descriptors::default(), 0);
        for pid in &current.members {
            let open = match Descriptors::of(*pid) {
                Ok(open) => open,
                Err(error) if error.kind() == std::io::ErrorKind::PermissionDenied => {
                    let message = Message::new("watch-process-no-files")
                        .with("name", current.entity.name.as_str());
                    look.missing(&current.entity, message);
                    return Ok(());
                }
                Err(_) => continue, // it ended just now
            };
            most = most.max(open.count());
            whole.files += open.files;
            whole.pipes += open.pipes;
            whole.other += open.other;
            whole.sockets.extend(open.sockets);
        }
        tell(&whole, &mut out);
        out.value(&names::FILES_PEAK, &[], f64::from(most));
        self.written.look(&current, look);
        self.connections(&current, &whole.sockets, look)
    }

    /// Its TCP connections by state.
    fn connections(
        &mut self,
        current: &Current,
        inodes: &[u64],
        look: &mut Look,
    ) -> Result<(), Trouble> {
        let same = |known: &WatchedSockets| {
            (known.pid, known.start_ticks) == (current.pid, current.start_ticks)
        };
        let known = self.sockets.take().filter(same);
        let known = self
            .sockets
            .insert(known.unwrap_or_else(|| WatchedSockets::new(current)));
        let inodes: HashSet<u64> = inodes.iter().copied().collect();
        // Sockets in TIME_WAIT are nobody's.
        let states = EVERY_STATE & !TcpState::TimeWait.bit();
        self.seen.values_mut().for_each(|count| *count = 0.0);
        let seen = &mut self.seen;
        let done = known.sockets.each(states, &mut |socket| {
            if inodes.contains(&socket.inode) {
                *seen.entry(socket.state).or_default() += 1.0;
            }
        });
        done.map_err(|error| file::unreadable("/proc/net/tcp".as_ref(), &error))?;
        for (state, count) in &self.seen {
            let attributes = [("network.connection.state", state.name())];
            look.value(&current.entity, &names::CONNECTIONS, &attributes, *count);
        }
        let entity = &current.entity;
        match &mut known.space {
            Some(connections) => connections.look(&mut Out { look, entity }),
            None => Ok(()),
        }
    }
}

impl Collector for ProcessFiles {
    fn about(&self) -> String {
        format!("files of {}", self.subject.borrow().about())
    }

    fn period(&self) -> Duration {
        Duration::from_secs(5)
    }

    fn collect<'a>(&'a mut self, look: &'a mut Look) -> Pending<'a, ()> {
        Box::pin(async move { self.look(look) })
    }
}

fn tell(open: &Descriptors, out: &mut Out<'_>) {
    let sockets = open.sockets.len() as u32;
    out.value(&names::FILES, &[], f64::from(open.count()));
    for (kind, count) in [
        ("file", open.files),
        ("other", open.other),
        ("pipe", open.pipes),
        ("socket", sockets),
    ] {
        let attributes = [("file_descriptor.kind", kind)];
        out.value(&names::FILES_BY_KIND, &attributes, f64::from(count));
    }
}

/// Memory swapped out, bytes.
fn swap(pid: Pid) -> Option<f64> {
    let status = file::read(format!("/proc/{pid}/status")).ok()?;
    let line = status
        .lines()
        .find_map(|line| line.strip_prefix("VmSwap:"))?;
    Some(file::numbers(line).next()? * 1024.0)
}
