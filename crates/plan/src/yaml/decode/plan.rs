//! The plan and its scenarios.

use plimsoll_stats::Goal;
use plimsoll_text::Message;

use super::Decoder;
use super::load::{key_at, load_key};
use crate::error::Problem;
use crate::model::{
    Block, Branch, Choice, GoalSpec, Guard, GuardMetric, Load, OnError, Order, Pause, Plan,
    Scenario, Step, StepKind, Undefined, defaults,
};
use crate::yaml::node::{Key, Node};

/// What the plan says for scenarios that say nothing themselves.
struct Usual {
    grace: std::time::Duration,
    pace: Option<Pause>,
    on_error: OnError,
    same_user: bool,
}

impl Decoder<'_> {
    pub(super) fn plan(&mut self, node: &Node) -> Plan {
        let undefined = [
            ("reject", Undefined::Reject),
            ("keep-literal", Undefined::KeepLiteral),
        ];
        let order = [("together", Order::Together), ("in-order", Order::InOrder)];
        let mut plan = Plan {
            name: self.string(node, "name").unwrap_or_default(),
            comment: self.string(node, "description").unwrap_or_default(),
            undefined: self.word(node, "undefined", &undefined).unwrap_or_default(),
            variables: self.variables(node),
            scope: self.scope(node, false),
            order: self.word(node, "order", &order).unwrap_or_default(),
            seed: self.int(node, "seed"),
            warm_up: self.duration(node, "warm-up").unwrap_or_default(),
            skip_teardown_when_stopped: self
                .bool(node, "skip-teardown-when-stopped")
                .unwrap_or(false),
            functional: self.bool(node, "functional").unwrap_or(false),
            goals: self.goals(node),
            guards: self.guards(node),
            watch: self.watch(node),
            hops: self.hops(node),
            outputs: self.outputs(node),
            ..Plan::default()
        };
        plan.scope.on_error = None;
        for host in node.get("hosts").map(Node::one_or_many).unwrap_or_default() {
            plan.hosts.extend(host.scalar().map(str::to_owned));
        }
        let usual = Usual {
            grace: self.duration(node, "grace").unwrap_or(defaults::GRACE),
            pace: self.pause(node, "pace"),
            on_error: self.on_error(node).unwrap_or_default(),
            same_user: self.bool(node, "same-user").unwrap_or(true),
        };
        plan.scenarios = self.scenarios(node, &plan.name, &usual);
        plan.setup = self.once(node, "setup", &usual);
        plan.teardown = self.once(node, "teardown", &usual);
        plan
    }

    fn scenarios(&mut self, node: &Node, name: &str, usual: &Usual) -> Vec<Scenario> {
        let (steps, scenarios) = (key_at(node, "steps"), key_at(node, "scenarios"));
        match (steps, scenarios) {
            (Some(_), None) => {
                if let Some(at) = key_at(node, "order") {
                    self.error(at, "plan-order-of-one");
                }
                self.nothing_to_keep(node);
                vec![self.short_form(node, name, usual)]
            }
            (None, Some(_)) if load_key(node).is_some() => vec![self.mix(node, name, usual)],
            (None, Some(_)) => {
                self.nothing_to_keep(node);
                self.several(node, usual)
            }
            (Some(_), Some(at)) => {
                let message = Message::new("plan-keys-exclude")
                    .with("first", "steps")
                    .with("second", "scenarios");
                let remedy = Message::new("plan-steps-and-scenarios.remedy");
                self.problems
                    .push(Problem::error(at, message).remedy(remedy));
                Vec::new()
            }
            (None, None) => {
                self.error(node.at, "plan-without-steps");
                Vec::new()
            }
        }
    }

    /// One scenario, written at the top.
    fn short_form(&mut self, node: &Node, name: &str, usual: &Usual) -> Scenario {
        let name = if name.is_empty() { "main" } else { name };
        let mut scenario = Scenario::new(name, self.load(node));
        self.rhythm(node, &mut scenario, usual);
        // What holds for all is in the plan's scope already.
        scenario.body.steps = self.steps(node, "steps");
        if let Some(list) = node.get("steps") {
            self.not_empty(list, &scenario.body);
        }
        scenario.at = node.at;
        scenario
    }

    fn not_empty(&mut self, list: &Node, body: &Block) {
        if body.steps.is_empty() && list.list().is_some_and(<[Node]>::is_empty) {
            self.error(list.at, "plan-steps-empty");
        }
    }

    fn rhythm(&mut self, node: &Node, scenario: &mut Scenario, usual: &Usual) {
        scenario.start_delay = self.duration(node, "start-delay").unwrap_or_default();
        scenario.end_after = self.duration(node, "end-after");
        scenario.grace = self.duration(node, "grace").unwrap_or(usual.grace);
        scenario.pace = self.pause(node, "pace").or_else(|| usual.pace.clone());
        scenario.on_error = self.on_error(node).unwrap_or(usual.on_error);
        scenario.same_user_each_iteration = self.bool(node, "same-user").unwrap_or(usual.same_user);
    }

    fn several(&mut self, node: &Node, usual: &Usual) -> Vec<Scenario> {
        for key in ["start-delay", "end-after"] {
            if let Some(at) = key_at(node, key) {
                self.of_one_scenario(at, key);
            }
        }
        let entries = self
            .value(node, "scenarios", Node::map_entries)
            .unwrap_or_default();
        if entries.is_empty() {
            let at = node.get("scenarios").map_or(node.at, |node| node.at);
            self.error(at, "plan-scenarios-empty");
        }
        let mut scenarios = Vec::new();
        for (name, value) in &entries {
            if let Some(at) = key_at(value, "weight") {
                self.error(at, "plan-weight-without-load");
            }
            scenarios.push(self.scenario(name, value, usual));
        }
        scenarios
    }

    fn of_one_scenario(&mut self, at: crate::model::Span, key: &str) {
        let message = Message::new("plan-key-of-scenario").with("key", key);
        let remedy = Message::new("plan-key-of-scenario.remedy").with("key", key);
        self.problems
            .push(Problem::error(at, message).remedy(remedy));
    }

    fn scenario(&mut self, name: &Key, node: &Node, usual: &Usual) -> Scenario {
        let shown = self.string(node, "name");
        let shown = shown.unwrap_or_else(|| name.name.clone());
        let mut scenario = Scenario::new(shown, self.load(node));
        self.rhythm(node, &mut scenario, usual);
        scenario.body = self.block(node, "steps");
        scenario.body.scope.on_error = None;
        if let Some(list) = node.get("steps") {
            self.not_empty(list, &scenario.body);
        }
        scenario.at = name.at;
        scenario
    }

    /// Several scenarios that share the plan's load by weight: a choice inside one scenario.
    fn mix(&mut self, node: &Node, name: &str, usual: &Usual) -> Scenario {
        let name = if name.is_empty() { "main" } else { name };
        let mut scenario = Scenario::new(name, self.load(node));
        self.rhythm(node, &mut scenario, usual);
        scenario.at = key_at(node, "scenarios").unwrap_or(node.at);
        // The mix must not depend on the number of users, so that loads can be compared.
        let by = match self.bool(node, "users-keep-scenario") {
            Some(true) => Choice::MixOfUsers,
            _ => Choice::MixOfIterations,
        };
        if matches!(
            (&by, &scenario.load),
            (Choice::MixOfUsers, Load::Arrivals(_))
        ) {
            self.nothing_to_keep(node);
        }
        if let Some(at) = key_at(node, "order") {
            self.error(at, "plan-order-of-one");
        }
        let entries = self
            .value(node, "scenarios", Node::map_entries)
            .unwrap_or_default();
        if entries.is_empty() {
            self.error(scenario.at, "plan-scenarios-empty");
        }
        let mut branches = Vec::new();
        for (_, value) in &entries {
            if let Some(at) = load_key(value) {
                self.error(at, "plan-load-twice");
            }
            let own = ["start-delay", "end-after", "grace", "pace", "same-user"];
            for key in own {
                if let Some(at) = key_at(value, key) {
                    self.shared_load(at, key);
                }
            }
            let body = self.block(value, "steps");
            if let Some(list) = value.get("steps") {
                self.not_empty(list, &body);
            }
            let weight = self.int(value, "weight").unwrap_or(1);
            branches.push(Branch {
                weight,
                value: None,
                body,
            });
        }
        let choice = Step::new(StepKind::Choose { by, branches }, scenario.at);
        scenario.body.steps = vec![choice];
        scenario
    }

    /// Only users of a load that scenarios share can keep one of them.
    fn nothing_to_keep(&mut self, node: &Node) {
        if let Some(at) = key_at(node, "users-keep-scenario") {
            self.error(at, "plan-keep-without-mix");
        }
    }

    fn shared_load(&mut self, at: crate::model::Span, key: &str) {
        let message = Message::new("plan-key-with-shared-load").with("key", key);
        let remedy = Message::new("plan-key-with-shared-load.remedy").with("key", key);
        self.problems
            .push(Problem::error(at, message).remedy(remedy));
    }

    /// Steps run once: a list, or scenarios of their own.
    fn once(&mut self, node: &Node, key: &str, usual: &Usual) -> Vec<Scenario> {
        let Some(value) = node.get(key) else {
            return Vec::new();
        };
        if let Some(entries) = value.map_entries() {
            return entries
                .iter()
                .map(|(name, node)| self.scenario(name, node, usual))
                .collect();
        }
        let mut scenario = Scenario::new(key, Load::once());
        scenario.grace = usual.grace;
        scenario.body.steps = self.step_list(value);
        scenario.at = value.at;
        vec![scenario]
    }

    fn goals(&mut self, node: &Node) -> Vec<GoalSpec> {
        let Some(list) = node.get("goals") else {
            return Vec::new();
        };
        let mut goals = Vec::new();
        for item in list.one_or_many() {
            let abort_after = self.duration(item, "abort-after");
            if let Some(goal) = self.goal(item) {
                goals.push(GoalSpec {
                    goal,
                    abort_after,
                    at: item.at,
                });
            }
        }
        goals
    }

    fn goal(&mut self, item: &Node) -> Option<Goal> {
        let text = item.scalar().or_else(|| item.get("goal")?.scalar());
        let goal = text.and_then(|text| Goal::parse(text).ok());
        if goal.is_none() {
            self.broken(item);
        }
        goal
    }

    fn guards(&mut self, node: &Node) -> Vec<Guard> {
        let Some(list) = node.get("guards") else {
            return Vec::new();
        };
        let mut guards = Vec::new();
        for item in list.one_or_many() {
            let for_at_least = self.duration(item, "for").unwrap_or(defaults::GUARD_FOR);
            let metric = match self.duration(item, "send-lateness") {
                Some(limit) => Some(GuardMetric::SendLateness(limit)),
                None => self.goal(item).map(GuardMetric::Goal),
            };
            if let Some(metric) = metric {
                guards.push(Guard {
                    metric,
                    for_at_least,
                    at: item.at,
                });
            }
        }
        guards
    }
}
