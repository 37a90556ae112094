//! A study of what a finding advises: the plan of its run, the setting with its value and the one to try, and what is
//! known of how the target is started. What is not known is said in it, for a person to fill in.

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use plimsoll_diagnose::{Advice, Diagnosis, Finding};
use plimsoll_knobs::{Knob, KnobUnit, KnobValue, Spelling, find, named};
use plimsoll_secrets::MASK;
use plimsoll_store::Run;
use plimsoll_text::{Lang, Message, render};
use serde::Serialize;
use url::Url;
use utoipa::ToSchema;

use crate::desk::SentFile;
use crate::problem::ApiError;

/// Users of a study whose run does not say them.
const USERS: u32 = 8;
/// Start commands that are shown to choose from.
const COMMANDS: usize = 10;

/// A study to begin with.
#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct ProposedStudy {
    /// Its text, YAML: `POST /studies` takes it. What is not known stands in it as a comment.
    study: String,
    /// What it names, to be sent with it; null: its plan is a URL.
    files: Option<Vec<SentFile>>,
}

/// What the text is made of.
struct StudyParts {
    plan: String,
    users: Option<u32>,
    ready: Option<String>,
    commands: Vec<String>,
    knob: &'static Knob,
    values: Vec<String>,
}

/// The study of a finding of a run: its place in the diagnosis, from 1.
///
/// # Errors
/// There is no such finding, or it advises no setting that is known by name.
pub(crate) fn proposed(
    run: &Run,
    diagnosis: &Diagnosis,
    number: usize,
    lang: Lang,
) -> Result<ProposedStudy, ApiError> {
    let finding = number
        .checked_sub(1)
        .and_then(|at| diagnosis.findings.get(at));
    let finding = finding.ok_or_else(|| {
        let message = Message::new("server-no-finding").with("number", number);
        ApiError::not_found(message.with("count", diagnosis.findings.len()))
    })?;
    let (knob, values) = setting(finding).ok_or_else(|| unnamed(finding))?;
    let meta = run.meta();
    let source = meta.plan_source.trim();
    let is_url = source.starts_with("http://") || source.starts_with("https://");
    let name = match source.starts_with('<') {
        true => "plan.jmx",
        false => "plan.yaml",
    };
    let parts = StudyParts {
        plan: if is_url { source } else { name }.to_owned(),
        users: is_url.then(|| {
            let loads = meta.scenarios.iter().map(|it| it.load.as_str());
            loads.filter_map(users_of).next().unwrap_or(USERS)
        }),
        ready: listens(&meta.target),
        commands: commands(run, &meta.target)?,
        knob,
        values,
    };
    let file = || SentFile {
        name: name.to_owned(),
        base64: STANDARD.encode(source),
    };
    Ok(ProposedStudy {
        study: parts.text(lang),
        files: (!is_url).then(|| vec![file()]),
    })
}

/// The first setting by name that a finding advises: its value now, if it is known, and the one to try.
fn setting(finding: &Finding) -> Option<(&'static Knob, Vec<String>)> {
    finding.advice.iter().find_map(|advice| {
        let (id, proposed) = advice.knob()?;
        let knob = find(id)?;
        let mut values: Vec<String> = current(advice, knob).into_iter().collect();
        values.extend(in_words(knob, &proposed));
        values.dedup();
        Some((knob, values))
    })
}

fn current(advice: &Advice, knob: &Knob) -> Option<String> {
    let (setting, text) = (advice.setting.as_ref()?, advice.current.as_ref()?);
    let (_, spelling) = named(setting)?;
    let value = knob.read(text, spelling);
    knob.check(&value).ok()?;
    in_words(knob, &value)
}

/// A value as studies write it.
fn in_words(knob: &Knob, value: &KnobValue) -> Option<String> {
    let spelling = match knob.unit {
        KnobUnit::Bytes => Spelling::Size,
        _ => Spelling::Plain,
    };
    knob.spell(value, spelling).ok()
}

/// Why there is no study of it.
fn unnamed(finding: &Finding) -> ApiError {
    let settings = finding.advice.iter().filter_map(|it| it.setting.clone());
    let settings: Vec<String> = settings.collect();
    let id = match settings.is_empty() {
        true => "server-finding-no-setting",
        false => "server-finding-unnamed",
    };
    ApiError::not_found(Message::new(id).with("settings", settings.join(", ")))
}

/// The users of a load in a plan's words: `users: 200, hold: 60 s`.
fn users_of(load: &str) -> Option<u32> {
    let (_, rest) = load.split_once("users: ")?;
    let end = rest.find(|c: char| !c.is_ascii_digit());
    rest[..end.unwrap_or(rest.len())].parse().ok()
}

/// Where a target listens: `HOST:PORT`.
fn listens(target: &str) -> Option<String> {
    let url = Url::parse(target).ok()?;
    Some(format!(
        "{}:{}",
        url.host_str()?,
        url.port_or_known_default()?
    ))
}

/// The commands of the processes that were watched: that of the one which listens at the target's port alone, if it is
/// known.
fn commands(run: &Run, target: &str) -> Result<Vec<String>, ApiError> {
    let port = Url::parse(target)
        .ok()
        .and_then(|url| url.port_or_known_default());
    let mut found: Vec<(bool, String)> = Vec::new();
    for record in run.facts()? {
        let fact = record.fact;
        if fact.name == "process.command_line" {
            let is_target =
                port.is_some_and(|port| fact.entity.name.ends_with(&format!("[{port}]")));
            found.push((is_target, fact.value));
        }
    }
    if found.iter().any(|(is_target, _)| *is_target) {
        found.retain(|(is_target, _)| *is_target);
    }
    let mut commands: Vec<String> = found.into_iter().map(|(_, line)| line).collect();
    commands.sort();
    commands.dedup();
    commands.truncate(COMMANDS);
    Ok(commands)
}

/// A text as YAML writes it on one line: JSON's strings are YAML's.
fn quoted(text: &str) -> String {
    serde_json::to_string(text).unwrap_or_default()
}

impl StudyParts {
    fn text(&self, lang: Lang) -> String {
        let mut text = String::new();
        let note = |text: &mut String, indent: &str, message: Message| {
            for line in render(lang, &message).lines() {
                text.push_str(&format!("{indent}# {line}\n"));
            }
        };
        note(&mut text, "", Message::new("server-study-made"));
        text.push_str(&format!(
            "name: {}\nplan: {}\n",
            quoted(self.knob.id),
            quoted(&self.plan)
        ));
        if let Some(users) = self.users {
            text.push_str(&format!("users: {users}\n"));
        }
        text.push_str("components:\n  target:\n");
        let start = |command: &String| format!("start: {}\n", quoted(command));
        match self.commands.as_slice() {
            [] => note(&mut text, "    ", Message::new("server-study-no-command")),
            [command] => {
                if command.contains(MASK) {
                    note(&mut text, "    ", Message::new("server-study-masked"));
                }
                text.push_str(&format!("    {}", start(command)));
            }
            commands => {
                note(&mut text, "    ", Message::new("server-study-commands"));
                for command in commands {
                    text.push_str(&format!("    # {}", start(command)));
                }
            }
        }
        match &self.ready {
            Some(ready) => text.push_str(&format!("    ready: {}\n", quoted(ready))),
            None => note(&mut text, "    ", Message::new("server-study-no-ready")),
        }
        text.push_str("    watch: [auto]\n");
        let values: Vec<String> = self.values.iter().map(|value| quoted(value)).collect();
        text.push_str(&format!(
            "knobs:\n  {}:\n    values: [{}]\n",
            self.knob.id,
            values.join(", ")
        ));
        text
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use plimsoll_plan::parse_study;
    use proptest::prelude::*;

    use super::*;

    fn parts(commands: Vec<String>) -> StudyParts {
        StudyParts {
            plan: "http://127.0.0.1:8080/".to_owned(),
            users: Some(12),
            ready: listens("http://127.0.0.1:8080/shop"),
            commands,
            knob: find("tomcat.threads.max").unwrap(),
            values: vec!["2".to_owned(), "24".to_owned()],
        }
    }

    #[test]
    fn what_is_not_known_is_a_comment() {
        for lang in Lang::ALL {
            let two = vec!["java -jar a.jar".to_owned(), "nginx".to_owned()];
            for commands in [Vec::new(), two] {
                let parts = parts(commands);
                let text = parts.text(lang);
                assert!(text.contains("    # "), "{text}");
                for command in &parts.commands {
                    assert!(text.contains(&format!("# start: \"{command}\"")), "{text}");
                }
                // It is asked for, at its place, and nothing else is.
                let wrong = parse_study(&text, "").unwrap_err();
                assert_eq!(wrong.len(), 1, "{wrong:?}");
                let said = format!("{:?}", wrong[0].message);
                assert!(said.contains("plan-one-key-needed"), "{said}");
            }
        }
        assert_eq!(users_of("users: 200, hold: 60 s"), Some(200));
        assert_eq!(users_of("rate: 50/s"), None);
        assert_eq!(listens("jdbc:mysql://x"), None);
    }

    proptest! {
        /// Whatever a command line holds, the study is read, and has it.
        #[test]
        fn any_command_is_a_text(command in "[!-~]\\PC{0,200}") {
            let text = parts(vec![command.clone()]).text(Lang::En);
            let (study, _) = parse_study(&text, "").unwrap();
            prop_assert_eq!(&study.components[0].start.as_ref().unwrap().raw, &command);
            prop_assert_eq!(study.knobs[0].values.len(), 2);
        }
    }
}
