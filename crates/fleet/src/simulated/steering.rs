//! The load of a run is changed while workers make it.

use super::share::{LOAD_S, PER_S};
use super::{S, World, pass, settings, world};
use crate::wire::Change;

/// From 20 s on each share is to make three times as much.
const FROM_S: u64 = 20;
const CHANGED: u64 = 3 * PER_S * (FROM_S + 3 * (LOAD_S - FROM_S));

impl World {
    fn change(&self) {
        self.wanted.borrow_mut().push(Change {
            at_ns: FROM_S * S,
            what: "3".to_owned(),
        });
    }
}

#[tokio::test(start_paused = true)]
async fn all_workers_change_at_one_moment() {
    world(async |world| {
        world.workers(&["w1", "w2", "w3"]).await;
        let (conducted, outcome) = world
            .run(&settings(3), async |world| {
                pass(10).await;
                world.change();
            })
            .await;
        assert_eq!((world.count(), outcome.merged), (CHANGED, CHANGED));
        assert_eq!(conducted.run.changes.len(), 1);
    })
    .await;
}

#[tokio::test(start_paused = true)]
async fn who_did_not_hear_of_it_is_told_again() {
    world(async |world| {
        world.workers(&["w1", "w2", "w3"]).await;
        let (_, outcome) = world
            .run(&settings(3), async |world| {
                pass(10).await;
                world.host("w2").link.cut(true);
                world.change();
                pass(1).await;
                world.host("w2").link.cut(false);
            })
            .await;
        assert_eq!((world.count(), outcome.merged), (CHANGED, CHANGED));
    })
    .await;
}

#[tokio::test(start_paused = true)]
async fn who_takes_a_share_over_makes_the_changed_load() {
    world(async |world| {
        world.workers(&["w1", "w2", "w3"]).await;
        let (conducted, outcome) = world
            .run(&settings(3), async |world| {
                pass(10).await;
                world.change();
                pass(15).await;
                world.host("w2").kill().await;
            })
            .await;
        assert!(!outcome.told("event-fleet-moved").is_empty());
        let missing = conducted.run.missing.iter();
        let missing_ns: u64 = missing.map(|of| of.to_ns.unwrap() - of.from_ns).sum();
        let least = CHANGED - (missing_ns / S + 4) * 3 * PER_S;
        assert!(outcome.merged >= least, "{} {least}", outcome.merged);
    })
    .await;
}
