//! Disks that always have something to do, and disks without room.

use plimsoll_stats::names::{self, SeriesName, attributes};
use plimsoll_stats::series::{Entity, EntityKind};
use plimsoll_text::Message;

use crate::about::object;
use crate::figures::{hundredths, percent};
use crate::findings::own_wait::paused_in;
use crate::findings::support::{most_in, stalled};
use crate::model::{Advice, Exhibit, Explains, Finding, Layer, ShareOf};
use crate::scene::{Scene, SeriesQuery};
use crate::stacks::StackPlace;

/// A disk is busy from this share of the time on.
const BUSY: f64 = 0.8;
/// Shorter waits are felt by nobody, ms.
const LEAST_MS: f64 = 5.0;
/// So much of a disk's bytes must be those of processes that were watched.
const OWN: f64 = 0.3;
/// A file system is full from this share on.
const FULL: f64 = 0.98;
/// So much of the response time are pauses of who writes to a full file system.
const MOSTLY_PAUSED: f64 = 0.5;
/// What is no disk.
const NO_DISK: &[&str] = &["loop", "ram", "zram", "fd", "sr"];

/// Disks that limit: busy, slow, with requests' work.
pub(super) fn busy(scene: &Scene<'_>) -> Vec<Finding> {
    let hosts = scene.series(names::host::DISK_IO_TIME).by_thing();
    let found = hosts.into_iter().filter_map(|(host, disks)| {
        let disks = disks.by(attributes::SYSTEM_DEVICE).into_iter();
        let real = disks.filter(|(name, _)| !NO_DISK.iter().any(|start| name.starts_with(start)));
        let used = real.filter_map(|(name, time)| Some((name, time.mean()?)));
        let (name, used) = used.max_by(|a, b| a.1.total_cmp(&b.1))?;
        finding(scene, &host, &name, used)
    });
    found.collect()
}

fn finding(scene: &Scene<'_>, host: &Entity, disk: &str, used: f64) -> Option<Finding> {
    let of_disk = |series: SeriesName| -> SeriesQuery<'_> {
        scene.of(host, series).with(attributes::SYSTEM_DEVICE, disk)
    };
    let operations = of_disk(names::host::DISK_OPERATIONS).mean()?;
    let time = of_disk(names::host::DISK_OPERATION_TIME).mean()?;
    let await_ms = time / operations.max(1e-9) * 1e3;
    if used < BUSY || await_ms < LEAST_MS || own_share(scene, host, disk) < OWN {
        return None;
    }
    let share = waiting(scene, host);
    if share < 0.15 {
        return None;
    }
    let text = Message::new("exhibit-disk")
        .with("percent", percent(used.min(1.0)))
        .with("ms", hundredths(await_ms))
        .with("rate", operations.round());
    let explains = Explains::new(share, ShareOf::ResponseTime);
    let about = object("disk", disk, host);
    let demand = scene.demand_exhibit(&about);
    let finding = Finding::new("disk_busy", Layer::Resource, about, explains)
        .shows(Exhibit::new(text).series(names::host::DISK_IO_TIME))
        .advises(Advice::code(Message::new("advice-disk-busy")))
        .shows_all(demand);
    Some(Finding {
        confidence: 0.8,
        source: "USE method, Gregg 2012; iostat(1), %util and await",
        ..finding
    })
}

/// How much of what a disk moves is of processes that were watched.
fn own_share(scene: &Scene<'_>, host: &Entity, disk: &str) -> f64 {
    let all = scene
        .of(host, names::host::DISK_IO)
        .with(attributes::SYSTEM_DEVICE, disk);
    let processes = scene.things(EntityKind::Process).into_iter();
    let own: f64 = processes
        .filter(|process| process.host == host.host)
        .filter_map(|process| scene.of(&process, names::process::DISK_IO).mean())
        .sum();
    own / all.mean().unwrap_or(0.0).max(1.0)
}

/// The share of requests that wait for it: threads in files, else the kernel's account of tasks
/// that stood still for input and output.
fn waiting(scene: &Scene<'_>, host: &Entity) -> f64 {
    let threads = most_in(scene, |seen| seen.place == StackPlace::File);
    let stalled = stalled(scene, host, "io").unwrap_or(0.0);
    threads
        .map_or(stalled, |(_, share)| share.max(stalled))
        .min(1.0)
}

/// File systems without room for more: where a process that is watched writes to one, and requests fail or mostly pause
/// there, that is why; one that nobody is known to write to is a remark.
pub(super) fn full(scene: &Scene<'_>) -> Vec<Finding> {
    let mut found: Vec<Finding> = Vec::new();
    for (thing, space) in scene.series(names::host::FILESYSTEM_USAGE).by_thing() {
        let inodes = scene.of(&thing, names::host::FILESYSTEM_INODES);
        for (mount, space) in space.by(attributes::SYSTEM_FILESYSTEM_MOUNTPOINT) {
            let inodes = inodes.with(attributes::SYSTEM_FILESYSTEM_MOUNTPOINT, &mount);
            let Some(exhibit) = no_space(&mount, &space).or_else(|| no_inodes(&mount, &inodes))
            else {
                continue;
            };
            let written = thing.kind == EntityKind::Process;
            let failed = written && scene.total().error_rate > 0.0;
            let paused = paused(scene, &thing).filter(|_| written && !failed);
            let explains = match paused {
                Some(share) => Explains::new(share, ShareOf::ResponseTime),
                None => Explains::new(if failed { 0.8 } else { 0.0 }, ShareOf::Errors),
            };
            let about = object("filesystem", mount, &thing);
            let writer = written.then(|| {
                let text = Message::new("exhibit-disk-full-written").with("name", &*thing.name);
                Exhibit::new(text).series(names::host::FILESYSTEM_USAGE)
            });
            let pauses = paused.map(|share| {
                let text = Message::new("exhibit-disk-full-paused").with("name", &*thing.name);
                Exhibit::new(text.with("percent", percent(share)))
            });
            let layer = Layer::cause_if(failed || paused.is_some());
            let finding = Finding::new("disk_full", layer, about, explains)
                .shows(exhibit)
                .shows_all(writer)
                .shows_all(pauses)
                .advises(Advice::code(Message::new("advice-disk-full")));
            found.push(Finding {
                confidence: match paused {
                    Some(_) => 0.6,
                    None if written => 0.75,
                    None => 0.9,
                },
                source: "statvfs(3); write(2), ENOSPC",
                ..finding
            });
        }
    }
    // What a process says of the host's file system is of the same.
    let of_processes: Vec<_> = found
        .iter()
        .filter(|finding| !finding.object.process.is_empty())
        .map(|finding| (finding.object.host.clone(), finding.object.name.clone()))
        .collect();
    found.retain(|finding| {
        let same = (finding.object.host.clone(), finding.object.name.clone());
        !finding.object.process.is_empty() || !of_processes.contains(&same)
    });
    found
}

/// How much of the response time requests pause in a process that writes where no room is, if that is most of it: who
/// cannot write waits and tries again.
fn paused(scene: &Scene<'_>, process: &Entity) -> Option<f64> {
    let account = scene.account()?;
    let share = paused_in(account, &process.host, &process.name);
    (share >= MOSTLY_PAUSED).then_some(share)
}

fn states(of: &SeriesQuery<'_>) -> Option<(f64, f64)> {
    let state = |name: &str| of.with(attributes::SYSTEM_FILESYSTEM_STATE, name).last();
    state("used").zip(state("free"))
}

fn no_space(mount: &str, space: &SeriesQuery<'_>) -> Option<Exhibit> {
    let (used, free) = states(space)?;
    (used >= FULL * (used + free)).then(|| {
        let text = Message::new("exhibit-disk-full")
            .with("mount", mount)
            .with("percent", hundredths(used / (used + free) * 100.0))
            .with("free", hundredths(free / 1e9));
        Exhibit::new(text).series(names::host::FILESYSTEM_USAGE)
    })
}

/// Without inodes no file can be made, however much space there is.
fn no_inodes(mount: &str, inodes: &SeriesQuery<'_>) -> Option<Exhibit> {
    let (used, free) = states(inodes)?;
    (used > 0.0 && used >= FULL * (used + free)).then(|| {
        let text = Message::new("exhibit-no-inodes")
            .with("mount", mount)
            .with("used", used.round())
            .with("free", free.round());
        Exhibit::new(text).series(names::host::FILESYSTEM_INODES)
    })
}
