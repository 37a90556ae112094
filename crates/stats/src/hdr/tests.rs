use hdrhistogram::Histogram as Peer;
use hdrhistogram::serialization::{Deserializer, Serializer, V2DeflateSerializer, V2Serializer};
use proptest::collection::vec;
use proptest::prelude::*;

use super::*;

const PERCENTILES: [f64; 8] = [0.0, 0.1, 0.5, 0.9, 0.95, 0.99, 0.999, 1.0];

fn histogram(values: &[u64]) -> Histogram {
    let mut histogram = Histogram::new();
    values.iter().for_each(|v| histogram.record(*v));
    histogram
}

fn read_by_peer(bytes: &[u8]) -> Peer<u64> {
    Deserializer::new().deserialize(&mut &bytes[..]).unwrap()
}

fn imported(bytes: &[u8], unit_ns: u64) -> Result<Histogram, HdrError> {
    let mut histogram = Histogram::new();
    import(&mut histogram, bytes, unit_ns).map(|()| histogram)
}

fn assert_near(seen: u64, truth: u64, what: &str) {
    let error = seen.abs_diff(truth) as f64;
    assert!(error <= truth as f64 / 1000.0, "{what}: {seen} for {truth}");
}

/// Log-normal-like times around 1 ms.
fn times() -> Vec<u64> {
    let mut state = 3_u64;
    (0..5_000)
        .map(|_| {
            state = state
                .wrapping_mul(6_364_136_223_846_793_005)
                .wrapping_add(1);
            let noise = (state >> 40) as f64 / (1_u64 << 24) as f64;
            (1e5 * (noise * 9.0).exp2()) as u64
        })
        .collect()
}

#[test]
fn the_peer_reads_what_we_write() {
    let ours = histogram(&times());
    let text = BASE64_STANDARD.decode(export_base64(&ours)).unwrap();
    for bytes in [export_v2(&ours), export_v2_compressed(&ours), text] {
        let peer = read_by_peer(&bytes);
        assert_eq!(peer.len(), ours.count());
        for q in PERCENTILES {
            let seen = peer.value_at_quantile(q);
            assert_near(seen, ours.percentile_ns(q), &format!("quantile {q}"));
        }
        let buckets: Vec<_> = peer
            .iter_recorded()
            .map(|v| (v.value_iterated_to(), v.count_since_last_iteration()))
            .collect();
        let own: Vec<_> = ours.buckets().map(|(_, high, n)| (high, n)).collect();
        assert_eq!(buckets, own, "bucket by bucket");
    }
}

#[test]
fn we_read_what_the_peer_writes() {
    let mut peer = Peer::<u64>::new_with_bounds(1, 3_600_000_000_000, 3).unwrap();
    let times = times();
    times.iter().for_each(|v| peer.record(*v).unwrap());
    let (mut plain, mut deflated) = (Vec::new(), Vec::new());
    V2Serializer::new().serialize(&peer, &mut plain).unwrap();
    V2DeflateSerializer::new()
        .serialize(&peer, &mut deflated)
        .unwrap();
    let truth = histogram(&times);
    let mut from_text = Histogram::new();
    let text = format!("{}\n", BASE64_STANDARD.encode(&deflated));
    import_base64(&mut from_text, &text, 1).unwrap();
    for ours in [
        imported(&plain, 1).unwrap(),
        imported(&deflated, 1).unwrap(),
        from_text,
    ] {
        assert!(ours.buckets().eq(truth.buckets()), "bucket by bucket");
        for q in PERCENTILES {
            assert_near(
                ours.percentile_ns(q),
                peer.value_at_quantile(q),
                &format!("{q}"),
            );
        }
        assert_near(ours.mean_ns() as u64, peer.mean() as u64, "mean");
    }
}

#[test]
fn other_digits_units_and_ranges_are_read() {
    for (lowest, highest, digits) in [
        (1, 3_600_000_000, 3),
        (1, 3_600_000_000, 5),
        (1_000, 3_600_000_000, 4),
        (1, 1 << 40, 2),
        (1, 2, 1),
        (1, u64::MAX >> 1, 5),
        (1 << 30, u64::MAX >> 1, 0),
    ] {
        let mut peer = Peer::<u64>::new_with_bounds(lowest, highest, digits).unwrap();
        let values = [lowest, highest / 5, highest / 3, highest].map(|v| v.max(1));
        values.iter().for_each(|v| peer.record(*v).unwrap());
        let mut bytes = Vec::new();
        V2Serializer::new().serialize(&peer, &mut bytes).unwrap();
        let ours = imported(&bytes, 1).unwrap();
        assert_eq!(ours.count(), peer.len());
        let same_bucket = |seen: u64, recorded: u64| {
            let range = peer.lowest_equivalent(recorded)..=peer.highest_equivalent(recorded);
            assert!(range.contains(&seen), "{seen} for {recorded} of {highest}");
        };
        same_bucket(ours.min_ns(), *values.iter().min().unwrap());
        same_bucket(ours.max_ns(), *values.iter().max().unwrap());
        let sum = |of: fn(&Peer<u64>, u64) -> u64| -> u128 {
            values.iter().map(|v| u128::from(of(&peer, *v))).sum()
        };
        let (low, high) = (sum(Peer::lowest_equivalent), sum(Peer::highest_equivalent));
        assert!((low..=high).contains(&ours.sum_ns()));
    }
}

#[test]
fn units_are_converted() {
    let mut peer = Peer::<u64>::new(3).unwrap();
    peer.record_n(600_000, 10).unwrap(); // µs
    let mut bytes = Vec::new();
    V2Serializer::new().serialize(&peer, &mut bytes).unwrap();
    let ours = imported(&bytes, 1_000).unwrap();
    assert_near(ours.percentile_ns(0.5), 600_000_000, "0.6 s");
}

#[test]
fn an_empty_histogram_passes() {
    let bytes = export_v2_compressed(&Histogram::new());
    assert!(read_by_peer(&bytes).is_empty());
    assert!(imported(&bytes, 1).unwrap().is_empty());
}

#[test]
fn what_is_not_supported_is_named() {
    let good = export_v2(&histogram(&[5, 6_000]));
    let with = |at: usize, byte: u8| {
        let mut bytes = good.clone();
        bytes[at] = byte;
        imported(&bytes, 1).unwrap_err()
    };
    let field = |field| HdrError::Field { field };
    assert!(matches!(with(3, 0x01), HdrError::UnknownCookie { .. }));
    assert_eq!(with(11, 1), field("normalizing index offset"));
    assert_eq!(with(15, 6), field("number of significant digits"));
    assert_eq!(with(23, 0), field("lowest trackable value"));
    assert_eq!(with(24, 0x80), field("highest trackable value"));
    assert_eq!(with(32, 0), field("integer to double conversion ratio"));
    assert_eq!(with(4, 0xff), HdrError::Truncated);
    assert_eq!(
        import_base64(&mut Histogram::new(), "?", 1),
        Err(HdrError::NotBase64)
    );
    let mut bad = export_v2_compressed(&histogram(&[5]));
    bad[9] ^= 0xff;
    assert!(matches!(imported(&bad, 1), Err(HdrError::NotZlib { .. })));
}

#[test]
fn an_endless_stream_is_not_inflated() {
    let mut encoder = ZlibEncoder::new(Vec::new(), Compression::fast());
    let block = vec![0; 1 << 20];
    for _ in 0..=MAX_PLAIN_LEN >> 20 {
        encoder.write_all(&block).unwrap();
    }
    assert!(matches!(
        inflate(&encoder.finish().unwrap()),
        Err(HdrError::NotZlib { .. })
    ));
}

proptest! {
    #[test]
    fn zigzag_round_trips(value in any::<i64>()) {
        let mut out = Vec::new();
        put_zigzag(&mut out, value);
        prop_assert!(out.len() <= 9);
        let mut fields = HdrFields { bytes: &out };
        prop_assert_eq!(fields.zigzag(), Ok(value));
        prop_assert!(fields.bytes.is_empty());
    }

    #[test]
    fn buckets_survive_the_round_trip(values in vec(0_u64..1 << 43, 0..100)) {
        let ours = histogram(&values);
        let back = imported(&export_v2(&ours), 1).unwrap();
        prop_assert!(back.buckets().eq(ours.buckets()));
    }

    #[test]
    fn damage_never_panics(
        values in vec(0_u64..1 << 40, 0..20),
        at in any::<usize>(),
        noise in 1_u8..=255,
        compressed in any::<bool>(),
    ) {
        let ours = histogram(&values);
        let mut bytes = if compressed { export_v2_compressed(&ours) } else { export_v2(&ours) };
        let at = at % bytes.len();
        bytes[at] ^= noise;
        let mut into = histogram(&[7]);
        if import(&mut into, &bytes, 1_000).is_err() {
            prop_assert_eq!(into, histogram(&[7]));
        }
        prop_assert!(imported(&bytes[..at], 1).is_err());
    }

    #[test]
    fn garbage_never_panics(mut bytes in vec(any::<u8>(), 4..80)) {
        bytes[..4].copy_from_slice(&(COOKIE_PLAIN | COOKIE_VARINT).to_be_bytes());
        let _ = imported(&bytes, u64::MAX);
    }
}
