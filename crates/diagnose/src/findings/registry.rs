//! All rules, one line each.

use super::rule::Rule;
use super::{
    attempts, beginning, blocked_io, blocked_place, cache, cache_loads, calls_in_series,
    child_processes, concurrency_limit, connection_limit, cpu, created, database, dependency,
    elsewhere, event_loop, events, files, generator, held_rows, hops, host_cpu, hot_code,
    kernel_limits, lock, log, logged_errors, memory, network, new_connections, new_threads,
    no_response, opened_each_time, own_wait, pool, proxy, queue, queue_workers, rate_limit,
    refusals, retries, semaphore, single_thread, some_slow, tasks, warm_up, workers,
};
use crate::model::Finding;
use crate::scene::Scene;

/// All rules. Their order says nothing.
pub const RULES: &[Rule] = &[
    generator::RULE,
    warm_up::RULE,
    attempts::RULE,
    beginning::RULE,
    blocked_io::RULE,
    blocked_place::RULE,
    cache::RULE,
    cache_loads::RULE,
    calls_in_series::RULE,
    child_processes::RULE,
    concurrency_limit::RULE,
    connection_limit::RULE,
    created::RULE,
    cpu::RULE,
    database::RULE,
    dependency::RULE,
    elsewhere::RULE,
    event_loop::RULE,
    events::RULE,
    files::RULE,
    held_rows::RULE,
    hops::RULE,
    host_cpu::RULE,
    hot_code::RULE,
    kernel_limits::RULE,
    lock::RULE,
    log::RULE,
    logged_errors::RULE,
    memory::RULE,
    network::RULE,
    new_connections::RULE,
    new_threads::RULE,
    opened_each_time::RULE,
    own_wait::RULE,
    pool::RULE,
    proxy::RULE,
    queue::RULE,
    queue_workers::RULE,
    rate_limit::RULE,
    refusals::RULE,
    retries::RULE,
    semaphore::RULE,
    single_thread::RULE,
    some_slow::RULE,
    tasks::RULE,
    no_response::RULE,
    workers::RULE,
];

/// What all rules find, in no order.
pub(super) fn asked(scene: &Scene<'_>) -> Vec<Finding> {
    RULES.iter().flat_map(|rule| (rule.look)(scene)).collect()
}
