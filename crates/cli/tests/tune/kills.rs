//! A study that is killed at any moment leaves nothing that cannot be brought back.

use std::time::{Duration, Instant};

use crate::world::World;

/// Kills in all; several studies are killed at a time.
const KILLS: usize = 51;
const AT_A_TIME: usize = 3;
/// The longest that a study may go on before it is killed: a trial, with all its phases.
const LONGEST_MS: u64 = 5_000;

/// Waits for something that comes sooner or later; far longer than it takes on a busy machine.
fn wait_until(is_so: impl Fn() -> bool) {
    let until = Instant::now() + Duration::from_secs(120);
    while !is_so() {
        assert!(Instant::now() < until, "it never came");
        std::thread::sleep(Duration::from_millis(5));
    }
}

fn kill_again_and_again(thread: usize) -> usize {
    let world = World::new();
    world.study(&format!(
        "knobs:\n{}search: random\ntrials: 500\nseed: 1\n",
        world.workers("range: 2..8")
    ));
    let before = world.state();
    // The baseline is measured once; from then on each study goes on with what changes something.
    let mut first = world.start(&["tune", "study.yaml", "--quiet"]);
    wait_until(|| world.state() != before);
    first.kill().unwrap();
    first.wait().unwrap();
    world.call(&["tune", "--restore"]).assert_code(0);
    assert_eq!(world.state(), before);
    let mut rng = fastrand::Rng::with_seed(thread as u64);
    let mut changed = 0;
    for number in 0..KILLS / AT_A_TIME {
        let mut child = world.start(&["tune", "study.yaml", "--quiet", "--resume"]);
        let until = Instant::now() + Duration::from_millis(rng.u64(0..LONGEST_MS));
        std::thread::sleep(until.saturating_duration_since(Instant::now()));
        child.kill().unwrap();
        child.wait().unwrap();
        changed += usize::from(world.state() != before);
        // Either the next start brings it back, or somebody asks for it.
        match number % 2 {
            0 => world.call(&["tune", "--restore"]).assert_code(0),
            _ => world
                .call(&["tune", "study.yaml", "--restore"])
                .assert_code(0),
        };
        let what = format!("kill {number} of {thread}");
        assert_eq!(world.state(), before, "{what}");
        world.assert_clean(&what);
    }
    changed
}

#[test]
fn kills_at_drawn_moments_are_harmless() {
    let threads: Vec<_> = (0..AT_A_TIME)
        .map(|thread| std::thread::spawn(move || kill_again_and_again(thread)))
        .collect();
    let changed: usize = threads
        .into_iter()
        .map(|thread| thread.join().unwrap())
        .sum();
    // The moments were such that there was something to bring back.
    assert!(changed >= 5, "{changed} of {KILLS}");
}

#[test]
fn the_next_study_brings_back_what_a_killed_one_left() {
    // Nothing is better than what was found, so that there are no final pairs to wait for.
    let world = World::new().found_with(8);
    world.study(&format!(
        "knobs:\n{}search: random\ntrials: 14\nseed: 2\n",
        world.workers("range: 1..4")
    ));
    let before = world.state();
    let mut child = world.start(&["tune", "study.yaml", "--quiet"]);
    wait_until(|| world.state() != before);
    child.kill().unwrap();
    child.wait().unwrap();
    let told = world.call(&["tune", "study.yaml", "--resume"]);
    told.assert_code(0);
    assert_eq!(world.state(), before);
    world.assert_clean("after the next study");
}
