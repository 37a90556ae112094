//! A tree of JMeter's elements to the plan model.

mod branches;
mod controllers;
mod element;
pub(crate) mod feedback;
mod fixed;
mod groups;
mod indices;
mod javascript;
mod leaves;
mod links;
mod loads;
mod options;
mod parallel;
mod perf_mon;
mod plugins;
pub mod schedule;
mod translator;
mod variables;

use plimsoll_plan::model::Plan;
use plimsoll_plan::{Problem, Severity, sort_problems};
use plimsoll_text::Message;

use crate::read::Tree;
use crate::support::{self, Row};
use element::flat;
use translator::Translator;

pub use options::{ReadFile, TranslateOptions};

/// A plan, translated.
#[derive(Debug)]
pub struct Translated {
    /// The plan.
    pub plan: Plan,
    /// Every element and function of it, and of the files it includes.
    pub table: Vec<Row>,
    /// Java libraries the plan names for its own classes, as written (`TestPlan`'s classpath);
    /// only the companion has a use for them.
    pub classpath: Vec<String>,
    /// What is to be known about it, though it runs.
    pub warnings: Vec<Problem>,
}

/// Translates a plan.
///
/// # Errors
/// All that keeps it from running, warnings too.
pub fn translate(tree: &Tree, options: &TranslateOptions<'_>) -> Result<Translated, Vec<Problem>> {
    let mut linked = links::follow(tree, options);
    let mut translator = Translator::new(&linked.tree, options);
    let plan = translator.plan();
    let mut problems = translator.problems;
    problems.append(&mut linked.problems);
    let mut table = support::table(tree);
    table.append(&mut linked.included);
    for row in &table {
        problems.extend(support::problem_of(row, options.allow_unsupported));
    }
    for (name, at) in &tree.strange {
        let message = Message::new("jmeter-strange-property").with("name", name.as_str());
        let remedy = Message::new("jmeter-strange-property.remedy");
        problems.push(Problem::warning(*at, message).remedy(remedy));
    }
    for problem in &mut problems {
        if problem.file.is_empty() {
            problem.file.clone_from(&options.plan_file);
        }
    }
    sort_problems(&mut problems);
    problems.dedup();
    match problems.iter().any(|it| it.severity == Severity::Error) {
        true => Err(problems),
        false => Ok(Translated {
            plan,
            table,
            classpath: classpath(tree),
            warnings: problems,
        }),
    }
}

/// The entries of the test plan's classpath, apart by commas.
fn classpath(tree: &Tree) -> Vec<String> {
    let root = tree
        .roots
        .iter()
        .find(|node| node.element.class == "TestPlan");
    let entries = root.map(|root| flat(&root.element, "TestPlan.user_define_classpath"));
    let entries = entries.unwrap_or_default();
    let entries = entries.split(',').map(str::trim);
    entries
        .filter(|entry| !entry.is_empty())
        .map(str::to_owned)
        .collect()
}

#[cfg(test)]
mod tests;
