//! Plans in YAML.
//!
//! Three steps: text to a tree with places ([`tree`]), the tree against the tables of the
//! grammar ([`check`]), the tree to the model; the tables, reading and writing come from one
//! line a key ([`grammar`]). Reading trusts the check for the form of each value and itself
//! only judges what needs several values together; so every mistake is found and none is
//! reported twice.

pub(crate) mod check;
pub(crate) mod condition;
pub(crate) mod full_width;
pub(crate) mod grammar;
pub(crate) mod node;
pub(crate) mod suggest;
mod syntax;
pub(crate) mod tree;

pub(crate) use grammar::scalar;
pub use grammar::{outputs, watch_sources};
pub use suggest::nearest;

use grammar::Object;
use node::Node;

use crate::error::{Problem, Severity, sort_problems};
use crate::model::Plan;
use crate::study::{AgentScope, Study};

/// Reads a plan. `file_name` is for messages only.
///
/// # Errors
/// Every mistake of the plan, in the order of its lines. Warnings come with the plan, or
/// among the mistakes when there are any.
///
/// ```
/// use plimsoll_plan::parse_yaml;
///
/// let text = "target: http://127.0.0.1:8080\nusers: 5\nduration: 10s\nsteps:\n  - get: /\n";
/// let (plan, warnings) = parse_yaml(text, "plan.yaml").unwrap();
/// assert!(warnings.is_empty());
/// assert_eq!(plan.scenarios.len(), 1);
///
/// let wrong = parse_yaml("target: http://127.0.0.1:8080\nstesp: []\n", "plan.yaml").unwrap_err();
/// assert!(wrong.iter().any(|problem| problem.at.line == 2));
/// ```
pub fn parse_yaml(source: &str, file_name: &str) -> Result<(Plan, Vec<Problem>), Vec<Problem>> {
    let mut problems = Vec::new();
    let plan = read(source, grammar::PLAN, &mut problems);
    let plan = plan.map(|root| grammar::read(&root, &mut problems));
    judged(plan, problems, file_name)
}

/// Reads a study. `file_name` is for messages only.
///
/// # Errors
/// As [`parse_yaml`].
pub fn parse_study(source: &str, file_name: &str) -> Result<(Study, Vec<Problem>), Vec<Problem>> {
    let mut problems = Vec::new();
    let study = read(source, grammar::STUDY, &mut problems);
    let study = study.map(|root| grammar::read_study(&root, &mut problems));
    judged(study, problems, file_name)
}

/// Reads what an agent lets studies change. `file_name` is for messages only.
///
/// # Errors
/// As [`parse_yaml`].
pub fn parse_agent_scope(
    source: &str,
    file_name: &str,
) -> Result<(AgentScope, Vec<Problem>), Vec<Problem>> {
    let mut problems = Vec::new();
    let scope = read(source, grammar::AGENT_SCOPE, &mut problems);
    let scope = scope.map(|root| grammar::read_agent_scope(&root, &mut problems));
    judged(scope, problems, file_name)
}

fn judged<T>(
    read: Option<T>,
    mut problems: Vec<Problem>,
    file_name: &str,
) -> Result<(T, Vec<Problem>), Vec<Problem>> {
    // What follows from a full-width character is no mistake of its own.
    let is_full_width = |problem: &Problem| problem.message.id == full_width::ID;
    if problems.iter().any(is_full_width) {
        problems.retain(is_full_width);
    }
    for problem in &mut problems {
        file_name.clone_into(&mut problem.file);
    }
    sort_problems(&mut problems);
    let wrong = problems
        .iter()
        .any(|problem| problem.severity == Severity::Error);
    match read {
        Some(read) if !wrong => Ok((read, problems)),
        _ => Err(problems),
    }
}

/// The tree of a document whose root is such an object.
fn read(source: &str, object: &Object, problems: &mut Vec<Problem>) -> Option<Node> {
    let root = tree::read(source, problems)?;
    check::check_root(&root, object, problems);
    root.map()?;
    Some(root)
}

/// A plan's text: the way back. What is read from it compiles to the same program as the plan
/// it was written from.
///
/// ```
/// use plimsoll_plan::{parse_yaml, to_yaml};
///
/// let text = "target: http://127.0.0.1:8080\nusers: 5\nduration: 10s\nsteps:\n  - get: /\n";
/// let (plan, _) = parse_yaml(text, "plan.yaml").unwrap();
/// let written = to_yaml(&plan);
/// let (again, _) = parse_yaml(&written, "plan.yaml").unwrap();
/// assert_eq!(to_yaml(&again), written);
/// ```
#[must_use]
pub fn to_yaml(plan: &Plan) -> String {
    grammar::document(grammar::write(plan))
}

/// The plan as YAML, with its secrets moved to variables of the environment, which come with it.
#[must_use]
pub fn to_yaml_without_secrets(plan: &Plan) -> (String, Vec<String>) {
    let mut root = grammar::write(plan);
    let moved = crate::moved::moved_out(&mut root);
    (grammar::document(root), moved.envs())
}

/// The document as JSON, as the JSON Schema sees it: aliases and merge keys put in, scalars
/// by YAML's core schema. `None` when it is no YAML.
#[must_use]
pub fn yaml_to_json(source: &str) -> Option<serde_json::Value> {
    let mut problems = Vec::new();
    let root = tree::read(source, &mut problems)?;
    Some(root.to_json())
}
