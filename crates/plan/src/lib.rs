//! The plan: its model, its YAML form, its checks, and the compiled program.
//!
//! This crate knows what is to be done and nothing of doing it: no sockets, no clocks, no
//! files beyond the plan itself. `stats` lends it the goals and the label kinds.

// Files, processes, the environment and other hosts: see clippy.toml.
#![cfg_attr(not(test), deny(clippy::disallowed_methods))]

mod classes;
pub mod compile;
mod curl;
mod error;
pub mod functions;
pub mod limits;
mod load_options;
pub mod model;
mod moved;
mod patterns;
pub mod program;
mod reference;
mod schema;
pub mod share;
mod shown;
mod starter;
pub mod study;
pub mod units;
mod url_plan;
mod yaml;

pub use classes::{is_listener, learn_listener, may_ask};
pub use compile::{ColumnsOf, CompileOptions, compile};
pub use curl::{CurlPlan, curl_goes_on, from_curl, from_curl_with, quoted, read_curl};
pub use error::{Problem, Severity, sort_problems};
pub use load_options::{LoadOptions, URL_DURATION, URL_USERS};
pub use reference::reference;
pub use schema::{agent_scope_schema, schema, schema_text, study_schema, study_schema_text};
pub use shown::{ShownProblem, ShownProblems};
pub use starter::{starter_of_curl, starter_of_jmeter};
pub use url_plan::{UrlOptions, url_plan};
pub use yaml::{
    nearest, outputs, parse_agent_scope, parse_study, parse_yaml, to_yaml, to_yaml_without_secrets,
    watch_sources, yaml_to_json,
};
