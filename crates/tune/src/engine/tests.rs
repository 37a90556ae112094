//! Whole studies on made-up surfaces.

#![allow(clippy::expect_used)]

mod ending;
mod searching;

use plimsoll_plan::study::StudySearch;

use super::*;
use crate::space::{Domain, Relation, SpaceKnob};
use crate::trial::{Advised, FailedTrial, Measured, TrialAsk, TrialEnd};

pub(super) type Surface<'a> = &'a dyn Fn(&Space, &Configuration) -> Option<f64>;

/// A target whose objective is a function of its configuration, with noise and drift.
pub(super) struct MadeUp<'a> {
    space: &'a Space,
    surface: Surface<'a>,
    advice: Vec<Advised>,
    noise: f64,
    drift: f64,
    /// What the machine does to each run in turn, as a difference of logarithms; nothing beyond its end.
    weather: &'a [f64],
    rng: fastrand::Rng,
    runs: u32,
    /// Which of the final runs do not start, by their numbers from 0; and how many there were.
    fails_at_the_end: &'a [usize],
    last_runs: usize,
    /// Whether a run breaks a constraint.
    breaks: Breaks<'a>,
    /// The share of requests that fail.
    fails: &'a dyn Fn(&Configuration) -> f64,
}

type Breaks<'a> = &'a dyn Fn(&Configuration, &Reason) -> bool;

impl MadeUp<'_> {
    fn normal(&mut self) -> f64 {
        let (u, v) = (1.0 - self.rng.f64(), self.rng.f64());
        (-2.0 * u.ln()).sqrt() * (2.0 * std::f64::consts::PI * v).cos()
    }
}

impl TrialBench for MadeUp<'_> {
    fn trial(&mut self, of: &Configuration, ask: &TrialAsk) -> Result<(TrialEnd, f64), Message> {
        assert_eq!(ask.number, self.runs + 1);
        self.runs += 1;
        let is_final = ask.reason == Reason::Final && of.changed().next().is_some();
        let fails = is_final && self.fails_at_the_end.contains(&self.last_runs);
        self.last_runs += usize::from(is_final);
        let value = (self.surface)(self.space, of).filter(|_| !fails);
        let Some(value) = value else {
            let failed = TrialEnd::Failed {
                what: FailedTrial::DoesNotStart,
                detail: String::new(),
            };
            return Ok((failed, 1.0));
        };
        let weather = self.weather.get(self.runs as usize).unwrap_or(&0.0);
        let drift = self.drift * f64::from(self.runs) + weather;
        let noise = self.noise * self.normal();
        let measured = Measured {
            objective: value * (noise + drift).exp(),
            advice: self.advice.clone(),
            error_rate: (self.fails)(of),
            broken: match (self.breaks)(of, &ask.reason) {
                true => vec!["p99 < 300 ms".to_owned()],
                false => Vec::new(),
            },
            ..Measured::default()
        };
        Ok((TrialEnd::Measured(Box::new(measured)), 1.0))
    }
}

pub(super) fn quiet<'a>(space: &'a Space, surface: Surface<'a>, seed: u64) -> MadeUp<'a> {
    MadeUp {
        space,
        surface,
        advice: Vec::new(),
        noise: 0.01,
        drift: 0.0,
        weather: &[],
        rng: fastrand::Rng::with_seed(seed),
        runs: 0,
        fails_at_the_end: &[],
        last_runs: 0,
        breaks: &|_, _| false,
        fails: &|_| 0.0,
    }
}

pub(super) fn settings(seed: u64) -> EngineSettings {
    EngineSettings {
        maximise: true,
        by_ratio: true,
        trials: 60,
        seconds: None,
        error_rate: 0.05,
        matters: 0.03,
        search: StudySearch::Model,
        seed,
        earlier: Vec::new(),
        most_more_failures: None,
    }
}

pub(super) fn space() -> Space {
    let knob = |name: &str, domain, found: &str| SpaceKnob {
        name: name.to_owned(),
        domain,
        found: Some(found.to_owned()),
        only_if: None,
        is_hidden: false,
    };
    let levels = ["off", "info", "debug"].map(str::to_owned).to_vec();
    Space {
        knobs: vec![
            knob("threads", Domain::numbers(1.0, 256.0, 1.0, true, ""), "8"),
            knob("pool", Domain::numbers(1.0, 64.0, 1.0, true, ""), "8"),
            knob("level", Domain::Choice(levels), "info"),
            knob("nothing", Domain::numbers(1.0, 9.0, 1.0, false, ""), "5"),
        ],
        relations: vec![Relation::parse("pool <= threads").expect("a relation")],
    }
}

pub(super) fn number(space: &Space, of: &Configuration, knob: usize) -> f64 {
    let value = space.value(of, knob).expect("a value");
    value.parse().expect("a number")
}

fn study(seed: u64, surface: Surface<'_>, noise: f64, drift: f64, advice: Vec<Advised>) -> Tuned {
    study_with_failures(seed, surface, (noise, drift), advice, &[])
}

fn study_with_failures(
    seed: u64,
    surface: Surface<'_>,
    (noise, drift): (f64, f64),
    advice: Vec<Advised>,
    fails: &[usize],
) -> Tuned {
    let space = space();
    let mut bench = MadeUp {
        advice,
        noise,
        drift,
        fails_at_the_end: fails,
        ..quiet(&space, surface, seed)
    };
    let tuned = tune(&space, &settings(seed), &mut bench, &mut |_, _| {});
    assert!(tuned.records.len() <= 60, "{}", tuned.records.len());
    assert!(matches!(tuned.end, StudyEnd::Done), "{:?}", tuned.end);
    tuned
}

/// A study of so many trials, in which more threads and another level help.
fn study_of(trials: u32) -> Tuned {
    let space = space();
    let better = |space: &Space, of: &Configuration| {
        let level = if space.value(of, 2) == Some("off") {
            1.4
        } else {
            1.0
        };
        Some(100.0 * level * number(space, of, 0).min(64.0).sqrt())
    };
    let mut bench = quiet(&space, &better, 5);
    let settings = EngineSettings {
        trials,
        ..settings(5)
    };
    tune(&space, &settings, &mut bench, &mut |_, _| {})
}

/// A study in which more threads help, and runs break a constraint.
fn study_under_a_constraint(surface: Surface<'_>, breaks: Breaks<'_>) -> Tuned {
    let space = space();
    let mut bench = MadeUp {
        breaks,
        ..quiet(&space, surface, 3)
    };
    tune(&space, &settings(3), &mut bench, &mut |_, _| {})
}

#[test]
fn what_breaks_a_constraint_in_its_final_runs_is_not_kept() {
    let more_threads =
        |space: &Space, of: &Configuration| Some(100.0 * number(space, of, 0).min(64.0).sqrt());
    let at_the_end =
        |of: &Configuration, why: &Reason| *why == Reason::Final && of.changed().next().is_some();
    let tuned = study_under_a_constraint(&more_threads, &at_the_end);
    let ending = tuned.ending.as_ref().expect("an end");
    let found = ending.against_baseline.as_ref().expect("pairs");
    assert_eq!(found.verdict, Verdict::Better);
    assert_eq!(ending.kept, None);
    let kept = study_under_a_constraint(&more_threads, &|_, _| false);
    assert!(kept.ending.expect("an end").kept.is_some());
}

#[test]
fn what_meets_a_constraint_that_the_baseline_breaks_is_kept_without_a_gain() {
    let alike = |_: &Space, _: &Configuration| Some(500.0);
    let as_found = |of: &Configuration, _: &Reason| of.0[0].is_none();
    let tuned = study_under_a_constraint(&alike, &as_found);
    let ending = tuned.ending.expect("an end");
    let kept = ending.kept.expect("what meets it");
    assert!(
        kept.0[0].is_some() && kept.changed().count() == 1,
        "{kept:?}"
    );
    assert_ne!(
        ending.against_baseline.expect("pairs").verdict,
        Verdict::Better
    );
}

#[test]
fn a_budget_that_is_too_short_is_told_with_what_it_takes() {
    for trials in 2..13 {
        let tuned = study_of(trials);
        let needs = tuned.needs.expect("nothing was judged");
        assert!(needs.pairs_made < FINAL_PAIRS && kept(&tuned).is_none());
        assert!(
            needs.trials > trials && needs.pairs >= FINAL_PAIRS,
            "{needs:?}"
        );
        // What it takes is enough.
        let again = study_of(needs.trials);
        assert!(
            again.needs.is_none(),
            "{trials}: {needs:?}, {:?}",
            again.needs
        );
    }
    assert!(study_of(60).needs.is_none());
}

pub(super) fn kept(tuned: &Tuned) -> Option<&Configuration> {
    tuned.ending.as_ref()?.kept.as_ref()
}

#[test]
fn a_study_of_knobs_that_do_nothing_keeps_nothing() {
    let flat = |_: &Space, _: &Configuration| Some(500.0);
    // A walk upwards is what would fool one who measures the baseline first.
    let cases = [(0.03, 0.0), (0.05, 0.002), (0.02, -0.003)];
    let mut keeps = 0;
    let studies = 60;
    for seed in 0..studies {
        let (noise, drift) = cases[seed as usize % cases.len()];
        keeps += u32::from(kept(&study(seed, &flat, noise, drift, Vec::new())).is_some());
    }
    assert!(keeps <= 3, "{keeps} of {studies}");
}

/// What a machine does to sixty runs in a row: a level that wanders, steps as neighbours come and go, pauses that hit
/// few runs and hard.
fn weather(seed: u64) -> Vec<f64> {
    let mut rng = fastrand::Rng::with_seed(seed);
    let mut normal = move || {
        let (u, v) = (1.0 - rng.f64(), rng.f64());
        (-2.0 * u.ln()).sqrt() * (2.0 * std::f64::consts::PI * v).cos()
    };
    let (mut level, mut step) = (0.0, 0.0);
    let run = |at: usize| {
        let own = 0.02 * normal();
        // Student's t with three degrees of freedom has tails as pauses make them.
        let tail =
            normal() / ((normal().powi(2) + normal().powi(2) + normal().powi(2)) / 3.0).sqrt();
        level = 0.9 * level + 0.02 * normal();
        if at % 13 == 12 {
            step = 0.08 * normal();
        }
        match seed % 4 {
            0 => 1.5 * own,
            1 => own + level,
            2 => 0.02 * tail,
            _ => own + step,
        }
    };
    (0..61).map(run).collect()
}

#[test]
fn nothing_is_kept_by_chance_whatever_the_weather() {
    let space = space();
    let keeps_by_chance = |seed: u64| {
        let mut bench = MadeUp {
            noise: 0.0,
            weather: &weather(seed),
            ..quiet(&space, &|_, _| Some(500.0), seed)
        };
        // The test at the end does not know how it was searched; drawing is the quicker way to a best of nothing.
        let search = match seed / 4 % 5 {
            0 => StudySearch::Model,
            _ => StudySearch::Random,
        };
        let settings = EngineSettings {
            search,
            ..settings(seed)
        };
        let tuned = tune(&space, &settings, &mut bench, &mut |_, _| {});
        kept(&tuned).is_some()
    };
    let (studies, threads) = (200, 4);
    let count = |thread: u64| {
        (0..studies)
            .filter(|it| it % threads == thread && keeps_by_chance(*it))
            .count()
    };
    let keeps: usize = std::thread::scope(|scope| {
        let all: Vec<_> = (0..threads)
            .map(|thread| scope.spawn(move || count(thread)))
            .collect();
        all.into_iter().map(|it| it.join().expect("a count")).sum()
    });
    // Of a true share above 8 % so few come in fewer than 5 of 100 times (Clopper and Pearson).
    assert!(keeps <= 9, "{keeps} of {studies}");
}

#[test]
fn ten_percent_of_one_knob_are_found_and_only_that_knob_is_kept() {
    // The level costs 10 %; nothing else matters.
    let surface = |space: &Space, of: &Configuration| {
        let off = space.value(of, 2) == Some("off");
        Some(if off { 550.0 } else { 500.0 })
    };
    let studies = 24;
    let mut found = 0;
    for seed in 0..studies {
        let tuned = study(seed, &surface, 0.02, 0.001, Vec::new());
        let right = Configuration::unchanged(4).with(2, Some("off".into()));
        found += u32::from(kept(&tuned) == Some(&right));
    }
    assert!(
        f64::from(found) >= 0.8 * studies as f64,
        "{found} of {studies}"
    );
}

#[test]
fn advice_comes_first_and_knobs_that_need_each_other_are_both_kept() {
    let surface = |space: &Space, of: &Configuration| {
        let (threads, pool) = (number(space, of, 0), number(space, of, 1));
        // What is smaller limits; too many threads cost.
        Some(20.0 * threads.min(4.0 * pool).min(100.0) / (1.0 + threads / 2000.0))
    };
    let advised = |knob, value: &str| Advised {
        knob,
        value: value.to_owned(),
        finding: "thread_pool".to_owned(),
    };
    let tuned = study(
        5,
        &surface,
        0.02,
        0.0,
        vec![advised(0, "32"), advised(1, "20")],
    );
    let first = tuned.records.iter().find(|record| record.is_changed());
    assert!(matches!(
        first.map(|it| &it.why),
        Some(Reason::Advice { .. })
    ));
    let kept = kept(&tuned).expect("a gain");
    let (threads, pool) = (number(&space(), kept, 0), number(&space(), kept, 1));
    assert!(threads > 50.0 && pool > 12.0, "{kept:?}");
    assert_eq!(kept.0[3], None, "{kept:?}");
    let ending = tuned.ending.as_ref().expect("an end");
    assert!(ending.put_back.iter().any(|effect| effect.kept));
}

#[test]
fn advice_that_helps_only_with_what_is_advised_then_is_found() {
    // Three limits of one size: to raise one alone, or two, brings nothing, and costs a little.
    let surface = |space: &Space, of: &Configuration| {
        let (threads, pool) = (number(space, of, 0), number(space, of, 1));
        let all = threads.min(pool).min(8.0 * number(space, of, 3) / 5.0);
        Some(100.0 * all - 0.3 * (threads + pool))
    };
    let advised = |knob, value: &str| Advised {
        knob,
        value: value.to_owned(),
        finding: "thread_pool".to_owned(),
    };
    let space = space();
    for search in [StudySearch::AdviceOnly, StudySearch::Random] {
        let mut bench = MadeUp {
            advice: vec![advised(0, "64"), advised(1, "60"), advised(3, "9")],
            noise: 0.02,
            ..quiet(&space, &surface, 8)
        };
        let settings = EngineSettings {
            search,
            ..settings(8)
        };
        let tuned = tune(&space, &settings, &mut bench, &mut |_, _| {});
        let kept = kept(&tuned).expect("a gain");
        for knob in [0, 1, 3] {
            assert!(kept.0[knob].is_some(), "{search:?}: {kept:?}");
        }
    }
}

#[test]
fn advice_that_looks_good_and_was_not_decided_has_the_final_pairs() {
    let surface = |space: &Space, of: &Configuration| match space.value(of, 2) {
        Some("off") => Some(1200.0),
        _ => Some(1000.0),
    };
    let space = space();
    let (mut kept_by, mut decided) = (0, 0);
    for seed in 0..40 {
        let mut bench = MadeUp {
            advice: vec![Advised {
                knob: 2,
                value: "off".to_owned(),
                finding: "log_level".to_owned(),
            }],
            // It is over when the final pairs begin.
            weather: &[0.0, 0.0, 0.0, 0.3, -0.2, 0.2, -0.1, 0.3, -0.1, 0.1, -0.05],
            noise: 0.02,
            ..quiet(&space, &surface, seed)
        };
        let settings = EngineSettings {
            trials: 20,
            ..settings(seed)
        };
        let tuned = tune(&space, &settings, &mut bench, &mut |_, _| {});
        let at_the_end = tuned.records.iter().any(|it| it.why == Reason::Final);
        decided += usize::from(at_the_end);
        kept_by += usize::from(kept(&tuned).is_some());
    }
    assert!(decided >= 36 && kept_by >= 25, "{decided} {kept_by}");
}

#[test]
fn one_unlucky_run_does_not_end_a_study() {
    // Each third start is a slow one, and the only candidate's first run falls on it.
    let surface = |space: &Space, of: &Configuration| match space.value(of, 2) {
        Some("off") => Some(1300.0),
        _ => Some(1000.0),
    };
    let mut space = space();
    space.knobs = vec![SpaceKnob {
        domain: Domain::Choice(["info", "off"].map(str::to_owned).to_vec()),
        ..space.knobs[2].clone()
    }];
    space.relations.clear();
    let surface = |_: &Space, of: &Configuration| {
        surface(
            &super::tests::space(),
            &Configuration(vec![None, None, of.0[0].clone(), None]),
        )
    };
    let mut compared = 0;
    for seed in 0..20 {
        let weather: Vec<f64> = (0..60)
            .map(|run| if run % 3 == 0 { -0.5 } else { 0.0 })
            .collect();
        let mut bench = MadeUp {
            weather: &weather,
            noise: 0.02,
            ..quiet(&space, &surface, seed)
        };
        let tuned = tune(&space, &settings(seed), &mut bench, &mut |_, _| {});
        let changed = tuned.records.iter().filter(|it| it.is_changed());
        assert!(changed.count() > 3, "{seed}");
        compared += usize::from(tuned.records.iter().any(|it| it.why == Reason::Final));
    }
    assert!(compared >= 10, "{compared}");
}

#[test]
fn who_refuses_work_is_no_better() {
    let space = space();
    let surface = |space: &Space, of: &Configuration| Some(100.0 * number(space, of, 0).min(64.0));
    let fails = |of: &Configuration| if of.0[0].is_some() { 0.3 } else { 0.0 };
    for (most, keeps) in [(Some(0.01), false), (None, true)] {
        let mut bench = MadeUp {
            fails: &fails,
            ..quiet(&space, &surface, 3)
        };
        let settings = EngineSettings {
            most_more_failures: most,
            ..settings(3)
        };
        let tuned = tune(&space, &settings, &mut bench, &mut |_, _| {});
        let of = kept(&tuned).and_then(|kept| kept.0[0].clone());
        assert_eq!(of.is_some(), keeps, "{of:?}");
    }
}

#[test]
fn advice_whose_value_differs_from_run_to_run_is_taken_once() {
    let surface = |_: &Space, _: &Configuration| Some(500.0);
    let advised = |value: &str| Advised {
        knob: 0,
        value: value.to_owned(),
        finding: "thread_pool".to_owned(),
    };
    let all = ["115", "116", "117", "118"].map(advised).to_vec();
    let tuned = study(4, &surface, 0.05, 0.0, all);
    let by_advice = tuned.records.iter();
    let tried: Vec<_> = by_advice
        .filter(|it| matches!(it.why, Reason::Advice { .. }))
        .map(|it| &it.configuration)
        .collect();
    assert!(!tried.is_empty() && tried.iter().all(|of| *of == tried[0]));
}

#[test]
fn an_earlier_study_spares_the_search() {
    let surface = |space: &Space, of: &Configuration| {
        let (threads, pool) = (number(space, of, 0), number(space, of, 1));
        Some(20.0 * threads.min(4.0 * pool).min(100.0) / (1.0 + threads / 2000.0))
    };
    let space = space();
    let first = study(11, &surface, 0.02, 0.0, Vec::new());
    let scored = |record: &Record| score_of(record, &settings(11), 1.0);
    let found = first.records.iter().filter(|it| it.why == Reason::Baseline);
    let baseline = found.filter_map(scored).sum::<f64>() / BASELINES as f64;
    let earlier = first.records.iter().map(|record| EarlierTrial {
        of: record.configuration.clone(),
        score: scored(record).map(|score| score - baseline),
    });
    // As many trials as the end needs, and four more.
    let settings = EngineSettings {
        trials: 2 + LEAST_END + 4,
        earlier: earlier.collect(),
        ..settings(12)
    };
    let slower_today = |space: &Space, of: &Configuration| surface(space, of).map(|it| 0.7 * it);
    let mut bench = MadeUp {
        noise: 0.02,
        ..quiet(&space, &slower_today, 12)
    };
    let tuned = tune(&space, &settings, &mut bench, &mut |_, _| {});
    let kept = kept(&tuned).expect("a gain");
    assert!(number(&space, kept, 0) > 50.0, "{kept:?}");
}

#[test]
fn configurations_that_do_not_start_are_results() {
    let surface = |space: &Space, of: &Configuration| {
        let threads = number(space, of, 0);
        (threads < 100.0).then_some(100.0 + threads)
    };
    let failed = |tuned: &Tuned| {
        let all = tuned.records.iter();
        all.filter(|record| record.measured().is_none()).count()
    };
    // One seed says little.
    let studies: Vec<Tuned> = (1..=6)
        .map(|seed| study(seed, &surface, 0.02, 0.0, Vec::new()))
        .collect();
    let all: usize = studies.iter().map(failed).sum();
    assert!(all < 15 * studies.len(), "{all}");
    let tuned = &studies[2];
    let kept = kept(tuned).expect("a gain");
    let threads = number(&space(), kept, 0);
    assert!((60.0..100.0).contains(&threads), "{kept:?}");
}

#[test]
fn a_start_that_fails_by_chance_does_not_throw_a_study_away() {
    let surface = |space: &Space, of: &Configuration| {
        let off = space.value(of, 2) == Some("off");
        Some(if off { 700.0 } else { 500.0 })
    };
    let right = Configuration::unchanged(4).with(2, Some("off".into()));
    for fails in [&[0_usize][..], &[3]] {
        let tuned = study_with_failures(2, &surface, (0.02, 0.0), Vec::new(), fails);
        assert_eq!(kept(&tuned), Some(&right), "{fails:?}");
    }
    // One that fails again and again is none that anybody wants.
    let fails: Vec<usize> = (0..60).collect();
    let tuned = study_with_failures(2, &surface, (0.02, 0.0), Vec::new(), &fails);
    assert_eq!(kept(&tuned), None);
    assert!(!tuned.is_judged);
    // The next best is tried in its place.
    let last = |record: &&Record| record.why == Reason::Final && record.is_changed();
    for record in tuned.records.iter().filter(last) {
        let own = runs_of(&tuned.records, &record.configuration);
        let failed = own.filter(|it| it.measured().is_none()).count();
        assert!((2..=4).contains(&failed), "{failed}");
    }
}

#[test]
fn a_baseline_that_does_not_start_ends_the_study() {
    let space = space();
    let mut bench = MadeUp {
        noise: 0.0,
        ..quiet(&space, &|_, _| None, 1)
    };
    let tuned = tune(&space, &settings(1), &mut bench, &mut |_, _| {});
    assert!(matches!(tuned.end, StudyEnd::NoBaseline));
    assert_eq!(tuned.records.len(), 1);
}
