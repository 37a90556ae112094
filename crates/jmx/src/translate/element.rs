//! What an element's properties say, read as JMeter reads them.

use plimsoll_plan::model::{Element, ElementValue, Text};

use crate::read::is_true;

/// A truth value as JMeter reads it: `true` in any case; all else is false.
pub(super) fn flag(element: &Element, property: &str) -> bool {
    flag_or(element, property, false)
}

/// A truth value with what holds when the property is not there.
pub(super) fn flag_or(element: &Element, property: &str, usual: bool) -> bool {
    element
        .text(property)
        .map_or(usual, |text| is_true(&text.raw))
}

/// A text as it is written; empty when it is not there.
pub(super) fn flat(element: &Element, property: &str) -> String {
    let text = element.text(property);
    text.map(|text| text.raw.clone()).unwrap_or_default()
}

/// A text; empty, at the element, when it is not there.
pub(super) fn text(element: &Element, property: &str) -> Text {
    element.text(property).cloned().unwrap_or(Text {
        raw: String::new(),
        at: element.at,
    })
}

/// The items of a collection.
pub(super) fn items<'e>(element: &'e Element, property: &str) -> &'e [ElementValue] {
    match element.get(property) {
        Some(ElementValue::List(items)) => items,
        _ => &[],
    }
}

/// The element in a property.
pub(super) fn inner<'e>(element: &'e Element, property: &str) -> Option<&'e Element> {
    match element.get(property) {
        Some(ElementValue::Element(inner)) => Some(inner),
        _ => None,
    }
}
