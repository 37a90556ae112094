//! JMeter's files: `.jmx` plans and `.properties`, translated to the plan model.
//!
//! A plan's structure (thread groups, controllers, scoping, error actions) becomes nodes of
//! the model; its leaves (samplers, configuration, processors, assertions, timers, listeners)
//! are carried as [`plimsoll_plan::model::Element`]s in JMeter's own names, to be run with
//! JMeter's meaning. This crate knows JMeter's files and the model. It must not know the
//! engine, nor open files by itself: who calls it reads them.

pub mod classes;
mod place;
pub mod read;
mod xml;

pub use read::{Node, Tree, read};
