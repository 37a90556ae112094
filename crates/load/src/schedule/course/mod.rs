//! The load of a scenario over time: the plan's, and what it was changed to while it ran. Times are
//! those since the scenario's start. What was before a change stays as it was.

mod line;
mod planned;
mod rates;
mod users;

use plimsoll_plan::model::Load;
use std::time::Duration;

use super::arrivals::RateTurn;
use super::change::{ChangeError, NewLoad};
use super::users::UserWindow;
use crate::clock::{Nanos, nanos};
pub use line::LinePart;
pub(super) use planned::Planned;
use rates::RateCourse;
use users::UserCourse;

/// The load of a scenario over time.
///
/// ```
/// use plimsoll_load::schedule::{Course, NewLoad};
/// use plimsoll_plan::LoadOptions;
/// use std::time::Duration;
///
/// const S: u64 = 1_000_000_000;
/// let load = LoadOptions {
///     users: Some(4),
///     duration: Some(Duration::from_secs(60)),
///     ..LoadOptions::default()
/// };
/// let mut course = Course::new(&load.load().expect("a load"), None);
/// course.change(20 * S, NewLoad::Users(5), "browse")?;
/// course.change(30 * S, NewLoad::Longer(Duration::from_secs(10)), "browse")?;
/// assert_eq!(course.end_ns(), 70 * S);
/// assert_eq!(course.windows(4)[0].start_ns, 20 * S);
/// # Ok::<(), plimsoll_load::schedule::ChangeError>(())
/// ```
#[derive(Debug, Clone)]
pub struct Course {
    kind: CourseKind,
    /// It ends then at the latest.
    limit_ns: Nanos,
}

#[derive(Debug, Clone)]
enum CourseKind {
    Users(UserCourse),
    Rates(RateCourse),
}

impl Course {
    /// The course of a load as planned, which ends after some time at the latest.
    #[must_use]
    pub fn new(load: &Load, end_after: Option<Duration>) -> Self {
        let kind = match load {
            Load::Users(load) => CourseKind::Users(UserCourse::new(load)),
            Load::Arrivals(load) => CourseKind::Rates(RateCourse::new(load)),
        };
        Self {
            kind,
            limit_ns: end_after.map_or(Nanos::MAX, nanos),
        }
    }

    /// When no new work begins; `Nanos::MAX`: only iterations end it.
    #[must_use]
    pub fn end_ns(&self) -> Nanos {
        let end_ns = match &self.kind {
            CourseKind::Users(course) => course.end_ns().unwrap_or(Nanos::MAX),
            CourseKind::Rates(course) => course.end_ns(),
        };
        end_ns.min(self.limit_ns)
    }

    /// Changes it from a moment on; `name` is the scenario's, for who is told that it cannot be.
    ///
    /// # Errors
    /// A load that is over then, that is counted in something else, that time does not end, or that would be more than
    /// a plan may have.
    pub fn change(&mut self, at_ns: Nanos, to: NewLoad, name: &str) -> Result<(), ChangeError> {
        if at_ns >= self.end_ns() {
            return Err(ChangeError::Over);
        }
        to.check()?;
        match (&mut self.kind, to) {
            (CourseKind::Users(course), NewLoad::Users(users)) => course.level(at_ns, users),
            (CourseKind::Rates(course), NewLoad::Rate(rate)) => course.level(at_ns, rate),
            (CourseKind::Rates(course), NewLoad::RateTimes(thousandths)) => {
                course.times(at_ns, thousandths);
            }
            (_, NewLoad::Longer(by)) => self.longer(at_ns, nanos(by), name)?,
            _ => return Err(ChangeError::OtherModel(name.to_owned())),
        }
        Ok(())
    }

    fn longer(&mut self, at_ns: Nanos, by_ns: Nanos, name: &str) -> Result<(), ChangeError> {
        if self.end_ns() == Nanos::MAX {
            return Err(ChangeError::NotByTime(name.to_owned()));
        }
        match &mut self.kind {
            CourseKind::Users(course) => course.longer(at_ns, by_ns, self.limit_ns),
            CourseKind::Rates(course) => course.longer(at_ns, by_ns, self.limit_ns),
        }
        if self.limit_ns < Nanos::MAX {
            self.limit_ns = self.limit_ns.saturating_add(by_ns);
        }
        Ok(())
    }

    /// The load over time, up to its end; none where something else than time ends it.
    #[must_use]
    pub fn line(&self) -> Option<Vec<LinePart>> {
        let line = match &self.kind {
            CourseKind::Users(course) => course.line(),
            CourseKind::Rates(course) => course.line(),
        };
        Some(line::split(&line?, self.limit_ns).0)
    }

    /// The load at a time; none where there is none, or time does not end it.
    #[must_use]
    pub fn load_at(&self, at_ns: Nanos) -> Option<f64> {
        let (_, after) = line::split(&self.line()?, at_ns);
        after.first().map(|part| part.from)
    }

    /// Where the last part ends in which there is a load that does not change; none without such a part.
    #[must_use]
    pub fn held_until_ns(&self) -> Option<Nanos> {
        let mut end_ns = 0;
        let mut held_ns = None;
        for part in self.line()? {
            end_ns = Nanos::saturating_add(end_ns, part.lasts_ns);
            #[expect(clippy::float_cmp, reason = "a held load is written as the same")]
            if part.from == part.to && part.from > 0.0 {
                held_ns = Some(end_ns);
            }
        }
        held_ns
    }

    /// Whether users are counted, not arrivals.
    #[must_use]
    pub fn is_closed(&self) -> bool {
        matches!(self.kind, CourseKind::Users(_))
    }

    /// The most users of a closed load at any time; 0 of an open one.
    #[must_use]
    pub fn peak(&self) -> u32 {
        match &self.kind {
            CourseKind::Users(course) => course.peak(),
            CourseKind::Rates(_) => 0,
        }
    }

    /// When user `index` (from 0) of a closed load is there.
    #[must_use]
    pub fn windows(&self, index: u32) -> Vec<UserWindow> {
        match &self.kind {
            CourseKind::Users(course) => course.windows(index),
            CourseKind::Rates(_) => Vec::new(),
        }
    }

    /// The arrivals of an open load, in order.
    pub fn arrivals(&self, seed: u64) -> Box<dyn Iterator<Item = Nanos>> {
        match self.planned(seed) {
            Planned::Rates(arrivals) => Box::new(arrivals),
            Planned::Exact(arrivals) => arrivals,
        }
    }

    /// The same, as they are computed.
    pub(super) fn planned(&self, seed: u64) -> Planned {
        match &self.kind {
            CourseKind::Users(_) => Planned::Exact(Box::new(std::iter::empty())),
            CourseKind::Rates(course) => course.planned(seed),
        }
    }

    /// What an open load was changed to, in order.
    pub(super) fn turns(&self) -> &[RateTurn] {
        match &self.kind {
            CourseKind::Users(_) => &[],
            CourseKind::Rates(course) => course.turns(),
        }
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests;
