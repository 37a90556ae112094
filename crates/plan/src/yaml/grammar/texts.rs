//! Names with their texts.

use super::base::*;
use crate::model::{Headers, Text};

/// Names with their texts; a list gives a name several times.
pub(crate) struct Texts;

impl Form for Texts {
    type Of = Vec<(Text, Text)>;

    fn kind() -> Kind {
        Kind::Map(OneOrMore::<AnyText>::kind)
    }

    fn read(decoder: &mut Decoder<'_>, node: &Node) -> Option<Self::Of> {
        let mut pairs = Vec::new();
        for (name, value) in node.map()? {
            let texts = OneOrMore::<AnyText>::read(decoder, value).unwrap_or_default();
            pairs.extend(texts.into_iter().map(|text| (name.text(), text)));
        }
        Some(pairs)
    }

    fn write(pairs: &Self::Of) -> Yaml {
        let mut map = Map::default();
        for (name, value) in pairs {
            let value = Yaml::from(value);
            match map.0.iter_mut().find(|(known, _)| *known == name.raw) {
                Some((_, Yaml::List(values))) => values.push(value),
                Some((_, first)) => *first = Yaml::List(vec![first.clone(), value]),
                None => map.put(name.raw.as_str(), value),
            }
        }
        map.into()
    }
}

/// Lists of headers in one: a later list takes the names of an earlier one.
pub(crate) struct HeaderLists;

impl Form for HeaderLists {
    type Of = Vec<Headers>;

    fn kind() -> Kind {
        Texts::kind()
    }

    fn read(decoder: &mut Decoder<'_>, node: &Node) -> Option<Vec<Headers>> {
        let headers = Texts::read(decoder, node)?;
        Some(if headers.is_empty() {
            Vec::new()
        } else {
            vec![Headers(headers)]
        })
    }

    fn write(lists: &Vec<Headers>) -> Yaml {
        let mut all: Vec<(Text, Text)> = Vec::new();
        for Headers(list) in lists {
            let again = |name: &Text| {
                list.iter()
                    .any(|(other, _)| other.raw.eq_ignore_ascii_case(&name.raw))
            };
            all.retain(|(name, _)| !again(name));
            all.extend(list.iter().cloned());
        }
        Texts::write(&all)
    }
}
