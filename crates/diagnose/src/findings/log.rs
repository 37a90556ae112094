//! Logging that costs: a level that writes too much, or an appender that lets one thread at a
//! time write.

use plimsoll_stats::series::EntityKind;
use plimsoll_text::Message;

use super::support::{tenths, with_example};
use super::{Rule, object};
use crate::model::{Advice, Exhibit, Explains, Finding, Layer, Of};
use crate::scene::Scene;
use crate::stacks::{Place, Seen, Stacks, own_frame, place};

pub const RULE: Rule = Rule {
    ids: &["log_level", "log_appender"],
    look,
};

/// So much of the serving threads must be in the logging framework.
const MUCH: f64 = 0.2;
/// Events of debug and trace for each request from which on the level is to blame.
const CHATTY: f64 = 0.5;

fn look(scene: &Scene<'_>) -> Vec<Finding> {
    let stacks = scene.stacks().iter();
    stacks.filter_map(|stacks| of_jvm(scene, stacks)).collect()
}

fn of_jvm(scene: &Scene<'_>, stacks: &Stacks) -> Option<Finding> {
    let logging = |seen: &Seen| place::is_logging(&seen.thread);
    let share = stacks.share(logging);
    if share < MUCH {
        return None;
    }
    let waiting = stacks.share(|seen| logging(seen) && seen.place == Place::Lock);
    let events = events_per_request(scene);
    let chatty = events.debug >= CHATTY && events.debug > events.others;
    let caller = logger(stacks).unwrap_or_default();
    let id = if chatty { "log_level" } else { "log_appender" };
    let explains = Explains {
        share,
        of: Of::ResponseTime,
    };
    let text = Message::new("exhibit-logging")
        .with("percent", (share * 100.0).round())
        .with("waiting", (waiting * 100.0).round())
        .with("code", caller.as_str());
    let exhibit = with_example(Exhibit::new(text), stacks, logging);
    let mut finding = Finding::new(
        id,
        Layer::Cause,
        object("logger", caller.as_str(), &stacks.jvm),
        explains,
    )
    .shows(exhibit);
    if events.debug + events.others > 0.0 {
        let text = Message::new("exhibit-log-events")
            .with("debug", tenths(events.debug))
            .with("others", tenths(events.others));
        finding = finding.shows(Exhibit::new(text).series("logging.events"));
    }
    let package = caller
        .rsplit_once('.')
        .map_or("root", |(package, _)| package);
    let (setting, now, then) = if chatty {
        (format!("logging.level.{package}"), "DEBUG", "INFO")
    } else {
        (format!("logging.level.{package}"), "INFO", "ERROR")
    };
    let why = Message::new(format!("advice-{}", id.replace('_', "-")));
    finding = finding.advises(Advice::setting(setting, Some(now.to_owned()), then, why));
    Some(Finding {
        confidence: 0.9,
        source: "field cases F05, F06",
        ..finding
    })
}

struct Events {
    debug: f64,
    others: f64,
}

/// Log events for each request; several sources may tell of the same application.
fn events_per_request(scene: &Scene<'_>) -> Events {
    let per_request = |levels: &[&str]| {
        let things = scene.things(EntityKind::Application).into_iter();
        let rates = things.filter_map(|thing| {
            scene
                .of(&thing, "logging.events")
                .with_any("log.level", levels)
                .mean()
        });
        rates.fold(0.0, f64::max) / scene.throughput_per_s().max(1e-9)
    };
    Events {
        debug: per_request(&["debug", "trace"]),
        others: per_request(&["info", "warn", "error"]),
    }
}

/// The class whose calls log most.
fn logger(stacks: &Stacks) -> Option<String> {
    let mut counts = std::collections::BTreeMap::new();
    for seen in stacks
        .serving()
        .filter(|seen| place::is_logging(&seen.thread))
    {
        if let Some((class, _)) = own_frame(&seen.thread).and_then(|call| call.rsplit_once('.')) {
            *counts.entry(class.to_owned()).or_insert(0_usize) += 1;
        }
    }
    let most = counts.into_iter().max_by_key(|(_, count)| *count);
    most.map(|(class, _)| class)
}
