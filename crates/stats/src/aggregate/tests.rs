use super::*;
use crate::sample::tests::sample;
use crate::{Code, ErrorKind};

fn info(id: u32, name: &str, kind: LabelKind) -> LabelInfo {
    LabelInfo {
        id: LabelId(id),
        name: name.to_owned(),
        kind,
        parent: None,
    }
}

fn of(times_ns: &[u64]) -> LabelInterval {
    let mut interval = LabelInterval::default();
    times_ns.iter().for_each(|ns| interval.record(&sample(*ns)));
    interval
}

#[test]
fn windows_hold_whole_seconds() {
    let window = Window::new(1.5, 4.2);
    let inside: Vec<u64> = (0..8).filter(|s| window.contains(*s)).collect();
    assert_eq!(inside, [2, 3, 4]);
    assert!((window.seconds() - 2.2).abs() < 1e-9);
    assert_eq!(Window::new(5.0, 3.0).seconds(), 0.0);
}

#[test]
fn only_the_window_counts() {
    let a = info(0, "a", LabelKind::Request);
    let mut aggregate = Aggregate::new(Window::new(2.0, 4.0));
    for second in 0..6 {
        aggregate.add(second, &a, &of(&[1_000 * (second + 1)]));
    }
    let total = aggregate.total_summary();
    assert_eq!((total.samples, total.throughput_per_s), (2, 1.0));
    assert_eq!(
        (total.response_time_ms.min, total.response_time_ms.max),
        (0.003, 0.004)
    );
}

#[test]
fn encoded_intervals_give_the_same() {
    let a = info(0, "a", LabelKind::Request);
    let (mut one, mut other) = (
        Aggregate::new(Window::new(0.0, 2.0)),
        Aggregate::new(Window::new(0.0, 2.0)),
    );
    let interval = of(&[1_000, 2_000, 3_000_000]);
    let mut bytes = Vec::new();
    interval.encode(&mut bytes);
    one.add(1, &a, &interval);
    other.add_encoded(1, &a, &bytes).unwrap();
    other.add_encoded(7, &a, b"outside, so never read").unwrap();
    assert_eq!(one.label_summaries(), other.label_summaries());
    assert!(other.add_encoded(1, &a, b"garbage").is_err());
}

#[test]
fn the_total_is_requests_alone() {
    let mut aggregate = Aggregate::new(Window::new(0.0, 1.0));
    let transaction = info(0, "buy", LabelKind::Transaction);
    let mut request = info(1, "cart", LabelKind::Request);
    request.parent = Some(LabelId(0));
    let mut hop = info(2, "cart-0", LabelKind::SubRequest);
    hop.parent = Some(LabelId(1));
    aggregate.add(0, &transaction, &of(&[9_000]));
    aggregate.add(0, &request, &of(&[4_000, 5_000]));
    aggregate.add(0, &hop, &of(&[4_000]));
    aggregate.add_label(&info(3, "idle", LabelKind::Request));

    let total = aggregate.total_summary();
    assert_eq!((total.label.as_str(), total.samples), (TOTAL, 2));
    let labels = aggregate.label_summaries();
    let seen: Vec<_> = labels
        .iter()
        .map(|l| (l.label.as_str(), l.parent.as_deref(), l.samples))
        .collect();
    assert_eq!(
        seen,
        [
            ("buy", None, 1),
            ("cart", Some("buy"), 2),
            ("cart-0", Some("cart"), 1),
            ("idle", None, 0)
        ]
    );
}

#[test]
fn a_name_means_the_requests_first() {
    let mut aggregate = Aggregate::new(Window::new(0.0, 1.0));
    aggregate.add(0, &info(0, "login", LabelKind::Transaction), &of(&[9_000]));
    aggregate.add(0, &info(1, "login", LabelKind::Request), &of(&[1_000]));
    aggregate.add(0, &info(2, "login", LabelKind::Request), &of(&[2_000]));
    let login = aggregate.by_name("login").unwrap();
    assert_eq!((login.samples(), login.ok_service().max_ns()), (2, 2_000));
    assert!(aggregate.by_name("logout").is_none());
}

#[test]
fn errors_and_codes_are_named() {
    let mut failed = sample(1_000);
    (failed.error, failed.code) = (Some(ErrorKind::ConnectTimeout), Code::None);
    let mut interval = of(&[500]);
    interval.record(&failed);
    let mut aggregate = Aggregate::new(Window::new(0.0, 1.0));
    aggregate.add(0, &info(0, "a", LabelKind::Request), &interval);
    let total = aggregate.total_summary();
    assert_eq!((total.errors, total.error_rate), (1, 0.5));
    assert_eq!(total.errors_by_kind[&ErrorKind::ConnectTimeout], 1);
    assert_eq!((total.status_codes["200"], total.status_codes[""]), (1, 1));
    assert_eq!(total.ok_response_time_ms.max, 0.001);
    assert_eq!(total.response_time_ms.max, 0.001);
}

#[test]
fn the_tail_counts_in_everything_but_the_throughput() {
    let info = LabelInfo {
        id: LabelId(0),
        name: "hello".into(),
        kind: LabelKind::Request,
        parent: None,
    };
    let mut interval = LabelInterval::default();
    for _ in 0..10 {
        interval.record(&crate::sample::tests::sample(1_000_000));
    }
    let mut sum = Aggregate::with_tail(Window::new(0.0, 2.0));
    for second in 0..3 {
        sum.add(second, &info, &interval);
    }
    let total = sum.total_summary();
    assert_eq!(total.samples, 30);
    assert!((total.throughput_per_s - 10.0).abs() < 1e-9);
    assert!((sum.label_summaries()[0].throughput_per_s - 10.0).abs() < 1e-9);
    assert_eq!(total.ended_after_load, 10);
    // A goal on successes leaves the same out.
    for goal in ["throughput < 11/s", "ok.throughput < 11/s"] {
        let seen = crate::goal::evaluate(&goal.parse().unwrap(), &sum).observed;
        assert_eq!(seen, Some(10.0), "{goal}");
    }
}

proptest::proptest! {
    /// Throughput is what ended in the window by its length, and the labels' sum is the total's,
    /// whatever ended when, also where labels of several kinds share a name.
    #[test]
    fn throughput_is_what_ended_in_the_window(
        parts in proptest::collection::vec((0_u64..12, 0_u32..4, 0_u64..40, proptest::bool::ANY), 0..60),
        warm_up in 0_u32..5,
        end_s in 5.0_f64..10.0,
    ) {
        let infos = [
            info(0, "a", LabelKind::Request),
            info(1, "b", LabelKind::Request),
            info(2, "a", LabelKind::Transaction),
            info(3, "a", LabelKind::SubRequest),
        ];
        let window = Window::new(f64::from(warm_up), end_s);
        let mut sum = Aggregate::with_tail(window);
        let (mut inside, mut after) = ([0_u64; 4], [0_u64; 4]);
        for (second, label, n, after_load) in parts {
            let interval = of(&vec![1_000; n as usize]);
            let at = label as usize;
            if after_load {
                sum.add_tail(&infos[at], &interval);
                after[at] += n;
            } else {
                sum.add(second, &infos[at], &interval);
                match window.contains(second) {
                    true => inside[at] += n,
                    false if second >= window.from_s() => after[at] += n,
                    false => {}
                }
            }
        }
        let close = |seen: f64, n: u64| (seen - n as f64 / window.seconds()).abs() < 1e-9;
        let summaries = sum.label_summaries();
        for seen in &summaries {
            let info = sum.labels().find(|(i, _)| i.name == seen.label && i.kind == seen.kind);
            let at = info.unwrap().0.id.index();
            proptest::prop_assert!(close(seen.throughput_per_s, inside[at]));
            proptest::prop_assert_eq!(seen.ended_after_load, after[at]);
        }
        let total = sum.total_summary();
        proptest::prop_assert!(close(total.throughput_per_s, inside[0] + inside[1]));
        proptest::prop_assert_eq!(total.ended_after_load, after[0] + after[1]);
        let goal = crate::goal::evaluate(&"a:throughput > 0/s".parse().unwrap(), &sum).observed;
        let has_requests = inside[0] + after[0] > 0;
        proptest::prop_assert!(!has_requests || close(goal.unwrap(), inside[0]));
    }
}
