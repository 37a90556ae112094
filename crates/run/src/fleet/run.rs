//! `plimsoll run --workers`: the same run, made by many machines.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::{Duration, Instant};

use plimsoll_fleet::controller::conduct::Conducted;
use plimsoll_fleet::controller::{self, Desk, FleetError, RunPackage, Settings, StoredRun};
use plimsoll_fleet::wire::Announce;
use plimsoll_load::clock::nanos;
use plimsoll_load::engine::control::Stopper;
use plimsoll_load::engine::steer::Steer;
use plimsoll_load::engine::{self, Ended, MostRequests};
use plimsoll_plan::program::Program;
use plimsoll_text::Message;

use super::results::SessionResults;
use super::{connect, desk, nats_options, package, planned, runtime, to_unix_ns, token, told};
use crate::make::{parts, random_seed};
use crate::outputs::open_all;
use crate::session::Session;
use crate::watching::kept;
use crate::{
    FleetSettings, Interrupt, Listener, LoadSettings, Made, PlanSource, ReadyPlan, RunSetting,
};

/// Workers respond within this time.
const DISCOVERY: Duration = Duration::from_millis(1500);

/// Workers give a run up after this time without a controller.
const GIVE_UP: Duration = Duration::from_secs(600);

/// Makes one run over workers.
///
/// # Errors
/// What a person must be told when no run could be made.
pub(crate) fn make(
    ready: &ReadyPlan,
    source: &PlanSource,
    load: &LoadSettings,
    fleet: &FleetSettings,
    setting: &RunSetting,
    mut listener: Box<dyn Listener>,
) -> Result<Made, Message> {
    let program = &ready.program;
    if !fleet.each {
        shareable(program, count(fleet))?;
    }
    // Before anybody begins: what cannot be opened ends it here.
    let outputs = open_all(&ready.outputs)?;
    let package = package::pack(ready, source, load, &fleet.bundle)?;
    let runtime = runtime()?;
    let (options, warning) = nats_options(&fleet.nats, "plimsoll run")?;
    if let Some(warning) = warning {
        listener.event(&warning);
    }
    let patience = WorkerPatience::new(fleet.workers_within, &setting.control.interrupt);
    let desk = desk(patience.keep_trying(|| connect(&runtime, &options))?);
    let beginning = Beginning {
        ready,
        fleet,
        patience: &patience,
        desk: &desk,
        runtime: &runtime,
        package: &package,
    };
    let begun = beginning.go(&mut *listener)?;
    let stopper = setting.control.interrupt.stopper();
    let told = (listener, outputs);
    let parts = parts(ready, setting, told, None, &stopper, begun.seed)?;
    let most = MostRequests::of(program);
    let session = Session::over_workers(parts);
    let session = match session {
        Ok(mut session) => {
            // A disk that is full is told of by the run itself.
            let _ = session.note(&[
                (kept::NOTE.to_owned(), kept::to_note(&ready.watch)),
                planned::note(most.as_ref()),
            ]);
            session
        }
        Err(error) => {
            let free = controller::prepare::finish_all(&desk, &begun.run, &begun.workers);
            runtime.block_on(free);
            return Err(error.message());
        }
    };
    let conduct = Conduct {
        desk: &desk,
        runtime: &runtime,
        stopper,
        steer: setting.control.steer.clone(),
        most,
    };
    conduct.go(session, begun, None)
}

/// A run over workers before its load.
struct Beginning<'a> {
    ready: &'a ReadyPlan,
    fleet: &'a FleetSettings,
    patience: &'a WorkerPatience<'a>,
    desk: &'a Desk,
    runtime: &'a tokio::runtime::Runtime,
    package: &'a RunPackage,
}

impl Beginning<'_> {
    /// Has workers get ready and begin. In the place of one that is gone before that another is
    /// taken.
    fn go(&self, listener: &mut dyn Listener) -> Result<StoredRun, Message> {
        let (desk, runtime, patience) = (self.desk, self.runtime, self.patience);
        let program = &self.ready.program;
        let seed = program.seed.unwrap_or_else(random_seed);
        let mut gone = None;
        loop {
            let settings = settings(self.fleet, program, seed);
            let found = patience.keep_trying(|| runtime.block_on(find(desk, &settings)));
            // Who is gone tells more than how many are left.
            let workers = found.map_err(|error| gone.take().unwrap_or(error))?;
            if let Some(message) = gone.take() {
                listener.event(&message);
            }
            tell_chosen(&workers, program, listener);
            let taken = workers.clone();
            let begin = controller::begin(desk, &settings, workers, self.package, to_unix_ns());
            let begun = runtime.block_on(async {
                tokio::select! {
                    begun = begin => Some(begun),
                    () = patience.interrupted() => None,
                }
            });
            let Some(begun) = begun else {
                let free = controller::prepare::free(desk, &settings.run, &taken);
                runtime.block_on(free);
                return Err(Message::new("fleet-interrupted"));
            };
            match begun {
                Err(error @ FleetError::Gone { set_up: false, .. }) => gone = Some(error.message()),
                begun => return begun.map_err(|error| error.message()),
            }
        }
    }
}

/// Until when NATS and workers may be missing.
struct WorkerPatience<'a> {
    until: Instant,
    interrupt: &'a Interrupt,
}

impl<'a> WorkerPatience<'a> {
    fn new(within: Duration, interrupt: &'a Interrupt) -> Self {
        Self {
            until: Instant::now() + within,
            interrupt,
        }
    }

    /// Waits until the user interrupts.
    async fn interrupted(&self) {
        while !self.interrupt.is_hit() {
            tokio::time::sleep(Duration::from_millis(100)).await;
        }
    }

    fn keep_trying<T>(
        &self,
        mut attempt: impl FnMut() -> Result<T, Message>,
    ) -> Result<T, Message> {
        loop {
            let tried = attempt();
            let over = Instant::now() >= self.until || self.interrupt.is_hit();
            if tried.is_ok() || over {
                return tried;
            }
            std::thread::sleep(Duration::from_millis(500));
        }
    }
}

/// How many shares a load is divided into.
fn count(fleet: &FleetSettings) -> u32 {
    u32::try_from(fleet.workers).unwrap_or(u32::MAX)
}

/// Whether a program can be shared; what cannot is named.
fn shareable(program: &Program, count: u32) -> Result<(), Message> {
    let Err(reasons) = engine::shareable(program, count) else {
        return Ok(());
    };
    let mut message = Message::new("fleet-cannot-share");
    if let Some(first) = reasons.into_iter().next() {
        message = message.with("reason", first.message);
    }
    Err(message)
}

fn settings(fleet: &FleetSettings, program: &Program, seed: u64) -> Settings {
    let outside = !program.recorded_setup;
    Settings {
        run: token(),
        workers: fleet.workers,
        with: fleet
            .workers_with
            .iter()
            .cloned()
            .collect::<BTreeMap<_, _>>(),
        each: fleet.each,
        seed,
        lease_ns: nanos(fleet.lease),
        give_up_ns: nanos(GIVE_UP),
        clock_error_ns: nanos(fleet.clock_error),
        load_end_ns: engine::planned_length(program).map(nanos),
        may_move: engine::can_join_late(program).is_ok(),
        sets_up: outside && !program.setup.is_empty(),
        tears_down: outside && !program.teardown.is_empty(),
        version: env!("CARGO_PKG_VERSION").to_owned(),
    }
}

/// The workers of the run.
async fn find(desk: &Desk, settings: &Settings) -> Result<Vec<Announce>, Message> {
    let found = controller::discover(&*desk.link, &token(), DISCOVERY).await;
    let found = found.map_err(|error| error.message())?;
    controller::choose(&found, settings)
}

/// Tells who makes the load, and if nobody could take over from one that is lost.
fn tell_chosen(workers: &[Announce], program: &Program, listener: &mut dyn Listener) {
    let mut tell = |message: &Message| listener.progress(message);
    let names: Vec<&str> = workers.iter().map(|worker| worker.name.as_str()).collect();
    tell(&Message::new("fleet-workers-chosen").with("names", names.join(", ")));
    let against = engine::can_join_late(program).err().unwrap_or_default();
    if let Some(first) = against.into_iter().next().filter(|_| workers.len() > 1) {
        tell(&Message::new("fleet-shares-stay").with("reason", first.message));
    }
}

/// Conducts a run that has begun, and ends its session.
pub struct Conduct<'a> {
    /// Where it talks.
    pub desk: &'a Desk,
    /// What that runs on.
    pub runtime: &'a tokio::runtime::Runtime,
    /// Ends the run.
    pub stopper: Stopper,
    /// Changes its load.
    pub steer: Steer,
    /// What bounds its requests.
    pub most: Option<MostRequests>,
}

impl Conduct<'_> {
    /// Goes on to the run's end; `taken`: what is known of it when it is taken up again.
    ///
    /// # Errors
    /// What a person must be told.
    pub fn go(
        self,
        mut session: Session,
        begun: StoredRun,
        taken: Option<(controller::stored::Taken, plimsoll_fleet::merge::LabelTable)>,
    ) -> Result<Made, Message> {
        let mut results = SessionResults {
            session: &mut session,
            stopper: self.stopper,
            steer: self.steer.clone(),
            passed_on: 0,
            shares: if begun.each { 1 } else { begun.count },
            goes_on: taken.is_some(),
        };
        let planned = planned::of(self.most, &begun, self.steer);
        let now_ns = to_unix_ns();
        let conduct = controller::conduct(self.desk, begun, taken, now_ns, &mut results, &*planned);
        let conducted = self.runtime.block_on(conduct);
        finish(session, &conducted.map_err(|error| error.message())?)
    }
}

/// Ends a session: what was missing is told before anything else.
fn finish(mut session: Session, conducted: &Conducted) -> Result<Made, Message> {
    let end = &conducted.end;
    let ended = Ended {
        load_end_ns: end.load_end_ns,
        end_ns: end.end_ns,
        stopped: end.stopped,
        discarded: end.discarded,
        threads: end.threads,
        setup_failed: false,
        lost_threads: end.lost_threads,
    };
    let fleet = told::summary(conducted, session.measured(), &session.result());
    for (at_ns, message) in told::facts(&fleet) {
        session.say(at_ns, &message);
    }
    session.set_fleet(fleet);
    session
        .finish(Some(&ended))
        .map_err(|error| error.message())
}

/// A program that knows only what results are judged by, for a run that is taken up again.
#[must_use]
pub fn judged_by(plan: &plimsoll_plan::model::Plan) -> Arc<Program> {
    Arc::new(Program {
        name: plan.name.clone(),
        goals: plan.goals.clone(),
        guards: plan.guards.clone(),
        warm_up: plan.warm_up,
        ..Program::default()
    })
}
