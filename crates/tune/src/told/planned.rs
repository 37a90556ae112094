//! What a study would do, without doing it.

use plimsoll_text::{Lang, Message, render};

use super::document::changes;
use crate::space::{Configuration, Domain};
use crate::target::{Fragment, Place, Prepared, fragments_of, planned_commands};

/// Every command, and what each knob changes at both ends of its range or with each of its values.
///
/// # Errors
/// A file that cannot be read, or a value that cannot be written there.
pub fn planned(prepared: &Prepared, lang: Lang) -> Result<String, Message> {
    let say = |message: Message| format!("{}\n", render(lang, &message));
    let mut text = String::new();
    for component in &prepared.study.components {
        text.push_str(&say(
            Message::new("tune-plan-component").with("name", component.name.as_str())
        ));
        if let Some(agent) = &component.agent {
            text.push_str(&say(
                Message::new("tune-plan-agent").with("agent", agent_of(&agent.raw))
            ));
        }
        let given = [&component.start, &component.stop, &component.reload];
        let given = given
            .into_iter()
            .flatten()
            .map(|command| command.raw.clone());
        let made = planned_commands(component).into_iter().flatten().flatten();
        for command in given.chain(made) {
            text.push_str(&format!("  {}\n", plimsoll_secrets::text(&command)));
        }
    }
    if let Some(reset) = &prepared.study.reset {
        text.push_str(&say(Message::new("tune-plan-reset")));
        text.push_str(&format!("  {}\n", plimsoll_secrets::text(&reset.raw)));
    }
    let unchanged = Configuration::unchanged(prepared.space.knobs.len());
    for (at, knob) in prepared.space.knobs.iter().enumerate() {
        text.push_str(&say(
            Message::new("tune-plan-knob").with("name", knob.name.as_str())
        ));
        let values = match &knob.domain {
            Domain::Choice(values) => values.clone(),
            number @ Domain::Number { .. } => vec![number.at(0.0), number.at(1.0)],
        };
        for (number, value) in values.into_iter().enumerate() {
            let of = unchanged.with(at, Some(value));
            let fragments = fragments_of(prepared, &of)?;
            if number == 0 && is_added(&prepared.knobs[at].place, &fragments) {
                text.push_str(&say(Message::new("tune-plan-added")));
            }
            text.push_str(&changes(&fragments));
            text.push('\n');
        }
    }
    Ok(text)
}

/// Whether what is written to a file takes the place of nothing: a key that is new, or misspelt.
fn is_added(place: &Place, fragments: &[Fragment]) -> bool {
    let mut lines = fragments.iter().flat_map(|fragment| &fragment.lines);
    let takes_a_place = lines.any(|line| line.starts_with('-'));
    matches!(place, Place::File { .. }) && !fragments.is_empty() && !takes_a_place
}

/// An agent without its options: one of them names a secret's file.
fn agent_of(raw: &str) -> &str {
    raw.split(',').next().unwrap_or_default()
}
