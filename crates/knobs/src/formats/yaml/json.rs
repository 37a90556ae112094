//! JSON: what YAML reads, too, but written so that JSON's readers take it.

use std::borrow::Cow;
use std::ops::Range;

use serde::de::IgnoredAny;

use super::{Address, EditFault, Editor, Splice, Standing, Stop, YamlEditor};
use super::{entry_in_braces, in_braces, one_line};

const YAML: YamlEditor = YamlEditor { spring: false };

/// JSON (RFC 8259), without comments.
pub(crate) struct JsonEditor;

/// Refuses what is no JSON, at its place.
fn checked(text: &str) -> Result<(), Stop> {
    let own = text.strip_prefix('\u{feff}').unwrap_or(text);
    let Err(error) = serde_json::from_str::<IgnoredAny>(own) else {
        return Ok(());
    };
    let lines = own
        .split_inclusive('\n')
        .take(error.line().saturating_sub(1));
    let before: usize = lines.map(str::len).sum();
    let at = text.len() - own.len() + before + error.column().saturating_sub(1);
    let mut at = at.min(text.len());
    while !text.is_char_boundary(at) {
        at -= 1;
    }
    Err(Stop::here(at, EditFault::Syntax(error.to_string())))
}

/// The text as YAML takes it: it knows no pairs of escapes for one character. What takes their place is as long.
fn for_yaml(text: &str) -> Cow<'_, str> {
    let mut made = String::new();
    let mut kept = 0;
    let mut letters = text.char_indices();
    while let Some((at, letter)) = letters.next() {
        if letter != '\\' {
            continue;
        }
        letters.next();
        let escape = text.get(at..at + 6).unwrap_or_default();
        let code = escape
            .strip_prefix("\\u")
            .map(|code| u16::from_str_radix(code, 16));
        if code.is_some_and(|code| code.is_ok_and(|code| (0xd800..0xe000).contains(&code))) {
            made.push_str(&text[kept..at]);
            made.push_str("\\ufffd");
            kept = at + 6;
        }
    }
    if kept == 0 {
        return Cow::Borrowed(text);
    }
    made.push_str(&text[kept..]);
    Cow::Owned(made)
}

fn string(value: &str) -> String {
    serde_json::Value::from(value).to_string()
}

/// A number, `true`, `false` or `null` as itself, all else as a string.
fn literal(value: &str) -> String {
    let is_one = serde_json::from_str::<serde_json::Value>(value)
        .is_ok_and(|value| value.is_number() || value.is_boolean() || value.is_null());
    match is_one {
        true => value.trim().to_owned(),
        false => string(value),
    }
}

impl Editor for JsonEditor {
    fn find(&self, text: &str, address: &Address) -> Result<Option<Standing>, Stop> {
        checked(text)?;
        let found = YAML.find(&for_yaml(text), address)?;
        Ok(found.map(|mut place| {
            let own = serde_json::from_str(&text[place.span.clone()]);
            place.value = own.unwrap_or(place.value);
            place
        }))
    }

    fn replaced(
        &self,
        text: &str,
        _: &Address,
        place: &Standing,
        value: &str,
    ) -> Result<Splice, Stop> {
        one_line(value)?;
        let was_string = text[place.span.clone()].starts_with('"');
        Ok(Splice {
            range: place.span.clone(),
            with: if was_string {
                string(value)
            } else {
                literal(value)
            },
        })
    }

    fn added(&self, text: &str, address: &Address, value: &str) -> Result<Splice, Stop> {
        one_line(value)?;
        let scanned = YAML.scanned(&for_yaml(text), address)?;
        if let Some(blocked) = scanned.blocked_by() {
            return Err(blocked);
        }
        let path = address.path.trim();
        if path.starts_with('/') {
            return Err(address.undotted());
        }
        let keys: Vec<&str> = path.split('.').collect();
        let Some(parent) = YAML.parent(&scanned, &[true]) else {
            return Err(Stop::nowhere(EditFault::NoParent(keys[0].to_owned())));
        };
        let entry = in_braces(&keys[parent.depth..], &literal(value), string)?;
        let at = parent.start + 1;
        // As its neighbour stands: on a line of its own, or in one with it.
        let with = match parent.first_key {
            Some((first, _)) => format!("{}{entry},", &text[at..first]),
            None => entry,
        };
        Ok(Splice {
            range: at..at,
            with,
        })
    }

    fn whole(&self, text: &str, place: &Standing) -> Range<usize> {
        entry_in_braces(text, place).unwrap_or_else(|| place.span.clone())
    }

    fn others(&self, text: &str, address: &Address) -> Result<u64, Stop> {
        YAML.others(&for_yaml(text), address)
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use proptest::prelude::*;
    use serde_json::{Value, json};

    use super::checked;
    use crate::formats::{Address, EditFault, Format, get, remove, set};

    fn changed(file: &str, path: &str, value: &str) -> String {
        let now = set(Format::Json, file.as_bytes(), &Address::new(path), value);
        String::from_utf8(now.unwrap()).unwrap()
    }

    #[test]
    fn values_stay_what_they_are_and_new_ones_stand_beside_their_neighbours() {
        let file = "{\n  \"pool\": {\"max\": 4},\n  \"level\": \"info\",\n  \"on\": true\n}\n";
        for (path, value, line) in [
            ("pool.max", "8", "  \"pool\": {\"max\": 8},"),
            ("pool.max", "all", "  \"pool\": {\"max\": \"all\"},"),
            ("pool.min", "1", "  \"pool\": {\"min\": 1,\"max\": 4},"),
            ("level", "1", "  \"level\": \"1\","),
            ("on", "false", "  \"on\": false"),
            ("wait", "2 s", "  \"wait\": \"2 s\","),
            ("log.level", "x", "  \"log\": {\"level\": \"x\"},"),
        ] {
            let now = changed(file, path, value);
            assert!(now.lines().any(|each| each == line), "{path}: {now}");
            checked(&now).unwrap();
        }
        assert_eq!(changed("{}", "a.b", "1"), "{\"a\": {\"b\": 1}}");
        assert_eq!(changed("\u{feff}{ }", "a", "1"), "\u{feff}{\"a\": 1 }");
    }

    #[test]
    fn what_is_no_json_is_told_with_its_place() {
        for (file, at) in [
            ("{\n // a comment\n \"a\": 1}", (2, 2)),
            ("{\"a\": 1,}", (1, 9)),
            ("", (0, 0)),
            ("{a: 1}", (1, 2)),
        ] {
            let error = get(Format::Json, file.as_bytes(), &Address::new("a")).unwrap_err();
            assert!(matches!(error.fault, EditFault::Syntax(_)), "{error:?}");
            if at.0 > 0 {
                assert_eq!((error.line, error.column), at, "{file}");
            }
        }
        let list = set(Format::Json, b"[1]", &Address::new("a"), "1").unwrap_err();
        assert!(matches!(list.fault, EditFault::NoParent(_)), "{list:?}");
    }

    /// Any document whose keys are among few.
    fn documents() -> impl Strategy<Value = Value> {
        let leaf = prop_oneof![
            Just(Value::Null),
            any::<bool>().prop_map(Value::from),
            any::<i64>().prop_map(Value::from),
            (-1e9..1e9).prop_map(|number: f64| json!(number)),
            "\\PC{0,6}|[a-z\\\\/\"'\n\t:,{}#&*-]{0,8}".prop_map(Value::from),
        ];
        let whole = leaf.prop_recursive(4, 40, 5, |inner| {
            prop_oneof![
                prop::collection::vec(inner.clone(), 0..4).prop_map(Value::from),
                prop::collection::btree_map("[a-d]", inner, 0..4)
                    .prop_map(|map| Value::Object(map.into_iter().collect())),
            ]
        });
        prop::collection::btree_map("[a-d]", whole, 0..4)
            .prop_map(|map| Value::Object(map.into_iter().collect()))
    }

    /// A document as text: in one line, or as people read it, or with escapes for all that is not ASCII.
    fn text(document: &Value, way: u8) -> String {
        let text = match way % 2 {
            0 => document.to_string(),
            _ => serde_json::to_string_pretty(document).unwrap(),
        };
        if way < 2 {
            return text;
        }
        let units = text.encode_utf16().map(|unit| match u8::try_from(unit) {
            Ok(byte) if byte.is_ascii() => char::from(byte).to_string(),
            _ => format!("\\u{unit:04x}"),
        });
        units.collect()
    }

    proptest! {
        #[test]
        fn readers_of_json_see_the_new_value_and_all_else_as_before(
            document in documents(), way in 0_u8..4, value in "[ -~中文]{0,8}|[0-9]{1,4}|true|null",
            keys in prop::collection::vec("[a-e]", 1..4),
        ) {
            let file = text(&document, way);
            let address = Address::new(keys.join("."));
            let pointer = format!("/{}", keys.join("/"));
            let there = document.pointer(&pointer);
            let read = get(Format::Json, file.as_bytes(), &address);
            match there {
                Some(Value::String(text)) => prop_assert_eq!(&read.unwrap().unwrap().value, text),
                Some(Value::Array(_) | Value::Object(_)) => prop_assert!(read.is_err()),
                Some(other) => prop_assert_eq!(read.unwrap().unwrap().value, other.to_string()),
                None => prop_assert!(read.unwrap().is_none()),
            }
            let Ok(now) = set(Format::Json, file.as_bytes(), &address, &value) else { return Ok(()) };
            let mut wanted = document.clone();
            let mut at = &mut wanted;
            for key in &keys {
                at = at.as_object_mut().unwrap().entry(key.clone()).or_insert_with(|| json!({}));
            }
            let literal = serde_json::from_str::<Value>(&value).ok();
            let literal = literal.filter(|it| !it.is_string() && !it.is_array() && !it.is_object());
            *at = match (there, literal) {
                (Some(Value::String(_)), _) | (_, None) => json!(value),
                (_, Some(literal)) => literal,
            };
            prop_assert_eq!(&serde_json::from_slice::<Value>(&now).unwrap(), &wanted);
            let gone = remove(Format::Json, &now, &address).unwrap();
            let gone: Value = serde_json::from_slice(&gone).unwrap();
            prop_assert!(gone.pointer(&pointer).is_none());
        }
    }
}
