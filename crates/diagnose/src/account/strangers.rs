//! Processes beside the target that serve others than the load: what they call says nothing of its requests.

use std::collections::BTreeSet;

use super::seen::{Whose, Wire};

/// Takes out the calls of such processes, and the processes. Nothing is taken out where no request of the load was
/// seen.
pub(super) fn leave_out(wire: &mut Wire) {
    let reached = reached(wire);
    if reached.is_empty() {
        return;
    }
    let strangers: BTreeSet<Whose> = wire
        .hops
        .iter()
        .map(|hop| &hop.server)
        .filter(|server| is_stranger(wire, &reached, server))
        .cloned()
        .collect();
    wire.hops.retain(|hop| !strangers.contains(&hop.client));
    wire.processes
        .retain(|seen| !strangers.contains(&seen.whose));
}

/// Whoever gets the load's requests, directly or by calls, and whoever takes work that these leave for him.
fn reached(wire: &Wire) -> BTreeSet<Whose> {
    let mut reached: BTreeSet<Whose> = BTreeSet::new();
    loop {
        let mut grew = false;
        for hop in &wire.hops {
            let next = if hop.is_generator || reached.contains(&hop.client) {
                &hop.server
            } else if hop.waits.is_some() && reached.contains(&hop.server) {
                &hop.client
            } else {
                continue;
            };
            grew |= next.is_known() && reached.insert(next.clone());
        }
        if !grew {
            return reached;
        }
    }
}

/// One that is called, and by nobody but processes that are known and get none of the load's requests. One that
/// nobody was seen to call may get its work in another way.
fn is_stranger(wire: &Wire, reached: &BTreeSet<Whose>, server: &Whose) -> bool {
    let mut callers = wire.hops.iter().filter(|hop| hop.server == *server);
    server.is_known() && !reached.contains(server) && callers.all(|hop| hop.client.is_known())
}
