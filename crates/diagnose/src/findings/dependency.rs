//! Another system that requests wait for.

use plimsoll_stats::series::EntityKind;
use plimsoll_text::Message;

use super::support::with_example;
use super::{Rule, object};
use crate::cpu::{CpuUse, of, process_of};
use crate::model::{Advice, Exhibit, Explains, Finding, Layer, Of};
use crate::scene::Scene;
use crate::stacks::{Peer, Place, Seen, Stacks};

pub const RULE: Rule = Rule {
    ids: &["slow_dependency", "own_wait"],
    look,
};

/// So much of the serving threads must wait for it.
const MUCH: f64 = 0.5;

fn look(scene: &Scene<'_>) -> Vec<Finding> {
    let mut found = Vec::new();
    for stacks in scene.stacks() {
        let process = process_of(scene, &stacks.jvm);
        let full = process
            .and_then(|process| of(scene, &process))
            .is_some_and(|cpu| CpuUse::is_full(&cpu));
        if !full {
            found.extend(dependency(scene, stacks));
            found.extend(own_wait(stacks));
        }
    }
    found
}

fn dependency(scene: &Scene<'_>, stacks: &Stacks) -> Option<Finding> {
    let waits = |seen: &Seen| seen.place == Place::Peer(Peer::Service);
    let share = stacks.share(waits);
    if share < MUCH || stacks.count(waits) < 1.0 {
        return None;
    }
    let code = stacks.code(waits).unwrap_or_default();
    let (address, mean_ms) = slowest_call(scene).unwrap_or_default();
    let text = Message::new("exhibit-dependency")
        .with("percent", (share * 100.0).round())
        .with("code", code.as_str());
    let exhibit = with_example(Exhibit::new(text), stacks, waits);
    let explains = Explains {
        share,
        of: Of::ResponseTime,
    };
    let mut finding = Finding::new(
        "slow_dependency",
        Layer::Cause,
        object("hop", address.as_str(), &stacks.jvm),
        explains,
    )
    .with("code", code.as_str())
    .shows(exhibit);
    if mean_ms > 0.0 {
        let text = Message::new("exhibit-call-time")
            .with("address", address)
            .with("ms", (mean_ms * 10.0).round() / 10.0);
        finding = finding.shows(Exhibit::new(text).series("http.client.request.duration.sum"));
    }
    let why = Message::new("advice-slow-dependency").with("code", code);
    Some(Finding {
        confidence: 0.9,
        source: "Little's law over thread dumps; field case F28",
        ..finding.advises(Advice::code(why))
    })
}

/// The address whose calls take most of the time, with their mean time in ms.
fn slowest_call(scene: &Scene<'_>) -> Option<(String, f64)> {
    let clients = scene.things(EntityKind::Client).into_iter();
    let calls = clients.flat_map(|client| {
        let sums = scene
            .of(&client, "http.client.request.duration.sum")
            .by("server.address");
        let counts = scene
            .of(&client, "http.client.request.duration.count")
            .by("server.address");
        let both = sums.into_iter().filter_map(move |(address, sum)| {
            let (sum, count) = (sum.mean()?, counts.get(&address)?.mean()?);
            Some((address, sum, sum / count.max(1e-9) * 1e3))
        });
        both.collect::<Vec<_>>()
    });
    let most = calls.max_by(|a, b| a.1.total_cmp(&b.1));
    most.map(|(address, _, mean_ms)| (address, mean_ms))
}

/// A handler that sleeps or waits by itself: nothing is used up; more users would bring more.
fn own_wait(stacks: &Stacks) -> Option<Finding> {
    let waits = |seen: &Seen| matches!(seen.place, Place::Sleep | Place::Wait);
    let share = stacks.share(waits);
    if share < MUCH || stacks.count(waits) < 1.0 {
        return None;
    }
    let code = stacks.code(waits).unwrap_or_default();
    let explains = Explains {
        share,
        of: Of::ResponseTime,
    };
    let text = Message::new("exhibit-own-wait")
        .with("percent", (share * 100.0).round())
        .with("code", code.as_str());
    let exhibit = with_example(Exhibit::new(text), stacks, waits);
    let finding = Finding::new(
        "own_wait",
        Layer::Hint,
        object("method", code, &stacks.jvm),
        explains,
    )
    .shows(exhibit)
    .advises(Advice::code(Message::new("advice-own-wait")));
    Some(Finding {
        confidence: 0.8,
        source: "Little's law over thread dumps",
        ..finding
    })
}
