//! Threads that wait for one lock: whatever the number of users and threads, one works at a time.

use plimsoll_text::Message;

use super::Rule;
use super::support::full_cpu_of;
use crate::about::object;
use crate::cpu::CpuUse;
use crate::figures::{percent, tenths};
use crate::model::{Advice, Exhibit, Explains, Finding, Layer, ShareOf};
use crate::scene::Scene;
use crate::stacks::{LockCluster, LockKind, LockWaits, Profiled, Profiler, StackPlace, Stacks};

pub const RULE: Rule = Rule {
    ids: &["lock", "deadlock"],
    refuted_by: "few threads before it, or a holder that is never seen",
    look,
};

/// So much of the serving threads must wait for it.
const SHARE_WAITING_FOR_LOCK: f64 = 0.25;
/// A lock that so much of the threads waits for is no symptom of a full CPU.
const NEARLY_ALL: f64 = 0.6;
/// And so many threads.
const LEAST: f64 = 1.5;
/// The JDK's own locks.
const LOCKS: &str = "java.util.concurrent.locks.";

fn look(scene: &Scene<'_>) -> Vec<Finding> {
    let mut found = Vec::new();
    for stacks in scene.stacks().iter().flat_map(Stacks::with_tasks) {
        let locks = stacks
            .locks()
            .into_iter()
            .filter(|lock| lock.inside.is_none());
        let much = locks.filter(holds_up);
        let full = full_cpu_of(scene, &stacks.jvm);
        found.extend(much.map(|lock| finding(stacks, &lock, full.as_ref())));
        found.extend(deadlock(stacks));
    }
    for profile in scene.profiles() {
        recorded(scene, profile, &mut found);
    }
    found
}

/// Whether so many requests wait for a lock that it is worth a word; logging has rules of its own.
pub(super) fn holds_up(lock: &LockCluster) -> bool {
    lock.share >= SHARE_WAITING_FOR_LOCK && lock.waiting >= LEAST && !lock.logging
}

/// What a profile says of locks: more evidence of those that dumps show, and those that waits
/// alone show where nobody took dumps.
fn recorded(scene: &Scene<'_>, profile: &Profiled, found: &mut Vec<Finding>) {
    let no_dumps = scene
        .stacks()
        .iter()
        .all(|stacks| stacks.jvm != profile.jvm);
    for wait in &profile.waits {
        let share = wait.waiting / scene.in_flight().max(1e-9);
        let name = named(&wait.class, wait.own.as_deref());
        let id = match profile.by {
            Profiler::FlightRecorder => "exhibit-jfr-waits",
            Profiler::AsyncProfiler | Profiler::Kernel | Profiler::Stacks => {
                "exhibit-profile-waits"
            }
        };
        let text = Message::new(id)
            .with("class", wait.class.as_str())
            .with("count", wait.count.unwrap_or(0))
            .with("waiting", tenths(wait.waiting))
            .with("percent", percent(share.min(1.0)));
        let exhibit = Exhibit::new(text).capture(wait.capture, Vec::new());
        let mut known = found.iter_mut();
        let known = known.find(|lock| {
            let host = &lock.object.host;
            lock.id == "lock" && lock.object.name == name && *host == profile.jvm.host
        });
        if let Some(known) = known {
            known.evidence.push(exhibit);
        } else if no_dumps && share >= SHARE_WAITING_FOR_LOCK && wait.waiting >= LEAST {
            let finding = by_waits(scene, profile, wait, (name, share));
            found.push(finding.shows(exhibit));
        }
    }
}

fn by_waits(
    scene: &Scene<'_>,
    profile: &Profiled,
    wait: &LockWaits,
    (name, share): (String, f64),
) -> Finding {
    let own = wait.own.clone().unwrap_or_default();
    let full = full_cpu_of(scene, &profile.jvm).is_some();
    let layer = Layer::cause_if(!full || share >= NEARLY_ALL);
    let explains = Explains::new(share.min(1.0), ShareOf::ResponseTime);
    let kind = match wait.class.starts_with(LOCKS) {
        true => "reentrant_lock",
        false => "monitor",
    };
    let source = match profile.by {
        Profiler::FlightRecorder => {
            "field case F04; jdk.JavaMonitorEnter, Little's law over its waits"
        }
        Profiler::AsyncProfiler | Profiler::Kernel | Profiler::Stacks => {
            "field case F04; async-profiler's lock profile, Little's law over its waits"
        }
    };
    let about = object(kind, name, &profile.jvm);
    let why = Message::new("advice-lock").with("code", own.as_str());
    Finding {
        confidence: 0.8,
        source,
        ..Finding::new("lock", layer, about, explains)
            .with("waits_in", own)
            .with("waiting", wait.waiting.round())
            .advises(Advice::code(why))
    }
}

/// Where the CPU is full, threads stop while they hold a short lock, and others queue behind
/// them: such a lock is a symptom, unless its owner waits or nearly all threads do.
fn is_symptom(lock: &LockCluster, full: Option<&CpuUse>) -> bool {
    let owner_waits = matches!(
        lock.owner_at,
        Some(
            StackPlace::Peer(_)
                | StackPlace::Sleep
                | StackPlace::Wait
                | StackPlace::DatabasePool
                | StackPlace::ClientPool
        )
    );
    full.is_some() && !owner_waits && lock.share < NEARLY_ALL
}

fn finding(stacks: &Stacks, lock: &LockCluster, full: Option<&CpuUse>) -> Finding {
    let own = lock.waits_in.clone().unwrap_or_default();
    let kind = match lock.kind {
        LockKind::Monitor => "monitor",
        LockKind::Object => "reentrant_lock",
        LockKind::Shared => "shared_lock",
    };
    let explains = Explains::new(lock.share, ShareOf::ResponseTime);
    let layer = Layer::cause_if(!is_symptom(lock, full));
    let about = object(kind, lock_name(lock), &stacks.jvm);
    let waiters = Message::new("exhibit-lock-waiters")
        .with("count", lock.waiting.round())
        .with("percent", percent(lock.share))
        .with("lock", lock.class.as_str())
        .with("code", own.as_str());
    let owner = lock.owner.clone().map(|(number, lines)| {
        let code = lock.owner_in.clone().unwrap_or_default();
        let text = Message::new("exhibit-lock-owner").with("code", code);
        Exhibit::new(text).capture(number, lines)
    });
    let finding = Finding::new("lock", layer, about, explains)
        .with("waits_in", own)
        .with("waiting", lock.waiting.round())
        .advises(advice(lock))
        .shows(Exhibit::new(waiters).captured(lock.waiter.clone()))
        .shows_all(owner);
    Finding {
        confidence: if lock.owner.is_some() { 0.95 } else { 0.8 },
        source: "field case F04; Little's law over thread dumps",
        ..finding
    }
}

fn advice(lock: &LockCluster) -> Advice {
    let id = match lock.owner_at {
        _ if lock.kind == LockKind::Shared => "advice-lock-shared",
        Some(StackPlace::Peer(_)) => "advice-lock-held-over-call",
        Some(StackPlace::Sleep | StackPlace::Wait) => "advice-lock-held-over-wait",
        Some(StackPlace::DatabasePool | StackPlace::ClientPool) => "advice-lock-held-over-pool",
        _ => "advice-lock",
    };
    // Who holds a lock of all servers may be on another one.
    let code = match lock.kind {
        LockKind::Shared => &lock.waits_in,
        LockKind::Monitor | LockKind::Object => &lock.owner_in,
    };
    Advice::code(Message::new(id).with("code", code.clone().unwrap_or_default()))
}

/// What a lock is called. One that servers share is called by the code that waits for it, as its
/// key is not seen.
fn lock_name(lock: &LockCluster) -> String {
    let class = match lock.kind {
        LockKind::Shared => "",
        LockKind::Monitor | LockKind::Object => &lock.class,
    };
    named(class, lock.waits_in.as_deref())
}

/// The monitor's class; of a lock of the JDK's: the class in whose code it is waited for.
pub(super) fn named(class: &str, waits_in: Option<&str>) -> String {
    let own_class = || {
        let (own, _) = waits_in?.rsplit_once('.')?;
        Some(own.to_owned())
    };
    if class.is_empty() || class.starts_with("java.") {
        return own_class().unwrap_or_else(|| class.to_owned());
    }
    class.to_owned()
}

fn deadlock(stacks: &Stacks) -> Option<Finding> {
    let circle = stacks.deadlocks.first()?;
    // Threads that serve nobody, and for which nobody waits, stop no request.
    let stops_requests = stacks.threads.iter().any(|seen| {
        let in_circle = circle.contains(&seen.thread.name);
        seen.serves && (in_circle || seen.place == StackPlace::Lock)
    });
    let explains = Explains::new(1.0, ShareOf::ResponseTime);
    let names = circle.join(", ");
    let text = Message::new("exhibit-deadlock").with("threads", names.as_str());
    let finding = Finding::new(
        "deadlock",
        Layer::cause_if(stops_requests),
        object("threads", names, &stacks.jvm),
        explains,
    )
    .shows(Exhibit::new(text))
    .advises(Advice::code(Message::new("advice-deadlock")));
    Some(Finding {
        source: "java.lang.management.ThreadMXBean.findDeadlockedThreads",
        ..finding
    })
}
