//! Loads.

use std::time::Duration;

use super::Decoder;
use crate::model::{
    ArrivalLoad, Load, Rate, RateStage, Spacing, Span, UserLoad, UserStage, defaults,
};
use crate::units::{parse_rate, time_for};
use crate::yaml::node::Node;
use crate::yaml::table;

/// The keys that make a load.
const LOAD_KEYS: &[&str] = &[
    "users",
    "rate",
    "ramp-up",
    "hold",
    "duration",
    "ramp-down",
    "stages",
    "spike",
    "iterations",
    "total-iterations",
    "arrivals",
    "max-in-flight",
    "ready-users",
];

const SPACING: &[(&str, Spacing)] = &[("even", Spacing::Constant), ("poisson", Spacing::Poisson)];

/// Keys that only an open load has.
const OPEN_KEYS: &[&str] = &["arrivals", "max-in-flight", "ready-users"];

/// Keys that end a load, well written or not.
const END_KEYS: &[&str] = &["hold", "duration", "iterations", "total-iterations"];

/// Whether a load says when it ends.
fn has_end(node: &Node) -> bool {
    END_KEYS.iter().any(|key| node.get(key).is_some())
}

/// The first key of a load that an object has.
pub(super) fn load_key(node: &Node) -> Option<Span> {
    let entries = node.map()?;
    entries
        .iter()
        .find(|(key, _)| LOAD_KEYS.contains(&key.name.as_str()))
        .map(|(key, _)| key.at)
}

/// A peak over the usual load.
struct Spike<T> {
    at: Duration,
    lasts: Duration,
    level: T,
}

impl Decoder<'_> {
    /// The load an object describes; one user and one iteration when it says nothing.
    pub(super) fn load(&mut self, node: &Node) -> Load {
        if load_key(node).is_none() {
            return Load::once();
        }
        let open = node.get("rate").is_some()
            || node.get("stages").is_some_and(|stages| {
                stages
                    .one_or_many()
                    .first()
                    .is_some_and(|stage| stage.get("rate").is_some())
            });
        if open {
            return Load::Arrivals(self.arrivals(node));
        }
        for key in OPEN_KEYS {
            if let Some(at) = key_at(node, key) {
                self.key_needs(at, key, "rate");
            }
        }
        Load::Users(self.users(node))
    }

    fn key_needs(&mut self, at: Span, key: &str, needs: &str) {
        let message = plimsoll_text::Message::new("plan-key-needs-other")
            .with("key", key)
            .with("needs", needs);
        let remedy = plimsoll_text::Message::new("plan-key-needs-other.remedy")
            .with("key", key)
            .with("needs", needs);
        self.problems
            .push(crate::Problem::error(at, message).remedy(remedy));
    }

    fn users(&mut self, node: &Node) -> UserLoad {
        let iterations_per_user = self.int(node, "iterations");
        let iterations_total = self.int(node, "total-iterations");
        if let Some(stages) = node.get("stages") {
            let ends_with_stages = self.bool(node, "ends-with-stages").unwrap_or(true);
            let stages = self.user_stages(stages, ends_with_stages);
            return UserLoad {
                stages,
                iterations_per_user,
                iterations_total,
                ends_with_stages,
            };
        }
        let users: u32 = self.int(node, "users").unwrap_or(1);
        let (ramp, hold, down) = self.times(node);
        let mut iterations_per_user = iterations_per_user;
        if !has_end(node) {
            if node.get("users").is_none() {
                // Only a ramp or the like: the command line may give the rest.
                self.warning(node.at, "plan-users-missing");
            } else {
                let at = key_at(node, "users").unwrap_or(node.at);
                self.warning(at, "plan-users-without-end");
            }
            iterations_per_user = Some(1);
        }
        let mut stages = self.user_spikes(node, users, ramp, hold.unwrap_or_default());
        if !down.is_zero() {
            stages.push(UserStage {
                users: 0,
                ramp: down,
                hold: Duration::ZERO,
            });
        }
        UserLoad {
            stages,
            iterations_per_user,
            iterations_total,
            ends_with_stages: hold.is_some(),
        }
    }

    /// Ramp, time at the full load if there is an end, and ramp down.
    fn times(&mut self, node: &Node) -> (Duration, Option<Duration>, Duration) {
        let ramp = self.duration(node, "ramp-up").unwrap_or_default();
        let down = self.duration(node, "ramp-down").unwrap_or_default();
        let hold = self.duration(node, "hold");
        let Some(duration) = self.duration(node, "duration") else {
            if !down.is_zero() && hold.is_none() {
                let at = key_at(node, "ramp-down").unwrap_or(node.at);
                self.key_needs(at, "ramp-down", "hold");
            }
            return (ramp, hold, down);
        };
        let at = node.get("duration").map_or(node.at, |node| node.at);
        if duration.is_zero() {
            self.error(at, "plan-duration-zero");
        }
        let hold = duration
            .checked_sub(ramp)
            .and_then(|rest| rest.checked_sub(down));
        if hold.is_none() {
            self.error(at, "plan-duration-under-ramps");
        }
        (ramp, Some(hold.unwrap_or_default()), down)
    }

    fn user_stages(&mut self, list: &Node, must_last: bool) -> Vec<UserStage> {
        let mut stages = Vec::new();
        for stage in list.one_or_many() {
            if stage.get("rate").is_some() {
                self.error(stage.at, "plan-stages-mixed");
                continue;
            }
            stages.push(UserStage {
                users: self.int(stage, "users").unwrap_or_default(),
                ramp: self.duration(stage, "ramp").unwrap_or_default(),
                hold: self.duration(stage, "for").unwrap_or_default(),
            });
        }
        let time: Duration = stages.iter().map(|stage| stage.ramp + stage.hold).sum();
        if must_last {
            self.check_stages(list, stages.iter().any(|stage| stage.users > 0), time);
        }
        stages
    }

    fn check_stages(&mut self, list: &Node, any_load: bool, time: Duration) {
        if !any_load || time.is_zero() {
            self.error(list.at, "plan-stages-empty");
        }
    }

    fn user_spikes(
        &mut self,
        node: &Node,
        users: u32,
        ramp: Duration,
        hold: Duration,
    ) -> Vec<UserStage> {
        let spikes = self.spikes(node, "users", |decoder, spike| decoder.int(spike, "users"));
        let first = UserStage {
            users,
            ramp,
            hold: Duration::ZERO,
        };
        let levels = self.with_spikes(node, users, ramp, hold, &spikes);
        let mut stages: Vec<UserStage> = levels
            .into_iter()
            .map(|(users, hold)| UserStage {
                users,
                ramp: Duration::ZERO,
                hold,
            })
            .collect();
        match stages.first_mut() {
            Some(stage) => stage.ramp = ramp,
            None => stages.push(first),
        }
        stages
    }

    fn spikes<T>(
        &mut self,
        node: &Node,
        level_key: &str,
        level: impl Fn(&mut Self, &Node) -> Option<T>,
    ) -> Vec<Spike<T>> {
        let Some(list) = node.get("spike") else {
            return Vec::new();
        };
        let mut spikes = Vec::new();
        for item in list.one_or_many() {
            let at = self.duration(item, "at").unwrap_or_default();
            let lasts = self.duration(item, "for").unwrap_or_default();
            match level(self, item) {
                Some(level) => spikes.push(Spike { at, lasts, level }),
                None => self.key_needs(item.at, "spike", level_key),
            }
        }
        spikes.sort_by_key(|spike| spike.at);
        spikes
    }

    /// The levels of a load with spikes in it, each with its time. Spikes count their time
    /// from the load's start and lie within the time at the full load.
    fn with_spikes<T: Copy>(
        &mut self,
        node: &Node,
        usual: T,
        ramp: Duration,
        hold: Duration,
        spikes: &[Spike<T>],
    ) -> Vec<(T, Duration)> {
        let mut levels = Vec::new();
        let mut now = ramp;
        let end = ramp + hold;
        for spike in spikes {
            let spike_end = spike.at + spike.lasts;
            if spike.at < now || spike_end > end || spike.lasts.is_zero() {
                let at = node.get("spike").map_or(node.at, |node| node.at);
                self.error(at, "plan-spike-outside");
                return vec![(usual, hold)];
            }
            // A first level even of no time: the ramp leads to it.
            if spike.at > now || levels.is_empty() {
                levels.push((usual, spike.at - now));
            }
            levels.push((spike.level, spike.lasts));
            now = spike_end;
        }
        levels.push((usual, end - now));
        levels
    }

    fn arrivals(&mut self, node: &Node) -> ArrivalLoad {
        if let Some(at) = key_at(node, "iterations") {
            self.error(at, "plan-iterations-per-user-with-rate");
        }
        let total: Option<u64> = self.int(node, "total-iterations");
        let stages = match node.get("stages") {
            Some(stages) => self.rate_stages(stages),
            None => self.simple_rate(node, total),
        };
        let load = ArrivalLoad {
            stages,
            spacing: self.word(node, "arrivals", SPACING).unwrap_or_default(),
            ready_users: self.int(node, "ready-users").unwrap_or(0),
            max_in_flight: self
                .int(node, "max-in-flight")
                .unwrap_or(defaults::MAX_IN_FLIGHT),
            arrivals_total: total,
            exact_counts: self.bool(node, "exact-counts").unwrap_or(false),
            seed: self.int(node, "arrivals-seed"),
            new_users: self.bool(node, "new-users").unwrap_or(false),
        };
        if load.ready_users > load.max_in_flight {
            let at = node.get("ready-users").map_or(node.at, |node| node.at);
            self.error(at, "plan-ready-over-limit");
        }
        load
    }

    fn simple_rate(&mut self, node: &Node, total: Option<u64>) -> Vec<RateStage> {
        let rate = self.value(node, "rate", |node| parse_rate(node.scalar()?));
        let Some(rate) = rate else { return Vec::new() };
        let at = node.get("rate").map_or(node.at, |node| node.at);
        if rate.arrivals == 0 {
            self.error(at, "plan-rate-zero");
        }
        let (ramp, hold, down) = self.times(node);
        let hold = hold.or_else(|| time_for(rate, total?).map(|time| time.saturating_add(ramp)));
        let hold = hold.unwrap_or_else(|| {
            if !has_end(node) {
                self.error(key_at(node, "rate").unwrap_or(at), "plan-rate-without-end");
            }
            Duration::ZERO
        });
        let nothing = Rate {
            arrivals: 0,
            per_ns: rate.per_ns,
        };
        let mut stages = Vec::new();
        if !ramp.is_zero() {
            stages.push(RateStage {
                from: nothing,
                to: rate,
                lasts: ramp,
                spacing: None,
            });
        }
        let spikes = self.spikes(node, "rate", |decoder, spike| {
            decoder.value(spike, "rate", |node| parse_rate(node.scalar()?))
        });
        let levels = self.with_spikes(node, rate, ramp, hold, &spikes);
        let steady = |(rate, lasts)| RateStage {
            from: rate,
            to: rate,
            lasts,
            spacing: None,
        };
        stages.extend(
            levels
                .into_iter()
                .map(steady)
                .filter(|stage| !stage.lasts.is_zero()),
        );
        if !down.is_zero() {
            stages.push(RateStage {
                from: rate,
                to: nothing,
                lasts: down,
                spacing: None,
            });
        }
        stages
    }

    fn rate_stages(&mut self, list: &Node) -> Vec<RateStage> {
        let mut stages: Vec<RateStage> = Vec::new();
        for stage in list.one_or_many() {
            if stage.get("users").is_some() {
                self.error(stage.at, "plan-stages-mixed");
                continue;
            }
            let rate = self.value(stage, "rate", |node| table::rate_range(node.scalar()?));
            let Some((from, to)) = rate else { continue };
            let spacing = self.word(stage, "arrivals", SPACING);
            let ramp = self.duration(stage, "ramp").unwrap_or_default();
            if !ramp.is_zero() {
                let before = stages.last().map(|stage| stage.to);
                let before = before.unwrap_or(Rate {
                    arrivals: 0,
                    per_ns: from.per_ns,
                });
                stages.push(RateStage {
                    from: before,
                    to: from,
                    lasts: ramp,
                    spacing,
                });
            }
            let lasts = self.duration(stage, "for").unwrap_or_default();
            if !lasts.is_zero() {
                stages.push(RateStage {
                    from,
                    to,
                    lasts,
                    spacing,
                });
            }
        }
        let time: Duration = stages.iter().map(|stage| stage.lasts).sum();
        let any = stages
            .iter()
            .any(|stage| stage.from.arrivals + stage.to.arrivals > 0);
        self.check_stages(list, any, time);
        stages
    }
}

/// Where a key stands.
pub(super) fn key_at(node: &Node, name: &str) -> Option<Span> {
    let entries = node.map()?;
    entries
        .iter()
        .find(|(key, _)| key.name == name)
        .map(|(key, _)| key.at)
}
