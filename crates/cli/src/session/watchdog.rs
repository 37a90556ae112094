//! Ends a run early: guards, and goals that are to abort.

use std::time::Duration;

use plimsoll_load::engine::Second;
use plimsoll_plan::model::GuardMetric;
use plimsoll_plan::program::Program;
use plimsoll_stats::aggregate::Aggregate;
use plimsoll_stats::{Goal, GoalMetric, LabelInfo, Window, goal};
use plimsoll_text::Message;

/// One condition and for how long it has been broken.
struct Watched {
    condition: Condition,
    event: &'static str,
    most_s: u64,
    broken_s: u64,
}

enum Condition {
    Goal(Goal),
    LatenessNs(u64),
}

/// Watches the conditions that end a run early, second by second.
pub struct Watchdog {
    watched: Vec<Watched>,
}

impl Watchdog {
    /// The guards and aborting goals of a program.
    #[must_use]
    pub fn new(program: &Program) -> Self {
        let guards = program.guards.iter().map(|guard| Watched {
            condition: match &guard.metric {
                GuardMetric::Goal(goal) => Condition::Goal(goal.clone()),
                GuardMetric::SendLateness(most) => {
                    Condition::LatenessNs(u64::try_from(most.as_nanos()).unwrap_or(u64::MAX))
                }
            },
            event: "event-guard",
            most_s: seconds(guard.for_at_least),
            broken_s: 0,
        });
        let goals = program.goals.iter().filter_map(|spec| {
            Some(Watched {
                condition: Condition::Goal(spec.goal.clone()),
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

impl Watched {
    fn look(&mut self, second: &Second<'_>, sum: &Aggregate) -> Option<Message> {
        let (name, broken) = match &self.condition {
            Condition::LatenessNs(most) => {
                let p99 = second.lateness.quantile_ns(0.99);
                #[expect(clippy::cast_precision_loss)]
                let value = format!("{:.1} ms", p99 as f64 / 1e6);
                (
                    "send lateness p99".to_owned(),
                    (p99 > *most).then_some(value),
                )
            }
            Condition::Goal(wanted) => {
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
