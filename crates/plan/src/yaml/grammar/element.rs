//! Elements of another engine, wherever they stand.

use super::base::*;
use crate::model::{Element, ElementValue};

object! { impl Element = "element", {
    ["class" => class: AnyString, "element-class"]
    ["name" => name: Filled<AnyText>, "element-name"]
    ["properties" => properties: Filled<MapEntries<Named<ElementValue>>>, "element-properties"]
    [at]
} }

impl Form for ElementValue {
    type Of = Self;

    /// Lists of lists of lists: more than any element of JMeter's has.
    fn kind() -> Kind {
        fn inner() -> Kind {
            Kind::OneOf(&[AnyText::kind, || Kind::List(innermost), Element::kind])
        }
        fn innermost() -> Kind {
            Kind::OneOf(&[AnyText::kind, || Kind::List(last), Element::kind])
        }
        fn last() -> Kind {
            Kind::OneOf(&[AnyText::kind, Element::kind])
        }
        Kind::OneOf(&[AnyText::kind, || Kind::List(inner), Element::kind])
    }

    fn read(decoder: &mut Decoder<'_>, node: &Node) -> Option<Self> {
        if node.list().is_some() {
            return List::<Self>::read(decoder, node).map(Self::List);
        }
        match node.map() {
            Some(_) => Element::read(decoder, node).map(|element| Self::Element(Box::new(element))),
            None => node.text().map(Self::Text),
        }
    }

    fn write(value: &Self) -> Yaml {
        match value {
            Self::Text(text) => text.into(),
            Self::List(values) => List::<Self>::write(values),
            Self::Element(inner) => Element::write(inner),
        }
    }
}
