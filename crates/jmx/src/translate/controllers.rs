//! Controllers and samplers, to steps. What each does is JMeter 5.6.3's `control` package; the
//! table of the design notes (docs/design/plan-model.md) says what becomes of which.

use plimsoll_plan::model::{
    Action, Block, Condition, Items, Sampler, SamplerKind, Scope, SharedBy, Step, StepKind, Text,
};
use plimsoll_text::Message;

use super::element::{flag, flag_or, flat, text};
use super::indices::name_of;
use super::leaves::is_empty;
use super::translator::Translator;
use super::{branches, javascript, links, parallel};
use crate::classes::{Category, category};
use crate::read::JmxNode;

impl Translator<'_> {
    /// The children of an element: what holds for them, and the steps.
    pub(super) fn block(&mut self, node: &JmxNode) -> Block {
        self.children(&node.children, false)
    }

    /// The same below a loop, which sets its Once Only Controllers back.
    fn looped(&mut self, node: &JmxNode) -> Block {
        self.children(&node.children, true)
    }

    pub(super) fn children(&mut self, nodes: &[JmxNode], in_loop: bool) -> Block {
        let mut block = Block::default();
        for node in nodes.iter().filter(|node| node.enabled) {
            self.node(node, in_loop, &mut block);
        }
        block
    }

    /// One enabled element, into the block it stands in.
    pub(super) fn node(&mut self, node: &JmxNode, in_loop: bool, block: &mut Block) {
        match category(&node.element.class) {
            Some(Category::Controller) => self.controller(node, in_loop, &mut block.steps),
            Some(Category::Sampler) => self.sampler(node, block),
            // An unknown controller: its children are run as those of a simple one.
            None if has_flow(node) => {
                let body = self.block(node);
                push(&mut block.steps, node, StepKind::Block(body));
            }
            Some(Category::ThreadGroup | Category::Plan) => self.nothing_runs(node),
            _ => self.leaf(node, &mut block.scope),
        }
    }

    fn sampler(&mut self, node: &JmxNode, outer: &mut Block) {
        let mut scope = Scope::default();
        for child in node.children.iter().filter(|child| child.enabled) {
            match category(&child.element.class) {
                Some(Category::Sampler | Category::Controller | Category::ThreadGroup) => {
                    self.nothing_runs(child);
                }
                _ => self.leaf(child, &mut scope),
            }
        }
        // These are told of passes by the nearest controller, not by the sampler.
        outer.scope.append_told(&mut scope);
        let kind = match node.element.class.as_str() {
            "TestAction" => flow(node),
            _ => SamplerKind::Element(node.element.clone()),
        };
        let sampler = Sampler {
            label: node.element.name.clone(),
            kind,
            before: Vec::new(),
            after: Vec::new(),
            checks: Vec::new(),
            at: node.at,
        };
        let step = Step::new(StepKind::Sample(Box::new(sampler)), node.at);
        match is_empty(&scope) {
            true => outer.steps.push(step),
            false => {
                let steps = vec![step];
                push(
                    &mut outer.steps,
                    node,
                    StepKind::Block(Block { scope, steps }),
                );
            }
        }
    }

    fn controller(&mut self, node: &JmxNode, in_loop: bool, steps: &mut Vec<Step>) {
        let element = &node.element;
        let kind = match element.class.as_str() {
            "InterleaveControl" | "RandomController" | "SwitchController" | branches::WEIGHTED => {
                self.choose(node, steps);
                return;
            }
            "IncludeController" => {
                let followed = links::followed(node);
                let is_followed = followed.is_some();
                self.files.extend(followed);
                let body = self.block(node);
                if is_followed {
                    self.files.pop();
                }
                StepKind::Block(body)
            }
            "IfController" => self.if_(node),
            "WhileController" => self.while_(node),
            "LoopController" => self.loop_(node),
            "ForeachController" => self.for_each(node),
            "OnceOnlyController" => match in_loop {
                true => StepKind::FirstPass(self.block(node)),
                false => StepKind::OnceOnly(self.block(node)),
            },
            "RandomOrderController" => StepKind::RandomOrder(self.block(node)),
            "RunTime" => StepKind::Runtime {
                seconds: self.seconds(node),
                body: self.block(node),
            },
            "ThroughputController" => self.throughput(node),
            "CriticalSectionController" => self.critical(node),
            parallel::CONTROLLER => self.parallel(node),
            "TransactionController" => StepKind::Transaction {
                label: element.name.clone(),
                include_pauses: flag_or(element, "TransactionController.includeTimers", true),
                as_parent: flag(element, "TransactionController.parent"),
                body: self.block(node),
            },
            // Simple, Recording, Module, and a Test Fragment that a module or include leads to.
            _ => StepKind::Block(self.block(node)),
        };
        push(steps, node, kind);
    }

    fn loop_(&mut self, node: &JmxNode) -> StepKind {
        let element = &node.element;
        let repeat = StepKind::Repeat {
            times: self.times(text(element, "LoopController.loops")),
            index: self.index(node),
            body: self.looped(node),
        };
        if flag_or(element, "LoopController.continue_forever", true) {
            return repeat;
        }
        // It is done for good when it has ended; no condition around it sets it back.
        let mut body = Block::default();
        push(&mut body.steps, node, repeat);
        StepKind::FirstTimes {
            times: Text::of("1"),
            shared_by: SharedBy::User,
            body,
        }
    }

    /// How often; none for ever. What is no number is 0 times, as in JMeter.
    pub(super) fn times(&self, mut text: Text) -> Option<Text> {
        match self.known.value(&text.raw) {
            None => Some(text),
            Some(value) => match value.parse::<i64>().unwrap_or(0) {
                ..0 => None,
                times => {
                    text.raw = times.to_string();
                    Some(text)
                }
            },
        }
    }

    /// The variable with the number of the pass, when anything may look at it.
    fn index(&self, node: &JmxNode) -> Option<String> {
        let name = || name_of(&self.fixed_or_raw(&node.element.name));
        self.indices.then(name)
    }

    /// Seconds of a Runtime Controller; what is no number is 0.
    fn seconds(&self, node: &JmxNode) -> Text {
        let mut seconds = text(&node.element, "RunTime.seconds");
        if let Some(value) = self.known.value(&seconds.raw) {
            seconds.raw = value.parse::<u64>().unwrap_or(0).to_string();
        }
        seconds
    }

    fn if_(&mut self, node: &JmxNode) -> StepKind {
        let condition = self.condition(node);
        let mut then = self.block(node);
        if flag(&node.element, "IfController.evaluateAll") {
            let steps = std::mem::take(&mut then.steps);
            then.steps = each_asks(steps, &condition);
            return StepKind::Block(then);
        }
        StepKind::If {
            condition,
            then,
            otherwise: Block::default(),
        }
    }

    fn condition(&mut self, node: &JmxNode) -> Condition {
        let mut condition = text(&node.element, "IfController.condition");
        condition.raw = condition.raw.trim().to_owned();
        if !flag(&node.element, "IfController.useExpression") {
            match javascript::as_call(&condition.raw) {
                Some(call) => condition.raw = call,
                None => {
                    let message = Message::new("jmeter-if-condition")
                        .with("condition", condition.raw.as_str());
                    self.error(condition.at, message);
                }
            }
        }
        Condition::IsTrue(condition)
    }

    fn while_(&mut self, node: &JmxNode) -> StepKind {
        let index = self.index(node);
        let mut body = self.looped(node);
        let mut written = text(&node.element, "WhileController.condition");
        written.raw = written.raw.trim().to_owned();
        // Blank: only the last sample of a pass can end it.
        if written.raw.is_empty() {
            let leave = Block {
                steps: vec![Step::new(StepKind::Action(Action::Break), node.at)],
                ..Block::default()
            };
            let last = StepKind::If {
                condition: Condition::Not(Box::new(Condition::LastOk)),
                then: leave,
                otherwise: Block::default(),
            };
            push(&mut body.steps, node, last);
            return StepKind::Repeat {
                times: None,
                index,
                body,
            };
        }
        let condition = match written.raw.eq_ignore_ascii_case("LAST") {
            true => Condition::LastOk,
            false => Condition::Not(Box::new(Condition::IsFalse(written))),
        };
        StepKind::While {
            condition,
            limit: None,
            index,
            body,
        }
    }

    fn for_each(&mut self, node: &JmxNode) -> StepKind {
        let element = &node.element;
        StepKind::ForEach {
            items: Items::Matches {
                prefix: text(element, "ForeachController.inputVal"),
                separator: flag_or(element, "ForeachController.useSeparator", true),
                after: element.text("ForeachController.startIndex").cloned(),
                // An empty one is 0, so that nothing is passed; only without it there is no end.
                until: element.text("ForeachController.endIndex").cloned(),
            },
            variable: self
                .fixed(node, "ForeachController.returnVal")
                .unwrap_or_default(),
            index: self.index(node),
            body: self.block(node),
        }
    }

    /// `maxThroughput` and `percentThroughput` hold numbers in several forms of property.
    fn throughput(&mut self, node: &JmxNode) -> StepKind {
        let element = &node.element;
        let shared_by = match flag_or(element, "ThroughputController.perThread", true) {
            true => SharedBy::User,
            false => SharedBy::Scenario,
        };
        let or = |property: &str, usual: &str| {
            let mut text = text(element, property);
            if text.raw.trim().is_empty() {
                text.raw = usual.to_owned();
            }
            text
        };
        match flat(element, "ThroughputController.style").trim() {
            "1" => StepKind::Percent {
                percent: or("ThroughputController.percentThroughput", "100"),
                shared_by,
                body: self.block(node),
            },
            _ => StepKind::FirstTimes {
                times: or("ThroughputController.maxThroughput", "1"),
                shared_by,
                body: self.block(node),
            },
        }
    }

    /// Without a name nothing is locked.
    fn critical(&mut self, node: &JmxNode) -> StepKind {
        let lock = text(&node.element, "CriticalSectionController.lockName");
        let body = self.block(node);
        match lock.raw.is_empty() {
            true => StepKind::Block(body),
            false => StepKind::Critical { lock, body },
        }
    }
}

/// Each sampler below asks the condition anew, and so does each pass of a loop below.
fn each_asks(steps: Vec<Step>, condition: &Condition) -> Vec<Step> {
    let each = |body: &mut Block| {
        let steps = std::mem::take(&mut body.steps);
        body.steps = each_asks(steps, condition);
    };
    let asks = |step: Step| match step.kind {
        StepKind::Sample(_) => {
            let at = step.at;
            let then = Block {
                steps: vec![step],
                ..Block::default()
            };
            let kind = StepKind::If {
                condition: condition.clone(),
                then,
                otherwise: Block::default(),
            };
            Step::new(kind, at)
        }
        mut kind => {
            match &mut kind {
                StepKind::Repeat { body, .. }
                | StepKind::While { body, .. }
                | StepKind::ForEach { body, .. } => {
                    each(body);
                    body.steps.insert(0, leave_unless(condition, step.at));
                }
                kind => blocks_mut(kind).into_iter().for_each(each),
            }
            Step { kind, ..step }
        }
    };
    steps.into_iter().map(asks).collect()
}

fn leave_unless(condition: &Condition, at: plimsoll_plan::model::Span) -> Step {
    let leave = Block {
        steps: vec![Step::new(StepKind::Action(Action::Break), at)],
        ..Block::default()
    };
    let kind = StepKind::If {
        condition: Condition::Not(Box::new(condition.clone())),
        then: leave,
        otherwise: Block::default(),
    };
    Step::new(kind, at)
}

/// The blocks of the steps this module makes.
fn blocks_mut(kind: &mut StepKind) -> Vec<&mut Block> {
    match kind {
        StepKind::Block(body)
        | StepKind::OnceOnly(body)
        | StepKind::FirstPass(body)
        | StepKind::RandomOrder(body)
        | StepKind::Parallel { body, .. }
        | StepKind::If { then: body, .. }
        | StepKind::Transaction { body, .. }
        | StepKind::FirstTimes { body, .. }
        | StepKind::Percent { body, .. }
        | StepKind::Runtime { body, .. }
        | StepKind::Critical { body, .. } => vec![body],
        StepKind::Choose { branches, .. } => {
            branches.iter_mut().map(|branch| &mut branch.body).collect()
        }
        _ => Vec::new(),
    }
}

/// JMeter 5.6.3, `TestAction`: action and target are numbers.
fn flow(node: &JmxNode) -> SamplerKind {
    let element = &node.element;
    let number = |property| flat(element, property).trim().parse().unwrap_or(0);
    let whole_test = number("ActionProcessor.target") == 2;
    let action = match (number("ActionProcessor.action"), whole_test) {
        (1, _) => {
            return SamplerKind::Flow {
                pause_ms: Some(text(element, "ActionProcessor.duration")),
                action: None,
            };
        }
        (0 | 2, false) => Some(Action::StopUser),
        (0, true) => Some(Action::StopRun),
        (2, true) => Some(Action::StopRunNow),
        (3, _) => Some(Action::NextIteration),
        (4, _) => Some(Action::Continue),
        (5, _) => Some(Action::Break),
        _ => None,
    };
    SamplerKind::Flow {
        pause_ms: None,
        action,
    }
}

pub(super) fn push(steps: &mut Vec<Step>, node: &JmxNode, kind: StepKind) {
    steps.push(Step::new(kind, node.at));
}

/// Whether a sampler or a controller stands below.
fn has_flow(node: &JmxNode) -> bool {
    node.children.iter().any(|child| {
        matches!(
            category(&child.element.class),
            Some(Category::Sampler | Category::Controller)
        ) || has_flow(child)
    })
}
