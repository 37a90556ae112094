//! Packets that are long on their way between two processes, or are lost and sent again: neither process has the
//! request meanwhile, so that neither is to be changed.

use plimsoll_text::Message;

use crate::about::seen_by_client;
use crate::account::{AccountPart, transit_of};
use crate::figures::{hundredths, percent, tenths};
use crate::model::{Advice, Exhibit, Explains, Finding, FindingObject, Layer, ShareOf};
use crate::scene::Scene;

pub(super) const ID: &str = "network_delay";
/// The least share of the response time that is worth a word.
const LEAST: f64 = 0.1;
/// Packets that are lost are so many of a request's at least.
const LOST: f64 = 0.005;
/// And most requests are on their way for no more than this part of the mean: who is delayed on the way is so always.
const SELDOM: f64 = 0.5;

/// The ways between processes that take long.
pub(super) fn find(scene: &Scene<'_>) -> Vec<Finding> {
    let parts = scene.account().map_or(&[][..], |account| &account.parts);
    parts
        .iter()
        .filter_map(|part| finding(scene, part))
        .collect()
}

fn finding(scene: &Scene<'_>, part: &AccountPart) -> Option<Finding> {
    let transit = transit_of(scene, part)?;
    let share = (part.ms / scene.account()?.response_ms.max(1e-9)).min(1.0);
    if share < LEAST {
        return None;
    }
    let is_lost = transit.sent_again >= LOST && transit.median_ms <= SELDOM * transit.mean_ms;
    let what = if is_lost { "lost" } else { "late" };
    let about = FindingObject {
        host: part.host.clone(),
        process: part.process.clone(),
        ..seen_by_client("hop", format!("{} → {}", part.process, part.peer))
    };
    let seen = match transit.ways_ms {
        Some((there, back)) => Message::new("exhibit-network-delay")
            .with("there", tenths(there))
            .with("back", tenths(back)),
        None => Message::new("exhibit-network-longer").with("ms", tenths(transit.mean_ms)),
    };
    let shows = seen
        .with("client", part.process.as_str())
        .with("server", part.peer.as_str())
        .with("median", tenths(transit.median_ms))
        .with("again", hundredths(transit.sent_again))
        .with("percent", percent(share));
    let explains = Explains::new(share, ShareOf::ResponseTime);
    let finding = Finding::new(ID, Layer::Cause, about, explains)
        .with("what", what)
        .with("client", part.process.as_str())
        .with("server", part.peer.as_str())
        .with("ms", tenths(transit.mean_ms))
        .shows(Exhibit::new(shows))
        .advises(Advice::code(Message::new(format!("advice-network-{what}"))));
    Some(Finding {
        confidence: 0.9,
        source: "Little's law; RFC 6298, section 2",
        ..finding
    })
}
