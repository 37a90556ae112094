//! A tree of JMeter's elements to the plan model.

mod branches;
mod controllers;
pub(crate) mod fixed;
mod groups;
mod indices;
mod javascript;
mod leaves;
mod links;
mod loads;
mod plugins;
pub mod schedule;
mod variables;

use std::io;
use std::path::{Path, PathBuf};

use plimsoll_plan::model::{Element, ElementValue, Order, Plan, Span, Text, Undefined};
use plimsoll_plan::{Problem, Severity, sort_problems};
use plimsoll_text::Message;

use crate::classes::{Category, category};
use crate::properties::Properties;
use crate::read::{Node, Tree, is_true};
use crate::support::{self, Row};
use crate::xml::problem;
use fixed::Known;

/// Reads a file another one names.
pub type ReadFile<'o> = &'o dyn Fn(&Path) -> io::Result<Vec<u8>>;

/// How a plan is translated.
pub struct Options<'o> {
    /// JMeter's properties, those of the command line among them.
    pub properties: &'o Properties,
    /// The plan's folder, for the files it names.
    pub folder: PathBuf,
    /// The plan's file as it was named, for problems.
    pub plan_file: String,
    /// Whether a plan with elements that are not supported is translated nonetheless.
    pub allow_unsupported: bool,
    /// Reads the files of Include Controllers.
    pub read_file: ReadFile<'o>,
}

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
pub fn translate(tree: &Tree, options: &Options<'_>) -> Result<Translated, Vec<Problem>> {
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

struct Translator<'t> {
    tree: &'t Tree,
    known: Known<'t>,
    problems: Vec<Problem>,
    /// Whether anything may look at the numbers of passes.
    indices: bool,
    /// The included files we are in.
    files: Vec<PathBuf>,
}

impl<'t> Translator<'t> {
    fn new(tree: &'t Tree, options: &'t Options<'t>) -> Self {
        Self {
            tree,
            known: Known {
                properties: Some(options.properties),
                ..Known::default()
            },
            problems: Vec::new(),
            indices: indices::are_looked_at(tree, options.properties),
            files: Vec::new(),
        }
    }

    fn plan(&mut self) -> Plan {
        let mut plan = Plan {
            undefined: Undefined::KeepLiteral,
            ..Plan::default()
        };
        let roots = self.tree.roots.iter();
        let root = roots.clone().find(|node| node.element.class == "TestPlan");
        let Some(root) = root else {
            let message = Message::new("jmeter-no-test-plan");
            self.error(Span::default(), message);
            return plan;
        };
        plan.name = self.fixed_or_raw(&root.element.name);
        plan.comment = flat(&root.element, "TestPlan.comments");
        if flag(&root.element, "TestPlan.serialize_threadgroups") {
            plan.order = Order::InOrder;
        }
        plan.skip_teardown_when_stopped = !flag(&root.element, "TestPlan.tearDown_on_shutdown");
        plan.functional = flag(&root.element, "TestPlan.functional_mode");
        plan.variables = self.variables(root);
        self.top_level(root, &mut plan);
        plan
    }

    /// What stands directly below the test plan: thread groups, and what holds for all.
    fn top_level(&mut self, root: &Node, plan: &mut Plan) {
        let mut left_out = [0; 3];
        for node in root.children.iter().filter(|node| node.enabled) {
            match category(&node.element.class) {
                Some(Category::ThreadGroup) => {
                    let (groups, left_out) = match node.element.class.as_str() {
                        "SetupThreadGroup" => (&mut plan.setup, &mut left_out[0]),
                        "PostThreadGroup" => (&mut plan.teardown, &mut left_out[2]),
                        _ => (&mut plan.scenarios, &mut left_out[1]),
                    };
                    match self.scenario(node) {
                        Some(mut scenario) => {
                            scenario.left_out_before = *left_out;
                            groups.push(scenario);
                        }
                        None => *left_out += 1,
                    }
                }
                Some(Category::Controller | Category::Sampler) => {
                    if node.element.class != "TestFragmentController" {
                        self.nothing_runs(node);
                    }
                }
                _ => self.leaf(node, &mut plan.scope),
            }
        }
    }

    fn error(&mut self, at: Span, message: Message) {
        let mut found = problem(at, message);
        if let Some(file) = self.files.last() {
            found.file = file.display().to_string();
        }
        self.problems.push(*found);
    }

    fn warn(&mut self, at: Span, message: Message) {
        self.error(at, message);
        if let Some(problem) = self.problems.last_mut() {
            problem.severity = Severity::Warning;
        }
    }

    /// An element stands where JMeter runs nothing.
    fn nothing_runs(&mut self, node: &Node) {
        let name = node.element.name.raw.as_str();
        let message = Message::new("jmeter-outside-of-thread-groups").with("name", name);
        self.warn(node.at, message);
    }

    /// A text that must be known before the run; says so when it is not.
    fn fixed(&mut self, node: &Node, property: &'static str) -> Option<String> {
        let text = node.element.text(property)?;
        let value = self.known.value(&text.raw);
        if value.is_none() {
            let message = Message::new("jmeter-not-fixed")
                .with("what", property)
                .with("text", text.raw.as_str());
            self.error(text.at, message);
        }
        value
    }

    /// A number that must be known before the run; `usual` when it is not there or empty.
    fn number<N: std::str::FromStr>(&mut self, node: &Node, property: &'static str, usual: N) -> N {
        let Some(value) = self.fixed(node, property) else {
            return usual;
        };
        if value.trim().is_empty() {
            return usual;
        }
        value.trim().parse().unwrap_or_else(|_| {
            let at = node.element.text(property).map_or(node.at, |text| text.at);
            let message = Message::new("jmeter-not-a-number")
                .with("what", property)
                .with("text", value);
            self.error(at, message);
            usual
        })
    }

    /// A whole number as JMeter counts it when a thread group starts: what is none is 0, which
    /// is said.
    fn count(&mut self, at: Span, property: &'static str, raw: &str) -> i64 {
        let Some(value) = self.known.value_at_start(raw) else {
            let message = Message::new("jmeter-not-fixed")
                .with("what", property)
                .with("text", raw);
            self.error(at, message);
            return 0;
        };
        match value.parse::<i32>() {
            Ok(number) => number.into(),
            Err(_) if value.is_empty() => 0,
            Err(_) => {
                let message = Message::new("jmeter-counts-as-zero")
                    .with("what", property)
                    .with("text", value);
                self.warn(at, message);
                0
            }
        }
    }

    /// The same of a property of an element; 0 when it is not there.
    fn count_of(&mut self, node: &Node, property: &'static str) -> i64 {
        match node.element.text(property).cloned() {
            Some(text) => self.count(text.at, property, &text.raw),
            None => 0,
        }
    }

    fn fixed_or_raw(&self, text: &Text) -> String {
        self.known
            .value(&text.raw)
            .unwrap_or_else(|| text.raw.clone())
    }
}

/// A truth value as JMeter reads it: `true` in any case; all else is false.
fn flag(element: &Element, property: &str) -> bool {
    flag_or(element, property, false)
}

/// A truth value with what holds when the property is not there.
fn flag_or(element: &Element, property: &str, usual: bool) -> bool {
    element
        .text(property)
        .map_or(usual, |text| is_true(&text.raw))
}

/// A text as it is written; empty when it is not there.
fn flat(element: &Element, property: &str) -> String {
    let text = element.text(property);
    text.map(|text| text.raw.clone()).unwrap_or_default()
}

/// A text; empty, at the element, when it is not there.
fn text(element: &Element, property: &str) -> Text {
    element.text(property).cloned().unwrap_or(Text {
        raw: String::new(),
        at: element.at,
    })
}

/// The items of a collection.
fn items<'e>(element: &'e Element, property: &str) -> &'e [ElementValue] {
    match element.get(property) {
        Some(ElementValue::List(items)) => items,
        _ => &[],
    }
}

/// The element in a property.
fn inner<'e>(element: &'e Element, property: &str) -> Option<&'e Element> {
    match element.get(property) {
        Some(ElementValue::Element(inner)) => Some(inner),
        _ => None,
    }
}

#[cfg(test)]
mod tests;
