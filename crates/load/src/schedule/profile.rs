//! The load of a whole plan over time, for whoever asks which second had which load.

use std::time::Duration;

use plimsoll_plan::model::{Order, Plan, Scenario};
use plimsoll_stats::curve::{LoadModel, LoadProfile, Stretch};

use super::course::Course;

/// The load that a plan asks for over time: users, or arrivals per second, of all scenarios
/// together. `None` where the plan does not fix it: users who end after a number of
/// iterations, scenarios one after the other, users beside arrivals.
#[must_use]
pub fn profile(plan: &Plan) -> Option<LoadProfile> {
    if plan.order == Order::InOrder && plan.scenarios.len() > 1 {
        return None;
    }
    let course = |of: &Scenario| (of.start_delay, Course::new(&of.load, of.end_after));
    profile_of(plan.scenarios.iter().map(course))
}

/// The load of several courses together, each from a time on.
pub fn profile_of(courses: impl Iterator<Item = (Duration, Course)>) -> Option<LoadProfile> {
    let mut parts = courses.map(|(start, course)| of_course(start, &course));
    let (model, mut stretches) = parts.next()??;
    for part in parts {
        let (other, more) = part?;
        if other != model {
            return None;
        }
        stretches = sum(&stretches, &more);
    }
    Some(LoadProfile { model, stretches })
}

fn of_course(start: Duration, course: &Course) -> Option<(LoadModel, Vec<Stretch>)> {
    let mut at_s = start.as_secs_f64();
    let mut stretches = Vec::new();
    for part in course.line()? {
        let to_s = at_s + Duration::from_nanos(part.lasts_ns).as_secs_f64();
        stretches.push(Stretch {
            from_s: at_s,
            to_s,
            from: part.from,
            to: part.to,
        });
        at_s = to_s;
    }
    let model = match course.is_closed() {
        true => LoadModel::Users,
        false => LoadModel::Rate,
    };
    Some((model, stretches))
}

fn at(stretch: &Stretch, time_s: f64) -> f64 {
    let part = (time_s - stretch.from_s) / (stretch.to_s - stretch.from_s);
    stretch.from + part * (stretch.to - stretch.from)
}

/// Two loads at the same time.
fn sum(a: &[Stretch], b: &[Stretch]) -> Vec<Stretch> {
    let ends = |s: &Stretch| [s.from_s, s.to_s];
    let mut times: Vec<f64> = a.iter().chain(b).flat_map(ends).collect();
    times.sort_by(f64::total_cmp);
    times.dedup();
    let load = |of: &[Stretch], from_s: f64, to_s: f64| {
        let inside = |s: &&Stretch| s.from_s <= from_s && to_s <= s.to_s;
        of.iter()
            .find(inside)
            .map_or((0.0, 0.0), |s| (at(s, from_s), at(s, to_s)))
    };
    let between = |pair: &[f64]| {
        let (one, other) = (load(a, pair[0], pair[1]), load(b, pair[0], pair[1]));
        Stretch {
            from_s: pair[0],
            to_s: pair[1],
            from: one.0 + other.0,
            to: one.1 + other.1,
        }
    };
    times.windows(2).map(between).collect()
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use plimsoll_plan::model::{Load, UserLoad, UserStage};

    use super::*;

    fn seconds(s: u64) -> Duration {
        Duration::from_secs(s)
    }

    fn scenario(stages: &[(u32, u64, u64)]) -> Scenario {
        let stage = |(users, ramp, hold): &(u32, u64, u64)| UserStage {
            users: *users,
            ramp: seconds(*ramp),
            hold: seconds(*hold),
        };
        Scenario::new(
            "s",
            Load::Users(UserLoad {
                stages: stages.iter().map(stage).collect(),
                iterations_per_user: None,
                iterations_total: None,
                ends_with_stages: true,
                new_users: false,
            }),
        )
    }

    fn plan(scenarios: Vec<Scenario>) -> Plan {
        Plan {
            scenarios,
            ..Plan::default()
        }
    }

    fn loads(plan: &Plan, count: u32) -> Vec<f64> {
        let profile = profile(plan).unwrap();
        profile.seconds(0, count).iter().map(|s| s.load).collect()
    }

    #[test]
    fn stages_follow_each_other() {
        let plan = plan(vec![scenario(&[(10, 2, 2), (20, 0, 2)])]);
        assert_eq!(loads(&plan, 9), [2.5, 7.5, 10.0, 10.0, 20.0, 20.0]);
    }

    #[test]
    fn scenarios_add_up_and_end_when_they_must() {
        let mut late = scenario(&[(4, 0, 60)]);
        late.start_delay = seconds(2);
        late.end_after = Some(seconds(3));
        let plan = plan(vec![scenario(&[(10, 0, 6)]), late]);
        assert_eq!(loads(&plan, 9), [10.0, 10.0, 14.0, 14.0, 14.0, 10.0]);
    }

    #[test]
    fn what_the_plan_does_not_fix_is_not_known() {
        let mut counted = scenario(&[(4, 0, 60)]);
        if let Load::Users(load) = &mut counted.load {
            load.iterations_per_user = Some(3);
        }
        assert_eq!(profile(&plan(vec![counted])), None);
        let mut one_after_the_other = plan(vec![scenario(&[(1, 0, 5)]); 2]);
        one_after_the_other.order = Order::InOrder;
        assert_eq!(profile(&one_after_the_other), None);
        assert_eq!(profile(&plan(vec![])), None);
    }
}
