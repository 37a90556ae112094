//! The last place where secrets are taken out, and what would steer a terminal, whatever a collector
//! or capture says: nothing of a target goes on from here with one. Names of processes and threads,
//! command lines and messages of servers are the word of whoever runs them.

use std::borrow::Cow;
use std::sync::Arc;

use plimsoll_stats::series::{Entity, Fact, SeriesKey};
use plimsoll_text::{Arg, Message, printable};

use crate::capture::Artifact;

/// A message whose arguments hold no secrets and are printable.
pub(super) fn message(mut message: Message) -> Message {
    for (_, arg) in &mut message.args {
        match arg {
            Arg::Text(text) => {
                if let Cow::Owned(masked) = plimsoll_secrets::text(text) {
                    *text = masked;
                }
                make_printable(text);
            }
            Arg::Message(inner) => {
                let taken = std::mem::replace(&mut **inner, Message::new(""));
                **inner = self::message(taken);
            }
            Arg::Number(_) => {}
        }
    }
    message
}

/// A fact without secrets, that is printable.
pub(super) fn fact(mut fact: Fact) -> Fact {
    fact.value = plimsoll_secrets::value(&fact.name, &fact.value).into_owned();
    make_printable(&mut fact.value);
    make_printable(&mut fact.name);
    fact.entity = entity(fact.entity);
    fact
}

/// A thing with a printable name.
pub(super) fn entity(entity: Arc<Entity>) -> Arc<Entity> {
    match (printable(&entity.name), printable(&entity.host)) {
        (Cow::Borrowed(_), Cow::Borrowed(_)) => {}
        (name, host) => return Entity::new(entity.kind, name, host),
    }
    entity
}

/// Gives a series printable names.
pub(super) fn key(key: &mut SeriesKey) {
    key.entity = entity(Arc::clone(&key.entity));
    if let Cow::Owned(name) = printable(&key.name) {
        key.name = Cow::Owned(name);
    }
    for (_, value) in &mut key.attributes {
        make_printable(value);
    }
}

fn make_printable(text: &mut String) {
    if let Cow::Owned(changed) = printable(text) {
        *text = changed;
    }
}

/// A capture without secrets, if it is text.
pub(super) fn artifact(mut artifact: Artifact) -> Artifact {
    let kind = artifact.media_type.as_str();
    if (kind.starts_with("text/") || kind.starts_with("application/json"))
        && let Cow::Owned(masked) = plimsoll_secrets::bytes(&artifact.bytes)
    {
        artifact.bytes = masked;
    }
    artifact
}

#[cfg(test)]
mod tests {
    use plimsoll_stats::series::EntityKind;

    use super::*;
    use crate::collector::Look;
    use crate::names::process::THREAD_CPU_TIME;

    const ODD: &str = "java\u{1b}]0;x\u{7}";
    const PLAIN: &str = "java\u{fffd}]0;x\u{fffd}";

    #[test]
    fn what_a_process_calls_itself_steers_no_terminal() {
        let odd = Entity::new(EntityKind::Process, ODD, "h");
        let mut look = Look::at(1);
        let attributes = [("thread.id", "1"), ("thread.name", ODD)];
        look.value(&odd, &THREAD_CPU_TIME, &attributes, 1.0);
        let (mut parts, ..) = look.into_parts();
        let series = &mut parts[0].points[0].0;
        key(series);
        assert_eq!(series.entity.name, PLAIN);
        assert_eq!(series.attribute("thread.name"), Some(PLAIN));
        let inner = Message::new("watch-too-slow").with("seconds", ODD);
        let told = message(Message::new("watch-file-unreadable").with("reason", inner));
        assert!(!format!("{told:?}").contains("u{1b}"), "{told:?}");
        let told = fact(Fact {
            entity: odd,
            name: "process.command_line".to_owned(),
            value: ODD.to_owned(),
        });
        assert_eq!(
            (told.entity.name.as_str(), told.value.as_str()),
            (PLAIN, PLAIN)
        );
    }
}
