//! What a system is sized to, in words.

use plimsoll_stats::sizing::{
    BUSY_DAY, BUSY_VISITS, POOL_SHARE, SHORT_RESPONSE_S, STACK_MIB, SizedRamp, Sizes, SizingKnown,
    WEB_THREADS_PER_CORE,
};
use plimsoll_text::Message;

use crate::number::short;

/// The results in words, each with its formula and source; `memory_bytes` is what a host has.
#[must_use]
pub fn sized_lines(known: &SizingKnown, memory_bytes: Option<u64>, sizes: &Sizes) -> Vec<Message> {
    let response = known.response_s;
    let (tps, users) = (sizes.target_tps.unwrap_or(0.0), sizes.users.unwrap_or(0.0));
    let mut lines = Vec::new();
    if let Some(visits) = known.visits_per_day {
        let line = Message::new("size-tps-of-visits")
            .with("tps", short(tps))
            .with("visits", short(visits))
            .with("share", short(known.busy_visits * 100.0))
            .with("day", short(known.busy_day * 100.0))
            .with("usual-share", short(BUSY_VISITS * 100.0))
            .with("usual-day", short(BUSY_DAY * 100.0));
        lines.push(line);
    }
    let with_times = |line: Message| {
        line.with("tps", short(tps))
            .with("users", short(users))
            .with("response", short(response.unwrap_or(0.0)))
            .with("think", short(known.think_s))
    };
    if known.users.is_some() {
        lines.push(with_times(Message::new("size-tps-of-users")));
    } else if sizes.users.is_some() {
        lines.push(with_times(Message::new("size-users")));
    }
    if let (Some(busy), Some(threads), Some(pool)) = (sizes.busy_threads, sizes.threads, sizes.pool)
    {
        let line = Message::new("size-threads")
            .with("busy", short(busy))
            .with("threads", threads)
            .with("cores", known.cores.unwrap_or(0));
        lines.push(with_times(line));
        lines.extend(pool_lines(pool, response));
    } else if sizes.target_tps.is_some() {
        lines.push(Message::new("size-needs-response"));
    }
    lines.extend(host_lines(known, memory_bytes, sizes));
    lines.extend(ramp_line(users, &sizes.ramps));
    lines.push(Message::new("size-measure"));
    lines
}

/// The pool; for responses so short that threads tell little, that too.
fn pool_lines(pool: u64, response_s: Option<f64>) -> impl Iterator<Item = Message> {
    let is_short = response_s.is_some_and(|response_s| response_s < SHORT_RESPONSE_S);
    let limit = short(SHORT_RESPONSE_S * 1e3);
    let line = Message::new("size-pool")
        .with("pool", pool)
        .with("share", short(POOL_SHARE * 100.0));
    is_short
        .then(|| Message::new("size-short-response").with("limit", limit))
        .into_iter()
        .chain([line])
}

/// What a host of so many cores can take.
fn host_lines(known: &SizingKnown, memory_bytes: Option<u64>, sizes: &Sizes) -> Vec<Message> {
    let (Some(cores), Some(web)) = (known.cores, sizes.host_web_threads) else {
        return Vec::new();
    };
    let line = Message::new("size-host")
        .with("cores", cores)
        .with("threads", web)
        .with("each", short(WEB_THREADS_PER_CORE))
        .with("stack", short(STACK_MIB))
        .with("memory", short(sizes.host_stack_mib.unwrap_or(0.0)));
    let memory = memory_line(memory_bytes, sizes);
    [line].into_iter().chain(memory).collect()
}

/// How long the users may take to come.
fn ramp_line(users: f64, ramps: &[SizedRamp]) -> Option<Message> {
    let [careful, gentle, fast] = ramps else {
        return None;
    };
    let range = |ramp: &SizedRamp| match ramp.from_s == ramp.to_s {
        true => short(ramp.from_s),
        false => format!("{}–{}", short(ramp.from_s), short(ramp.to_s)),
    };
    let line = Message::new("size-ramp")
        .with("users", short(users.ceil()))
        .with("careful", range(careful))
        .with("gentle", range(gentle))
        .with("fast", range(fast));
    Some(line)
}

/// Says when the stacks alone would take half of the host's memory.
fn memory_line(memory_bytes: Option<u64>, sizes: &Sizes) -> Option<Message> {
    let memory_mib = memory_bytes? as f64 / 1_048_576.0;
    let stacks = sizes.host_stack_mib?;
    (stacks > memory_mib / 2.0).then(|| {
        Message::new("size-memory-short")
            .with("memory", short(memory_mib))
            .with("stacks", short(stacks))
    })
}
