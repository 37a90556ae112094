//! How the load of a run is changed while it goes on.

use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use plimsoll_plan::model::Order;
use plimsoll_plan::program::{Program, ScenarioProgram};
use plimsoll_stats::curve::LoadProfile;
use tokio::sync::watch;

use crate::clock::{Clock, Nanos, nanos};
use crate::schedule::{ChangeError, Course, LoadChange, NewLoad, TimedChange, profile_of};

/// On this machine a change holds so much later than it was asked for: all threads hear of it before.
pub const LEAD: Duration = Duration::from_millis(50);

/// Changes the load of a run; copies change the same run.
#[derive(Debug, Clone, Default)]
pub struct Steer(Arc<SteerInner>);

#[derive(Debug, Default)]
struct SteerInner {
    state: Mutex<SteerState>,
    /// How many changes there are.
    count: AtomicUsize,
    told: watch::Sender<usize>,
}

#[derive(Debug, Default)]
struct SteerState {
    begun: Option<Begun>,
    changes: Vec<TimedChange>,
}

/// The load of a scenario at a moment.
#[derive(Debug, Clone, PartialEq)]
pub struct ScenarioLoad {
    /// The scenario's name.
    pub name: String,
    /// Whether users are counted, not arrivals.
    pub is_closed: bool,
    /// Users, or arrivals a second.
    pub load: f64,
}

/// What is known of a load that goes on.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct LoadNow {
    /// Each scenario that is not over, in the plan's order; empty where none can be changed.
    pub scenarios: Vec<ScenarioNow>,
    /// When it ends; none: time does not end it, or that is not known before.
    pub end_ns: Option<Nanos>,
}

/// The load of a scenario as it is now.
#[derive(Debug, Clone, PartialEq)]
pub struct ScenarioNow {
    /// The scenario's name.
    pub name: String,
    /// Whether users are counted, not arrivals.
    pub is_closed: bool,
    /// Users, or arrivals a second; none where time does not end it.
    pub load: Option<f64>,
}

/// A load whose clock has begun.
#[derive(Debug)]
struct Begun {
    clock: Clock,
    lead_ns: Nanos,
    scenarios: Vec<SteeredScenario>,
    against: Option<ChangeError>,
    /// No more users than this.
    most_users: u32,
}

#[derive(Debug, Clone)]
struct SteeredScenario {
    name: String,
    start_ns: Nanos,
    course: Course,
}

impl Steer {
    /// The clock of a load begins. Changes hold so much later than they are asked for; the load is
    /// divided into so many shares, at least one.
    pub fn begins(&self, program: &Program, clock: Clock, lead: Duration, shares: u32) {
        let scenario = |scenario: &ScenarioProgram| SteeredScenario {
            name: scenario.name.clone(),
            start_ns: nanos(scenario.start_delay),
            course: Course::new(&scenario.load, scenario.end_after),
        };
        let in_order = program.order == Order::InOrder && program.scenarios.len() > 1;
        let is_later = program.recorded_setup && !program.setup.is_empty();
        let few_users = program.most_users() < u64::from(shares);
        let mut begun = Begun {
            clock,
            lead_ns: nanos(lead),
            scenarios: program.scenarios.iter().map(scenario).collect(),
            against: (in_order || is_later).then_some(ChangeError::InOrder),
            most_users: match few_users {
                true => u32::try_from(program.most_users()).unwrap_or(u32::MAX),
                false => u32::MAX,
            },
        };
        let mut state = self.lock();
        for known in &state.changes {
            // Who asked for it was told if it could not be.
            let _ = begun.take(known);
        }
        state.begun = Some(begun);
    }

    /// Changes the load; gives the moment from which that holds.
    ///
    /// # Errors
    /// A load that has not begun, is over, or cannot be changed like this.
    pub fn change(&self, change: &LoadChange) -> Result<TimedChange, ChangeError> {
        let mut state = self.lock();
        let begun = state.begun.as_mut().ok_or(ChangeError::NotBegun)?;
        let change = begun.named(change)?;
        let at_ns = begun.clock.now_ns() + begun.lead_ns;
        let timed = TimedChange { at_ns, change };
        begun.take(&timed)?;
        self.add(state, timed.clone());
        Ok(timed)
    }

    /// A change that somebody else has decided on.
    pub fn push(&self, timed: TimedChange) {
        let mut state = self.lock();
        if let Some(begun) = &mut state.begun {
            // As above.
            let _ = begun.take(&timed);
        }
        self.add(state, timed);
    }

    fn add(&self, mut state: MutexGuard<'_, SteerState>, timed: TimedChange) {
        state.changes.push(timed);
        let count = state.changes.len();
        self.0.count.store(count, Ordering::Release);
        drop(state);
        self.0.told.send_replace(count);
    }

    /// How many changes there are so far.
    #[must_use]
    #[inline]
    pub fn count(&self) -> usize {
        self.0.count.load(Ordering::Acquire)
    }

    /// The changes from a number (from 0) on, in their order.
    #[must_use]
    pub fn changes_from(&self, number: usize) -> Vec<TimedChange> {
        let state = self.lock();
        state.changes.get(number..).unwrap_or_default().to_vec()
    }

    /// When the load ends by what is known now; none: it has not begun, or time does not end it.
    #[must_use]
    pub fn end_ns(&self) -> Option<Nanos> {
        let state = self.lock();
        let begun = state.begun.as_ref()?;
        let ends = begun.scenarios.iter();
        let ends = ends.map(|of| of.start_ns.saturating_add(of.course.end_ns()));
        ends.max().filter(|end_ns| *end_ns < Nanos::MAX)
    }

    /// The load over time, as it is known now; none where the plan does not fix it.
    #[must_use]
    pub fn profile(&self) -> Option<LoadProfile> {
        let state = self.lock();
        let begun = state
            .begun
            .as_ref()
            .filter(|begun| begun.against.is_none())?;
        let courses = begun.scenarios.iter();
        profile_of(courses.map(|of| (Duration::from_nanos(of.start_ns), of.course.clone())))
    }

    /// The load of each scenario at a moment, as it is known now; those that time does not end are left
    /// out.
    #[must_use]
    pub fn loads_at(&self, at_ns: Nanos) -> Vec<ScenarioLoad> {
        let state = self.lock();
        let scenarios = state.begun.iter().flat_map(|begun| &begun.scenarios);
        let of = |of: &SteeredScenario| {
            Some(ScenarioLoad {
                name: of.name.clone(),
                is_closed: of.course.is_closed(),
                load: of.course.load_at(at_ns.checked_sub(of.start_ns)?)?,
            })
        };
        scenarios.filter_map(of).collect()
    }

    /// The load as it is now; nothing is known of one that has not begun, or whose scenarios wait for each
    /// other.
    #[must_use]
    pub fn now(&self) -> LoadNow {
        let state = self.lock();
        let begun = state.begun.as_ref();
        let Some(begun) = begun.filter(|begun| begun.against.is_none()) else {
            return LoadNow::default();
        };
        let now_ns = begun.clock.now_ns();
        let end_ns = |of: &SteeredScenario| of.start_ns.saturating_add(of.course.end_ns());
        let scenarios = begun.scenarios.iter().filter(|of| end_ns(of) > now_ns);
        let last_ns = begun.scenarios.iter().map(end_ns).max();
        LoadNow {
            scenarios: scenarios.map(|of| of.now(now_ns)).collect(),
            end_ns: last_ns.filter(|end_ns| *end_ns < Nanos::MAX),
        }
    }

    /// Where the last stretch ends in which a load does not change, by what is known now; without one,
    /// where the load ends. None: it has not begun, or time does not end it.
    #[must_use]
    pub fn held_until_ns(&self) -> Option<Nanos> {
        let state = self.lock();
        let begun = state.begun.as_ref()?;
        let ends = begun.scenarios.iter().filter_map(|of| {
            let held_ns = of.course.held_until_ns()?;
            Some(of.start_ns.saturating_add(held_ns))
        });
        let held_ns = ends.max();
        drop(state);
        held_ns.or_else(|| self.end_ns())
    }

    /// Hears how many changes there are.
    pub(super) fn subscribe(&self) -> watch::Receiver<usize> {
        self.0.told.subscribe()
    }

    fn lock(&self) -> MutexGuard<'_, SteerState> {
        // Nothing is left half done by a panic: changes are added whole.
        self.0.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl SteeredScenario {
    fn now(&self, now_ns: Nanos) -> ScenarioNow {
        // Before its start there is none.
        let load = match now_ns.checked_sub(self.start_ns) {
            Some(at_ns) => self.course.load_at(at_ns),
            None => Some(0.0),
        };
        ScenarioNow {
            name: self.name.clone(),
            is_closed: self.course.is_closed(),
            load,
        }
    }
}

impl Begun {
    /// The change with the name of the one scenario that it means, where it means one.
    fn named(&self, change: &LoadChange) -> Result<LoadChange, ChangeError> {
        if let Some(error) = &self.against {
            return Err(error.clone());
        }
        if let Some(name) = &change.scenario {
            let is_known = self.scenarios.iter().any(|of| of.name == *name);
            return match is_known {
                true => Ok(change.clone()),
                false => Err(ChangeError::NoScenario(name.clone())),
            };
        }
        let closed = match change.to {
            NewLoad::Users(_) => true,
            NewLoad::Rate(_) => false,
            NewLoad::RateTimes(_) | NewLoad::Longer(_) => return Ok(change.clone()),
        };
        let all = self.scenarios.iter();
        let mut meant = all.filter(|of| of.course.is_closed() == closed);
        let name = match (meant.next(), meant.next()) {
            (Some(one), None) => one.name.clone(),
            (Some(_), Some(_)) => return Err(ChangeError::WhichScenario),
            (None, _) => {
                let first = self.scenarios.first().map(|of| of.name.clone());
                return Err(ChangeError::OtherModel(first.unwrap_or_default()));
            }
        };
        Ok(LoadChange {
            scenario: Some(name),
            to: change.to,
        })
    }

    /// Takes a change in, whole or not at all.
    fn take(&mut self, timed: &TimedChange) -> Result<(), ChangeError> {
        if matches!(timed.change.to, NewLoad::Users(users) if users > self.most_users) {
            return Err(ChangeError::FewUsers);
        }
        let mut changed = self.scenarios.clone();
        let mut why_not = None;
        let mut any = false;
        for of in &mut changed {
            match apply(&mut of.course, &of.name, of.start_ns, timed) {
                Ok(is_meant) => any |= is_meant,
                Err(error @ ChangeError::NotByTime(_)) => return Err(error),
                // Others may go on, or be counted so.
                Err(error) => why_not = why_not.or(Some(error)),
            }
        }
        if !any {
            return Err(why_not.unwrap_or(ChangeError::Over));
        }
        self.scenarios = changed;
        Ok(())
    }
}

/// Changes the course of a scenario, if it is meant: gives whether it is.
pub(super) fn apply(
    course: &mut Course,
    name: &str,
    start_ns: Nanos,
    timed: &TimedChange,
) -> Result<bool, ChangeError> {
    let meant = timed.change.scenario.as_deref();
    if meant.is_some_and(|meant| meant != name) {
        return Ok(false);
    }
    let at_ns = timed.at_ns.saturating_sub(start_ns);
    course.change(at_ns, timed.change.to, name).map(|()| true)
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use plimsoll_plan::model::Rate;
    use plimsoll_plan::{CompileOptions, compile, parse_yaml};

    use super::*;

    fn begun(yaml: &str, shares: u32) -> Steer {
        let (plan, _) = parse_yaml(yaml, "plan").unwrap();
        let program = compile(&plan, &CompileOptions::default()).unwrap();
        let steer = Steer::default();
        steer.begins(&program, Clock::start(), LEAD, shares);
        steer
    }

    const TWO: &str = "scenarios:
  browse: {users: 2, duration: 60s, steps: [{get: 'http://127.0.0.1/'}]}
  buy: {rate: 5/s, duration: 90s, steps: [{get: 'http://127.0.0.1/'}]}
";

    fn change(scenario: Option<&str>, to: NewLoad) -> LoadChange {
        LoadChange {
            scenario: scenario.map(str::to_owned),
            to,
        }
    }

    #[test]
    fn a_change_finds_its_scenario() {
        let steer = begun(TWO, 1);
        let users = steer.change(&change(None, NewLoad::Users(7))).unwrap();
        assert_eq!(users.change.scenario.as_deref(), Some("browse"));
        assert!(users.at_ns >= nanos(LEAD));
        let rate = NewLoad::Rate(Rate::per_second(9));
        let rate = steer.change(&change(None, rate)).unwrap();
        assert_eq!(rate.change.scenario.as_deref(), Some("buy"));
        let wrong = steer.change(&change(Some("sell"), NewLoad::Users(1)));
        assert_eq!(wrong, Err(ChangeError::NoScenario("sell".to_owned())));
        let wrong = steer.change(&change(Some("buy"), NewLoad::Users(1)));
        assert_eq!(wrong, Err(ChangeError::OtherModel("buy".to_owned())));
        assert_eq!((steer.count(), steer.changes_from(1)), (2, vec![rate]));
    }

    #[test]
    fn all_end_later() {
        let steer = begun(TWO, 1);
        assert_eq!(steer.end_ns(), Some(90_000_000_000));
        let longer = NewLoad::Longer(Duration::from_secs(10));
        steer.change(&change(None, longer)).unwrap();
        assert_eq!(steer.end_ns(), Some(100_000_000_000));
        // Who begins later hears of it too.
        let late = begun(TWO, 1);
        late.push(steer.changes_from(0)[0].clone());
        assert_eq!(late.end_ns(), Some(100_000_000_000));
    }

    #[test]
    fn the_load_of_a_moment_is_known() {
        let steer = begun(TWO, 1);
        let of = |name: &str, is_closed, load| ScenarioLoad {
            name: name.to_owned(),
            is_closed,
            load,
        };
        let both = vec![of("browse", true, 2.0), of("buy", false, 5.0)];
        assert_eq!(steer.loads_at(59_000_000_000), both);
        assert_eq!(steer.loads_at(61_000_000_000), both[1..]);
        assert_eq!(steer.held_until_ns(), Some(90_000_000_000));
        let ramps = begun(
            "scenarios:\n  s: {users: 8, ramp-up: 10s, hold: 20s, ramp-down: 5s, steps: [{get: 'http://127.0.0.1/'}]}\n",
            1,
        );
        assert_eq!(ramps.held_until_ns(), Some(30_000_000_000));
        assert_eq!(ramps.loads_at(29_999_999_999)[0].load, 8.0);
        assert_eq!(Steer::default().held_until_ns(), None);
    }

    #[test]
    fn the_load_of_now_says_its_kind_its_amount_and_its_end() {
        let of = |name: &str, is_closed, load| ScenarioNow {
            name: name.to_owned(),
            is_closed,
            load,
        };
        let steer = begun(TWO, 1);
        let both = vec![of("browse", true, Some(2.0)), of("buy", false, Some(5.0))];
        assert_eq!(steer.now().scenarios, both);
        assert_eq!(steer.now().end_ns, Some(90_000_000_000));
        // What it was changed to holds from the change on.
        let rate = NewLoad::Rate(Rate::per_second(9));
        let timed = TimedChange {
            at_ns: 0,
            change: change(Some("buy"), rate),
        };
        steer.push(timed);
        assert_eq!(steer.now().scenarios[1], of("buy", false, Some(9.0)));
        let counted = begun(
            "scenarios:\n  s: {users: 3, iterations: 7, steps: [{get: 'http://127.0.0.1/'}]}\n",
            1,
        );
        assert_eq!(counted.now().scenarios, [of("s", true, None)]);
        assert_eq!(counted.now().end_ns, None);
        let ordered = begun(&format!("order: in-order\n{TWO}"), 1);
        assert_eq!(ordered.now(), LoadNow::default());
        assert_eq!(Steer::default().now(), LoadNow::default());
    }

    #[test]
    fn what_cannot_be_changed_says_why() {
        let steer = Steer::default();
        let wanted = change(None, NewLoad::Users(1));
        assert_eq!(steer.change(&wanted), Err(ChangeError::NotBegun));
        let few = begun(
            "scenarios:\n  s: {users: 2, duration: 60s, steps: [{get: 'http://127.0.0.1/'}]}\n",
            3,
        );
        assert_eq!(
            few.change(&change(None, NewLoad::Users(3))),
            Err(ChangeError::FewUsers)
        );
        assert!(few.change(&wanted).is_ok());
    }
}
