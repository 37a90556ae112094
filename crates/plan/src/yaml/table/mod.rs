//! The grammar of a plan as tables: for each object its keys, the kind of each value, what it
//! is for. From them come the checks of the reader, the JSON Schema and the reference.

mod conditions;
mod leaf;
mod load;
mod outputs;
mod plan;
mod responses;
mod settings;
mod steps;
mod watch;

pub(crate) use leaf::*;
pub use outputs::outputs;
pub(crate) use plan::PLAN;
pub(crate) use steps::{METHODS, STEP_CASES};
pub use watch::sources as watch_sources;

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
    fn cases(&self) -> Vec<(&'static str, Vec<&'static str>)> {
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

/// The name of a group of keys that several objects share, for the reference.
pub(crate) fn shared_group(keys: &'static [Key]) -> Option<&'static str> {
    let groups = [
        ("load", load::LOAD),
        ("rhythm", load::RHYTHM),
        ("scope", settings::SCOPE),
        ("settings", settings::SETTINGS),
    ];
    // By their names: the address of a table may differ from one use to the next.
    let names = |keys: &'static [Key]| keys.iter().map(|key| key.name);
    let same = |(_, group): &&(_, &'static [Key])| names(group).eq(names(keys));
    groups.iter().find(same).map(|(name, _)| *name)
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
