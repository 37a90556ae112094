//! A challenger against the incumbent: few pairs at first, more only while it may still win.

use super::book::{Book, DuelSide, Halt};
use crate::judge::{Pairs, Verdict};
use crate::space::Configuration;
use crate::trial::Reason;

/// How long a duel goes on.
#[derive(Debug, Clone, Copy)]
pub struct Length {
    /// Pairs at least.
    pub least: usize,
    /// Pairs at most.
    pub most: usize,
    /// Probability with which a difference of nothing is called one.
    pub alpha: f64,
    /// The noise of other pairs counts, too.
    pub pooled: bool,
    /// A duel with less hope than this is given up.
    pub hope: f64,
}

/// Of what is tried against the best so far.
pub const TRIED: Length = Length {
    least: 1,
    most: 4,
    alpha: 0.05,
    pooled: true,
    hope: 0.15,
};

/// What came of a duel.
#[derive(Debug, Clone)]
pub struct Duel {
    /// What it says.
    pub verdict: Verdict,
    /// Its pairs.
    pub pairs: Pairs,
    /// The interval of the difference.
    pub interval: (f64, f64),
    /// Who could not be measured, which ended it.
    pub failed: Option<DuelSide>,
    /// Trials or time were over before it was decided.
    pub cut: bool,
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
        interval: (f64::NEG_INFINITY, f64::INFINITY),
        failed: None,
        cut: false,
    };
    let known = if length.pooled {
        book.noise
    } else {
        Default::default()
    };
    let matters = book.settings.matters;
    let mut order = PairOrder::new(book);
    for _ in 0..length.most {
        if !book.has_room_for_a_pair() {
            duel.cut = true;
            break;
        }
        let mine = (challenger.0, challenger.1.clone());
        let theirs = (other.0, other.1.clone());
        let difference = match book.pair(mine, theirs, order.is_first()) {
            Ok(Ok(difference)) => difference,
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
        duel.pairs.0.push(difference);
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
