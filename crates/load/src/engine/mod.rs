//! Running a program: phases, load threads, and what they report second by second.

pub mod control;
mod event;
mod extension;
pub mod hosts;
pub mod labels;
pub mod prepared;
pub mod ready;
pub mod starts;
pub mod steer;
pub mod thread;

mod api;
mod begin;
mod closed;
mod collect;
mod crew;
mod files;
mod get_ready;
mod job;
mod launch;
mod live;
mod most;
mod open;
mod pauses;
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
use crate::monitor::Allowance;
use crate::shared::LocalShared;
pub use api::{Ended, Observer, Options, Phases, RunError, Second, Values};
pub use begin::Begin;
pub use event::Event;
pub use extension::{Extension, ExtensionRun, RunBeginning};
use get_ready::get_ready;
use hosts::Hosts;
use labels::Labels;
pub use most::MostRequests;
use prepared::PreparedProgram;
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
    extension: Option<&dyn Extension>,
    access: &Access,
) -> Result<Vec<(Span, Message)>, RunError> {
    let extension = bound(program, extension, access)?;
    let ready = get_ready(program, 0, extension.as_deref(), access)?;
    if let Some(extension) = &extension {
        extension.check(program).map_err(RunError::Bind)?;
    }
    Ok(ready.data.all_missing())
}

/// What the run has of an extension.
fn bound(
    program: &Program,
    extension: Option<&dyn Extension>,
    access: &Access,
) -> Result<Option<Arc<dyn ExtensionRun>>, RunError> {
    if let Some(extension) = extension {
        return extension.bind(program, access).map_err(RunError::Bind);
    }
    let first = program.elements.first();
    if first.is_none() && program.sites == 0 {
        return Ok(None);
    }
    // Without elements there are functions.
    let what = first.map_or("${__…}", |element| element.class.as_str());
    Err(RunError::Bind(vec![BindError {
        at: first.map(|element| element.at).unwrap_or_default(),
        message: Message::new("extension-missing").with("what", what),
    }]))
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
    let access = &options.access;
    let extension = bound(program, options.extension.as_deref(), access)?;
    if let Some(extension) = &extension {
        extension.start(program).map_err(RunError::Bind)?;
    }
    let ready = get_ready(program, options.seed, extension.as_deref(), access)?;
    let hosts = Hosts::new(&program.allowed_hosts).with(&ready.hosts);
    let hosts = Arc::new(hosts.within(access.reach()));
    if let Some(extension) = &extension {
        let with = RunBeginning {
            once: &ready.once,
            hosts: &hosts,
            traced: options.trace,
            is_first: options.share.index() == 0,
        };
        extension.begin(program, &with).map_err(RunError::Bind)?;
    }
    let share = match options.phases {
        Phases::Whole | Phases::Load => options.share,
        // Their users are nobody's share.
        Phases::Setup | Phases::Teardown => Share::WHOLE,
    };
    let runner = Runner {
        ready,
        extension: extension.clone(),
        prepared: PreparedProgram::new(program, &options.access),
        labels: Labels::of(program),
        shared: Arc::new(LocalShared::new(program, share)),
        hosts,
        allowance: Allowance::read(),
        program,
        options,
    };
    let ended = runner.run(observer);
    for message in extension.iter().flat_map(|it| it.end()) {
        observer.event(&Event {
            at_ns: ended.as_ref().map_or(0, |ended| ended.end_ns),
            message,
            is_error: true,
        });
    }
    ended
}
