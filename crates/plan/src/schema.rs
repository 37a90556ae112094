//! The JSON Schema of a plan, made from the tables the reader checks by.
//!
//! It is for editors: completion, descriptions, a first check while typing. It is never
//! stricter than the reader; what needs several values together only the reader judges.

use plimsoll_text::{Lang, Message, render};
use serde_json::{Map, Value, json};

use crate::yaml::check::expected;
use crate::yaml::grammar::{
    AGENT_SCOPE, Accept, Case, Group, Kind, Leaf, Object, PLAN, PlanKey, STUDY, Tagged,
};
use crate::yaml::node::core_scalar;

/// The JSON Schema (draft 2020-12) of a plan, with English descriptions.
#[must_use]
pub fn schema() -> Value {
    of_document(PLAN, "Plimsoll plan")
}

/// The JSON Schema (draft 2020-12) of a study, with English descriptions.
#[must_use]
pub fn study_schema() -> Value {
    of_document(STUDY, "Plimsoll study")
}

/// The JSON Schema (draft 2020-12) of what an agent lets studies change, with English descriptions.
#[must_use]
pub fn agent_scope_schema() -> Value {
    of_document(AGENT_SCOPE, "What a Plimsoll agent lets studies change")
}

fn of_document(root: &Object, title: &str) -> Value {
    let mut definitions = Map::new();
    let root = object_schema(root, &mut definitions);
    let mut schema = Map::new();
    schema.insert(
        "$schema".into(),
        "https://json-schema.org/draft/2020-12/schema".into(),
    );
    schema.insert("title".into(), title.into());
    if let Value::Object(root) = root {
        schema.extend(root);
    }
    definitions.sort_keys();
    schema.insert("$defs".into(), Value::Object(definitions));
    Value::Object(schema)
}

/// The schema as it is kept in `schema/plan.schema.json`.
#[must_use]
pub fn schema_text() -> String {
    format!("{:#}\n", schema())
}

/// The schema as it is kept in `schema/study.schema.json`.
#[must_use]
pub fn study_schema_text() -> String {
    format!("{:#}\n", study_schema())
}

fn english(message: &Message) -> String {
    render(Lang::En, message)
}

fn kind_schema(kind: Kind, definitions: &mut Map<String, Value>) -> Value {
    match kind {
        Kind::Any => json!(true),
        Kind::Leaf(leaf) => leaf_schema(leaf, kind),
        Kind::Word(words) => json!({ "enum": words }),
        Kind::Object(object) => define(object.id, definitions, |d| object_schema(object, d)),
        Kind::Tagged(tagged) => define(tagged.id, definitions, |d| tagged_schema(tagged, d)),
        Kind::List(item) => json!({ "type": "array", "items": kind_schema(item(), definitions) }),
        Kind::Map(value) => json!({
            "type": "object",
            "additionalProperties": kind_schema(value(), definitions),
        }),
        Kind::OneOf(kinds) => {
            let any: Vec<Value> = kinds
                .iter()
                .map(|k| kind_schema(k(), definitions))
                .collect();
            json!({ "anyOf": any })
        }
    }
}

/// A reference to a definition, which is made when it is met first.
fn define(
    id: &str,
    definitions: &mut Map<String, Value>,
    make: impl FnOnce(&mut Map<String, Value>) -> Value,
) -> Value {
    if !definitions.contains_key(id) {
        // Its own parts may refer to it.
        definitions.insert(id.to_owned(), Value::Null);
        let made = make(definitions);
        definitions.insert(id.to_owned(), made);
    }
    json!({ "$ref": format!("#/$defs/{id}") })
}

fn leaf_schema(leaf: &Leaf, kind: Kind) -> Value {
    match leaf.accept {
        Accept::Text => json!({ "type": ["string", "number", "boolean"] }),
        Accept::Bool => json!({ "type": "boolean" }),
        Accept::Int(least, most) => {
            json!({ "type": "integer", "minimum": least, "maximum": most })
        }
        Accept::Form {
            pattern, numbers, ..
        } => {
            let description = english(&expected(kind));
            let text = json!({ "type": "string", "pattern": pattern, "description": description });
            let Some(numbers) = numbers else { return text };
            let number = if numbers.whole { "integer" } else { "number" };
            let number = json!({
                "type": number,
                "minimum": numbers.least,
                "maximum": numbers.most,
                "description": description,
            });
            json!({ "anyOf": [text, number] })
        }
    }
}

fn object_schema(object: &Object, definitions: &mut Map<String, Value>) -> Value {
    let mut properties = Map::new();
    for key in object.keys() {
        properties.insert(key.name.to_owned(), key_schema(&key, definitions));
    }
    let mut schema = json!({
        "type": "object",
        "additionalProperties": false,
        "properties": properties,
    });
    let required: Vec<&str> = object
        .keys()
        .filter(|k| k.required)
        .map(|k| k.name)
        .collect();
    if !required.is_empty() {
        schema["required"] = json!(required);
    }
    let rules: Vec<Value> = object.groups.iter().map(group_schema).collect();
    if !rules.is_empty() {
        schema["allOf"] = Value::Array(rules);
    }
    if [PLAN.id, STUDY.id, AGENT_SCOPE.id].contains(&object.id) {
        schema["patternProperties"] = json!({ "^x-": true });
    }
    schema
}

/// A key's value, with what it is for and what holds without it.
fn key_schema(key: &PlanKey, definitions: &mut Map<String, Value>) -> Value {
    let mut schema = match kind_schema((key.kind)(), definitions) {
        Value::Object(schema) => schema,
        _ => Map::new(),
    };
    let meaning = english(&Message::new(format!("plan-doc-{}", key.doc)));
    schema.insert("description".into(), meaning.into());
    if !key.default.is_empty() {
        schema.insert("default".into(), core_scalar(key.default));
    }
    // Many objects share many keys: each is written once.
    let (id, schema) = (format!("key-{}", key.doc), Value::Object(schema));
    match definitions.get(&id) {
        Some(known) if *known != schema => return schema,
        Some(_) => {}
        None => {
            definitions.insert(id.clone(), schema);
        }
    }
    json!({ "$ref": format!("#/$defs/{id}") })
}

fn group_schema(group: &Group) -> Value {
    let one = |key: &&str| json!({ "required": [key] });
    if group.required {
        return json!({ "oneOf": group.keys.iter().map(one).collect::<Vec<_>>() });
    }
    // At most one: none of the pairs.
    let mut pairs = Vec::new();
    for (index, first) in group.keys.iter().enumerate() {
        for second in &group.keys[index + 1..] {
            pairs.push(json!({ "required": [first, second] }));
        }
    }
    json!({ "not": { "anyOf": pairs } })
}

fn tagged_schema(tagged: &Tagged, definitions: &mut Map<String, Value>) -> Value {
    let case = |case: &Case, definitions: &mut Map<String, Value>| {
        define(case.object.id, definitions, |d| {
            object_schema(case.object, d)
        })
    };
    let cases: Vec<Value> = tagged.cases().map(|c| case(c, definitions)).collect();
    json!({ "type": "object", "anyOf": cases })
}
