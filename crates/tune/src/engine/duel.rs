//! A challenger against the incumbent: few pairs at first, more only while it may still win.

use super::book::{Book, DuelSide, Halt};
use super::budget::FINAL_PAIRS;
use crate::judge::{KnownNoise, Noise, Pairs, Verdict};
use crate::space::Configuration;
use crate::trial::Reason;

/// How long a duel goes on.
#[derive(Debug, Clone, Copy)]
pub struct Length {
    /// Pairs at least.
    pub least: usize,
    /// Pairs at most.
    pub most: usize,
    /// Pairs at most while what is seen is more than what matters, and not decided.
    pub further: usize,
    /// Trials that those further pairs leave.
    pub leaves: u32,
    /// Probability with which a difference of nothing is called one.
    pub alpha: f64,
    /// What of the noise of other pairs counts, too.
    pub known: fn(Noise) -> KnownNoise,
    /// A duel with less hope than this is given up.
    pub hope: f64,
}

/// Of what is tried against the best so far.
pub const TRIED: Length = Length {
    least: 1,
    most: 4,
    further: 4,
    leaves: 0,
    alpha: 0.05,
    known: KnownNoise::All,
    hope: 0.15,
};

/// What came of a duel.
#[derive(Debug, Clone)]
pub struct Duel {
    /// What it says.
    pub verdict: Verdict,
    /// Its pairs.
    pub pairs: Pairs,
    /// The numbers of their trials: the challenger's and the other's.
    pub runs: Vec<(u32, u32)>,
    /// The interval of the difference.
    pub interval: (f64, f64),
    /// Who could not be measured, which ended it.
    pub failed: Option<DuelSide>,
    /// Trials or time were over before it was decided.
    pub cut: bool,
}

impl Duel {
    /// Whether the challenger could not be measured any more before anything was looked at.
    #[must_use]
    pub fn died_unjudged(&self) -> bool {
        self.failed == Some(DuelSide::Challenger) && self.pairs.count() < FINAL_PAIRS
    }

    /// Takes a pair that was made. What decides is counted in what the target as it was found does beside it, not in what
    /// it did at first.
    fn take(&mut self, book: &mut Book<'_>, runs: (u32, u32), other: &Reason) {
        self.runs.push(runs);
        if *other == Reason::Final {
            book.set_scale_by(self.runs.iter().map(|(_, theirs)| *theirs));
        }
        let differences = self.runs.iter().filter_map(|it| book.difference(*it));
        self.pairs.0 = differences.collect();
    }
}

/// Which of a pair runs first: each as often as the other in four pairs, so that what the first leaves behind helps both
/// alike, and drawn, so that nothing that comes and goes by itself keeps step with it.
struct PairOrder {
    rng: fastrand::Rng,
    drawn: Vec<bool>,
}

impl PairOrder {
    fn new(book: &Book<'_>) -> Self {
        let made = book.records.len() as u64;
        Self {
            // A study that goes on draws as it did.
            rng: fastrand::Rng::with_seed(book.settings.seed ^ made.wrapping_mul(0x9e37_79b9)),
            drawn: Vec::new(),
        }
    }

    fn is_first(&mut self) -> bool {
        if self.drawn.is_empty() {
            self.drawn = vec![true, true, false, false];
            self.rng.shuffle(&mut self.drawn);
        }
        self.drawn.pop().unwrap_or(true)
    }
}

/// Makes pairs until it is clear, or until there is no hope left, or the budget ends.
///
/// # Errors
/// Why it was broken off; a budget that ends gives what is known.
pub fn duel(
    book: &mut Book<'_>,
    challenger: (&Configuration, &Reason),
    other: (&Configuration, &Reason),
    length: Length,
) -> Result<Duel, Halt> {
    let mut duel = Duel {
        verdict: Verdict::Open,
        pairs: Pairs::default(),
        runs: Vec::new(),
        interval: (f64::NEG_INFINITY, f64::INFINITY),
        failed: None,
        cut: false,
    };
    let known = (length.known)(book.noise);
    let matters = book.settings.matters;
    let mut order = PairOrder::new(book);
    for made in 0..length.further {
        let is_further = made >= length.most;
        if is_further && duel.pairs.mean() <= matters {
            break;
        }
        let is_kept = is_further && book.left() <= length.leaves;
        if is_kept || !book.has_room_for_a_pair() {
            duel.cut = true;
            break;
        }
        let mine = (challenger.0, challenger.1.clone());
        let theirs = (other.0, other.1.clone());
        let runs = match book.pair(mine, theirs, order.is_first()) {
            Ok(Ok(runs)) => runs,
            Ok(Err(side)) => {
                duel.failed = Some(side);
                break;
            }
            // The pairs that were made are not lost with the one that was begun.
            Err(Halt::Budget) => {
                duel.cut = true;
                break;
            }
            Err(halt) => return Err(halt),
        };
        duel.take(book, runs, other.1);
        // Fewer say nothing, whatever ends it.
        if duel.pairs.count() < length.least {
            continue;
        }
        duel.verdict = duel.pairs.verdict(length.alpha, known, matters);
        if duel.verdict != Verdict::Open || duel.pairs.hope(known) < length.hope {
            break;
        }
    }
    duel.interval = duel.pairs.interval(length.alpha, known);
    book.learn(&duel.pairs);
    Ok(duel)
}
