#![allow(clippy::unwrap_used, clippy::expect_used)]

use proptest::collection::vec;
use proptest::prelude::*;

use super::*;
use crate::histogram::DecodeError;
use crate::sample::tests::sample;
use crate::{LabelId, merge_streams};

fn encoded(interval: &LabelInterval) -> Vec<u8> {
    let mut out = Vec::new();
    interval.encode(&mut out);
    out
}

fn interval(samples: &[Sample<'_>]) -> LabelInterval {
    let mut interval = LabelInterval::default();
    samples.iter().for_each(|s| interval.record(s));
    interval
}

/// Everything that `LabelInterval::record` looks at, varied.
fn any_sample() -> impl Strategy<Value = Sample<'static>> {
    let times = (1_u64..5_000_000, prop_oneof![Just(0_u64), 0_u64..1_000_000]);
    let error = prop_oneof![
        3 => Just(None),
        1 => (0..ErrorKind::ALL.len()).prop_map(|i| Some(ErrorKind::ALL[i % 9])),
    ];
    let code = prop_oneof![
        3 => (200_u16..600).prop_map(Code::Http),
        1 => Just(Code::None),
        1 => "[a-c]{1,2}".prop_map(|text| Code::from_text(&text)),
    ];
    (times, error, code, 0_u64..3, any::<bool>()).prop_map(
        |((service, late), error, code, connect, responded)| {
            let mut s = sample(service);
            (s.intended_ns, s.error, s.code) = (s.start_ns - late, error, code);
            s.connect_ns = connect * 1_000;
            if s.error.is_some() {
                // As many groups of failures as a label has.
                s.code = [Code::None, Code::Http(503)][(service % 2) as usize];
            }
            if !responded {
                s.first_byte_ns = 0;
            }
            s
        },
    )
}

#[test]
fn successes_and_failures_are_apart() {
    let mut failed = sample(3_000);
    (failed.error, failed.code) = (Some(ErrorKind::ReadTimeout), Code::None);
    let i = interval(&[sample(1_000), sample(2_000), failed]);
    assert_eq!((i.samples(), i.errors()), (3, 1));
    assert_eq!(
        (i.ok_service().max_ns(), i.err_service().min_ns()),
        (2_000, 3_000)
    );
    assert_eq!(i.all_response().count(), 3);
    assert_eq!(i.errors_by_kind.get(ErrorKind::ReadTimeout), 1);
    assert_eq!(i.failures.total(), 1);
    assert_eq!(i.status_codes.get(Code::Http(200)), 2);
    assert_eq!((i.sent_bytes, i.received_bytes), (300, 3_000));
    assert_eq!(i.phase(Phase::Receive).count, 3);
    assert_eq!(i.phase(Phase::Connect).count, 0);
}

#[test]
fn response_times_cost_nothing_until_they_differ() {
    let mut i = interval(&[sample(1_000), sample(2_000)]);
    assert!(i.ok.response_is_service());
    let one = encoded(&i).len();
    let mut late = sample(4_000);
    late.intended_ns -= 500;
    i.record(&late);
    assert!(!i.ok.response_is_service());
    assert_eq!(i.ok_response().count(), 3);
    assert_eq!(
        (i.ok_service().max_ns(), i.ok_response().max_ns()),
        (4_000, 4_500)
    );
    assert_eq!(
        (i.ok_service().min_ns(), i.ok_response().min_ns()),
        (1_000, 1_000)
    );
    assert!(encoded(&i).len() > one);
}

#[test]
fn a_label_and_second_of_100_samples_fits_300_bytes() {
    let mut state = 7_u64;
    let mut random = move |n: u64| {
        state = state
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1);
        (state >> 33) % n
    };
    let samples: Vec<_> = (0..100)
        .map(|n| {
            let mut s = sample(1_048_576 + random(1_048_576));
            s.intended_ns -= random(50_000);
            if n == 0 {
                s.code = Code::Http(500);
                s.error = Some(ErrorKind::CheckFailed);
            }
            s
        })
        .collect();
    let i = interval(&samples);
    assert!(!i.ok.response_is_service());
    let len = encoded(&i).len();
    assert!(len <= 300, "{len} bytes");
}

#[test]
fn dropped_cut_off_and_sent_again_are_something() {
    let mut i = LabelInterval::default();
    assert!(i.is_empty());
    i.resent = 3;
    assert!(!i.is_empty());
    let mut again = LabelInterval::default();
    again.merge_encoded(&encoded(&i)).unwrap();
    again.merge_encoded(&encoded(&i)).unwrap();
    assert_eq!(again.resent, 6);
    i.dropped_iterations = 2;
    assert!(!i.is_empty());
    let mut read = LabelInterval::default();
    read.merge_encoded(&encoded(&i)).unwrap();
    read.cut_off += 1;
    assert_eq!(
        (read.dropped_iterations, read.cut_off, read.samples()),
        (2, 1, 0)
    );
    assert_eq!(read.resent, 3);
    read.clear();
    assert_eq!(read, LabelInterval::default());
}

/// Versions before kept failures by kind and code only.
#[test]
fn failures_without_groups_are_read() {
    let mut failed = sample(3_000);
    failed.error = Some(ErrorKind::CheckFailed);
    let mut old = interval(&[failed]);
    old.failures.clear();
    let bytes = encoded(&old);
    assert_eq!(bytes[1] & 32, 0);
    let mut read = interval(&[failed]);
    read.merge_encoded(&bytes).unwrap();
    assert_eq!((read.errors(), read.failures.total()), (2, 1));
}

#[test]
fn other_data_is_refused() {
    let mut i = LabelInterval::default();
    let unknown = i.merge_encoded(&[0xC2, 0]).unwrap_err();
    assert!(matches!(
        unknown,
        DecodeError::UnknownVersion { found: 2, .. }
    ));
    let mut histogram = Vec::new();
    Histogram::new().encode(&mut histogram);
    let wrong = i.merge_encoded(&histogram).unwrap_err();
    assert!(matches!(
        wrong,
        DecodeError::WrongKind {
            what: "interval",
            ..
        }
    ));
    assert!(merge_streams(&[&encoded(&i)], &mut Vec::new()).is_err());
}

#[test]
fn sets_are_handed_over_by_swapping() {
    let mut set = IntervalSet::new();
    let mut other = sample(5_000);
    other.label = LabelId(3);
    set.record(&sample(1_000));
    set.record(&other);
    let mut spare = IntervalSet::new();
    std::mem::swap(&mut set, &mut spare);
    assert!(set.is_empty());
    let ids: Vec<u32> = spare.iter().map(|(id, _)| id.0).collect();
    assert_eq!(ids, [0, 3]);
    assert_eq!(spare.get(LabelId(3)).unwrap().samples(), 1);

    let heap = spare.get(LabelId(3)).unwrap().ok_service().heap_bytes();
    let mut sum = IntervalSet::new();
    sum.merge(&spare);
    sum.merge(&spare);
    spare.clear();
    assert!(spare.is_empty());
    assert_eq!(sum.get(LabelId(3)).unwrap().samples(), 2);
    let kept = spare.get(LabelId(3)).unwrap().ok_service().heap_bytes();
    assert_eq!(kept, heap);
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(300))]

    #[test]
    fn every_way_to_merge_gives_the_same(parts in vec(vec(any_sample(), 0..40), 0..5)) {
        let all = interval(&parts.concat());
        let mut merged = LabelInterval::default();
        let mut read = LabelInterval::default();
        for part in &parts {
            let part = interval(part);
            merged.merge(&part);
            read.merge_encoded(&encoded(&part)).unwrap();
        }
        prop_assert_eq!(&merged, &all);
        prop_assert_eq!(&read, &all);
        prop_assert_eq!(encoded(&read), encoded(&all));
        prop_assert_eq!(all.ok_response().count(), all.ok_service().count());
        prop_assert_eq!(all.failures.total(), all.errors());
    }

    #[test]
    fn a_recycled_interval_is_as_good_as_new(
        first in vec(any_sample(), 0..40),
        second in vec(any_sample(), 0..40),
    ) {
        let mut recycled = interval(&first);
        recycled.clear();
        second.iter().for_each(|s| recycled.record(s));
        prop_assert_eq!(encoded(&recycled), encoded(&interval(&second)));
    }

    #[test]
    fn damage_is_refused_or_coherent(
        samples in vec(any_sample(), 0..20),
        at in any::<usize>(),
        noise in 1_u8..=255,
    ) {
        let mut bytes = encoded(&interval(&samples));
        let at = at % bytes.len();
        bytes[at] ^= noise;
        check_damaged(&bytes)?;
        bytes.truncate(at);
        prop_assert!(LabelInterval::default().merge_encoded(&bytes).is_err());
    }

    #[test]
    fn garbage_is_refused_or_coherent(mut bytes in vec(any::<u8>(), 2..60)) {
        bytes[0] = 0xC1;
        bytes[1] &= 0x3f;
        check_damaged(&bytes)?;
    }
}

fn check_damaged(bytes: &[u8]) -> Result<(), TestCaseError> {
    let before = interval(&[sample(700), sample(900_000)]);
    let mut i = before.clone();
    if i.merge_encoded(bytes).is_err() {
        prop_assert_eq!(i, before);
        return Ok(());
    }
    let mut again = LabelInterval::default();
    again.merge_encoded(&encoded(&i)).unwrap();
    prop_assert_eq!(again, i);
    Ok(())
}

proptest! {
    /// Read off the bytes, the totals are those of the interval, and of each sample.
    #[test]
    fn totals_are_read_off_the_encoding(samples in vec(any_sample(), 0..40)) {
        let i = interval(&samples);
        let totals = IntervalTotals::read(&encoded(&i)).unwrap();
        prop_assert_eq!(totals, IntervalTotals::of(&i));
        let times = || samples.iter().map(Sample::response_ns);
        prop_assert_eq!(totals.samples(), samples.len() as u64);
        prop_assert_eq!(totals.errors, samples.iter().filter(|s| s.error.is_some()).count() as u64);
        prop_assert_eq!(totals.response_ns, times().map(u128::from).sum::<u128>());
        prop_assert_eq!(totals.fastest_ns, times().min().unwrap_or(0));
    }

    /// What is no encoding is an error to both who read it.
    #[test]
    fn totals_of_garbage_are_refused(samples in vec(any_sample(), 1..8), at: usize, byte: u8) {
        let mut bytes = encoded(&interval(&samples));
        let at = at % bytes.len();
        bytes[at] = byte;
        let merged = LabelInterval::default().merge_encoded(&bytes);
        prop_assert_eq!(IntervalTotals::read(&bytes).is_ok(), merged.is_ok());
    }
}
