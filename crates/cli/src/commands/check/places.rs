//! The table of a JMeter plan's elements and functions: where each runs, and what is lost.

use std::collections::HashMap;
use std::collections::hash_map::Entry;

use plimsoll_jmx::support::{Row, RunsIn, SupportKind};
use plimsoll_text::{Align, Lang, Message, Table, render};

/// The table, and a line that sums it up. Disabled elements are listed as such.
#[must_use]
pub fn text(rows: &[Row], installed: Option<&str>, columns: usize, lang: Lang) -> String {
    let say = |id: &'static str| render(lang, &Message::new(id));
    let heads = ["what", "name", "at", "where", "note"];
    let head = |name: &&str| {
        let message = Message::new(format!("jmeter-check-{name}"));
        (render(lang, &message), Align::Left)
    };
    let mut table = Table::new(heads.iter().map(head).collect());
    for (row, count) in together(rows) {
        let place = match (row.enabled, row.place) {
            (false, _) => "jmeter-check-disabled",
            (true, RunsIn::Native) => "jmeter-check-native",
            (true, RunsIn::Companion) => "jmeter-check-companion",
            (true, RunsIn::Unsupported) => "jmeter-check-unsupported",
        };
        let notes = [&row.lost, &row.instead].into_iter().flatten();
        let note: Vec<String> = notes.map(|message| render(lang, message)).collect();
        table.row(vec![
            shown_class(row, count),
            shorten(&row.name, count),
            place_of(row),
            say(place),
            note.join(" "),
        ]);
    }
    let count = |place: RunsIn| {
        let counted = rows.iter().filter(|row| row.enabled && row.place == place);
        counted.count()
    };
    let sum = Message::new("jmeter-check-sum")
        .with("native", count(RunsIn::Native))
        .with("companion", count(RunsIn::Companion))
        .with("unsupported", count(RunsIn::Unsupported));
    let mut text = format!(
        "{}\n{}\n",
        table.to_text_within(columns),
        render(lang, &sum)
    );
    if let (true, Some(reason)) = (count(RunsIn::Companion) > 0, installed) {
        text.push_str(reason);
        text.push('\n');
    }
    text.push('\n');
    text
}

/// Rows that are the same but for name and place, with how many there are, in the order of their
/// first ones.
fn together(rows: &[Row]) -> Vec<(&Row, usize)> {
    let mut all: Vec<(&Row, usize)> = Vec::new();
    let mut known = HashMap::new();
    for row in rows {
        let key = (row.kind, &row.class, row.enabled, row.place, &row.file);
        match known.entry(key) {
            Entry::Occupied(at) => {
                let at: usize = *at.get();
                all[at].1 += 1;
            }
            Entry::Vacant(entry) => {
                entry.insert(all.len());
                all.push((row, 1));
            }
        }
    }
    all
}

fn shown_class(row: &Row, count: usize) -> String {
    match row.kind {
        SupportKind::Element if count > 1 => format!("{} × {count}", row.class),
        SupportKind::Element => row.class.clone(),
        SupportKind::Function if row.uses > 1 => format!("${{{}}} × {}", row.class, row.uses),
        SupportKind::Function => format!("${{{}}}", row.class),
    }
}

fn place_of(row: &Row) -> String {
    match row.file.as_str() {
        "" => format!("{}:{}", row.at.line, row.at.column),
        file => format!("{file}:{}:{}", row.at.line, row.at.column),
    }
}

/// Longest name shown, in characters.
const LONGEST: usize = 40;

fn shorten(name: &str, count: usize) -> String {
    let line = name.lines().next().unwrap_or_default();
    match line.char_indices().nth(LONGEST) {
        Some((end, _)) => format!("{}…", &line[..end]),
        None if count > 1 => format!("{line} …"),
        None => line.to_owned(),
    }
}
