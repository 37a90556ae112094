//! Code that pauses by itself, for a timer, a back-off or a poll: nothing is exhausted, and yet that is what takes
//! the time of a request.

use plimsoll_stats::series::Entity;
use plimsoll_text::{Arg, Message};

use super::Rule;
use super::concurrency_limit::waits_at;
use super::support::{full_cpu_of, with_example};
use crate::about::{object, seen_by_client};
use crate::account::{Account, AccountPart, PAUSES, PartKind, calls_of_each};
use crate::figures::{hundredths, percent, tenths};
use crate::model::{Advice, Exhibit, Explains, Finding, FindingObject, Layer, ShareOf};
use crate::plateau;
use crate::processes::process_of;
use crate::rank::rank;
use crate::scene::Scene;
use crate::stacks::{SeenThread, StackPlace, Stacks};

pub const ID: &str = "own_wait";
pub const RULE: Rule = Rule {
    ids: &[ID],
    refuted_by: "something else that limits, or a wait whose number of threads does not match the requests",
    look,
};

/// So much of the serving threads, or of the response time, must pause.
const MOSTLY: f64 = 0.5;
/// The process that is named has at least so much of the response time.
const LEAST_OF_ONE: f64 = 0.25;
/// A request calls so often or more: it may ask again.
const CALLS_AGAIN: f64 = 1.1;

fn look(scene: &Scene<'_>) -> Vec<Finding> {
    let mut found: Vec<Finding> = scene
        .stacks()
        .iter()
        .filter(|stacks| full_cpu_of(scene, &stacks.jvm).is_none())
        // Where more users bring no more throughput, it is not the code alone that waits.
        .filter(|stacks| plateau::of(scene).is_none() && stacks.queues().is_empty())
        .filter_map(|stacks| by_dumps(scene, stacks))
        .collect();
    let is_named = found.iter().any(|one| one.explains.share >= MOSTLY);
    let account = scene.account().filter(|_| !is_named);
    found.extend(account.and_then(|account| by_account(scene, account)));
    found
}

/// Where nothing else limits, the pause does, as far as users do not think in between: it is named as what takes the
/// time, and so it is never said that nothing does.
pub(super) fn lead(scene: &Scene<'_>, mut found: Vec<Finding>) -> Vec<Finding> {
    if found.iter().any(|finding| finding.layer != Layer::Hint) {
        return found;
    }
    let at_work = at_work(scene);
    // Of pauses in several processes the longest stands for all of them.
    let account = scene.account().filter(|account| shows_pauses(account));
    let together = account.map_or(0.0, |account| {
        account.share(|part| is_pause_of(account, part))
    });
    let is_of_most = |finding: &Finding| {
        let named = finding.id == ID && finding.object.kind == "process";
        is_most(finding, at_work) || named && together * at_work >= MOSTLY
    };
    let leads = |finding: &&mut Finding| is_of_most(finding) && is_pause(finding);
    if let Some(first) = found.iter_mut().find(leads) {
        first.layer = Layer::Cause;
        first.healthy = true;
    }
    rank(found)
}

/// What to do where code waits for something that nobody saw, and nothing else is said to limit.
pub(crate) fn unseen(scene: &Scene<'_>, found: &[Finding]) -> Option<Message> {
    let mut waits = found.iter().filter(|one| is_most(one, at_work(scene)));
    let first = waits.find(|one| one.layer == Layer::Hint && !is_pause(one))?;
    let text = Message::new("diagnosis-missing-waits");
    Some(
        text.with("percent", percent(first.explains.share))
            .with("object", first.object.name.as_str()),
    )
}

fn is_most(finding: &Finding, at_work: f64) -> bool {
    finding.id == ID && finding.explains.share * at_work >= MOSTLY
}

/// Whether it is known to be a pause, and no wait for what others have to do first.
fn is_pause(finding: &Finding) -> bool {
    finding.arg("how") == Some(&Arg::from("pause"))
}

/// The share of the time in which users wait for a response; 1 where that is not known.
pub(super) fn at_work(scene: &Scene<'_>) -> f64 {
    let in_flight = scene.in_flight();
    in_flight / users(scene).max(in_flight).max(1e-9)
}

/// The mean number of users; 0 where nobody counted them.
#[expect(clippy::cast_precision_loss, reason = "users of a load")]
fn users(scene: &Scene<'_>) -> f64 {
    let (sum, count) = scene.seconds().fold((0.0, 0.0), |(sum, count), second| {
        (sum + second.users as f64, count + 1.0)
    });
    sum / f64::max(count, 1.0)
}

/// A process in which requests are while nothing of it works for them, and none waits for another.
fn by_account(scene: &Scene<'_>, account: &Account) -> Option<Finding> {
    let pauses = |part: &AccountPart| is_pause_of(account, part);
    let is_limited = plateau::of(scene).is_some();
    if is_limited || !shows_pauses(account) || account.share(pauses) < MOSTLY {
        return None;
    }
    let own = |of: &AccountPart| paused_in(account, &of.host, &of.process);
    let all = account.parts.iter().filter(|part| pauses(part));
    let most = all.max_by(|a, b| own(a).total_cmp(&own(b)))?;
    let share = own(most);
    if share < LEAST_OF_ONE || most.process.is_empty() {
        return None;
    }
    let about = FindingObject {
        host: most.host.clone(),
        process: most.process.clone(),
        ..seen_by_client("process", most.process.as_str())
    };
    let why = Message::new("advice-own-pause").with("process", most.process.as_str());
    let explains = Explains::new(share, ShareOf::ResponseTime);
    let finding = Finding::new(ID, Layer::Hint, about, explains)
        .with("how", "pause")
        .shows(Exhibit::new(how_seen(account, most, share)))
        .shows_all(calls_again(scene, most))
        .shows_all(waits_at(scene, (&most.host, &most.process)))
        .advises(Advice::code(why));
    Some(Finding {
        confidence: 0.8,
        source: "Little's law over requests in flight",
        ..finding
    })
}

/// Whether requests in a process are known by packets, and in line nowhere.
const fn shows_pauses(account: &Account) -> bool {
    account.is_by_packets && account.plateaus.is_empty()
}

fn is_pause_of(account: &Account, part: &AccountPart) -> bool {
    let known = PAUSES.contains(&part.state);
    part.kind == PartKind::WaitingInside && (known || account.is_apart() && part.state.is_empty())
}

/// The share of the response time that requests pause in a process; 0 where that is not known.
pub(super) fn paused_in(account: &Account, host: &str, process: &str) -> f64 {
    if !shows_pauses(account) {
        return 0.0;
    }
    account.share(|part| is_pause_of(account, part) && part.process == process && part.host == host)
}

fn how_seen(account: &Account, part: &AccountPart, share: f64) -> Message {
    let id = match part.state {
        "" => "exhibit-own-pause",
        _ => "exhibit-own-sleep",
    };
    let text = Message::new(id)
        .with("process", part.process.as_str())
        .with("ms", tenths(share * account.response_ms))
        .with("of", tenths(account.response_ms));
    match account.together.message() {
        Some(apart) if part.state.is_empty() => text.with("apart", apart),
        _ => text,
    }
}

/// Whom its requests call more than once: what asks again waits in between.
fn calls_again(scene: &Scene<'_>, part: &AccountPart) -> Vec<Exhibit> {
    let calls = calls_of_each(scene, &part.host, &part.process).into_iter();
    let again = calls.filter(|(_, each)| *each >= CALLS_AGAIN);
    let told = again.map(|(server, each)| {
        let text = Message::new("exhibit-calls-each");
        Exhibit::new(text.with("server", server).with("each", hundredths(each)))
    });
    told.collect()
}

/// Whether a thread sleeps or waits by itself.
fn is_waiting(seen: &SeenThread) -> bool {
    matches!(seen.place, StackPlace::Sleep | StackPlace::Wait)
}

fn pause_exhibit(stacks: &Stacks, share: f64, code: &str) -> Exhibit {
    let text = Message::new("exhibit-own-wait")
        .with("percent", percent(share))
        .with("code", code);
    with_example(Exhibit::new(text), stacks, is_waiting)
}

/// Where the code of a JVM pauses, with a thread that does; nothing without dumps of it.
pub(super) fn pause_exhibits(scene: &Scene<'_>, process: &Entity) -> Vec<Exhibit> {
    let own = scene
        .stacks()
        .iter()
        .filter(|stacks| process_of(scene, &stacks.jvm).is_some_and(|one| one == *process));
    let waiting = own.filter(|stacks| stacks.count(is_waiting) >= 1.0);
    waiting
        .map(|stacks| {
            let code = stacks.code(is_waiting).unwrap_or_default();
            pause_exhibit(stacks, stacks.share(is_waiting), &code)
        })
        .collect()
}

/// Threads of a JVM that sleep or wait by themselves: nothing is exhausted; more users would bring more.
fn by_dumps(scene: &Scene<'_>, stacks: &Stacks) -> Option<Finding> {
    let share = stacks.share(is_waiting);
    if share < MOSTLY || stacks.count(is_waiting) < 1.0 || stacks.tasks.is_some() {
        return None;
    }
    let code = stacks.code(is_waiting).unwrap_or_default();
    // Only the time that threads work for requests: the rest is before and after them.
    let served = (stacks.busy() / scene.in_flight().max(1e-9)).min(1.0);
    let explains = Explains::new(share * served, ShareOf::ResponseTime);
    // Others may have to do something first: that more users bring more is known of pauses alone.
    let sleeps = stacks.at(StackPlace::Sleep) >= share / 2.0;
    let exhibit = pause_exhibit(stacks, share, &code);
    let finding = Finding::new(
        ID,
        Layer::Hint,
        object("method", code, &stacks.jvm),
        explains,
    )
    .with("how", if sleeps { "pause" } else { "wait" })
    .shows(exhibit)
    .advises(Advice::code(Message::new("advice-own-wait")));
    Some(Finding {
        confidence: 0.8,
        source: "Little's law over thread dumps",
        ..finding
    })
}
