//! `plimsoll run --resume`: another controller takes up a run whose own was lost.

use std::collections::BTreeMap;
use std::time::Duration;

use plimsoll_fleet::controller::stored::{self, Taken, labels_key};
use plimsoll_fleet::controller::{Desk, StoredRun, clocks};
use plimsoll_fleet::merge::LabelTable;
use plimsoll_fleet::wire::control::worker_subject;
use plimsoll_load::clock::boottime_ns;
use plimsoll_load::engine::control::Stopper;
use plimsoll_plan::model::{GoalSpec, Plan, Span};
use plimsoll_plan::parse_yaml;
use plimsoll_stats::Goal;
use plimsoll_stats::moments::SteadySeconds;
use plimsoll_store::{Run, RunWriter, StoreError};
use plimsoll_text::Message;

use super::run::{Conduct, judged_by};
use super::{connect, desk, nats_options, planned, runtime, to_unix_ns};
use crate::session::{Session, SessionParts};
use crate::watching::{Again, Target, kept};
use crate::{Listener, LoadSettings, Made, NatsSettings, RunSetting};

/// Takes a run up again, found as [`crate::runs::find`] does.
///
/// # Errors
/// What a person must be told when that cannot be.
pub(crate) fn make(
    spec: &str,
    nats: &NatsSettings,
    load: &LoadSettings,
    setting: &RunSetting,
    mut listener: Box<dyn Listener>,
) -> Result<Made, Message> {
    let told = |error: StoreError| error.message();
    let dir = crate::runs::find(&setting.root, spec)?;
    let mut writer = RunWriter::reopen(&dir).map_err(told)?;
    let run = Run::open(&dir).map_err(told)?;
    let (mut begun, taken, labels) = known(&run)?;
    let runtime = runtime()?;
    let (options, warning) = nats_options(nats, "plimsoll run --resume")?;
    if let Some(warning) = warning {
        listener.event(&warning);
    }
    let desk = desk(connect(&runtime, &options)?);
    let goes_on = runtime.block_on(reckon(&desk, &mut begun))?;
    let watched = match goes_on {
        true => Watched::again(&run, &mut writer, begun.zero_ns, load)?,
        // What is still to be counted was loaded long ago.
        false => Watched::default(),
    };
    let stopper = setting.control.interrupt.stopper();
    let most = planned::noted(&run);
    let at_ns = boottime_ns().saturating_sub(begun.zero_ns);
    let resumed = Message::new("fleet-resumed")
        .with("name", run.id())
        .with("at", (at_ns / 1_000_000_000).to_string());
    listener.progress(&resumed);
    let parts = parts(&run, setting, (listener, watched.target), &stopper);
    let mut session = Session::taken_up(parts, run, writer).map_err(told)?;
    for message in &watched.left_out {
        session.say(at_ns, message);
    }
    if let Some(note) = watched.note {
        // A disk that is full is told of by the run itself.
        let _ = session.note(&[(kept::NOTE.to_owned(), note)]);
    }
    let conduct = Conduct {
        desk: &desk,
        runtime: &runtime,
        stopper,
        steer: setting.control.steer.clone(),
        most,
    };
    conduct.go(session, begun, Some((taken, labels)))
}

/// What the session of a run that is taken up again is made of.
fn parts(
    run: &Run,
    setting: &RunSetting,
    (listener, target): (Box<dyn Listener>, Option<Target>),
    stopper: &Stopper,
) -> SessionParts {
    let plan = plan_of(run);
    SessionParts {
        target,
        program: judged_by(&plan),
        meta: run.meta().clone(),
        root: setting.root.clone(),
        listener,
        // Those of the controller that was lost have heard what it knew.
        outputs: Vec::new(),
        readings: None,
        log: None,
        stopper: stopper.clone(),
        control: setting.control.clone(),
        goes_on: true,
        give_up: None,
        // What was asked for went with the controller that was lost.
        probe: None,
        no_request: crate::no_request::why(&plan),
    }
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

/// Who watches the target of a run that is taken up again.
#[derive(Default)]
struct Watched {
    target: Option<Target>,
    /// What must be told of sources that are not watched again.
    left_out: Vec<Message>,
    /// The sources, if they are others than before.
    note: Option<String>,
}

impl Watched {
    /// Begins to watch what the run watched, or what the command line names.
    fn again(
        run: &Run,
        writer: &mut RunWriter,
        zero_ns: u64,
        load: &LoadSettings,
    ) -> Result<Self, Message> {
        let told = |error: StoreError| error.message();
        let notes = run.notes().map_err(told)?;
        let note = notes.get(kept::NOTE).map(Vec::as_slice);
        let meta = run.meta();
        let (specs, left_out) = kept::again(note, load, &meta.target)?;
        let length_s = meta.load_profile.as_ref().and_then(|profile| {
            let last = profile.stretches.last()?;
            // A float to integer cast saturates.
            Some(last.to_s as u64)
        });
        let at_ns = boottime_ns().saturating_sub(zero_ns);
        let is_over = length_s.is_some_and(|length_s| at_ns / 1_000_000_000 > length_s);
        if specs.is_empty() || is_over {
            return Ok(Self {
                left_out,
                ..Self::default()
            });
        }
        let captures = run.captures().map_err(told)?;
        let bytes: u64 = captures.iter().map(|capture| capture.length).sum();
        let of = Again {
            zero_unix_ns: zero_unix_ns(run, writer, zero_ns)?,
            at_ns: boottime_ns().saturating_sub(zero_ns),
            captured_bytes: usize::try_from(bytes).unwrap_or(usize::MAX),
        };
        let steady = SteadySeconds::new(u64::from(meta.warm_up_s), length_s);
        let note = (!load.watch.is_empty()).then(|| kept::to_note(&specs));
        let target = Target::again(specs, steady, &of)
            .map_err(|error| Message::new("run-cannot-start").with("reason", error.to_string()))?;
        Ok(Self {
            target,
            left_out,
            note,
        })
    }
}

/// When the run's clock read 0 by the clock that its target's times are on; for a run that was not
/// watched so far, by this host's.
fn zero_unix_ns(run: &Run, writer: &mut RunWriter, zero_ns: u64) -> Result<u64, Message> {
    if run.is_watched() {
        return Ok(u64::try_from(run.zero_unix_ns()).unwrap_or(0));
    }
    let here_ns = zero_ns.saturating_add_signed(to_unix_ns());
    let written = writer.set_zero(here_ns);
    written.map(|()| here_ns).map_err(|error| error.message())
}

/// Where the run's clock began on this controller's: by the clock of any worker that responds; false
/// if none does.
async fn reckon(desk: &Desk, run: &mut StoredRun) -> Result<bool, Message> {
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
            Ok(true)
        }
        None => {
            let gone = Message::new("fleet-workers-gone");
            let journal = desk.link.journal(&run.run).await;
            // What they have sent is in the journal and can still be counted.
            journal.map(|_| false).map_err(|_| gone)
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
