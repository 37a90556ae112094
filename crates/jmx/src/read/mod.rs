//! A `.jmx` file as a tree of elements, by their present names.

use std::cell::RefCell;

use plimsoll_plan::Problem;
use plimsoll_plan::model::{Element, ElementValue, Span, Text};
use plimsoll_text::Message;

use crate::classes;
use crate::xml::{self, Xml, problem};

/// An element of a plan with what stands below it.
#[derive(Debug, Clone, Default)]
pub struct JmxNode {
    /// Its class, name and properties.
    pub element: Element,
    /// The form JMeter edits it with, as written (`HttpTestSampleGui`).
    pub gui_class: String,
    /// The class as written, where it differs from [`Element::class`] the older name.
    pub test_class: String,
    /// Whether it takes part in the test.
    pub enabled: bool,
    /// Elements below it, in their order.
    pub children: Vec<JmxNode>,
    /// Where it is written.
    pub at: Span,
}

/// A plan's elements.
#[derive(Debug, Clone, Default)]
pub struct Tree {
    /// The elements at the top, normally one `TestPlan`.
    pub roots: Vec<JmxNode>,
    /// Version of JMeter that wrote the file, as it says; empty when it does not.
    pub jmeter: String,
    /// Properties of a kind that JMeter does not have, with their places; the first of them.
    pub strange: Vec<(String, Span)>,
}

impl Tree {
    /// Every element, in the order of the file, those below disabled ones too.
    pub fn walk<'t>(&'t self, visit: &mut dyn FnMut(&'t JmxNode)) {
        walk(&self.roots, visit);
    }
}

fn walk<'t>(nodes: &'t [JmxNode], visit: &mut dyn FnMut(&'t JmxNode)) {
    for node in nodes {
        visit(node);
        walk(&node.children, visit);
    }
}

/// Property that carries the form of elements whose meaning depends on it
/// (`ConfigTestElement`: which samplers it holds for; `ResultCollector`: which listener it is).
/// The value is the form's name without its package.
pub const GUI_CLASS: &str = "TestElement.gui_class";

/// Reads a `.jmx` file.
///
/// # Errors
/// What is wrong with the file as XML, or that it is no plan of JMeter's.
pub fn read(bytes: &[u8]) -> Result<Tree, Box<Problem>> {
    let root = xml::parse(bytes)?;
    if root.name != "jmeterTestPlan" {
        let old = ["testPlan", "TestPlan", "node", "testelement"].contains(&root.name.as_str());
        let id = match old {
            true => "jmeter-xml-old-format",
            false => "jmeter-xml-no-plan",
        };
        let message = Message::new(id).with("name", root.name.as_str());
        return Err(problem(root.at, message));
    }
    let reader = ElementReader {
        encoded: root.attribute("version") == Some("1.0"),
        strange: RefCell::default(),
    };
    let mut roots = Vec::new();
    for top in &root.children {
        match top.name.as_str() {
            "hashTree" => reader.nodes(top, &mut roots),
            // A plan without the tree around it.
            _ => roots.push(reader.node(top)),
        }
    }
    if roots.is_empty() {
        return Err(problem(root.at, Message::new("jmeter-xml-no-elements")));
    }
    let jmeter = root.attribute("jmeter").unwrap_or_default().to_owned();
    Ok(Tree {
        roots,
        jmeter,
        strange: reader.strange.into_inner(),
    })
}

struct ElementReader {
    /// Names and values are URL-encoded, as the first version of the format had it.
    encoded: bool,
    strange: RefCell<Vec<(String, Span)>>,
}

/// JMeter's kinds of properties (5.6.3, `saveservice.properties`).
const PROPERTIES: [&str; 13] = [
    "boolProp",
    "collectionProp",
    "doubleProp",
    "elementProp",
    "floatProp",
    "intProp",
    "longProp",
    "mapProp",
    "objProp",
    "stringProp",
    "testElementProp",
    "DoubleProperty",
    "FloatProperty",
];

/// As many properties of no known kind are told of.
const MOST_STRANGE: usize = 20;

impl ElementReader {
    /// The elements of a `hashTree`: each is followed by the tree below it.
    fn nodes(&self, tree: &Xml, nodes: &mut Vec<JmxNode>) {
        for item in &tree.children {
            if item.name == "hashTree" {
                if let Some(parent) = nodes.last_mut() {
                    self.nodes(item, &mut parent.children);
                }
            } else {
                nodes.push(self.node(item));
            }
        }
    }

    fn node(&self, xml: &Xml) -> JmxNode {
        let form = xml.attribute("guiclass").unwrap_or_default();
        let tag = xml.attribute("class").unwrap_or(&xml.name);
        let class = classes::class_of(tag, form);
        let mut element = self.element(xml, class);
        if matches!(
            element.class.as_str(),
            "ConfigTestElement" | "ResultCollector"
        ) {
            let form = form.rsplit('.').next().unwrap_or(form);
            let text = Text {
                raw: form.to_owned(),
                at: xml.at,
            };
            let value = ElementValue::Text(text);
            element.properties.push((GUI_CLASS.to_owned(), value));
        }
        JmxNode {
            element,
            gui_class: form.to_owned(),
            test_class: tag.to_owned(),
            enabled: xml.attribute("enabled").is_none_or(is_true),
            children: Vec::new(),
            at: xml.at,
        }
    }

    fn element(&self, xml: &Xml, class: String) -> Element {
        let name = self.decode(xml.attribute("testname").unwrap_or_default());
        let mut element = Element {
            class,
            name: Text {
                raw: name,
                at: xml.at,
            },
            properties: Vec::with_capacity(xml.children.len()),
            at: xml.at,
        };
        for child in &xml.children {
            let name = self.property_name(child);
            let Some(name) = classes::property_of(&element.class, &name) else {
                continue;
            };
            let name = name.to_owned();
            self.look_at_kind(child);
            let value = self.value(child);
            match (name.as_str(), value) {
                ("TestElement.name", ElementValue::Text(text)) if element.name.raw.is_empty() => {
                    element.name = text;
                }
                (_, value) => set(&mut element.properties, name, value),
            }
        }
        element
    }

    /// Notes a property of a kind that JMeter does not have; what names a Java class may be one.
    fn look_at_kind(&self, xml: &Xml) {
        let known = PROPERTIES.contains(&xml.name.as_str()) || xml.name.contains('.');
        let mut strange = self.strange.borrow_mut();
        if !known && strange.len() < MOST_STRANGE {
            strange.push((xml.name.clone(), xml.at));
        }
    }

    /// The name of a property: an attribute, or an element of the older ways to write it.
    fn property_name(&self, xml: &Xml) -> String {
        let name = xml.attribute("name");
        let name = name.or_else(|| Some(xml.child("name")?.text.as_str()));
        self.decode(name.unwrap_or_default())
    }

    fn value(&self, xml: &Xml) -> ElementValue {
        match xml.name.as_str() {
            "collectionProp" => {
                ElementValue::List(xml.children.iter().map(|item| self.value(item)).collect())
            }
            "mapProp" => ElementValue::Element(Box::new(self.element(xml, "Map".to_owned()))),
            "elementProp" => {
                let kind = xml.attribute("elementType").unwrap_or_default();
                let class = classes::class_of(kind, "");
                ElementValue::Element(Box::new(self.element(xml, class)))
            }
            _ => match xml.child("value") {
                Some(value) => self.object(value),
                None => ElementValue::Text(self.text(xml)),
            },
        }
    }

    /// The value of an `objProp`: a text, or an object with its fields as elements.
    fn object(&self, value: &Xml) -> ElementValue {
        if value.children.is_empty() && value.attribute("class").is_none() {
            return ElementValue::Text(self.text(value));
        }
        let class = classes::class_of(value.attribute("class").unwrap_or_default(), "");
        let fields = value.children.iter();
        ElementValue::Element(Box::new(Element {
            class,
            properties: fields
                .map(|field| (field.name.clone(), ElementValue::Text(self.text(field))))
                .collect(),
            at: value.at,
            ..Element::default()
        }))
    }

    fn text(&self, xml: &Xml) -> Text {
        Text {
            raw: self.decode(&xml.text),
            at: xml.text_at,
        }
    }

    fn decode(&self, text: &str) -> String {
        match self.encoded {
            true => url_decode(text),
            false => text.to_owned(),
        }
    }
}

/// Java's `Boolean.parseBoolean`.
pub(crate) fn is_true(text: &str) -> bool {
    text.eq_ignore_ascii_case("true")
}

/// Sets a property; one that is there twice has its last value, as in JMeter. Among very
/// many it is not looked for, so that no file takes quadratic time.
fn set(properties: &mut Vec<(String, ElementValue)>, name: String, value: ElementValue) {
    const LOOKED_THROUGH: usize = 500;
    let known = properties.iter_mut().take(LOOKED_THROUGH);
    match known.into_iter().find(|(known, _)| *known == name) {
        Some((_, old)) => *old = value,
        None => properties.push((name, value)),
    }
}

/// `application/x-www-form-urlencoded`, UTF-8; what is no code stays as it is.
fn url_decode(text: &str) -> String {
    let bytes = text.as_bytes();
    let mut out = Vec::with_capacity(bytes.len());
    let mut i = 0;
    while i < bytes.len() {
        let code = bytes.get(i + 1..i + 3);
        let code = code.and_then(|code| std::str::from_utf8(code).ok());
        let code = code.and_then(|code| u8::from_str_radix(code, 16).ok());
        match (bytes[i], code) {
            (b'%', Some(byte)) => {
                out.push(byte);
                i += 2;
            }
            (b'+', _) => out.push(b' '),
            (byte, _) => out.push(byte),
        }
        i += 1;
    }
    String::from_utf8_lossy(&out).into_owned()
}

#[cfg(test)]
mod tests;
