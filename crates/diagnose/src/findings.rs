//! The rules: one file for each family of findings, one line each in [`RULES`].

mod below;
mod cache;
mod child_processes;
mod cpu;
mod database;
mod dependency;
mod events;
mod files;
mod generator;
mod hops;
mod host_cpu;
mod hot_code;
mod lock;
mod log;
mod memory;
mod network;
mod new_connections;
mod new_threads;
mod no_response;
mod pool;
mod proxy;
mod queue;
mod refusals;
mod semaphore;
mod single_thread;
mod support;
mod tasks;
#[cfg(test)]
mod tests;
mod warm_up;
mod whose;
mod workers;

pub(crate) use hot_code::unseen;
use plimsoll_stats::series::Entity;

use crate::model::{Finding, Object};
use crate::rank::rank;
use crate::scene::Scene;

/// A question that is asked of a scene.
pub struct Rule {
    /// Which findings it gives.
    pub ids: &'static [&'static str],
    /// Asks it.
    pub look: fn(&Scene<'_>) -> Vec<Finding>,
}

/// All rules. Their order says nothing.
pub const RULES: &[Rule] = &[
    generator::RULE,
    warm_up::RULE,
    cache::RULE,
    child_processes::RULE,
    cpu::RULE,
    database::RULE,
    dependency::RULE,
    events::RULE,
    files::RULE,
    hops::RULE,
    host_cpu::RULE,
    hot_code::RULE,
    lock::RULE,
    log::RULE,
    memory::RULE,
    network::RULE,
    new_connections::RULE,
    new_threads::RULE,
    pool::RULE,
    proxy::RULE,
    queue::RULE,
    refusals::RULE,
    semaphore::RULE,
    single_thread::RULE,
    tasks::RULE,
    no_response::RULE,
    workers::RULE,
];

/// What all rules find, the first is what limits.
pub(crate) fn of(scene: &Scene<'_>) -> Vec<Finding> {
    let mut found = asked(scene);
    warm_up::settle(scene, &mut found);
    no_response::settle(&mut found);
    whose::resolve(scene, &mut found);
    below::settle(scene, &mut found);
    whose::settle(scene, &mut found);
    rank(found)
}

/// What all rules find, in no order.
fn asked(scene: &Scene<'_>) -> Vec<Finding> {
    RULES.iter().flat_map(|rule| (rule.look)(scene)).collect()
}

/// Whether a process is a database by its program's name.
#[must_use]
pub fn is_database(process: &str) -> bool {
    ["mysqld", "mariadbd", "postgres", "oracle"]
        .iter()
        .any(|name| process.starts_with(name))
}

/// Whether a process stores for others or passes on to them, by its program's name; databases are
/// told apart.
#[must_use]
pub fn is_store_or_proxy(process: &str) -> bool {
    const NAMES: [&str; 6] = [
        "redis",
        "valkey",
        "memcached",
        "nginx",
        "openresty",
        "haproxy",
    ];
    NAMES.iter().any(|name| process.starts_with(name))
}

/// What the client saw, whichever host it was.
pub(crate) fn seen_by_client(kind: &'static str, name: impl Into<String>) -> Object {
    Object {
        kind,
        name: name.into(),
        host: String::new(),
        process: String::new(),
    }
}

/// The thing as an object of that kind.
pub(crate) fn object(kind: &'static str, name: impl Into<String>, of: &Entity) -> Object {
    // Until all are found, the thing in the process: see `whose`.
    let process = match whose::IN_PROCESSES.contains(&of.kind) {
        true => of.name.as_str(),
        false => "",
    };
    Object {
        kind,
        name: name.into(),
        host: of.host.clone(),
        process: process.to_owned(),
    }
}
