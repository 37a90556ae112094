//! What follows from something else never stands above it: a bare status below what names the error, the
//! busy generator below the quick errors that keep it busy, a slow statement below the disk or the lock that it
//! waits for, a full pool below the host without CPU that its holders wait for.

use super::network::split_responses;
use super::{accounted, attempts, connection_limit, files, own_wait};
use crate::account::calls_of_each;
use crate::address;
use crate::cpu;
use crate::model::{Finding, Layer, ShareOf};
use crate::rank::{LEAST_SHARE, weight};
use crate::scene::Scene;

/// Findings that say only that requests fail.
const BARE: [&str; 2] = ["failed_requests", "requests_without_response"];
/// What a proxy's log says of errors is less than the limit behind them.
const LOGGED: [&str; 1] = [super::logged_errors::ID];
/// What the generator suffers from where responses come at once.
const BUSY: [&str; 3] = ["generator_cpu", "generator_late", "generator_near_limit"];
/// With so much of the requests failing the load is one of errors.
const MOSTLY_ERRORS: f64 = 0.5;
/// Statements that take long, and what they may wait for.
const STATEMENTS: [&str; 2] = ["slow_statement", "slow_database"];
const BELOW_STATEMENTS: [&str; 4] = ["disk_busy", "blocked_io", "row_locks", "table_locks"];
/// Places that are full of whoever waits for a CPU.
const POOLS: [&str; 5] = [
    "connection_pool",
    "outgoing_pool",
    "worker_threads",
    "task_threads",
    "object_pool",
];
const HOST: &str = "host_cpu";
/// One process does what its host does where it uses so much of the CPU that is used there.
const ONE_DOES: f64 = 0.8;
/// Others take the CPU that a process of the host wants.
const TAKEN: &str = "cpu_taken";
/// Who waits for another system.
const DEPENDENCY: &str = "slow_dependency";
/// What a piece of each response that is held back looks like.
const HELD_BACK: [&str; 3] = [
    super::rate_limit::ID,
    super::concurrency_limit::ID,
    own_wait::ID,
];
/// What takes less of a user's time, thinking included, would raise the throughput by less than a quarter.
const FELT: f64 = 0.2;

pub(super) fn settle(scene: &Scene<'_>, found: &mut Vec<Finding>) {
    errors_have_names(found);
    quick_errors(scene, found);
    statements(found);
    dependencies(scene, found);
    pools(scene, found);
    hosts(scene, found);
    descriptors(found);
    pieces(found);
    remarks(found);
}

pub(super) fn limits(finding: &Finding) -> bool {
    matches!(finding.layer, Layer::Cause | Layer::Resource) && finding.explains.share >= LEAST_SHARE
}

/// Makes those a remark, by the finding that explains them.
pub(super) fn below(found: &mut [Finding], cause: &Finding, holds: impl Fn(&Finding) -> bool) {
    let name = match cause.object.name.as_str() {
        "" => cause.object.process.clone(),
        name => name.to_owned(),
    };
    for other in found.iter_mut().filter(|other| holds(other)) {
        accounted::hint(other, "exhibit-limited-below", &name);
    }
}

/// Whoever has no descriptor left takes no connections: they wait before it.
fn descriptors(found: &mut [Finding]) {
    let causes: Vec<Finding> = found
        .iter()
        .filter(|finding| finding.id == files::DESCRIPTORS && limits(finding))
        .cloned()
        .collect();
    for cause in causes {
        let (host, process) = (&cause.object.host, &cause.object.name);
        below(found, &cause, |other| {
            let about = &other.object;
            other.id == attempts::QUEUE && about.host == *host && about.process == *process
        });
    }
}

/// Where one process does nearly all of what a full host does, what limits in it says more.
fn hosts(scene: &Scene<'_>, found: &mut [Finding]) {
    for process in cpu::of_processes(scene) {
        let (name, host) = (&process.process.name, &process.process.host);
        let there = cpu::cpus(scene, host).zip(cpu::host_utilization(scene, host));
        if !there.is_some_and(|(cpus, share)| process.used >= ONE_DOES * cpus * share) {
            continue;
        }
        let is_its_own = |finding: &Finding| {
            let about = &finding.object;
            about.host == *host && [&about.process, &about.name].contains(&name)
        };
        if let Some(cause) = first(found, is_its_own) {
            below(found, &cause, |other| {
                other.id == HOST && other.object.host == *host
            });
        }
    }
}

/// The finding of which something holds that explains most.
fn first(found: &[Finding], holds: impl Fn(&Finding) -> bool) -> Option<Finding> {
    let held = found
        .iter()
        .filter(|finding| limits(finding) && holds(finding));
    held.max_by(|a, b| weight(a).total_cmp(&weight(b))).cloned()
}

/// Responses of which a piece is held back come as evenly as a clock lets requests through, and look as if they waited in
/// the target.
fn pieces(found: &mut [Finding]) {
    if let Some(cause) = first(found, |finding| finding.id == split_responses::ID) {
        below(found, &cause, |other| HELD_BACK.contains(&other.id));
    }
}

fn errors_have_names(found: &mut [Finding]) {
    let of_errors = |finding: &Finding| finding.explains.of == ShareOf::Errors;
    let is_known = |finding: &Finding| {
        let bare = BARE.contains(&finding.id) || LOGGED.contains(&finding.id);
        of_errors(finding) && !bare
    };
    if let Some(cause) = first(found, is_known) {
        below(found, &cause, |other| {
            BARE.contains(&other.id) || LOGGED.contains(&other.id)
        });
    }
    if let Some(cause) = first(found, |finding| LOGGED.contains(&finding.id)) {
        below(found, &cause, |other| BARE.contains(&other.id));
    }
}

/// Responses that fail at once let users send more than the generator was made for.
fn quick_errors(scene: &Scene<'_>, found: &mut [Finding]) {
    if scene.total().error_rate < MOSTLY_ERRORS {
        return;
    }
    let of_target = |finding: &Finding| {
        finding.explains.of == ShareOf::Errors && !finding.id.starts_with("generator")
    };
    if let Some(cause) = first(found, of_target) {
        below(found, &cause, |other| BUSY.contains(&other.id));
    }
}

fn statements(found: &mut [Finding]) {
    let slow: Vec<Finding> = found
        .iter()
        .filter(|finding| STATEMENTS.contains(&finding.id) && limits(finding))
        .cloned()
        .collect();
    for statement in slow {
        // The whole host's disk is the database's, too; what is in a process is that process' own.
        let is_below = |finding: &Finding| {
            let own = finding.object.process == statement.object.process
                || finding.object.process.is_empty();
            let host = finding.object.host == statement.object.host;
            BELOW_STATEMENTS.contains(&finding.id) && host && own
        };
        if let Some(cause) = first(found, is_below) {
            below(found, &cause, |other| {
                other.id == statement.id && other.object == statement.object
            });
        }
    }
}

/// Who waits for a process that is watched waits for what limits there; and where users think for longer than they
/// wait, the throughput is theirs.
fn dependencies(scene: &Scene<'_>, found: &mut [Finding]) {
    let Some(account) = scene.account() else {
        return;
    };
    let is_slow = |finding: &&Finding| finding.id == DEPENDENCY && limits(finding);
    let slow: Vec<Finding> = found.iter().filter(is_slow).cloned().collect();
    for finding in slow {
        let depth = |of: &Finding| account.depth(&of.object.host, &of.object.process);
        let own = depth(&finding);
        let is_behind = |other: &Finding| {
            let deeper = own.is_some() && depth(other) > own;
            let host = other.id == HOST && other.object.host == finding.object.host;
            other.id != DEPENDENCY && (deeper || host)
        };
        let waits = own_wait::at_work(scene) * finding.explains.share;
        let cause = first(found, is_behind).map(|cause| cause.object.name);
        let thinks = (waits < FELT).then(|| finding.object.name.clone());
        let why = match cause {
            Some(_) => "exhibit-time-is-behind",
            None => "exhibit-users-think",
        };
        let Some(name) = cause.or(thinks) else {
            continue;
        };
        let same = |other: &&mut Finding| {
            other.id == finding.id && other.object == finding.object && limits(other)
        };
        for other in found.iter_mut().filter(same) {
            accounted::hint(other, why, &name);
        }
    }
}

/// A host without CPU, and limits of a store that is full already.
fn pools(scene: &Scene<'_>, found: &mut [Finding]) {
    let is_cause = |finding: &&Finding| {
        [HOST, TAKEN, connection_limit::ID].contains(&finding.id) && limits(finding)
    };
    let causes: Vec<Finding> = found.iter().filter(is_cause).cloned().collect();
    for cause in causes {
        let meets = |other: &Finding| match cause.id == connection_limit::ID {
            true => may_call(scene, other, &cause),
            false => other.object.host == cause.object.host,
        };
        below(found, &cause, |other| {
            POOLS.contains(&other.id) && limits(other) && meets(other)
        });
    }
}

/// Whether the process of a finding may be a client of that of another: it was not seen whom it calls, or it calls that.
fn may_call(scene: &Scene<'_>, client: &Finding, server: &Finding) -> bool {
    let calls = calls_of_each(scene, &client.object.host, &client.object.process);
    let (process, name) = (&server.object.process, &server.object.name);
    let is_it = |called: &String| {
        let are_addresses = called.contains(':') && name.contains(':');
        called == process || are_addresses && address::port(called) == address::port(name)
    };
    calls.is_empty() || calls.iter().any(|(called, _)| is_it(called))
}

/// Where something limits, that code waits somewhere is said of it by the evidence.
fn remarks(found: &mut Vec<Finding>) {
    if found.iter().any(limits) {
        found.retain(|finding| finding.id != own_wait::ID);
    }
}
