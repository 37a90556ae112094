//! `plimsoll run --resume`: another controller takes up a run whose own was lost.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Duration;

use plimsoll_fleet::controller::stored::{self, Taken, labels_key};
use plimsoll_fleet::controller::{Desk, StoredRun, clocks};
use plimsoll_fleet::merge::LabelTable;
use plimsoll_fleet::wire::control::worker_subject;
use plimsoll_plan::model::{GoalSpec, Plan, Span};
use plimsoll_plan::parse_yaml;
use plimsoll_stats::{Goal, Summary};
use plimsoll_store::{Run, RunWriter, resolve};
use plimsoll_text::{Message, render};

use super::run::{Conduct, judged_by};
use super::{connect, desk, nats_options, runtime, to_unix_ns};
use crate::args::RunArgs;
use crate::commands::run::Setting;
use crate::session::{Live, Session, SessionParts};

/// Takes a run up again; gives its summary and the run.
///
/// # Errors
/// What a person must be told when that cannot be.
pub fn make(
    spec: &str,
    args: &RunArgs,
    setting: &Setting<'_>,
    live: Option<Live>,
) -> Result<(Summary, Run), Message> {
    let dir = resolve(&args.out, spec).map_err(|error| error.message())?;
    let writer = RunWriter::reopen(&dir).map_err(|error| error.message())?;
    let run = Run::open(&dir).map_err(|error| error.message())?;
    let (mut begun, taken, labels) = known(&run)?;
    let runtime = runtime()?;
    let options = nats_options(&args.fleet.nats, "plimsoll run --resume")?;
    let desk = desk(connect(&runtime, &options)?);
    runtime.block_on(reckon(&desk, &mut begun))?;
    let meta = run.meta().clone();
    let stopper = setting.interrupt.stopper();
    if !args.quiet {
        let at_s = (desk.now)().saturating_sub(begun.zero_ns) / 1_000_000_000;
        let message = Message::new("fleet-resumed")
            .with("name", run.id())
            .with("at", at_s.to_string());
        crate::say::err(&render(setting.lang, &message));
    }
    let parts = SessionParts {
        target: None,
        lang: setting.lang,
        program: judged_by(&plan_of(&run)),
        meta,
        root: args.out.clone(),
        live,
        log: None,
        stopper: stopper.clone(),
        interrupted: Arc::clone(&setting.interrupt.hit),
        goes_on: true,
        give_up: None,
    };
    let session = Session::taken_up(parts, run, writer).map_err(|error| error.message())?;
    let conduct = Conduct {
        desk: &desk,
        runtime: &runtime,
        stopper,
    };
    conduct.go(session, begun, Some((taken, labels)))
}

/// What is known of the run.
fn known(run: &Run) -> Result<(StoredRun, Taken, LabelTable), Message> {
    let told = |error: plimsoll_store::StoreError| error.message();
    let nothing = || Message::new("fleet-nothing-to-resume").with("name", run.id());
    let notes = run.notes().map_err(told)?;
    let begun = notes.get(stored::RUN).ok_or_else(nothing)?;
    let begun: StoredRun = serde_json::from_slice(begun).map_err(|_| nothing())?;
    let applied = run.applied().map_err(told)?;
    let applied: BTreeMap<u32, (u64, u64)> = applied
        .into_iter()
        .map(|(writer, applied)| (writer, (applied.number, applied.next_second)))
        .collect();
    let of = begun.assignments.iter().filter_map(|assignment| {
        let note = notes.get(&labels_key(assignment.number))?;
        let ids: Vec<Option<u32>> = serde_json::from_slice(note).ok()?;
        Some((assignment.number, ids))
    });
    let labels = LabelTable::restored(run.labels(), of.collect());
    let text = |(name, value): (String, Vec<u8>)| Some((name, String::from_utf8(value).ok()?));
    let (_, end_s) = run.span_s().map_err(told)?;
    let taken = Taken {
        applied,
        notes: notes.into_iter().filter_map(text).collect(),
        told_before: u64::from(end_s),
    };
    Ok((begun, taken, labels))
}

/// Where the run's clock began on this controller's: by the clock of any worker that answers.
async fn reckon(desk: &Desk, run: &mut StoredRun) -> Result<(), Message> {
    let mut zero_ns = None;
    for worker in &mut run.workers {
        let subject = worker_subject(&worker.worker.name, &worker.worker.instance);
        let fix = clocks::measure(desk, &subject, 4, to_unix_ns());
        let fix = tokio::time::timeout(Duration::from_secs(3), fix).await;
        let Ok(Ok(fix)) = fix else { continue };
        let there_ns = clocks::on_worker(run.zero_ns, worker.clock);
        let here_ns = there_ns.saturating_add_signed(-fix.offset_ns);
        zero_ns = zero_ns.or(Some(here_ns));
        worker.clock = fix;
    }
    match zero_ns {
        Some(zero_ns) => {
            run.zero_ns = zero_ns;
            Ok(())
        }
        None => {
            let gone = Message::new("fleet-workers-gone");
            let journal = desk.link.journal(&run.run).await;
            // What they have sent is in the journal and can still be counted.
            journal.map(|_| ()).map_err(|_| gone)
        }
    }
}

/// What the run is judged by: its plan, if it is one of ours, else the goals as they were kept.
fn plan_of(run: &Run) -> Plan {
    let meta = run.meta();
    let plan = parse_yaml(&meta.plan_source, "plan");
    let mut plan = plan.map(|(plan, _)| plan).unwrap_or_default();
    let goal = |text: &String| {
        let goal: Goal = text.parse().ok()?;
        let known = plan.goals.iter().find(|spec| spec.goal == goal);
        Some(known.cloned().unwrap_or(GoalSpec {
            goal,
            abort_after: None,
            at: Span::default(),
        }))
    };
    plan.goals = meta.goals.iter().filter_map(goal).collect();
    plan
}
