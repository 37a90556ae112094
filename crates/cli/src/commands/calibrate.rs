//! `plimsoll calibrate`: what this load generator can do at most, on a page that costs nothing.

mod document;
mod measure;

use std::time::{SystemTime, UNIX_EPOCH};

use plimsoll_load::echo::EchoServer;
use plimsoll_load::monitor::Allowance;
use plimsoll_run::environment::environment;
use plimsoll_run::reasons::file_failed;
use plimsoll_run::{PlanSource, calibration};
use plimsoll_stats::Ceiling;
use plimsoll_stats::ceiling::{CeilingStep, Climb};
use plimsoll_store::rfc3339;
use plimsoll_text::{Lang, Message, render};

use self::document::{Document, SCHEMA_VERSION};
use self::measure::Page;
use super::ended::Ended;
use super::result_output::ResultOutput;
use super::run::interrupt_by_signals;
use super::scratch::Scratch;
use crate::args::CalibrateArgs;
use crate::outputs::all_writable;

/// The page responds with errors.
const FAILED: u8 = 1;
/// The page cannot be reached.
const UNREACHABLE: u8 = 3;
/// The user interrupted.
const INTERRUPTED: u8 = 130;

/// Runs `plimsoll calibrate`; gives the exit code: 0 with a result, 1 if the page responds with
/// errors, 2 for bad use, 3 if it cannot be reached, 130 when interrupted.
#[must_use]
pub fn run(args: &CalibrateArgs, lang: Lang) -> u8 {
    match calibrated(args, lang) {
        Ok(()) => 0,
        Err(ended) => ended.exit(lang),
    }
}

fn calibrated(args: &CalibrateArgs, lang: Lang) -> Result<(), Ended> {
    if let Some(url) = args
        .url
        .as_deref()
        .filter(|url| !PlanSource::new(*url).is_url())
    {
        return Err(Message::new("calibrate-no-url").with("url", url).into());
    }
    all_writable(args.output.as_deref())?;
    let allowance = Allowance::read();
    let page = Page::new(args, &allowance)?;
    let runs = Scratch::new("calibrate")?;
    let interrupt = interrupt_by_signals();
    let mut climb = Climb::to(args.users);
    let mut steps: Vec<CeilingStep> = Vec::new();
    while let Some(users) = climb.next_users() {
        tell(
            args,
            lang,
            &Message::new("calibrate-measuring").with("users", users),
        );
        let step = page.measure(users, runs.path(), &interrupt, lang)?;
        if interrupt.is_hit() {
            return Err(Ended::Say(
                Message::new("calibrate-interrupted"),
                INTERRUPTED,
            ));
        }
        climb.report(step.throughput_per_s);
        steps.push(step);
    }
    let machine = calibration::machine(&environment(&allowance), env!("CARGO_PKG_VERSION"));
    let found = Ceiling::of_steps(&steps, machine, page.threads);
    let found = found.ok_or_else(|| Message::new("calibrate-nothing-measured"))?;
    let ceiling = Ceiling {
        measured_at: now(),
        page: args.url.clone(),
        keep_alive: !args.no_keep_alive,
        ..found
    };
    finish(args, ceiling, steps, lang)
}

/// Keeps, writes and says the result.
fn finish(
    args: &CalibrateArgs,
    ceiling: Ceiling,
    steps: Vec<CeilingStep>,
    lang: Lang,
) -> Result<(), Ended> {
    let path = calibration::file();
    // What was measured is told, also where it cannot be kept.
    let wanted = (!args.no_save).then(|| calibration::keep(&ceiling, &path));
    if let Some(Err(error)) = &wanted {
        crate::say::err(&render(lang, &file_failed(&path, error)));
    }
    let kept = matches!(wanted, Some(Ok(()))).then(|| path.display().to_string());
    let document = Document {
        schema_version: SCHEMA_VERSION,
        ceiling,
        steps,
        kept,
    };
    let result = ResultOutput {
        output: &args.output,
        json: args.json,
        quiet: args.quiet,
    };
    result.give(&document, || document.text(lang))?;
    Ok(())
}

fn tell(args: &CalibrateArgs, lang: Lang, message: &Message) {
    if !args.quiet {
        crate::say::err(&render(lang, message));
    }
}

fn now() -> String {
    let since = SystemTime::now().duration_since(UNIX_EPOCH);
    let ns = since.unwrap_or_default().as_nanos();
    rfc3339(u64::try_from(ns).unwrap_or(u64::MAX))
}

/// How the CPUs are shared out where the built-in page's server needs some of them: the first
/// half is the generator's. One CPU is both's.
fn shared_out(allowance: &Allowance, threads: Option<u32>) -> (u32, Vec<usize>) {
    let cpus = &allowance.cpus;
    let half = u32::try_from((cpus.len() / 2).max(1)).unwrap_or(1);
    let threads = threads.unwrap_or(half);
    let own = usize::try_from(threads).unwrap_or(usize::MAX);
    let rest = cpus.get(own..).filter(|rest| !rest.is_empty());
    // Without a CPU of its own the server runs wherever there is time.
    (threads, rest.map(<[usize]>::to_vec).unwrap_or_default())
}

/// The built-in page.
fn echo(cpus: &[usize]) -> Result<EchoServer, Message> {
    EchoServer::start(cpus)
        .map_err(|error| Message::new("calibrate-no-page").with("reason", error.to_string()))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn allowed(cpus: usize) -> Allowance {
        Allowance {
            cpus: (0..cpus).collect(),
            quota_cpus: None,
            descriptors: 0,
            ports: 0,
            memory_bytes: 0,
        }
    }

    #[test]
    fn generator_and_page_get_cpus_of_their_own() {
        assert_eq!(shared_out(&allowed(1), None), (1, vec![]));
        assert_eq!(shared_out(&allowed(2), None), (1, vec![1]));
        assert_eq!(shared_out(&allowed(5), None), (2, vec![2, 3, 4]));
        assert_eq!(shared_out(&allowed(4), Some(3)), (3, vec![3]));
        assert_eq!(shared_out(&allowed(2), Some(8)), (8, vec![]));
    }
}
