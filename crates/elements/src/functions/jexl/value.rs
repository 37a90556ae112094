//! JEXL's values, and Java's way to write them.

use std::cell::RefCell;
use std::collections::HashMap;
use std::rc::Rc;
use std::sync::Arc;

use plimsoll_plan::limits::TEXT_BYTES;

use super::tree::JexlFunction;
use crate::functions::numbers::java_double;

/// Numbers of a range that a loop goes through, at most.
pub(super) const MOST_NUMBERS: u128 = 1_000_000;

/// Lists and maps within each other that are written and compared.
pub(super) const DEEPEST: u32 = 64;

/// A value. Whole numbers are as wide as they must be, as JEXL makes them.
#[derive(Debug, Clone)]
pub(super) enum JexlValue {
    Null,
    Bool(bool),
    Integer(i128),
    Double(f64),
    Char(u16),
    Text(Rc<str>),
    List(Rc<RefCell<Vec<JexlValue>>>),
    /// Entries in their order.
    Map(Rc<RefCell<Vec<(JexlValue, JexlValue)>>>),
    /// An entry of a map.
    Entry(Rc<(JexlValue, JexlValue)>),
    Set(Rc<Vec<JexlValue>>),
    /// Both ends in.
    Range(i128, i128),
    Function(Arc<JexlFunction>, Rc<HashMap<Arc<str>, JexlValue>>),
    /// One of JMeter's objects.
    Host(HostObject),
}

/// One of JMeter's objects.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum HostObject {
    Vars,
    Props,
    Log,
    Ctx,
    Sampler,
    SampleResult,
    Out,
    Group,
    Thread,
}

impl HostObject {
    /// What a script calls it.
    pub(super) const fn word(self) -> &'static str {
        match self {
            Self::Vars => "vars",
            Self::Props => "props",
            Self::Log => "log",
            Self::Ctx => "ctx",
            Self::Sampler => "sampler",
            Self::SampleResult => "sampleResult",
            Self::Out => "OUT",
            Self::Group => "thread group",
            Self::Thread => "thread",
        }
    }
}

impl JexlValue {
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

    /// Java's `toString`. What holds itself, is nested very deep or very long ends with `…`.
    pub(super) fn display(&self) -> String {
        let mut out = String::new();
        self.write(&mut out, 0);
        out
    }

    fn write(&self, out: &mut String, depth: u32) {
        if depth > DEEPEST || out.len() > TEXT_BYTES {
            out.push('…');
            return;
        }
        match self {
            Self::Null => out.push_str("null"),
            Self::Bool(value) => out.push_str(&value.to_string()),
            Self::Integer(value) => out.push_str(&value.to_string()),
            Self::Double(value) => out.push_str(&java_double(*value)),
            Self::Char(unit) => out.push_str(&String::from_utf16_lossy(&[*unit])),
            Self::Text(text) => out.push_str(text),
            Self::List(values) => write_all(out, &values.borrow(), depth),
            Self::Set(values) => write_all(out, values, depth),
            Self::Map(entries) => {
                out.push('{');
                for (number, (key, value)) in entries.borrow().iter().enumerate() {
                    out.push_str(if number > 0 { ", " } else { "" });
                    write_entry(out, key, value, depth);
                    if out.len() > TEXT_BYTES {
                        break;
                    }
                }
                out.push('}');
            }
            Self::Entry(entry) => write_entry(out, &entry.0, &entry.1, depth),
            Self::Range(from, to) => out.push_str(&format!("{from}..{to}")),
            Self::Function(..) => {}
            Self::Host(host) => out.push_str(host.word()),
        }
    }

    /// The memory that it takes by itself, about.
    pub(super) fn bytes(&self) -> usize {
        const EACH: usize = size_of::<JexlValue>();
        match self {
            Self::Text(text) => text.len(),
            Self::List(values) => (values.borrow().len() + 2) * EACH,
            Self::Set(values) => (values.len() + 2) * EACH,
            Self::Map(entries) => (entries.borrow().len() + 1) * 2 * EACH,
            Self::Function(_, names) => (names.len() + 1) * 2 * EACH,
            _ => 0,
        }
    }

    /// What a loop goes through; none: it is no collection, or a range of too many numbers.
    pub(super) fn items(&self) -> Option<Vec<Self>> {
        Some(match self {
            Self::Range(from, to) if to.abs_diff(*from) > MOST_NUMBERS => return None,
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
            Self::Range(from, to) => {
                let last = usize::try_from(to.abs_diff(*from)).unwrap_or(usize::MAX);
                last.saturating_add(1)
            }
            _ => return None,
        })
    }
}

fn write_all(out: &mut String, values: &[JexlValue], depth: u32) {
    out.push('[');
    for (number, value) in values.iter().enumerate() {
        out.push_str(if number > 0 { ", " } else { "" });
        value.write(out, depth + 1);
        if out.len() > TEXT_BYTES {
            break;
        }
    }
    out.push(']');
}

fn write_entry(out: &mut String, key: &JexlValue, value: &JexlValue, depth: u32) {
    key.write(out, depth + 1);
    out.push('=');
    value.write(out, depth + 1);
}
