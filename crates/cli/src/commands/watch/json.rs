//! A line of JSON for programs (`schema/watch.schema.json`). Never localised.

use plimsoll_stats::series::{Fact, SeriesKey, SeriesKind};
use plimsoll_store::rfc3339;
use plimsoll_text::{Lang, Message, render};
use plimsoll_watch::NoteKind;
use serde_json::{Value, json};

use super::state::{Latest, SaidAt, WatchState};

/// The line for now; facts and notes are those since the line before.
pub(super) fn line(state: &mut WatchState) -> Value {
    let facts: Vec<Value> = state.take_facts().iter().map(fact).collect();
    let notes: Vec<Value> = state.take_notes().iter().map(note).collect();
    let series: Vec<Value> = state.series().map(series).collect();
    let failing = state
        .troubles()
        .iter()
        .map(|(about, trouble)| json!({"source": about, "message": message(trouble)}));
    json!({
        "version": 1,
        "at": rfc3339(state.now_ns()),
        "series": series,
        "facts": facts,
        "notes": notes,
        "failing": failing.collect::<Vec<_>>(),
    })
}

fn series((key, latest): (&SeriesKey, &Latest)) -> Value {
    let attributes = key.attributes.iter();
    let attributes = attributes.map(|(name, value)| (name.clone().into_owned(), json!(value)));
    let mut line = json!({
        "entity": *key.entity,
        "name": key.name,
        "attributes": attributes.collect::<serde_json::Map<_, _>>(),
        "unit": key.unit,
        "kind": key.kind,
        "at": rfc3339(latest.at_unix_ns),
        "value": latest.value,
    });
    if key.kind == SeriesKind::Counter {
        line["rate"] = json!(latest.rate);
    }
    line
}

fn fact(fact: &Fact) -> Value {
    json!({"entity": *fact.entity, "name": fact.name, "value": fact.value})
}

fn note(said: &SaidAt) -> Value {
    let kind = match said.note.kind {
        NoteKind::Event => "event",
        NoteKind::Missing => "missing",
    };
    json!({
        "at": rfc3339(said.at_unix_ns),
        "entity": *said.note.entity,
        "kind": kind,
        "message": message(&said.note.message),
    })
}

fn message(message: &Message) -> Value {
    json!({"id": message.id, "text": render(Lang::En, message)})
}
