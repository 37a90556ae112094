//! The types of a chunk: it brings the description of all it holds.

use std::collections::{HashMap, HashSet};
use std::rc::Rc;

use super::error::JfrError;
use super::value::{Bytes, JfrValue};

/// Types lie within types no deeper than this.
const DEEPEST: u32 = 12;

/// The type of texts.
pub const TEXT: &str = "java.lang.String";

/// A type with its fields.
#[derive(Debug, Clone)]
pub struct JfrType {
    /// Its name, as the JDK knows it.
    pub name: Rc<str>,
    fields: Vec<JfrField>,
}

#[derive(Debug, Clone)]
struct JfrField {
    name: Rc<str>,
    of: i64,
    constant: bool,
    array: bool,
}

/// All types by their numbers.
#[derive(Debug, Default)]
pub struct Types(HashMap<i64, JfrType>);

/// An element of the description: its name, attributes and what stands below it.
struct MetadataElement {
    name: Rc<str>,
    attributes: Vec<(Rc<str>, Rc<str>)>,
    below: Vec<MetadataElement>,
}

impl MetadataElement {
    fn attribute(&self, name: &str) -> Rc<str> {
        let found = self.attributes.iter().find(|(own, _)| **own == *name);
        found.map_or_else(|| "".into(), |(_, value)| Rc::clone(value))
    }

    fn number(&self, name: &str) -> i64 {
        self.attribute(name).parse().unwrap_or(-1)
    }
}

impl Types {
    /// Reads the description.
    pub fn read(mut bytes: Bytes<'_>) -> Result<Self, JfrError> {
        // Size, type, beginning, duration, number.
        for _ in 0..5 {
            bytes.packed()?;
        }
        let count = bytes.count()?;
        let mut texts = Vec::with_capacity(count);
        for _ in 0..count {
            // Named by many, so each is kept once.
            texts.push(match bytes.text()? {
                JfrValue::Text(text) => Rc::from(text.text),
                _ => Rc::from(""),
            });
        }
        let root = element(&mut bytes, &texts, 0)?;
        let mut types = Self::default();
        types.collect(&root);
        Ok(types)
    }

    fn collect(&mut self, element: &MetadataElement) {
        if &*element.name == "class" {
            let fields = element.below.iter().filter(|below| &*below.name == "field");
            let fields = fields.map(|field| JfrField {
                name: field.attribute("name"),
                of: field.number("class"),
                constant: &*field.attribute("constantPool") == "true",
                array: &*field.attribute("dimension") == "1",
            });
            let of = JfrType {
                name: element.attribute("name"),
                fields: fields.collect(),
            };
            self.0.insert(element.number("id"), of);
            return;
        }
        element.below.iter().for_each(|below| self.collect(below));
    }

    /// The type of that number.
    pub fn get(&self, number: i64) -> Option<&JfrType> {
        self.0.get(&number)
    }

    /// The types whose values may hold texts, or name such as are constants.
    pub fn with_texts(&self) -> HashSet<i64> {
        let is_text = |of: i64| self.get(of).is_some_and(|of| &*of.name == TEXT);
        let mut found = HashSet::new();
        // Those within others are known after as many rounds as they lie deep.
        for _ in 0..=DEEPEST {
            let has = |field: &JfrField| {
                is_text(field.of) || !field.constant && found.contains(&field.of)
            };
            let more = self
                .0
                .iter()
                .filter(|(number, of)| is_text(**number) || of.fields.iter().any(has));
            found = more.map(|(number, _)| *number).collect();
        }
        found
    }

    /// Reads a value of a type.
    pub fn value(&self, bytes: &mut Bytes<'_>, of: i64) -> Result<JfrValue, JfrError> {
        self.value_at(bytes, of, 0)
    }

    fn value_at(&self, bytes: &mut Bytes<'_>, of: i64, depth: u32) -> Result<JfrValue, JfrError> {
        let known = self.get(of).ok_or_else(|| bytes.damaged())?;
        if depth > DEEPEST {
            return Err(bytes.damaged());
        }
        bytes.value()?;
        Ok(match &*known.name {
            "boolean" | "byte" => JfrValue::Number(i64::from(bytes.byte()?)),
            "char" | "short" | "int" | "long" => JfrValue::Number(bytes.packed()?),
            "float" => skipped(bytes, 4)?,
            "double" => skipped(bytes, 8)?,
            TEXT => match bytes.text()? {
                JfrValue::Number(number) => JfrValue::Constant(of, number),
                text => text,
            },
            _ => {
                let mut fields = Vec::with_capacity(known.fields.len());
                for field in &known.fields {
                    let value = self.field(bytes, field, depth)?;
                    fields.push((Rc::clone(&field.name), value));
                }
                JfrValue::Fields(fields)
            }
        })
    }

    fn field(
        &self,
        bytes: &mut Bytes<'_>,
        field: &JfrField,
        depth: u32,
    ) -> Result<JfrValue, JfrError> {
        let one = |bytes: &mut Bytes<'_>| match field.constant {
            true => Ok(JfrValue::Constant(field.of, bytes.packed()?)),
            false => self.value_at(bytes, field.of, depth + 1),
        };
        if !field.array {
            return one(bytes);
        }
        let count = bytes.count()?;
        let mut items = Vec::with_capacity(count.min(256));
        for _ in 0..count {
            items.push(one(bytes)?);
        }
        Ok(JfrValue::Items(items))
    }
}

fn skipped(bytes: &mut Bytes<'_>, length: usize) -> Result<JfrValue, JfrError> {
    bytes.take(length).map(|_| JfrValue::Nothing)
}

fn element(
    bytes: &mut Bytes<'_>,
    texts: &[Rc<str>],
    depth: u32,
) -> Result<MetadataElement, JfrError> {
    if depth > DEEPEST {
        return Err(bytes.damaged());
    }
    let text = |bytes: &mut Bytes<'_>| {
        let number = usize::try_from(bytes.packed()?).ok();
        let found = number.and_then(|number| texts.get(number));
        found.cloned().ok_or_else(|| bytes.damaged())
    };
    let name = text(bytes)?;
    let mut attributes = Vec::new();
    for _ in 0..bytes.count()? {
        attributes.push((text(bytes)?, text(bytes)?));
    }
    let mut below = Vec::new();
    for _ in 0..bytes.count()? {
        below.push(element(bytes, texts, depth + 1)?);
    }
    Ok(MetadataElement {
        name,
        attributes,
        below,
    })
}
