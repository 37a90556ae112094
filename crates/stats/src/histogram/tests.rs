#![allow(clippy::unwrap_used, clippy::expect_used)]

use proptest::collection::vec;
use proptest::prelude::*;

use super::*;

/// Values over the whole range: as likely from each octave, up to above the
/// clamp.
fn value() -> impl Strategy<Value = u64> {
    (0_u32..46, any::<u64>()).prop_map(|(bits, noise)| (1 << bits) | (noise & ((1 << bits) - 1)))
}

fn values() -> impl Strategy<Value = Vec<u64>> {
    prop_oneof![
        vec(value(), 0..300),
        // Around one octave, with repeats, as real responses are.
        vec(1_000_000_u64..2_000_000, 0..300),
        vec(0_u64..40, 0..100),
    ]
}

fn histogram(values: &[u64]) -> Histogram {
    let mut histogram = Histogram::new();
    values.iter().for_each(|v| histogram.record(*v));
    histogram
}

fn encoded(histogram: &Histogram) -> Vec<u8> {
    let mut out = Vec::new();
    histogram.encode(&mut out);
    out
}

/// Decodes into an empty histogram.
fn decoded(bytes: &[u8]) -> Result<Histogram, DecodeError> {
    let mut histogram = Histogram::new();
    histogram.merge_encoded(bytes).map(|()| histogram)
}

#[test]
fn buckets_are_contiguous_and_narrow() {
    let mut next = 0;
    for index in 0..BUCKETS {
        let (low, high) = bounds_of(index);
        assert_eq!(low, next, "bucket {index}");
        assert_eq!((index_of(low), index_of(high)), (index, index));
        assert!(high == low || ((high - low + 1) as f64) <= low as f64 / 1024.0);
        next = high + 1;
    }
    assert_eq!(next, CLAMP_NS);
    const { assert!(CLAMP_NS > 3_600_000_000_000, "an hour fits") };
    assert_eq!(index_of(u64::MAX), BUCKETS - 1);
}

#[test]
fn an_empty_histogram_owns_nothing() {
    let empty = Histogram::new();
    assert_eq!(empty.heap_bytes(), 0);
    assert_eq!(
        (
            empty.count(),
            empty.min_ns(),
            empty.max_ns(),
            empty.sum_ns()
        ),
        (0, 0, 0, 0)
    );
    assert_eq!((empty.mean_ns(), empty.percentile_ns(0.5)), (0.0, 0));
    assert_eq!((empty.count_above_ns(0), empty.buckets().count()), (0, 0));
    assert_eq!(encoded(&empty).len(), 2);
}

#[test]
fn memory_is_what_was_touched() {
    let mut h = Histogram::new();
    // One octave is 8 pages.
    (1 << 20..1 << 21).step_by(1000).for_each(|v| h.record(v));
    assert_eq!(h.pages.iter().flatten().count(), 8);
    assert!(h.heap_bytes() < 12_000, "{}", h.heap_bytes());
}

#[test]
fn nearest_rank_is_exact_where_buckets_are() {
    let h = histogram(&(1..=100).collect::<Vec<_>>());
    // 0.07 × 100 is 7.000000000000001 in floating point.
    for percent in 1..=100 {
        assert_eq!(h.percentile_ns(percent as f64 / 100.0), percent);
    }
    assert_eq!((h.percentile_ns(0.0), h.percentile_ns(-1.0)), (1, 1));
    assert_eq!((h.percentile_ns(0.001), h.percentile_ns(0.991)), (1, 100));
    assert_eq!((h.percentile_ns(2.0), h.percentile_ns(f64::NAN)), (100, 1));
}

#[test]
fn values_above_the_range_never_look_faster() {
    let h = histogram(&[1, CLAMP_NS * 2, CLAMP_NS * 4, u64::MAX]);
    assert_eq!(h.max_ns(), u64::MAX);
    assert_eq!(h.percentile_ns(0.5), u64::MAX);
    assert_eq!(
        h.sum_ns(),
        1 + u128::from(CLAMP_NS) * 6 + u128::from(u64::MAX)
    );
    assert_eq!(decoded(&encoded(&h)).unwrap(), h);
}

#[test]
fn count_above_is_exact_but_for_the_limits_bucket() {
    let h = histogram(&[100, 200, 300, 1_000_000, 2_000_000]);
    for (limit, above) in [
        (0, 5),
        (99, 5),
        (100, 4),
        (250, 3),
        (300, 2),
        (1_500_000, 1),
        (1_999_999, 0), // 2,000,000 shares its bucket
        (2_000_000, 0),
        (u64::MAX, 0),
    ] {
        assert_eq!(h.count_above_ns(limit), above, "above {limit}");
    }
}

#[test]
fn clear_keeps_pages_and_take_leaves_none() {
    let mut h = histogram(&[5, 5_000, 5_000_000]);
    let bytes = h.heap_bytes();
    h.clear();
    assert_eq!(h, Histogram::new());
    assert_eq!(h.heap_bytes(), bytes);
    h.record(5_000);
    assert_eq!(h, histogram(&[5_000]));
    assert_eq!(h.heap_bytes(), bytes);
    assert_eq!(h.take(), histogram(&[5_000]));
    assert_eq!(h.heap_bytes(), 0);
}

#[test]
fn totals_saturate_instead_of_wrapping() {
    let mut h = Histogram::new();
    h.record_n(10, u64::MAX - 2);
    h.record_n(20, 5);
    h.record(30);
    assert_eq!((h.count(), h.max_ns()), (u64::MAX, 20));
    assert_eq!(h.buckets().map(|(_, _, n)| n).sum::<u64>(), u64::MAX);

    let full = encoded(&h);
    assert_eq!(decoded(&full).unwrap(), h);
    assert_eq!(h.merge_encoded(&full), Err(DecodeError::CountOverflow));
    let mut out = vec![7];
    let both = merge_streams(&[&full, &full], &mut out);
    assert_eq!((both, out), (Err(DecodeError::CountOverflow), vec![7]));

    let mut merged = histogram(&[15]);
    merged.merge(&h);
    assert_eq!((merged.count(), merged.max_ns()), (u64::MAX, 20));
    assert_eq!(decoded(&encoded(&merged)).unwrap(), merged);
}

#[test]
fn a_hundred_samples_cost_about_a_byte_each() {
    let mut state = 1_u64;
    let values: Vec<u64> = (0..100)
        .map(|_| {
            state = state
                .wrapping_mul(6_364_136_223_846_793_005)
                .wrapping_add(1);
            1_048_576 + (state >> 40) % 1_048_576
        })
        .collect();
    let len = encoded(&histogram(&values)).len();
    assert!(len <= 125, "{len} bytes");
}

#[test]
fn the_encoding_is_the_documented_one() {
    let h = histogram(&[3, 3, 3, 5, 9]);
    // head, count, min, max - min, sum - 5 × 3; buckets 3 (×3), 5, 9.
    assert_eq!(
        encoded(&h),
        [0xB1, 5, 3, 6, 8, 0, 1, 1 << 1 | 1, 3 << 1 | 1]
    );
}

#[test]
fn other_versions_and_other_data_are_told_apart() {
    assert_eq!(
        decoded(&[0xB2, 0]),
        Err(DecodeError::UnknownVersion {
            what: "histogram",
            found: 2,
            known: 1
        })
    );
    let wrong = decoded(b"{}").unwrap_err();
    assert!(matches!(wrong, DecodeError::WrongKind { found: b'{', .. }));
    assert_eq!(decoded(&[]), Err(DecodeError::Truncated { at: 0 }));
    let mut bytes = encoded(&histogram(&[1, 2]));
    bytes.push(0);
    assert!(matches!(
        decoded(&bytes),
        Err(DecodeError::TrailingBytes { .. })
    ));
}

#[test]
fn contradictions_are_found() {
    let damaged = |bytes: &[u8]| matches!(decoded(bytes), Err(DecodeError::Damaged { .. }));
    // Two values 3 and 5 are head, 2, 3, 2, 2, then gaps 0 and 1.
    assert!(decoded(&[0xB1, 2, 3, 2, 2, 1, 3]).is_ok());
    assert!(damaged(&[0xB1, 2, 3, 2, 5, 1, 3]), "sum too large");
    assert!(
        damaged(&[0xB1, 2, 3, 2, 2, 1, 5]),
        "bucket above the maximum"
    );
    assert!(damaged(&[0xB1, 2, 3, 2, 2, 1, 1]), "maximum's bucket empty");
    assert!(damaged(&[0xB1, 2, 3, 2, 2, 3, 1]), "minimum's bucket empty");
    assert!(damaged(&[0xB1, 2, 3, 2, 2, 1, 2, 0]), "more than the count");
    let overflow = decoded(&[
        0xB1, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0x7f,
    ]);
    assert_eq!(overflow, Err(DecodeError::Overflow { at: 1 }));
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(400))]

    #[test]
    fn every_way_to_merge_gives_the_same(parts in vec(values(), 0..6)) {
        let all = histogram(&parts.concat());
        let single: Vec<Histogram> = parts.iter().map(|p| histogram(p)).collect();
        let streams: Vec<Vec<u8>> = single.iter().map(encoded).collect();

        let mut merged = Histogram::new();
        let mut from_bytes = Histogram::new();
        for (part, bytes) in single.iter().zip(&streams) {
            merged.merge(part);
            from_bytes.merge_encoded(bytes).unwrap();
        }
        prop_assert_eq!(&merged, &all);
        prop_assert_eq!(&from_bytes, &all);

        let mut joined = Vec::new();
        let streams: Vec<&[u8]> = streams.iter().map(Vec::as_slice).collect();
        merge_streams(&streams, &mut joined).unwrap();
        prop_assert_eq!(&joined, &encoded(&all));
        prop_assert_eq!(decoded(&joined).unwrap(), all);
    }

    #[test]
    fn what_is_taken_out_again_leaves_the_rest(left in values(), taken in values()) {
        let all = histogram(&[left.clone(), taken.clone()].concat());
        let (left, taken) = (histogram(&left), histogram(&taken));
        let rest = all.without(&taken);
        prop_assert_eq!(rest.count(), left.count());
        prop_assert_eq!(rest.sum_ns(), left.sum_ns());
        prop_assert!(rest.buckets().eq(left.buckets()));
        let near = |one: u64, other: u64| one.abs_diff(other) <= other / 1_000 + 1;
        let clamped = left.max_ns() >= CLAMP_NS;
        prop_assert!(near(rest.min_ns(), left.min_ns()) || clamped);
        prop_assert!(near(rest.max_ns(), left.max_ns()) || clamped);
        // More than there is leaves nothing.
        prop_assert!(taken.without(&all).is_empty());
    }

    #[test]
    fn percentiles_are_within_a_thousandth(mut sample in vec(value(), 1..300), q in 0.0..=1.0_f64) {
        sample.iter_mut().for_each(|v| *v = (*v).min(CLAMP_NS - 1));
        let h = histogram(&sample);
        sample.sort_unstable();
        for q in [q, 0.0, 0.5, 0.9, 0.99, 0.999, 1.0] {
            let rank = ((q * sample.len() as f64 * (1.0 - 4.0 * f64::EPSILON)).ceil() as usize)
                .clamp(1, sample.len());
            let truth = sample[rank - 1] as f64;
            let error = (h.percentile_ns(q) as f64 - truth).abs();
            prop_assert!(error <= truth / 1000.0, "q {q}: off by {error} at {truth}");
        }
    }

    #[test]
    fn totals_are_exact(sample in vec(value(), 1..300)) {
        let h = histogram(&sample);
        let sum: u128 = sample.iter().map(|v| u128::from(*v)).sum();
        prop_assert_eq!(h.count(), sample.len() as u64);
        prop_assert_eq!(h.sum_ns(), sum);
        prop_assert_eq!(Some(h.min_ns()), sample.iter().min().copied());
        prop_assert_eq!(Some(h.max_ns()), sample.iter().max().copied());
        prop_assert_eq!(h.mean_ns(), sum as f64 / sample.len() as f64);
        prop_assert_eq!(h.buckets().map(|(_, _, n)| n).sum::<u64>(), h.count());
    }

    #[test]
    fn record_n_is_n_times_record(v in value(), n in 0_u64..50) {
        let mut many = Histogram::new();
        many.record_n(v, n);
        prop_assert_eq!(many, histogram(&vec![v; n as usize]));
    }

    #[test]
    fn cleared_pages_hold_nothing(first in values(), second in values()) {
        let mut h = histogram(&first);
        h.clear();
        second.iter().for_each(|v| h.record(*v));
        prop_assert_eq!(&h, &histogram(&second));
        prop_assert_eq!(encoded(&h), encoded(&histogram(&second)));
    }

    #[test]
    fn garbage_is_refused_or_coherent(mut bytes in vec(any::<u8>(), 0..60), tame in any::<bool>()) {
        if tame && !bytes.is_empty() {
            bytes[0] = 0xB1; // get past the head
            bytes.iter_mut().skip(1).for_each(|b| *b &= 0x1f);
        }
        check_damaged(&bytes)?;
    }

    #[test]
    fn flipped_bits_are_refused_or_coherent(sample in values(), at in any::<usize>(), bit in 0..8) {
        let mut bytes = encoded(&histogram(&sample));
        let at = at % bytes.len();
        bytes[at] ^= 1_u8 << bit;
        check_damaged(&bytes)?;
        bytes.truncate(at);
        prop_assert!(decoded(&bytes).is_err());
    }
}

/// Bytes that are no valid encoding leave everything as it was; bytes that are
/// one give a histogram that encodes to the same.
fn check_damaged(bytes: &[u8]) -> Result<(), TestCaseError> {
    let mut h = histogram(&[1, 2, 3_000_000]);
    let before = h.clone();
    let mut out = vec![1, 2, 3];
    let merged = merge_streams(&[bytes], &mut out);
    match decoded(bytes) {
        Ok(read) => {
            prop_assert!(merged.is_ok());
            let mut again = Histogram::new();
            again.merge_encoded(&encoded(&read)).unwrap();
            prop_assert_eq!(&again, &read);
            prop_assert_eq!(&out[3..], encoded(&read));
            let sum: u64 = read.buckets().map(|(_, _, n)| n).sum();
            prop_assert_eq!(sum, read.count());
            read.percentile_ns(0.5);
        }
        Err(error) => {
            prop_assert_eq!(merged, Err(error));
            prop_assert_eq!(out, vec![1, 2, 3]);
            prop_assert_eq!(h.merge_encoded(bytes), Err(error));
            prop_assert_eq!(h, before);
        }
    }
    Ok(())
}
