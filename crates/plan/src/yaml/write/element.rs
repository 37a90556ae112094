//! Elements of another engine.

use super::emit::{Map, Yaml};
use crate::model::{Element, ElementValue};

pub(super) fn elements(elements: &[Element]) -> Vec<Yaml> {
    elements.iter().map(element).collect()
}

pub(super) fn element(element: &Element) -> Yaml {
    let mut map = Map::default();
    map.put("class", &element.class);
    if !element.name.raw.is_empty() {
        map.put("name", &element.name);
    }
    let mut properties = Map::default();
    for (name, value) in &element.properties {
        properties.put(name.as_str(), property(value));
    }
    map.put_map("properties", properties);
    map.into()
}

fn property(value: &ElementValue) -> Yaml {
    match value {
        ElementValue::Text(text) => text.into(),
        ElementValue::List(values) => values.iter().map(property).collect::<Vec<_>>().into(),
        ElementValue::Element(inner) => element(inner),
    }
}
