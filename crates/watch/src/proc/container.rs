//! In which container and pod a process runs, by what the kernel and the runtimes' own folders say; nobody
//! is asked. What comes from there is others' text: of names only letters, digits and `. _ -` are kept.

use std::fs;
use std::os::fd::AsFd;
use std::path::Path;

use rustix::thread::{LinkNameSpaceType, move_into_link_name_space};
use serde::Deserialize;

use super::{Pid, file, host};

/// Names are cut to this, as those of hosts are (RFC 1035).
const MAX_NAME: usize = 63;
/// Digits of a container's id: SHA-256.
const ID_DIGITS: usize = 64;
/// So many of them tell it apart for people.
const SHORT_ID: usize = 12;
/// Settings of a container are not larger.
const MAX_SETTINGS_BYTES: u64 = 4 << 20;
/// So many logs of containers are looked through.
const MAX_LOGS: usize = 10_000;
/// How groups are called that runtimes make: what is before the id, and the runtime.
const RUNTIMES: [(&str, &str); 6] = [
    ("docker-", "docker"),
    ("cri-containerd-", "containerd"),
    ("nerdctl-", "containerd"),
    ("crio-", "cri-o"),
    ("libpod-", "podman"),
    ("", "container"),
];
/// Folders of groups above the id that tell the runtime where its own name does not.
const FOLDERS: [(&str, &str); 4] = [
    ("docker", "docker"),
    ("libpod_parent", "podman"),
    ("kubepods", "kubernetes"),
    ("kubepods.slice", "kubernetes"),
];

/// A container.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub(crate) struct Container {
    /// Its id, 64 hexadecimal digits; empty: it is known by its namespace alone.
    pub(crate) id: String,
    /// Who runs it: docker, containerd, cri-o, podman, kubernetes; else container.
    pub(crate) runtime: &'static str,
    /// Its name, as its runtime has it; else that of its host.
    pub(crate) name: Option<String>,
    /// The pod of Kubernetes that it is in, and the pod's namespace.
    pub(crate) pod: Option<(String, String)>,
}

impl Container {
    /// The container of a process; none: it is in none, or in this program's own.
    pub(crate) fn of(pid: Pid) -> Option<Self> {
        Self::below(Path::new("/"), pid)
    }

    /// The same, with the runtimes' folders elsewhere.
    fn below(root: &Path, pid: Pid) -> Option<Self> {
        let groups = file::read(format!("/proc/{pid}/cgroup")).ok()?;
        let (id, runtime) = in_groups(&groups).unwrap_or_default();
        let hostname = || hostname_of(pid).filter(|name| !id.starts_with(name.as_str()));
        let mut own = Self {
            id: id.to_owned(),
            runtime,
            ..Self::default()
        };
        if id.is_empty() {
            own.runtime = "container";
            own.name = Some(hostname()?);
            return Some(own);
        }
        if let Some((pod, namespace, container)) = in_kubernetes(root, id) {
            own.name = Some(container);
            own.pod = Some((pod, namespace));
        } else {
            own.name = in_docker(root, id).or_else(hostname);
        }
        Some(own)
    }

    /// What people know it by: `pod/container`, its name, or the beginning of its id.
    pub(crate) fn label(&self) -> String {
        match (&self.pod, &self.name) {
            (Some((pod, _)), Some(name)) => format!("{pod}/{name}"),
            (Some((name, _)), None) | (None, Some(name)) => name.clone(),
            (None, None) => self.id.chars().take(SHORT_ID).collect(),
        }
    }
}

/// The id of the container in whose group a process is, by the lines of `/proc/PID/cgroup`, and who runs it.
fn in_groups(text: &str) -> Option<(&str, &'static str)> {
    let paths = text.lines().filter_map(|line| line.splitn(3, ':').nth(2));
    paths.filter_map(in_path).next()
}

fn in_path(path: &str) -> Option<(&str, &'static str)> {
    let parts: Vec<&str> = path.split('/').collect();
    // The innermost: containers may be in containers.
    let found = parts.iter().enumerate().rev().find_map(|(at, part)| {
        let part = part.strip_suffix(".scope").unwrap_or(part);
        let by_name = RUNTIMES.iter().find_map(|(prefix, runtime)| {
            let id = part.strip_prefix(prefix).filter(|id| is_id(id))?;
            Some((id, *runtime))
        });
        by_name.map(|(id, runtime)| (at, id, runtime))
    });
    let (at, id, runtime) = found?;
    let above = &parts[..at];
    let told = FOLDERS.iter().find(|(folder, _)| above.contains(folder));
    Some(match (runtime, told) {
        ("container", Some((_, told))) => (id, told),
        _ => (id, runtime),
    })
}

fn is_id(text: &str) -> bool {
    text.len() == ID_DIGITS
        && text
            .bytes()
            .all(|byte| matches!(byte, b'0'..=b'9' | b'a'..=b'f'))
}

/// A name without anything that is none; none if nothing is left.
fn clean(text: &str) -> Option<String> {
    let kept = text
        .chars()
        .filter(|c| c.is_ascii_alphanumeric() || matches!(c, '.' | '_' | '-'));
    let name: String = kept.take(MAX_NAME).collect();
    (!name.is_empty()).then_some(name)
}

/// Pod, namespace and container by the name of its log:
/// `/var/log/containers/POD_NAMESPACE_CONTAINER-ID.log`.
fn in_kubernetes(root: &Path, id: &str) -> Option<(String, String, String)> {
    let logs = fs::read_dir(root.join("var/log/containers")).ok()?;
    let names = logs.take(MAX_LOGS).flatten().map(|log| log.file_name());
    let end = format!("-{id}.log");
    names
        .filter_map(|name| {
            let mut parts = name.to_str()?.strip_suffix(&end)?.splitn(3, '_');
            let mut next = || clean(parts.next()?);
            Some((next()?, next()?, next()?))
        })
        .next()
}

/// Of a container's settings only its name is read.
#[derive(Deserialize)]
struct DockerSettings {
    #[serde(rename = "Name")]
    name: String,
}

/// The name by Docker's own settings, where they may be read.
fn in_docker(root: &Path, id: &str) -> Option<String> {
    let path = root.join(format!("var/lib/docker/containers/{id}/config.v2.json"));
    let size = fs::metadata(&path).ok()?.len();
    let text = (size <= MAX_SETTINGS_BYTES).then(|| file::read(&path).ok())??;
    let settings: DockerSettings = serde_json::from_str(&text).ok()?;
    clean(&settings.name)
}

/// The name of the host that a process sees, if it is another than ours; where its namespace may not be
/// entered, by the file that the runtime gives it.
fn hostname_of(pid: Pid) -> Option<String> {
    let theirs = format!("/proc/{pid}/ns/uts");
    let (own, other) = (fs::read_link("/proc/self/ns/uts"), fs::read_link(&theirs));
    if other.ok()? == own.ok()? {
        return None;
    }
    let by_file = || file::read(format!("/proc/{pid}/root/etc/hostname")).ok();
    let name = entered(&theirs).or_else(by_file)?;
    let name = clean(name.trim())?;
    (name != host::hostname()).then_some(name)
}

/// The host's name in a namespace, by a thread that enters it for that and ends.
fn entered(path: &str) -> Option<String> {
    let space = fs::File::open(path).ok()?;
    let inside = move || {
        move_into_link_name_space(
            space.as_fd(),
            Some(LinkNameSpaceType::HostNameAndNISDomainName),
        )
        .ok()?;
        Some(host::hostname())
    };
    std::thread::spawn(inside).join().ok()?
}

#[cfg(test)]
#[allow(clippy::unwrap_used, clippy::expect_used)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    const ID: &str = "0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef";

    #[test]
    fn groups_of_all_runtimes_are_known() {
        for (path, runtime) in [
            ("12:pids:/docker/ID\n0::/x", "docker"),
            ("0::/system.slice/docker-ID.scope", "docker"),
            ("0::/docker/ID/init", "docker"),
            ("0::/kubepods/burstable/pod1b2c/ID", "kubernetes"),
            (
                "0::/kubepods.slice/kubepods-burstable.slice/kubepods-burstable-pod1b2c.slice/cri-containerd-ID.scope",
                "containerd",
            ),
            (
                "0::/kubepods.slice/kubepods-pod1b2c.slice/crio-ID.scope/container",
                "cri-o",
            ),
            ("0::/machine.slice/libpod-ID.scope/container", "podman"),
            ("0::/libpod_parent/libpod-ID", "podman"),
            ("0::/system.slice/nerdctl-ID.scope", "containerd"),
            ("0::/default/ID", "container"),
            ("0::/../../system.slice/docker-ID.scope", "docker"),
        ] {
            let text = path.replace("ID", ID);
            assert_eq!(in_groups(&text), Some((ID, runtime)), "{path}");
        }
        for path in [
            "0::/",
            "0::/system.slice/nginx.service",
            "0::/machine.slice/libpod-conmon-ID.scope",
            "4:memory:/api/e8818cc528bfb300af5a21c39754e129",
            "",
        ] {
            assert_eq!(in_groups(&path.replace("ID", ID)), None, "{path}");
        }
    }

    /// A folder as the runtimes have it, with a file.
    fn with(path: &str, text: &str) -> tempfile::TempDir {
        let root = tempfile::tempdir().unwrap();
        let path = root.path().join(path);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, text).unwrap();
        root
    }

    #[test]
    fn names_are_those_that_the_runtimes_keep() {
        let settings = format!("var/lib/docker/containers/{ID}/config.v2.json");
        let docker = |text| in_docker(with(&settings, text).path(), ID);
        let text = r#"{"Name":"/shop-api","Config":{"Env":["PASSWORD=hunter2"]}}"#;
        assert_eq!(docker(text).as_deref(), Some("shop-api"));
        let hostile = r#"{"Name":"/a\u001b[31m<b>$(x)"}"#;
        assert_eq!(docker(hostile).as_deref(), Some("a31mbx"));
        for broken in ["", "{", r#"{"Name":7}"#, r#"{"Name":"///"}"#] {
            assert_eq!(docker(broken), None, "{broken}");
        }
        let log = format!("var/log/containers/shop-7d9f-x2_prod_api-{ID}.log");
        let found = in_kubernetes(with(&log, "").path(), ID);
        let names = ["shop-7d9f-x2", "prod", "api"].map(str::to_owned);
        let [pod, namespace, container] = names;
        assert_eq!(found, Some((pod, namespace, container)));
        let other = in_kubernetes(with("var/log/containers/x_y_z-1.log", "").path(), ID);
        assert_eq!(other, None);
    }

    #[test]
    fn labels_are_what_people_know() {
        let mut container = Container {
            id: ID.to_owned(),
            ..Container::default()
        };
        assert_eq!(container.label(), "0123456789ab");
        container.name = Some("api".to_owned());
        assert_eq!(container.label(), "api");
        container.pod = Some(("shop-1".to_owned(), "prod".to_owned()));
        assert_eq!(container.label(), "shop-1/api");
    }

    #[test]
    fn this_program_is_in_no_other_container() {
        assert_eq!(hostname_of(std::process::id()), None);
    }

    proptest! {
        #[test]
        fn whatever_a_group_is_called_nothing_panics(text in "([0-9]:|:|/|docker-|[a-f0-9]{60,66}|.scope|\n|.){0,30}") {
            let _ = in_groups(&text);
            if let Some(name) = clean(&text) {
                prop_assert!(name.len() <= MAX_NAME && !name.contains(['\n', ':', '/']));
            }
        }
    }
}
