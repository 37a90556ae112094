//! The curve of simulated queues against what is known of them.
#![allow(missing_docs, clippy::unwrap_used, clippy::expect_used)]

mod queues;

use plimsoll_stats::curve::{
    Curve, CurveNote, LEAST_DROP, LoadModel, PROPORTIONAL, SecondLoad, SecondSums, UslAxis,
    measure, steps,
};
use queues::{Noise, Source, Station, simulate};

/// How long a load is held: X(1), with which all others are compared, longer.
fn step_s(load: f64) -> u32 {
    match load {
        1.0 => 300,
        ..10.0 => 60,
        _ => 12,
    }
}

/// The curve of a run that holds each load for a while.
fn curve_of(model: LoadModel, loads: &[f64], seconds_of: impl Fn(f64) -> Vec<SecondSums>) -> Curve {
    let (mut loads_by_second, mut sums) = (Vec::new(), Vec::new());
    for load in loads {
        for mut second in seconds_of(*load) {
            second.second = sums.len() as u32;
            loads_by_second.push(SecondLoad {
                second: second.second,
                load: *load,
                held: true,
            });
            sums.push(second);
        }
    }
    let steps = steps(&loads_by_second);
    assert_eq!(steps.len(), loads.len());
    let points = steps.iter().filter_map(|step| measure(step, &sums));
    Curve::new(model, points.map(|measured| measured.point).collect()).unwrap()
}

fn closed(station: Station, think_s: f64, loads: &[f64], seed: u64) -> Curve {
    let noise = std::cell::RefCell::new(Noise(seed));
    curve_of(LoadModel::Users, loads, |load| {
        let source = Source::Users(load as u32, think_s);
        let seconds = simulate(station, source, step_s(load), &mut noise.borrow_mut());
        seconds.into_iter().map(|second| second.sums).collect()
    })
}

/// Whole loads from 1 on, each about so many per cent above the one before.
fn loads(most: f64, growth: f64) -> Vec<f64> {
    let mut loads = vec![1.0_f64];
    while loads[loads.len() - 1] < most {
        let last = loads[loads.len() - 1];
        loads.push((last * growth).round().max(last + 1.0));
    }
    loads
}

fn close(seen: f64, truth: f64, share: f64) {
    assert!((seen / truth - 1.0).abs() <= share, "{seen}, not {truth}");
}

/// What the definitions say of the exact curve.
struct Truth {
    a: f64,
    c: f64,
    d: Option<f64>,
}

/// `told_apart` is the share by which two throughputs must differ for a minute each to show
/// it.
fn truth(station: Station, think_s: f64, most: u32, told_apart: f64) -> Truth {
    let x: Vec<f64> = (1..=most).map(|n| station.throughput(n, think_s)).collect();
    let peak = (0..x.len()).max_by(|a, b| x[*a].total_cmp(&x[*b])).unwrap();
    let load = |at: usize| (at + 1) as f64;
    let near = |at: &usize| x[*at] >= x[peak] * (1.0 - told_apart);
    Truth {
        a: load(
            (0..x.len())
                .rfind(|at| x[*at] >= PROPORTIONAL * load(*at) * x[0])
                .unwrap(),
        ),
        c: load((0..x.len()).find(near).unwrap()),
        d: (peak..x.len()).find(|at| !near(at)).map(load),
    }
}

/// The mark's load within 5 % of the truth, or the truth within the mark's own range where
/// loads lie wider apart than that.
fn assert_mark(name: &str, mark: Option<plimsoll_stats::curve::Mark>, truth: f64) {
    let mark = mark.unwrap_or_else(|| panic!("{name} is missing"));
    let near = (mark.load / truth - 1.0).abs() <= 0.05;
    assert!(near, "{name}: {mark:?}, not {truth}");
}

#[test]
fn a_queue_with_many_servers() {
    // 16 servers of 4 ms, users who think for 16 ms: X(1) = 50/s, 4,000/s at most.
    let (station, think_s) = (Station::Servers(16, 0.004), 0.016);
    let mut all: Vec<f64> = vec![1.0, 10.0, 20.0, 30.0, 40.0];
    all.extend((0..=20).map(|i| f64::from(45 + i * 3)));
    all.extend([110.0, 120.0, 140.0, 160.0]);
    let curve = closed(station, think_s, &all, 11);
    let truth = truth(station, think_s, 160, LEAST_DROP + 0.002);
    // A at 80 users would be the corner of the asymptotes; chance bends it before.
    assert_mark("A", curve.marks.a, truth.a);
    assert_mark("C", curve.marks.c, truth.c);
    assert_eq!(curve.marks.d, None, "a plateau does not fall");
    close(curve.marks.n_star.unwrap().load, 80.0, 0.05);
    let demands = curve.demands.unwrap();
    close(1.0 / demands.d_max_s, 4_000.0, 0.02);
    close(demands.z_s, think_s, 0.05);
    assert!(
        !curve.notes.contains(&CurveNote::ResponseTimeLawBroken),
        "{:?}",
        curve.notes
    );
    for point in &curve.points {
        let exact = station.throughput(point.load as u32, think_s);
        close(point.throughput_per_s.value, exact, 0.03);
        let bounds = demands.asymptotic(point.load);
        assert!(point.throughput_per_s.value <= bounds.high_per_s * 1.03);
        assert!(
            point.throughput_per_s.value >= demands.balanced(point.load, None).low_per_s * 0.97
        );
    }
}

#[test]
fn intervals_hold_the_exact_throughput() {
    let station = Station::Servers(8, 0.05);
    let all = loads(64.0, 1.2);
    let curve = closed(station, 0.1, &all, 12);
    let held = curve.points.iter().filter(|point| {
        let exact = station.throughput(point.load as u32, 0.1);
        let x = point.throughput_per_s;
        x.low.unwrap() <= exact && exact <= x.high.unwrap()
    });
    let share = held.count() as f64 / all.len() as f64;
    assert!(share >= 0.8, "{share}");
    assert!(curve.points.iter().filter(|p| p.steady).count() * 10 >= all.len() * 9);
}

#[test]
fn a_retrograde_system_has_its_marks_and_gives_its_parameters_back() {
    let (lambda, sigma, kappa) = (2_000.0, 0.0085, 0.0002);
    let station = Station::Retrograde(lambda, sigma, kappa);
    let mut all: Vec<f64> = (1..=8).map(f64::from).collect();
    all.extend([12.0, 18.0, 26.0, 36.0]);
    all.extend((20..=55).map(|i| f64::from(i * 2)));
    all.sort_by(f64::total_cmp);
    all.dedup();
    let curve = closed(station, 0.0, &all, 13);
    // 12 s of 50,000/s have a standard error of 0.13 % each: the least drop decides.
    let truth = truth(station, 0.0, 160, LEAST_DROP);
    assert_mark("A", curve.marks.a, truth.a);
    assert_mark("C", curve.marks.c, truth.c);
    assert_mark("D", curve.marks.d, truth.d.unwrap());
    let usl = curve.usl.unwrap();
    assert_eq!(usl.axis, UslAxis::Load);
    close(usl.lambda_per_s.value, lambda, 0.03);
    close(usl.sigma.value, sigma, 0.15);
    close(usl.kappa.value, kappa, 0.05);
    let peak = ((1.0 - sigma) / kappa).sqrt();
    close(usl.peak_n.unwrap(), peak, 0.05);
    close(curve.marks.peak.unwrap().load, peak, 0.25);
    // Beyond what was measured, but not far.
    let last = curve.predictions.last().unwrap();
    assert_eq!(last.load, curve.largest_load() * 2.0);
    close(
        last.usl_per_s.unwrap(),
        station.rate(last.load as u32),
        0.05,
    );
}

#[test]
fn an_open_load_bends_at_the_capacity() {
    // 500/s at most; from there on the queue grows.
    let station = Station::Servers(10, 0.02);
    let noise = std::cell::RefCell::new(Noise(14));
    let rates: Vec<f64> = (1..=14).map(|i| f64::from(i) * 50.0).collect();
    let curve = curve_of(LoadModel::Rate, &rates, |rate| {
        let seconds = simulate(station, Source::Rate(rate), 60, &mut noise.borrow_mut());
        seconds.into_iter().map(|second| second.sums).collect()
    });
    let a = curve.marks.a.unwrap();
    assert!((500.0..=550.0).contains(&a.load), "{a:?}");
    close(curve.marks.n_star.unwrap().load, 500.0, 0.05);
    // At 500/s exactly chance decides.
    for point in curve.points.iter().filter(|point| point.load != 500.0) {
        assert_eq!(point.steady, point.load < 500.0, "{}", point.load);
    }
    assert!(curve.notes.contains(&CurveNote::NotSteady));
    assert_eq!((curve.demands, curve.predictions.len()), (None, 0));
    assert!(curve.usl.is_none_or(|usl| usl.axis == UslAxis::Concurrency));
}

#[test]
fn a_curve_goes_through_json() {
    let curve = closed(Station::Servers(4, 0.01), 0.0, &[2.0, 4.0, 8.0], 15);
    assert!(curve.notes.contains(&CurveNote::SmallestLoadIsNotOne));
    let json = serde_json::to_string(&curve).unwrap();
    let back: Curve = serde_json::from_str(&json).unwrap();
    assert_eq!(back.points.len(), 3);
    assert_eq!(back.marks.a.map(|a| a.load), curve.marks.a.map(|a| a.load));
    assert!(Curve::new(LoadModel::Users, curve.points[..2].to_vec()).is_none());
}

/// Beside the bounds the law either agrees with them, or says that it does not and predicts
/// nothing: over pools of servers of many sizes, with and without thinking, held long or short.
#[test]
fn the_law_never_contradicts_the_bounds_in_silence() {
    let (mut silent, mut kept) = (0, 0);
    for seed in 0..40 {
        let mut noise = Noise(7_000 + seed);
        let servers = 1 + (noise.uniform() * 24.0) as u32;
        let think_s = [0.0, 0.05, 0.5][(seed % 3) as usize];
        let station = Station::Servers(servers, 0.01 + 0.05 * noise.uniform());
        let most = f64::from(servers) * (1.5 + 2.0 * noise.uniform());
        let curve = closed(station, think_s, &loads(most.max(6.0), 1.7), seed);
        let doubtful = curve.usl_is_doubtful();
        for prediction in &curve.predictions {
            let Some(by_law) = prediction.usl_per_s else {
                assert!(doubtful || curve.usl.is_none());
                continue;
            };
            assert!(!doubtful);
            kept += 1;
            assert!(
                by_law >= prediction.balanced.low_per_s || curve.has_fallen(),
                "{by_law}: {prediction:?}"
            );
        }
        silent += usize::from(doubtful);
        if let Some(usl) = curve.usl {
            let missed = curve
                .points
                .iter()
                .filter(|p| p.error_rate == 0.0)
                .map(|p| (usl.throughput_per_s(p.load) / p.throughput_per_s.value - 1.0).abs())
                .fold(0.0, f64::max);
            assert!(
                (missed - usl.worst_residual).abs() < 1e-9,
                "{missed} {usl:?}"
            );
        }
    }
    // Both happen: the law is neither always believed nor never.
    assert!(silent > 0 && kept > 0, "{silent} {kept}");
}
