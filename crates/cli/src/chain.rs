//! The hops of a chain, loaded by themselves or after a run.

use std::path::Path;

use plimsoll_run::measure::RunSeries;
use plimsoll_run::measure::hops::Chain;
use plimsoll_run::{Interrupt, LoadSettings, PlanSource, ReadyPlan};
use plimsoll_stats::HopTimes;
use plimsoll_store::Run;
use plimsoll_text::{Lang, Message};

use crate::args::{RunArgs, hops as usual};
use crate::ended::EndedBy;
use crate::live::listener;
use crate::tell::{BAD_USE, progress};

/// Runs of which the hops are not loaded afterwards: bad plan, unreachable, interrupted.
const NOT_AFTER: [u8; 3] = [BAD_USE, 3, 130];

/// Loads the hops; the runs themselves are not kept.
pub fn measure(
    chain: &Chain<'_>,
    interrupt: &Interrupt,
    quiet: bool,
    lang: Lang,
) -> Result<HopTimes, EndedBy> {
    let listen = |ready: &ReadyPlan| listener(true, Some(ready), lang);
    let tell = |message: &Message| progress(quiet, lang, message);
    let series = RunSeries::new(Path::new(""), interrupt, &listen, &tell);
    Ok(chain.measure(&series)?)
}

/// Loads the hops that a plan names after its run, and keeps their times in it. What goes wrong
/// is said and does not change what came of the run.
pub fn after_run(
    ready: &ReadyPlan,
    source: &PlanSource,
    args: &RunArgs,
    run: &Run,
    exit_code: u8,
    interrupt: &Interrupt,
    lang: Lang,
) {
    let hops = &ready.plan.hops;
    if hops.is_empty() || NOT_AFTER.contains(&exit_code) {
        return;
    }
    let chain = Chain {
        source,
        hops,
        users: usual::USERS,
        rounds: usual::ROUNDS,
        round_seconds: usual::ROUND_SECONDS,
        load: LoadSettings {
            threads: args.load.threads,
            seed: args.load.seed,
            ..LoadSettings::default()
        },
    };
    let kept = measure(&chain, interrupt, args.quiet, lang).and_then(|times| {
        let kept = run.keep_hops(&times);
        kept.map_err(|error| EndedBy::from(error.message()))
    });
    if let Err(ended) = kept {
        // Its exit code is that of `hops`, not of the run.
        let _ = ended.exit(lang);
    }
}
