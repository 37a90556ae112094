//! Names and values that stand side by side: `{"name": "password", "value": "…"}`.

use crate::names::is_secret;

/// What a field of a pair is.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum PairRole {
    /// It says what the pair is called.
    Name,
    /// It says what the pair holds.
    Value,
}

impl PairRole {
    /// The role of a field of that name.
    pub(crate) fn of(field: &str) -> Option<Self> {
        let last = field.rsplit(['.', ':']).next().unwrap_or(field);
        let last = last.trim_start_matches('-').to_ascii_lowercase();
        match last.as_str() {
            "name" | "key" | "header" | "field" | "param" | "parameter" | "property" | "k"
            | "attribute" | "variable" | "headername" | "paramname" | "fieldname" => {
                Some(Self::Name)
            }
            "value" | "val" | "content" | "v" | "default" | "data" | "defaultvalue"
            | "headervalue" | "currentvalue" | "paramvalue" | "fieldvalue" => Some(Self::Value),
            _ => None,
        }
    }
}

/// One pair, as far as it was read.
#[derive(Clone, Default)]
pub(crate) struct Pair<V> {
    /// What it is called, if that is a secret's name.
    pub(crate) name: Option<String>,
    /// Values that came before the name.
    value: Option<V>,
}

impl<V> Pair<V> {
    /// Takes the name; gives the value that came before it, if it is to be masked.
    pub(crate) fn named(&mut self, name: &str) -> Option<V> {
        let fits = !name.is_empty() && !name.contains(char::is_whitespace) && is_secret(name);
        self.name = fits.then(|| name.to_owned());
        if fits { self.value.take() } else { None }
    }

    /// Takes a value; gives it back, if it is to be masked.
    pub(crate) fn valued(&mut self, value: V) -> Option<V> {
        if self.name.is_some() {
            return Some(value);
        }
        self.value = Some(value);
        None
    }
}

/// Pairs within pairs.
pub(crate) struct OpenPairs<V>(Vec<Pair<V>>);

/// Deeper ones are forgotten.
const MAX_DEPTH: usize = 64;

impl<V> OpenPairs<V> {
    pub(crate) fn new() -> Self {
        Self(vec![Pair {
            name: None,
            value: None,
        }])
    }

    /// A new object begins.
    pub(crate) fn open(&mut self, name: Option<String>) {
        if self.0.len() < MAX_DEPTH {
            self.0.push(Pair { name, value: None });
        }
    }

    /// The object ends.
    pub(crate) fn close(&mut self) {
        if self.0.len() > 1 {
            self.0.pop();
        } else {
            self.again();
        }
    }

    /// A new object begins where another one ends.
    pub(crate) fn again(&mut self) {
        if let Some(last) = self.0.last_mut() {
            *last = Pair {
                name: None,
                value: None,
            };
        }
    }

    /// The pair that is read, and there always is one.
    pub(crate) fn last(&mut self) -> Option<&mut Pair<V>> {
        self.0.last_mut()
    }
}
