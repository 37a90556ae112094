//! What the account of the response time says of findings: what is not on the way limits nothing,
//! the deepest full place explains those before it, and where a rule knows more of a place than that it is
//! full, the rule's word comes first.

use plimsoll_text::Message;

use crate::account::Account;
use crate::model::{Exhibit, Finding, Layer, ShareOf};
use crate::rank::LEAST_SHARE;
use crate::scene::Scene;

/// Findings that the account gives itself.
const OWN: [&str; 3] = [LIMIT, LOOP, "waits_elsewhere"];
const LIMIT: &str = "concurrency_limit";
const LOOP: &str = "event_loop_blocked";
/// What is called often costs who calls it, too, however little of the time passes where it is called.
const CALLED_OFTEN: [&str; 2] = ["many_queries", "many_round_trips"];
/// So much of the response time must be accounted for to refute anything.
const SURE: f64 = 0.8;
/// A process in which less of the response time passes limits nothing.
const BESIDE: f64 = 0.1;

/// Settles findings by the account; each knows its process by now.
pub(super) fn settle(scene: &Scene<'_>, found: &mut [Finding]) {
    let Some(account) = scene.account() else {
        return;
    };
    refute(account, found);
    let own: Vec<Finding> = found
        .iter()
        .filter(|finding| is_own(finding) && limits(finding) && finding.layer == Layer::Cause)
        .cloned()
        .collect();
    for first in own {
        let depth = depth(account, &first).unwrap_or(0);
        // That full threads are event loops, of which more help nobody, is more than that they are full.
        let names_loops = |other: &Finding| {
            (other.id, first.id) == (LOOP, LIMIT) && other.object.process == first.object.process
        };
        let knows_more = |other: &&Finding| {
            limits(other)
                && (!is_own(other) || names_loops(other))
                && self::depth(account, other).is_none_or(|its| its >= depth)
        };
        if found.iter().any(|other| knows_more(&other)) {
            let is_first =
                |other: &&mut Finding| other.id == first.id && other.object == first.object;
            for own in found.iter_mut().filter(is_first) {
                own.layer = Layer::Hint;
            }
            continue;
        }
        let is_before = |other: &&mut Finding| limits(other) && !is_own(other);
        for before in found.iter_mut().filter(is_before) {
            hint(before, "exhibit-limited-below", &first.object.name);
        }
    }
}

fn is_own(finding: &Finding) -> bool {
    OWN.contains(&finding.id)
}

/// Whether a finding says of something that it limits throughput.
fn limits(finding: &Finding) -> bool {
    matches!(finding.layer, Layer::Cause | Layer::Resource)
        && matches!(
            finding.explains.of,
            ShareOf::ResponseTime | ShareOf::Throughput
        )
        && finding.explains.share >= LEAST_SHARE
}

/// Makes a finding a remark, and says why.
pub(super) fn hint(finding: &mut Finding, why: &'static str, name: &str) {
    finding
        .evidence
        .push(Exhibit::new(Message::new(why).with("name", name)));
    finding.layer = Layer::Hint;
}

/// How many processes lie before that of a finding on the way of a request.
fn depth(account: &Account, finding: &Finding) -> Option<usize> {
    let about = &finding.object;
    account.depth(&about.host, &about.process)
}

/// What is in a process in which hardly any of the response time passes limits nothing.
fn refute(account: &Account, found: &mut [Finding]) {
    if !account.is_by_packets || account.measured_share() < SURE {
        return;
    }
    for finding in found.iter_mut().filter(|finding| limits(finding)) {
        let (host, process) = (&finding.object.host, finding.object.process.clone());
        if process.is_empty() || is_own(finding) || CALLED_OFTEN.contains(&finding.id) {
            continue;
        }
        // What waits for another process has its time there; what a cache should have spared passes behind who asks it.
        let own_depth = account.depth(host, &process);
        let is_hop = ["hop", "cache"].contains(&finding.object.kind) && own_depth.is_some();
        let there = account.share(|part| {
            let is_behind = is_hop && account.depth(&part.host, &part.process) > own_depth;
            part.process == process && part.host == *host || part.peer == process || is_behind
        });
        if there < BESIDE {
            hint(finding, "exhibit-not-on-the-way", &process);
        }
    }
}
