//! Ends a run early: guards, and goals that are to abort.

use std::time::Duration;

use plimsoll_load::engine::Second;
use plimsoll_plan::model::GuardMetric;
use plimsoll_plan::program::Program;
use plimsoll_stats::aggregate::Aggregate;
use plimsoll_stats::{Goal, GoalMetric, LabelInfo, Window, goal};
use plimsoll_text::Message;

/// One condition and for how long it has been broken.
struct WatchedCondition {
    condition: EndCondition,
    event: &'static str,
    most_s: u64,
    broken_s: u64,
}

enum EndCondition {
    Goal(Goal),
    LatenessNs(u64),
}

/// Watches the conditions that end a run early, second by second.
pub struct EarlyEnd {
    watched: Vec<WatchedCondition>,
}

impl EarlyEnd {
    /// The guards and aborting goals of a program.
    #[must_use]
    pub fn new(program: &Program) -> Self {
        let guards = program.guards.iter().map(|guard| WatchedCondition {
            condition: match &guard.metric {
                GuardMetric::Goal(goal) => EndCondition::Goal(goal.clone()),
                GuardMetric::SendLateness(most) => {
                    EndCondition::LatenessNs(u64::try_from(most.as_nanos()).unwrap_or(u64::MAX))
                }
            },
            event: "event-guard",
            most_s: seconds(guard.for_at_least),
            broken_s: 0,
        });
        let goals = program.goals.iter().filter_map(|spec| {
            Some(WatchedCondition {
                condition: EndCondition::Goal(spec.goal.clone()),
                event: "event-goal-abort",
                most_s: seconds(spec.abort_after?),
                broken_s: 0,
            })
        });
        Self {
            watched: guards.chain(goals).collect(),
        }
    }

    /// Looks at a second; says what ended the run's patience.
    pub fn look(&mut self, second: &Second<'_>, labels: &[LabelInfo]) -> Option<Message> {
        if self.watched.is_empty() || second.after_load {
            return None;
        }
        let sum = sum_of(second, labels);
        self.watched
            .iter_mut()
            .find_map(|watched| watched.look(second, &sum))
    }
}

/// What one second did.
fn sum_of(second: &Second<'_>, labels: &[LabelInfo]) -> Aggregate {
    #[expect(clippy::cast_precision_loss)]
    let from_s = second.second as f64;
    let mut sum = Aggregate::new(Window::new(from_s, from_s + 1.0));
    for (id, interval) in second.labels.iter() {
        if let Some(info) = labels.get(id.index()) {
            sum.add(second.second, info, interval);
        }
    }
    sum
}

/// Ends a measurement whose goals are out of reach: more load on a target that has failed
/// already tells nothing new.
#[derive(Clone)]
pub struct GiveUp {
    goals: Vec<Goal>,
    from_s: u64,
    planned_s: f64,
    sum: Aggregate,
    silent_s: u64,
    /// Users that make the whole load; none: nobody says.
    whole_load: Option<u64>,
    /// Users at work at the end of the second before.
    users_before: u64,
    /// The most samples of each goal's label in a second of the whole load.
    most_per_s: Vec<Option<f64>>,
}

impl GiveUp {
    /// Seconds that are looked at at least.
    const LEAST_S: f64 = 3.0;
    /// A target that ends nothing for so long is given up.
    const SILENT_S: u64 = 10;

    /// Judges the seconds from `from_s` on, of which there will be `planned_s`.
    #[must_use]
    pub fn new(goals: Vec<Goal>, from_s: u64, planned_s: f64) -> Self {
        #[expect(clippy::cast_precision_loss)]
        let window = Window::new(from_s as f64, f64::INFINITY);
        Self {
            most_per_s: vec![None; goals.len()],
            goals,
            from_s,
            planned_s,
            sum: Aggregate::new(window),
            silent_s: 0,
            whole_load: None,
            users_before: 0,
        }
    }

    /// Gives up a throughput, too, judged by seconds in which so many users were at work: before, the load may
    /// only have been growing.
    #[must_use]
    pub fn under_the_load_of(mut self, users: u64) -> Self {
        self.whole_load = Some(users);
        self
    }

    /// Looks at a second; says why there is no hope.
    pub fn look(&mut self, second: &Second<'_>, labels: &[LabelInfo]) -> Option<Message> {
        let users = second.generator.users_active;
        let users = std::mem::replace(&mut self.users_before, users).min(users);
        if second.after_load || second.second < self.from_s {
            return None;
        }
        let mut samples = 0;
        for (id, interval) in second.labels.iter() {
            if let Some(info) = labels.get(id.index()) {
                samples += interval.samples();
                self.sum.add(second.second, info, interval);
            }
        }
        if self.whole_load.is_some_and(|whole| users >= whole) {
            self.see_rates(second, labels);
        }
        self.silent_s = if samples == 0 { self.silent_s + 1 } else { 0 };
        #[expect(clippy::cast_precision_loss)]
        let seen_s = (second.second + 1 - self.from_s) as f64;
        if self.silent_s >= Self::SILENT_S {
            return Some(Message::new("event-silent").with("seconds", self.silent_s));
        }
        let spans = (seen_s, self.planned_s);
        let mut goals = self.goals.iter().zip(&self.most_per_s);
        let lost =
            goals.find(|(wanted, most)| goal::out_of_reach(wanted, &self.sum, spans, **most));
        let (lost, _) = lost.filter(|_| seen_s >= Self::LEAST_S)?;
        Some(Message::new("event-out-of-reach").with("name", lost.to_string()))
    }

    /// Keeps the most samples that a second has brought, for goals of a throughput.
    fn see_rates(&mut self, second: &Second<'_>, labels: &[LabelInfo]) {
        if !self
            .goals
            .iter()
            .any(|goal| goal.metric == GoalMetric::Throughput)
        {
            return;
        }
        let own = sum_of(second, labels);
        for (goal, most) in self.goals.iter().zip(&mut self.most_per_s) {
            let seen = match &goal.label {
                None => Some(own.total()),
                Some(name) => own.by_name(name),
            };
            let samples = seen.map_or(0, |seen| seen.samples());
            #[expect(clippy::cast_precision_loss)]
            let samples = samples as f64;
            *most = Some(most.map_or(samples, |most| most.max(samples)));
        }
    }
}

impl WatchedCondition {
    fn look(&mut self, second: &Second<'_>, sum: &Aggregate) -> Option<Message> {
        let (name, broken) = match &self.condition {
            EndCondition::LatenessNs(most) => {
                let p99 = second.lateness.percentile_ns(0.99);
                #[expect(clippy::cast_precision_loss)]
                let value = format!("{:.1} ms", p99 as f64 / 1e6);
                (
                    "send lateness p99".to_owned(),
                    (p99 > *most).then_some(value),
                )
            }
            EndCondition::Goal(wanted) => {
                let result = goal::evaluate(wanted, sum);
                // A second without samples says something of throughput only.
                let says = result.observed.is_some() || wanted.metric == GoalMetric::Throughput;
                let value = result
                    .observed
                    .map_or_else(|| "–".to_owned(), |v| format!("{v:.3}"));
                (wanted.to_string(), (says && !result.met).then_some(value))
            }
        };
        let Some(value) = broken else {
            self.broken_s = 0;
            return None;
        };
        self.broken_s += 1;
        (self.broken_s >= self.most_s).then(|| {
            Message::new(self.event)
                .with("seconds", self.broken_s)
                .with("name", name)
                .with("value", value)
        })
    }
}

fn seconds(duration: Duration) -> u64 {
    duration.as_secs_f64().ceil().max(1.0) as u64
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use plimsoll_stats::generator::GeneratorSecond;
    use plimsoll_stats::{Histogram, IntervalSet, LabelId, LabelKind};

    use super::*;

    /// The second in which a run is given up, if it is, of so many responses with so many users each second.
    fn ends(give_up: &mut GiveUp, seconds: &[(u64, u64)]) -> Option<usize> {
        let labels = [LabelInfo {
            id: LabelId(0),
            name: "a".to_owned(),
            kind: LabelKind::Request,
            parent: None,
        }];
        let none = Histogram::default();
        seconds
            .iter()
            .enumerate()
            .position(|(at, (responses, users))| {
                let mut intervals = IntervalSet::new();
                let interval = intervals.label_mut(LabelId(0));
                (0..*responses).for_each(|_| interval.ok.record(1_000_000, 1_000_000));
                let generator = GeneratorSecond {
                    users_active: *users,
                    ..GeneratorSecond::default()
                };
                let second = Second {
                    second: at as u64,
                    labels: &intervals,
                    generator: &generator,
                    lateness: &none,
                    receive_lag: &none,
                    samples: &[],
                    after_load: false,
                };
                give_up.look(&second, &labels).is_some()
            })
    }

    fn wants(goal: &str, planned_s: f64) -> GiveUp {
        GiveUp::new(vec![goal.parse().unwrap()], 1, planned_s)
    }

    #[test]
    fn a_throughput_is_given_up_under_the_whole_load_alone() {
        let steady = vec![(50, 8); 21];
        let of_eight = || wants("throughput >= 100 /s", 20.0).under_the_load_of(8);
        // A second settles, and three are looked at.
        assert_eq!(ends(&mut of_eight(), &steady), Some(3));
        assert_eq!(
            ends(&mut wants("throughput >= 100 /s", 20.0), &steady),
            None
        );
        // 90 in each second may become 100 by a fifth more, as long as there are 12 to come.
        assert_eq!(ends(&mut of_eight(), &vec![(90, 8); 21]), Some(9));
        assert_eq!(ends(&mut of_eight(), &vec![(100, 8); 21]), None);
        // The load grows: what few users bring says nothing of what all will.
        let grows: Vec<(u64, u64)> = (1..=21).map(|at| (at.min(8) * 25, at.min(8))).collect();
        assert_eq!(ends(&mut of_eight(), &grows), None);
        assert_eq!(ends(&mut of_eight(), &vec![(10, 7); 21]), None);
    }

    #[test]
    fn a_run_that_reaches_its_throughput_is_never_given_up() {
        let mut rng = fastrand::Rng::with_seed(5);
        let mut given_up = 0;
        for _ in 0..400 {
            let (users, ramp_s) = (rng.u64(1..40), rng.u64(1..12));
            let (best, lasts) = (rng.u64(100..300), rng.usize(6..30));
            let seconds: Vec<(u64, u64)> = (0..lasts)
                .map(|at| {
                    let active = (users * (at as u64 + 1)).div_ceil(ramp_s).min(users);
                    // Each second of the whole load lies within a fifth of the best that it could be.
                    let rate = best * rng.u64(86..=100) / 100;
                    (rate * active / users, active)
                })
                .collect();
            let counted: u64 = seconds[1..].iter().map(|(responses, _)| responses).sum();
            let planned_s = (lasts - 1) as f64;
            let reached = counted as f64 / planned_s;
            let wanted = reached * (0.5 + rng.f64());
            let goal = format!("throughput >= {wanted:.3} /s");
            let mut give_up = wants(&goal, planned_s).under_the_load_of(users);
            let end = ends(&mut give_up, &seconds);
            given_up += u32::from(end.is_some());
            assert!(
                end.is_none() || reached < wanted,
                "{goal} {end:?}: {seconds:?}"
            );
        }
        // There were some that could not win.
        assert!(given_up > 50, "{given_up}");
    }
}
