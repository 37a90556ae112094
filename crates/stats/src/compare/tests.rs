use super::*;
use crate::LabelKind;
use crate::testing::Noise;

impl Noise {
    /// A run whose times are `slower` times the usual. Its metrics move
    /// together (the run's own noise) and each a little by itself; the
    /// coefficient of variation from run to run is 5 %.
    fn run(&mut self, drift: f64, slower: f64) -> RunFigures {
        let total = self.figures(drift, slower);
        let labels = ["cart", "home", "login"].map(|label| {
            let key = LabelKey {
                label: label.to_owned(),
                kind: LabelKind::Request,
            };
            (key, self.figures(drift, slower))
        });
        RunFigures {
            total,
            labels: labels.into(),
        }
    }

    fn figures(&mut self, drift: f64, slower: f64) -> LabelFigures {
        let shared = 0.04 * self.normal();
        let mut time = |base: f64| {
            let own = 0.03 * self.normal();
            base * drift * slower * (1.0 + shared + own)
        };
        let [mean_ms, p50_ms, p90_ms, p95_ms, p99_ms] =
            [12.0, 10.0, 20.0, 25.0, 40.0].map(&mut time);
        let throughput_per_s = 1e6 / time(1e3);
        // Rare errors: zero in most runs.
        let errors = (self.uniform() * 1.5).floor();
        LabelFigures {
            throughput_per_s,
            mean_ms,
            p50_ms,
            p90_ms,
            p95_ms,
            p99_ms,
            error_rate: errors / 10_000.0,
        }
    }

    /// Interleaved pairs on a machine that drifts by up to 25 %.
    fn pairs(&mut self, n: usize, slower: f64) -> (Vec<RunFigures>, Vec<RunFigures>) {
        let mut drift = 1.0;
        (0..n)
            .map(|_| {
                drift *= 1.0 + 0.03 * self.normal();
                (self.run(drift, 1.0), self.run(drift, slower))
            })
            .unzip()
    }
}

fn metric(of: &[MetricComparison], metric: Metric) -> &MetricComparison {
    of.iter().find(|m| m.metric == metric).unwrap()
}

/// How many of `times` simulated comparisons say that something differs, and in
/// how many the mean alone has p < 0.05.
fn simulate(times: u32, slower: f64, design: Design, runs: usize) -> (f64, f64) {
    let mut noise = Noise(42);
    let (mut shown, mut single) = (0, 0);
    for _ in 0..times {
        let (a, b) = match design {
            Design::Paired => noise.pairs(runs, slower),
            Design::Unpaired => (0..runs)
                .map(|_| (noise.run(1.0, 1.0), noise.run(1.0, slower)))
                .unzip(),
        };
        let comparison = compare(&a, &b, design).unwrap();
        shown += u32::from(comparison.shows_difference());
        let mean = metric(&comparison.total, Metric::Mean);
        single += u32::from(mean.p_value.unwrap() < 0.05);
    }
    (
        f64::from(shown) / f64::from(times),
        f64::from(single) / f64::from(times),
    )
}

#[test]
fn equal_sides_are_seldom_told_apart() {
    let allowed = HEADLINE_ALPHA + DETAIL_ALPHA;
    // Three standard errors of a share in 2,000: 1.1 % of 3 %, 1.5 % of 5 %.
    for (design, runs) in [(Design::Paired, 10), (Design::Unpaired, 5)] {
        let (shown, single) = simulate(2_000, 1.0, design, runs);
        assert!(
            shown <= allowed + 0.011,
            "{design:?}: any verdict in {shown}"
        );
        assert!(shown >= 0.005, "{design:?}: far too timid, {shown}");
        assert!((0.035..=0.065).contains(&single), "{design:?}: {single}");
    }
}

#[test]
fn a_slowdown_of_15_percent_is_found() {
    let (shown, _) = simulate(300, 1.15, Design::Paired, 10);
    assert!(shown > 0.9, "found in {shown}");
}

#[test]
fn the_slowdown_has_a_direction_and_an_interval() {
    let (a, b) = Noise(1).pairs(10, 1.3);
    let comparison = compare(&a, &b, Design::Paired).unwrap();
    let mean = metric(&comparison.total, Metric::Mean);
    assert_eq!(mean.verdict, ComparisonVerdict::Higher);
    let (low, high) = (mean.ci_low.unwrap(), mean.ci_high.unwrap());
    assert!(0.0 < low && low < mean.diff && mean.diff < high);
    assert!((0.2..0.4).contains(&mean.relative_diff.unwrap()));
    let throughput = metric(&comparison.total, Metric::Throughput);
    assert_eq!(throughput.verdict, ComparisonVerdict::Lower);
    assert!(throughput.metric.higher_is_better());
    assert_eq!((comparison.labels.len(), comparison.runs_a), (3, 10));
    assert!(mean.p_adjusted.unwrap() >= mean.p_value.unwrap());
    let json = serde_json::to_string(&comparison).unwrap();
    assert!(json.contains(r#""verdict":"higher""#) && json.contains(r#""label":"cart""#));
}

#[test]
fn one_run_a_side_asks_for_more() {
    let (a, b) = Noise(2).pairs(1, 2.0);
    for design in [Design::Paired, Design::Unpaired] {
        let comparison = compare(&a, &b, design).unwrap();
        assert!(!comparison.shows_difference());
        let mean = metric(&comparison.total, Metric::Mean);
        assert_eq!(mean.verdict, ComparisonVerdict::RepeatNeeded);
        assert!(mean.diff > 0.0 && mean.relative_diff.is_some());
        assert_eq!((mean.p_value, mean.ci_low), (None, None));
    }
}

#[test]
fn a_label_that_is_all_of_the_total_repeats_its_verdicts() {
    let (mut a, mut b) = Noise(3).pairs(10, 1.2);
    for run in a.iter_mut().chain(&mut b) {
        let total = run.total;
        run.labels.values_mut().for_each(|figures| *figures = total);
    }
    let comparison = compare(&a, &b, Design::Paired).unwrap();
    assert_eq!(comparison.labels[0].metrics, comparison.total);
}

#[test]
fn labels_that_a_run_lacks_are_named() {
    let (a, mut b) = Noise(4).pairs(3, 1.0);
    b[1].labels.pop_first();
    let comparison = compare(&a, &b, Design::Paired).unwrap();
    let names: Vec<_> = comparison
        .unmatched
        .iter()
        .map(|k| k.label.as_str())
        .collect();
    assert_eq!((names, comparison.labels.len()), (vec!["cart"], 2));
}

#[test]
fn constant_counts_do_not_prove_anything_by_themselves() {
    let constant = |throughput_per_s| {
        let total = LabelFigures {
            throughput_per_s,
            ..LabelFigures::default()
        };
        let labels = Default::default();
        vec![RunFigures { total, labels }; 3]
    };
    let comparison = compare(&constant(1_000.0), &constant(1_000.1), Design::Paired).unwrap();
    assert!(!comparison.shows_difference());
    let mean = metric(&comparison.total, Metric::Mean);
    assert_eq!((mean.relative_diff, mean.p_value), (None, Some(1.0)));
}

#[test]
fn sides_must_have_runs_that_match() {
    let (a, b) = Noise(5).pairs(3, 1.0);
    assert_eq!(
        compare(&a, &[], Design::Unpaired),
        Err(CompareError::NoRuns { a: 3, b: 0 })
    );
    assert_eq!(
        compare(&a, &b[..2], Design::Paired),
        Err(CompareError::Unequal { a: 3, b: 2 })
    );
    assert!(compare(&a, &b[..2], Design::Unpaired).is_ok());
}
