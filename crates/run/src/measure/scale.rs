//! A plan at a given load: the scenarios share it as they share the plan's own.

use std::time::Duration;

use plimsoll_load::schedule;
use plimsoll_plan::model::{Load, Order, Plan};
use plimsoll_plan::units::parse_rate;
use plimsoll_plan::{LoadOptions, Problem};
use plimsoll_stats::curve::LoadModel;
use plimsoll_text::Message;

/// How a plan's load is scaled.
#[derive(Debug, Clone, PartialEq)]
pub struct Shape {
    /// What the load is counted in.
    pub model: LoadModel,
    /// The share of each scenario.
    shares: Vec<f64>,
}

impl Shape {
    /// The shape of a plan's load.
    ///
    /// # Errors
    /// What to tell a person of a plan whose load is not one number.
    pub fn of(plan: &Plan) -> Result<Self, Message> {
        if plan.order == Order::InOrder && plan.scenarios.len() > 1 {
            return Err(Message::new("capacity-in-order"));
        }
        let mut loads = Vec::new();
        for scenario in &plan.scenarios {
            loads.push(match &scenario.load {
                Load::Users(load) => (LoadModel::Users, f64::from(schedule::peak(&load.stages))),
                Load::Arrivals(load) => {
                    let rates = load.stages.iter().map(|s| s.to.as_per_second());
                    (LoadModel::Rate, rates.fold(0.0, f64::max))
                }
            });
        }
        let model = loads.first().map(|(model, _)| *model).unwrap_or_default();
        if loads.iter().any(|(other, _)| *other != model) {
            return Err(Message::new("capacity-mixed"));
        }
        let total: f64 = loads.iter().map(|(_, load)| load).sum();
        if total <= 0.0 {
            return Err(Message::new("capacity-no-load"));
        }
        Ok(Self {
            model,
            shares: loads.iter().map(|(_, load)| load / total).collect(),
        })
    }

    /// The same plan, its load counted in something else.
    #[must_use]
    pub fn counted_in(self, model: LoadModel) -> Self {
        Self { model, ..self }
    }

    /// Gives a plan this load for a time, after an even ramp. Scenarios whose share is not one
    /// user are left out.
    ///
    /// # Errors
    /// What the plan's load does not allow.
    pub fn apply(&self, plan: &mut Plan, step: &LoadStep) -> Result<(), Vec<Problem>> {
        let whole = self.users(step.load);
        for (at, scenario) in plan.scenarios.iter_mut().enumerate() {
            let share = self.shares.get(at).copied().unwrap_or(0.0);
            let rate = format!("{:.3}/s", step.load * share);
            let options = LoadOptions {
                users: (self.model == LoadModel::Users).then(|| whole[at]),
                rate: match self.model {
                    LoadModel::Rate => parse_rate(&rate),
                    LoadModel::Users => None,
                },
                ramp_up: Some(step.ramp_up),
                duration: Some(step.ramp_up + step.lasts),
                ..LoadOptions::default()
            };
            options.apply(&mut scenario.load)?;
            scenario.start_delay = Duration::ZERO;
            scenario.end_after = None;
        }
        let mut at = 0;
        plan.scenarios.retain(|_| {
            at += 1;
            self.model == LoadModel::Rate || whole[at - 1] > 0
        });
        plan.warm_up = step.ramp_up;
        Ok(())
    }

    /// Whole users of each scenario, by largest remainders.
    fn users(&self, load: f64) -> Vec<u32> {
        let exact = self.shares.iter().map(|share| share * load);
        let mut whole: Vec<u32> = exact.clone().map(|users| users as u32).collect();
        let mut rest: Vec<(usize, f64)> = exact.map(f64::fract).enumerate().collect();
        rest.sort_by(|a, b| b.1.total_cmp(&a.1));
        let missing = (load.round() as u32).saturating_sub(whole.iter().sum());
        for (at, _) in rest.into_iter().take(missing as usize) {
            whole[at] += 1;
        }
        whole
    }
}

/// A load to be measured.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct LoadStep {
    /// Users, or arrivals per second.
    pub load: f64,
    /// Time to get there.
    pub ramp_up: Duration,
    /// Time to stay there.
    pub lasts: Duration,
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use plimsoll_plan::model::Scenario;

    use super::*;

    fn plan(users: &[u32]) -> Plan {
        let scenario = |users: &u32| {
            let load = LoadOptions {
                users: Some(*users),
                ..LoadOptions::default()
            };
            Scenario::new("s", load.load().unwrap())
        };
        Plan {
            scenarios: users.iter().map(scenario).collect(),
            ..Plan::default()
        }
    }

    const STEP: LoadStep = LoadStep {
        load: 10.0,
        ramp_up: Duration::from_secs(2),
        lasts: Duration::from_secs(8),
    };

    #[test]
    fn scenarios_keep_their_shares() {
        let mut plan = plan(&[30, 10, 1]);
        let shape = Shape::of(&plan).unwrap();
        shape.apply(&mut plan, &STEP).unwrap();
        let found: Vec<u32> = plan
            .scenarios
            .iter()
            .map(|s| s.load.users().unwrap().stages[0].users)
            .collect();
        assert_eq!(found, [7, 3], "the third has no user of its own");
        let stage = plan.scenarios[0].load.users().unwrap().stages[0];
        assert_eq!((stage.ramp, stage.hold), (STEP.ramp_up, STEP.lasts));
        assert_eq!(plan.warm_up, STEP.ramp_up);
    }

    #[test]
    fn a_closed_plan_may_be_loaded_by_a_rate() {
        let mut plan = plan(&[30, 10]);
        let shape = Shape::of(&plan).unwrap().counted_in(LoadModel::Rate);
        let step = LoadStep { load: 0.5, ..STEP };
        shape.apply(&mut plan, &step).unwrap();
        let last = |at: usize| plan.scenarios[at].load.arrivals().unwrap().stages[1].to;
        assert_eq!(
            (last(0).as_per_second(), last(1).as_per_second()),
            (0.375, 0.125)
        );
    }

    #[test]
    fn a_plan_whose_load_is_not_one_number_is_refused() {
        let id = |plan: &Plan| Shape::of(plan).unwrap_err().id.to_string();
        let mut in_order = plan(&[1, 2]);
        in_order.order = Order::InOrder;
        assert_eq!(id(&in_order), "capacity-in-order");
        let mut mixed = plan(&[1, 2]);
        let rate = LoadOptions {
            rate: parse_rate("5/s"),
            ..LoadOptions::default()
        };
        mixed.scenarios[1].load = rate.load().unwrap();
        assert_eq!(id(&mixed), "capacity-mixed");
        assert_eq!(id(&Plan::default()), "capacity-no-load");
    }
}
