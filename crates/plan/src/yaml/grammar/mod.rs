//! The grammar of a plan: for each key one line that says what it is called, where it goes in the model, its form,
//! its default, and its text in the reference. From it come the checks of the reader, reading and writing, the
//! JSON Schema and the reference; [`macros`] has how a line is written.

#[macro_use]
mod macros;

mod base;
mod checks;
mod conditions;
mod element;
mod emit;
mod exchange;
mod form;
mod json_body;
mod kinds;
mod leaf;
mod load;
mod pause;
mod plan;
mod protocols;
mod request;
mod request_step;
mod saves;
mod scope;
mod settings;
mod steps;
mod study;
mod texts;
mod variables;
mod watch;

pub(crate) use emit::{Map, Yaml, document, plain, scalar};
pub(crate) use kinds::{Accept, Case, Group, Kind, KindOf, Leaf, Object, Part, PlanKey, Tagged};
pub(crate) use plan::{read, write};
pub(crate) use request::METHODS;
pub(crate) use study::{read_agent_scope, read_study};
pub use watch::{outputs, watch_sources};

/// A plan.
pub(crate) const PLAN: &Object = crate::model::Plan::OBJECT;

/// A study.
pub(crate) const STUDY: &Object = crate::study::Study::OBJECT;
/// What an agent's file may hold.
pub(crate) const AGENT_SCOPE: &Object = crate::study::AgentScope::OBJECT;
