//! What the tables are made of: objects, their keys, the kinds of their values.

use serde_json::Value as Json;

use crate::yaml::node::{Node, core_integer, core_scalar};

/// What a value may be.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Kind {
    /// Anything; it becomes JSON.
    Any,
    /// A scalar.
    Leaf(&'static Leaf),
    /// One of these words.
    Word(&'static [&'static str]),
    /// A mapping with known keys.
    Object(&'static Object),
    /// A mapping whose meaning one of its keys decides.
    Tagged(&'static Tagged),
    /// A list.
    List(KindOf),
    /// A mapping from names of the plan's own to values.
    Map(KindOf),
    /// One of several kinds, told apart by their shape (scalar, list, mapping) or tried in
    /// order.
    OneOf(&'static [KindOf]),
}

/// A kind, asked for when it is needed: steps hold steps.
pub(crate) type KindOf = fn() -> Kind;

/// A mapping with known keys.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Object {
    /// Its name in messages, in the schema and in the reference.
    pub id: &'static str,
    /// Its keys.
    pub parts: &'static [Part],
    /// Keys that exclude each other.
    pub groups: &'static [Group],
}

/// A key of an object, or keys that it shares with others.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Part {
    Key(PlanKey),
    /// The group's name in the reference; none: the reference shows them as the object's own.
    Shared(&'static str, &'static [Self]),
    /// The keys of one of these.
    OneOf(&'static [Case]),
}

/// Keys of which at most one, or exactly one, is written.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Group {
    pub keys: &'static [&'static str],
    pub required: bool,
}

/// A key.
#[derive(Debug, Clone, Copy)]
pub(crate) struct PlanKey {
    pub name: &'static str,
    pub kind: KindOf,
    /// What it is for: the text `plan-doc-<doc>`.
    pub doc: &'static str,
    pub required: bool,
    /// What holds without it, as documentation shows it; empty: nothing.
    pub default: &'static str,
}

/// Objects told apart by a key that only one of them has.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Tagged {
    /// Its name in messages, in the schema and in the reference.
    pub id: &'static str,
    pub cases: &'static [&'static [Case]],
}

/// One of the objects: chosen when one of its tags is there.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Case {
    pub tags: &'static [&'static str],
    pub object: &'static Object,
}

impl Part {
    /// Shows its keys one after the other, those that are shared among them.
    fn each(&self, see: &mut dyn FnMut(PlanKey)) {
        match self {
            Self::Key(key) => see(*key),
            Self::Shared(_, parts) => parts.iter().for_each(|part| part.each(see)),
            // Only one of them is there.
            Self::OneOf(cases) => cases.iter().for_each(|case| {
                let mut optional = |key| {
                    see(PlanKey {
                        required: false,
                        ..key
                    })
                };
                case.object.each_key(&mut optional);
            }),
        }
    }

    pub fn keys(&self) -> Vec<PlanKey> {
        let mut keys = Vec::new();
        self.each(&mut |key| keys.push(key));
        keys
    }
}

impl Object {
    pub fn each_key(&self, see: &mut dyn FnMut(PlanKey)) {
        self.parts.iter().for_each(|part| part.each(see));
    }

    pub fn keys(&self) -> impl Iterator<Item = PlanKey> {
        self.parts.iter().flat_map(Part::keys)
    }

    pub fn key(&self, name: &str) -> Option<PlanKey> {
        let mut found = None;
        self.each_key(&mut |key| {
            if key.name == name {
                found = Some(key);
            }
        });
        found
    }
}

impl Tagged {
    pub fn cases(&self) -> impl Iterator<Item = &'static Case> {
        self.cases.iter().copied().flatten()
    }

    pub fn tags(&self) -> impl Iterator<Item = &'static str> {
        self.cases().flat_map(|case| case.tags.iter().copied())
    }
}

/// At most one of these keys.
pub(crate) const fn at_most_one(keys: &'static [&'static str]) -> Group {
    Group {
        keys,
        required: false,
    }
}

/// Exactly one of these keys.
pub(crate) const fn exactly_one(keys: &'static [&'static str]) -> Group {
    Group {
        keys,
        required: true,
    }
}

/// A kind of scalar.
#[derive(Debug)]
pub(crate) struct Leaf {
    /// Its name: the text `plan-kind-<id>` says what is expected.
    pub id: &'static str,
    pub accept: Accept,
}

/// What a scalar must be.
#[derive(Debug)]
pub(crate) enum Accept {
    /// Any scalar, which may hold `${…}`.
    Text,
    /// `true` or `false`.
    Bool,
    /// A whole number.
    Int(i64, i64),
    /// Text with a form of its own.
    Form {
        /// The form as a regular expression (ECMA 262) for the schema; no stricter than
        /// `test`. Empty: none.
        pattern: &'static str,
        /// The plain numbers that may stand there; none when `None`.
        numbers: Option<Numbers>,
        test: fn(&str) -> bool,
    },
}

/// Plain numbers that a form takes.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Numbers {
    pub least: i64,
    pub most: i64,
    pub whole: bool,
}

impl Leaf {
    /// Whether a node is a scalar of this kind.
    pub fn accepts(&self, node: &Node) -> bool {
        match self.accept {
            Accept::Text => node.scalar().is_some(),
            Accept::Bool => node.plain().is_some_and(|text| boolean(text).is_some()),
            Accept::Int(min, max) => node
                .plain()
                .and_then(core_integer)
                .is_some_and(|n| i128::from(min) <= n && n <= i128::from(max)),
            Accept::Form { test, numbers, .. } => {
                let plain = node.plain().map(core_scalar);
                let kind_fits = match plain {
                    Some(Json::Bool(_)) => false,
                    Some(Json::Number(_)) => numbers.is_some(),
                    _ => true,
                };
                kind_fits && node.scalar().is_some_and(test)
            }
        }
    }

    /// Whether variables may stand in it.
    pub fn takes_variables(&self) -> bool {
        match self.accept {
            Accept::Text => true,
            Accept::Form { test, .. } => test("${x}"),
            Accept::Bool | Accept::Int(..) => false,
        }
    }
}

/// A truth value by the core schema.
pub(crate) fn boolean(text: &str) -> Option<bool> {
    match text {
        "true" | "True" | "TRUE" => Some(true),
        "false" | "False" | "FALSE" => Some(false),
        _ => None,
    }
}
