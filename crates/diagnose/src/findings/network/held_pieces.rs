//! Calls whose requests or responses are sent in several writes: by the packets of a hop, the sender held a piece
//! back until the one before was acknowledged (Nagle's algorithm), and the receiver acknowledged late, as it waited
//! for the rest. Neither process computes or is full, whatever the protocol.

use plimsoll_text::Message;

use crate::about::seen_by_client;
use crate::account::{AccountPlateau, CallsOfKind, FullPlace, HeldCalls, calls_by_kind};
use crate::figures::{percent, tenths};
use crate::model::{Advice, Exhibit, Explains, Finding, FindingObject, Layer, ShareOf};
use crate::scene::Scene;

pub(super) const ID: &str = "held_pieces";
/// The least share of the response time that is worth a word.
const LEAST: f64 = 0.1;
/// So many a second at least: one of now and then is of a resend or of a client that pauses.
const LEAST_PER_S: f64 = 1.0;
/// From this share on, what looks like a limit of the processes at the hop's ends is this wait.
const MOSTLY: f64 = 0.5;

/// What is held back at any hop.
pub(super) fn find(scene: &Scene<'_>) -> Vec<Finding> {
    let all = calls_by_kind(scene).into_iter();
    let sides = |calls: CallsOfKind| {
        let [requests, responses] = calls.held;
        let requests = finding(scene, &calls, ("requests", requests));
        let responses = finding(scene, &calls, ("responses", responses));
        requests.into_iter().chain(responses)
    };
    all.flat_map(sides).collect()
}

fn finding(scene: &Scene<'_>, calls: &CallsOfKind, side: (&str, HeldCalls)) -> Option<Finding> {
    let (what, held) = side;
    let all = scene.account()?.in_flight;
    let own = (held.waiting / all.max(1e-9)).min(1.0);
    if own < LEAST || held.per_s < LEAST_PER_S {
        return None;
    }
    // Who waits before calls that are all as many as may be waits for the same.
    let before = before(scene, calls, held);
    let waiting = before.map_or(0.0, |place| place.waiting);
    let share = ((held.waiting + waiting) / all.max(1e-9)).min(1.0);
    let (sender, receiver) = match what {
        "requests" => (&calls.process, &calls.server),
        _ => (&calls.server, &calls.process),
    };
    let ms = tenths(held.waiting / held.per_s * 1e3);
    let about = FindingObject {
        host: calls.host.clone(),
        process: sender.clone(),
        ..seen_by_client("hop", format!("{} → {}", calls.process, calls.server))
    };
    let shows = Message::new("exhibit-held-pieces")
        .with("sender", sender.as_str())
        .with("receiver", receiver.as_str())
        .with("rate", tenths(held.per_s))
        .with("calls", tenths(calls.calls_per_s))
        .with("ms", ms)
        .with("percent", percent(own));
    let why = Message::new("advice-held-pieces").with("sender", sender.as_str());
    let explains = Explains::new(share, ShareOf::ResponseTime);
    let finding = Finding::new(ID, Layer::Cause, about, explains)
        .with("what", what)
        .with("sender", sender.as_str())
        .with("receiver", receiver.as_str())
        .with("ms", ms)
        .shows(Exhibit::new(shows))
        .shows_all(before.map(|place| Exhibit::new(place.message())))
        .advises(Advice::code(why));
    Some(Finding {
        confidence: 0.9,
        source: "RFC 896 (Nagle); RFC 1122, section 4.2.3.2 (delayed acknowledgements)",
        ..finding
    })
}

/// The place before these calls that is full of calls that wait for nothing but a piece.
fn before<'a>(
    scene: &'a Scene<'_>,
    calls: &CallsOfKind,
    held: HeldCalls,
) -> Option<&'a AccountPlateau> {
    let mut places = scene.account()?.plateaus.iter();
    let of_calls = |place: &&AccountPlateau| {
        place.place == FullPlace::Hop
            && (&place.process, &place.host, &place.peer)
                == (&calls.process, &calls.host, &calls.server)
            && held.waiting >= MOSTLY * place.number
    };
    places.find(of_calls)
}

/// Where most of the time is that wait, no process at the ends of the hop is full.
pub(in crate::findings) fn settle(found: &mut Vec<Finding>) {
    let held = found
        .iter()
        .filter(|one| one.id == ID && one.explains.share >= MOSTLY);
    let names: Vec<String> = held.map(|one| one.object.name.clone()).collect();
    found.retain(|one| {
        let is_end = names.iter().any(|hop| {
            let mut ends = hop.split(" → ");
            ends.any(|end| end == one.object.process)
        });
        !(is_end && one.id == "concurrency_limit")
    });
}
