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
        #[expect(clippy::cast_precision_loss)]
        let from_s = second.second as f64;
        let mut sum = Aggregate::new(Window::new(from_s, from_s + 1.0));
        for (id, interval) in second.labels.iter() {
            if let Some(info) = labels.get(id.index()) {
                sum.add(second.second, info, interval);
            }
        }
        self.watched
            .iter_mut()
            .find_map(|watched| watched.look(second, &sum))
    }
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
            goals,
            from_s,
            planned_s,
            sum: Aggregate::new(window),
            silent_s: 0,
        }
    }

    /// Looks at a second; says why there is no hope.
    pub fn look(&mut self, second: &Second<'_>, labels: &[LabelInfo]) -> Option<Message> {
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
        self.silent_s = if samples == 0 { self.silent_s + 1 } else { 0 };
        #[expect(clippy::cast_precision_loss)]
        let seen_s = (second.second + 1 - self.from_s) as f64;
        if self.silent_s >= Self::SILENT_S {
            return Some(Message::new("event-silent").with("seconds", self.silent_s));
        }
        let lost = |wanted: &&Goal| goal::out_of_reach(wanted, &self.sum, seen_s, self.planned_s);
        let lost = self
            .goals
            .iter()
            .find(lost)
            .filter(|_| seen_s >= Self::LEAST_S)?;
        Some(Message::new("event-out-of-reach").with("name", lost.to_string()))
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
