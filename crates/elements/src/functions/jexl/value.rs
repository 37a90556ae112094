//! JEXL's values, and Java's way to write them.

use std::cell::RefCell;
use std::collections::HashMap;
use std::rc::Rc;
use std::sync::Arc;

use super::host::Host;
use super::tree::Function;

/// Numbers of a range that a loop goes through, at most.
pub(super) const MOST_NUMBERS: u128 = 1_000_000;

/// A value. Whole numbers are as wide as they must be, as JEXL makes them.
#[derive(Debug, Clone)]
pub(super) enum Value {
    Null,
    Bool(bool),
    Integer(i128),
    Double(f64),
    Char(u16),
    Text(Rc<str>),
    List(Rc<RefCell<Vec<Value>>>),
    /// Entries in their order.
    Map(Rc<RefCell<Vec<(Value, Value)>>>),
    /// An entry of a map.
    Entry(Rc<(Value, Value)>),
    Set(Rc<Vec<Value>>),
    /// Both ends in.
    Range(i128, i128),
    Function(Arc<Function>, Rc<HashMap<Arc<str>, Value>>),
    /// One of JMeter's objects.
    Host(Host),
}

impl Value {
    pub(super) fn text(text: impl AsRef<str>) -> Self {
        Self::Text(text.as_ref().into())
    }

    /// A text or nothing.
    pub(super) fn option(text: Option<impl AsRef<str>>) -> Self {
        text.map_or(Self::Null, Self::text)
    }

    pub(super) fn list(values: Vec<Self>) -> Self {
        Self::List(Rc::new(RefCell::new(values)))
    }

    pub(super) fn is_null(&self) -> bool {
        matches!(self, Self::Null)
    }

    /// Java's `toString`.
    pub(super) fn display(&self) -> String {
        match self {
            Self::Null => "null".to_owned(),
            Self::Bool(value) => value.to_string(),
            Self::Integer(value) => value.to_string(),
            Self::Double(value) => double(*value),
            Self::Char(unit) => String::from_utf16_lossy(&[*unit]),
            Self::Text(text) => text.to_string(),
            Self::List(values) => joined("[", &values.borrow(), "]"),
            Self::Set(values) => joined("[", values, "]"),
            Self::Map(entries) => {
                let entries = entries.borrow();
                let entry =
                    |(key, value): &(Self, Self)| format!("{}={}", key.display(), value.display());
                format!(
                    "{{{}}}",
                    entries.iter().map(entry).collect::<Vec<_>>().join(", ")
                )
            }
            Self::Entry(entry) => format!("{}={}", entry.0.display(), entry.1.display()),
            Self::Range(from, to) => format!("{from}..{to}"),
            Self::Function(..) => String::new(),
            Self::Host(host) => host.word().to_owned(),
        }
    }

    /// What a loop goes through; none: it is no collection, or a range of too many numbers.
    pub(super) fn items(&self) -> Option<Vec<Self>> {
        Some(match self {
            Self::Range(from, to) if (to - from).unsigned_abs() > MOST_NUMBERS => return None,
            Self::List(values) => values.borrow().clone(),
            Self::Set(values) => values.to_vec(),
            Self::Map(entries) => entries
                .borrow()
                .iter()
                .map(|(_, value)| value.clone())
                .collect(),
            Self::Range(from, to) if from <= to => (*from..=*to).map(Self::Integer).collect(),
            Self::Range(from, to) => (*to..=*from).rev().map(Self::Integer).collect(),
            _ => return None,
        })
    }

    /// How many there are in it; none: it is no collection.
    pub(super) fn size(&self) -> Option<usize> {
        Some(match self {
            Self::Text(text) => text.encode_utf16().count(),
            Self::List(values) => values.borrow().len(),
            Self::Set(values) => values.len(),
            Self::Map(entries) => entries.borrow().len(),
            Self::Range(from, to) => usize::try_from((to - from).unsigned_abs()).unwrap_or(0) + 1,
            _ => return None,
        })
    }
}

fn joined(open: &str, values: &[Value], close: &str) -> String {
    let values: Vec<String> = values.iter().map(Value::display).collect();
    format!("{open}{}{close}", values.join(", "))
}

/// Java's `Double.toString`: the shortest digits, with an exponent below 10^-3 and from 10^7.
pub(in crate::functions) fn double(value: f64) -> String {
    if value.is_nan() {
        return "NaN".to_owned();
    }
    if value.is_infinite() {
        return if value > 0.0 { "Infinity" } else { "-Infinity" }.to_owned();
    }
    let size = value.abs();
    if size == 0.0 || (1e-3..1e7).contains(&size) {
        return format!("{value:?}");
    }
    let text = format!("{value:E}");
    match text.split_once('E') {
        Some((digits, exponent)) if !digits.contains('.') => format!("{digits}.0E{exponent}"),
        _ => text,
    }
}
