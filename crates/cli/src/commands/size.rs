//! `plimsoll size`: calculators, each with its formula and where it comes from.

use plimsoll_report::sized_lines;
use plimsoll_stats::sizing::{self, Sizes, SizingKnown};
use plimsoll_text::{Lang, Message, render};

use crate::args::SizeArgs;
use crate::say::out;
use crate::tell::{BAD_USE, fail};

/// Runs `plimsoll size`; gives the exit code.
#[must_use]
pub fn run(args: &SizeArgs, lang: Lang) -> u8 {
    let known = known(args);
    match sizes(&known) {
        Ok(sizes) if args.json => {
            // Numbers and names: nothing in it that JSON cannot say.
            let mut json = serde_json::to_string_pretty(&sizes).unwrap_or_default();
            json.push('\n');
            out(&json);
            0
        }
        Ok(sizes) => {
            let lines = sized_lines(&known, args.memory, &sizes);
            let text: Vec<String> = lines.iter().map(|line| render(lang, line)).collect();
            out(&format!("{}\n", text.join("\n\n")));
            0
        }
        Err(message) => fail(&message, lang, BAD_USE),
    }
}

fn known(args: &SizeArgs) -> SizingKnown {
    SizingKnown {
        visits_per_day: args.visits_per_day,
        busy_visits: args.busy_visits / 100.0,
        busy_day: args.busy_day / 100.0,
        tps: args.tps.map(|rate| rate.as_per_second()),
        users: args.users,
        response_s: args.response_time.map(|time| time.as_secs_f64()),
        think_s: args.think_time.as_secs_f64(),
        cores: args.cores,
    }
}

fn sizes(known: &SizingKnown) -> Result<Sizes, Message> {
    if known.is_empty() {
        return Err(Message::new("size-nothing-known"));
    }
    if known.response_s == Some(0.0) {
        return Err(Message::new("size-response-zero"));
    }
    if known.users.is_some() && known.response_s.is_none() {
        return Err(Message::new("size-users-need-response"));
    }
    Ok(sizing::sizes(known))
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
        let known = known(&args);
        let sizes = sizes(&known).unwrap();
        assert!((sizes.target_tps.unwrap() - 100.0).abs() < 1e-9);
        assert!((sizes.users.unwrap() - 300.0).abs() < 1e-9);
        assert_eq!((sizes.threads, sizes.pool), (Some(20), Some(10)));
        assert_eq!(sizes.host_web_threads, Some(800));
        assert_eq!(sized_lines(&known, None, &sizes).len(), 7);
    }

    #[test]
    fn what_is_not_known_is_not_calculated() {
        let id = |args: &SizeArgs| sizes(&known(args)).unwrap_err().id.to_string();
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
        let found = sizes(&known(&host)).unwrap();
        assert_eq!((found.users, found.host_web_threads), (None, Some(400)));
    }
}
