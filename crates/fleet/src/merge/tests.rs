use plimsoll_stats::LabelInterval;
use proptest::prelude::*;

use super::*;
use crate::testing::sample;
use crate::wire::Report;

fn label(id: u32, name: &str) -> LabelInfo {
    LabelInfo {
        id: LabelId(id),
        name: name.to_owned(),
        kind: LabelKind::Request,
        parent: None,
    }
}

/// A report as it arrives: through its bytes.
fn report(second: u64, labels: &[LabelInfo], samples: &[(u32, u64)]) -> ReportSecond {
    let mut set = IntervalSet::default();
    for (id, ns) in samples {
        set.record(&sample(*id, *ns));
    }
    let mut report = ReportSecond {
        second,
        labels: labels.to_vec(),
        ..ReportSecond::default()
    };
    report.generator.users_active = 2;
    report.measured(&set, &Histogram::new(), &Histogram::new());
    let bytes = Report::Second(Box::new(report)).encode().unwrap();
    match Report::decode(&bytes).unwrap() {
        Report::Second(second) => *second,
        Report::End(_) => unreachable!(),
    }
}

fn count(merged: &Merged, id: u32) -> u64 {
    merged
        .labels
        .get(LabelId(id))
        .map_or(0, LabelInterval::samples)
}

proptest! {
    #[test]
    fn three_workers_are_one_histogram(
        samples in prop::collection::vec((0_u32..3, 0_u32..4, 1_000_u64..9_000_000_000), 1..300),
    ) {
        // Each worker calls the labels by other numbers.
        let names = ["a", "b", "c", "d"];
        let mut merger = Merger::default();
        let mut all = IntervalSet::default();
        for worker in 0..3_u32 {
            merger.begin(worker, &format!("w{worker}"), 0, 0);
        }
        for worker in 0..3_u32 {
            let own = |id: u32| (id + worker) % 4;
            let labels: Vec<LabelInfo> =
                (0..4).map(|id| label(own(id), names[id as usize])).collect();
            let mine: Vec<(u32, u64)> = samples
                .iter()
                .filter(|(of, _, _)| *of == worker)
                .map(|(_, id, ns)| (own(*id), *ns))
                .collect();
            let report = report(0, &labels, &mine);
            let requests = mine.len() as u64;
            prop_assert_eq!(merger.second(worker, 1, 1, &report), ReportTaken::Kept { requests });
        }
        for (_, id, ns) in &samples {
            all.record(&sample(*id, *ns));
        }
        let merged = merger.take_next().unwrap();
        let fresh = merger.labels.fresh();
        for (id, name) in names.iter().enumerate() {
            let info = fresh.iter().find(|info| info.name == *name).unwrap();
            let expected = all.get(LabelId(u32::try_from(id).unwrap()));
            let expected = expected.cloned().unwrap_or_default();
            let found = merged.labels.get(info.id).cloned().unwrap_or_default();
            prop_assert_eq!(found.all_service(), expected.all_service());
            for q in [0.5, 0.9, 0.95, 0.99, 0.999] {
                prop_assert_eq!(
                    found.all_response().percentile_ns(q),
                    expected.all_response().percentile_ns(q)
                );
            }
        }
    }
}

#[test]
fn a_second_waits_for_all_who_are_heard() {
    let mut merger = Merger::default();
    merger.begin(0, "w0", 0, 0);
    merger.begin(1, "w1", 0, 0);
    let names = [label(0, "a")];
    merger.second(0, 1, 11, &report(0, &names, &[(0, 5)]));
    assert!(merger.take_next().is_none());
    merger.wait_for(1, false);
    let merged = merger.take_next().unwrap();
    assert_eq!(
        (merged.second, merged.late, count(&merged, 0)),
        (0, false, 1)
    );
    assert_eq!((merged.contains, merged.places), (vec![(0, 1)], vec![11]));
    // It comes back with what it kept: that is added to the second, and said to be late.
    merger.wait_for(1, true);
    merger.second(1, 1, 12, &report(0, &names, &[(0, 7), (0, 8)]));
    let late = merger.take_next().unwrap();
    assert_eq!((late.second, late.late, count(&late, 0)), (0, true, 2));
    assert_eq!(late.generator.workers[0].worker, "w1");
}

#[test]
fn nothing_counts_twice() {
    let mut merger = Merger::default();
    merger.begin(0, "w", 0, 3);
    let names = [label(0, "a")];
    let second = report(4, &names, &[(0, 5)]);
    assert_eq!(merger.second(0, 3, 1, &second), ReportTaken::Known);
    assert_eq!(
        merger.second(0, 4, 2, &second),
        ReportTaken::Kept { requests: 1 }
    );
    // Known is what is kept: only that may be confirmed.
    assert_eq!(merger.second(0, 4, 3, &second), ReportTaken::Awaited);
    assert_eq!(merger.second(9, 1, 4, &second), ReportTaken::Stranger);
    let merged = merger.take_next().unwrap();
    assert_eq!(count(&merged, 0), 1);
    assert_eq!(merger.second(0, 4, 5, &second), ReportTaken::Awaited);
    merger.kept(&merged);
    assert_eq!(merger.second(0, 4, 6, &second), ReportTaken::Known);
    assert!(merger.take_next().is_none());
}

#[test]
fn an_end_is_told_after_all_its_seconds() {
    let mut merger = Merger::default();
    merger.begin(0, "w0", 0, 0);
    merger.begin(1, "w1", 0, 0);
    let names = [label(0, "a")];
    merger.second(0, 1, 1, &report(0, &names, &[(0, 5)]));
    merger.end(0, 2, 2, ReportEnd::default());
    assert!(merger.ended().is_empty(), "its second waits for the other");
    merger.end(1, 1, 3, ReportEnd::default());
    assert_eq!(merger.ended().len(), 1);
    assert!(merger.take_next().is_some());
    assert_eq!(merger.ended().len(), 1);
}

#[test]
fn the_tail_stays_apart_from_the_load() {
    let mut merger = Merger::default();
    merger.begin(0, "w0", 0, 0);
    merger.begin(1, "w1", 0, 0);
    let names = [label(0, "a")];
    let mut tail = report(5, &names, &[(0, 5)]);
    tail.after_load = true;
    merger.second(0, 1, 1, &tail);
    merger.second(1, 1, 2, &report(5, &names, &[(0, 6)]));
    let first = merger.take_next().unwrap();
    let second = merger.take_next().unwrap();
    assert_eq!((first.after_load, second.after_load), (false, true));
    assert!(!first.late && !second.late);
}

#[test]
fn of_generators_the_worst_counts_and_each_is_kept() {
    let one = |cpu_share, used, lateness| GeneratorSecond {
        threads: vec![ThreadSecond {
            cpu_share,
            runqueue_wait_share: 0.0,
        }],
        send_lateness_p99_ns: lateness,
        users_active: 10,
        fds_used: used,
        fds_limit: 100,
        ..GeneratorSecond::default()
    };
    let mut all = GeneratorSecond::default();
    add_worker(&mut all, "calm", &one(0.2, 10, 5));
    add_worker(&mut all, "busy", &one(0.95, 90, 7_000_000));
    assert_eq!(all.users_active, 20);
    assert_eq!((all.fds_used, all.fds_limit), (90, 100));
    assert_eq!(all.send_lateness_p99_ns, 7_000_000);
    let limited: Vec<&str> = all
        .workers
        .iter()
        .filter(|w| {
            plimsoll_stats::judge_generator(
                std::slice::from_ref(&w.seen),
                &LabelInterval::default(),
            )
            .limited
        })
        .map(|w| w.worker.as_str())
        .collect();
    assert_eq!(limited, ["busy"]);
}

#[test]
fn a_table_that_was_kept_goes_on() {
    let mut table = LabelTable::default();
    table.add(0, &[label(3, "x"), label(1, "y")]);
    let known = table.fresh();
    let kept = BTreeMap::from([(0, table.of(0))]);
    let mut again = LabelTable::restored(&known, kept);
    assert_eq!(again.id(0, LabelId(3)), Some(LabelId(0)));
    assert_eq!(again.id(0, LabelId(1)), Some(LabelId(1)));
    assert!(again.fresh().is_empty());
    again.add(1, &[label(0, "y"), label(1, "z")]);
    assert_eq!(again.id(1, LabelId(0)), Some(LabelId(1)));
    assert_eq!(again.fresh().len(), 1);
}
