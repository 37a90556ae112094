//! JMeter's files: `.jmx` plans and `.properties`, translated to the plan model.
//!
//! A plan's structure (thread groups, controllers, scoping, error actions) becomes nodes of
//! the model; its leaves (samplers, configuration, processors, assertions, timers, listeners)
//! are carried as [`plimsoll_plan::model::Element`]s in JMeter's own names, to be run with
//! JMeter's meaning. This crate knows JMeter's files, the model, and which leaves have a
//! native form. It must not know the engine.

pub mod classes;
pub mod coverage;
mod place;
pub mod properties;
pub mod read;
pub mod support;
mod targets;
pub mod translate;
mod xml;

pub use coverage::{Coverage, coverage};
pub use properties::Properties;
pub use read::{Node, Tree, read};
pub use support::{Kind, Place, Row, table};
pub use translate::{Options, Translated, translate};
