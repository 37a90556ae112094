//! Steps.

use super::Decoder;
use super::scope::SHARED_BY;
use crate::model::{
    Action, Block, Branch, Choice, Comparison, Condition, Items, Language, Sampler, SamplerKind,
    Script, SharedBy, Step, StepKind, Text,
};
use crate::units::parse_duration;
use crate::yaml::condition::{self, Simple, Wrong};
use crate::yaml::node::Node;
use crate::yaml::table;

pub(in crate::yaml) const ACTIONS: &[(&str, Action)] = &[
    ("next-pass", Action::Continue),
    ("leave-loop", Action::Break),
    ("next-iteration", Action::NextIteration),
    ("stop-user", Action::StopUser),
    ("stop-scenario", Action::StopScenario),
    ("stop-run", Action::StopRun),
    ("stop-run-now", Action::StopRunNow),
];

pub(in crate::yaml) const COMPARISONS: &[(&str, Comparison)] = &[
    ("==", Comparison::Equal),
    ("!=", Comparison::NotEqual),
    ("<", Comparison::Less),
    ("<=", Comparison::AtMost),
    (">", Comparison::Greater),
    (">=", Comparison::AtLeast),
    ("contains", Comparison::Contains),
    ("matches", Comparison::Matches),
];

impl Decoder<'_> {
    /// The steps of a list under a key.
    pub(super) fn steps(&mut self, node: &Node, key: &str) -> Vec<Step> {
        let Some(list) = node.get(key) else {
            return Vec::new();
        };
        self.step_list(list)
    }

    pub(super) fn step_list(&mut self, list: &Node) -> Vec<Step> {
        let Some(items) = list.list() else {
            self.broken(list);
            return Vec::new();
        };
        items.iter().filter_map(|item| self.step(item)).collect()
    }

    fn step(&mut self, node: &Node) -> Option<Step> {
        let Some(case) = crate::yaml::check::chosen(node, &table::STEP_CASES) else {
            self.broken(node);
            return None;
        };
        let kind = self.step_kind(node, case.object.id)?;
        let enabled = self.bool(node, "enabled").unwrap_or(true);
        Some(Step {
            kind,
            enabled,
            at: node.at,
        })
    }

    fn step_kind(&mut self, node: &Node, kind: &str) -> Option<StepKind> {
        Some(match kind {
            "request" => self.request(node),
            "transaction" => StepKind::Transaction {
                label: self.text(node, "transaction").unwrap_or_default(),
                include_pauses: self.bool(node, "include-pauses").unwrap_or(false),
                as_parent: self.bool(node, "as-parent").unwrap_or(false),
                body: self.block(node, "steps"),
            },
            "group" => StepKind::Block(self.block(node, "group")),
            "if" => StepKind::If {
                condition: self.condition(node, "if")?,
                then: self.bare_block(node, "then"),
                otherwise: self.bare_block(node, "else"),
            },
            "choose" => self.choose(node)?,
            "random-order" => StepKind::RandomOrder(self.block(node, "random-order")),
            "once" => StepKind::OnceOnly(self.block(node, "once")),
            "first-pass" => StepKind::FirstPass(self.block(node, "first-pass")),
            "sample" => StepKind::Sample(Box::new(self.sample(node)?)),
            "critical" => StepKind::Critical {
                lock: self.text(node, "critical").unwrap_or_default(),
                body: self.block(node, "steps"),
            },
            "think" => StepKind::Think(self.pause(node, "think")?),
            "rendezvous" => StepKind::Rendezvous(self.rendezvous(node)?),
            "set" => StepKind::Set(self.set_values(node, "set")),
            "js" => StepKind::Script(self.script(node, "js")?),
            "action" => StepKind::Action(self.word(node, "action", ACTIONS)?),
            _ => self.repeated(node, kind)?,
        })
    }

    /// Steps whose block runs more than once, or in some passes only.
    fn repeated(&mut self, node: &Node, kind: &str) -> Option<StepKind> {
        Some(match kind {
            "while" => StepKind::While {
                condition: self.condition(node, "while")?,
                limit: self.int(node, "at-most"),
                index: self.variable_name(node, "index"),
                body: self.block(node, "steps"),
            },
            "repeat" => StepKind::Repeat {
                times: self
                    .text(node, "repeat")
                    .filter(|times| times.raw != "forever"),
                index: self.variable_name(node, "index"),
                body: self.block(node, "steps"),
            },
            "run-for" => StepKind::Runtime {
                seconds: self.value(node, "run-for", seconds)?,
                body: self.block(node, "steps"),
            },
            "for-each" => StepKind::ForEach {
                items: self.items(node)?,
                variable: self.variable_name(node, "for-each").unwrap_or_default(),
                index: self.variable_name(node, "index"),
                body: self.block(node, "steps"),
            },
            "percent" => StepKind::Percent {
                percent: self.value(node, "percent", percent)?,
                shared_by: self.word(node, "shared-by", SHARED_BY).unwrap_or_default(),
                body: self.block(node, "steps"),
            },
            "first-times" => StepKind::FirstTimes {
                times: self.text(node, "first-times").unwrap_or_default(),
                shared_by: self.word(node, "shared-by", SHARED_BY).unwrap_or_default(),
                body: self.block(node, "steps"),
            },
            _ => {
                self.broken(node);
                return None;
            }
        })
    }

    fn sample(&mut self, node: &Node) -> Option<Sampler> {
        let kind = if let Some(script) = self.script(node, "js") {
            SamplerKind::Script(script)
        } else if let Some(element) = self.element(node) {
            SamplerKind::Element(element)
        } else {
            let flow = node.get("flow")?;
            let pause_ms = self.text(flow, "pause-ms");
            SamplerKind::Flow {
                pause_ms,
                action: self.word(flow, "action", ACTIONS),
            }
        };
        Some(Sampler {
            label: self.text(node, "sample").unwrap_or_default(),
            kind,
            before: self.processors(node, "before"),
            after: self.processors(node, "after"),
            checks: self.checks(node),
            at: node.at,
        })
    }

    fn bare_block(&mut self, node: &Node, key: &str) -> Block {
        Block {
            steps: self.steps(node, key),
            ..Block::default()
        }
    }

    fn items(&mut self, node: &Node) -> Option<Items> {
        if let Some(list) = node.get("in") {
            return Some(Items::List(
                list.one_or_many().iter().filter_map(Node::text).collect(),
            ));
        }
        if let Some(json) = self.text(node, "in-json") {
            return Some(Items::Json(json));
        }
        let matches = node.get("in-matches")?;
        let prefix = match matches.map() {
            Some(_) => self.text(matches, "prefix"),
            None => matches.text(),
        };
        Some(Items::Matches {
            prefix: prefix.unwrap_or_default(),
            separator: self.bool(matches, "separator").unwrap_or(true),
            after: self.text(matches, "after"),
            until: self.text(matches, "until"),
        })
    }

    fn choose(&mut self, node: &Node) -> Option<StepKind> {
        let how = node.get("choose")?;
        let in_turn = |shared_by| Choice::InTurn { shared_by };
        let by_request = |shared_by| Choice::InTurnByRequest { shared_by };
        let by = match how.scalar() {
            Some("random") => Choice::Random,
            Some("by-users") => Choice::MixOfUsers,
            Some("by-iterations") => Choice::MixOfIterations,
            Some("in-turn") => in_turn(SharedBy::User),
            Some("in-turn-of-scenario") => in_turn(SharedBy::Scenario),
            Some("in-turn-of-all") => in_turn(SharedBy::All),
            Some("in-turn-from-user") => Choice::InTurnFromUser,
            Some("in-turn-by-request-from-user") => Choice::InTurnByRequestFromUser,
            Some("random-by-request") => Choice::RandomByRequest,
            Some("in-turn-by-request") => by_request(SharedBy::User),
            Some("in-turn-by-request-of-scenario") => by_request(SharedBy::Scenario),
            Some("in-turn-by-request-of-all") => by_request(SharedBy::All),
            Some(_) => {
                self.broken(how);
                return None;
            }
            None => Choice::Switch(self.text(how, "value").unwrap_or_default()),
        };
        let list = node.get("branches")?;
        let mut branches = Vec::new();
        for branch in list.one_or_many() {
            branches.push(Branch {
                weight: self.int(branch, "weight").unwrap_or(1),
                value: self.text(branch, "value"),
                body: self.block(branch, "steps"),
            });
        }
        let weighted = matches!(
            by,
            Choice::Random | Choice::MixOfUsers | Choice::MixOfIterations
        );
        if branches.is_empty() || (weighted && branches.iter().all(|branch| branch.weight == 0)) {
            self.error(list.at, "plan-branches-empty");
        }
        Some(StepKind::Choose { by, branches })
    }

    /// A condition under a key.
    fn condition(&mut self, node: &Node, key: &str) -> Option<Condition> {
        let node = node.get(key)?;
        if let Some(text) = node.scalar() {
            return match condition::parse(text) {
                Ok(simple) => Some(from_simple(&simple, node)),
                Err(Wrong::Mixed) => {
                    self.error(node.at, "plan-condition-mixed");
                    None
                }
                Err(Wrong::NoComparison) => {
                    self.error(node.at, "plan-condition-no-comparison");
                    None
                }
                Err(Wrong::Empty) => {
                    self.error(node.at, "plan-condition-empty");
                    None
                }
            };
        }
        if let Some(script) = self.script(node, "js") {
            return Some(Condition::Script(script));
        }
        if let Some(text) = self.text(node, "is-true") {
            return Some(Condition::IsTrue(text));
        }
        if let Some(text) = self.text(node, "is-false") {
            return Some(Condition::IsFalse(text));
        }
        if let Some(left) = self.text(node, "compare") {
            let op = self
                .word(node, "op", COMPARISONS)
                .unwrap_or(Comparison::Equal);
            let right = self.text(node, "with").unwrap_or_default();
            return Some(Condition::Compare { left, op, right });
        }
        if let Some(name) = self.variable_name(node, "defined") {
            return Some(Condition::Defined(name));
        }
        if node.get("not").is_some() {
            return self
                .condition(node, "not")
                .map(|inner| Condition::Not(Box::new(inner)));
        }
        self.broken(node);
        None
    }
}

fn from_simple(simple: &Simple<'_>, node: &Node) -> Condition {
    let text = |raw: &str| Text {
        raw: raw.to_owned(),
        at: node.at,
    };
    match simple {
        Simple::Script(source) => Condition::Script(Script {
            language: Language::JavaScript,
            source: (*source).to_owned(),
            at: node.at,
        }),
        Simple::IsTrue(value) => Condition::IsTrue(text(value)),
        Simple::Compare(left, op, right) => Condition::Compare {
            left: text(left),
            op: *op,
            right: text(right),
        },
        Simple::Defined(name) => Condition::Defined((*name).to_owned()),
        Simple::LastOk => Condition::LastOk,
        Simple::Not(inner) => Condition::Not(Box::new(from_simple(inner, node))),
    }
}

/// A duration as a decimal number of seconds, exactly; a template as it is.
fn seconds(node: &Node) -> Option<Text> {
    let text = node.text()?;
    if table::is_template(&text.raw) {
        return Some(text);
    }
    let time = parse_duration(&text.raw)?;
    let raw = match time.subsec_nanos() {
        0 => time.as_secs().to_string(),
        rest => format!("{}.{rest:09}", time.as_secs())
            .trim_end_matches('0')
            .to_owned(),
    };
    Some(Text { raw, ..text })
}

/// A percentage without its sign.
fn percent(node: &Node) -> Option<Text> {
    let text = node.text()?;
    let raw = text.raw.trim().trim_end_matches('%').trim_end().to_owned();
    Some(Text { raw, ..text })
}
