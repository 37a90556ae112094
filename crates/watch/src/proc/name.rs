//! What a process is called in series: `java[8080]`, and in a container `java[8080] (shop-api)`.

use std::collections::BTreeMap;
use std::fs;

use super::container::Container;
use super::descriptors::Descriptors;
use super::{Pid, file};
use crate::sockets::{NetSpace, listening};

/// Names that the kernel keeps are cut to this.
const MAX_COMM_BYTES: usize = 15;

/// What a process calls itself: `java`, `redis-server` (whose file may be called otherwise).
pub(crate) fn program(pid: Pid) -> Option<String> {
    let name = file::read(format!("/proc/{pid}/comm")).ok()?;
    let name = without_role(name.trim_end());
    let whole = executable(pid).filter(|_| name.len() == MAX_COMM_BYTES);
    let whole = whole.filter(|whole| whole.starts_with(name));
    Some(whole.unwrap_or_else(|| name.to_owned()))
}

/// Some tell in their name what they do: `gunicorn: worker`.
fn without_role(name: &str) -> &str {
    name.split(':').next().unwrap_or_default()
}

/// What a process without a port is called, by the name that the kernel keeps.
pub(crate) fn numbered(kept: &str, pid: Pid) -> String {
    format!("{}[{pid}]", without_role(kept))
}

/// The name of the file that a process runs, where that may be seen.
pub(crate) fn executable(pid: Pid) -> Option<String> {
    let path = fs::read_link(format!("/proc/{pid}/exe")).ok()?;
    let name = path.file_name()?.to_str()?;
    Some(name.trim_end_matches(" (deleted)").to_owned())
}

/// The TCP ports at which a process listens, in order.
pub(crate) fn ports(pid: Pid) -> Vec<u16> {
    let listening = listening(&NetSpace::of(pid)).unwrap_or_default();
    let by_inode: BTreeMap<u64, u16> = listening
        .iter()
        .map(|socket| (socket.inode, socket.local.port()))
        .collect();
    let open = Descriptors::of(pid).unwrap_or_default().sockets;
    let mut ports: Vec<u16> = open
        .iter()
        .filter_map(|inode| by_inode.get(inode).copied())
        .collect();
    ports.sort_unstable();
    ports.dedup();
    ports
}

/// The name of a process' entity: its program and the lowest port it listens at, or else its
/// number, and the container that it is in: `java[8080] (shop-api)`. All sources use it, so that what they
/// say of one process comes together.
pub(crate) fn entity_name(pid: Pid) -> Option<String> {
    let program = program(pid)?;
    let port = ports(pid).first().copied().map(u32::from);
    let name = numbered(&program, port.unwrap_or(pid));
    Some(match Container::of(pid) {
        Some(container) => format!("{name} ({})", container.label()),
        None => name,
    })
}

#[cfg(test)]
#[allow(clippy::unwrap_used, clippy::expect_used)]
mod tests {
    use super::*;

    #[test]
    fn a_process_without_a_port_is_known_by_its_number() {
        let mut child = std::process::Command::new("sleep")
            .arg("60")
            .spawn()
            .unwrap();
        let name = entity_name(child.id());
        child.kill().unwrap();
        child.wait().unwrap();
        let name = name.unwrap();
        assert!(name.ends_with(&format!("[{}]", child.id())), "{name}");
        assert_eq!(entity_name(child.id()), None);
    }
}
