//! What is known of a run before its first sample, without secrets.

use std::time::{Duration, SystemTime, UNIX_EPOCH};

use plimsoll_load::monitor::Allowance;
use plimsoll_load::schedule;
use plimsoll_plan::model::Load;
use plimsoll_secrets::{Known, MASK, command_words};
use plimsoll_store::{OriginMeta, RunMeta, ScenarioMeta, StepOf};

use crate::ReadyPlan;
use crate::calibration;
use crate::environment::environment;
use crate::session::secrets_of;

/// What is known of a run that begins now.
pub(crate) fn meta(
    ready: &ReadyPlan,
    seed: u64,
    command: &[String],
    step_of: Option<StepOf>,
) -> RunMeta {
    let secrets = secrets_of(&ready.plan);
    let allowance = Allowance::read();
    let environment = environment(&allowance);
    let started = SystemTime::now()
        .duration_since(UNIX_EPOCH)
        .unwrap_or_default();
    RunMeta {
        name: secrets.text(ready.run_name()).into_owned(),
        plan_name: ready.plan.name.clone(),
        plan_source: plan_source(ready, &secrets),
        command_line: command_line(command, &secrets),
        plimsoll_version: env!("CARGO_PKG_VERSION").to_owned(),
        started_at_unix_ns: u64::try_from(started.as_nanos()).unwrap_or(u64::MAX),
        seed,
        warm_up_s: ready.plan.warm_up.as_secs_f64().ceil() as u32,
        load_changes: Vec::new(),
        probe_from_s: None,
        step_of,
        ceilings: calibration::known(&environment),
        environment,
        target: secrets.text(&ready.target).into_owned(),
        other_origins: other_origins(&ready.other_origins, &secrets),
        goals: ready
            .plan
            .goals
            .iter()
            .map(|spec| spec.goal.to_string())
            .collect(),
        scenarios: ready
            .plan
            .scenarios
            .iter()
            .map(|s| ScenarioMeta {
                name: s.name.clone(),
                load: load_in_words(&s.load),
            })
            .collect(),
        // Set-up that is recorded comes first on the run's clock.
        load_profile: schedule::profile(&ready.plan)
            .filter(|_| !ready.program.recorded_setup || ready.plan.setup.is_empty()),
    }
}

fn other_origins(known: &[OriginMeta], secrets: &Known) -> Vec<OriginMeta> {
    let shown = |text: &String| secrets.text(text).into_owned();
    let shown = known.iter().map(|other| OriginMeta {
        origin: shown(&other.origin),
        labels: other.labels.iter().map(shown).collect(),
    });
    shown.collect()
}

/// The plan without secrets. What was YAML can still be read.
fn plan_source(ready: &ReadyPlan, secrets: &Known) -> String {
    match ready.text.trim_start().starts_with('<') {
        true => secrets.text(&ready.text),
        false => secrets.document(&ready.text),
    }
    .into_owned()
}

/// Options whose values are masked whatever they are, since nobody can tell which of them are
/// secrets; what is before `=` or `:` is left.
const HIDDEN: [&str; 8] = ["--header", "--set", "--data", "-H", "-d", "-J", "-G", "-D"];

/// The command line without secrets.
fn command_line(args: &[String], secrets: &Known) -> Vec<String> {
    let hidden = |value: &str| match value.find(['=', ':']) {
        Some(at) => format!("{}{MASK}", &value[..=at]),
        None => MASK.to_owned(),
    };
    let mut shown = Vec::new();
    let mut hide = false;
    for (arg, word) in args.iter().zip(command_words(args)) {
        let joined = HIDDEN.iter().find_map(|option| {
            let value = arg.strip_prefix(option)?;
            let value = match option.starts_with("--") {
                true => value.strip_prefix('=')?,
                false => value,
            };
            (!value.is_empty()).then(|| (&arg[..arg.len() - value.len()], value))
        });
        shown.push(match joined {
            _ if std::mem::take(&mut hide) => hidden(arg),
            Some((option, value)) => format!("{option}{}", hidden(value)),
            None => secrets.text(&word).into_owned(),
        });
        hide = HIDDEN.contains(&arg.as_str());
    }
    shown
}

/// A load in the plan's own words.
#[must_use]
pub fn load_in_words(load: &Load) -> String {
    let seconds = |duration: Duration| format!("{} s", duration.as_secs_f64());
    match load {
        Load::Users(load) => {
            let stages = load.stages.iter().map(|stage| {
                let ramp = if stage.ramp.is_zero() {
                    String::new()
                } else {
                    format!(", ramp-up {}", seconds(stage.ramp))
                };
                let hold = if stage.hold.is_zero() {
                    String::new()
                } else {
                    format!(", hold {}", seconds(stage.hold))
                };
                format!("users: {}{ramp}{hold}", stage.users)
            });
            let mut words: Vec<String> = stages.collect();
            words.extend(load.iterations_per_user.map(|n| format!("iterations: {n}")));
            words.extend(
                load.iterations_total
                    .map(|n| format!("iterations in all: {n}")),
            );
            words.join("; ")
        }
        Load::Arrivals(load) => {
            let stages = load.stages.iter().map(|stage| {
                let (from, to) = (stage.from.as_per_second(), stage.to.as_per_second());
                let rate = if from == to {
                    format!("{to}/s")
                } else {
                    format!("{from}/s..{to}/s")
                };
                format!("rate: {rate} for {}", seconds(stage.lasts))
            });
            let words: Vec<String> = stages.collect();
            format!(
                "{}; at most {} in flight",
                words.join("; "),
                load.max_in_flight
            )
        }
    }
}

/// The load's length, where the plan fixes it.
#[must_use]
pub fn planned(ready: &ReadyPlan) -> Option<Duration> {
    let lengths = ready.plan.scenarios.iter().map(|scenario| {
        let load = match &scenario.load {
            Load::Users(load) if load.ends_with_stages => schedule::users_end_ns(&load.stages),
            Load::Users(_) => return scenario.end_after,
            Load::Arrivals(load) => schedule::arrivals_end_ns(&load.stages),
        };
        let load = Duration::from_nanos(load);
        let load = scenario.end_after.map_or(load, |end| end.min(load));
        Some(load + scenario.start_delay)
    });
    let lengths: Option<Vec<Duration>> = lengths.collect();
    lengths.and_then(|lengths| match ready.plan.order {
        plimsoll_plan::model::Order::Together => lengths.into_iter().max(),
        plimsoll_plan::model::Order::InOrder => Some(lengths.into_iter().sum()),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_command_line_is_kept_without_secrets() {
        let args = [
            "plimsoll",
            "run",
            "http://joe:s3cret@h/?token=s3cret",
            "-H",
            "X-Any: s3cret",
            "-Xs: 1",
            "-dname=s3cret",
            "--data",
            "s3cret",
            "--set=any=s3cret",
            "--set",
            "any=s3cret",
            "-Jx=s3cret",
            "-J",
            "x=s3cret",
            "--header=X: s3cret",
            "--watch",
            "mysql=root:s3cret@db:3306",
            "-c",
            "4",
        ];
        let args: Vec<String> = args.iter().map(|&arg| arg.to_owned()).collect();
        assert_eq!(
            command_line(&args, &Known::default()).join(" "),
            "plimsoll run http://joe:***@h/?token=*** -H X-Any:*** -Xs: 1 -dname=*** --data *** \
             --set=any=*** --set any=*** -Jx=*** -J x=*** --header=X:*** --watch \
             mysql=root:***@db:3306 -c 4"
        );
    }
}
