//! The arrivals of one load thread, which hears of changes while it gives them.

use super::arrivals::Arrivals;
use super::course::{Course, Planned};
use crate::clock::Nanos;

/// So far back it can go without beginning anew.
const MARK_EVERY_NS: Nanos = 100_000_000;

/// Every so-manieth arrival of a load from a number on, at most so many of all.
#[derive(Debug, Clone, Copy)]
pub struct OwnNumbers {
    /// The first, from 0.
    pub first: usize,
    /// From one to the next, at least 1.
    pub step: usize,
    /// Of all arrivals of the load only so many count.
    pub most: u64,
}

/// The arrivals of one load thread in their order. They are computed as the load has them; each thread
/// takes its own out of all.
pub struct OwnArrivals {
    course: Course,
    seed: u64,
    numbers: OwnNumbers,
    from_ns: Nanos,
    all: OwnStream,
    /// The number of the next one of all, and of the next that is ours and was not given.
    next: u64,
    own: u64,
    looked_at: Option<Nanos>,
    given_ns: Option<Nanos>,
    /// All as they were when an arrival was given, and the number of the next of them.
    mark: Option<(Arrivals, u64, Nanos)>,
    /// Changes that are in `all`.
    turns: usize,
}

enum OwnStream {
    Rates(Box<Arrivals>),
    Exact(Box<dyn Iterator<Item = Nanos>>),
}

impl OwnStream {
    fn of(course: &Course, seed: u64) -> Self {
        match course.planned(seed) {
            Planned::Rates(arrivals) => Self::Rates(Box::new(arrivals)),
            Planned::Exact(arrivals) => Self::Exact(arrivals),
        }
    }

    fn next(&mut self) -> Option<Nanos> {
        match self {
            Self::Rates(arrivals) => arrivals.next(),
            Self::Exact(arrivals) => arrivals.next(),
        }
    }
}

impl OwnArrivals {
    /// Those of a thread; what is due before `from_ns` is left out.
    #[must_use]
    pub fn new(course: Course, seed: u64, numbers: OwnNumbers, from_ns: Nanos) -> Self {
        let mut arrivals = Self {
            all: OwnStream::of(&course, seed),
            next: 0,
            own: numbers.first as u64,
            looked_at: None,
            given_ns: None,
            mark: None,
            turns: course.turns().len(),
            course,
            seed,
            numbers,
            from_ns,
        };
        arrivals.leave_out();
        arrivals
    }

    /// Leaves out what is due before they begin.
    fn leave_out(&mut self) {
        while self.look().is_some_and(|due_ns| due_ns < self.from_ns) {
            self.skip();
        }
    }

    /// When the next is due, since the load's start; none: all were given.
    pub fn look(&mut self) -> Option<Nanos> {
        if self.looked_at.is_none() && self.own < self.numbers.most {
            while self.next < self.own {
                self.all.next()?;
                self.next += 1;
            }
            self.looked_at = self.all.next();
            self.next += u64::from(self.looked_at.is_some());
        }
        self.looked_at
    }

    /// The next was given.
    pub fn give(&mut self) {
        self.given_ns = self.looked_at.or(self.given_ns);
        self.skip();
        let Some(at_ns) = self.given_ns else { return };
        let marked_ns = self.mark.as_ref().map(|(_, _, marked_ns)| *marked_ns);
        let is_due = marked_ns.is_none_or(|marked_ns| at_ns >= marked_ns + MARK_EVERY_NS);
        if let OwnStream::Rates(all) = &self.all
            && is_due
        {
            self.mark = Some(((**all).clone(), self.next, at_ns));
        }
    }

    fn skip(&mut self) {
        self.looked_at = None;
        self.own += self.numbers.step as u64;
    }

    /// The load has changed; what was given stays given. Gives whether it was too late: an arrival that
    /// the change is before was given as it was due by then. From there on the load is the changed one.
    pub fn change(&mut self, course: &Course) -> bool {
        let turns = course.turns();
        let fresh = turns.get(self.turns..).unwrap_or_default();
        let late_ns = self.given_ns.filter(|given_ns| {
            let first = fresh.first();
            first.is_some_and(|turn| turn.at_ns <= *given_ns)
        });
        let from_ns = late_ns.map_or(0, |given_ns| given_ns + 1);
        let marked = self.mark.take();
        self.course = course.clone();
        (self.all, self.next) = match marked {
            Some((mut all, next, at_ns)) => {
                for turn in fresh {
                    all.add_turn(turn.not_before(from_ns));
                }
                self.mark = Some((all.clone(), next, at_ns));
                (OwnStream::Rates(Box::new(all)), next)
            }
            // Nothing was given so far, or each stage counts for itself.
            None => (OwnStream::of(&self.course, self.seed), 0),
        };
        self.turns = turns.len();
        self.looked_at = None;
        if self.given_ns.is_none() {
            self.own = self.numbers.first as u64;
            self.leave_out();
        }
        late_ns.is_some()
    }
}

#[cfg(test)]
#[path = "own_tests.rs"]
mod tests;
