//! What a study would do, without doing it.

use plimsoll_plan::study::ReadBackSpec;
use plimsoll_text::{Lang, Message, render};

use super::document::titled;
use crate::space::{Configuration, Domain};
use crate::target::{Fragment, Place, Prepared, TargetKnob, fragments_of, planned_commands};

/// The command or the query by which a knob's value is read back, where the study has one.
fn asked_of(knob: &TargetKnob) -> Option<(&'static str, &str)> {
    match knob.read_back.as_ref()? {
        ReadBackSpec::Command(command) => Some(("command", &command.raw)),
        ReadBackSpec::Sql(query) => Some(("sql", &query.raw)),
        _ => None,
    }
}

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
        let given = [
            ("start", &component.start),
            ("stop", &component.stop),
            ("reload", &component.reload),
            ("ready", &component.ready),
        ];
        for (key, command) in given {
            if let Some(command) = command {
                text.push_str(&format!(
                    "  {key}: {}\n",
                    plimsoll_secrets::text(&command.raw)
                ));
            }
        }
        for command in planned_commands(component).into_iter().flatten().flatten() {
            text.push_str(&format!("  {}\n", plimsoll_secrets::text(&command)));
        }
    }
    if let Some(reset) = &prepared.study.reset {
        text.push_str(&say(Message::new("tune-plan-reset")));
        text.push_str(&format!("  {}\n", plimsoll_secrets::text(&reset.raw)));
    }
    if prepared.of_start {
        text.push_str(&say(Message::new("tune-plan-advice-only")));
    }
    for at in 0..prepared.space.knobs.len() {
        text.push_str(&knob_planned(prepared, at, lang)?);
    }
    Ok(text)
}

/// What a knob changes, and how it is read back where the study says it.
fn knob_planned(prepared: &Prepared, at: usize, lang: Lang) -> Result<String, Message> {
    let say = |message: Message| format!("{}\n", render(lang, &message));
    let knob = &prepared.space.knobs[at];
    let unchanged = Configuration::unchanged(prepared.space.knobs.len());
    let mut text = say(Message::new("tune-plan-knob").with("name", knob.name.as_str()));
    if let Some((key, asked)) = asked_of(&prepared.knobs[at]) {
        let asked = plimsoll_secrets::text(asked);
        text.push_str(&format!("  read-back: {key}: {asked}\n"));
    }
    let values = match &knob.domain {
        Domain::Choice(values) => values.clone(),
        number @ Domain::Number { .. } => vec![number.at(0.0), number.at(1.0)],
    };
    let mut is_first = true;
    for value in values {
        if knob.found.as_ref() == Some(&value) {
            let value = knob.shown(&value);
            text.push_str(&say(
                Message::new("tune-plan-present").with("value", value.into_owned())
            ));
            continue;
        }
        let of = unchanged.with(at, Some(value));
        let fragments = fragments_of(prepared, &of)?;
        if is_first && is_added(&prepared.knobs[at].place, &fragments) {
            text.push_str(&say(Message::new("tune-plan-added")));
        }
        is_first = false;
        text.push_str(&titled(&fragments, &|of| title(of, lang)));
    }
    Ok(text)
}

/// What a change is of; what is no file, in the language.
fn title(of: &str, lang: Lang) -> String {
    for kind in ["start", "environment", "commands"] {
        if let Some(component) = of.strip_suffix(&format!(": {kind}")) {
            let message = Message::new("tune-plan-of").with("name", component);
            return render(lang, &message.with("kind", kind));
        }
    }
    of.to_owned()
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
