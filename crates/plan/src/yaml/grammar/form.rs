//! How a value stands in a plan, both ways: its kind for the check, the schema and the reference; how it is read;
//! how it is written. The macros make all of that for an object from one line a key ([`object`]).

use std::marker::PhantomData;

use plimsoll_text::Message;

use super::emit::{Map, Yaml};
use super::kinds::{Case, Kind, Part};
use crate::error::{Problem, Severity};
use crate::model::Span;
use crate::yaml::node::{Key, Node, Value, is_variable_name, shown};

/// What reading gathers beside the model.
///
/// The check has judged the form of each value already. Where a value of the wrong form is met, reading goes on
/// with a stand-in; [`Decoder::broken`] makes sure that such a plan is never taken for a good one.
pub(crate) struct Decoder<'p> {
    pub problems: &'p mut Vec<Problem>,
    /// Variables may have any name: the plan is an imported one.
    pub any_name: bool,
}

impl Decoder<'_> {
    pub fn error(&mut self, at: Span, id: &str) {
        self.tell(at, Message::new(id));
    }

    pub fn warning(&mut self, at: Span, id: &str) {
        self.problems.push(Problem::caution(at, Message::new(id)));
    }

    pub fn tell(&mut self, at: Span, message: Message) {
        self.problems.push(Problem::mistake(at, message));
    }

    /// A value that could not be used. The check has said why; if it has not, say so here: a value must never be
    /// dropped in silence.
    pub fn broken(&mut self, node: &Node) {
        let is_error = |problem: &Problem| problem.severity == Severity::Error;
        if !self.problems.iter().any(is_error) {
            self.error(node.at, "plan-value-not-understood");
        }
    }

    /// Whether `${…}` can take a name.
    pub fn check_name(&mut self, name: &str, at: Span) {
        if !self.any_name && !is_variable_name(name) {
            let message = Message::new("plan-bad-variable-name").with("name", shown(name));
            self.tell(at, message);
        }
    }

    /// A value, or word that it could not be read.
    pub fn value<F: Form>(&mut self, node: &Node) -> Option<F::Of> {
        let value = F::read(self, node);
        if value.is_none() {
            self.broken(node);
        }
        value
    }
}

/// The form of a value.
pub(crate) trait Form {
    /// What it is in the model.
    type Of;

    fn kind() -> Kind;

    /// Reads it; none when it is not of this form.
    fn read(decoder: &mut Decoder<'_>, node: &Node) -> Option<Self::Of>;

    fn write(value: &Self::Of) -> Yaml;

    /// What is taken in place of a value that is missing, so that reading goes on.
    fn stand_in() -> Option<Self::Of> {
        None
    }
}

/// Keys of a mapping, without the mapping: several objects may have them.
pub(crate) trait Keys {
    /// Where they go in the model.
    type Of;
    const PARTS: &'static [Part];

    fn read_keys(decoder: &mut Decoder<'_>, node: &Node, into: &mut Self::Of);

    fn write_keys(of: &Self::Of, map: &mut Map);
}

impl<K: Keys<Of = K>> Keys for Box<K> {
    type Of = Self;
    const PARTS: &'static [Part] = K::PARTS;

    fn read_keys(decoder: &mut Decoder<'_>, node: &Node, into: &mut Self) {
        K::read_keys(decoder, node, into);
    }

    fn write_keys(of: &Self, map: &mut Map) {
        K::write_keys(of, map);
    }
}

/// What a key's field in the model is: the value itself, or one that need not be there.
pub(crate) trait KeyField {
    type Field;
    const REQUIRED: bool;

    fn takes() -> Kind;

    /// The field from a mapping; none: the field stays as it is, or there is no object.
    fn get(decoder: &mut Decoder<'_>, node: &Node, key: &str, usual: &str) -> Option<Self::Field>;

    /// What is written; none: the key is left out.
    fn put(field: &Self::Field, usual: &str) -> Option<Yaml>;
}

/// The value of a key, if it is there.
pub(crate) fn present<F: Form>(decoder: &mut Decoder<'_>, node: &Node, key: &str) -> Option<F::Of> {
    decoder.value::<F>(node.get(key)?)
}

/// What holds without a key.
fn usual_value<F: Form>(text: &str) -> Option<F::Of> {
    let value = Value::Scalar {
        text: text.to_owned(),
        plain: true,
    };
    let mut decoder = Decoder {
        problems: &mut Vec::new(),
        any_name: true,
    };
    F::read(&mut decoder, &Node::new(Span::default(), value))
}

/// The value itself. Without a default the key is required; one that is the default is not written.
impl<F: Form> KeyField for F {
    type Field = F::Of;
    const REQUIRED: bool = true;

    fn takes() -> Kind {
        F::kind()
    }

    fn get(decoder: &mut Decoder<'_>, node: &Node, key: &str, usual: &str) -> Option<F::Of> {
        let value = present::<F>(decoder, node, key);
        let otherwise = || match usual {
            "" => F::stand_in(),
            usual => usual_value::<F>(usual),
        };
        value.or_else(otherwise)
    }

    fn put(field: &F::Of, usual: &str) -> Option<Yaml> {
        let written = F::write(field);
        let is_usual = || usual_value::<F>(usual).is_some_and(|usual| F::write(&usual) == written);
        (usual.is_empty() || !is_usual()).then_some(written)
    }
}

macro_rules! slots {
    ($($(#[$doc:meta])* $name:ident -> $field:ty $(where $of:ty: $bound:ident)?,
        |$decoder:ident, $node:ident, $key:ident, $usual:ident| $get:expr,
        |$value:ident, $default:ident| $put:expr;)*) => {$(
        $(#[$doc])*
        pub(crate) struct $name<F>(PhantomData<F>);
        impl<F: Form> KeyField for $name<F> $(where $of: $bound)? {
            type Field = $field;
            const REQUIRED: bool = false;

            fn takes() -> Kind {
                F::kind()
            }

            fn get($decoder: &mut Decoder<'_>, $node: &Node, $key: &str, $usual: &str) -> Option<$field> {
                $get
            }

            fn put($value: &$field, $default: &str) -> Option<Yaml> {
                $put
            }
        }
    )*};
}
slots! {
    /// A value that need not be there. Its default is the documentation's: the model says nothing.
    Maybe -> Option<F::Of>,
        |decoder, node, key, _usual| Some(present::<F>(decoder, node, key)),
        |value, _usual| value.as_ref().map(F::write);
    /// A text, list or mapping that is left out when there is nothing in it.
    Filled -> F::Of where F::Of: Default,
        |decoder, node, key, _usual| Some(present::<F>(decoder, node, key).unwrap_or_default()),
        |value, _usual| Some(F::write(value)).filter(|value| !value.is_empty());
    /// A value that is written even when it is the default.
    Always -> F::Of,
        |decoder, node, key, usual| F::get(decoder, node, key, usual),
        |value, _usual| Some(F::write(value));
    /// A value that stays what it was when the key is not there.
    Kept -> F::Of,
        |decoder, node, key, _usual| present::<F>(decoder, node, key),
        |value, usual| F::put(value, usual);
    /// The same of a value that need not be there.
    KeptMaybe -> Option<F::Of>,
        |decoder, node, key, _usual| present::<F>(decoder, node, key).map(Some),
        |value, _usual| value.as_ref().map(F::write);
}

/// A list; a single value is taken for a list of one where the check lets it pass.
pub(crate) struct List<F>(PhantomData<F>);

impl<F: Form> Form for List<F> {
    type Of = Vec<F::Of>;

    fn kind() -> Kind {
        Kind::List(F::kind)
    }

    fn read(decoder: &mut Decoder<'_>, node: &Node) -> Option<Vec<F::Of>> {
        let items = node.one_or_many().iter();
        Some(items.filter_map(|item| decoder.value::<F>(item)).collect())
    }

    fn write(values: &Vec<F::Of>) -> Yaml {
        Yaml::List(values.iter().map(F::write).collect())
    }

    fn stand_in() -> Option<Vec<F::Of>> {
        Some(Vec::new())
    }
}

form_as! {
    /// One value, or several in order.
    OneOrMore<F> = List<F>, Kind::OneOf(const { &[F::kind, List::<F>::kind] });
}

macro_rules! around {
    ($($(#[$doc:meta])* $name:ident: $of:ty, |$read:ident| $made:expr, |$value:ident| $inner:expr, |$yaml:ident| $written:expr;)*) => {$(
        $(#[$doc])*
        pub(crate) struct $name<F>(PhantomData<F>);
        impl<F: Form> Form for $name<F> {
            type Of = $of;

            fn kind() -> Kind {
                F::kind()
            }

            fn read(decoder: &mut Decoder<'_>, node: &Node) -> Option<$of> {
                F::read(decoder, node).map(|$read| $made)
            }

            fn write($value: &$of) -> Yaml {
                let $yaml = F::write($inner);
                $written
            }
        }
    )*};
}
around! {
    /// The same in a box.
    Boxed: Box<F::Of>, |value| Box::new(value), |value| value, |yaml| yaml;
    /// A word that is written as a text.
    Quoted: F::Of, |value| value, |value| value, |yaml| match yaml {
        Yaml::Plain(word) => Yaml::Text(word),
        other => other,
    };
}

/// An entry of a mapping whose names are the plan's own.
pub(crate) trait MapEntry {
    type Of;

    fn entry_kind() -> Kind;

    fn read_entry(decoder: &mut Decoder<'_>, name: &Key, node: &Node) -> Option<Self::Of>;

    fn write_entry(entry: &Self::Of) -> (String, Yaml);
}

/// A name with a value.
pub(crate) struct Named<F>(PhantomData<F>);

impl<F: Form> MapEntry for Named<F> {
    type Of = (String, F::Of);

    fn entry_kind() -> Kind {
        F::kind()
    }

    fn read_entry(decoder: &mut Decoder<'_>, name: &Key, node: &Node) -> Option<(String, F::Of)> {
        Some((name.name.clone(), decoder.value::<F>(node)?))
    }

    fn write_entry((name, value): &(String, F::Of)) -> (String, Yaml) {
        (name.clone(), F::write(value))
    }
}

/// A mapping whose names are the plan's own.
pub(crate) struct MapEntries<E>(PhantomData<E>);

impl<E: MapEntry> Form for MapEntries<E> {
    type Of = Vec<E::Of>;

    fn kind() -> Kind {
        Kind::Map(E::entry_kind)
    }

    fn read(decoder: &mut Decoder<'_>, node: &Node) -> Option<Vec<E::Of>> {
        let entries = node.map()?.iter();
        let read = entries.filter_map(|(name, node)| E::read_entry(decoder, name, node));
        Some(read.collect())
    }

    fn write(entries: &Vec<E::Of>) -> Yaml {
        let mut map = Map::default();
        for (name, value) in entries.iter().map(E::write_entry) {
            map.put(name, value);
        }
        map.into()
    }
}

/// A mapping that may be written as the value of one of its keys alone.
pub(crate) trait Shortened: Form {
    type Short: Form;
    const KEY: &'static str;
}

/// Such a mapping, or the value.
pub(crate) struct OrShort<F>(PhantomData<F>);

impl<F: Shortened> Form for OrShort<F> {
    type Of = F::Of;

    fn kind() -> Kind {
        Kind::OneOf(const { &[F::Short::kind, F::kind] })
    }

    fn read(decoder: &mut Decoder<'_>, node: &Node) -> Option<F::Of> {
        if node.map().is_some() {
            return F::read(decoder, node);
        }
        let key = Key {
            name: F::KEY.to_owned(),
            at: node.at,
        };
        let long = Node::new(node.at, Value::Map(vec![(key, node.clone())]));
        F::read(decoder, &long)
    }

    fn write(value: &F::Of) -> Yaml {
        F::write(value)
    }
}

/// Mappings told apart by their first keys, as parts of a value of the model.
pub(crate) trait Cases {
    type Of;
    const CASES: &'static [Case];
    /// What each has besides, read and written by hand.
    const MORE: &'static [Part];

    fn read_case(decoder: &mut Decoder<'_>, node: &Node) -> Option<Self::Of>;

    fn write_case(value: &Self::Of, map: &mut Map);
}

/// A default that hangs on other fields.
pub(crate) fn usual_of<T, V>(it: &T, usual: impl FnOnce(&T) -> V) -> V {
    usual(it)
}
