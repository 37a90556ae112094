//! What a judgement takes: how many pairs, trials and seconds, by the noise and the time of a trial that were seen.

use plimsoll_text::Message;
use serde::{Deserialize, Serialize};

use crate::judge::t_needed;

/// Runs of the baseline at first.
pub const BASELINES: usize = 2;
/// Pairs of the best with the baseline, at least.
pub const FINAL_PAIRS: usize = 5;
/// And at most where it does not look like a gain.
pub const MOST_FINAL: usize = 12;
/// The share of all trials that is kept for the end.
pub const KEPT_FOR_END: f64 = 0.4;
/// The fewest that are.
pub const LEAST_END: u32 = 2 * FINAL_PAIRS as u32;
/// And the most.
pub const MOST_END: u32 = 36;
/// A search of fewer trials has hardly looked.
const LEAST_SEARCH: u32 = 4;

/// Why nothing could be judged, and what it takes.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct NeededBudget {
    /// Pairs of the best with the target as it was found that were made.
    pub pairs_made: usize,
    /// Pairs that show the gain.
    pub pairs: usize,
    /// The gain that so many pairs show, as a share: the smallest that matters, or more where the noise is too much
    /// for that.
    pub gain: f64,
    /// Trials of a study that makes so many pairs.
    pub trials: u32,
    /// Seconds that they take.
    pub seconds: f64,
}

/// What to say of a study that cannot judge, whatever it measures: it has not the trials for the pairs of its end, and
/// for anything to try before.
#[must_use]
pub fn too_few_trials(trials: u32) -> Option<Message> {
    let least = BASELINES as u32 + LEAST_SEARCH + LEAST_END;
    (trials <= BASELINES as u32 + LEAST_END).then(|| {
        Message::new("tune-too-few-trials")
            .with("trials", trials)
            .with("least", least)
    })
}

/// What a judgement takes, with the standard deviation of the difference of two runs and the seconds of a trial; the
/// error rate and the gain that is to be shown; the pairs of the end and the trials that were made.
#[must_use]
pub fn needed_budget(
    (deviation, trial_s): (f64, f64),
    (alpha, gain): (f64, f64),
    (pairs_made, trials_made): (usize, usize),
) -> NeededBudget {
    // So much is shown by so many pairs whose noise is as it was seen.
    let shown = |pairs: usize| {
        let n = pairs as f64;
        t_needed(alpha, n, n - 1.0) * deviation / n.sqrt()
    };
    let least = f64::ln_1p(gain);
    let enough = (FINAL_PAIRS..MOST_FINAL).find(|pairs| shown(*pairs) <= least);
    let pairs = enough.unwrap_or(MOST_FINAL);
    let runs = u32::try_from(2 * pairs).unwrap_or(u32::MAX);
    let for_end = runs.max(LEAST_END);
    // The end has its share of all trials.
    let by_share = (f64::from(for_end) / KEPT_FOR_END).ceil() as u32;
    let whole = BASELINES as u32 + LEAST_SEARCH + for_end;
    let trials = match for_end > LEAST_END {
        true => whole.max(by_share),
        false => whole,
    };
    // What was made stays, and the pairs that it lacks come to it.
    let lacks = 2 * pairs.saturating_sub(pairs_made);
    let by_made = u32::try_from(trials_made + lacks).unwrap_or(u32::MAX);
    let trials = trials.max(by_made);
    NeededBudget {
        pairs_made,
        pairs,
        gain: shown(pairs).max(least).exp_m1(),
        trials,
        seconds: f64::from(trials) * trial_s,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_study_that_cannot_judge_is_known_before_it_begins() {
        assert!(too_few_trials(3 + 2 * FINAL_PAIRS as u32).is_none());
        let quiet = needed_budget((0.005, 30.0), (0.05, 0.03), (0, 0));
        let told = too_few_trials(2 + 2 * FINAL_PAIRS as u32);
        let least = told.and_then(|told| told.args.into_iter().find(|(name, _)| name == "least"));
        assert_eq!(least.map(|(_, value)| value), Some(quiet.trials.into()));
    }

    #[test]
    fn more_noise_takes_more_pairs_and_more_time() {
        let needed = |deviation| needed_budget((deviation, 30.0), (0.05, 0.03), (2, 0));
        let quiet = needed(0.005);
        assert_eq!((quiet.pairs, quiet.trials, quiet.pairs_made), (5, 16, 2));
        assert!((quiet.seconds - 480.0).abs() < 1e-9 && (quiet.gain - 0.03).abs() < 1e-9);
        let middle = needed(0.02);
        assert!(middle.pairs > 5 && middle.pairs < 12, "{middle:?}");
        assert_eq!(middle.trials, (middle.pairs as u32) * 5);
        let noisy = needed(0.1);
        assert_eq!((noisy.pairs, noisy.trials), (12, 60));
        assert!(noisy.gain > 0.08, "{noisy:?}");
        // A gain that is much larger than the noise is shown by the pair that is left.
        let large = needed_budget((0.1, 30.0), (0.05, 0.9), (4, 24));
        assert_eq!((large.pairs, large.trials), (5, 26));
        assert!((large.gain - 0.9).abs() < 1e-9);
    }
}
