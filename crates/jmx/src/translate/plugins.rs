//! Thread groups of plugins that many plans use: Stepping and Ultimate (kg.apc), Concurrency,
//! Arrivals and Free-Form Arrivals (com.blazemeter).

use std::time::Duration;

use plimsoll_plan::model::{
    ArrivalLoad, ElementValue, Load, RateStage, Scenario, Spacing, UserLoad, defaults,
};

use super::element::{flat, items};
use super::loads::{Trapezoid, seconds, stage, sum, whole};
use super::schedule;
use super::translator::Translator;
use crate::read::JmxNode;

/// Most steps of a stepped ramp; more would only be a ramp.
const MAX_STEPS: u32 = 10_000;
/// How long the Arrivals Thread Group waits before it looks for a rate again.
const LOOKS_AGAIN_S: f64 = 0.2;

impl Translator<'_> {
    pub(super) fn plugin_load(&mut self, node: &JmxNode, scenario: &mut Scenario) -> Option<Load> {
        let class = node.element.class.rsplit('.').next().unwrap_or_default();
        scenario.named_by_starter = node.element.class.starts_with("com.blazemeter.");
        match class {
            "SteppingThreadGroup" => self.stepping(node, scenario),
            "UltimateThreadGroup" => self.ultimate(node),
            "ConcurrencyThreadGroup" => self.concurrency(node),
            "ArrivalsThreadGroup" => self.arrivals(node),
            "FreeFormArrivalsThreadGroup" => self.free_form(node),
            _ => None,
        }
    }

    /// A first burst, then so many more every so many seconds, each group with a ramp-up; a
    /// hold; and so many fewer every so many seconds.
    fn stepping(&mut self, node: &JmxNode, scenario: &mut Scenario) -> Option<Load> {
        let all = self.number(node, "ThreadGroup.num_threads", 0u32);
        let or_all = |count: u32| if count == 0 { all } else { count };
        let up_by = or_all(self.number(node, "Start users count", 0));
        let first = self.number(node, "Start users count burst", 0u32);
        let first = if first == 0 { up_by } else { first.min(all) };
        let up_every_s = self.number(node, "Start users period", 0.0f64);
        let ramp_s = self.number(node, "rampUp", 0.0f64);
        let hold_s = self.number(node, "flighttime", 0.0f64);
        let down_by = or_all(self.number(node, "Stop users count", 0));
        let down_every_s = self.number(node, "Stop users period", 0.0f64);
        scenario.start_delay = seconds(self.number(node, "Threads initial delay", 0.0f64));
        if all == 0 {
            return None;
        }
        let mut stages = Vec::new();
        let mut users = first.min(all);
        while users < all && stages.len() < MAX_STEPS as usize {
            stages.push(stage(users, ramp_s, up_every_s));
            users = users.saturating_add(up_by).min(all);
        }
        // The last group may be smaller; it comes at the pace of the others.
        let last = match all.saturating_sub(first) % up_by {
            0 => up_by,
            fewer => fewer,
        };
        let ramp_s = ramp_s * f64::from(last) / f64::from(up_by);
        stages.push(stage(all, ramp_s, hold_s));
        let mut users = all;
        while users > 0 && stages.len() < 2 * MAX_STEPS as usize {
            users = users.saturating_sub(down_by);
            stages.push(stage(
                users,
                0.0,
                if users == 0 { 0.0 } else { down_every_s },
            ));
        }
        Some(Load::Users(UserLoad {
            stages,
            iterations_per_user: self.iterations(node),
            iterations_total: None,
            ends_with_stages: true,
            new_users: false,
        }))
    }

    /// Rows of users, start-up delay, ramp-up, hold and shutdown.
    fn ultimate(&mut self, node: &JmxNode) -> Option<Load> {
        let rows = self.rows(node, "ultimatethreadgroupdata", |me, text, what| {
            me.whole_cell((&node.element.name.raw, text), what)
        });
        let rows: Vec<Trapezoid> = rows
            .iter()
            .filter_map(|row| match row.as_slice() {
                [users, delay_s, up_s, hold_s, down_s, ..] => Some(Trapezoid {
                    users: whole(*users),
                    delay_s: delay_s.max(0.0),
                    up_s: up_s.max(0.0),
                    hold_s: hold_s.max(0.0),
                    down_s: down_s.max(0.0),
                }),
                _ => None,
            })
            .filter(|row| row.users > 0)
            .collect();
        if rows.is_empty() {
            return None;
        }
        let mut load = sum(&rows);
        load.iterations_per_user = self.iterations(node);
        Some(Load::Users(load))
    }

    /// A number of users that is reached in time, in steps if there are any, and kept: a thread that ends before
    /// is followed by a new one (casutg 2.10, `ConcurrencyThreadStarter.supplyActiveThreads`).
    fn concurrency(&mut self, node: &JmxNode) -> Option<Load> {
        let target = self.target_users(node);
        let (ramp_s, hold_s) = self.ramp_and_hold_s(node);
        let steps = self.number(node, "Steps", 0u32).min(MAX_STEPS);
        if whole(target) == 0 {
            return None;
        }
        let mut stages = Vec::new();
        for step in 1..=steps {
            let users = target * f64::from(step) / f64::from(steps);
            stages.push(stage(whole(users), 0.0, ramp_s / f64::from(steps)));
        }
        if steps == 0 {
            stages.push(stage(whole(target), ramp_s, 0.0));
        }
        stages.push(stage(whole(target), 0.0, hold_s));
        Some(Load::Users(UserLoad {
            stages,
            iterations_per_user: self.thread_iterations(node),
            iterations_total: None,
            ends_with_stages: true,
            new_users: true,
        }))
    }

    /// How many iterations a thread has, if the group limits them.
    fn thread_iterations(&mut self, node: &JmxNode) -> Option<u64> {
        let limit = self.number(node, "Iterations", 0u64);
        (limit > 0).then_some(limit)
    }

    /// How long the number takes to be reached, and how long it is kept, in whole seconds.
    fn ramp_and_hold_s(&mut self, node: &JmxNode) -> (f64, f64) {
        let unit_s = unit_s(node);
        let usual_hold = match node.element.text("Hold") {
            None => 1.0,
            Some(_) => 0.0,
        };
        let rounded = |number: f64| (number * unit_s + 0.5).floor();
        (
            rounded(self.number(node, "RampUp", 0.0f64)),
            rounded(self.number(node, "Hold", usual_hold)),
        )
    }

    /// The same with arrivals in a unit of time. Without steps none comes while they ramp up: the plugin takes
    /// the rate from how many have come, which is none, and looks again every 200 ms (casutg 2.10,
    /// `ArrivalsThreadStarter`).
    fn arrivals(&mut self, node: &JmxNode) -> Option<Load> {
        let target = self.target(node) / unit_s(node);
        let (ramp_s, hold_s) = self.ramp_and_hold_s(node);
        let steps = self.number(node, "Steps", 0u32).min(MAX_STEPS);
        let mut stages = Vec::new();
        for step in 1..=steps {
            let rate = target * f64::from(step) / f64::from(steps);
            stages.push(rate_stage(rate, rate, ramp_s / f64::from(steps)));
        }
        let mut late_s = 0.0;
        if steps == 0 && ramp_s > 0.0 {
            late_s = LOOKS_AGAIN_S;
            stages.push(rate_stage(0.0, 0.0, ramp_s + late_s));
        }
        stages.push(rate_stage(target, target, (hold_s - late_s).max(0.0)));
        self.arrival_load(node, stages)
    }

    /// Rows of a rate to begin with, one to end with, and how long.
    fn free_form(&mut self, node: &JmxNode) -> Option<Load> {
        let unit_s = unit_s(node);
        let stages = self.rows(node, "Schedule", Self::cell);
        let stages = stages.iter().filter_map(|row| match row.as_slice() {
            [from, to, lasts, ..] => Some(rate_stage(from / unit_s, to / unit_s, lasts * unit_s)),
            _ => None,
        });
        self.arrival_load(node, stages.collect())
    }

    fn arrival_load(&mut self, node: &JmxNode, mut stages: Vec<RateStage>) -> Option<Load> {
        stages.retain(|stage| stage.lasts > Duration::ZERO);
        let limit = self.number(node, "ConcurrencyLimit", 0u32);
        let total = self.number(node, "ArrivalsLimit", 0u64);
        let once_each = self.thread_iterations(node) == Some(1);
        (!stages.is_empty()).then_some(Load::Arrivals(ArrivalLoad {
            stages,
            spacing: Spacing::Constant,
            ready_users: 0,
            max_in_flight: match limit {
                0 => defaults::MAX_IN_FLIGHT,
                limit => limit,
            },
            arrivals_total: (total > 0).then_some(total),
            exact_counts: false,
            seed: None,
            new_users: once_each,
        }))
    }

    /// A table of numbers: a collection of collections.
    fn rows(
        &mut self,
        node: &JmxNode,
        property: &'static str,
        number: impl Fn(&mut Self, &plimsoll_plan::model::Text, &'static str) -> f64,
    ) -> Vec<Vec<f64>> {
        let mut rows = Vec::new();
        for row in items(&node.element, property) {
            let ElementValue::List(cells) = row else {
                continue;
            };
            let numbers = cells.iter().map(|cell| match cell {
                ElementValue::Text(text) => number(self, text, property),
                _ => 0.0,
            });
            rows.push(numbers.collect());
        }
        rows
    }

    /// A cell that is a whole number to JMeter.
    fn whole_cell(
        &mut self,
        (name, text): (&str, &plimsoll_plan::model::Text),
        what: &'static str,
    ) -> f64 {
        #[expect(clippy::cast_precision_loss)] // It is one of 32 bits.
        let number = self.count((name, text.at), what, &text.raw) as f64;
        number
    }

    pub(super) fn cell(&mut self, text: &plimsoll_plan::model::Text, what: &'static str) -> f64 {
        let value = self.known.value(&text.raw);
        let number = value.as_deref().map(str::trim);
        if let Some("") = number {
            return 0.0;
        }
        if let Some(Ok(number)) = number.map(str::parse::<f64>)
            && number.is_finite()
        {
            return number;
        }
        let id = match value {
            None => "jmeter-not-fixed",
            Some(_) => "jmeter-not-a-number",
        };
        let message = plimsoll_text::Message::new(id)
            .with("what", what)
            .with("text", text.raw.as_str());
        self.error(text.at, message);
        0.0
    }
}

/// Times and rates are in seconds unless they say minutes.
fn unit_s(node: &JmxNode) -> f64 {
    match flat(&node.element, "Unit").as_str() {
        "M" => 60.0,
        _ => 1.0,
    }
}

fn rate_stage(from: f64, to: f64, lasts_s: f64) -> RateStage {
    RateStage {
        from: schedule::rate(from),
        to: schedule::rate(to),
        lasts: seconds(lasts_s),
        spacing: None,
    }
}
