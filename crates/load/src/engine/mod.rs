//! Running a program: phases, load threads, and what they report second by second.

pub mod control;
pub mod hosts;
pub mod labels;
pub mod prepared;
pub mod ready;
pub mod starts;
pub mod thread;

mod api;
mod begin;
mod closed;
mod collect;
mod crew;
mod files;
mod job;
mod launch;
mod most;
mod open;
mod phases;
mod runner;
mod share_lease;
mod sharing;
#[cfg(test)]
mod simulated;
mod tasks;
mod wave;
mod worker;

use std::sync::Arc;

use plimsoll_access::Access;
use plimsoll_plan::model::Span;
use plimsoll_plan::program::Program;
pub use plimsoll_plan::share::Share;
use plimsoll_text::Message;

use crate::extract::BindError;
use crate::jmeter::{JMeterOptions, JMeterRun, Needs};
use crate::monitor::Allowance;
use crate::shared::LocalShared;
pub use api::{Ended, Event, Observer, Options, Phases, RunError, Second, Values};
pub use begin::Begin;
use hosts::Hosts;
use labels::Labels;
pub use most::MostRequests;
use prepared::Prepared;
use ready::Ready;
use runner::Runner;
pub use sharing::{can_join_late, shareable};
pub use wave::planned_length;

/// Compiles what can only be compiled when a program is run: expressions, scripts, data
/// files. `plimsoll check` calls it so that their mistakes show before a run, and so does a worker
/// for what it does not allow. Gives the files of an imported plan that are missing, which ends
/// those who want their rows, and no more.
///
/// # Errors
/// All mistakes.
pub fn check(
    program: &Program,
    options: &JMeterOptions,
    access: &Access,
) -> Result<Vec<(Span, Message)>, RunError> {
    let jmeter = jmeter(program, options, access)?;
    let ready = ready(program, 0, &jmeter)?;
    let wanted = Needs::default();
    jmeter
        .bind_packages(program, &[], wanted)
        .map_err(RunError::Bind)?;
    Ok(ready.data.all_missing())
}

fn jmeter(
    program: &Program,
    options: &JMeterOptions,
    access: &Access,
) -> Result<Arc<JMeterRun>, RunError> {
    JMeterRun::new(program, options, access).map_err(RunError::Bind)
}

fn ready(program: &Program, seed: u64, jmeter: &JMeterRun) -> Result<Arc<Ready>, RunError> {
    let bound = program
        .requests
        .iter()
        .map(|request| crate::bound::BoundRequest::new(request));
    let mut mistakes: Vec<BindError> = bound.filter_map(Result::err).collect();
    mistakes.extend(files::mistakes(program, &jmeter.access));
    match Ready::new(program, seed, jmeter) {
        Ok(ready) if mistakes.is_empty() => return Ok(ready),
        Ok(_) => {}
        Err(more) => mistakes.extend(more),
    }
    Err(RunError::Bind(mistakes))
}

/// Runs a program to its end.
///
/// # Errors
/// When it cannot begin.
pub fn run(
    program: &Arc<Program>,
    options: &Options,
    observer: &mut dyn Observer,
) -> Result<Ended, RunError> {
    let jmeter = jmeter(program, &options.jmeter, &options.access)?;
    jmeter
        .start_companion(program, &options.jmeter)
        .map_err(RunError::Bind)?;
    let ready = ready(program, options.seed, &jmeter)?;
    let hosts = Arc::new(Hosts::new(&program.allowed_hosts).with(&ready.hosts));
    let least = match options.trace {
        true => Needs::ALL,
        false => Needs::default(),
    };
    let (own, told) = (&ready.listeners, &options.jmeter);
    jmeter
        .begin_companion(program, &ready)
        .and_then(|()| jmeter.start_listeners(program, own, told, &hosts, least))
        .map_err(RunError::Bind)?;
    let share = match options.phases {
        Phases::Whole | Phases::Load => options.share,
        // Their users are nobody's share.
        Phases::Setup | Phases::Teardown => Share::WHOLE,
    };
    let runner = Runner {
        ready,
        jmeter: Arc::clone(&jmeter),
        prepared: Prepared::new(program, &options.access),
        labels: Labels::of(program),
        shared: Arc::new(LocalShared::new(program, share)),
        hosts,
        allowance: Allowance::read(),
        program,
        options,
    };
    let ended = runner.run(observer);
    for message in jmeter.end() {
        observer.event(&Event {
            at_ns: ended.as_ref().map_or(0, |ended| ended.end_ns),
            message,
            is_error: true,
        });
    }
    ended
}
