//! Finding processes: by the port they listen at, by their name.

use std::collections::{BTreeMap, HashMap, HashSet};
use std::fs;

use super::descriptors::Descriptors;
use super::{Pid, file, name, pids, stat};
use crate::sockets::{NetSpace, listening};

/// Who has sockets open.
#[derive(Debug, Default)]
pub(crate) struct Holders {
    /// Processes that hold one of those asked for, by its number.
    pub(crate) by_socket: HashMap<u64, Vec<Pid>>,
    /// Processes that could not be looked into: another user's, and we are not root.
    pub(crate) hidden: usize,
}

/// The processes that hold one of these sockets.
pub(crate) fn holders(inodes: &HashSet<u64>) -> Holders {
    let mut found = Holders::default();
    if inodes.is_empty() {
        return found;
    }
    for pid in pids() {
        match Descriptors::of(pid) {
            Ok(open) => {
                for inode in open.sockets.iter().filter(|inode| inodes.contains(inode)) {
                    found.by_socket.entry(*inode).or_default().push(pid);
                }
            }
            Err(error) if error.kind() == std::io::ErrorKind::PermissionDenied => {
                found.hidden += 1;
            }
            Err(_) => {}
        }
    }
    found
}

/// What listening at a port was found to be.
#[derive(Debug, PartialEq)]
pub(crate) enum FoundProcess {
    /// This process; with workers that share its socket, the one they come from.
    Process(Pid),
    /// Somebody listens, but who is not to be seen without root.
    Hidden,
    /// Nobody listens.
    Nobody,
}

/// Who listens at a port: in this program's network namespace, or else in another one.
pub(crate) fn by_port(port: u16) -> FoundProcess {
    let mut found = by_port_in(&NetSpace::own(), port);
    if let FoundProcess::Process(pid) = found {
        return FoundProcess::Process(behind_forwarder(pid).unwrap_or(pid));
    }
    // Only now: every process is asked in which one it is.
    for space in spaces().iter().filter(|space| !space.is_own()) {
        match by_port_in(space, port) {
            FoundProcess::Process(pid) => return FoundProcess::Process(pid),
            FoundProcess::Hidden => found = FoundProcess::Hidden,
            FoundProcess::Nobody => {}
        }
    }
    found
}

/// Who is behind Docker's forwarder of a published port; none where it is no such, or nobody is seen behind it.
pub(crate) fn behind_forwarder(pid: Pid) -> Option<Pid> {
    if name::program(pid)? != "docker-proxy" {
        return None;
    }
    let (address, port) = forwards_to(&file::read(format!("/proc/{pid}/cmdline")).ok()?)?;
    let spaces = spaces();
    let mut others = spaces.iter().filter(|space| !space.is_own());
    others.find_map(|space| match by_port_in(space, port) {
        FoundProcess::Process(pid) if has_address(pid, &address) => Some(pid),
        _ => None,
    })
}

/// Where Docker's forwarder leads to, by its command line.
fn forwards_to(line: &str) -> Option<(String, u16)> {
    let mut words = line.split('\0').skip_while(|word| *word != "-container-ip");
    let address = words.nth(1)?.to_owned();
    let mut words = line
        .split('\0')
        .skip_while(|word| *word != "-container-port");
    Some((address, words.nth(1)?.parse().ok()?))
}

/// Whether the network namespace of a process has an address (IPv4), by its routes.
fn has_address(pid: Pid, address: &str) -> bool {
    let routes = file::read(format!("/proc/{pid}/net/fib_trie")).unwrap_or_default();
    let mut words = routes.split_whitespace();
    words.any(|word| word == address)
}

fn by_port_in(space: &NetSpace, port: u16) -> FoundProcess {
    let inodes = listening_at(space, port);
    match holding(&inodes).first() {
        Some(pid) => FoundProcess::Process(*pid),
        None if inodes.is_empty() => FoundProcess::Nobody,
        None => FoundProcess::Hidden,
    }
}

/// Those who hold one of these sockets, each a process that no other one of them has started, the oldest first.
pub(crate) fn holding(inodes: &HashSet<u64>) -> Vec<Pid> {
    let holders = holders(inodes).by_socket.into_values().flatten();
    roots(&holders.collect::<Vec<_>>())
}

/// The numbers of the sockets that listen at a port.
pub(crate) fn listening_at(space: &NetSpace, port: u16) -> HashSet<u64> {
    let sockets = listening(space).unwrap_or_default().into_iter();
    let sockets = sockets.filter(|socket| socket.local.port() == port);
    sockets.map(|socket| socket.inode).collect()
}

/// All network namespaces that can be seen, this program's own first.
pub(crate) fn spaces() -> Vec<NetSpace> {
    let own = NetSpace::number("/proc/self/ns/net");
    let mut known: HashSet<_> = own.into_iter().collect();
    let mut spaces = vec![NetSpace::own()];
    for pid in pids() {
        if let Some(number) = NetSpace::number(&format!("/proc/{pid}/ns/net"))
            && known.insert(number)
        {
            spaces.push(NetSpace::of(pid));
        }
    }
    spaces
}

/// Of some processes, those whose parent is none of them, the oldest first.
pub(crate) fn roots(pids: &[Pid]) -> Vec<Pid> {
    let all: BTreeMap<Pid, stat::Stat> = pids
        .iter()
        .filter_map(|pid| Some((*pid, stat_of(*pid)?)))
        .collect();
    let mut roots: Vec<(u64, Pid)> = all
        .iter()
        .filter(|(_, stat)| !all.contains_key(&stat.parent))
        .map(|(pid, stat)| (stat.start_ticks, *pid))
        .collect();
    roots.sort_unstable();
    roots.into_iter().map(|(_, pid)| pid).collect()
}

/// The line of a process now; none if there is no such process.
pub(crate) fn stat_of(pid: Pid) -> Option<stat::Stat> {
    stat::parse(&file::read(format!("/proc/{pid}/stat")).ok()?)
}

/// Processes of a program of that name that are not workers of another such.
pub(crate) fn by_name(wanted: &str) -> Vec<Pid> {
    let is_called = |pid: &Pid| {
        let names = [name::program(*pid), name::executable(*pid)];
        names.iter().flatten().any(|name| name == wanted)
    };
    let named: Vec<Pid> = pids().into_iter().filter(is_called).collect();
    roots(&named)
}

/// The workers of a process: its descendants that run the same program.
pub(crate) fn workers(pid: Pid) -> Vec<Pid> {
    let what = |pid| name::executable(pid).or_else(|| name::program(pid));
    let Some(program) = what(pid) else {
        return Vec::new();
    };
    let mut all = Vec::new();
    let mut parents = vec![pid];
    while let Some(parent) = parents.pop() {
        let path = format!("/proc/{parent}/task/{parent}/children");
        let children = fs::read_to_string(path).unwrap_or_default();
        for child in children.split_ascii_whitespace() {
            if let Ok(child) = child.parse::<Pid>()
                && what(child).as_ref() == Some(&program)
            {
                all.push(child);
                parents.push(child);
            }
        }
    }
    all.sort_unstable();
    all
}

#[cfg(test)]
#[allow(clippy::unwrap_used, clippy::expect_used)]
mod tests {
    use super::*;

    #[test]
    fn a_forwarder_says_where_it_leads() {
        let line = "/usr/bin/docker-proxy -proto tcp -host-ip 0.0.0.0 -host-port 8080 -container-ip 172.17.0.2 \
                    -container-port 80 ";
        let forwards = |line: &str| forwards_to(&line.replace(' ', "\0"));
        assert_eq!(forwards(line), Some(("172.17.0.2".to_owned(), 80)));
        assert_eq!(forwards("/usr/bin/docker-proxy -proto tcp "), None);
        assert!(has_address(std::process::id(), "127.0.0.1"));
        assert!(!has_address(std::process::id(), "203.0.113.9"));
        assert_eq!(behind_forwarder(std::process::id()), None);
    }

    #[test]
    fn this_program_is_found_by_its_port() {
        let listener = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
        let port = listener.local_addr().unwrap().port();
        assert_eq!(by_port(port), FoundProcess::Process(std::process::id()));
        assert!(name::ports(std::process::id()).contains(&port));
        drop(listener);
        assert_eq!(by_port(port), FoundProcess::Nobody);
    }

    #[test]
    fn the_first_of_a_family_is_its_root() {
        let mut child = std::process::Command::new("sleep")
            .arg("60")
            .spawn()
            .unwrap();
        let (own, its) = (std::process::id(), child.id());
        let found = (roots(&[its, own]), roots(&[its]));
        child.kill().unwrap();
        child.wait().unwrap();
        assert_eq!(found, (vec![own], vec![its]));
    }
}
