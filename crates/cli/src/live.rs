//! A run on the terminal while it goes on: what happens, and a line with elapsed time, users,
//! throughput, percentiles, errors.

use std::io::IsTerminal;
use std::time::Duration;

use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};
use plimsoll_load::engine::Second;
use plimsoll_run::{Listener, ReadyPlan, planned};
use plimsoll_stats::{LabelInfo, LabelInterval, LabelKind};
use plimsoll_text::{Lang, Message, render};

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
            if ms < 10.0 {
                format!("{ms:.2} ms")
            } else {
                format!("{ms:.0} ms")
            }
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
        let line = render(self.lang, &self.line(second, labels, elapsed));
        self.bar.set_position(elapsed);
        self.bar.set_message(line.clone());
        if !self.terminal && elapsed.is_multiple_of(PLAIN_EVERY_S) {
            crate::say::err(&line);
        }
    }

    /// Takes the line away.
    fn end(&mut self) {
        self.bar.finish_and_clear();
    }

    fn wants_diagnosis(&self) -> bool {
        true
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
