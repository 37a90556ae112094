//! The table of a JMeter plan's elements and functions: where each runs, and what is lost.

use plimsoll_jmx::support::{Kind, Place, Row};
use plimsoll_text::{Align, Lang, Message, Table, render};

/// The table, and a line that sums it up. Disabled elements are listed as such.
#[must_use]
pub fn text(rows: &[Row], installed: Option<&str>, lang: Lang) -> String {
    let say = |id: &'static str| render(lang, &Message::new(id));
    let heads = ["what", "name", "at", "where", "note"];
    let head = |name: &&str| {
        let message = Message::new(format!("jmeter-check-{name}"));
        (render(lang, &message), Align::Left)
    };
    let mut table = Table::new(heads.iter().map(head).collect());
    for row in rows {
        let place = match (row.enabled, row.place) {
            (false, _) => "jmeter-check-disabled",
            (true, Place::Native) => "jmeter-check-native",
            (true, Place::Companion) => "jmeter-check-companion",
            (true, Place::Unsupported) => "jmeter-check-unsupported",
        };
        let notes = [&row.lost, &row.instead].into_iter().flatten();
        let note: Vec<String> = notes.map(|message| render(lang, message)).collect();
        table.row(vec![
            shown_class(row),
            shorten(&row.name),
            place_of(row),
            say(place),
            note.join(" "),
        ]);
    }
    let count = |place: Place| {
        let counted = rows.iter().filter(|row| row.enabled && row.place == place);
        counted.count()
    };
    let sum = Message::new("jmeter-check-sum")
        .with("native", count(Place::Native))
        .with("companion", count(Place::Companion))
        .with("unsupported", count(Place::Unsupported));
    let mut text = format!("{}\n{}\n", table.to_text(), render(lang, &sum));
    if let (true, Some(reason)) = (count(Place::Companion) > 0, installed) {
        text.push_str(reason);
        text.push('\n');
    }
    text.push('\n');
    text
}

fn shown_class(row: &Row) -> String {
    match row.kind {
        Kind::Element => row.class.clone(),
        Kind::Function if row.uses > 1 => format!("${{{}}} × {}", row.class, row.uses),
        Kind::Function => format!("${{{}}}", row.class),
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

fn shorten(name: &str) -> String {
    let line = name.lines().next().unwrap_or_default();
    match line.char_indices().nth(LONGEST) {
        Some((end, _)) => format!("{}…", &line[..end]),
        None => line.to_owned(),
    }
}
