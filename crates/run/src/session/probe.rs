//! The load is changed at its end: raised by a tenth and then by half, to see what room there is, or lowered to half,
//! to see whether requests wait for each other. These seconds are marked, and no part of the result.

use std::collections::BTreeMap;
use std::time::Duration;

use plimsoll_load::clock::Nanos;
use plimsoll_load::engine::steer::{ScenarioLoad, Steer};
use plimsoll_load::schedule::{ChangeError, LoadChange, NewLoad};
use plimsoll_plan::model::Rate;
use plimsoll_stats::moments::LoadSecond;
use plimsoll_stats::summary::{ProbeLevel, ProbeSummary};
use plimsoll_text::Message;

use crate::ReadyPlan;

/// What the load is raised or lowered to, in thousandths of what it was.
const RAISED: &[u32] = &[1_100, 1_500];
const LOWERED: &[u32] = &[500];
/// A shorter load is not lowered behind its end: that would be a good part of it.
const LEAST_NS: Nanos = 20 * SECOND_NS;
/// A load that is lowered stays so for that long.
const LOWERED_FOR: Duration = Duration::from_secs(5);
/// What waits from before is gone after so many of its response times.
const SETTLED_TIMES: f64 = 2.0;
/// So much of a level is left to be measured.
const LEAST_LEFT_S: u64 = 2;
pub(super) const SECOND_NS: Nanos = 1_000_000_000;
/// So long before its end the load is asked to go on.
pub(super) const AHEAD_NS: Nanos = 12 * SECOND_NS;
/// What a raise takes to be told and heard of, on this machine and over workers.
const LAG: Duration = Duration::from_secs(2);
const FLEET_LAG: Duration = Duration::from_secs(8);

/// How the load is changed at its end.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum LoadProbe {
    /// It is raised by a tenth and then by half, for so long each, 2 s at least. Somebody asked for it, and is told where
    /// it cannot be.
    Raised(Duration),
    /// It is lowered to half, for 5 s, if it lasts for 20 s or more: nobody has to ask for that.
    Lowered,
}

impl LoadProbe {
    /// How a load is that is watched, and that nobody asked to be changed otherwise. Plans of JMeter write down what
    /// they do by themselves, and are left as they are.
    #[must_use]
    pub fn of_watched(ready: &ReadyPlan) -> Option<Self> {
        (!ready.watch.is_empty() && ready.jmeter.is_none()).then_some(Self::Lowered)
    }

    /// The most that it comes to, in thousandths of the load.
    pub(crate) fn most(self) -> u32 {
        self.levels().iter().copied().fold(1_000, u32::max)
    }

    fn levels(self) -> &'static [u32] {
        match self {
            Self::Raised(_) => RAISED,
            Self::Lowered => LOWERED,
        }
    }

    /// Each level.
    fn lasts(self) -> Duration {
        match self {
            Self::Raised(lasts) => lasts.max(Duration::from_secs(2)),
            Self::Lowered => LOWERED_FOR,
        }
    }

    /// All of them.
    fn lasts_in_all(self) -> Duration {
        self.lasts() * u32::try_from(self.levels().len()).unwrap_or(u32::MAX)
    }

    fn name(self) -> &'static str {
        match self {
            Self::Raised(_) => "raised",
            Self::Lowered => "lowered",
        }
    }
}

/// Changes the load of one run behind its end.
pub(super) struct Probe {
    how: LoadProbe,
    lag: Duration,
    state: ProbeState,
    /// It cannot be changed any further.
    gave_up: bool,
    /// The load of before.
    loads: Vec<ScenarioLoad>,
    /// When each level began, on the run's clock.
    changed_ns: Vec<Nanos>,
    /// The seconds around it.
    seconds: BTreeMap<u64, LoadSecond>,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum ProbeState {
    /// The end of the load is far, or not known.
    Waiting,
    /// The load goes on beyond its end, which was then.
    Longer(Nanos),
    /// It cannot be changed.
    Refused,
}

impl Probe {
    pub(super) fn new(how: LoadProbe) -> Self {
        Self {
            how,
            lag: LAG,
            state: ProbeState::Waiting,
            gave_up: false,
            loads: Vec::new(),
            changed_ns: Vec::new(),
            seconds: BTreeMap::new(),
        }
    }

    /// Of a run whose workers hear later of what is asked for.
    pub(super) fn over_workers(&mut self) {
        self.lag = FLEET_LAG;
    }

    /// The second from which on nothing is in the result; none: it is not known yet.
    pub(super) fn ends_s(&self) -> Option<u64> {
        match self.state {
            ProbeState::Longer(end_ns) => Some(end_ns / SECOND_NS),
            ProbeState::Waiting | ProbeState::Refused => None,
        }
    }

    /// Takes a second in; gives what is to be told.
    pub(super) fn second(
        &mut self,
        number: u64,
        second: LoadSecond,
        steer: &Steer,
    ) -> Option<(Nanos, Message)> {
        self.seconds.insert(number, second);
        let kept = self.how.lasts_in_all().as_secs() + 60;
        self.seconds = self.seconds.split_off(&number.saturating_sub(kept));
        let now_ns = (number + 1).saturating_mul(SECOND_NS);
        let done = match self.state {
            ProbeState::Waiting => self.go_on(now_ns, steer),
            ProbeState::Longer(end_ns) if !self.gave_up => self.change(now_ns, end_ns, steer),
            ProbeState::Longer(_) | ProbeState::Refused => Ok(None),
        };
        done.unwrap_or_else(|error| {
            self.gave_up = true;
            if self.state == ProbeState::Waiting {
                self.state = ProbeState::Refused;
            }
            let message = Message::new("event-probe-refused").with("reason", error.message());
            (self.how != LoadProbe::Lowered).then_some((now_ns, message))
        })
    }

    /// Near its end, or that of what it holds last, the load is made longer.
    fn go_on(
        &mut self,
        now_ns: Nanos,
        steer: &Steer,
    ) -> Result<Option<(Nanos, Message)>, ChangeError> {
        let Some(end_ns) = steer.held_until_ns() else {
            self.state = ProbeState::Refused;
            return Err(ChangeError::NotByTime("*".to_owned()));
        };
        if now_ns + AHEAD_NS < end_ns {
            return Ok(None);
        }
        let longer = LoadChange {
            scenario: None,
            to: NewLoad::Longer(self.how.lasts_in_all() + self.lag),
        };
        self.loads = steer.loads_at(end_ns.saturating_sub(1));
        let from_s = end_ns / SECOND_NS;
        if self.loads.is_empty() || steer.end_ns().is_none_or(|all| all <= now_ns) {
            return Err(ChangeError::Over);
        }
        if self.how == LoadProbe::Lowered && !self.may_be_lowered(end_ns) {
            self.state = ProbeState::Refused;
            return Ok(None);
        }
        steer.change(&longer)?;
        self.state = ProbeState::Longer(end_ns);
        let message = Message::new("event-probe-begins")
            .with("from", from_s)
            .with("how", self.how.name());
        Ok(Some((now_ns, message)))
    }

    /// Whether the load lasts for long enough until then, and is more than one user.
    fn may_be_lowered(&self, end_ns: Nanos) -> bool {
        let lowered = LOWERED
            .iter()
            .flat_map(|level| changed(&self.loads, *level));
        end_ns >= LEAST_NS && lowered.count() > 0
    }

    /// Changes the load once the level before has had its time.
    fn change(
        &mut self,
        now_ns: Nanos,
        end_ns: Nanos,
        steer: &Steer,
    ) -> Result<Option<(Nanos, Message)>, ChangeError> {
        let Some(thousandths) = self.how.levels().get(self.changed_ns.len()) else {
            return Ok(None);
        };
        let lasts_ns = u64::try_from(self.how.lasts().as_nanos()).unwrap_or(Nanos::MAX);
        let due_ns = match self.changed_ns.last() {
            None => end_ns,
            Some(before_ns) => before_ns.saturating_add(lasts_ns),
        };
        if now_ns < due_ns {
            return Ok(None);
        }
        let mut from_ns = 0;
        for change in changed(&self.loads, *thousandths) {
            from_ns = from_ns.max(steer.change(&change)?.at_ns);
        }
        self.changed_ns.push(from_ns);
        let message = Message::new("event-probe-changed")
            .with("percent", thousandths.abs_diff(1_000) / 10)
            .with("how", self.how.name());
        Ok(Some((from_ns, message)))
    }

    /// What came of it, of a load that ended then; none: it was not changed.
    pub(super) fn summary(&self, load_end_ns: Nanos) -> Option<ProbeSummary> {
        let from_s = self.ends_s()?;
        let first = (*self.changed_ns.first()?).div_ceil(SECOND_NS);
        let before = first.min(from_s);
        let lasts_s = self.how.lasts().as_secs();
        let mut levels = Vec::from_iter(self.level(1_000, before.saturating_sub(lasts_s), before));
        let settled_s = levels.first().map_or(0, |level| self.settled_s(level));
        for (number, (at_ns, thousandths)) in
            self.changed_ns.iter().zip(self.how.levels()).enumerate()
        {
            let next_ns = self.changed_ns.get(number + 1).copied();
            let to_ns = next_ns.unwrap_or(load_end_ns).min(load_end_ns);
            // The second in which it begins has both loads, and the next what waits for it.
            let from_s = at_ns.div_ceil(SECOND_NS) + settled_s;
            levels.extend(self.level(*thousandths, from_s, to_ns / SECOND_NS));
        }
        #[expect(clippy::cast_precision_loss, reason = "seconds of a run")]
        let from_s = from_s as f64;
        (levels.len() > 1).then_some(ProbeSummary { from_s, levels })
    }

    /// Seconds of a level in which requests of the load before are still under way, where that was higher.
    #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss)]
    fn settled_s(&self, before: &ProbeLevel) -> u64 {
        let most = self.how.lasts().as_secs().saturating_sub(LEAST_LEFT_S);
        match self.how {
            LoadProbe::Lowered => {
                ((SETTLED_TIMES * before.response_ms / 1e3).ceil() as u64).min(most)
            }
            LoadProbe::Raised(_) => 0,
        }
    }

    fn level(&self, thousandths: u32, from_s: u64, to_s: u64) -> Option<ProbeLevel> {
        let inside = self.seconds.range(from_s..to_s.max(from_s));
        let (mut count, mut requests, mut waited_ms) = (0.0, 0.0, 0.0);
        for (_, second) in inside {
            count += 1.0;
            requests += second.throughput;
            waited_ms += second.throughput * second.mean_response_ms;
        }
        (count > 0.0).then(|| ProbeLevel {
            load: f64::from(thousandths) / 1e3,
            from_s,
            to_s,
            throughput_per_s: rounded(requests / count),
            response_ms: match requests > 0.0 {
                true => rounded(waited_ms / requests),
                false => 0.0,
            },
        })
    }
}

/// To the thousandth.
fn rounded(value: f64) -> f64 {
    (value * 1e3).round() / 1e3
}

/// What changes each scenario: by its own number, since a factor would be of what it was changed to. A single user is
/// no half.
fn changed(loads: &[ScenarioLoad], thousandths: u32) -> Vec<LoadChange> {
    let change = |of: &ScenarioLoad| {
        let wanted = of.load * f64::from(thousandths) / 1e3;
        let to = match of.is_closed {
            #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss)]
            true => NewLoad::Users((wanted - 1e-6).ceil() as u32),
            false => NewLoad::Rate(rate_of(wanted)),
        };
        LoadChange {
            scenario: Some(of.name.clone()),
            to,
        }
    };
    let is_one = |of: &&ScenarioLoad| thousandths < 1_000 && of.is_closed && of.load < 2.0;
    let under_load = loads.iter().filter(|of| of.load > 0.0 && !is_one(of));
    under_load.map(change).collect()
}

/// A rate, to the thousandth of an arrival an hour.
fn rate_of(per_second: f64) -> Rate {
    #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss)]
    let arrivals = (per_second * 3_600_000.0).round() as u64;
    Rate {
        arrivals,
        per_ns: 3_600_000 * SECOND_NS,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(name: &str, is_closed: bool, load: f64) -> ScenarioLoad {
        ScenarioLoad {
            name: name.to_owned(),
            is_closed,
            load,
        }
    }

    #[test]
    fn users_are_whole_and_rates_are_not() {
        let loads = [
            of("a", true, 10.0),
            of("b", true, 3.0),
            of("c", false, 7.0),
            of("d", false, 0.0),
        ];
        let raised = changed(&loads, 1_100);
        let to: Vec<_> = raised.iter().map(|change| change.to).collect();
        assert_eq!(to[..2], [NewLoad::Users(11), NewLoad::Users(4)]);
        let NewLoad::Rate(rate) = to[2] else {
            panic!("{to:?}")
        };
        assert!((rate.as_per_second() - 7.7).abs() < 1e-6);
        assert_eq!(to.len(), 3);
    }

    #[test]
    fn a_single_user_is_not_halved() {
        let to = |load| changed(&[of("a", true, load)], LOWERED[0]);
        assert!(to(1.0).is_empty());
        assert_eq!(to(3.0)[0].to, NewLoad::Users(2));
    }

    #[test]
    fn a_lowered_level_leaves_out_what_waits_from_before() {
        for (response_ms, from_s) in [(10.0, 12), (900.0, 13), (9_000.0, 14)] {
            let mut probe = Probe::new(LoadProbe::Lowered);
            for second in 0..17 {
                let load = LoadSecond {
                    concurrency: 1.0,
                    throughput: 100.0,
                    mean_response_ms: response_ms,
                };
                probe.seconds.insert(second, load);
            }
            probe.state = ProbeState::Longer(10 * SECOND_NS);
            probe.changed_ns = vec![10 * SECOND_NS + 1];
            let summary = probe.summary(17 * SECOND_NS).unwrap_or_default();
            let level = |at: usize| (summary.levels[at].load, summary.levels[at].from_s);
            assert_eq!([level(0), level(1)], [(1.0, 5), (0.5, from_s)]);
        }
    }

    #[test]
    fn each_level_has_its_own_seconds() {
        let mut probe = Probe::new(LoadProbe::Raised(Duration::from_secs(3)));
        assert_eq!(probe.summary(60 * SECOND_NS), None);
        for second in 0..20 {
            let throughput = match second {
                0..10 => 100.0,
                10..14 => 110.0,
                _ => 120.0,
            };
            let load = LoadSecond {
                concurrency: 1.0,
                throughput,
                mean_response_ms: throughput / 10.0,
            };
            probe.seconds.insert(second, load);
        }
        probe.state = ProbeState::Longer(10 * SECOND_NS);
        probe.changed_ns = vec![10 * SECOND_NS + 1, 14 * SECOND_NS];
        let summary = probe.summary(19 * SECOND_NS + 5).unwrap_or_default();
        let level = |load, from_s, to_s, throughput_per_s, response_ms| ProbeLevel {
            load,
            from_s,
            to_s,
            throughput_per_s,
            response_ms,
        };
        assert_eq!(
            summary.levels,
            [
                level(1.0, 7, 10, 100.0, 10.0),
                level(1.1, 11, 14, 110.0, 11.0),
                level(1.5, 14, 19, 120.0, 12.0)
            ]
        );
        assert!((summary.from_s - 10.0).abs() < 1e-9);
    }
}
