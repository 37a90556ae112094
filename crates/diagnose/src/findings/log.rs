//! Logging that costs: a level that writes too much, or an appender that lets one thread at a
//! time write.

use plimsoll_stats::names::{self, attributes};
use plimsoll_stats::series::EntityKind;
use plimsoll_text::Message;

use super::Rule;
use super::support::{full_cpu_of, with_example};
use crate::about::object;
use crate::figures::{percent, tenths};
use crate::model::{Advice, Exhibit, Explains, Finding, Layer, ShareOf};
use crate::scene::Scene;
use crate::stacks::{SeenThread, StackPlace, Stacks, frames, most_frequent};

pub const RULE: Rule = Rule {
    ids: &["log_level", "log_appender"],
    refuted_by: "few threads in the logger, or few lines for a request",
    look,
};

/// So much of the serving threads, or of those that compute, must be in the logging framework.
const SHARE_LOGGING: f64 = 0.2;
/// Events of debug and trace for each request from which on the level is to blame.
const CHATTY: f64 = 0.5;

/// Threads that compute must be seen logging so often before their share says anything.
const LEAST_SEEN: usize = 3;

fn look(scene: &Scene<'_>) -> Vec<Finding> {
    let stacks = scene.stacks().iter();
    stacks.filter_map(|stacks| of_jvm(scene, stacks)).collect()
}

fn of_jvm(scene: &Scene<'_>, stacks: &Stacks) -> Option<Finding> {
    let events = events_per_request(scene);
    let chatty = events.debug >= CHATTY && events.debug > events.others;
    let cost = of_serving(stacks).or_else(|| of_computing(scene, stacks).filter(|_| chatty))?;
    let caller = caller(stacks).unwrap_or_default();
    let id = if chatty { "log_level" } else { "log_appender" };
    let explains = Explains::new(cost.share, ShareOf::ResponseTime);
    let logging = |seen: &SeenThread| frames::is_logging(&seen.thread);
    let text = cost.text.with("code", caller.as_str());
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
        finding = finding.shows(Exhibit::new(text).series(names::application::LOG_EVENTS));
    }
    finding = finding.with("how", if cost.waits { "waits" } else { "computes" });
    finding = finding.advises(of_level(scene, &caller, chatty));
    if let Some(advice) = asynchronous(stacks).filter(|_| !chatty && cost.waits) {
        finding = finding.advises(advice);
    }
    Some(Finding {
        confidence: cost.confidence,
        source: "field cases F05, F06",
        ..finding
    })
}

/// A level at which that class writes less.
fn of_level(scene: &Scene<'_>, caller: &str, chatty: bool) -> Advice {
    let (setting, now) = match configured(scene, caller).filter(|_| chatty) {
        Some((setting, level)) => (setting.to_owned(), Some(level)),
        // What is logged shows that the level is DEBUG or below.
        None => {
            let shown = chatty.then_some("DEBUG");
            (format!("logging.level.{}", package(caller)), shown)
        }
    };
    let (then, why) = match chatty {
        true => ("INFO", "advice-log-level"),
        false => ("ERROR", "advice-log-appender"),
    };
    Advice::setting(setting, now.map(str::to_owned), then, Message::new(why))
}

/// Frameworks, each with the setting that hands lines over to another thread, and its value: Logback's by the name that
/// its manual gives an asynchronous appender.
const ASYNCHRONOUS: &[(&str, &str, &str)] = &[
    (
        "ch.qos.logback.",
        "configuration/root/appender-ref@ref",
        "ASYNC",
    ),
    (
        "org.apache.logging.log4j.core.",
        "-Dlog4j2.contextSelector",
        "org.apache.logging.log4j.core.async.AsyncLoggerContextSelector",
    ),
];
/// What of them does so already.
const HANDED_OVER: &[&str] = &[
    "ch.qos.logback.core.AsyncAppenderBase.",
    "ch.qos.logback.classic.AsyncAppender.",
    "org.apache.logging.log4j.core.async.",
    "org.apache.logging.log4j.core.appender.AsyncAppender.",
];

/// Lines are handed over to a thread that writes them, where the framework that was seen can do that and does not.
fn asynchronous(stacks: &Stacks) -> Option<Advice> {
    let any = |what: &str| stacks.count(|seen| frames::on_stack(&seen.thread, &[what])) > 0.0;
    let (_, setting, then) = ASYNCHRONOUS.iter().find(|(framework, ..)| any(framework))?;
    let is_so = HANDED_OVER.iter().any(|done| any(done));
    let why = Message::new("advice-log-asynchronous");
    (!is_so).then(|| Advice::setting(*setting, None, *then, why))
}

/// What logging costs of the response time, and what shows it.
struct Cost {
    share: f64,
    confidence: f64,
    /// Whether threads wait for their turn, more than they compute.
    waits: bool,
    text: Message,
}

/// The threads that serve requests log, or wait for their turn to.
fn of_serving(stacks: &Stacks) -> Option<Cost> {
    let logging = |seen: &SeenThread| frames::is_logging(&seen.thread);
    let share = stacks.share(logging);
    let waiting = stacks.share(|seen| logging(seen) && seen.place == StackPlace::Lock);
    (share >= SHARE_LOGGING).then(|| Cost {
        share,
        confidence: 0.9,
        waits: 2.0 * waiting >= share,
        text: Message::new("exhibit-logging")
            .with("percent", percent(share))
            .with("waiting", percent(waiting)),
    })
}

/// Other threads log for those that serve (an event loop of a client, an executor), and the
/// processor is saturated: what they compute is missing, in proportion (utilization law).
fn of_computing(scene: &Scene<'_>, stacks: &Stacks) -> Option<Cost> {
    let cpu = full_cpu_of(scene, &stacks.jvm)?;
    let computes = |seen: &&SeenThread| {
        matches!(seen.place, StackPlace::Cpu | StackPlace::File) && !seen.thread.frames.is_empty()
    };
    let all = stacks.threads.iter().filter(computes).count();
    let logging = stacks.threads.iter().filter(computes);
    let logging = logging
        .filter(|seen| frames::is_logging(&seen.thread))
        .count();
    #[expect(clippy::cast_precision_loss, reason = "threads of a few dumps")]
    let share = logging as f64 / all.max(1) as f64;
    (logging >= LEAST_SEEN && share >= SHARE_LOGGING).then(|| Cost {
        share,
        confidence: 0.7,
        waits: false,
        text: Message::new("exhibit-logging-computes")
            .with("percent", percent(share))
            .with("name", cpu.process.name),
    })
}

/// The setting of the level that holds for what this class logs, if it asks for debug events.
fn configured<'a>(scene: &'a Scene<'_>, class: &str) -> Option<(&'a str, &'a str)> {
    let levels = scene.facts_starting(LEVEL).filter(|(_, level)| {
        ["DEBUG", "TRACE", "ALL"].contains(&level.to_ascii_uppercase().as_str())
    });
    let holds = levels.filter(|(setting, _)| {
        let logger = &setting[LEVEL.len()..];
        let below = class.strip_prefix(logger);
        logger == "root" || below.is_some_and(|rest| rest.is_empty() || rest.starts_with('.'))
    });
    // The longest name is the nearest; that of all loggers is the last resort.
    holds.max_by_key(|(setting, _)| match &setting[LEVEL.len()..] {
        "root" => 0,
        logger => logger.len(),
    })
}

/// What the settings of levels begin with, as Spring Boot has them.
const LEVEL: &str = "logging.level.";

fn package(class: &str) -> &str {
    class
        .rsplit_once('.')
        .map_or("root", |(package, _)| package)
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
                .of(&thing, names::application::LOG_EVENTS)
                .with_any(attributes::LOG_LEVEL, levels)
                .mean()
        });
        rates.fold(0.0, f64::max) / scene.throughput_per_s().max(1e-9)
    };
    Events {
        debug: per_request(&["debug", "trace"]),
        others: per_request(&["info", "warn", "error"]),
    }
}

/// The class whose calls log most, of all threads.
fn caller(stacks: &Stacks) -> Option<String> {
    let calls = stacks.threads.iter();
    let calls = calls.filter_map(|seen| frames::logs(&seen.thread)?.rsplit_once('.'));
    most_frequent(calls.map(|(class, _)| class))
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]

    use plimsoll_stats::series::EntityKind;

    use crate::testing::{Made, thing};

    const JVM: &str = "java[8080]";
    const LOGS: [&str; 4] = [
        "ch.qos.logback.core.OutputStreamAppender.writeBytes",
        "ch.qos.logback.classic.Logger.debug",
        "org.apache.commons.logging.LogAdapter$Slf4jLog.debug",
        "org.example.driver.Link.send",
    ];

    fn chatty(made: Made) -> Made {
        let app = thing(EntityKind::Application, "shop");
        made.counter(&app, "logging.events", &[("log.level", "debug")], 5_000.0)
            .fact(&app, "logging.level.root", "INFO")
            .fact(&app, "logging.level.org.example", "DEBUG")
            .fact(&app, "logging.level.org.exam", "TRACE")
    }

    /// A dump with threads of an event loop that log beside those that serve and wait for them.
    fn of_event_loop(made: Made, loops: usize) -> Made {
        let jvm = thing(EntityKind::Jvm, JVM);
        let mut text =
            String::from("Full thread dump OpenJDK 64-Bit Server VM (17 mixed mode):\n\n");
        let thread = |text: &mut String, name: &str, state: &str, frames: &[&str]| {
            *text += &format!(
                "\"{name}\" #9 daemon prio=5 os_prio=0 cpu=1.00ms elapsed=9.00s \
                 tid=0x0000000000000009 nid=0x9 runnable  [0x0000000000000009]\n   \
                 java.lang.Thread.State: {state}\n"
            );
            for frame in frames {
                *text += &format!("\tat {frame}(Source.java:1)\n");
            }
            *text += "\n";
        };
        for _ in 0..loops {
            thread(&mut text, "loop-1", "RUNNABLE", &LOGS);
        }
        let waits = [
            "jdk.internal.misc.Unsafe.park",
            "java.util.concurrent.locks.LockSupport.park",
            "shop.Page.show",
            "org.apache.catalina.core.StandardWrapperValve.invoke",
        ];
        for _ in 0..20 {
            thread(
                &mut text,
                "http-nio-8080-exec-1",
                "WAITING (parking)",
                &waits,
            );
        }
        let made = made.gauge(&jvm, "jvm.thread.count", &[], 30.0);
        (0..3).fold(made, |made, _| {
            made.capture(&jvm, "thread_dump", "steady", &text)
        })
    }

    #[test]
    fn the_logger_is_whose_class_logs_and_its_setting_the_one_that_holds() {
        let calls: Vec<&str> = LOGS.into_iter().chain(["shop.Page.show"]).collect();
        let made = Made::load(100.0, 200.0).process(JVM, 1.0, 2.0);
        let found = chatty(made.threads(&[(20, calls.as_slice())])).find("log_level");
        let found = found.unwrap();
        assert_eq!(found.object.name, "org.example.driver.Link");
        let setting = found.advice[0].setting.as_deref();
        assert_eq!(setting, Some("logging.level.org.example"));
        assert_eq!(found.advice[0].current.as_deref(), Some("DEBUG"));
    }

    #[test]
    fn threads_that_log_for_others_are_found_where_the_processor_is_saturated() {
        let full = || Made::load(100.0, 200.0).process(JVM, 1.98, 2.0);
        let found = chatty(of_event_loop(full(), 2)).find("log_level").unwrap();
        assert_eq!(found.object.name, "org.example.driver.Link");

        let room = Made::load(100.0, 200.0).process(JVM, 0.5, 2.0);
        assert!(chatty(of_event_loop(room, 2)).find("log_level").is_none());
        assert!(of_event_loop(full(), 2).find("log_level").is_none());
        assert!(chatty(of_event_loop(full(), 0)).find("log_level").is_none());
    }
}
