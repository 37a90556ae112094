//! What does not change while a process lives.

use std::fs;

use super::subject::Current;
use crate::collector::Look;
use crate::proc::container::Container;
use crate::proc::file;
use crate::proc::name;
use crate::proc::stat::ticks_to_seconds;
use crate::proc::{Pid, command_line};

/// Says who the process is and what it may use.
pub(super) fn tell(current: &Current, look: &mut Look) {
    let (pid, entity) = (current.pid, &current.entity);
    look.fact(entity, "process.pid", pid.to_string());
    let started = start_unix_s(current.start_ticks);
    look.fact(entity, "process.creation.time", format!("{started:.2}"));
    if let Some(line) = command_line::of(pid) {
        look.fact(entity, "process.command_line", line);
    }
    if let Ok(path) = fs::read_link(format!("/proc/{pid}/exe")) {
        let path = path.to_string_lossy();
        look.fact(entity, "process.executable.path", path);
    }
    let ports = name::ports(pid).into_iter().map(|port| port.to_string());
    let ports = ports.collect::<Vec<_>>().join(" ");
    look.fact(entity, "process.listening.ports", ports);
    if let Some(container) = Container::of(pid) {
        tell_container(current, &container, look);
    }
    let status = file::read(format!("/proc/{pid}/status")).unwrap_or_default();
    for (line, name) in [
        ("Uid:", "process.user.id"),
        ("Cpus_allowed_list:", "process.cpus_allowed"),
    ] {
        let value = status.lines().find_map(|text| text.strip_prefix(line));
        if let Some(value) = value.and_then(|value| value.split_ascii_whitespace().next()) {
            look.fact(entity, name, value);
        }
    }
    for (line, name) in [
        ("Max open files", "process.limit.open_files"),
        ("Max processes", "process.limit.threads"),
    ] {
        if let Some(limit) = soft_limit(pid, line) {
            look.fact(entity, name, limit);
        }
    }
}

/// In which container it runs, under OpenTelemetry's names.
fn tell_container(current: &Current, container: &Container, look: &mut Look) {
    let (pod, namespace) = container.pod.clone().unzip();
    let id = Some(container.id.clone()).filter(|id| !id.is_empty());
    for (name, value) in [
        ("container.runtime.name", Some(container.runtime.to_owned())),
        ("container.id", id),
        ("container.name", container.name.clone()),
        ("k8s.pod.name", pod),
        ("k8s.namespace.name", namespace),
    ] {
        if let Some(value) = value {
            look.fact(&current.entity, name, value);
        }
    }
}

/// A limit of `/proc/PID/limits`: a number or `unlimited`.
pub(super) fn soft_limit(pid: Pid, line: &str) -> Option<String> {
    let limits = file::read(format!("/proc/{pid}/limits")).ok()?;
    let rest = limits.lines().find_map(|text| text.strip_prefix(line))?;
    let soft = rest.split_ascii_whitespace().next()?;
    Some(soft.to_owned())
}

/// When a process started, Unix seconds: after the host's start.
pub(super) fn start_unix_s(start_ticks: u64) -> f64 {
    let stat = file::read("/proc/stat").unwrap_or_default();
    let boot = stat.lines().find_map(|line| line.strip_prefix("btime "));
    let boot: f64 = boot
        .and_then(|boot| boot.trim().parse().ok())
        .unwrap_or(f64::NAN);
    boot + ticks_to_seconds(start_ticks as f64)
}
