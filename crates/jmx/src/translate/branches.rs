//! Controllers that choose among their children: Interleave, Random, Switch.

use plimsoll_plan::model::{Block, Branch, Choice, ElementValue, SharedBy, Step, StepKind};

use super::element::{flag, flat, items, text};
use super::leaves::is_empty;
use super::translator::Translator;
use crate::classes::{Category, category};
use crate::read::JmxNode;

impl Translator<'_> {
    /// A controller that chooses one child; what holds for all stands in a block around it.
    pub(super) fn choose(&mut self, node: &JmxNode, steps: &mut Vec<Step>) {
        let by = choice(node);
        let weights = self.weights(node);
        let mut around = Block::default();
        let mut branches = Vec::new();
        for child in node.children.iter().filter(|child| child.enabled) {
            let mut body = Block::default();
            self.node(child, false, &mut body);
            around.scope.append_told(&mut body.scope);
            match body.steps.is_empty() {
                // A leaf: it holds for all branches.
                true => merge(&mut around, body),
                false => branches.push(Branch {
                    weight: match &weights {
                        Some(weights) => weights.get(branches.len()).copied().unwrap_or(0),
                        None => 1,
                    },
                    value: Some(child.element.name.clone()),
                    body,
                }),
            }
        }
        if branches.is_empty() {
            return;
        }
        let choose = Step::new(StepKind::Choose { by, branches }, node.at);
        match is_empty(&around.scope) {
            true => steps.push(choose),
            false => {
                around.steps.push(choose);
                steps.push(Step::new(StepKind::Block(around), node.at));
            }
        }
    }
}

/// The plugins' controller that chooses by weight.
pub(super) const WEIGHTED: &str = "com.blazemeter.jmeter.control.WeightedSwitchController";

impl Translator<'_> {
    /// The weights of the children of a Weighted Switch Controller, by their place: rows of a name, a weight and
    /// whether the child is enabled (0.7; older files have no third cell).
    fn weights(&mut self, node: &JmxNode) -> Option<Vec<u32>> {
        if node.element.class != WEIGHTED {
            return None;
        }
        let mut weights = Vec::new();
        for row in items(&node.element, "Weights") {
            let ElementValue::List(cells) = row else {
                continue;
            };
            let enabled = |cell: &ElementValue| match cell {
                ElementValue::Text(text) => text.raw == "true",
                _ => false,
            };
            if cells.get(2).is_some_and(|cell| !enabled(cell)) {
                continue;
            }
            if let Some(ElementValue::Text(weight)) = cells.get(1) {
                weights.push(super::loads::whole(self.cell(weight, "Weights")));
            }
        }
        Some(weights)
    }
}

fn merge(around: &mut Block, leaf: Block) {
    let (into, from) = (&mut around.scope, leaf.scope);
    into.before.extend(from.before);
    into.pauses.extend(from.pauses);
    into.after.extend(from.after);
    into.checks.extend(from.checks);
    into.elements.extend(from.elements);
}

/// JMeter 5.6.3: `InterleaveControl.style` 0 ignores the blocks of sub-controllers, which is
/// what holds when it is not there.
fn choice(node: &JmxNode) -> Choice {
    let element = &node.element;
    let whole = flat(element, "InterleaveControl.style").trim() == "1";
    let across = flag(element, "InterleaveControl.accrossThreads");
    // Where no child is a controller, both ways are the same; the plain one is quicker.
    let whole = whole || !has_controllers(node);
    let shared_by = SharedBy::User;
    match (element.class.as_str(), whole, across) {
        ("SwitchController", ..) => {
            let mut value = text(element, "SwitchController.value");
            value.raw = value.raw.trim().to_owned();
            Choice::Switch(value)
        }
        (WEIGHTED, ..) if flag(element, "IsRandomChoice") => Choice::Random,
        (WEIGHTED, ..) => Choice::InTurnByWeight,
        ("RandomController", true, _) => Choice::Random,
        ("RandomController", false, _) => Choice::RandomByRequest,
        (_, true, true) => Choice::InTurnFromUser,
        (_, false, true) => Choice::InTurnByRequestFromUser,
        (_, true, false) => Choice::InTurn { shared_by },
        (_, false, false) => Choice::InTurnByRequest { shared_by },
    }
}

fn has_controllers(node: &JmxNode) -> bool {
    node.children
        .iter()
        .any(|child| child.enabled && category(&child.element.class) != Some(Category::Sampler))
}
