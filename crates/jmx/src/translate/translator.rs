//! What all of a translation shares, and the plan itself.

use std::path::PathBuf;

use plimsoll_plan::model::{Order, Plan, Span, Text, Undefined, WatchSource};
use plimsoll_plan::{Problem, Severity};
use plimsoll_text::Message;

use super::element::{flag, flat};
use super::fixed::KnownBefore;
use super::indices;
use super::options::TranslateOptions;
use crate::classes::{Category, category};
use crate::read::{JmxNode, Tree};
use crate::xml::problem;

/// A plan being translated.
pub(super) struct Translator<'t> {
    pub(super) tree: &'t Tree,
    pub(super) known: KnownBefore<'t>,
    pub(super) problems: Vec<Problem>,
    /// Whether anything may look at the numbers of passes.
    pub(super) indices: bool,
    /// The included files we are in.
    pub(super) files: Vec<PathBuf>,
    /// What is watched while the load runs.
    pub(super) watched: Vec<WatchSource>,
}

impl<'t> Translator<'t> {
    pub(super) fn new(tree: &'t Tree, options: &'t TranslateOptions<'t>) -> Self {
        Self {
            tree,
            known: KnownBefore {
                properties: Some(options.properties),
                files: Some((options.read_file, &options.folder)),
                ..KnownBefore::default()
            },
            problems: Vec::new(),
            indices: indices::are_looked_at(tree, options.properties),
            files: Vec::new(),
            watched: Vec::new(),
        }
    }

    pub(super) fn plan(&mut self) -> Plan {
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
        for other in roots.filter(|node| node.element.class == "TestPlan" && node.at != root.at) {
            let message = Message::new("jmeter-second-test-plan")
                .with("name", self.fixed_or_raw(&other.element.name));
            self.warn(other.at, message);
        }
        plan.name = self.fixed_or_raw(&root.element.name);
        plan.comment = flat(&root.element, "TestPlan.comments");
        if flag(&root.element, "TestPlan.serialize_threadgroups") {
            plan.order = Order::InOrder;
        }
        plan.skip_teardown_when_stopped = !flag(&root.element, "TestPlan.tearDown_on_shutdown");
        plan.functional = flag(&root.element, "TestPlan.functional_mode");
        plan.variables = self.variables(root);
        self.top_level(root, &mut plan);
        plan.watch = std::mem::take(&mut self.watched);
        plan
    }

    /// What stands directly below the test plan: thread groups, and what holds for all.
    fn top_level(&mut self, root: &JmxNode, plan: &mut Plan) {
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

    pub(super) fn error(&mut self, at: Span, message: Message) {
        let mut found = problem(at, message);
        if let Some(file) = self.files.last() {
            found.file = file.display().to_string();
        }
        self.problems.push(*found);
    }

    pub(super) fn warn(&mut self, at: Span, message: Message) {
        self.error(at, message);
        if let Some(problem) = self.problems.last_mut() {
            problem.severity = Severity::Warning;
        }
    }

    /// An element stands where JMeter runs nothing.
    pub(super) fn nothing_runs(&mut self, node: &JmxNode) {
        let name = node.element.name.raw.as_str();
        let message = Message::new("jmeter-outside-of-thread-groups").with("name", name);
        self.warn(node.at, message);
    }

    /// A text that must be known before the run; says so when it is not.
    pub(super) fn fixed(&mut self, node: &JmxNode, property: &'static str) -> Option<String> {
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
    pub(super) fn number<N: std::str::FromStr>(
        &mut self,
        node: &JmxNode,
        property: &'static str,
        usual: N,
    ) -> N {
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
    pub(super) fn count(
        &mut self,
        (name, at): (&str, Span),
        property: &'static str,
        raw: &str,
    ) -> i64 {
        let Some(value) = self.known.value_at_start(raw) else {
            let message = Message::new("jmeter-not-fixed")
                .with("what", property)
                .with("text", raw);
            self.error(at, message);
            return 0;
        };
        match value.parse::<i32>() {
            Ok(number) => number.into(),
            Err(_) if raw.is_empty() => 0,
            Err(_) => {
                let text = if value.is_empty() { raw } else { &value };
                let message = Message::new("jmeter-counts-as-zero")
                    .with("name", name)
                    .with("what", property)
                    .with("text", text);
                self.warn(at, message);
                0
            }
        }
    }

    /// The same of a property of an element; 0 when it is not there.
    pub(super) fn count_of(&mut self, node: &JmxNode, property: &'static str) -> i64 {
        match node.element.text(property).cloned() {
            Some(text) => self.count((&node.element.name.raw, text.at), property, &text.raw),
            None => 0,
        }
    }

    pub(super) fn fixed_or_raw(&self, text: &Text) -> String {
        self.known
            .value(&text.raw)
            .unwrap_or_else(|| text.raw.clone())
    }
}
