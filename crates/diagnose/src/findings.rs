//! The rules: one file for each family of findings, one line each in [`RULES`].

mod accounted;
mod attempts;
mod below;
mod cache;
mod child_processes;
mod concurrency_limit;
mod cpu;
mod database;
mod dependency;
mod elsewhere;
mod event_loop;
mod events;
mod files;
mod generator;
mod hops;
mod host_cpu;
mod hot_code;
mod kernel_limits;
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
mod registry;
mod rule;
mod semaphore;
mod settle;
mod single_thread;
mod support;
mod tasks;
#[cfg(test)]
mod tests;
mod warm_up;
mod whose;
mod workers;

pub(crate) use hot_code::unseen;
pub use registry::RULES;
pub use rule::Rule;
pub(crate) use settle::of;
