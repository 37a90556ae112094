//! JMeter's packages at work, above the load engine: what works before a sampler, the sampler, what
//! works on its result, and who is told of it, in JMeter's order and with its rules
//! (JMeter 5.6.3, `JMeterThread`).
//!
//! What an element means is said in `plimsoll-elements`; here are the parts that wait: the
//! samplers, the timers' sleep, the JVM companion. The engine is handed [`JMeterOptions`] as its
//! [`Extension`](plimsoll_load::kit::extension::Extension) and knows nothing else of this crate.

// Files, processes, the environment and other hosts: see clippy.toml.
#![cfg_attr(not(test), deny(clippy::disallowed_methods))]

mod allowed;
mod assertions;
mod begin;
mod beside;
mod bound;
mod branch;
mod changed;
mod context;
mod dynamic;
mod element_user;
mod extension;
mod failed;
mod fifo_pop;
mod foreign;
mod http;
mod java_map;
mod jdbc;
pub mod keystore;
mod leaf;
mod listeners;
mod memo;
mod needs;
mod open_transaction;
mod options;
mod package;
mod queues;
mod record;
mod remote;
mod run;
mod sampled;
mod sampler;
mod sampler_properties;
mod samplers;
mod sampling;
mod start;
mod table_server;
mod tell;
mod thread;
mod timers;
mod trace;
mod transaction;
mod user;
mod verdict;

pub use bound::{BoundElement, BoundProgram};
pub use foreign::{ForeignKind, foreign_kinds};
pub use options::JMeterOptions;
