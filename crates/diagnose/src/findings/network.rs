//! The network: links that are full or lose packets, connections that are made too often or
//! never closed.

mod close_wait;
mod delay;
pub(super) mod held_pieces;
mod link;
pub(super) mod split_responses;
mod upstream;

use super::Rule;
use crate::model::Finding;
use crate::scene::Scene;

pub const RULE: Rule = Rule {
    ids: &[
        "network_full",
        "packet_loss",
        "upstream_short_connections",
        "close_wait",
        split_responses::ID,
        held_pieces::ID,
        delay::ID,
    ],
    refuted_by: "bytes of the requests that are far below the link's, packets that were sent again by others, acknowledgements that come at once, or packets that are at once where they are sent to",
    look,
};

fn look(scene: &Scene<'_>) -> Vec<Finding> {
    let mut found = link::full(scene);
    if found.is_empty() {
        found.extend(link::losses(scene));
    }
    found.extend(upstream::find(scene));
    found.extend(close_wait::find(scene));
    found.extend(split_responses::find(scene));
    found.extend(held_pieces::find(scene));
    found.extend(delay::find(scene));
    found
}

#[cfg(test)]
mod tests;
