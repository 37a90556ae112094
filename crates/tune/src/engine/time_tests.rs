//! Studies whose trials take more or less time.

#![allow(clippy::expect_used)]

use super::tests::{MadeUp, kept, number, quiet, settings, space};
use super::*;
use crate::trial::{FailedTrial, TrialAsk, TrialEnd, TrialLook};

/// A target whose trials take so long.
struct Timed<'a> {
    inner: MadeUp<'a>,
    takes_s: &'a dyn Fn(&Configuration, &TrialAsk) -> f64,
}

impl TrialBench for Timed<'_> {
    fn trial(&mut self, of: &Configuration, ask: &TrialAsk) -> Result<(TrialEnd, f64), Message> {
        let (end, _) = self.inner.trial(of, ask)?;
        Ok((end, (self.takes_s)(of, ask)))
    }
}

/// The same, whose first trial is looked at with captures.
struct Looked<'a>(Timed<'a>, f64);

impl TrialBench for Looked<'_> {
    fn trial(&mut self, of: &Configuration, ask: &TrialAsk) -> Result<(TrialEnd, f64), Message> {
        let (mut end, seconds) = self.0.trial(of, ask)?;
        if ask.number > 1 {
            return Ok((end, seconds));
        }
        if let TrialEnd::Measured(measured) = &mut end {
            measured.look = Some(TrialLook {
                run: "look".to_owned(),
                seconds: self.1,
            });
        }
        Ok((end, seconds + self.1))
    }
}

#[test]
fn a_look_with_captures_leaves_the_trials_to_come_as_short_as_they_are() {
    let space = space();
    let surface = |space: &Space, of: &Configuration| Some(100.0 * number(space, of, 0).min(64.0));
    for look_s in [0.0, 10.0, 30.0] {
        let timed = Timed {
            inner: quiet(&space, &surface, 5),
            takes_s: &|_, _| 10.0,
        };
        let settings = EngineSettings {
            seconds: Some(300.0 + look_s),
            ..settings(5)
        };
        let tuned = tune(
            &space,
            &settings,
            &mut Looked(timed, look_s),
            &mut |_, _| {},
        );
        assert!(
            tuned.records.len() > 20,
            "{look_s}: {}",
            tuned.records.len()
        );
        assert!(kept(&tuned).is_some(), "{look_s}");
    }
}

#[test]
fn pairs_that_were_made_are_kept_when_the_time_is_over_in_the_next() {
    let space = space();
    let surface = |space: &Space, of: &Configuration| Some(100.0 * number(space, of, 0).min(64.0));
    let takes_s = |of: &Configuration, ask: &TrialAsk| match ask.reason {
        // What nobody could foresee.
        Reason::Final if of.changed().next().is_some() => 27.0,
        _ => 10.0,
    };
    for seconds in [300.0, 310.0, 320.0, 330.0] {
        let mut bench = Timed {
            inner: quiet(&space, &surface, 5),
            takes_s: &takes_s,
        };
        let settings = EngineSettings {
            seconds: Some(seconds),
            ..settings(5)
        };
        let tuned = tune(&space, &settings, &mut bench, &mut |_, _| {});
        let last = tuned.records.iter().filter(|it| it.why == Reason::Final);
        let duel = tuned.ending.and_then(|ending| ending.against_baseline);
        let pairs = duel.map_or(0, |duel| duel.pairs.count());
        assert_eq!(pairs, last.count() / 2, "{seconds}");
        assert!(pairs > 0, "{seconds}");
    }
}

#[test]
fn what_time_was_not_left_to_test_is_not_put_back() {
    let space = space();
    let surface = |space: &Space, of: &Configuration| {
        let level = match space.value(of, 2) {
            Some("off") => 3.0,
            _ => 1.0,
        };
        Some(100.0 * level * number(space, of, 0).min(64.0))
    };
    let takes_s = |_: &Configuration, _: &TrialAsk| 10.0;
    let (mut whole, mut cut) = (0, 0);
    for seconds in (200..=480).step_by(10) {
        let mut bench = Timed {
            inner: quiet(&space, &surface, 11),
            takes_s: &takes_s,
        };
        let settings = EngineSettings {
            seconds: Some(f64::from(seconds)),
            ..settings(11)
        };
        let tuned = tune(&space, &settings, &mut bench, &mut |_, _| {});
        let Some(ending) = tuned.ending else { continue };
        let Some(kept) = ending.kept else { continue };
        for knob in [0, 2] {
            let is_best = tuned.best.0[knob].is_some();
            assert!(!is_best || kept.0[knob].is_some(), "{seconds}: {knob}");
        }
        for effect in &ending.put_back {
            assert!(effect.kept || !effect.duel.cut, "{seconds}: {effect:?}");
        }
        match ending.put_back.len() {
            0 | 1 => cut += 1,
            _ => whole += 1,
        }
    }
    assert!(whole > 0 && cut > 0, "{whole} {cut}");
}

#[test]
fn the_time_of_the_pairs_is_kept_though_other_trials_are_quicker() {
    let space = space();
    let surface = |space: &Space, of: &Configuration| Some(100.0 * number(space, of, 0).min(64.0));
    // The target as it was found takes long to become steady.
    let takes_s = |of: &Configuration, _: &TrialAsk| match of.changed().next() {
        None => 30.0,
        Some(_) => 10.0,
    };
    let mut bench = Timed {
        inner: quiet(&space, &surface, 7),
        takes_s: &takes_s,
    };
    let settings = EngineSettings {
        seconds: Some(480.0),
        ..settings(7)
    };
    let tuned = tune(&space, &settings, &mut bench, &mut |_, _| {});
    let duel = tuned.ending.and_then(|ending| ending.against_baseline);
    assert!(duel.expect("pairs").pairs.count() >= 5);
}

/// A target that hangs for a minute in its start when something is tried for the first time; all else takes 10 s.
struct HangsOnce<'a> {
    inner: MadeUp<'a>,
    has_hung: bool,
}

impl TrialBench for HangsOnce<'_> {
    fn trial(&mut self, of: &Configuration, ask: &TrialAsk) -> Result<(TrialEnd, f64), Message> {
        let (end, _) = self.inner.trial(of, ask)?;
        if self.has_hung || of.changed().next().is_none() {
            return Ok((end, 10.0));
        }
        self.has_hung = true;
        let hangs = TrialEnd::Failed {
            what: FailedTrial::HangsInStart,
            detail: String::new(),
        };
        Ok((hangs, 60.0))
    }
}

#[test]
fn a_start_that_hangs_does_not_take_the_time_of_all_trials_to_come() {
    let space = space();
    let surface = |space: &Space, of: &Configuration| Some(100.0 * number(space, of, 0).min(64.0));
    let inner = quiet(&space, &surface, 3);
    let mut bench = HangsOnce {
        inner,
        has_hung: false,
    };
    let settings = EngineSettings {
        seconds: Some(400.0),
        ..settings(3)
    };
    let tuned = tune(&space, &settings, &mut bench, &mut |_, _| {});
    assert!(tuned.records.len() > 20, "{}", tuned.records.len());
    assert!(kept(&tuned).is_some());
}
