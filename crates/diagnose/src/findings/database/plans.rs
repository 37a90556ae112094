//! Plans of statements (`EXPLAIN`) in captures.

use plimsoll_text::Message;
use serde_json::Value;

use super::statement::{StatementUse, table};
use crate::model::Exhibit;
use crate::scene::Scene;

/// The plan of a statement: by its digest, else of a statement on the same table that ran when the
/// capture was taken.
pub(super) fn plan(scene: &Scene<'_>, statement: &StatementUse) -> Option<Exhibit> {
    let captures: Vec<_> = scene.captures("slow_queries").collect();
    captures.into_iter().rev().find_map(|capture| {
        let report: Value = serde_json::from_str(&capture.text).ok()?;
        let known = |of: &str, fits: &dyn Fn(&Value) -> bool| {
            let all = report[of].as_array()?;
            let mut fitting = all.iter().filter(|each| fits(each));
            fitting.find_map(|each| lines(&each["plan"]))
        };
        let same = |each: &Value| each["digest"] == statement.digest.as_str();
        let alike = |each: &Value| {
            let text = each["text"].as_str().unwrap_or_default();
            statement.table().is_some() && table(text) == statement.table()
        };
        let found = known("statements", &same).or_else(|| known("running", &alike));
        let exhibit = Exhibit::new(Message::new("exhibit-plan"));
        found.map(|lines| exhibit.capture(capture.number, lines))
    })
}

/// A line for each row of a plan.
fn lines(plan: &Value) -> Option<Vec<String>> {
    let rows = plan.as_array().filter(|rows| !rows.is_empty())?;
    let line = |row: &Value| {
        let shown = ["table", "type", "possible_keys", "key", "rows", "extra"];
        let pairs = shown.iter().filter_map(|name| {
            let value = match &row[*name] {
                Value::String(text) if !text.is_empty() => text.clone(),
                Value::Number(number) => number.to_string(),
                _ => return None,
            };
            Some(format!("{name}: {value}"))
        });
        pairs.collect::<Vec<_>>().join(", ")
    };
    Some(rows.iter().map(line).collect())
}

/// The table of the statements that ran most often when captures were taken, and one of these.
pub(super) fn running(scene: &Scene<'_>) -> Option<(String, Exhibit)> {
    let mut found: Vec<(String, usize, i64, String)> = Vec::new();
    for capture in scene.captures("slow_queries") {
        let Ok(report) = serde_json::from_str::<Value>(&capture.text) else {
            continue;
        };
        for each in report["running"].as_array().into_iter().flatten() {
            let text = each["text"].as_str().unwrap_or_default();
            let Some(name) = table(text) else { continue };
            match found.iter_mut().find(|known| known.0 == name) {
                Some(known) => known.1 += 1,
                None => found.push((name, 1, capture.number, text.to_owned())),
            }
        }
    }
    found.sort_by_key(|each| std::cmp::Reverse(each.1));
    let (name, _, number, text) = found.into_iter().next()?;
    let exhibit = Exhibit::new(Message::new("exhibit-running"));
    Some((name, exhibit.capture(number, vec![text])))
}
