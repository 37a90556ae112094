//! Checks a tree of nodes against the tables: unknown keys, missing keys, wrong kinds.

use plimsoll_text::Message;

use super::full_width;
use super::grammar::{Accept, Case, Group, Kind, KindOf, Leaf, METHODS, Object, Tagged};
use super::node::{Node, Value, is_template, shown};
use super::suggest::nearest;
use crate::error::Problem;
use crate::limits::PROBLEMS_COLLECTED;
use crate::model::Span;

/// Checks a node; what is wrong is added to `problems`.
pub(crate) fn check(node: &Node, kind: Kind, problems: &mut Vec<Problem>) {
    if problems.len() >= PROBLEMS_COLLECTED {
        return;
    }
    match kind {
        Kind::Any => {}
        Kind::Leaf(leaf) => {
            if !leaf.accepts(node) {
                problems.push(wrong_kind(node, kind));
            }
        }
        Kind::Word(words) => check_word(node, words, problems),
        Kind::Object(object) => match node.map() {
            Some(_) => check_object(node, object, problems),
            None => problems.push(wrong_kind(node, kind)),
        },
        Kind::Tagged(tagged) => match node.map() {
            Some(_) => check_tagged(node, tagged, problems),
            None => problems.push(wrong_kind(node, kind)),
        },
        Kind::List(item) => match node.list() {
            Some(items) => items.iter().for_each(|node| check(node, item(), problems)),
            None => problems.push(wrong_kind(node, kind)),
        },
        Kind::Map(value) => match node.map() {
            Some(entries) => entries
                .iter()
                .for_each(|(_, node)| check(node, value(), problems)),
            None => problems.push(wrong_kind(node, kind)),
        },
        Kind::OneOf(kinds) => check_one_of(node, kind, kinds, problems),
    }
}

/// Whether a kind has the shape (scalar, list, mapping) of a node.
fn same_shape(node: &Node, kind: Kind) -> bool {
    match kind {
        Kind::Any => true,
        Kind::Leaf(_) | Kind::Word(_) => node.scalar().is_some(),
        Kind::List(_) => node.list().is_some(),
        Kind::Object(_) | Kind::Tagged(_) | Kind::Map(_) => node.map().is_some(),
        Kind::OneOf(kinds) => kinds.iter().any(|kind| same_shape(node, kind())),
    }
}

fn check_one_of(node: &Node, all: Kind, kinds: &[KindOf], problems: &mut Vec<Problem>) {
    let kinds = kinds.iter().map(|kind| kind());
    let fitting: Vec<Kind> = kinds.filter(|kind| same_shape(node, *kind)).collect();
    match fitting.as_slice() {
        [] => problems.push(wrong_kind(node, all)),
        // Only one is meant: its own mistakes say more than "one of".
        [kind] => check(node, *kind, problems),
        several => {
            let mut found = Vec::new();
            for kind in several {
                let mut own = Vec::new();
                check(node, *kind, &mut own);
                if own.is_empty() {
                    return;
                }
                found = own;
            }
            let scalar = node.scalar().is_some();
            match scalar {
                true => problems.push(wrong_kind(node, all)),
                false => problems.append(&mut found),
            }
        }
    }
}

fn check_word(node: &Node, words: &[&str], problems: &mut Vec<Problem>) {
    let Some(text) = node.scalar() else {
        problems.push(wrong_kind(node, Kind::Word(&[])).remedy(allowed(words)));
        return;
    };
    if words.contains(&text) {
        return;
    }
    let message = Message::new("plan-unknown-word").with("found", shown(text));
    let remedy = match nearest(text, words.iter().copied()) {
        Some(near) => Message::new("plan-unknown-word.nearest")
            .with("nearest", near)
            .with("allowed", words.join(", ")),
        None => allowed(words),
    };
    problems.push(Problem::error(node.at, message).remedy(remedy));
}

fn allowed(words: &[&str]) -> Message {
    Message::new("plan-unknown-word.remedy").with("allowed", words.join(", "))
}

fn check_object(node: &Node, object: &Object, problems: &mut Vec<Problem>) {
    let top = matches!(object.id, "plan" | "study");
    for (key, value) in node.map().unwrap_or_default() {
        match object.key(&key.name) {
            Some(known) => check(value, (known.kind)(), problems),
            None if top && key.name.starts_with("x-") => {}
            None if problems.len() >= PROBLEMS_COLLECTED => return,
            None => {
                let known: Vec<&str> = object.keys().map(|key| key.name).collect();
                problems.push(unknown_key(&key.name, key.at, object.id, &known));
            }
        }
    }
    object.each_key(&mut |key| {
        if key.required && node.get(key.name).is_none() {
            let message = Message::new("plan-missing-key")
                .with("key", key.name)
                .with("object", called(object.id));
            let remedy = Message::new("plan-missing-key.remedy")
                .with("key", key.name)
                .with("meaning", Message::new(format!("plan-doc-{}", key.doc)));
            problems.push(Problem::error(node.at, message).remedy(remedy));
        }
    });
    object
        .groups
        .iter()
        .for_each(|group| check_group(node, object, group, problems));
}

fn check_group(node: &Node, object: &Object, group: &Group, problems: &mut Vec<Problem>) {
    let entries = node.map().unwrap_or_default();
    let mut there = entries
        .iter()
        .filter(|(key, _)| group.keys.contains(&key.name.as_str()));
    let first = there.next();
    let keys = || group.keys.join(", ");
    if let (Some((first, _)), Some((second, _))) = (first, there.next()) {
        let message = Message::new("plan-keys-exclude")
            .with("first", first.name.as_str())
            .with("second", second.name.as_str());
        // Two requests in one item of a list: the second wants its own.
        let id = match METHODS.contains(&first.name.as_str()) {
            true => "plan-two-actions.remedy",
            false => "plan-keys-exclude.remedy",
        };
        let remedy = Message::new(id).with("keys", keys());
        problems.push(Problem::error(second.at, message).remedy(remedy));
    } else if first.is_none() && group.required {
        problems.push(one_key_needed(node, object.id, keys()));
    }
}

/// What a part of a plan is called in messages.
pub(crate) fn called(id: &str) -> Message {
    Message::new(format!("plan-object-{id}"))
}

fn one_key_needed(node: &Node, object: &str, keys: String) -> Problem {
    let message = Message::new("plan-one-key-needed").with("object", called(object));
    Problem::mistake(node.at, message.with("keys", keys))
}

/// The object that a mapping's keys choose.
fn chosen(node: &Node, tagged: &Tagged) -> Option<&'static Case> {
    let entries = node.map()?;
    // In the order of the table: an earlier case may use a later one's tag as a key.
    tagged.cases().find(|case| {
        entries
            .iter()
            .any(|(key, _)| case.tags.contains(&key.name.as_str()))
    })
}

fn check_tagged(node: &Node, tagged: &Tagged, problems: &mut Vec<Problem>) {
    let entries = node.map().unwrap_or_default();
    if let Some(case) = chosen(node, tagged) {
        // A second action in one step is the commonest slip: name it as such.
        let second = entries.iter().find(|(key, _)| {
            case.object.key(&key.name).is_none() && tagged.tags().any(|tag| tag == key.name)
        });
        let Some((second, _)) = second else {
            return check_object(node, case.object, problems);
        };
        let first = entries
            .iter()
            .find(|(key, _)| case.tags.contains(&key.name.as_str()));
        let first = first.map_or("", |(key, _)| key.name.as_str());
        let message = Message::new("plan-two-actions")
            .with("object", called(tagged.id))
            .with("first", first)
            .with("second", second.name.as_str());
        problems.push(Problem::mistake(second.at, message));
        return;
    }
    let near = entries.iter().find_map(|(key, _)| {
        let near = nearest(&key.name, tagged.tags())?;
        Some((key, near))
    });
    match near {
        Some((key, _)) => {
            let known: Vec<&str> = tagged.tags().collect();
            problems.push(unknown_key(&key.name, key.at, tagged.id, &known));
        }
        None => {
            let keys: Vec<&str> = tagged.tags().collect();
            problems.push(one_key_needed(node, tagged.id, keys.join(", ")));
        }
    }
}

fn unknown_key(name: &str, at: Span, object: &str, known: &[&str]) -> Problem {
    if let Some(problem) = full_width::in_text(name, at) {
        return problem;
    }
    let message = Message::new("plan-unknown-key")
        .with("key", shown(name))
        .with("object", called(object));
    // What other tools call the name of a sample.
    let meant = (name == "name" && known.contains(&"label")).then_some("label");
    let remedy = match meant.or_else(|| nearest(name, known.iter().copied())) {
        Some(near) => Message::new("plan-unknown-key.nearest").with("nearest", near),
        None => Message::new("plan-unknown-key.remedy").with("allowed", known.join(", ")),
    };
    Problem::error(at, message).remedy(remedy)
}

/// A value of the wrong kind.
fn wrong_kind(node: &Node, kind: Kind) -> Problem {
    if let Some(problem) = node.plain().and_then(|it| full_width::in_text(it, node.at)) {
        return problem;
    }
    if node.is_null() {
        let message = Message::new("plan-no-value");
        let remedy = Message::new("plan-expected").with("expected", expected(kind));
        return Problem::error(node.at, message).remedy(remedy);
    }
    let found = match &node.value {
        Value::Scalar { text, .. } => Message::new("plan-found-text").with("text", shown(text)),
        Value::List(_) => Message::new("plan-found-list"),
        Value::Map(_) => Message::new("plan-found-map"),
    };
    let message = Message::new("plan-wrong-kind").with("found", found);
    let remedy = Message::new(special_remedy(node, kind).unwrap_or("plan-expected"));
    Problem::error(node.at, message).remedy(remedy.with("expected", expected(kind)))
}

/// Slips that deserve a word of their own.
fn special_remedy(node: &Node, kind: Kind) -> Option<&'static str> {
    let mut leaves = Vec::new();
    leaves_of(kind, &mut leaves);
    let text = node.scalar()?;
    if matches!(kind, Kind::Tagged(tagged) if tagged.id == "read-back") && text == "nothing" {
        return Some("study-read-back-nothing");
    }
    if is_template(text) && !leaves.iter().any(|leaf| leaf.takes_variables()) {
        return Some("plan-no-variables-here");
    }
    let number = text.parse::<f64>().is_ok();
    if number
        && leaves
            .iter()
            .any(|leaf| leaf.id == "duration" || leaf.id == "pause")
    {
        return Some("plan-duration-unit");
    }
    if number && leaves.iter().any(|leaf| leaf.id.starts_with("rate")) {
        return Some("plan-rate-unit");
    }
    let quoted = matches!(node.value, Value::Scalar { plain: false, .. });
    if quoted
        && leaves
            .iter()
            .any(|leaf| matches!(leaf.accept, Accept::Int(..) | Accept::Bool))
    {
        return Some("plan-no-quotes-here");
    }
    None
}

fn leaves_of(kind: Kind, into: &mut Vec<&'static Leaf>) {
    match kind {
        Kind::Leaf(leaf) => into.push(leaf),
        Kind::OneOf(kinds) => kinds.iter().for_each(|kind| leaves_of(kind(), into)),
        _ => {}
    }
}

/// What a kind wants, in words.
pub(crate) fn expected(kind: Kind) -> Message {
    match kind {
        Kind::Any => Message::new("plan-kind-any"),
        Kind::Leaf(leaf) => match leaf.accept {
            Accept::Int(min, max) if max < i64::MAX && max != i64::from(u32::MAX) => {
                Message::new("plan-kind-int")
                    .with("min", min)
                    .with("max", max)
            }
            _ => Message::new(format!("plan-kind-{}", leaf.id)),
        },
        Kind::Word(words) => Message::new("plan-kind-word").with("allowed", words.join(", ")),
        Kind::Object(object) => {
            let keys: Vec<&str> = object.keys().map(|key| key.name).collect();
            Message::new("plan-kind-object").with("keys", keys.join(", "))
        }
        Kind::Tagged(tagged) => {
            let keys: Vec<&str> = tagged.tags().collect();
            Message::new("plan-kind-tagged").with("keys", keys.join(", "))
        }
        Kind::List(item) => Message::new("plan-kind-list").with("item", expected(item())),
        Kind::Map(value) => Message::new("plan-kind-map").with("value", expected(value())),
        Kind::OneOf(kinds) => kinds
            .iter()
            .map(|kind| expected(kind()))
            .reduce(|a, b| {
                Message::new("plan-kind-or")
                    .with("first", a)
                    .with("second", b)
            })
            .unwrap_or_else(|| Message::new("plan-kind-any")),
    }
}

/// Checks a whole document: a plan, or a study.
pub(crate) fn check_root(root: &Node, object: &Object, problems: &mut Vec<Problem>) {
    let id = object.id;
    if root.is_null() {
        let message = Message::new(format!("{id}-empty"));
        problems.push(Problem::mistake(root.at, message));
        return;
    }
    match root.map() {
        Some(_) => check_object(root, object, problems),
        None => {
            let message = Message::new(format!("{id}-not-a-mapping"));
            let remedy = Message::new(format!("{id}-empty.remedy"));
            problems.push(Problem::error(root.at, message).remedy(remedy));
        }
    }
}
