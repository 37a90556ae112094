//! Conditions.

use super::base::*;
use crate::model::{Comparison, Condition, Language, Script, Text};
use crate::yaml::condition::{Simple, Wrong, parse};

words! {
    /// A comparison by its sign. In quotes: `>` begins a block of text.
    struct Sign: Comparison {
        "==" = Comparison::Equal,
        "!=" = Comparison::NotEqual,
        "<" = Comparison::Less,
        "<=" = Comparison::AtMost,
        ">" = Comparison::Greater,
        ">=" = Comparison::AtLeast,
        "contains" = Comparison::Contains,
        "matches" = Comparison::Matches,
    }
}

tagged! {
    /// The long form.
    struct LongCondition: Condition = "condition", {
        "js-condition" => (Condition::Script(script)), { ["js" => script: ScriptText, "condition-js"] }
        "is-true-condition" => (Condition::IsTrue(text)), { ["is-true" => text: AnyText, "condition-is-true"] }
        "is-false-condition" => (Condition::IsFalse(text)), { ["is-false" => text: AnyText, "condition-is-false"] }
        "compare-condition" => (Condition::Compare { left, op, right }), {
            ["compare" => left: AnyText, "condition-compare"]
            ["op" => op: Quoted<Sign> = "==", "condition-op"]
            ["with" => right: AnyText, "condition-with"]
        }
        "defined-condition" => (Condition::Defined(name)), { ["defined" => name: VariableName, "condition-defined"] }
        "not-condition" => (Condition::Not(inner)), { ["not" => inner: Boxed<Condition>, "condition-not"] }
    }
}

impl Form for Condition {
    type Of = Self;

    fn kind() -> Kind {
        Kind::OneOf(&[ConditionText::kind, LongCondition::kind])
    }

    fn read(decoder: &mut Decoder<'_>, node: &Node) -> Option<Self> {
        let Some(text) = node.scalar() else {
            return LongCondition::read(decoder, node);
        };
        let id = match parse(text) {
            Ok(simple) => return Some(from_simple(&simple, node)),
            Err(Wrong::Mixed) => "plan-condition-mixed",
            Err(Wrong::NoComparison) => "plan-condition-no-comparison",
            Err(Wrong::Empty) => "plan-condition-empty",
        };
        decoder.error(node.at, id);
        None
    }

    fn write(condition: &Self) -> Yaml {
        match condition {
            Self::LastOk => plain("last-ok"),
            long => LongCondition::write(long),
        }
    }
}

fn from_simple(simple: &Simple<'_>, node: &Node) -> Condition {
    let at = node.at;
    let text = |raw: &str| Text {
        raw: raw.to_owned(),
        at,
    };
    match simple {
        Simple::Script(source) => Condition::Script(Script {
            language: Language::JavaScript,
            source: (*source).to_owned(),
            at,
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
