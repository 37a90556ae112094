//! The leaves of JMeter plans, with JMeter's meaning: functions, assertions, processors,
//! timers, and the files that listeners write.
//!
//! A leaf is bound once before the run ([`bind`]) and then works on one user's [`Context`] and
//! one [`SampleResult`] at a time, without waiting for anything. Everything that waits
//! (samplers, the JVM companion) is the engine's. This crate knows the plan's program and
//! nothing of sockets, threads or the engine.

// Files, processes, the environment and other hosts: see clippy.toml.
#![cfg_attr(not(test), deny(clippy::disallowed_methods))]

pub mod access_log;
pub mod assertions;
pub mod binary_text;
pub mod compiled;
pub mod context;
pub mod css;
pub mod document;
pub mod evaluated;
pub mod fields;
pub mod functions;
pub mod html;
pub mod jdbc;
pub mod json;
pub mod leaf;
pub mod listeners;
pub mod order;
pub mod pattern;
pub mod post;
pub mod pre;
pub mod registry;
pub mod result;
pub mod scope;
#[cfg(test)]
pub(crate) mod testing;
pub mod timers;
pub mod work;
pub mod xml;

pub use context::{Context, Fault, Own, Properties, Shared, ThreadInfo};
pub use evaluated::{Evaluated, EvaluatedValue};
pub use fields::Fields;
pub use functions::numbers::JavaRandom;
pub use leaf::Bound;
pub use registry::{UNKNOWN, bind, is_beyond, is_native};
pub use result::{AssertionResult, DataType, SampleResult};
