//! Thread groups of JMeter's own.

use std::time::Duration;

use plimsoll_plan::model::{
    Action, ArrivalLoad, Counter, Element, Load, OnError, Scenario, SharedBy, Spacing, UserLoad,
    UserStage, defaults,
};
use plimsoll_text::Message;

use super::element::{flag, flag_or, flat, inner, text};
use super::indices::name_of;
use super::loads::seconds;
use super::schedule;
use super::translator::Translator;
use crate::read::JmxNode;

/// JMeter lets a sample that has begun come to its end, however long that takes. An end of
/// some kind there must be: after this time it is cut off.
const GRACE: Duration = Duration::from_secs(600);

impl Translator<'_> {
    /// A thread group; none when it has no threads, which is said.
    pub(super) fn scenario(&mut self, node: &JmxNode) -> Option<Scenario> {
        let element = &node.element;
        let name = self.fixed_or_raw(&element.name);
        let mut scenario = Scenario::new(name, Load::once());
        scenario.at = node.at;
        scenario.grace = GRACE;
        scenario.on_error = on_error(element);
        let class = element.class.as_str();
        // Threads of other groups are new users in each iteration, whatever the property says (JMeter 5.6.3,
        // `JMeterThread` without its last argument).
        let is_own = matches!(
            class,
            "ThreadGroup" | "SetupThreadGroup" | "PostThreadGroup"
        );
        scenario.same_user_each_iteration =
            is_own && flag_or(element, "ThreadGroup.same_user_on_next_iteration", true);
        let told = self.problems.len();
        let load = match class {
            "OpenModelThreadGroup" => self.open_model(node, &mut scenario),
            _ if is_own => self.threads(node, &mut scenario),
            _ => self.plugin_load(node, &mut scenario),
        };
        let is_told = self.problems.len() > told;
        scenario.body = self.children(&node.children, false);
        if self.indices {
            scenario.body.scope.counters.push(Counter {
                variable: name_of(&scenario.name),
                start: 0,
                step: 1,
                end: None,
                digits: 0,
                reset_each_iteration: false,
                format: None,
                shared_by: SharedBy::User,
                at: node.at,
            });
        }
        let Some(load) = load else {
            if !is_told {
                let message =
                    Message::new("jmeter-no-threads").with("name", scenario.name.as_str());
                self.warn(node.at, message);
            }
            return None;
        };
        scenario.load = load;
        Some(scenario)
    }

    /// JMeter 5.6.3, `ThreadGroup`: threads, ramp-up, loops and, with its scheduler, a delay
    /// and a duration.
    fn threads(&mut self, node: &JmxNode, scenario: &mut Scenario) -> Option<Load> {
        let users = self.count_of(node, "ThreadGroup.num_threads");
        let users = u32::try_from(users).unwrap_or(0);
        let ramp_s = self.seconds_of(node, "ThreadGroup.ramp_time");
        if flag(&node.element, "ThreadGroup.scheduler") {
            let delay_s = self.seconds_of(node, "ThreadGroup.delay");
            let duration_s = self.seconds_of(node, "ThreadGroup.duration");
            if delay_s < 0.0 || duration_s <= 0.0 {
                let message =
                    Message::new("jmeter-no-duration").with("name", scenario.name.as_str());
                self.error(node.at, message);
            }
            scenario.start_delay = seconds(delay_s);
            scenario.end_after = Some(seconds(duration_s));
        }
        let iterations = self.iterations(node);
        if users == 0 || iterations == Some(0) {
            return None;
        }
        Some(Load::Users(UserLoad {
            stages: vec![UserStage {
                users,
                ramp: seconds(ramp_s),
                hold: Duration::ZERO,
            }],
            iterations_per_user: iterations,
            iterations_total: None,
            ends_with_stages: false,
            new_users: false,
        }))
    }

    /// The loops of a thread group's main controller; none for ever.
    pub(super) fn iterations(&mut self, node: &JmxNode) -> Option<u64> {
        let Some(main) = inner(&node.element, "ThreadGroup.main_controller") else {
            return Some(1);
        };
        if flag_or(main, "LoopController.continue_forever", true) {
            return None;
        }
        let loops = text(main, "LoopController.loops");
        let name = &node.element.name.raw;
        match self.count((name, loops.at), "LoopController.loops", &loops.raw) {
            ..0 => None,
            loops => Some(loops.unsigned_abs()),
        }
    }

    fn seconds_of(&mut self, node: &JmxNode, property: &'static str) -> f64 {
        let seconds = self.count_of(node, property);
        #[expect(clippy::cast_precision_loss)] // It is 32 bits wide.
        let seconds = seconds as f64;
        seconds
    }

    /// JMeter 5.6.3, `OpenModelThreadGroup`: arrivals, each a thread of its own that passes once; what
    /// still runs at the end of the schedule is stopped.
    fn open_model(&mut self, node: &JmxNode, scenario: &mut Scenario) -> Option<Load> {
        let written = self.fixed(node, "OpenModelThreadGroup.schedule")?;
        let read = match schedule::parse(&written) {
            Ok(read) => read,
            Err(message) => {
                let at = text(&node.element, "OpenModelThreadGroup.schedule").at;
                self.error(at, message);
                return None;
            }
        };
        if read.stages.is_empty() {
            return None;
        }
        scenario.grace = Duration::ZERO;
        let seed = self.number(node, "OpenModelThreadGroup.random_seed", 0i64);
        let stages = read.stages.into_iter().map(|(stage, spacing)| {
            let mut stage = stage;
            stage.spacing = Some(spacing);
            stage
        });
        Some(Load::Arrivals(ArrivalLoad {
            stages: stages.collect(),
            spacing: Spacing::Poisson,
            ready_users: 0,
            max_in_flight: defaults::MAX_IN_FLIGHT,
            arrivals_total: None,
            exact_counts: true,
            seed: (seed != 0).then_some(seed),
            new_users: true,
        }))
    }
}

/// What a failed sample does.
fn on_error(element: &Element) -> OnError {
    match flat(element, "ThreadGroup.on_sample_error").as_str() {
        "startnextloop" => OnError::Act(Action::NextIteration),
        "stopthread" => OnError::Act(Action::StopUser),
        "stoptest" => OnError::Act(Action::StopRun),
        "stoptestnow" => OnError::Act(Action::StopRunNow),
        _ => OnError::GoOn,
    }
}
