//! All trials of a study, in order, and what they say together.

use std::collections::HashSet;

use plimsoll_text::Message;

use super::budget::{NeededBudget, needed_budget};
use super::drift::repeats;
use super::engine_settings::EngineSettings;
use super::record::{Record, mean_objective, runs_of, scale_of, score_of};
use crate::judge::{Noise, Pairs};
use crate::search::Observed;
use crate::space::{Configuration, Space};
use crate::trial::{Measured, Reason, TrialAsk, TrialBench, TrialEnd};

/// One of the two of a duel.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum DuelSide {
    /// Who is to be better.
    Challenger,
    /// What it is compared with.
    Other,
}

/// Why no further trial is made.
#[derive(Debug)]
pub enum Halt {
    /// Trials or time are over.
    Budget,
    /// Somebody ended the study.
    Interrupted,
    /// Nothing more can be done.
    Broken(Message),
}

/// The trials of a study in the making.
pub struct Book<'a> {
    /// What may be changed.
    pub space: &'a Space,
    /// What the engine was told.
    pub settings: &'a EngineSettings,
    bench: &'a mut dyn TrialBench,
    hear: &'a mut dyn FnMut(&Record, &Configuration),
    /// All so far.
    pub records: Vec<Record>,
    /// The best so far.
    pub incumbent: Configuration,
    /// Noise of differences, from pairs that are over.
    pub noise: Noise,
    /// The numbers of the trials that those pairs are made of.
    in_pairs: HashSet<u32>,
    /// Something was not tried because trials or time were kept for the end.
    pub was_short: bool,
    scale: f64,
    spent_s: f64,
}

/// The noise of a single run that is reckoned with while nothing is known, as a share.
const USUAL_NOISE: f64 = 0.03;
/// It is never taken for less.
const LEAST_NOISE: f64 = 0.005;
/// A run of so much less than the incumbent cannot win any more: by the noise that is seen, many times over.
const HOPELESS: f64 = 0.6;
/// What is kept may break a constraint in so many of its runs at most.
const MOST_BROKEN: f64 = 0.2;
/// What was measured on another day says so many times less, in variances.
const OF_ANOTHER_DAY: f64 = 4.0;
/// After the first failure of what was measured before, one more is put down to chance for so many runs that were
/// measured.
const MEASURED_FOR_ONE_FAILURE: usize = 8;

impl<'a> Book<'a> {
    /// With nothing in it.
    pub fn new(
        space: &'a Space,
        settings: &'a EngineSettings,
        bench: &'a mut dyn TrialBench,
        hear: &'a mut dyn FnMut(&Record, &Configuration),
    ) -> Self {
        Self {
            incumbent: Configuration::unchanged(space.knobs.len()),
            space,
            settings,
            bench,
            hear,
            records: Vec::new(),
            noise: Noise::default(),
            in_pairs: HashSet::new(),
            was_short: false,
            scale: 1.0,
            spent_s: 0.0,
        }
    }

    /// Trials that may still be made.
    #[must_use]
    pub fn left(&self) -> u32 {
        let trials = self.trials_left();
        let Some(most) = self.settings.seconds else {
            return trials;
        };
        let each = self.trial_s();
        let rest = (most - self.spent_s).max(0.0);
        match each > 0.0 {
            true => trials.min((rest / each) as u32),
            false => trials,
        }
    }

    /// Trials that may still be made, whatever the time.
    fn trials_left(&self) -> u32 {
        let made = u32::try_from(self.records.len()).unwrap_or(u32::MAX);
        self.settings.trials.saturating_sub(made)
    }

    /// Whether a pair may begin: as a trial may, the last one ends after the time.
    #[must_use]
    pub fn has_room_for_a_pair(&self) -> bool {
        self.left() > 0 && self.trials_left() > 1
    }

    /// Trials that are kept beside others where time is short: one that takes longer than the others must not cost the
    /// last pair.
    #[must_use]
    pub fn slack(&self) -> u32 {
        u32::from(self.settings.seconds.is_some() && self.left() < self.trials_left())
    }

    /// What a trial takes, s: the median of those that were measured whole, and no less than those of the pairs to come
    /// did, the target as it was found and the best. One that hung in its start, or ended early, says nothing of them.
    fn trial_s(&self) -> f64 {
        let mean = self.spent_s / self.records.len().max(1) as f64;
        let all = self.median_s(&|_| true).unwrap_or(mean);
        let found = self.median_s(&|of| of.changed().next().is_none());
        let best = self.median_s(&|of| *of == self.incumbent);
        let of_a_pair = found.zip(best).map(|(found, best)| (found + best) / 2.0);
        all.max(of_a_pair.unwrap_or(all))
    }

    /// The median of what trials of some configurations took that were measured whole.
    fn median_s(&self, of: &dyn Fn(&Configuration) -> bool) -> Option<f64> {
        let whole = self.records.iter().filter_map(|record| {
            let measured = record.measured().filter(|it| !it.cut_short)?;
            // A look with captures is made once.
            let look_s = measured.look.as_ref().map_or(0.0, |look| look.seconds);
            of(&record.configuration).then_some(record.seconds - look_s)
        });
        let mut seconds: Vec<f64> = whole.collect();
        seconds.sort_by(f64::total_cmp);
        seconds.get(seconds.len() / 2).copied()
    }

    /// Whether anything but the target as it was found was tried.
    #[must_use]
    pub fn has_tried(&self) -> bool {
        self.records.iter().any(Record::is_changed)
    }

    /// What a judgement takes, by what was seen so far: how many pairs were made, and the mean of their differences.
    #[must_use]
    pub fn needed(&self, pairs_made: usize, seen: f64) -> NeededBudget {
        let least = std::f64::consts::SQRT_2 * LEAST_NOISE;
        let deviation = self.difference_noise().deviation().map_or_else(
            || (2.0 * self.run_variance()).sqrt(),
            |deviation| deviation.max(least),
        );
        let gain = seen.exp_m1().max(self.settings.matters);
        let test = (self.settings.error_rate, gain);
        let made = (pairs_made, self.records.len());
        needed_budget((deviation, self.trial_s()), test, made)
    }

    /// Makes a trial; gives its score, none where it has none.
    ///
    /// # Errors
    /// Why it could not be made.
    pub fn trial(&mut self, of: &Configuration, why: Reason) -> Result<Option<f64>, Halt> {
        self.trial_of(of, why, self.left())
    }

    /// The same, where so many trials are left.
    fn trial_of(
        &mut self,
        of: &Configuration,
        why: Reason,
        left: u32,
    ) -> Result<Option<f64>, Halt> {
        if left == 0 {
            return Err(Halt::Budget);
        }
        let number = u32::try_from(self.records.len() + 1).unwrap_or(u32::MAX);
        let ask = TrialAsk {
            number,
            reach: self.reach(&why),
            reason: why.clone(),
        };
        let (mut result, seconds) = self.bench.trial(of, &ask).map_err(Halt::Broken)?;
        if let TrialEnd::Measured(measured) = &mut result {
            self.hold_failures(measured);
        }
        let interrupted = result == TrialEnd::Interrupted;
        self.spent_s += seconds;
        let record = Record {
            number,
            why,
            configuration: of.clone(),
            seconds,
            result,
        };
        (self.hear)(&record, &self.incumbent);
        self.records.push(record);
        if interrupted {
            return Err(Halt::Interrupted);
        }
        Ok(self.records.last().and_then(|record| self.score(record)))
    }

    /// Who refuses work, or drops it, is quick: where the study says nothing of errors, the target may not fail more often
    /// than as it was found.
    fn hold_failures(&self, measured: &mut Measured) {
        let failures = |it: &Measured| it.error_rate + it.resent;
        let baseline = Configuration::unchanged(self.space.knobs.len());
        let found: Vec<f64> = self.measured(&baseline).map(failures).collect();
        let Some(more) = self
            .settings
            .most_more_failures
            .filter(|_| !found.is_empty())
        else {
            return;
        };
        let most = found.iter().sum::<f64>() / found.len() as f64 + more;
        let own = failures(measured);
        if own > most {
            let text = format!("errors <= {:.3} %: {:.3} %", most * 100.0, own * 100.0);
            measured.broken.push(text);
        }
    }

    /// What a run of the search must be able to reach: pairs that say something at the end are never cut.
    fn reach(&self, why: &Reason) -> Option<f64> {
        if *why != Reason::Search {
            return None;
        }
        let best = self.measured(&self.incumbent).last()?.objective;
        Some(match self.settings.maximise {
            true => best * HOPELESS,
            false => best / HOPELESS,
        })
    }

    /// What was measured of a configuration.
    pub fn measured<'b>(&'b self, of: &'b Configuration) -> impl Iterator<Item = &'b Measured> {
        runs_of(&self.records, of).filter_map(Record::measured)
    }

    /// Whether a configuration broke a constraint whenever it was measured.
    #[must_use]
    pub fn breaks(&self, of: &Configuration) -> bool {
        let mut all = self.measured(of).peekable();
        all.peek().is_some() && all.all(|measured| !measured.broken.is_empty())
    }

    /// Whether a configuration broke a constraint in more than a share of its runs.
    fn breaks_more_than(&self, of: &Configuration, share: f64) -> bool {
        let broken = self
            .measured(of)
            .filter(|measured| !measured.broken.is_empty());
        broken.count() as f64 > share * self.measured(of).count() as f64
    }

    /// Whether a configuration broke a constraint in most of its runs.
    #[must_use]
    pub fn mostly_breaks(&self, of: &Configuration) -> bool {
        self.breaks_more_than(of, 0.5)
    }

    /// Whether a configuration broke a constraint too often to be kept: one run of many may, by noise.
    #[must_use]
    pub fn breaks_too_often(&self, of: &Configuration) -> bool {
        self.breaks_more_than(of, MOST_BROKEN)
    }

    /// The baseline's objective is what differences are counted in.
    pub fn set_scale(&mut self) {
        self.scale = scale_of(&self.records, self.space.knobs.len());
    }

    /// From now on it is the mean of these runs of the baseline.
    pub fn set_scale_by(&mut self, numbers: impl Iterator<Item = u32>) {
        let runs = numbers.filter_map(|number| self.record(number)?.measured());
        if let Some(scale) = mean_objective(runs) {
            // Logarithms have no scale.
            if !self.settings.by_ratio {
                self.noise.squares *= (self.scale / scale).powi(2);
            }
            self.scale = scale;
        }
    }

    fn record(&self, number: u32) -> Option<&Record> {
        self.records.get((number as usize).checked_sub(1)?)
    }

    /// By how much the first of two runs, by their numbers, is better; none without a score.
    #[must_use]
    pub fn difference(&self, (mine, theirs): (u32, u32)) -> Option<f64> {
        Some(self.score(self.record(mine)?)? - self.score(self.record(theirs)?)?)
    }

    /// The score of a trial: more is better, whatever the objective is. One that broke a constraint, or whose
    /// load was limited by the generator, has a score all the same.
    #[must_use]
    pub fn score(&self, record: &Record) -> Option<f64> {
        score_of(record, self.settings, self.scale)
    }

    /// What is known of the noise of a difference: by pairs, and by runs of equal configurations that were made alone.
    fn difference_noise(&self) -> Noise {
        let alone = repeats(&self.scores(&|number| !self.in_pairs.contains(&number))).noise;
        // A run has half the variance of a difference.
        self.noise.and(Noise {
            squares: 2.0 * alone.squares,
            ..alone
        })
    }

    /// The variance of a run's score.
    #[must_use]
    pub fn run_variance(&self) -> f64 {
        // A difference is of two runs.
        let usual = Noise {
            squares: 2.0 * 2.0 * USUAL_NOISE * USUAL_NOISE,
            freedom: 2.0,
        };
        let known = usual.and(self.difference_noise());
        let deviation = known.deviation().unwrap_or(USUAL_NOISE);
        (deviation * deviation / 2.0).max(LEAST_NOISE * LEAST_NOISE)
    }

    /// A pair of runs, in the order that is asked for: the numbers of the challenger's and the other's, or who has no score.
    ///
    /// # Errors
    /// Why it could not be made.
    pub fn pair(
        &mut self,
        challenger: (&Configuration, Reason),
        other: (&Configuration, Reason),
        is_first: bool,
    ) -> Result<Result<(u32, u32), DuelSide>, Halt> {
        let before = self.records.len();
        let (mine, theirs) = match is_first {
            true => {
                let mine = self.patient(challenger.0, &challenger.1)?;
                if mine.is_none() {
                    return Ok(Err(DuelSide::Challenger));
                }
                (mine, self.second_of_a_pair(other)?)
            }
            false => {
                let theirs = self.patient(other.0, &other.1)?;
                (self.second_of_a_pair(challenger)?, theirs)
            }
        };
        Ok(match (mine, theirs) {
            (None, _) => Err(DuelSide::Challenger),
            (_, None) => Err(DuelSide::Other),
            (Some(mine), Some(theirs)) => {
                let made = self.records[before..].iter().map(|it| it.number);
                self.in_pairs.extend(made);
                Ok((mine, theirs))
            }
        })
    }

    /// It may end after the time, or the first run would be lost.
    fn second_of_a_pair(&mut self, of: (&Configuration, Reason)) -> Result<Option<u32>, Halt> {
        self.patient_while(of.0, &of.1, Self::trials_left)
    }

    /// A trial that is made again when it fails, at the end or where the configuration has mostly been measured
    /// before: one start that fails by chance must not decide anything. Gives the number of the one that has a score.
    ///
    /// # Errors
    /// Why it could not be made, or not again.
    pub fn patient(&mut self, of: &Configuration, why: &Reason) -> Result<Option<u32>, Halt> {
        self.patient_while(of, why, Self::left)
    }

    fn patient_while(
        &mut self,
        of: &Configuration,
        why: &Reason,
        left: fn(&Self) -> u32,
    ) -> Result<Option<u32>, Halt> {
        let is_end = matches!(why, Reason::Final | Reason::PutBack { .. });
        loop {
            let score = self.trial_of(of, why.clone(), left(self))?;
            let own = runs_of(&self.records, of);
            let measured = own.clone().filter(|it| self.score(it).is_some()).count();
            let failed = own.count() - measured;
            let few = failed <= 1 + measured / MEASURED_FOR_ONE_FAILURE;
            let by_chance = few && (measured > 0 || is_end);
            // What somebody has refused is not asked again.
            let refused = self.records.last().is_some_and(Record::is_refused);
            if score.is_some() || refused || !by_chance {
                let number = self.records.last().map(|record| record.number);
                return Ok(number.filter(|_| score.is_some()));
            }
        }
    }

    /// Pairs that are over tell the noise of later ones.
    pub fn learn(&mut self, pairs: &Pairs) {
        self.noise = self.noise.and(pairs.noise());
    }

    /// All that was seen, as the search wants it: what drifts is taken out.
    #[must_use]
    pub fn observed(&self) -> Vec<Observed> {
        let slope = repeats(&self.scores(&|_| true)).slope;
        let noise = self.run_variance();
        let all = self.records.iter().filter_map(|record| {
            let bad = match &record.result {
                TrialEnd::Measured(measured) => !measured.broken.is_empty(),
                TrialEnd::Failed { .. } | TrialEnd::Void { .. } => true,
                TrialEnd::Interrupted => return None,
            };
            let score = self.score(record).filter(|_| !bad);
            Some(Observed {
                of: record.configuration.clone(),
                score: score.map(|score| score - slope * f64::from(record.number)),
                noise,
            })
        });
        all.chain(self.earlier(noise)).collect()
    }

    /// What an earlier study saw, moved to where the baseline is now.
    fn earlier(&self, noise: f64) -> impl Iterator<Item = Observed> + '_ {
        let baseline = Configuration::unchanged(self.space.knobs.len());
        let own = runs_of(&self.records, &baseline);
        let scores: Vec<f64> = own.filter_map(|record| self.score(record)).collect();
        let mean = scores.iter().sum::<f64>() / scores.len().max(1) as f64;
        let earlier = self
            .settings
            .earlier
            .iter()
            .filter(move |_| !scores.is_empty());
        earlier.map(move |trial| Observed {
            of: trial.of.clone(),
            score: trial.score.map(|score| mean + score),
            noise: noise * OF_ANOTHER_DAY,
        })
    }

    /// Scores of trials of some numbers, with their configurations and numbers.
    fn scores(&self, of: &dyn Fn(u32) -> bool) -> Vec<(&Configuration, f64, f64)> {
        let all = self.records.iter().filter(|it| of(it.number));
        all.filter_map(|record| {
            let number = f64::from(record.number);
            Some((&record.configuration, number, self.score(record)?))
        })
        .collect()
    }
}
