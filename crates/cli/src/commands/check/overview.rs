//! What a plan will do, before how: its load, how long it takes, what it is judged by.

use plimsoll_plan::model::{Block, Scenario, StepKind};
use plimsoll_report::{duration, load_text, named};
use plimsoll_run::session::secrets_of;
use plimsoll_run::{ReadyPlan, load_in_words, planned};
use plimsoll_text::{Lang, Message, render};

/// Most requests that are named.
const REQUESTS: usize = 20;

/// The overview as text of at most that many columns.
pub fn text(ready: &ReadyPlan, columns: usize, lang: Lang) -> String {
    let say = |id: &str| render(lang, &Message::new(id.to_owned()));
    let plan = &ready.plan;
    let users: u64 = plan.scenarios.iter().map(|it| it.load.most_users()).sum();
    let length = match planned(ready) {
        Some(length) => duration(length.as_secs_f64()),
        None => say("check-until-done"),
    };
    let mut facts = vec![
        ("check-plan", plan.name.clone()),
        ("check-target", ready.target.clone()),
        ("check-users", users.to_string()),
        ("check-duration", length),
    ];
    if !plan.warm_up.is_zero() {
        facts.push(("check-warm-up", duration(plan.warm_up.as_secs_f64())));
    }
    let goals = plan.goals.iter().map(|spec| spec.goal.to_string());
    let goals: Vec<String> = goals.collect();
    facts.extend(match goals.is_empty() {
        true => vec![("check-goals", say("check-no-goals"))],
        false => once(goals, "check-goals"),
    });
    let load = |scenario: &Scenario| {
        let load = load_text(&load_in_words(&scenario.load), lang);
        let message = Message::new("check-scenario").with("name", scenario.name.as_str());
        render(lang, &message.with("load", load))
    };
    facts.extend(once(plan.scenarios.iter().map(load), "check-scenarios"));
    let requests = requests(ready, lang);
    facts.extend(once(requests, "check-requests"));
    let facts: Vec<(String, String)> = facts
        .into_iter()
        .map(|(id, value)| {
            (
                if id.is_empty() {
                    String::new()
                } else {
                    say(id)
                },
                value,
            )
        })
        .collect();
    named(&facts, columns)
}

/// Values under each other, the first of them behind the name.
fn once(
    values: impl IntoIterator<Item = String>,
    name: &'static str,
) -> Vec<(&'static str, String)> {
    let names = std::iter::once(name).chain(std::iter::repeat(""));
    names.zip(values).collect()
}

/// The requests of an iteration as they are written, the first ones.
fn requests(ready: &ReadyPlan, lang: Lang) -> Vec<String> {
    let mut all = Vec::new();
    for scenario in &ready.plan.scenarios {
        collect(&scenario.body, &mut all);
    }
    let secrets = secrets_of(&ready.plan);
    let left = all.len().saturating_sub(REQUESTS);
    all.truncate(REQUESTS);
    let mut shown: Vec<String> = all.iter().map(|it| secrets.text(it).into_owned()).collect();
    if left > 0 {
        let more = Message::new("check-more-requests").with("count", left);
        shown.push(render(lang, &more));
    }
    shown
}

fn collect(block: &Block, all: &mut Vec<String>) {
    for step in block.steps.iter().filter(|step| step.enabled) {
        match &step.kind {
            StepKind::Http(request) => {
                all.push(format!("{} {}", request.method.raw, request.url.raw));
            }
            StepKind::Sample(sampler) => all.push(sampler.label.raw.clone()),
            kind => kind
                .blocks()
                .into_iter()
                .for_each(|body| collect(body, all)),
        }
    }
}
