//! The curve of stored runs.
#![allow(clippy::unwrap_used, clippy::expect_used)]

mod common;

use common::{Random, generator, interval, label, meta};
use plimsoll_stats::curve::{LoadModel, LoadProfile, Stretch};
use plimsoll_stats::{GeneratorSecond, LabelId};
use plimsoll_store::{Run, RunMeta, RunWriter};

/// Requests of one second under that many users: they bend at eight.
fn requests(users: u32) -> u64 {
    u64::from(users.min(8)) * 50
}

/// A run that holds 2, 4, 8 and 16 users for 15 s each, a second of warm-up before.
fn write(root: &std::path::Path, meta: &RunMeta) -> Run {
    let mut random = Random(9);
    let mut writer = RunWriter::create(root, meta).unwrap();
    writer.add_label(&label(0, "GET /")).unwrap();
    for second in 0..61 {
        let users = 2 << ((second.max(1) - 1) / 15);
        let interval = interval(&mut random, LabelId(0), requests(users), false);
        let seen = GeneratorSecond {
            users_active: u64::from(users),
            ..generator(second)
        };
        let rows = [(LabelId(0), &interval)];
        writer.write_second(second, &rows, &seen).unwrap();
    }
    // What ends after the load counts in no second.
    let interval = interval(&mut random, LabelId(0), 500, false);
    let rows = [(LabelId(0), &interval)];
    writer.write_tail(61, &rows, &generator(61)).unwrap();
    let dir = writer.dir().to_owned();
    drop(writer);
    Run::open(&dir).unwrap()
}

#[test]
fn steps_are_found_in_the_users_at_work() {
    let root = tempfile::tempdir().unwrap();
    let run = write(root.path(), &meta("steps"));
    let curve = run.curve().unwrap().unwrap();
    assert_eq!(curve.model, LoadModel::Users);
    let loads: Vec<f64> = curve.points.iter().map(|point| point.load).collect();
    assert_eq!(loads, [2.0, 4.0, 8.0, 16.0]);
    for point in &curve.points {
        // One in fifty fails; throughput counts what ended well.
        let all = requests(point.load as u32) as f64;
        assert!(
            (point.completed_per_s / all - 1.0).abs() < 1e-9,
            "{point:?}"
        );
        assert!(point.throughput_per_s.value < all && point.error_rate > 0.0);
        assert!(point.p50_ms > 4.0 && point.p50_ms < point.p95_ms);
        assert!(point.seconds_used + point.seconds_cut <= 15 && point.steady);
    }
    assert_eq!(curve.marks.a.unwrap().load, 8.0);
    assert_eq!(curve.marks.c.unwrap().load, 8.0);
}

#[test]
fn the_plans_profile_comes_first() {
    let root = tempfile::tempdir().unwrap();
    let stretch = |from_s: f64, to_s: f64, rate: f64| Stretch {
        from_s,
        to_s,
        from: rate,
        to: rate,
    };
    let profile = LoadProfile {
        model: LoadModel::Rate,
        stretches: vec![
            stretch(0.0, 16.0, 100.0),
            stretch(16.0, 31.0, 200.0),
            stretch(31.0, 61.0, 400.0),
        ],
    };
    let meta = RunMeta {
        load_profile: Some(profile),
        ..meta("rates")
    };
    let curve = write(root.path(), &meta).curve().unwrap().unwrap();
    assert_eq!(curve.model, LoadModel::Rate);
    let loads: Vec<f64> = curve.points.iter().map(|point| point.load).collect();
    assert_eq!(loads, [100.0, 200.0, 400.0]);
}

#[test]
fn a_constant_load_has_no_curve() {
    let root = tempfile::tempdir().unwrap();
    let mut meta = meta("constant");
    meta.load_profile = Some(LoadProfile {
        model: LoadModel::Users,
        stretches: vec![Stretch {
            from_s: 0.0,
            to_s: 61.0,
            from: 5.0,
            to: 5.0,
        }],
    });
    assert!(write(root.path(), &meta).curve().unwrap().is_none());
}
