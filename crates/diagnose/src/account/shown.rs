//! Whether the account shows that nothing limits. Nothing may be said to limit only where nearly all of the
//! response time is the target's own work, its own pauses or waiting for others, and no place is full.

use plimsoll_text::Message;

use super::model::{Account, AccountPart, PartKind};
use super::moment::captures;
use super::threads;
use crate::figures::tenths;
use crate::inside::ALONE;
use crate::model::{Finding, ShareOf};
use crate::plateau;
use crate::scene::Scene;

/// So much of the response time may be unexplained.
const UNEXPLAINED: f64 = 0.1;
/// Where so much of it passes in systems that nobody watches, one of them may limit.
const MOSTLY_ELSEWHERE: f64 = 0.5;
/// Those that have so much of it are named.
const NAMED_ELSEWHERE: f64 = 0.05;
/// What a thread does that is a pause of the code's own.
pub(crate) const PAUSES: [&str; 3] = ["sleep", "child", "pipe"];

/// What the account shows of what limits.
#[derive(Debug)]
pub(crate) enum Shown {
    /// Nobody looked at packets or threads.
    Unseen,
    /// Nothing limits.
    Nothing,
    /// Something may; what to do to know.
    Unknown(Message),
}

/// Findings that name a pause in which nothing is exhausted.
const NAMED_PAUSES: [&str; 2] = ["own_wait", "split_responses"];

/// What the account shows where no rule found what limits; pauses may have been found.
pub(crate) fn shown(scene: &Scene<'_>, found: &[Finding]) -> Shown {
    let Some(account) = scene.account() else {
        return Shown::Unseen;
    };
    let states = captures(scene, "thread_states");
    let looked = [
        !captures(scene, "wire").is_empty(),
        states.iter().any(|capture| threads::is_told(capture)),
    ];
    if !looked.contains(&true) {
        return Shown::Unseen;
    }
    if account.in_flight < ALONE {
        return Shown::Nothing;
    }
    if let Some(place) = account.plateaus.first() {
        return Shown::Unknown(place.message());
    }
    if plateau::rises(scene) {
        return Shown::Nothing;
    }
    // Packets and the kernel show that requests are inside; dumps and the load's times, what they wait for.
    let apart = account.is_apart();
    let unexplained = |part: &AccountPart| is_unexplained(part, apart);
    let share = account.share(unexplained) - named(found);
    let unwatched = |part: &AccountPart| part.kind == PartKind::WaitingFor && !apart;
    if share < UNEXPLAINED && account.share(unwatched) >= MOSTLY_ELSEWHERE {
        return Shown::Unknown(elsewhere(account));
    }
    match share < UNEXPLAINED {
        true => Shown::Nothing,
        false => Shown::Unknown(message(account, looked)),
    }
}

/// The share of the response time that named pauses explain.
fn named(found: &[Finding]) -> f64 {
    let pauses = found.iter().filter(|finding| {
        // What the account says itself of a process is counted as such.
        let by_rule = NAMED_PAUSES.contains(&finding.id) && finding.object.kind != "process";
        by_rule && finding.explains.of == ShareOf::ResponseTime
    });
    pauses.map(|finding| finding.explains.share).sum()
}

/// Whether nobody knows what requests do in a part. `apart`: they do not wait for each other, so that
/// waiting is a pause of their own.
fn is_unexplained(part: &AccountPart, apart: bool) -> bool {
    match part.kind {
        PartKind::Unaccounted => true,
        PartKind::WaitingInside => !apart && !PAUSES.contains(&part.state),
        _ => false,
    }
}

/// That most of the time passes in systems that nobody watches, and in which.
fn elsewhere(account: &Account) -> Message {
    let mut there: Vec<&AccountPart> = account
        .parts
        .iter()
        .filter(|part| part.kind == PartKind::WaitingFor)
        .collect();
    there.sort_by(|a, b| b.ms.total_cmp(&a.ms));
    let ms: f64 = there.iter().map(|part| part.ms).sum();
    let named = there
        .iter()
        .filter(|part| !part.peer.is_empty() && part.ms >= NAMED_ELSEWHERE * account.response_ms);
    let named: Vec<String> = named
        .map(|part| format!("{} ({} ms)", part.peer, tenths(part.ms)))
        .collect();
    Message::new("diagnosis-missing-elsewhere")
        .with("ms", tenths(ms))
        .with("of", tenths(account.response_ms))
        .with("any", if named.is_empty() { "no" } else { "yes" })
        .with("peers", named.join(", "))
}

/// How much is unexplained, where, and what to do to see it.
fn message(account: &Account, [packets, threads]: [bool; 2]) -> Message {
    let apart = account.is_apart();
    let unexplained = || {
        account
            .parts
            .iter()
            .filter(|part| is_unexplained(part, apart))
    };
    let all_ms: f64 = unexplained().map(|part| part.ms).sum();
    let largest = unexplained().max_by(|a, b| a.ms.total_cmp(&b.ms));
    let process = largest.map_or("", |part| part.process.as_str());
    let is_inside = largest.is_some_and(|part| part.kind == PartKind::WaitingInside);
    // Where all of it is accounted for, it is known where the time is, and not what is waited for there.
    if is_inside && packets && account.measured_share() >= 1.0 - UNEXPLAINED {
        return Message::new("diagnosis-missing-cause")
            .with("ms", tenths(all_ms))
            .with("of", tenths(account.response_ms))
            .with("process", process)
            .with("look", if threads { "load" } else { "threads" });
    }
    let look = match (is_inside, packets, threads) {
        (true, _, true) => "load",
        (true, _, false) => "threads",
        (false, false, _) => "packets",
        (false, true, false) => "threads",
        (false, true, true) => "process",
    };
    Message::new("diagnosis-missing-account")
        .with("ms", tenths(all_ms))
        .with("of", tenths(account.response_ms))
        .with("process", if process.is_empty() { "none" } else { process })
        .with("look", look)
}
