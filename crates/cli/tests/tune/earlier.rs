//! A study that begins with what an earlier one has seen. It takes longest of all, and so stands early in the order of
//! names, by which tests begin.

use crate::assert_valid;
use crate::world::World;

#[test]
fn a_study_starts_from_the_trials_of_an_earlier_one() {
    let world = World::new();
    let knobs = world.workers("range: 1..8\n    by-ratio: true");
    world.study(&format!("knobs:\n{knobs}trials: 40\nseed: 4\n"));
    // It is ended while it searches: what it has seen by then is what the next begins with.
    let first = world.start(&["tune", "study.yaml", "--output", "first.json"]);
    world.interrupted(first, 8).assert_code(130);
    let told = world.call(&[
        "tune",
        "study.yaml",
        "--from",
        "first.json",
        "--trials",
        "14",
        "--seed",
        "5",
    ]);
    told.assert_code(0);
    let result = world.result();
    assert_valid(&result);
    let workers: u32 = result["kept"]["workers"].as_str().unwrap().parse().unwrap();
    assert!(workers >= 4, "{}\n{}", told.out, told.err);
    let other = [
        "tune",
        "study.yaml",
        "--from",
        "first.json",
        "--objective",
        "minimise p99",
    ];
    let told = world.call(&other);
    told.assert_code(2);
    assert!(
        told.err.contains("asked for something else"),
        "{}",
        told.err
    );
    world.assert_clean("after a study from an earlier one");
}
