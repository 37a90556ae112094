//! JMeter's files: `.jmx` plans and `.properties`, translated to the plan model.
//!
//! A plan's structure (thread groups, controllers, scoping, error actions) becomes nodes of
//! the model; its leaves (samplers, configuration, processors, assertions, timers, listeners)
//! are carried as [`plimsoll_plan::model::Element`]s in JMeter's own names, to be run with
//! JMeter's meaning. This crate knows JMeter's files, the model, and which leaves have a
//! native form. It must not know the engine.

// Files, processes, the environment and other hosts: see clippy.toml.
#![cfg_attr(not(test), deny(clippy::disallowed_methods))]

mod category;
pub mod classes;
#[expect(
    clippy::disallowed_methods,
    reason = "a folder that a person names, before any run"
)]
pub mod coverage;
pub mod known;
mod learnt;
mod place;
pub mod properties;
pub mod read;
pub mod support;
mod targets;
pub mod translate;
mod xml;

pub use coverage::{Coverage, coverage};
pub use properties::Properties;
pub use read::{JmxNode, Tree, read};
pub use support::{Row, RunsIn, SupportKind, table};
pub use translate::{TranslateOptions, Translated, translate};
