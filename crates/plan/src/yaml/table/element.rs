//! Elements of another engine, wherever they stand.

use super::grammar::{Kind, Object, key};
use super::leaf::TEXT;

/// An item of a list that is an element.
pub(super) static ELEMENT_ITEM: Object = Object {
    id: "element-item",
    keys: &[&[key("element", &ELEMENT, "element").required()]],
    groups: &[],
};
/// An element: its class, its name, its properties.
pub(super) static ELEMENT: Kind = Kind::Object(&Object {
    id: "element",
    keys: &[&[
        key("class", &TEXT, "element-class").required(),
        key("name", &TEXT, "element-name"),
        key("properties", &PROPERTIES, "element-properties"),
    ]],
    groups: &[],
});
static PROPERTIES: Kind = Kind::Map(&PROPERTY);
/// Lists of lists of lists: more than any element of JMeter's has.
static PROPERTY: Kind = Kind::OneOf(&[&TEXT, &Kind::List(&INNER), &ELEMENT]);
static INNER: Kind = Kind::OneOf(&[&TEXT, &Kind::List(&INNERMOST), &ELEMENT]);
static INNERMOST: Kind = Kind::OneOf(&[&TEXT, &Kind::List(&TEXT_OR_ELEMENT), &ELEMENT]);
static TEXT_OR_ELEMENT: Kind = Kind::OneOf(&[&TEXT, &ELEMENT]);
/// Elements in order.
pub(super) static ELEMENT_LIST: Kind = Kind::List(&ELEMENT);
