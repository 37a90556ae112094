//! Whether a plan looks at the numbers of passes (`__jm__<name>__idx`). Keeping them costs
//! time in every pass of every loop, so they are kept only when something may see them.

use plimsoll_plan::model::{Element, ElementValue};

use crate::properties::Properties;
use crate::read::Tree;

/// Classes that see every variable: they list them or run scripts.
const SEES_ALL: &[&str] = &["Debug", "JSR223", "BeanShell", "BSF", "Backend"];

/// Pieces of text that may name a variable by computation or run a script.
const MAY_NAME: &[&str] = &[
    "__jm__",
    "${__V(",
    "${__eval",
    "${__groovy(",
    "${__BeanShell(",
    "${__javaScript(",
    "${__jexl",
    "${__isVarDefined(",
    "${__XPath",
];

pub(super) fn are_looked_at(tree: &Tree, properties: &Properties) -> bool {
    if properties
        .get("sample_variables")
        .is_some_and(|names| names.contains("__jm__"))
    {
        return true;
    }
    let mut found = false;
    tree.walk(&mut |node| {
        let class = node.element.class.as_str();
        found = found
            || SEES_ALL.iter().any(|start| class.starts_with(start))
            || in_element(&node.element);
    });
    found
}

fn in_element(element: &Element) -> bool {
    may_name(&element.name.raw) || element.properties.iter().any(|(_, value)| in_value(value))
}

fn in_value(value: &ElementValue) -> bool {
    match value {
        ElementValue::Text(text) => may_name(&text.raw),
        ElementValue::List(items) => items.iter().any(in_value),
        ElementValue::Element(inner) => in_element(inner),
    }
}

fn may_name(text: &str) -> bool {
    MAY_NAME.iter().any(|piece| text.contains(piece))
}

/// The variable that holds a controller's number of passes.
pub(super) fn name_of(controller: &str) -> String {
    format!("__jm__{controller}__idx")
}
