//! How much load, when.

use std::time::Duration;

use plimsoll_text::Message;

use super::base::*;
use crate::model::{
    ArrivalLoad, Load, Rate, RateStage, Spacing, Span, UserLoad, UserStage, defaults,
};
use crate::units::time_for;

/// A load as it is written.
#[derive(Default)]
pub(crate) struct LoadKeys {
    users: Option<u32>,
    rate: Option<Rate>,
    ramp_up: Duration,
    hold: Option<Duration>,
    duration: Option<Duration>,
    ramp_down: Duration,
    stages: Option<Vec<Stage>>,
    ends_with_stages: bool,
    spikes: Vec<Spike>,
    iterations: Option<u64>,
    total_iterations: Option<u64>,
    /// What only an open load has, without its stages.
    open: ArrivalLoad,
}

keys! { impl LoadKeys, shared "load" {
    ["users" => users: Maybe<Count>, "users"]
    ["rate" => rate: Maybe<RateText>, "rate"]
    ["ramp-up" => ramp_up: Time = "0", "ramp-up"]
    ["hold" => hold: Maybe<Time>, "hold"]
    ["duration" => duration: Maybe<Time>, "duration"]
    ["ramp-down" => ramp_down: Time = "0", "ramp-down"]
    ["stages" => stages: Maybe<List<Stage>>, "stages"]
    ["ends-with-stages" => ends_with_stages: Flag = "true", "ends-with-stages"]
    ["spike" => spikes: Filled<OneOrMore<Spike>>, "spike"]
    ["iterations" => iterations: Maybe<LongCount>, "iterations"]
    ["total-iterations" @3 => total_iterations: Maybe<LongCount>, "total-iterations"]
    ["arrivals" => open.spacing: Spacing = "even", "arrivals"]
    ["max-in-flight" @2 => open.max_in_flight: Count = "10000", "max-in-flight"]
    ["ready-users" => open.ready_users: CountOrZero = "0", "ready-users"]
    ["exact-counts" @4 => open.exact_counts: Flag = "false", "exact-counts"]
    ["arrivals-seed" @4 => open.seed: Maybe<Integer> = "0", "arrivals-seed"]
    ["new-users" @4 => open.new_users: Flag = "false", "new-users"]
} }

/// Keys of a load that exclude each other.
pub(super) const LOAD_GROUPS: &[Group] = &[
    at_most_one(&["users", "rate", "stages"]),
    at_most_one(&["hold", "duration", "stages"]),
    at_most_one(&["ramp-up", "stages"]),
    at_most_one(&["ramp-down", "stages"]),
    at_most_one(&["spike", "stages"]),
];

/// The keys that alone make no load.
const NO_LOAD: &[&str] = &[
    "ends-with-stages",
    "exact-counts",
    "arrivals-seed",
    "new-users",
];

words! { impl Spacing {
    "even" = Spacing::Constant,
    "poisson" = Spacing::Poisson,
} }

/// How much a stage or a spike brings.
#[derive(Clone, Copy)]
enum StageLevel {
    Users(u32),
    Rate(Rate),
    Rates(Rate, Rate),
}

/// A stage, with the way to it before it.
struct Stage {
    level: StageLevel,
    spacing: Option<Spacing>,
    ramp: Duration,
    lasts: Duration,
    at: Span,
}

tagged! { impl Stage = "stage", {
    "user-stage" => (Stage { level: StageLevel::Users(users), spacing: None, ramp, lasts, at }), {
        ["users" => users: CountOrZero, "stage-users"]
        ["ramp" => ramp: Always<Time> = "0", "stage-ramp"]
        ["for" => lasts: Always<Time> = "0", "stage-for"]
        [at]
    }
    "rate-stage" => (Stage { level: StageLevel::Rates(from, to), spacing, ramp, lasts, at }), {
        ["rate" => (from, to): RateRange, "stage-rate"]
        ["arrivals" @2 => spacing: Maybe<Spacing>, "stage-arrivals"]
        ["ramp" => ramp: Time = "0", "stage-rate-ramp"]
        ["for" => lasts: Always<Time> = "0", "stage-for"]
        [at]
    }
} }

/// A peak over the usual load.
struct Spike {
    level: StageLevel,
    begins: Duration,
    lasts: Duration,
    at: Span,
}

tagged! { impl Spike = "spike", {
    "user-spike" => (Spike { level: StageLevel::Users(users), begins, lasts, at }), {
        ["users" => users: Count, "spike-users"]
        ["at" => begins: Time, "spike-at"]
        ["for" => lasts: Time, "spike-for"]
        [at]
    }
    "rate-spike" => (Spike { level: StageLevel::Rate(rate), begins, lasts, at }), {
        ["rate" => rate: RateText, "spike-rate"]
        ["at" => begins: Time, "spike-at"]
        ["for" => lasts: Time, "spike-for"]
        [at]
    }
} }

/// The first key of a load that an object has.
pub(super) fn load_key(node: &Node) -> Option<Span> {
    let keys: Vec<PlanKey> = LoadKeys::PARTS.iter().flat_map(Part::keys).collect();
    let is_load = |name: &str| !NO_LOAD.contains(&name) && keys.iter().any(|key| key.name == name);
    let mut entries = node.map()?.iter();
    let (key, _) = entries.find(|(key, _)| is_load(&key.name))?;
    Some(key.at)
}

/// Where a key stands.
pub(super) fn key_at(node: &Node, name: &str) -> Option<Span> {
    let found = node.map()?.iter().find(|(key, _)| key.name == name);
    found.map(|(key, _)| key.at)
}

/// Where a key's value stands.
fn value_at(node: &Node, name: &str) -> Span {
    node.get(name).map_or(node.at, |node| node.at)
}

/// Whether a load says when it ends, well or not.
fn has_end(node: &Node) -> bool {
    let keys = ["hold", "duration", "iterations", "total-iterations"];
    keys.iter().any(|key| node.get(key).is_some())
}

impl Keys for Load {
    type Of = Self;
    const PARTS: &'static [Part] = LoadKeys::PARTS;

    /// The load an object describes; one user and one iteration when it says nothing.
    fn read_keys(decoder: &mut Decoder<'_>, node: &Node, load: &mut Self) {
        if load_key(node).is_none() {
            return;
        }
        let mut keys = LoadKeys::default();
        LoadKeys::read_keys(decoder, node, &mut keys);
        let stages = node
            .get("stages")
            .and_then(|stages| stages.one_or_many().first());
        if node.get("rate").is_some() || stages.is_some_and(|stage| stage.get("rate").is_some()) {
            *load = Self::Arrivals(arrivals(decoder, node, keys));
            return;
        }
        for key in ["arrivals", "max-in-flight", "ready-users"] {
            if let Some(at) = key_at(node, key) {
                key_needs(decoder, at, key, "rate");
            }
        }
        *load = Self::Users(users(decoder, node, keys));
    }

    fn write_keys(load: &Self, map: &mut Map) {
        if *load == Self::once() {
            return;
        }
        let keys = match load {
            Self::Users(users) => user_keys(users),
            Self::Arrivals(arrivals) => arrival_keys(arrivals),
        };
        LoadKeys::write_keys(&keys, map);
    }
}

fn key_needs(decoder: &mut Decoder<'_>, at: Span, key: &str, needs: &str) {
    let message = Message::new("plan-key-needs-other");
    decoder.tell(at, message.with("key", key).with("needs", needs));
}

fn users(decoder: &mut Decoder<'_>, node: &Node, keys: LoadKeys) -> UserLoad {
    let mut load = UserLoad {
        stages: Vec::new(),
        iterations_per_user: keys.iterations,
        iterations_total: keys.total_iterations,
        ends_with_stages: keys.ends_with_stages,
        new_users: keys.open.new_users,
    };
    let hold = match &keys.stages {
        Some(_) => keys.ends_with_stages.then_some(Duration::ZERO),
        None => time_at_full_load(decoder, node, &keys),
    };
    if load.new_users && hold.is_none() {
        // Iterations end nothing where others follow.
        let at = key_at(node, "new-users").unwrap_or(node.at);
        key_needs(decoder, at, "new-users", "hold");
    }
    if let Some(stages) = &keys.stages {
        load.stages = user_stages(decoder, node, stages, keys.ends_with_stages);
        return load;
    }
    if !has_end(node) {
        match key_at(node, "users") {
            // Only a ramp or the like: the command line may give the rest.
            None => decoder.warning(node.at, "plan-users-missing"),
            Some(at) => decoder.warning(at, "plan-users-without-end"),
        }
        load.iterations_per_user = Some(1);
    }
    let usual = StageLevel::Users(keys.users.unwrap_or(1));
    let levels = with_spikes(decoder, node, usual, &keys, hold.unwrap_or_default());
    let users_of = |level| match level {
        StageLevel::Users(users) => users,
        _ => 0,
    };
    let stage = |(level, hold)| UserStage {
        users: users_of(level),
        ramp: Duration::ZERO,
        hold,
    };
    load.stages = levels.into_iter().map(stage).collect();
    if let Some(first) = load.stages.first_mut() {
        first.ramp = keys.ramp_up;
    }
    if !keys.ramp_down.is_zero() {
        load.stages.push(UserStage {
            users: 0,
            ramp: keys.ramp_down,
            hold: Duration::ZERO,
        });
    }
    load.ends_with_stages = hold.is_some();
    load
}

/// The time at the full load, if there is an end.
fn time_at_full_load(decoder: &mut Decoder<'_>, node: &Node, keys: &LoadKeys) -> Option<Duration> {
    let Some(duration) = keys.duration else {
        if !keys.ramp_down.is_zero() && keys.hold.is_none() {
            let at = key_at(node, "ramp-down").unwrap_or(node.at);
            key_needs(decoder, at, "ramp-down", "hold");
        }
        return keys.hold;
    };
    let at = value_at(node, "duration");
    if duration.is_zero() {
        decoder.error(at, "plan-duration-zero");
    }
    let without_ramps = duration.checked_sub(keys.ramp_up);
    let hold = without_ramps.and_then(|rest| rest.checked_sub(keys.ramp_down));
    if hold.is_none() {
        decoder.error(at, "plan-duration-under-ramps");
    }
    Some(hold.unwrap_or_default())
}

fn user_stages(
    decoder: &mut Decoder<'_>,
    node: &Node,
    list: &[Stage],
    must_last: bool,
) -> Vec<UserStage> {
    let mut stages = Vec::new();
    for stage in list {
        match stage.level {
            StageLevel::Users(users) => stages.push(UserStage {
                users,
                ramp: stage.ramp,
                hold: stage.lasts,
            }),
            _ => decoder.error(stage.at, "plan-stages-mixed"),
        }
    }
    let time: Duration = stages.iter().map(|stage| stage.ramp + stage.hold).sum();
    let any = stages.iter().any(|stage| stage.users > 0);
    if must_last && (!any || time.is_zero()) {
        decoder.error(value_at(node, "stages"), "plan-stages-empty");
    }
    stages
}

/// The levels of a load with its spikes, each with its time. Spikes count their time from the load's start and lie
/// within the time at the full load.
fn with_spikes(
    decoder: &mut Decoder<'_>,
    node: &Node,
    usual: StageLevel,
    keys: &LoadKeys,
    hold: Duration,
) -> Vec<(StageLevel, Duration)> {
    let level_key = match usual {
        StageLevel::Users(_) => "users",
        _ => "rate",
    };
    let mut spikes: Vec<&Spike> = Vec::new();
    let is_fit =
        |spike: &&Spike| std::mem::discriminant(&spike.level) == std::mem::discriminant(&usual);
    for item in node.get("spike").map(Node::one_or_many).unwrap_or_default() {
        match keys
            .spikes
            .iter()
            .filter(is_fit)
            .find(|spike| spike.at == item.at)
        {
            Some(spike) => spikes.push(spike),
            None => key_needs(decoder, item.at, "spike", level_key),
        }
    }
    spikes.sort_by_key(|spike| spike.begins);
    let mut levels = Vec::new();
    let mut now = keys.ramp_up;
    let end = keys.ramp_up + hold;
    for spike in spikes {
        let spike_end = spike.begins + spike.lasts;
        if spike.begins < now || spike_end > end || spike.lasts.is_zero() {
            decoder.error(value_at(node, "spike"), "plan-spike-outside");
            return vec![(usual, hold)];
        }
        // A first level even of no time: the ramp leads to it.
        if spike.begins > now || levels.is_empty() {
            levels.push((usual, spike.begins - now));
        }
        levels.push((spike.level, spike.lasts));
        now = spike_end;
    }
    levels.push((usual, end - now));
    levels
}

fn arrivals(decoder: &mut Decoder<'_>, node: &Node, keys: LoadKeys) -> ArrivalLoad {
    if let Some(at) = key_at(node, "iterations") {
        decoder.error(at, "plan-iterations-per-user-with-rate");
    }
    if keys.open.ready_users > keys.open.max_in_flight {
        decoder.error(value_at(node, "ready-users"), "plan-ready-over-limit");
    }
    let stages = match &keys.stages {
        Some(stages) => rate_stages(decoder, node, stages),
        None => simple_rate(decoder, node, &keys),
    };
    ArrivalLoad {
        stages,
        arrivals_total: keys.total_iterations,
        ..keys.open
    }
}

/// A stage, unless it has no time.
fn lasting(from: Rate, to: Rate, lasts: Duration, spacing: Option<Spacing>) -> Option<RateStage> {
    let stage = RateStage {
        from,
        to,
        lasts,
        spacing,
    };
    (!lasts.is_zero()).then_some(stage)
}

fn simple_rate(decoder: &mut Decoder<'_>, node: &Node, keys: &LoadKeys) -> Vec<RateStage> {
    let Some(rate) = keys.rate else {
        return Vec::new();
    };
    if rate.arrivals == 0 {
        decoder.error(value_at(node, "rate"), "plan-rate-zero");
    }
    let for_total =
        || time_for(rate, keys.total_iterations?).map(|time| time.saturating_add(keys.ramp_up));
    let hold = time_at_full_load(decoder, node, keys).or_else(for_total);
    if hold.is_none() && !has_end(node) {
        let at = key_at(node, "rate").unwrap_or(node.at);
        decoder.error(at, "plan-rate-without-end");
    }
    let nothing = Rate {
        arrivals: 0,
        ..rate
    };
    let mut stages = Vec::new();
    stages.extend(lasting(nothing, rate, keys.ramp_up, None));
    for (level, lasts) in with_spikes(
        decoder,
        node,
        StageLevel::Rate(rate),
        keys,
        hold.unwrap_or_default(),
    ) {
        if let StageLevel::Rate(rate) = level {
            stages.extend(lasting(rate, rate, lasts, None));
        }
    }
    stages.extend(lasting(rate, nothing, keys.ramp_down, None));
    stages
}

fn rate_stages(decoder: &mut Decoder<'_>, node: &Node, list: &[Stage]) -> Vec<RateStage> {
    let mut stages: Vec<RateStage> = Vec::new();
    for stage in list {
        let StageLevel::Rates(from, to) = stage.level else {
            decoder.error(stage.at, "plan-stages-mixed");
            continue;
        };
        let before = stages.last().map(|stage| stage.to);
        let before = before.unwrap_or(Rate {
            arrivals: 0,
            ..from
        });
        stages.extend(lasting(before, from, stage.ramp, stage.spacing));
        stages.extend(lasting(from, to, stage.lasts, stage.spacing));
    }
    let time: Duration = stages.iter().map(|stage| stage.lasts).sum();
    let any = stages
        .iter()
        .any(|stage| stage.from.arrivals + stage.to.arrivals > 0);
    if !any || time.is_zero() {
        decoder.error(value_at(node, "stages"), "plan-stages-empty");
    }
    stages
}

/// What is written where nothing else is said.
fn usual_keys() -> LoadKeys {
    let open = ArrivalLoad {
        max_in_flight: defaults::MAX_IN_FLIGHT,
        ..ArrivalLoad::default()
    };
    LoadKeys {
        ends_with_stages: true,
        open,
        ..LoadKeys::default()
    }
}

fn user_keys(load: &UserLoad) -> LoadKeys {
    let ends = load.ends_by_iterations();
    let mut keys = LoadKeys {
        iterations: load.iterations_per_user,
        total_iterations: load.iterations_total,
        ..usual_keys()
    };
    keys.open.new_users = load.new_users;
    match load.stages.as_slice() {
        [stage] if stage.users > 0 && (load.ends_with_stages || (ends && stage.hold.is_zero())) => {
            LoadKeys {
                users: Some(stage.users),
                ramp_up: stage.ramp,
                hold: load.ends_with_stages.then_some(stage.hold),
                ..keys
            }
        }
        stages => LoadKeys {
            stages: Some(stages.iter().map(user_stage).collect()),
            ends_with_stages: load.ends_with_stages,
            ..keys
        },
    }
}

fn user_stage(stage: &UserStage) -> Stage {
    Stage {
        level: StageLevel::Users(stage.users),
        spacing: None,
        ramp: stage.ramp,
        lasts: stage.hold,
        at: Span::default(),
    }
}

fn arrival_keys(load: &ArrivalLoad) -> LoadKeys {
    let stage = |stage: &RateStage| Stage {
        level: StageLevel::Rates(stage.from, stage.to),
        spacing: stage.spacing,
        ramp: Duration::ZERO,
        lasts: stage.lasts,
        at: Span::default(),
    };
    LoadKeys {
        stages: Some(load.stages.iter().map(stage).collect()),
        total_iterations: load.arrivals_total,
        open: load.clone(),
        ..usual_keys()
    }
}
