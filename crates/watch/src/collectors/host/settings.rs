//! Settings of the system that decide how much a host can carry.

use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use plimsoll_stats::series::Entity;

use super::area::{Area, Out, look_at};
use super::filesystems::Filesystems;
use crate::collector::{Collector, Look, Pending, Trouble};
use crate::proc::file::read;

/// Settings below `/proc/sys`, under their own names.
const SYSCTLS: [&str; 18] = [
    "fs.file-max",
    "fs.nr_open",
    "kernel.osrelease",
    "kernel.threads-max",
    "net.core.netdev_max_backlog",
    "net.core.rmem_max",
    "net.core.somaxconn",
    "net.core.wmem_max",
    "net.ipv4.ip_local_port_range",
    "net.ipv4.tcp_abort_on_overflow",
    "net.ipv4.tcp_fin_timeout",
    "net.ipv4.tcp_max_syn_backlog",
    "net.ipv4.tcp_max_tw_buckets",
    "net.ipv4.tcp_syncookies",
    "net.ipv4.tcp_tw_reuse",
    "net.netfilter.nf_conntrack_max",
    "vm.overcommit_memory",
    "vm.swappiness",
];

/// Other files that hold one setting.
const FILES: [(&str, &str); 3] = [
    (
        "transparent_hugepage",
        "/sys/kernel/mm/transparent_hugepage/enabled",
    ),
    (
        "clocksource",
        "/sys/devices/system/clocksource/clocksource0/current_clocksource",
    ),
    (
        "cpu.scaling_governor",
        "/sys/devices/system/cpu/cpu0/cpufreq/scaling_governor",
    ),
];

/// The settings; they are told as facts.
pub(crate) struct HostSettings;

impl Area for HostSettings {
    fn look(&mut self, out: &mut Out<'_>) -> Result<(), Trouble> {
        let sysctls = SYSCTLS.map(|name| (name, format!("/proc/sys/{}", name.replace('.', "/"))));
        let files = FILES.map(|(name, path)| (name, path.to_owned()));
        for (name, path) in sysctls.into_iter().chain(files) {
            // What this kernel has not is no setting of this host.
            if let Ok(text) = read(path) {
                let words: Vec<&str> = text.split_ascii_whitespace().collect();
                out.look.fact(out.entity, name, words.join(" "));
            }
        }
        let cpus = read("/proc/cpuinfo").unwrap_or_default();
        if let Some(model) = value_of(&cpus, "model name") {
            out.look.fact(out.entity, "cpu.model", model);
        }
        let system = read("/etc/os-release").unwrap_or_default();
        let name = system
            .lines()
            .find_map(|line| line.strip_prefix("PRETTY_NAME="));
        if let Some(name) = name {
            out.look
                .fact(out.entity, "os.description", name.trim_matches('"'));
        }
        Ok(())
    }
}

/// The value of the first line `name : value`.
fn value_of<'a>(text: &'a str, name: &str) -> Option<&'a str> {
    let mut lines = text.lines().filter_map(|line| line.split_once(':'));
    let found = lines.find(|(known, _)| known.trim() == name)?;
    Some(found.1.trim())
}

/// What changes slowly: space and settings, every 15 s.
pub(super) struct Slow {
    entity: Arc<Entity>,
    areas: Vec<Box<dyn Area>>,
}

impl Slow {
    pub(super) fn new(entity: Arc<Entity>) -> Self {
        Self {
            entity,
            areas: vec![
                Box::new(Filesystems::below(Path::new("/proc"))),
                Box::new(HostSettings),
            ],
        }
    }
}

impl Collector for Slow {
    fn about(&self) -> String {
        format!("space and settings of {}", self.entity)
    }

    fn period(&self) -> Duration {
        Duration::from_secs(15)
    }

    fn collect<'a>(&'a mut self, look: &'a mut Look) -> Pending<'a, ()> {
        Box::pin(async move { look_at(&mut self.areas, &self.entity, look) })
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used, clippy::expect_used)]
mod tests {
    use super::*;

    #[test]
    fn the_first_line_of_a_name_counts() {
        let text = "processor\t: 0\nmodel name\t: Some CPU @ 2.0GHz\nmodel name : other\n";
        assert_eq!(value_of(text, "model name"), Some("Some CPU @ 2.0GHz"));
        assert_eq!(value_of(text, "model"), None);
    }
}
