//! How the search of a study goes on.

use super::*;

#[test]
fn a_search_goes_on_while_all_breaks_a_constraint() {
    let alike = |_: &Space, _: &Configuration| Some(500.0);
    let space = space();
    // A small part of the space, far from what was found.
    let breaks = |of: &Configuration, _: &Reason| number(&space, of, 0) < 100.0;
    let tuned = study_under_a_constraint(&alike, &breaks);
    let kept = kept(&tuned).expect("what meets it");
    assert!(number(&space, kept, 0) >= 100.0, "{kept:?}");
    // Where nothing does, all trials of the search are made.
    let tuned = study_under_a_constraint(&alike, &|_, _| true);
    assert!(tuned.records.len() > 30, "{}", tuned.records.len());
    assert_eq!(self::kept(&tuned), None);
}

/// A target whose best does not start when it is measured once more for the first time.
struct FailsOnce<'a> {
    inner: MadeUp<'a>,
    failed: Option<Configuration>,
}

impl TrialBench for FailsOnce<'_> {
    fn trial(&mut self, of: &Configuration, ask: &TrialAsk) -> Result<(TrialEnd, f64), Message> {
        let made = self.inner.trial(of, ask)?;
        if ask.reason != Reason::Incumbent || self.failed.is_some() {
            return Ok(made);
        }
        self.failed = Some(of.clone());
        let failed = TrialEnd::Failed {
            what: FailedTrial::DoesNotStart,
            detail: String::new(),
        };
        Ok((failed, 1.0))
    }
}

#[test]
fn the_best_is_not_given_up_for_one_start_that_fails() {
    let space = space();
    let surface = |space: &Space, of: &Configuration| Some(100.0 * number(space, of, 0).min(64.0));
    for seed in 0..4 {
        let mut bench = FailsOnce {
            inner: quiet(&space, &surface, seed),
            failed: None,
        };
        let tuned = tune(&space, &settings(seed), &mut bench, &mut |_, _| {});
        let failed = bench.failed.expect("a start that fails");
        let own: Vec<&Record> = runs_of(&tuned.records, &failed).collect();
        let at = own
            .iter()
            .position(|it| it.measured().is_none())
            .expect("it");
        let again = own.get(at + 1).expect("it is made again");
        assert_eq!(
            (again.number, &again.why),
            (own[at].number + 1, &Reason::Incumbent)
        );
    }
}

#[test]
fn a_study_of_one_long_range_gets_nearer_than_the_values_that_stand_for_all() {
    let mut space = space();
    space.relations.clear();
    space.knobs = vec![SpaceKnob {
        name: "threads".to_owned(),
        domain: Domain::numbers(8.0, 400.0, 1.0, false, ""),
        found: Some("200".to_owned()),
        only_if: None,
        is_hidden: false,
    }];
    // The best, 20 to 30, lies between the first two of twelve.
    let surface = |space: &Space, of: &Configuration| {
        let threads = number(space, of, 0);
        Some(1000.0 * (-(threads / 25.0).ln().powi(2)).exp())
    };
    let near = (0..6).filter(|seed| {
        let mut bench = quiet(&space, &surface, *seed);
        let tuned = tune(&space, &settings(*seed), &mut bench, &mut |_, _| {});
        kept(&tuned).is_some_and(|kept| (17.0..=36.0).contains(&number(&space, kept, 0)))
    });
    assert!(near.count() >= 5);
}

#[test]
fn what_was_never_measured_does_not_have_the_final_pairs() {
    let space = space();
    let surface = |space: &Space, of: &Configuration| Some(100.0 * number(space, of, 0).sqrt());
    for trials in 13..18 {
        for seed in 0..10 {
            let mut bench = quiet(&space, &surface, seed);
            let settings = EngineSettings {
                trials,
                ..settings(seed)
            };
            let tuned = tune(&space, &settings, &mut bench, &mut |_, _| {});
            let is_last = |it: &&Record| it.why == Reason::Final && it.is_changed();
            if let Some(last) = tuned.records.iter().find(is_last) {
                let own = runs_of(&tuned.records, &last.configuration);
                let measured = own.filter(|it| it.why != Reason::Final).count();
                assert!(measured > 0, "{trials} {seed}: {:?}", last.configuration);
            }
        }
    }
}

/// A target on which what is compared at the end dies: the first configuration of all, or each.
struct DiesAtTheEnd<'a> {
    inner: MadeUp<'a>,
    all: bool,
    dead: Option<Configuration>,
    finals: usize,
}

impl TrialBench for DiesAtTheEnd<'_> {
    fn trial(&mut self, of: &Configuration, ask: &TrialAsk) -> Result<(TrialEnd, f64), Message> {
        let made = self.inner.trial(of, ask)?;
        if ask.reason != Reason::Final || of.changed().next().is_none() {
            return Ok(made);
        }
        self.finals += 1;
        let dead = self.dead.get_or_insert_with(|| of.clone());
        if (self.all || of == dead) && self.finals > 1 {
            let died = TrialEnd::Failed {
                what: FailedTrial::Died,
                detail: String::new(),
            };
            return Ok((died, 1.0));
        }
        Ok(made)
    }
}

#[test]
fn where_the_best_dies_at_the_end_the_next_best_is_compared() {
    let space = space();
    let surface = |space: &Space, of: &Configuration| Some(100.0 * number(space, of, 0).min(64.0));
    for (seed, all) in [(1, false), (2, false), (3, false), (1, true), (2, true)] {
        let mut bench = DiesAtTheEnd {
            inner: quiet(&space, &surface, seed),
            all,
            dead: None,
            finals: 0,
        };
        let tuned = tune(&space, &settings(seed), &mut bench, &mut |_, _| {});
        let dead = bench.dead.expect("a best");
        assert_eq!(tuned.is_judged, !all, "{seed}");
        assert_eq!(kept(&tuned).is_some(), !all, "{seed}");
        assert!(kept(&tuned).is_none_or(|kept| *kept != dead), "{seed}");
        assert_eq!(tuned.needs, None, "{seed}");
    }
}

#[test]
fn where_nothing_changed_could_be_measured_the_search_goes_on() {
    // Starts as it was found alone.
    let surface = |_: &Space, of: &Configuration| of.changed().next().is_none().then_some(100.0);
    for seed in 1..=4 {
        let tuned = study(seed, &surface, 0.02, 0.0, Vec::new());
        let changed = tuned.records.iter().filter(|it| it.is_changed()).count();
        assert!(changed >= 30, "{seed}: {changed}");
    }
}
