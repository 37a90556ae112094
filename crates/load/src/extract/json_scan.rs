//! The one value that a plain path such as `$.items[0].id` names, without making a tree of
//! the whole body: all else is only skipped.

use serde::de::{DeserializeSeed, Deserializer, IgnoredAny, MapAccess, SeqAccess, Visitor};
use serde_json::Value;

/// A step of a plain path.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum JsonPathStep {
    Name(String),
    Index(usize),
}

/// The steps of a path that names at most one value in the simplest ways; others have none
/// here. The path is known to be right.
pub(super) fn plain_steps(path: &str) -> Option<Vec<JsonPathStep>> {
    let mut rest = path.strip_prefix('$')?;
    let mut steps = Vec::new();
    while !rest.is_empty() {
        if let Some(after) = rest.strip_prefix('.') {
            let name = |c: char| c.is_ascii_alphanumeric() || c == '_' || !c.is_ascii();
            let end = after.find(|c| !name(c)).unwrap_or(after.len());
            let (name, after) = after.split_at(end);
            if name.is_empty() {
                return None;
            }
            steps.push(JsonPathStep::Name(name.to_owned()));
            rest = after;
            continue;
        }
        let (inside, after) = rest.strip_prefix('[')?.split_once(']')?;
        let quoted = |quote| inside.strip_prefix(quote)?.strip_suffix(quote);
        steps.push(match quoted('\'').or_else(|| quoted('"')) {
            Some(name) if name.contains(['\'', '"', '\\', '[']) => return None,
            Some(name) => JsonPathStep::Name(name.to_owned()),
            None => JsonPathStep::Index(inside.parse().ok()?),
        });
        rest = after;
    }
    Some(steps)
}

/// The value at the end of the steps. The whole text is read, so that what is not JSON is found.
pub(super) fn scan(text: &str, steps: &[JsonPathStep]) -> Result<Option<Value>, serde_json::Error> {
    let mut json = serde_json::Deserializer::from_str(text);
    let found = JsonWalk(steps).deserialize(&mut json)?;
    json.end()?;
    Ok(found)
}

/// Goes the steps from here.
struct JsonWalk<'s>(&'s [JsonPathStep]);

impl<'de> DeserializeSeed<'de> for JsonWalk<'_> {
    type Value = Option<Value>;

    fn deserialize<D: Deserializer<'de>>(self, json: D) -> Result<Self::Value, D::Error> {
        if self.0.is_empty() {
            return serde::Deserialize::deserialize(json).map(Some);
        }
        json.deserialize_any(self)
    }
}

/// A value that has no members, or none of the kind that the next step wants.
macro_rules! nothing_in {
    ($($visit:ident($kind:ty)),*) => {$(
        fn $visit<E>(self, _: $kind) -> Result<Self::Value, E> {
            Ok(None)
        }
    )*};
}

impl<'de> Visitor<'de> for JsonWalk<'_> {
    type Value = Option<Value>;

    fn expecting(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("JSON")
    }

    nothing_in!(
        visit_bool(bool),
        visit_i64(i64),
        visit_u64(u64),
        visit_f64(f64),
        visit_str(&str)
    );

    fn visit_unit<E>(self) -> Result<Self::Value, E> {
        Ok(None)
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Self::Value, A::Error> {
        let mut found = None;
        let name = match self.0 {
            [JsonPathStep::Name(name), ..] => Some(name.as_str()),
            _ => None,
        };
        while let Some(is_it) = map.next_key_seed(Is(name))? {
            if is_it {
                // Of several members of one name the last counts, as in a tree.
                found = map.next_value_seed(JsonWalk(&self.0[1..]))?;
            } else {
                map.next_value::<IgnoredAny>()?;
            }
        }
        Ok(found)
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut seq: A) -> Result<Self::Value, A::Error> {
        let mut found = None;
        if let [JsonPathStep::Index(index), ..] = self.0 {
            for _ in 0..*index {
                if seq.next_element::<IgnoredAny>()?.is_none() {
                    return Ok(None);
                }
            }
            found = seq.next_element_seed(JsonWalk(&self.0[1..]))?.flatten();
        }
        while seq.next_element::<IgnoredAny>()?.is_some() {}
        Ok(found)
    }
}

/// Whether a member's name is this.
struct Is<'s>(Option<&'s str>);

impl<'de> DeserializeSeed<'de> for Is<'_> {
    type Value = bool;

    fn deserialize<D: Deserializer<'de>>(self, json: D) -> Result<bool, D::Error> {
        json.deserialize_str(self)
    }
}

impl Visitor<'_> for Is<'_> {
    type Value = bool;

    fn expecting(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("a name")
    }

    fn visit_str<E>(self, name: &str) -> Result<bool, E> {
        Ok(self.0 == Some(name))
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used, clippy::expect_used)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn plain_paths_are_told_from_others() {
        let name = |name: &str| JsonPathStep::Name(name.into());
        assert_eq!(plain_steps("$").unwrap(), []);
        let steps = [
            name("a_1"),
            JsonPathStep::Index(0),
            name("b c"),
            name("名"),
            name("d"),
        ];
        assert_eq!(plain_steps("$.a_1[0]['b c'].名[\"d\"]").unwrap(), steps);
        for other in [
            "$..a",
            "$.*",
            "$[*]",
            "$[-1]",
            "$[0,1]",
            "$[0:2]",
            "$[?@.a]",
            r"$['\'']",
            "$['a','b']",
            "$ .a",
            "$['a\"b']",
        ] {
            assert_eq!(plain_steps(other), None, "{other}");
        }
    }

    #[test]
    fn what_is_not_json_is_found_behind_the_value() {
        let steps = plain_steps("$.a").unwrap();
        for wrong in [
            "",
            "{\"a\":1",
            "{\"a\":1} x",
            "{\"a\":1,}",
            "[",
            "{\"b\":tru}",
            "{\"a\":1,\"b\":[1,]}",
        ] {
            assert!(scan(wrong, &steps).is_err(), "{wrong}");
        }
        assert_eq!(scan(" {\"a\":1,\"a\":2} ", &steps).unwrap(), Some(2.into()));
        assert_eq!(
            scan("{\"a\":{\"b\":1},\"a\":2}", &plain_steps("$.a.b").unwrap()).unwrap(),
            None
        );
    }

    fn any_json() -> impl Strategy<Value = Value> {
        let leaf = prop_oneof![
            Just(Value::Null),
            any::<bool>().prop_map(Value::from),
            any::<i64>().prop_map(Value::from),
            any::<f64>().prop_map(Value::from),
            "[ab\"\\\\\u{e9}\u{4e2d}\n]{0,3}".prop_map(Value::from),
        ];
        leaf.prop_recursive(4, 40, 4, |inner| {
            prop_oneof![
                proptest::collection::vec(inner.clone(), 0..4).prop_map(Value::from),
                proptest::collection::vec(("[ab中]", inner), 0..4)
                    .prop_map(|members| Value::Object(members.into_iter().collect())),
            ]
        })
    }

    proptest! {
        #[test]
        fn the_scan_finds_what_a_tree_has(
            json in any_json(),
            path in r#"\$(\.[ab中]|\['[ab]'\]|\["中"\]|\[[012]\]){0,4}"#,
        ) {
            let steps = plain_steps(&path).unwrap();
            let text = json.to_string();
            // Read back, as numbers are rounded by being written.
            let json = serde_json::from_str::<Value>(&text).unwrap();
            let tree = serde_json_path::JsonPath::parse(&path).unwrap();
            let found = tree.query(&json).at_most_one().unwrap();
            let scanned = scan(&text, &steps).unwrap();
            prop_assert_eq!(scanned.as_ref(), found);
        }
    }
}
