//! Workers that fail while they make load.

use std::time::Duration;

use super::share::{LOAD_S, PER_S};
use super::{S, World, pass, settings, world};
use crate::controller::stored::{ClockSeen, clocks_key};
use crate::link::local::Faults;

const PLANNED: u64 = 3 * PER_S * LOAD_S;

#[tokio::test(start_paused = true)]
async fn without_faults_all_is_there() {
    world(async |world| {
        world.workers(&["w1", "w2", "w3"]).await;
        let (conducted, outcome) = world.run(&settings(3), async |_| {}).await;
        assert_eq!((world.count(), outcome.merged), (PLANNED, PLANNED));
        assert!(conducted.losses.is_empty() && conducted.run.missing.is_empty());
    })
    .await;
}

/// A run in which something happens to the second worker after 10 s; the target's count, what was
/// merged, and what may be lost.
async fn with_fault(fault: impl AsyncFnOnce(&mut World)) -> (u64, u64, u64) {
    world(async |world| {
        world.workers(&["w1", "w2", "w3"]).await;
        let meanwhile = async |world: &mut World| {
            pass(10).await;
            fault(world).await;
        };
        let (conducted, outcome) = world.run(&settings(3), meanwhile).await;
        let count = world.count();
        assert!(count <= PLANNED, "more than was planned: {count}");
        assert!(!outcome.told("event-fleet-moved").is_empty());
        let bound = conducted.losses.iter().map(|(_, _, _, most)| most).sum();
        (count, outcome.merged, bound)
    })
    .await
}

#[tokio::test(start_paused = true)]
async fn a_killed_worker_loses_no_more_than_three_seconds_of_its_share() {
    let (count, merged, bound) = with_fault(async |world| world.host("w2").kill().await).await;
    assert!(
        merged <= count && count <= merged + bound,
        "{merged} {count} {bound}"
    );
    assert!(bound <= 3 * PER_S, "{bound}");
}

#[tokio::test(start_paused = true)]
async fn what_a_worker_made_unheard_before_it_was_killed_is_in_the_bound() {
    let fault = async |world: &mut World| {
        world.host("w2").link.cut(true);
        pass(9).await;
        world.host("w2").kill().await;
    };
    let (count, merged, bound) = with_fault(fault).await;
    assert!(count - merged > 3 * PER_S, "it worked on: {merged} {count}");
    assert!(count <= merged + bound, "{merged} {count} {bound}");
}

#[tokio::test(start_paused = true)]
async fn a_worker_that_comes_back_from_a_cut_link_has_lost_nothing() {
    let fault = async |world: &mut World| {
        world.host("w2").link.cut(true);
        pass(20).await;
        world.host("w2").link.cut(false);
    };
    let (count, merged, bound) = with_fault(fault).await;
    assert_eq!((count, bound), (merged, 0));
}

#[tokio::test(start_paused = true)]
async fn clocks_are_measured_again_and_each_measurement_is_kept() {
    world(async |world| {
        world.workers(&["w1", "w2"]).await;
        let slow_way = async |world: &mut World| {
            pass(40).await;
            // Half of the way there and back is what is unsure of its clock: 60 ms.
            world.host("w2").link.set_faults(Faults {
                delay: Duration::from_millis(60),
                ..Faults::default()
            });
        };
        let (conducted, outcome) = world.run(&settings(2), slow_way).await;
        for worker in 0..2 {
            let own = conducted.clocks.iter().filter(|seen| seen.worker == worker);
            let own: Vec<&ClockSeen> = own.collect();
            assert_eq!(own.len(), 3, "{own:?}");
            assert!(
                own[0].at_ns < 0 && own[1].at_ns >= 28_000_000_000,
                "{own:?}"
            );
            assert!(own.is_sorted_by_key(|seen| seen.at_ns));
            let offset_ns = [1_000, 2_000][worker] * 1_000_000_000_i64 - 5_000_000_000_000;
            for seen in own {
                let apart_ns = seen.wall_ns.abs_diff(offset_ns);
                assert!(apart_ns <= seen.error_ns, "{seen:?}");
            }
        }
        let last = conducted.clocks.iter().rev().find(|seen| seen.worker == 1);
        assert!(last.unwrap().error_ns >= S / 20, "{last:?}");
        let told = outcome.told("event-fleet-clock");
        assert_eq!(told.len(), 1, "{:?}", outcome.events);
        assert!(told[0] > 40 * S, "{told:?}");
        // Nothing of it is only in memory.
        let notes = outcome.notes.borrow();
        let kept: usize = (0..conducted.clocks.len())
            .filter_map(|before| notes.get(&clocks_key(before)))
            .map(|json| serde_json::from_str::<Vec<ClockSeen>>(json).unwrap().len())
            .sum();
        assert_eq!(kept, conducted.clocks.len());
    })
    .await;
}

/// A run over two workers in which something happens when the world is that old; how long it lasted
/// on its own clock, what was told of moved shares, and the losses.
async fn ended_after(at_s: u64, fault: impl AsyncFnOnce(&mut World)) -> (u64, Vec<u64>, u64) {
    world(async |world| {
        world.workers(&["w1", "w2"]).await;
        let meanwhile = async |world: &mut World| {
            pass(at_s).await;
            fault(world).await;
        };
        let (conducted, outcome) = world.run(&settings(2), meanwhile).await;
        let lasted_ns = (world.desk.now)() - conducted.run.zero_ns;
        let most = conducted.losses.iter().map(|(_, _, _, most)| most).sum();
        (lasted_ns, outcome.told("event-fleet-moved"), most)
    })
    .await
}

#[tokio::test(start_paused = true)]
async fn a_run_whose_workers_are_all_dead_is_over() {
    let kill_all = async |world: &mut World| {
        world.host("w1").kill().await;
        world.host("w2").kill().await;
    };
    let (lasted_ns, moved, _) = ended_after(10, kill_all).await;
    assert!(lasted_ns < 20 * S, "{lasted_ns}");
    assert!(moved.is_empty(), "{moved:?}");
}

#[tokio::test(start_paused = true)]
async fn who_is_cut_off_for_good_does_not_keep_a_run_from_its_end() {
    let cut_all = async |world: &mut World| {
        world.host("w1").link.cut(true);
        world.host("w2").link.cut(true);
    };
    let (lasted_ns, _, most) = ended_after(66, cut_all).await;
    assert!(lasted_ns < (LOAD_S + 8) * S, "{lasted_ns}");
    // Its lease would have lasted longer than the load.
    assert!(most <= 2 * 2 * PER_S * 8, "{most}");
}

#[tokio::test(start_paused = true)]
async fn no_share_moves_when_the_load_is_over_before_it_could_begin() {
    let cut_one = async |world: &mut World| world.host("w2").link.cut(true);
    let (lasted_ns, moved, _) = ended_after(62, cut_one).await;
    assert!(moved.is_empty(), "{moved:?}");
    assert!(lasted_ns < (LOAD_S + 8) * S, "{lasted_ns}");
}
