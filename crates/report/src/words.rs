//! What a run keeps in English, in the language of a report: loads, and names of things that were watched.

use plimsoll_stats::series::Entity;
use plimsoll_text::{Lang, Message};

use crate::document::Say;

/// A thing that was watched.
#[must_use]
pub fn entity(entity: &Entity) -> Message {
    let kind = entity.kind.name().replace('_', "-");
    let id = match entity.name.as_str() {
        "" => "report-entity-host-only",
        _ => "report-entity",
    };
    Message::new(id)
        .with("kind", Message::new(format!("report-entity-{kind}")))
        .with("name", entity.name.as_str())
        .with("host", entity.host.as_str())
}

/// What stands before and after the figure of a part of a load, and its message.
const LOADS: [(&str, &str, &str); 6] = [
    ("users: ", "", "load-users"),
    ("ramp-up ", " s", "load-ramp-up"),
    ("hold ", " s", "load-hold"),
    ("iterations: ", "", "load-iterations"),
    ("iterations in all: ", "", "load-iterations-total"),
    ("at most ", " in flight", "load-max-in-flight"),
];

/// A load as a run keeps it, for a person.
#[must_use]
pub fn load_text(text: &str, lang: Lang) -> String {
    load(text, Say(lang))
}

/// A load as a run keeps it, such as `users: 50, ramp-up 10 s, hold 60 s`.
pub(crate) fn load(text: &str, say: Say) -> String {
    let stages = text.split("; ").map(|stage| {
        let parts = stage.split(", ").map(|part| load_part(part, say));
        parts.collect::<Vec<_>>().join(comma(say))
    });
    stages.collect::<Vec<_>>().join(semicolon(say))
}

fn load_part(part: &str, say: Say) -> String {
    let known = LOADS.iter().find_map(|(before, after, id)| {
        let figure = part.strip_prefix(before)?.strip_suffix(after)?;
        Some(Message::new(*id).with("figure", figure))
    });
    let rate = || {
        let (rate, seconds) = part.strip_prefix("rate: ")?.split_once(" for ")?;
        let message = Message::new("load-rate").with("rate", rate);
        Some(message.with("seconds", seconds.strip_suffix(" s")?))
    };
    known
        .or_else(rate)
        .map_or_else(|| part.to_owned(), |message| say.message(&message))
}

/// What stands between the parts of a list.
pub(crate) fn comma(say: Say) -> &'static str {
    match say.0 {
        Lang::En => ", ",
        Lang::Zh => "，",
    }
}

/// What stands between longer parts.
pub(crate) fn semicolon(say: Say) -> &'static str {
    match say.0 {
        Lang::En => "; ",
        Lang::Zh => "；",
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;

    #[test]
    fn loads_are_told_in_the_language_of_the_report() {
        let text = "users: 50, ramp-up 10 s, hold 60 s; iterations in all: 7";
        assert_eq!(load(text, Say(Lang::En)), text);
        assert_eq!(
            load(text, Say(Lang::Zh)),
            "用户数 50，加压 10 s，保持 60 s；总迭代数 7"
        );
        let rate = "rate: 5/s..50/s for 30 s; at most 100 in flight";
        assert_eq!(load(rate, Say(Lang::En)), rate);
        assert_eq!(
            load(rate, Say(Lang::Zh)),
            "到达率 5/s..50/s，持续 30 s；最多同时执行 100 个用户"
        );
        assert_eq!(load("whatever it is", Say(Lang::Zh)), "whatever it is");
    }
}
