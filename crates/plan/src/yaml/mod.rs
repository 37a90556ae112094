//! Plans in YAML.
//!
//! Three steps: text to a tree with places ([`tree`]), the tree against the tables of the
//! grammar ([`check`], [`table`]), the tree to the model ([`decode`]). The decoder trusts the
//! check for the form of each value and itself only judges what needs several values
//! together; so every mistake is found and none is reported twice.

pub(crate) mod check;
pub(crate) mod condition;
mod decode;
pub(crate) mod node;
pub(crate) mod suggest;
mod syntax;
pub(crate) mod table;
pub(crate) mod tree;
mod write;

pub use table::{outputs, watch_sources};
pub(crate) use write::scalar;
pub use write::to_yaml;

use crate::error::{Problem, Severity, sort_problems};
use crate::model::Plan;

/// Reads a plan. `file_name` is for messages only.
///
/// # Errors
/// Every mistake of the plan, in the order of its lines. Warnings come with the plan, or
/// among the mistakes when there are any.
pub fn parse_yaml(source: &str, file_name: &str) -> Result<(Plan, Vec<Problem>), Vec<Problem>> {
    let mut problems = Vec::new();
    let plan = read(source, &mut problems);
    for problem in &mut problems {
        file_name.clone_into(&mut problem.file);
    }
    sort_problems(&mut problems);
    let wrong = problems
        .iter()
        .any(|problem| problem.severity == Severity::Error);
    match plan {
        Some(plan) if !wrong => Ok((plan, problems)),
        _ => Err(problems),
    }
}

fn read(source: &str, problems: &mut Vec<Problem>) -> Option<Plan> {
    let root = tree::read(source, problems)?;
    check::check_root(&root, problems);
    root.map()?;
    Some(decode::plan(&root, problems))
}

/// The document as JSON, as the JSON Schema sees it: aliases and merge keys put in, scalars
/// by YAML's core schema. `None` when it is no YAML.
#[must_use]
pub fn yaml_to_json(source: &str) -> Option<serde_json::Value> {
    let mut problems = Vec::new();
    let root = tree::read(source, &mut problems)?;
    Some(root.to_json())
}
