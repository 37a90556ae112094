//! An event loop that is busy or blocked all the time: all that it serves waits for it.

use plimsoll_stats::series::{Entity, EntityKind};
use plimsoll_text::Message;

use super::Rule;
use crate::about::object;
use crate::account::{Account, AccountPlateau, EventLoopState, FullPlace, thread_states};
use crate::figures::{percent, tenths};
use crate::model::{Advice, Exhibit, Explains, Finding, Layer, ShareOf};
use crate::scene::Scene;

pub const RULE: Rule = Rule {
    ids: &["event_loop_blocked"],
    refuted_by: "a loop that is in its poll for more of the time than would be left",
    look,
};

/// A thread that sleeps waits for nobody: it looks for work at times of its own, or pauses.
const ASLEEP: &str = "sleep";

fn look(scene: &Scene<'_>) -> Vec<Finding> {
    let Some(account) = scene.account() else {
        return Vec::new();
    };
    let limits = |place: &&AccountPlateau| place.deepest && place.place == FullPlace::EventLoop;
    let found = account.plateaus.iter().filter(limits);
    found
        .filter_map(|place| finding(scene, account, place))
        .collect()
}

fn finding(scene: &Scene<'_>, account: &Account, place: &AccountPlateau) -> Option<Finding> {
    let process = Entity::new(
        EntityKind::Process,
        place.process.as_str(),
        place.host.as_str(),
    );
    let states = thread_states(scene, &process)?;
    let own = |one: &&EventLoopState| one.thread == place.peer;
    let one = states.event_loops.iter().find(own)?;
    // A thread that is ready to run and has no CPU does not run.
    let is_blocked = one.blocked > one.running + one.runnable;
    let how = if is_blocked && one.blocked_in == ASLEEP {
        "asleep"
    } else if is_blocked {
        "blocked"
    } else if one.runnable > one.running {
        "wanting"
    } else {
        "running"
    };
    let blocked_in = match one.blocked_in.as_str() {
        "" => "other",
        call => call,
    };
    let each_ms = place.number * one.busy() * 1e3 / account.requests_per_s.max(1e-9);
    let split = Message::new("exhibit-event-loop")
        .with("thread", one.thread.as_str())
        .with("running", percent(one.running))
        .with("runnable", percent(one.runnable))
        .with("blocked", percent(one.blocked))
        .with("call", blocked_in)
        .with("ms", tenths(each_ms));
    let share = account.share_waiting(place);
    let why = Message::new("advice-event-loop").with("how", how);
    let finding = Finding::new(
        "event_loop_blocked",
        Layer::Cause,
        object("event_loop", place.process.as_str(), &process),
        Explains::new(share, ShareOf::ResponseTime),
    )
    .with("how", how)
    .with("call", blocked_in)
    .with("number", place.number)
    .with("busy", percent(place.share_of_time))
    .with("waiting", tenths(place.waiting))
    .shows(Exhibit::new(place.message()))
    .shows(Exhibit::new(split).capture(states.capture, Vec::new()))
    .advises(Advice::code(why));
    Some(Finding {
        confidence: 0.9,
        source: "utilization law over the states of the event loop's thread",
        ..finding
    })
}
