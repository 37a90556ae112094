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

/// Values that are written or compared at once: a few lists that hold each other make endless many.
pub(super) const MOST_VISITED: u32 = 1_000_000;

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
        JexlWriter::of(self).out
    }

    /// Java's `toString` where the text goes on to be used: one that is cut off is an error.
    pub(super) fn written(&self) -> Result<String, String> {
        let writer = JexlWriter::of(self);
        bounded(writer.out.len())?;
        match writer.left {
            0 => Err(format!("a text of more than {MOST_VISITED} values")),
            _ => Ok(writer.out),
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

/// Whether a text may become as long as that.
pub(super) fn bounded(bytes: usize) -> Result<(), String> {
    match bytes > TEXT_BYTES {
        true => Err(format!("a text of more than {} MiB", TEXT_BYTES >> 20)),
        false => Ok(()),
    }
}

/// Writes values as Java does.
struct JexlWriter {
    out: String,
    /// Values that may still be written.
    left: u32,
}

impl JexlWriter {
    fn of(value: &JexlValue) -> Self {
        let mut writer = Self {
            out: String::new(),
            left: MOST_VISITED + 1,
        };
        writer.value(value, 0);
        writer
    }

    fn is_full(&self) -> bool {
        self.left == 0 || self.out.len() > TEXT_BYTES
    }

    fn value(&mut self, value: &JexlValue, depth: u32) {
        if depth > DEEPEST || self.is_full() {
            self.out.push('…');
            return;
        }
        self.left -= 1;
        match value {
            JexlValue::Null => self.out.push_str("null"),
            JexlValue::Bool(value) => self.out.push_str(&value.to_string()),
            JexlValue::Integer(value) => self.out.push_str(&value.to_string()),
            JexlValue::Double(value) => self.out.push_str(&java_double(*value)),
            JexlValue::Char(unit) => self.out.push_str(&String::from_utf16_lossy(&[*unit])),
            JexlValue::Text(text) => self.out.push_str(text),
            JexlValue::List(values) => {
                self.all('[', &values.borrow(), ']', |to, value| {
                    to.value(value, depth + 1)
                });
            }
            JexlValue::Set(values) => {
                self.all('[', values, ']', |to, value| to.value(value, depth + 1));
            }
            JexlValue::Map(entries) => {
                self.all('{', &entries.borrow(), '}', |to, entry| {
                    to.entry(entry, depth)
                });
            }
            JexlValue::Entry(entry) => self.entry(entry, depth),
            JexlValue::Range(from, to) => self.out.push_str(&format!("{from}..{to}")),
            JexlValue::Function(..) => {}
            JexlValue::Host(host) => self.out.push_str(host.word()),
        }
    }

    fn all<T>(&mut self, open: char, items: &[T], close: char, each: impl Fn(&mut Self, &T)) {
        self.out.push(open);
        for (number, item) in items.iter().enumerate() {
            self.out.push_str(if number > 0 { ", " } else { "" });
            each(self, item);
            if self.is_full() {
                break;
            }
        }
        self.out.push(close);
    }

    fn entry(&mut self, (key, value): &(JexlValue, JexlValue), depth: u32) {
        self.value(key, depth + 1);
        self.out.push('=');
        self.value(value, depth + 1);
    }
}
