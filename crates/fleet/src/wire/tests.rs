use plimsoll_stats::{GeneratorSecond, Histogram, IntervalSet, LabelId, LabelInfo, LabelKind};
use plimsoll_text::Message;
use proptest::prelude::*;

use super::*;
use crate::testing::sample;
use crate::wire::report::{ReportEvent, ReportInterval};

fn a_second(times: &[u64]) -> ReportSecond {
    let mut labels = IntervalSet::default();
    let mut lateness = Histogram::new();
    for (n, time) in (0..).zip(times) {
        labels.record(&sample(n % 3, *time));
        lateness.record(time / 2);
    }
    let mut report = ReportSecond {
        second: 7,
        after_load: true,
        withheld: 5,
        labels: vec![LabelInfo {
            id: LabelId(0),
            name: "购物 / buy".to_owned(),
            kind: LabelKind::Transaction,
            parent: Some(LabelId(2)),
        }],
        generator: GeneratorSecond {
            second: 7,
            users_active: 3,
            ..GeneratorSecond::default()
        },
        events: vec![ReportEvent {
            at_ns: 9,
            said: Said::from(
                &Message::new("event-x")
                    .with("n", 3_u64)
                    .with("why", Message::new("inner").with("a", "b")),
            ),
            is_error: true,
        }],
        gaps: vec![(3, 900_000_000_000)],
        ..ReportSecond::default()
    };
    report.measured(&labels, &lateness, &Histogram::new());
    report
}

#[test]
fn a_report_comes_back_as_it_went() {
    let second = a_second(&[1_000, 2_000_000, 3_000, 40_000_000]);
    let report = Report::Second(Box::new(second));
    let bytes = report.encode().unwrap();
    assert_eq!(Report::decode(&bytes).unwrap(), report);
    let end = Report::End(ReportEnd {
        load_end_ns: 5,
        released: true,
        failed: Some(Said::from(&Message::new("x"))),
        ..ReportEnd::default()
    });
    assert_eq!(Report::decode(&end.encode().unwrap()).unwrap(), end);
}

#[test]
fn messages_for_people_come_back() {
    let message = Message::new("a")
        .with("n", 3_u64)
        .with("text", "t")
        .with("inner", Message::new("b").with("c", "d"));
    assert_eq!(Message::from(&Said::from(&message)), message);
}

#[test]
fn another_version_is_told_apart_from_damage() {
    let order = WorkerOrder::Clock;
    let bytes = encode(&order).unwrap();
    assert_eq!(decode::<WorkerOrder>(&bytes).unwrap(), order);
    let other = String::from_utf8_lossy(&bytes)
        .replace(&format!("\"plimsoll\":{VERSION}"), "\"plimsoll\":9");
    assert_eq!(
        decode::<WorkerOrder>(other.as_bytes()),
        Err(WireError::Version { found: 9 })
    );
    let unknown = format!("{{\"plimsoll\":{VERSION},\"body\":{{\"what\":\"dance\"}}}}");
    assert!(matches!(
        decode::<WorkerOrder>(unknown.as_bytes()),
        Err(WireError::Damaged { .. })
    ));
    let long = vec![b' '; MAX_CONTROL_BYTES + 1];
    assert!(matches!(
        decode::<WorkerOrder>(&long),
        Err(WireError::TooBig { .. })
    ));
    assert_eq!(
        Report::decode(&[0xF2, 1]),
        Err(WireError::Version { found: 2 })
    );
}

#[test]
fn a_report_that_is_cut_anywhere_is_damaged() {
    let bytes = Report::Second(Box::new(a_second(&[5, 6, 7])))
        .encode()
        .unwrap();
    for end in 0..bytes.len() {
        assert!(Report::decode(&bytes[..end]).is_err(), "cut at {end}");
    }
    let mut longer = bytes.clone();
    longer.push(0);
    assert!(Report::decode(&longer).is_err());
}

#[test]
fn a_report_too_long_to_be_sent_is_an_error() {
    let second = ReportSecond {
        intervals: vec![ReportInterval {
            label: LabelId(0),
            samples: 0,
            bytes: vec![0; MAX_REPORT_BYTES],
        }],
        ..ReportSecond::default()
    };
    let report = Report::Second(Box::new(second));
    assert!(matches!(report.encode(), Err(WireError::TooBig { .. })));
}

proptest! {
    #[test]
    fn whatever_comes_in_is_read_or_refused(bytes in prop::collection::vec(any::<u8>(), 0..400)) {
        let _ = Report::decode(&bytes);
        let _ = decode::<WorkerOrder>(&bytes);
        let _ = decode::<Life>(&bytes);
        let mut report = vec![0xF1, 1];
        report.extend(&bytes);
        let _ = Report::decode(&report);
    }

    /// What can be read after damage can be merged too: checks are not left to later.
    #[test]
    fn damage_is_noticed_or_harmless(at in any::<prop::sample::Index>(), to in any::<u8>()) {
        let mut bytes = Report::Second(Box::new(a_second(&[5, 1_000_000, 7]))).encode().unwrap();
        let at = at.index(bytes.len());
        bytes[at] = to;
        if let Ok(Report::Second(second)) = Report::decode(&bytes) {
            let mut merger = crate::merge::Merger::default();
            merger.begin(0, "w", 0, 0);
            let _ = merger.second(0, 1, 1, &second);
            let _ = merger.take_next();
        }
    }
}

/// Failures of many labels in full would not fit; what is left out are samples, never counts.
#[test]
fn a_report_full_of_failures_fits_and_loses_no_count() {
    use plimsoll_stats::{Code, ErrorKind, KeptSample};
    for (labels, groups) in [(1, 1), (60, 20), (4_000, 20)] {
        let mut set = IntervalSet::new();
        let mut counted = 0;
        for label in 0..labels {
            for n in 0..groups {
                let message = format!("{}{n}", "message ".repeat(30));
                let mut failed = sample(label, 1_000_000);
                (failed.error, failed.message) = (Some(ErrorKind::CheckFailed), &message);
                failed.code = Code::Http(503);
                set.record(&failed);
                counted += 1;
                let key = (ErrorKind::CheckFailed, Code::Http(503), Some(&*message));
                let kept = KeptSample {
                    response: "x".repeat(4_000),
                    ..KeptSample::default()
                };
                set.label_mut(LabelId(label)).failures.keep(key, kept);
            }
        }
        let mut second = ReportSecond::default();
        second.measured(&set, &Histogram::new(), &Histogram::new());
        let bytes = Report::Second(Box::new(second)).encode().unwrap();
        let Report::Second(read) = Report::decode(&bytes).unwrap() else {
            panic!("a second");
        };
        let (mut failures, mut samples) = (0, 0);
        for interval in &read.intervals {
            let mut label = plimsoll_stats::LabelInterval::default();
            label.merge_encoded(&interval.bytes).unwrap();
            assert_eq!(label.failures.total(), label.errors());
            failures += label.failures.total();
            samples += label
                .failures
                .iter()
                .map(|it| it.samples.len())
                .sum::<usize>();
        }
        assert_eq!(failures, counted, "{labels} labels");
        assert!(samples > 0, "{labels} labels");
    }
}
