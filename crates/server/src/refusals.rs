//! What the framework says of a request that it could not read, in our words and in both languages.

use plimsoll_text::Message;

/// A text of the framework: what it was reading, and what is wrong there. What is not known stays as it is.
pub(crate) fn in_our_words(text: &str) -> Message {
    let wholes = [
        (
            "Expected request with `Content-Type: application/json`",
            "server-wrong-type",
        ),
        ("length limit exceeded", "server-body-too-long"),
        ("Failed to buffer the request body", "server-body-lost"),
        ("Invalid UTF-8", "server-not-utf-8"),
    ];
    if let Some((_, id)) = wholes.iter().find(|(known, _)| text.contains(known)) {
        return Message::new(*id);
    }
    let places = [
        ("Failed to parse the request body as JSON: ", "json"),
        (
            "Failed to deserialize the JSON body into the target type: ",
            "json",
        ),
        ("Failed to deserialize query string: ", "query"),
        ("Invalid URL: ", "path"),
    ];
    let found = places.iter().find_map(|(before, place)| {
        let rest = text.strip_prefix(before)?;
        Some((*place, mistake(rest.trim_end())))
    });
    match found {
        Some((place, what)) => Message::new("server-unreadable-request")
            .with("place", place)
            .with("what", what),
        None => Message::new("server-refused").with("reason", text),
    }
}

/// What is wrong, as serde says it: `FIELD: WHAT at line 1 column 2`, each part where there is one.
fn mistake(text: &str) -> Message {
    let (text, line, column) = without_place(text);
    let (field, what) = match text.split_once(": ") {
        Some((field, what)) if is_path(field) => (field, what),
        _ => ("", text),
    };
    let ticked = |text: &str| -> Vec<String> {
        let parts = text.split('`').skip(1).step_by(2);
        parts.map(str::to_owned).collect()
    };
    let names = ticked(what);
    let first = names.first().cloned().unwrap_or_default();
    let known = names.get(1..).unwrap_or_default().join(", ");
    let message = match what {
        _ if what.starts_with("unknown field") => Message::new("server-mistake-field")
            .with("name", first)
            .with("known", known),
        _ if what.starts_with("missing field") => {
            Message::new("server-mistake-missing").with("name", first)
        }
        _ if what.starts_with("duplicate field") => {
            Message::new("server-mistake-twice").with("name", first)
        }
        _ if what.starts_with("unknown variant") => Message::new("server-mistake-value")
            .with("value", first)
            .with("known", known),
        _ if what.starts_with("invalid type") || what.starts_with("invalid value") => kind(what),
        // A list stands where an object should.
        _ if what.starts_with("invalid length") => Message::new("server-mistake-kind")
            .with("found", "[…]")
            .with("wanted", "object"),
        _ if what.starts_with("EOF while") => Message::new("server-mistake-end"),
        _ => Message::new("server-mistake-other").with("what", what),
    };
    let message = match field {
        "" => message,
        field => Message::new("server-mistake-of")
            .with("field", field)
            .with("what", message),
    };
    match line {
        0 => message,
        line => Message::new("server-mistake-at")
            .with("line", line)
            .with("column", column)
            .with("what", message),
    }
}

/// `invalid type: FOUND, expected WANTED`.
fn kind(what: &str) -> Message {
    let rest = what.split_once(": ").map_or(what, |(_, rest)| rest);
    let (found, wanted) = rest.rsplit_once(", expected ").unwrap_or((rest, ""));
    let wanted = match wanted {
        "a string" | "a borrowed string" | "string" => "text",
        "a boolean" => "boolean",
        "a sequence" => "list",
        "a map" => "object",
        "a finite number" | "f64" | "f32" => "number",
        wanted if wanted.starts_with("struct ") || wanted.starts_with("internally tagged") => {
            "object"
        }
        wanted if wanted.starts_with(['u', 'i']) && wanted.len() <= 5 => "whole-number",
        _ => "other",
    };
    let shown = found
        .split_once(' ')
        .filter(|(kind, _)| matches!(*kind, "string" | "integer" | "boolean" | "floating"));
    let value = shown.map_or(found, |(_, value)| value.trim_start_matches("point "));
    Message::new("server-mistake-kind")
        .with("found", value.trim_matches(['"', '`']))
        .with("wanted", wanted)
}

/// Without ` at line 1 column 2` at its end, and these.
fn without_place(text: &str) -> (&str, u64, u64) {
    let place = || {
        let (what, place) = text.rsplit_once(" at line ")?;
        let (line, column) = place.split_once(" column ")?;
        Some((what, line.parse().ok()?, column.parse().ok()?))
    };
    place().unwrap_or((text, 0, 0))
}

/// Whether a text names a field: `order.hops[0].url`.
fn is_path(text: &str) -> bool {
    let is_part = |c: char| c.is_ascii_alphanumeric() || "._-[]?".contains(c);
    !text.is_empty() && text.chars().all(is_part)
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use plimsoll_text::{Lang, render};
    use proptest::prelude::*;
    use serde::Deserialize;

    use super::*;

    #[derive(Debug, Deserialize)]
    #[serde(deny_unknown_fields)]
    #[allow(dead_code)]
    struct Order {
        users: u32,
        #[serde(default)]
        name: String,
        #[serde(default)]
        tags: Vec<String>,
        #[serde(default)]
        watch: bool,
        #[serde(default)]
        kind: Option<Kind>,
    }

    #[derive(Debug, Deserialize)]
    #[serde(rename_all = "snake_case")]
    enum Kind {
        Repeat,
        Hops,
    }

    fn said(body: &str, lang: Lang) -> String {
        let error = serde_json::from_str::<Order>(body).unwrap_err();
        let text = format!("Failed to deserialize the JSON body into the target type: {error}");
        render(lang, &in_our_words(&text))
    }

    #[test]
    fn what_serde_says_is_said_in_both_languages() {
        for (body, holds) in [
            (
                r#"{"users": 1, "usrs": 2}"#,
                vec!["usrs", "users", "name", "tags", "watch", "kind"],
            ),
            (r#"{}"#, vec!["users"]),
            (r#"{"users": 1, "users": 2}"#, vec!["users"]),
            (
                r#"{"users": 1, "kind": "hop"}"#,
                vec!["hop", "repeat", "hops"],
            ),
            (r#"{"users": "many"}"#, vec!["many"]),
            (r#"{"users": -1}"#, vec!["-1"]),
            (r#"{"users": 1.5}"#, vec!["1.5"]),
            (r#"{"users": 1, "name": 7}"#, vec!["7"]),
            (r#"{"users": 1, "tags": "a"}"#, vec!["a"]),
            (r#"{"users": 1, "watch": "yes"}"#, vec!["yes"]),
            (r#"{"users": 1"#, vec![]),
            (r#"[]"#, vec![]),
        ] {
            for lang in [Lang::En, Lang::Zh] {
                let said = said(body, lang);
                assert!(holds.iter().all(|text| said.contains(text)), "{said}");
                let own = [
                    "expected",
                    "invalid type",
                    "unknown",
                    "missing field",
                    "EOF",
                    "target",
                ];
                assert!(own.iter().all(|text| !said.contains(text)), "{said}");
            }
        }
    }

    #[test]
    fn what_nobody_knows_stays_as_it_is() {
        assert_eq!(render(Lang::En, &in_our_words("Teapot")), "Teapot");
    }

    proptest! {
        #[test]
        fn any_text_is_told(text in "\\PC{0,200}", at in 0..5_usize) {
            let before = ["", "Invalid URL: ", "Failed to deserialize query string: ",
                "Failed to parse the request body as JSON: ", "Failed to buffer"][at];
            let whole = format!("{before}{text}");
            for lang in [Lang::En, Lang::Zh] {
                let said = render(lang, &in_our_words(&whole));
                prop_assert!(!said.is_empty() || whole.is_empty());
            }
        }
    }
}
