//! `plimsoll size`: calculators, each with its formula and where it comes from.

use plimsoll_stats::sizing::{
    self, BUSY_DAY, BUSY_VISITS, POOL_SHARE, SHORT_RESPONSE_S, STACK_MIB, Sizes, SizingKnown,
    WEB_THREADS_PER_CORE,
};
use plimsoll_text::{Lang, Message, render};

use crate::args::SizeArgs;
use crate::say::out;
use crate::tell::{BAD_USE, fail};

/// Runs `plimsoll size`; gives the exit code.
#[must_use]
pub fn run(args: &SizeArgs, lang: Lang) -> u8 {
    match sizes(args) {
        Ok(sizes) if args.json => {
            // Numbers and names: nothing in it that JSON cannot say.
            let mut json = serde_json::to_string_pretty(&sizes).unwrap_or_default();
            json.push('\n');
            out(&json);
            0
        }
        Ok(sizes) => {
            let lines = lines(args, &sizes);
            let text: Vec<String> = lines.iter().map(|line| render(lang, line)).collect();
            out(&format!("{}\n", text.join("\n\n")));
            0
        }
        Err(message) => fail(&message, lang, BAD_USE),
    }
}

fn sizes(args: &SizeArgs) -> Result<Sizes, Message> {
    let known = SizingKnown {
        visits_per_day: args.visits_per_day,
        busy_visits: args.busy_visits / 100.0,
        busy_day: args.busy_day / 100.0,
        tps: args.tps.map(|rate| rate.as_per_second()),
        users: args.users,
        response_s: args.response_time.map(|time| time.as_secs_f64()),
        think_s: args.think_time.as_secs_f64(),
        cores: args.cores,
    };
    if known.is_empty() {
        return Err(Message::new("size-nothing-known"));
    }
    if known.response_s == Some(0.0) {
        return Err(Message::new("size-response-zero"));
    }
    if known.users.is_some() && known.response_s.is_none() {
        return Err(Message::new("size-users-need-response"));
    }
    Ok(sizing::sizes(&known))
}

/// The results in words, each with its formula and source.
fn lines(args: &SizeArgs, sizes: &Sizes) -> Vec<Message> {
    let response = args.response_time.map(|time| time.as_secs_f64());
    let think = args.think_time.as_secs_f64();
    let (tps, users) = (sizes.target_tps.unwrap_or(0.0), sizes.users.unwrap_or(0.0));
    let mut lines = Vec::new();
    if let Some(visits) = args.visits_per_day {
        let line = Message::new("size-tps-of-visits")
            .with("tps", short(tps))
            .with("visits", short(visits))
            .with("share", short(args.busy_visits))
            .with("day", short(args.busy_day))
            .with("usual-share", short(BUSY_VISITS * 100.0))
            .with("usual-day", short(BUSY_DAY * 100.0));
        lines.push(line);
    }
    let with_times = |line: Message| {
        line.with("tps", short(tps))
            .with("users", short(users))
            .with("response", short(response.unwrap_or(0.0)))
            .with("think", short(think))
    };
    if args.users.is_some() {
        lines.push(with_times(Message::new("size-tps-of-users")));
    } else if sizes.users.is_some() {
        lines.push(with_times(Message::new("size-users")));
    }
    if let (Some(busy), Some(threads), Some(pool)) = (sizes.busy_threads, sizes.threads, sizes.pool)
    {
        let line = Message::new("size-threads")
            .with("busy", short(busy))
            .with("threads", threads)
            .with("cores", args.cores.unwrap_or(0));
        lines.push(with_times(line));
        lines.extend(pool_lines(pool, response));
    } else if sizes.target_tps.is_some() {
        lines.push(Message::new("size-needs-response"));
    }
    lines.extend(host_lines(args, sizes));
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
fn host_lines(args: &SizeArgs, sizes: &Sizes) -> Vec<Message> {
    let (Some(cores), Some(web)) = (args.cores, sizes.host_web_threads) else {
        return Vec::new();
    };
    let line = Message::new("size-host")
        .with("cores", cores)
        .with("threads", web)
        .with("each", short(WEB_THREADS_PER_CORE))
        .with("stack", short(STACK_MIB))
        .with("memory", short(sizes.host_stack_mib.unwrap_or(0.0)));
    [line].into_iter().chain(memory_line(args, sizes)).collect()
}

/// How long the users may take to come.
fn ramp_line(users: f64, ramps: &[sizing::SizedRamp]) -> Option<Message> {
    let [careful, gentle, fast] = ramps else {
        return None;
    };
    let range = |ramp: &sizing::SizedRamp| match ramp.from_s == ramp.to_s {
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
fn memory_line(args: &SizeArgs, sizes: &Sizes) -> Option<Message> {
    let memory_mib = args.memory? as f64 / 1_048_576.0;
    let stacks = sizes.host_stack_mib?;
    (stacks > memory_mib / 2.0).then(|| {
        Message::new("size-memory-short")
            .with("memory", short(memory_mib))
            .with("stacks", short(stacks))
    })
}

/// Up to three digits after the point, fewer for large numbers, no zeros at the end.
fn short(value: f64) -> String {
    let places = match value.abs() {
        v if v >= 100.0 => 0,
        v if v >= 1.0 => 1,
        _ => 3,
    };
    let text = format!("{value:.places$}");
    match text.contains('.') {
        true => text.trim_end_matches('0').trim_end_matches('.').to_owned(),
        false => text,
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use std::time::Duration;

    use super::*;

    #[test]
    fn one_thing_follows_from_the_other() {
        let args = SizeArgs {
            visits_per_day: Some(4_320_000.0),
            busy_visits: 80.0,
            busy_day: 40.0,
            response_time: Some(Duration::from_millis(200)),
            think_time: Duration::from_millis(2_800),
            cores: Some(4),
            ..SizeArgs::default()
        };
        let sizes = sizes(&args).unwrap();
        assert!((sizes.target_tps.unwrap() - 100.0).abs() < 1e-9);
        assert!((sizes.users.unwrap() - 300.0).abs() < 1e-9);
        assert_eq!((sizes.threads, sizes.pool), (Some(20), Some(10)));
        assert_eq!(sizes.host_web_threads, Some(800));
        assert_eq!(lines(&args, &sizes).len(), 7);
    }

    #[test]
    fn what_is_not_known_is_not_calculated() {
        let id = |args: &SizeArgs| sizes(args).unwrap_err().id.to_string();
        assert_eq!(id(&SizeArgs::default()), "size-nothing-known");
        let users = SizeArgs {
            users: Some(50.0),
            ..SizeArgs::default()
        };
        assert_eq!(id(&users), "size-users-need-response");
        let zero = SizeArgs {
            response_time: Some(Duration::ZERO),
            ..users.clone()
        };
        assert_eq!(id(&zero), "size-response-zero");
        let host = SizeArgs {
            cores: Some(2),
            ..SizeArgs::default()
        };
        let found = sizes(&host).unwrap();
        assert_eq!((found.users, found.host_web_threads), (None, Some(400)));
        assert_eq!(
            [0.2, 1.24, 1_234.4, 30.0].map(short),
            ["0.2", "1.2", "1234", "30"]
        );
    }
}
