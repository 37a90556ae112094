//! Packets on their way between two processes: time that neither has a request.

use super::model::{AccountPart, PartKind};
use super::seen::{SeenHop, SeenTransit, Whose, Wire};
use super::wire;
use crate::scene::Scene;

impl SeenHop {
    /// The share of the time of its requests that these, or their responses, are on their way.
    fn share_in_transit(&self) -> f64 {
        let (Some(transit), Some(level)) = (&self.talk.transit, &self.in_flight) else {
            return 0.0;
        };
        let number = self.requests_per_s * transit.mean_ms / 1e3;
        (number / level.mean.max(1e-9)).clamp(0.0, 1.0)
    }
}

impl Wire {
    /// The same of the calls of a process to an address of another one.
    pub(super) fn share_in_transit(&self, client: &Whose, server: &Whose, address: &str) -> f64 {
        let mut hops = self.hops.iter();
        let of_calls = |hop: &&SeenHop| {
            hop.client == *client && hop.server == *server && hop.address == address
        };
        hops.find(of_calls).map_or(0.0, SeenHop::share_in_transit)
    }
}

/// What packets say of a part of the account that is the way between two processes.
pub(crate) fn transit_of<'s>(scene: &'s Scene<'_>, part: &AccountPart) -> Option<&'s SeenTransit> {
    if part.kind != PartKind::Network || part.peer.is_empty() {
        return None;
    }
    let hops = wire::read(scene)?.hops.iter();
    let of_part = hops.filter(|hop| {
        let (client, called) = (&hop.client, hop.called());
        client.process == part.process && client.host == part.host && called == part.peer
    });
    let most = of_part.max_by(|a, b| a.requests_per_s.total_cmp(&b.requests_per_s))?;
    most.talk.transit.as_ref()
}
