//! Loads.

use super::emit::{Map, Yaml, plain};
use super::time::duration;
use crate::model::{ArrivalLoad, Load, Rate, RateStage, Spacing, UserLoad, UserStage, defaults};

/// The keys of a load.
pub(super) fn load(load: &Load, map: &mut Map) {
    if *load == Load::once() {
        return;
    }
    match load {
        Load::Users(users) => user_load(users, map),
        Load::Arrivals(arrivals) => arrival_load(arrivals, map),
    }
}

fn user_load(load: &UserLoad, map: &mut Map) {
    let ends = load.iterations_per_user.is_some() || load.iterations_total.is_some();
    match load.stages.as_slice() {
        [stage] if stage.users > 0 && load.ends_with_stages => {
            one_stage(stage, map);
            map.put("hold", duration(stage.hold));
        }
        [stage] if stage.users > 0 && ends && stage.hold.is_zero() => one_stage(stage, map),
        stages => {
            let stages = stages.iter().map(|stage| {
                let mut map = Map::default();
                map.put("users", plain(stage.users));
                map.put("ramp", duration(stage.ramp));
                map.put("for", duration(stage.hold));
                Yaml::from(map)
            });
            map.put("stages", stages.collect::<Vec<_>>());
            map.put_bool("ends-with-stages", load.ends_with_stages, true);
        }
    }
    map.put_some("iterations", load.iterations_per_user.map(plain));
    map.put_some("total-iterations", load.iterations_total.map(plain));
}

fn one_stage(stage: &UserStage, map: &mut Map) {
    map.put("users", plain(stage.users));
    if !stage.ramp.is_zero() {
        map.put("ramp-up", duration(stage.ramp));
    }
}

fn arrival_load(load: &ArrivalLoad, map: &mut Map) {
    let stages = load.stages.iter().map(rate_stage);
    map.put("stages", stages.collect::<Vec<_>>());
    if load.spacing != Spacing::default() {
        map.put("arrivals", spacing(load.spacing));
    }
    if load.ready_users > 0 {
        map.put("ready-users", plain(load.ready_users));
    }
    if load.max_in_flight != defaults::MAX_IN_FLIGHT {
        map.put("max-in-flight", plain(load.max_in_flight));
    }
    map.put_some("total-iterations", load.arrivals_total.map(plain));
    map.put_bool("exact-counts", load.exact_counts, false);
    map.put_some("arrivals-seed", load.seed.map(plain));
    map.put_bool("new-users", load.new_users, false);
}

fn rate_stage(stage: &RateStage) -> Yaml {
    let mut map = Map::default();
    let (from, to) = (rate(stage.from), rate(stage.to));
    map.put("rate", plain(format!("{from}..{to}")));
    map.put("for", duration(stage.lasts));
    map.put_some("arrivals", stage.spacing.map(spacing));
    map.into()
}

fn spacing(spacing: Spacing) -> Yaml {
    plain(match spacing {
        Spacing::Constant => "even",
        Spacing::Poisson => "poisson",
    })
}

/// A rate, exactly: by a unit people use where that is a short number.
fn rate(rate: Rate) -> String {
    const UNITS: [(&str, u128); 3] = [
        ("s", 1_000_000_000),
        ("min", 60_000_000_000),
        ("h", 3_600_000_000_000),
    ];
    let per_ns = u128::from(rate.per_ns.max(1));
    for (unit, unit_ns) in UNITS {
        for decimals in 0..=3_u32 {
            let scaled = u128::from(rate.arrivals) * unit_ns * 10_u128.pow(decimals);
            if scaled % per_ns != 0 {
                continue;
            }
            let digits = format!(
                "{:0>width$}",
                scaled / per_ns,
                width = decimals as usize + 1
            );
            let (whole, fraction) = digits.split_at(digits.len() - decimals as usize);
            let point = if decimals > 0 { "." } else { "" };
            return format!("{whole}{point}{fraction}/{unit}");
        }
    }
    format!("{}/{}ns", rate.arrivals, rate.per_ns)
}

#[cfg(test)]
#[allow(clippy::unwrap_used, clippy::expect_used)]
mod tests {
    use super::*;
    use crate::units::parse_rate;

    #[test]
    fn rates_are_written_exactly() {
        for (arrivals, per_ns, text) in [
            (100, 1_000_000_000, "100/s"),
            (1, 2_000_000_000, "0.5/s"),
            (1, 60_000_000_000, "1/min"),
            (7, 3_600_000_000_000, "7/h"),
            (3, 7, "3/7ns"),
            (0, 1, "0/s"),
        ] {
            let written = rate(Rate { arrivals, per_ns });
            assert_eq!(written, text);
            let read = parse_rate(&written).unwrap();
            let same = u128::from(read.arrivals) * u128::from(per_ns)
                == u128::from(arrivals) * u128::from(read.per_ns);
            assert!(same, "{written}");
        }
    }
}
