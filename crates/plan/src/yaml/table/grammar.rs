//! What the tables are made of: objects, their keys, the kinds of their values.

use serde_json::Value as Json;

use crate::yaml::node::{Node, core_integer, core_scalar};

/// What a value may be.
#[derive(Debug)]
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
    List(&'static Kind),
    /// A mapping from names of the plan's own to values.
    Map(&'static Kind),
    /// One of several kinds, told apart by their shape (scalar, list, mapping) or tried in
    /// order.
    OneOf(&'static [&'static Kind]),
}

/// A mapping with known keys.
#[derive(Debug)]
pub(crate) struct Object {
    /// Its name in messages, in the schema and in the reference.
    pub id: &'static str,
    /// Its keys, in groups that objects share.
    pub keys: &'static [&'static [Key]],
    /// Keys that exclude each other.
    pub groups: &'static [Group],
}

/// Keys of which at most one, or exactly one, is written.
#[derive(Debug)]
pub(crate) struct Group {
    pub keys: &'static [&'static str],
    pub required: bool,
}

/// A key.
#[derive(Debug)]
pub(crate) struct Key {
    pub name: &'static str,
    pub kind: &'static Kind,
    /// What it is for: the text `plan-doc-<doc>`.
    pub doc: &'static str,
    pub required: bool,
    /// What holds without it, as documentation shows it; empty: nothing.
    pub default: &'static str,
}

/// Objects told apart by a key that only one of them has.
#[derive(Debug)]
pub(crate) struct Tagged {
    /// Its name in messages, in the schema and in the reference.
    pub id: &'static str,
    pub cases: &'static [Case],
}

/// One of the objects: chosen when one of its tags is there.
#[derive(Debug)]
pub(crate) struct Case {
    pub tags: &'static [&'static str],
    pub object: &'static Object,
}

impl Kind {
    /// The tags of a kind that one of its keys decides, with the keys that go with each, in the table's order.
    pub fn cases(&self) -> Vec<(&'static str, Vec<&'static str>)> {
        let Self::Tagged(tagged) = self else {
            return Vec::new();
        };
        let keys = |case: &Case| case.object.keys().map(|key| key.name).collect();
        let tags = |case: &'static Case| case.tags.iter().map(move |tag| (*tag, keys(case)));
        tagged.cases.iter().flat_map(tags).collect()
    }
}

impl Object {
    pub fn keys(&self) -> impl Iterator<Item = &'static Key> {
        self.keys.iter().flat_map(|group| group.iter())
    }

    pub fn key(&self, name: &str) -> Option<&'static Key> {
        self.keys().find(|key| key.name == name)
    }
}

impl Tagged {
    pub fn tags(&self) -> impl Iterator<Item = &'static str> {
        self.cases.iter().flat_map(|case| case.tags.iter().copied())
    }
}

/// A key that may be left out.
pub(crate) const fn key(name: &'static str, kind: &'static Kind, doc: &'static str) -> Key {
    Key {
        name,
        kind,
        doc,
        required: false,
        default: "",
    }
}

impl Key {
    pub const fn required(self) -> Self {
        Self {
            required: true,
            ..self
        }
    }

    pub const fn default(self, default: &'static str) -> Self {
        Self { default, ..self }
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
