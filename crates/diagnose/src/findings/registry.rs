//! All rules, one line each.

use super::rule::Rule;
use super::{
    attempts, cache, child_processes, concurrency_limit, cpu, database, dependency, elsewhere,
    event_loop, events, files, generator, hops, host_cpu, hot_code, kernel_limits, lock, log,
    memory, network, new_connections, new_threads, no_response, pool, proxy, queue, refusals,
    semaphore, single_thread, tasks, warm_up, workers,
};
use crate::model::Finding;
use crate::scene::Scene;

/// All rules. Their order says nothing.
pub const RULES: &[Rule] = &[
    generator::RULE,
    warm_up::RULE,
    attempts::RULE,
    cache::RULE,
    child_processes::RULE,
    concurrency_limit::RULE,
    cpu::RULE,
    database::RULE,
    dependency::RULE,
    elsewhere::RULE,
    event_loop::RULE,
    events::RULE,
    files::RULE,
    hops::RULE,
    host_cpu::RULE,
    hot_code::RULE,
    kernel_limits::RULE,
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

/// What all rules find, in no order.
pub(super) fn asked(scene: &Scene<'_>) -> Vec<Finding> {
    RULES.iter().flat_map(|rule| (rule.look)(scene)).collect()
}
