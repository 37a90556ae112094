//! The beginning of a run: a warm-up is proposed where it differs, with the time that it lasted, and nowhere else.

use plimsoll_stats::series::{EntityKind, SeriesKind};
use plimsoll_text::{Lang, render};

use crate::model::{Finding, Layer};
use crate::testing::{Chance, Made, SECONDS, thing};

fn found(made: &Made) -> Option<Finding> {
    made.find("warm_up")
}

/// 100 requests a second of 20 ms, but for those of the first seconds.
fn slow_for(seconds: u32, ms: f64) -> Made {
    Made::load(100.0, 20.0)
        .at("http://127.0.0.1:8000/")
        .process("python3[8000]", 0.2, 2.0)
        .responds(move |second| if second < seconds { ms } else { 20.0 })
}

#[test]
fn a_beginning_that_differs_is_left_out_by_a_warm_up_of_its_length() {
    for seconds in [1, 3, 8] {
        let finding = found(&slow_for(seconds, 200.0)).unwrap();
        let expected = format!("{}s", seconds.max(2));
        assert_eq!(finding.advice[0].proposed, Some(expected));
        assert_eq!(finding.advice[0].current.as_deref(), Some("0s"));
        let text = render(Lang::En, &finding.text(""));
        assert!(text.contains(&format!("for {seconds} s")), "{text}");
    }
    // So much of the mean is due to it that nothing else can be concluded.
    assert_eq!(
        found(&slow_for(6, 200.0)).unwrap().layer,
        Layer::Measurement
    );
    assert_eq!(found(&slow_for(1, 60.0)).unwrap().layer, Layer::Hint);
}

#[test]
fn no_warm_up_is_proposed_where_nothing_differs_or_slow_seconds_come_again() {
    assert_eq!(found(&slow_for(0, 0.0)), None);
    assert_eq!(found(&slow_for(2, 22.0)), None);
    // Most of the run: the load or the target changed.
    assert_eq!(found(&slow_for(14, 200.0)), None);
    let again = |second: u32| {
        if second.is_multiple_of(6) {
            200.0
        } else {
            20.0
        }
    };
    assert_eq!(found(&slow_for(0, 0.0).responds(again)), None);
    let once_more = |second: u32| {
        if second == 0 || second == 13 {
            200.0
        } else {
            20.0
        }
    };
    assert_eq!(found(&slow_for(0, 0.0).responds(once_more)), None);
    // Slower and slower; more and more users; a stretch behind others.
    assert_eq!(
        found(&slow_for(0, 0.0).responds(|second| 20.0 + f64::from(second) * 9.0)),
        None
    );
    assert_eq!(found(&slow_for(3, 200.0).users_grow()), None);
    assert_eq!(found(&slow_for(5, 200.0).judged_from(2)), None);
}

/// Noise of any kind: whatever is proposed ends before half of the run, and what follows is not as slow.
#[test]
fn chance_alone_proposes_hardly_ever_a_warm_up() {
    let mut chance = Chance(21);
    let mut proposed = 0;
    for _ in 0..300 {
        let ms: Vec<f64> = (0..SECONDS)
            .map(|_| 20.0 + f64::from(u32::try_from(chance.below(30)).unwrap()))
            .collect();
        let made = slow_for(0, 0.0).responds(|second| ms[second as usize]);
        if let Some(finding) = found(&made) {
            proposed += 1;
            assert!(finding.explains.share <= 1.0 && finding.explains.share >= 0.05);
        }
    }
    assert!(proposed <= 15, "{proposed} of 300");
}

#[test]
fn what_fills_in_the_beginning_is_named() {
    let cache = thing(EntityKind::Cache, "redis:6379");
    let missed = |second: f64| 50.0 * second.min(4.0) + second;
    let made = slow_for(4, 200.0).track(
        &cache,
        "redis.keyspace.misses",
        &[],
        SeriesKind::Counter,
        missed,
    );
    let finding = found(&made).unwrap();
    assert_eq!(finding.object.name, "redis:6379");
    let shown = render(Lang::En, &finding.evidence[1].text);
    assert!(shown.contains("51 times a second then, 1 times"), "{shown}");
    let process = thing(EntityKind::Process, "python3[8000]");
    let read = [("disk.io.direction", "read")];
    let bytes = |second: f64| 30e6 * second.min(4.0);
    let made = slow_for(4, 200.0).track(
        &process,
        "process.disk.io",
        &read,
        SeriesKind::Counter,
        bytes,
    );
    let finding = found(&made).unwrap();
    assert_eq!(finding.object.name, "python3[8000]");
    // What is read all the time fills nothing.
    let made = slow_for(4, 200.0).counter(&process, "process.disk.io", &read, 30e6);
    assert_eq!(found(&made).unwrap().evidence.len(), 1);
}
