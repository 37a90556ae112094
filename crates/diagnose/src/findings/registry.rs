//! All rules, one line each.

use super::rule::Rule;
use super::{
    accept_queue, attempts, beginning, blocked_io, blocked_place, cache, cache_loads,
    cache_refuses, call_connections, calls_in_series, child_processes, concurrency_limit,
    connection_limit, cpu, cpu_shared, cpu_stolen, created, database, dependency, elsewhere,
    event_loop, events, files, generator, held_rows, hops, host_cpu, hot_code, idle_replicas,
    kernel_limits, known_work, lock, log, logged_errors, many_calls, many_commits, memory,
    name_lookups, network, new_connections, new_threads, no_response, own_wait, polled_lock, pool,
    proxy, queue, queue_workers, rate_limit, refusals, retries, semaphore, single_thread,
    some_slow, stood_still, tasks, warm_up, workers,
};
use crate::model::Finding;
use crate::scene::Scene;

/// All rules. Their order says nothing.
pub const RULES: &[Rule] = &[
    accept_queue::RULE,
    generator::RULE,
    warm_up::RULE,
    attempts::RULE,
    beginning::RULE,
    blocked_io::RULE,
    blocked_place::RULE,
    cache::RULE,
    cache_loads::RULE,
    cache_refuses::RULE,
    call_connections::RULE,
    calls_in_series::RULE,
    child_processes::RULE,
    concurrency_limit::RULE,
    connection_limit::RULE,
    created::RULE,
    cpu::RULE,
    cpu_shared::RULE,
    cpu_stolen::RULE,
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
    idle_replicas::RULE,
    kernel_limits::RULE,
    known_work::RULE,
    lock::RULE,
    log::RULE,
    logged_errors::RULE,
    many_calls::RULE,
    many_commits::RULE,
    memory::RULE,
    name_lookups::RULE,
    network::RULE,
    new_connections::RULE,
    new_threads::RULE,
    own_wait::RULE,
    polled_lock::RULE,
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
    stood_still::RULE,
    tasks::RULE,
    no_response::RULE,
    workers::RULE,
];

/// What all rules find, in no order.
pub(super) fn asked(scene: &Scene<'_>) -> Vec<Finding> {
    RULES.iter().flat_map(|rule| (rule.look)(scene)).collect()
}
