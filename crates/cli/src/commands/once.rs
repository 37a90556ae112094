//! `plimsoll once`: one user, one iteration, every request and response shown.

mod body;
mod view;

use plimsoll_load::clock::Clock;
use plimsoll_load::engine::{self, Event, Observer, Options, Second};
use plimsoll_load::trace::Traced;
use plimsoll_plan::model::Plan;
use plimsoll_run::jmx::Told;
use plimsoll_run::session::{no_connection, secrets_of};
use plimsoll_run::{LoadSettings, no_request, random_seed, ready, reasons};
use plimsoll_stats::LabelInfo;
use plimsoll_text::{Lang, Message, render};

use crate::args::OnceArgs;
use crate::interrupt::interrupt_by_signals;
use crate::problems;
use crate::say::out;
use crate::tell::{BAD_USE, fail, say};
use view::ExchangeView;

/// Exit codes beside those of bad plans.
const FAILED: u8 = 1;
const UNREACHABLE: u8 = 3;
const INTERRUPTED: u8 = 130;

/// Runs `plimsoll once`; gives the exit code.
#[must_use]
pub fn run(args: &OnceArgs, lang: Lang) -> u8 {
    // One iteration of a mix would show one of its scenarios only.
    let apart = |plan: &mut Plan| {
        plan.take_mixes_apart();
        Ok(())
    };
    let ready = ready::load_changed(&(&args.source).into(), &LoadSettings::default(), &apart);
    let Some(ready) = problems::telling(ready, lang) else {
        return BAD_USE;
    };
    let interrupt = interrupt_by_signals();
    let options = Options {
        threads: Some(1),
        seed: ready.program.seed.unwrap_or_else(random_seed),
        trace: true,
        once: true,
        stopper: interrupt.stopper(),
        access: ready.access.clone(),
        extension: Some(ready.extension(None, Told::Nobody)),
        ..Options::default()
    };
    let view = ExchangeView {
        lang,
        body_bytes: args.body_bytes,
        secrets: secrets_of(&ready.plan),
    };
    let mut onlooker = Onlooker {
        view,
        tally: OnceTally::default(),
    };
    if let Err(error) = engine::run(&ready.program, &options, &mut onlooker) {
        return fail(&reasons::of_run(&error), lang, BAD_USE);
    }
    let tally = onlooker.tally;
    let interrupted = interrupt.is_hit();
    if interrupted {
        say(&Message::new("once-interrupted"), lang);
    }
    if tally.requests > 0 {
        let message = Message::new("once-sum")
            .with("requests", tally.requests)
            .with("failed", tally.failed);
        say(&message, lang);
    } else if !interrupted {
        say(&Message::new("once-none"), lang);
        say(&no_request::why(&ready.plan), lang);
    }
    tally.exit_code(interrupted)
}

/// What was seen.
#[derive(Debug, Default, PartialEq, Eq)]
struct OnceTally {
    requests: u64,
    failed: u64,
    /// Requests that failed before there was a connection.
    unconnected: u64,
    /// Something outside the requests failed.
    trouble: bool,
}

impl OnceTally {
    fn exit_code(&self, interrupted: bool) -> u8 {
        if self.requests > 0 && self.unconnected == self.requests {
            UNREACHABLE
        } else if interrupted {
            INTERRUPTED
        } else if self.failed > 0 || self.trouble {
            FAILED
        } else {
            0
        }
    }
}

/// Shows what comes by.
struct Onlooker {
    view: ExchangeView,
    tally: OnceTally,
}

impl Observer for Onlooker {
    fn started(&mut self, _: Clock) {}

    fn labels(&mut self, _: &[LabelInfo]) {}

    fn second(&mut self, _: &Second<'_>) {}

    fn event(&mut self, event: &Event) {
        self.tally.trouble |= event.is_error;
        crate::say::err(&render(self.view.lang, &event.message));
    }

    fn traced(&mut self, traced: &Traced) {
        if traced.counts() {
            self.tally.requests += 1;
            self.tally.failed += u64::from(traced.error.is_some());
            let unconnected = traced
                .error
                .as_ref()
                .is_some_and(|(kind, _)| no_connection(*kind));
            self.tally.unconnected += u64::from(unconnected && traced.head.is_empty());
        }
        out(&self.view.text(traced, self.tally.requests));
    }
}

#[cfg(test)]
mod tests {
    use super::OnceTally;

    #[test]
    fn exit_codes() {
        let tally = |requests, failed, unconnected| OnceTally {
            requests,
            failed,
            unconnected,
            trouble: false,
        };
        assert_eq!(tally(2, 0, 0).exit_code(false), 0);
        assert_eq!(tally(2, 1, 0).exit_code(false), 1);
        assert_eq!(tally(2, 2, 1).exit_code(false), 1);
        assert_eq!(tally(2, 2, 2).exit_code(true), 3);
        assert_eq!(tally(2, 1, 0).exit_code(true), 130);
        assert_eq!(
            OnceTally {
                trouble: true,
                ..tally(0, 0, 0)
            }
            .exit_code(false),
            1
        );
    }
}
