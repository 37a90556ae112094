//! A run on the terminal while it goes on: what happens, and a line with elapsed time, users,
//! throughput, percentiles, errors.

use std::io::IsTerminal;
use std::time::Duration;

use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};
use plimsoll_load::engine::Second;
use plimsoll_run::{Listener, ReadyPlan, planned};
use plimsoll_stats::{LabelInfo, LabelInterval, LabelKind};
use plimsoll_text::{Lang, Message, render};
use serde_json::Value;

/// Where nobody looks at a terminal, a line is printed each so many seconds.
const PLAIN_EVERY_S: u64 = 10;

/// Shows how a run goes, on standard error.
struct LiveRun {
    lang: Lang,
    bar: ProgressBar,
    terminal: bool,
    planned: Option<Duration>,
}

impl LiveRun {
    /// A live line; `planned` is the load's length, where it is known.
    fn new(lang: Lang, planned: Option<Duration>) -> Self {
        let terminal = std::io::stderr().is_terminal();
        let bar = match planned {
            Some(planned) => ProgressBar::new(planned.as_secs().max(1)),
            None => ProgressBar::new_spinner(),
        };
        if terminal {
            let form = if planned.is_some() {
                "{bar:20} {msg}"
            } else {
                "{spinner} {msg}"
            };
            if let Ok(style) = ProgressStyle::with_template(form) {
                bar.set_style(style);
            }
        } else {
            bar.set_draw_target(ProgressDrawTarget::hidden());
        }
        Self {
            lang,
            bar,
            terminal,
            planned,
        }
    }

    /// Says something without spoiling the line.
    fn say(&self, text: &str) {
        if self.terminal {
            self.bar.println(crate::say::harmless(text));
        } else {
            crate::say::err(text);
        }
    }

    /// Shows a second.
    fn show(&self, line: &Message, elapsed: u64) {
        let line = render(self.lang, line);
        self.bar.set_position(elapsed);
        self.bar.set_message(line.clone());
        if !self.terminal && elapsed.is_multiple_of(PLAIN_EVERY_S) {
            crate::say::err(&line);
        }
    }

    fn line(&self, second: &Second<'_>, labels: &[LabelInfo], elapsed: u64) -> Message {
        let mut total = LabelInterval::default();
        for (id, interval) in second.labels.iter() {
            if labels
                .get(id.index())
                .is_some_and(|info| info.kind == LabelKind::Request)
            {
                total.merge(interval);
            }
        }
        let clock = match self.planned {
            Some(planned) => format!("{elapsed}/{} s", planned.as_secs()),
            None => format!("{elapsed} s"),
        };
        let users = second.generator.users_active;
        if total.samples() == 0 {
            let message = Message::new("run-live-waiting");
            return message.with("elapsed", clock).with("users", users);
        }
        let response = total.all_response();
        let ms = |q: f64| {
            #[expect(clippy::cast_precision_loss)]
            let ms = response.percentile_ns(q) as f64 / 1e6;
            shown_ms(ms)
        };
        Message::new("run-live")
            .with("elapsed", clock)
            .with("users", users)
            .with("throughput", total.samples())
            .with("p50", ms(0.5))
            .with("p95", ms(0.95))
            .with("errors", total.errors())
    }
}

impl Listener for LiveRun {
    fn event(&mut self, message: &Message) {
        self.say(&render(self.lang, message));
    }

    fn progress(&mut self, message: &Message) {
        self.event(message);
    }

    fn second(&mut self, second: &Second<'_>, labels: &[LabelInfo]) {
        if second.after_load {
            return;
        }
        let elapsed = second.second + 1;
        self.show(&self.line(second, labels, elapsed), elapsed);
    }

    /// Takes the line away.
    fn end(&mut self) {
        self.bar.finish_and_clear();
    }

    fn wants_diagnosis(&self) -> bool {
        true
    }
}

/// A run elsewhere on the terminal, by its events.
pub struct RemoteLine {
    live: Option<LiveRun>,
    lang: Lang,
}

impl RemoteLine {
    /// A live line, unless it is to be quiet.
    #[must_use]
    pub fn new(quiet: bool, lang: Lang) -> Self {
        Self {
            live: (!quiet).then(|| LiveRun::new(lang, None)),
            lang,
        }
    }

    /// Tells of an event.
    pub fn hear(&mut self, name: &str, data: &Value) {
        match (name, &self.live) {
            ("interval", Some(live)) if data["after_load"] != true => {
                let elapsed = data["to_s"].as_u64().unwrap_or(0);
                live.show(&remote_second(data, elapsed), elapsed);
            }
            ("event" | "finding", live) => {
                let text = data["texts"][self.lang.code()].as_str().unwrap_or_default();
                match live {
                    Some(live) => live.say(text),
                    None if name == "event" => crate::say::err(text),
                    None => {}
                }
            }
            _ => {}
        }
    }

    /// Takes the line away.
    pub fn end(&mut self) {
        if let Some(live) = &mut self.live {
            live.end();
        }
    }
}

/// A second of a run elsewhere.
fn remote_second(data: &Value, elapsed: u64) -> Message {
    let (total, clock) = (&data["total"], format!("{elapsed} s"));
    let users = data["users_active"].as_u64().unwrap_or(0);
    let samples = total["count"].as_u64().unwrap_or(0);
    if samples == 0 {
        let message = Message::new("run-live-waiting");
        return message.with("elapsed", clock).with("users", users);
    }
    let ms = |name: &str| shown_ms(total["response_ms"][name].as_f64().unwrap_or(0.0));
    Message::new("run-live")
        .with("elapsed", clock)
        .with("users", users)
        .with("throughput", samples)
        .with("p50", ms("p50"))
        .with("p95", ms("p95"))
        .with("errors", total["errors"].as_u64().unwrap_or(0))
}

fn shown_ms(ms: f64) -> String {
    match ms < 10.0 {
        true => format!("{ms:.2} ms"),
        false => format!("{ms:.0} ms"),
    }
}

/// Tells of events alone.
struct EventsAlone(Lang);

impl Listener for EventsAlone {
    fn event(&mut self, message: &Message) {
        crate::say::err(&render(self.0, message));
    }

    fn progress(&mut self, _: &Message) {}

    fn second(&mut self, _: &Second<'_>, _: &[LabelInfo]) {}

    fn end(&mut self) {}
}

/// Who hears of a run: a live line, unless it is to be quiet. `ready`: its plan, where that is at hand.
#[must_use]
pub fn listener(quiet: bool, ready: Option<&ReadyPlan>, lang: Lang) -> Box<dyn Listener> {
    match quiet {
        true => Box::new(EventsAlone(lang)),
        false => Box::new(LiveRun::new(lang, ready.and_then(planned))),
    }
}
