//! What the end of a study keeps.

use super::super::ending::ending;
use super::*;

/// A target whose runs are as they are said to be: by their configuration, why they are made, and how many of that
/// configuration were made for that before.
struct AsSaid<'a> {
    value: &'a dyn Fn(&Configuration) -> f64,
    fails: Happens<'a>,
    how: FailedTrial,
    breaks: Happens<'a>,
    noise: f64,
    rng: fastrand::Rng,
    made: Vec<(Configuration, Reason)>,
}

type Happens<'a> = &'a dyn Fn(&Configuration, &Reason, usize) -> bool;

const NEVER: Happens<'static> = &|_, _, _| false;

impl<'a> AsSaid<'a> {
    fn new(value: &'a dyn Fn(&Configuration) -> f64, noise: f64, seed: u64) -> Self {
        Self {
            value,
            fails: NEVER,
            how: FailedTrial::DoesNotStart,
            breaks: NEVER,
            noise,
            rng: fastrand::Rng::with_seed(seed),
            made: Vec::new(),
        }
    }
}

impl TrialBench for AsSaid<'_> {
    fn trial(&mut self, of: &Configuration, ask: &TrialAsk) -> Result<(TrialEnd, f64), Message> {
        let own = (of.clone(), ask.reason.clone());
        let before = self.made.iter().filter(|it| **it == own).count();
        self.made.push(own);
        if (self.fails)(of, &ask.reason, before) {
            let failed = TrialEnd::Failed {
                what: self.how,
                detail: String::new(),
            };
            return Ok((failed, 1.0));
        }
        let (u, v) = (1.0 - self.rng.f64(), self.rng.f64());
        let normal = (-2.0 * u.ln()).sqrt() * (2.0 * std::f64::consts::PI * v).cos();
        let broken = (self.breaks)(of, &ask.reason, before).then(|| "p99 < 300 ms".to_owned());
        let measured = Measured {
            objective: (self.value)(of) * (self.noise * normal).exp(),
            broken: broken.into_iter().collect(),
            ..Measured::default()
        };
        Ok((TrialEnd::Measured(Box::new(measured)), 1.0))
    }
}

const GZIP: usize = 0;
const LEVEL: usize = 1;
const THREADS: usize = 2;
const POOL: usize = 3;

/// A level that counts with gzip alone, and a pool that needs its threads.
fn linked() -> Space {
    let knob = |name: &str, domain, found: &str, only_if: Option<&str>| SpaceKnob {
        name: name.to_owned(),
        domain,
        found: Some(found.to_owned()),
        only_if: only_if.map(|text| Relation::parse(text).expect("a relation")),
        is_hidden: false,
    };
    let words = ["off", "on"].map(str::to_owned).to_vec();
    let number = |to| Domain::numbers(1.0, to, 1.0, false, "");
    Space {
        knobs: vec![
            knob("gzip", Domain::Choice(words), "off", None),
            knob("gzip-level", number(9.0), "1", Some("gzip = on")),
            knob("threads", number(64.0), "8", None),
            knob("pool", number(64.0), "8", None),
        ],
        relations: vec![Relation::parse("pool <= threads").expect("a relation")],
    }
}

fn with(changes: &[(usize, &str)]) -> Configuration {
    changes
        .iter()
        .fold(Configuration::unchanged(4), |of, (knob, value)| {
            of.with(*knob, Some((*value).to_owned()))
        })
}

/// The end of a study of so many trials whose search has found a best.
fn ended(best: &Configuration, trials: u32, bench: &mut AsSaid<'_>) -> (Ending, Vec<Record>) {
    let space = linked();
    let settings = EngineSettings {
        trials,
        ..settings(1)
    };
    let mut hear = |_: &Record, _: &Configuration| {};
    let mut book = Book::new(&space, &settings, bench, &mut hear);
    let baseline = Configuration::unchanged(4);
    for _ in 0..BASELINES {
        book.trial(&baseline, Reason::Baseline).expect("a trial");
    }
    book.set_scale();
    book.incumbent = best.clone();
    let ending = ending(&mut book, best).expect("an end");
    (ending, book.records)
}

fn is_kept(ending: &Ending, knob: usize) -> bool {
    let kept = ending.kept.as_ref();
    kept.is_some_and(|kept| kept.0[knob].is_some())
}

#[test]
fn a_gain_is_not_lost_with_a_knob_that_others_need() {
    let better = |of: &Configuration| match of.0[GZIP] {
        Some(_) => 106.0,
        None => 100.0,
    };
    let best = with(&[(GZIP, "on"), (LEVEL, "5")]);
    let mut shown = 0;
    for seed in 0..40 {
        let trials = 24 + 4 * (seed as u32 % 10);
        let (ending, _) = ended(&best, trials, &mut AsSaid::new(&better, 0.03, seed));
        if ending.kept.is_some() {
            shown += 1;
            assert!(is_kept(&ending, GZIP), "{seed}: {ending:?}");
        }
        // Without gzip nothing is left, which is what the final pairs have tested.
        assert!(ending.put_back.iter().all(|effect| effect.knob != GZIP));
    }
    assert!(shown > 10, "{shown}");
}

#[test]
fn no_two_runs_of_a_pair_are_of_the_same() {
    let better = |of: &Configuration| match of.0[THREADS] {
        Some(_) => 200.0,
        None => 100.0,
    };
    let all = with(&[(GZIP, "on"), (LEVEL, "5"), (THREADS, "32"), (POOL, "16")]);
    for seed in 0..10 {
        let (ending, records) = ended(&all, 100, &mut AsSaid::new(&better, 0.01, seed));
        for pair in records[BASELINES..].chunks(2) {
            assert_ne!(pair[0].configuration, pair[1].configuration, "{seed}");
        }
        let kept = ending.kept.expect("a gain");
        assert!(
            kept.0[GZIP].is_none() && kept.0[LEVEL].is_none(),
            "{kept:?}"
        );
        for effect in &ending.put_back {
            assert_eq!(effect.kept, kept.0[effect.knob].is_some(), "{effect:?}");
        }
    }
}

#[test]
fn what_a_relation_forbids_to_put_back_is_tried_again_later() {
    let better = |of: &Configuration| match of.0[GZIP] {
        Some(_) => 200.0,
        None => 100.0,
    };
    let best = with(&[(GZIP, "on"), (THREADS, "32"), (POOL, "16")]);
    for seed in 0..10 {
        let (ending, _) = ended(&best, 100, &mut AsSaid::new(&better, 0.01, seed));
        assert_eq!(ending.kept, Some(with(&[(GZIP, "on")])), "{seed}");
    }
}

#[test]
fn a_start_that_fails_by_chance_makes_no_knob_needed_nor_useless() {
    let better = |of: &Configuration| match of.0[GZIP] {
        Some(_) => 200.0,
        None => 100.0,
    };
    let best = with(&[(GZIP, "on"), (THREADS, "32")]);
    let put_back = |why: &Reason| matches!(why, Reason::PutBack { .. });
    for first in 0..3 {
        // What is put back fails once, then what it is compared with.
        let (once, other) = (
            |_: &Configuration, why: &Reason, before| put_back(why) && before == first,
            |of: &Configuration, why: &Reason, before| {
                *why == Reason::Final && of.0[THREADS].is_some() && before == 5 + first
            },
        );
        for fails in [&once as Happens<'_>, &other] {
            let mut bench = AsSaid {
                fails,
                ..AsSaid::new(&better, 0.01, 3)
            };
            let (ending, _) = ended(&best, 100, &mut bench);
            assert_eq!(ending.kept, Some(with(&[(GZIP, "on")])), "{first}");
        }
    }
    // Without threads it never starts.
    let mut bench = AsSaid {
        fails: &|of, why, _| put_back(why) && of.0[THREADS].is_none(),
        ..AsSaid::new(&better, 0.01, 3)
    };
    let (ending, records) = ended(&best, 100, &mut bench);
    assert_eq!(ending.kept, Some(best.clone()));
    let tries = records.iter().filter(|it| it.measured().is_none()).count();
    assert_eq!(tries, 2);
    // What is compared with it does not start any more: that says nothing of any knob.
    let mut bench = AsSaid {
        fails: &|of, why, before| *why == Reason::Final && of == &best && before > 5,
        ..AsSaid::new(&better, 0.01, 3)
    };
    let (ending, _) = ended(&best, 100, &mut bench);
    assert!(ending.put_back.iter().all(|it| it.duel.failed.is_none()));
}

#[test]
fn what_is_kept_to_meet_constraints_meets_them() {
    let flat = |_: &Configuration| 100.0;
    let best = with(&[(GZIP, "on"), (THREADS, "32")]);
    for period in 2..6 {
        for trials in 12..50 {
            let mut bench = AsSaid {
                breaks: &|of, _, before| match (of.0[GZIP].is_some(), of.0[THREADS].is_some()) {
                    (true, true) => false,
                    (true, false) => before % period == 1,
                    _ => true,
                },
                ..AsSaid::new(&flat, 0.02, u64::from(trials))
            };
            let (ending, records) = ended(&best, trials, &mut bench);
            let kept = ending.kept.expect("what meets them");
            let own = || runs_of(&records, &kept).filter_map(Record::measured);
            assert!(own().count() >= FINAL_PAIRS, "{period} {trials}: {kept:?}");
            let broken = own().filter(|it| !it.broken.is_empty()).count();
            assert!(
                5 * broken <= own().count(),
                "{period} {trials}: {kept:?} {broken}"
            );
        }
    }
}

#[test]
fn what_is_kept_breaks_no_constraint_too_often() {
    let better = |of: &Configuration| match of.0[GZIP] {
        Some(_) => 200.0,
        None => 100.0,
    };
    let best = with(&[(GZIP, "on"), (THREADS, "32")]);
    for trials in 14..60 {
        let mut bench = AsSaid {
            // Threads bring no throughput, and without them every other run is too slow.
            breaks: &|of, _, before| {
                of.0[GZIP].is_some() && of.0[THREADS].is_none() && before % 2 == 1
            },
            ..AsSaid::new(&better, 0.02, u64::from(trials))
        };
        let (ending, records) = ended(&best, trials, &mut bench);
        let kept = ending.kept.expect("a gain");
        let own = || runs_of(&records, &kept).filter_map(Record::measured);
        let broken = own().filter(|it| !it.broken.is_empty()).count();
        assert!(5 * broken <= own().count(), "{trials}: {kept:?} {broken}");
    }
}

#[test]
fn what_somebody_refuses_is_not_asked_again_and_shows_no_need() {
    let better = |of: &Configuration| match of.0[GZIP] {
        Some(_) => 200.0,
        None => 100.0,
    };
    let best = with(&[(GZIP, "on"), (THREADS, "32")]);
    let mut bench = AsSaid {
        fails: &|_, why, _| matches!(why, Reason::PutBack { .. }),
        how: FailedTrial::NotApproved,
        ..AsSaid::new(&better, 0.01, 3)
    };
    let (ending, records) = ended(&best, 100, &mut bench);
    assert_eq!(ending.kept, Some(best));
    assert!(ending.put_back.is_empty(), "{ending:?}");
    let refused = records.iter().filter(|it| it.is_refused()).count();
    assert_eq!(refused, 2, "each knob is asked for once");
}

#[test]
fn what_is_kept_was_judged() {
    let flat = |_: &Configuration| 100.0;
    let space = linked();
    let mut kept = 0;
    for trials in 16..40 {
        let mut bench = AsSaid {
            breaks: &|of, _, _| of.0[GZIP].is_none(),
            // The target as it was found does not start any more after some final pairs.
            fails: &|of, why, before| {
                *why == Reason::Final && of.changed().next().is_none() && before >= 3
            },
            ..AsSaid::new(&flat, 0.02, u64::from(trials))
        };
        let settings = EngineSettings {
            trials,
            ..settings(1)
        };
        let tuned = tune(&space, &settings, &mut bench, &mut |_, _| {});
        if tuned.ending.is_some_and(|ending| ending.kept.is_some()) {
            kept += 1;
            assert!(tuned.is_judged, "{trials}");
        }
    }
    assert!(kept > 0);
}

#[test]
fn a_baseline_that_was_measured_and_fails_once_is_made_again() {
    let flat = |_: &Configuration| 100.0;
    let space = linked();
    for (failing, ends) in [(0, true), (1, false)] {
        let mut bench = AsSaid {
            fails: &|_, why, before| *why == Reason::Baseline && before == failing,
            ..AsSaid::new(&flat, 0.02, 1)
        };
        let tuned = tune(&space, &settings(1), &mut bench, &mut |_, _| {});
        assert_eq!(matches!(tuned.end, StudyEnd::NoBaseline), ends);
    }
}

#[test]
fn fewer_pairs_than_are_promised_decide_nothing() {
    let better = |of: &Configuration| 100.0 + 100.0 * of.changed().count() as f64;
    let best = with(&[(THREADS, "32")]);
    for trials in 2..12 {
        let (ending, _) = ended(&best, trials, &mut AsSaid::new(&better, 1e-4, 1));
        let duel = ending.against_baseline.expect("a duel");
        assert_eq!(
            (ending.kept, duel.verdict),
            (None, Verdict::Open),
            "{trials}"
        );
    }
    // The target as it was found does not start any more.
    let mut bench = AsSaid {
        fails: &|_, why, before| *why == Reason::Final && before >= 4,
        ..AsSaid::new(&better, 1e-4, 1)
    };
    assert_eq!(ended(&best, 60, &mut bench).0.kept, None);
    let (ending, _) = ended(&best, 12, &mut AsSaid::new(&better, 1e-4, 1));
    assert_eq!(ending.kept, Some(best));
}

#[test]
fn runs_of_one_configuration_tell_the_noise() {
    let flat = |_: &Configuration| 100.0;
    for (noise, seed) in [(0.01, 1), (0.05, 2), (0.15, 3), (0.4, 4)] {
        let mut bench = AsSaid::new(&flat, noise, seed);
        let space = linked();
        let settings = settings(1);
        let mut hear = |_: &Record, _: &Configuration| {};
        let mut book = Book::new(&space, &settings, &mut bench, &mut hear);
        for _ in 0..30 {
            let own = Configuration::unchanged(4);
            book.trial(&own, Reason::Baseline).expect("a trial");
        }
        let share = book.run_variance().sqrt() / noise;
        assert!((0.6..1.6).contains(&share), "{noise}: {share}");
    }
}

#[test]
fn noise_of_earlier_pairs_puts_nothing_back() {
    let better = |of: &Configuration| match (&of.0[GZIP], &of.0[THREADS]) {
        (Some(_), Some(_)) => 184.0,
        (Some(_), None) => 123.0,
        (None, Some(_)) => 150.0,
        _ => 100.0,
    };
    let best = with(&[(GZIP, "on"), (THREADS, "32")]);
    for seed in 0..10 {
        let mut bench = AsSaid::new(&better, 0.004, seed);
        let space = linked();
        let settings = EngineSettings {
            trials: 60,
            ..settings(1)
        };
        let mut hear = |_: &Record, _: &Configuration| {};
        let mut book = Book::new(&space, &settings, &mut bench, &mut hear);
        book.noise = crate::judge::Noise {
            squares: 12.0 * 0.24 * 0.24,
            freedom: 12.0,
        };
        let ending = ending(&mut book, &best).expect("an end");
        assert_eq!(ending.kept.as_ref(), Some(&best), "{seed}: {ending:?}");
        assert!(ending.put_back.iter().all(|it| it.duel.interval.0 > 0.0));
    }
}

#[test]
fn what_looks_as_if_it_brought_something_has_further_pairs_before_it_is_put_back() {
    let better = |of: &Configuration| match (&of.0[GZIP], &of.0[THREADS]) {
        (Some(_), Some(_)) => 220.0,
        (Some(_), None) => 200.0,
        (None, Some(_)) => 110.0,
        _ => 100.0,
    };
    let best = with(&[(GZIP, "on"), (THREADS, "32")]);
    let mut further = 0;
    for seed in 0..40 {
        let (ending, records) = ended(&best, 45, &mut AsSaid::new(&better, 0.05, seed));
        for effect in &ending.put_back {
            let pairs = &effect.duel.pairs;
            further += usize::from(pairs.count() > 5);
            let looks_good = pairs.mean() > 0.03 && !effect.kept;
            let has_all = pairs.count() == 12 || records.len() >= 44;
            assert!(!looks_good || has_all, "{seed}: {effect:?}");
        }
    }
    assert!(further > 10, "{further}");
}

#[test]
fn what_looks_like_a_gain_is_decided_while_trials_are_left() {
    let best = with(&[(GZIP, "on")]);
    let kept_of_40 = |gain: f64, trials: u32| {
        let better = |of: &Configuration| match of.0[GZIP] {
            Some(_) => 100.0 * (1.0 + gain),
            None => 100.0,
        };
        let kept = |seed| {
            let mut bench = AsSaid::new(&better, 0.09, seed);
            ended(&best, trials, &mut bench).0.kept.is_some()
        };
        (0..40).filter(|seed| kept(*seed)).count()
    };
    let (of_few, of_many) = (kept_of_40(0.12, 26), kept_of_40(0.12, 120));
    assert!(of_few < 20 && of_many > 36, "{of_few} {of_many}");
    let by_chance = kept_of_40(0.0, 120);
    assert!(by_chance <= 5, "{by_chance}");
}

#[test]
fn effects_of_sums_are_relative_to_the_target_beside_them() {
    let better = |of: &Configuration| match of.0[THREADS] {
        Some(_) => 124.4,
        None => 100.0,
    };
    let best = with(&[(THREADS, "32")]);
    let space = linked();
    let settings = EngineSettings {
        by_ratio: false,
        ..settings(1)
    };
    // The first two starts are slow.
    let slow = |of: &Configuration, why: &Reason| match why {
        Reason::Baseline => 0.5 * better(of),
        _ => better(of),
    };
    let mut bench = SlowAtFirst(&slow);
    let mut hear = |_: &Record, _: &Configuration| {};
    let mut book = Book::new(&space, &settings, &mut bench, &mut hear);
    for _ in 0..BASELINES {
        let own = Configuration::unchanged(4);
        book.trial(&own, Reason::Baseline).expect("a trial");
    }
    book.set_scale();
    book.incumbent = best.clone();
    let ending = ending(&mut book, &best).expect("an end");
    let duel = ending.against_baseline.expect("pairs");
    assert!((duel.pairs.mean() - 0.244).abs() < 1e-9, "{duel:?}");
    assert!((duel.interval.0 - 0.244).abs() < 1e-6, "{duel:?}");
}

/// A target whose objective hangs on why a run is made.
struct SlowAtFirst<'a>(&'a dyn Fn(&Configuration, &Reason) -> f64);

impl TrialBench for SlowAtFirst<'_> {
    fn trial(&mut self, of: &Configuration, ask: &TrialAsk) -> Result<(TrialEnd, f64), Message> {
        let measured = Measured {
            objective: (self.0)(of, &ask.reason),
            ..Measured::default()
        };
        Ok((TrialEnd::Measured(Box::new(measured)), 1.0))
    }
}
