//! What `/proc` and the kernel show of a process.

use std::collections::HashSet;
use std::fs;
use std::io::{self, Read};
use std::time::{Duration, SystemTime};

use plimsoll_knobs::readback::{Backlog, NginxFilesSeen, NotSeen, WorkerSeen};
use rustix::time::{ClockId, clock_gettime};

use crate::collectors::nginx::in_force;
use crate::proc::cgroup::ProcessCgroups;
use crate::proc::descriptors::Descriptors;
use crate::proc::find::{FoundProcess, by_port, stat_of};
use crate::proc::stat::ticks_to_seconds;
use crate::proc::{Pid, find};
use crate::sockets::{NetSpace, listening};

/// Nothing longer is read.
const MAX_BYTES: u64 = 4 << 20;

fn text(path: &str) -> Result<Vec<u8>, NotSeen> {
    let mut bytes = Vec::new();
    let read = fs::File::open(path).and_then(|file| file.take(MAX_BYTES).read_to_end(&mut bytes));
    read.map_err(|error| NotSeen::failed(path, error))?;
    Ok(bytes)
}

/// The parts that NUL ends.
fn parts(bytes: &[u8]) -> Vec<String> {
    let ended = bytes.strip_suffix(b"\0").unwrap_or(bytes);
    let parts = ended.split(|byte| *byte == 0);
    parts
        .map(|part| String::from_utf8_lossy(part).into_owned())
        .collect()
}

pub(super) fn listening_at(port: u16) -> Option<Pid> {
    match by_port(port) {
        FoundProcess::Process(pid) => Some(pid),
        FoundProcess::Hidden | FoundProcess::Nobody => None,
    }
}

/// All who listen at a port of this host's own network, each a process that no other one of them has started.
#[must_use]
pub fn all_listening_at(port: u16) -> Vec<Pid> {
    find::holding(&find::listening_at(&NetSpace::own(), port))
}

pub(super) fn arguments(pid: Pid) -> Result<Vec<String>, NotSeen> {
    Ok(parts(&text(&format!("/proc/{pid}/cmdline"))?))
}

pub(super) fn variable(pid: Pid, name: &str) -> Result<Option<String>, NotSeen> {
    let all = parts(&text(&format!("/proc/{pid}/environ"))?);
    let own = |part: &String| Some(part.strip_prefix(name)?.strip_prefix('=')?.to_owned());
    Ok(all.iter().find_map(own))
}

/// Below `/proc/sys/net` the kernel shows each what its own namespace has.
pub(super) fn kernel_file(process: Option<Pid>, path: &str) -> Result<String, NotSeen> {
    let known = ["/proc/sys/", "/sys/"]
        .iter()
        .any(|start| path.starts_with(start));
    if !known || path.split('/').any(|part| part == "..") {
        return Err(NotSeen::NoWay);
    }
    let space = process.map_or_else(NetSpace::own, NetSpace::of);
    let read = space
        .inside(|| fs::read_to_string(path))
        .and_then(|read| read);
    read.map_err(|error| NotSeen::failed(path, error))
}

pub(super) fn cgroup_file(pid: Pid, name: &str) -> Result<String, NotSeen> {
    let by = || format!("cgroup {name}");
    let read = || {
        let membership = fs::read_to_string(format!("/proc/{pid}/cgroup"))?;
        let mounts = fs::read_to_string("/proc/self/mountinfo")?;
        ProcessCgroups::locate(&membership, &mounts).own_file(name)
    };
    read().map_err(|error: io::Error| NotSeen::failed(by(), error))
}

/// The soft limit; `unlimited` is the greatest number.
pub(super) fn open_files(pid: Pid) -> Result<u64, NotSeen> {
    let path = format!("/proc/{pid}/limits");
    let bytes = text(&path)?;
    let limits = String::from_utf8_lossy(&bytes);
    let line = limits
        .lines()
        .find_map(|line| line.strip_prefix("Max open files"));
    let soft = line.and_then(|line| line.split_whitespace().next());
    match soft {
        Some("unlimited") => Ok(u64::MAX),
        Some(number) => number.parse().map_err(|error| NotSeen::failed(path, error)),
        None => Err(NotSeen::hidden(path)),
    }
}

/// The sockets on which the process or its workers listen, with the kernel's limits of their queues.
pub(super) fn backlogs(pid: Pid) -> Result<Vec<Backlog>, NotSeen> {
    let by = || format!("/proc/{pid}/fd");
    let mut open: HashSet<u64> = HashSet::new();
    for one in std::iter::once(pid).chain(find::workers(pid)) {
        let sockets = Descriptors::of(one).map_err(|error| NotSeen::failed(by(), error))?;
        open.extend(sockets.sockets);
    }
    let space = NetSpace::of(pid);
    let all = listening(&space).map_err(|error| NotSeen::failed("sock_diag", error))?;
    let own = all
        .into_iter()
        .filter(|socket| open.contains(&socket.inode));
    let told = own.map(|socket| Backlog {
        address: socket.local.to_string(),
        // The kernel tells the limit of a listening socket's queue where others have what is not sent.
        limit: u64::from(socket.send_queue),
    });
    Ok(told.collect())
}

/// When a process began: at most a clock tick later than it did.
fn began(pid: Pid) -> Option<SystemTime> {
    let ticks = stat_of(pid)?.start_ticks;
    #[expect(clippy::cast_precision_loss, reason = "exact for thousands of years")]
    let since_boot = Duration::from_secs_f64(ticks_to_seconds((ticks + 1) as f64));
    let up = clock_gettime(ClockId::Boottime);
    let up = Duration::new(up.tv_sec.try_into().ok()?, up.tv_nsec.try_into().ok()?);
    Some(SystemTime::now() - up.saturating_sub(since_boot))
}

fn master(pid: Pid) -> Result<Pid, NotSeen> {
    in_force::master_of(pid).ok_or_else(|| NotSeen::hidden("nginx: master process"))
}

pub(super) fn nginx_workers(pid: Pid) -> Result<Vec<WorkerSeen>, NotSeen> {
    let workers = in_force::serving(master(pid)?).into_iter();
    let seen = |pid| {
        Some(WorkerSeen {
            began: began(pid)?,
            open_files: open_files(pid).ok()?,
        })
    };
    Ok(workers.filter_map(seen).collect())
}

pub(super) fn nginx_files(pid: Pid) -> Result<NginxFilesSeen, NotSeen> {
    let read = in_force::configuration(master(pid)?);
    let found = read.map_err(|error| NotSeen::failed("nginx.conf", error))?;
    Ok(NginxFilesSeen {
        files: found.files,
        changed: found.changed,
    })
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;

    #[test]
    fn this_process_is_seen() {
        let pid = std::process::id();
        assert_eq!(
            arguments(pid).unwrap(),
            std::env::args().collect::<Vec<_>>()
        );
        let path = std::env::var("PATH").unwrap();
        assert_eq!(variable(pid, "PATH").unwrap(), Some(path));
        assert_eq!(variable(pid, "PAT").unwrap(), None);
        assert!(open_files(pid).unwrap() > 0);
        let age = began(pid).unwrap().elapsed().unwrap_or_default();
        let born = fs::metadata(format!("/proc/{pid}")).unwrap().modified();
        assert!(born.is_ok() && age < Duration::from_secs(86_400));
    }

    #[test]
    fn queues_are_those_that_were_asked_for() {
        let socket = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
        let address = socket.local_addr().unwrap().to_string();
        let all = backlogs(std::process::id()).unwrap();
        let own = all.iter().find(|one| one.address == address).unwrap();
        // What Rust's library asks for (128), or what the kernel allows.
        let most = fs::read_to_string("/proc/sys/net/core/somaxconn").unwrap();
        assert!(
            own.limit > 0 && own.limit <= most.trim().parse().unwrap(),
            "{own:?}"
        );
    }

    #[test]
    fn only_the_kernels_files_are_files_of_the_kernel() {
        assert!(kernel_file(None, "/proc/sys/net/core/somaxconn").is_ok());
        for path in [
            "/etc/passwd",
            "/proc/sys/../../etc/passwd",
            "/proc/1/environ",
        ] {
            assert_eq!(kernel_file(None, path), Err(NotSeen::NoWay), "{path}");
        }
    }

    #[test]
    fn who_is_gone_is_told() {
        let gone = u32::MAX - 1;
        assert!(matches!(arguments(gone), Err(NotSeen::Failed { .. })));
        assert!(matches!(open_files(gone), Err(NotSeen::Failed { .. })));
        assert!(matches!(nginx_workers(gone), Err(NotSeen::Hidden { .. })));
        assert!(began(gone).is_none());
    }
}
