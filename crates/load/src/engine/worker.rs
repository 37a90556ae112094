//! A load thread.

use std::cell::Cell;
use std::convert::Infallible;
use std::io;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::pin::Pin;
use std::rc::Rc;
use std::sync::atomic::{AtomicBool, AtomicU32, AtomicU64};
use std::sync::mpsc::Sender;
use std::sync::{Arc, Mutex, PoisonError};
use std::task::{Context, Poll};

use pin_project_lite::pin_project;
use plimsoll_plan::model::CookieMode;
use plimsoll_plan::program::{Op, Program, ScenarioProgram};
use plimsoll_stats::LabelId;
use plimsoll_text::Message;
use tokio::sync::Notify;
use tokio::task::LocalSet;

use super::Event;
use super::begin::LOOK_EVERY;
use super::control::{Stop, Stopper};
use super::hosts::Hosts;
use super::labels::{LabelCache, Labels};
use super::launch;
use super::prepared::Prepared;
use super::ready::Ready;
use super::starts::{Starts, watch_for_pauses, watch_lease};
use super::thread::{Thread, ThreadParts};
use crate::clock::{Clock, Nanos};
use crate::jmeter::JMeterRun;
use crate::lease::Lease;
use crate::monitor;
use crate::recorder::{Recorder, ThreadReport};
use crate::shared::Shared;
use crate::timer::Timers;
use crate::trace::Tracer;
use crate::turn::{Turns, Wakes};
use crate::user::ScenarioShare;
use plimsoll_plan::share::Share;

/// A scenario as all threads see it.
#[derive(Clone)]
pub(super) struct ScenarioRun {
    pub index: u32,
    /// The part of its users and arrivals that is ours.
    pub share: Share,
    /// The most users there can be, over all shares.
    pub all_users: u64,
    /// Its limit of users in flight is that of the share.
    pub program: Arc<ScenarioProgram>,
    pub first_label: LabelId,
    pub start_ns: Nanos,
    /// The share joins it then, if later than its start.
    pub from_ns: Nanos,
    /// The first second that its samples are counted in.
    pub first_second: u64,
    /// No new work from then on by the plan.
    pub end_ns: Nanos,
    /// Requests in flight are cut off then.
    pub cut_ns: Nanos,
    pub grace_ns: Nanos,
    /// Ends the scenario alone.
    pub stopper: Stopper,
    /// Iterations of all users together.
    pub budget: Option<Arc<AtomicU64>>,
    /// Arrivals being worked on.
    pub in_flight: Arc<AtomicU32>,
    /// It was told that arrivals do not start.
    pub told_dropped: Arc<AtomicBool>,
    /// Users that begin with the scenario were counted before any thread began: elements of
    /// JMeter's see all of them from the first sample on.
    pub counted_ahead: bool,
}

impl ScenarioRun {
    /// The most users of the share that there can be.
    pub fn most_users(&self) -> u64 {
        self.share.of(self.all_users)
    }
}

/// Where the values of a setup user go.
pub(super) type Values = Arc<Mutex<Option<Vec<Option<String>>>>>;

/// What a load thread is to do.
pub(super) struct Job {
    pub program: Arc<Program>,
    pub prepared: Arc<Prepared>,
    pub ready: Arc<Ready>,
    pub labels: Arc<Labels>,
    pub shared: Arc<dyn Shared>,
    pub jmeter: Arc<JMeterRun>,
    pub hosts: Arc<Hosts>,
    pub initial: Arc<[Option<String>]>,
    pub scenarios: Vec<ScenarioRun>,
    pub thread: usize,
    pub threads: usize,
    pub clock: Clock,
    pub seed: u64,
    pub stopper: Stopper,
    pub log_samples: bool,
    pub tracer: Option<Tracer>,
    pub timed_every: u32,
    pub pin_to: Option<usize>,
    pub values: Option<Values>,
    /// Until when work may start.
    pub lease: Lease,
    /// Arrivals later than this are not made up for.
    pub skip_late_ns: Option<Nanos>,
    /// The load is joined then; 0: from its beginning.
    pub from_ns: Nanos,
}

/// What the tasks of a thread need beside the thread itself.
pub(super) struct Tasks {
    pub thread: Rc<Thread>,
    pub events: Sender<Event>,
    pub number: usize,
    pub threads: usize,
    /// Nothing else runs on the thread.
    pub one_scenario: bool,
    pub values: Option<Values>,
    /// Tasks that must end before the thread does.
    alive: Cell<usize>,
    all_done: Notify,
}

impl Tasks {
    /// Spawns a task that the thread waits for.
    pub fn spawn(self: &Rc<Self>, task: impl Future<Output = ()> + 'static) {
        self.alive.set(self.alive.get() + 1);
        let alive = Alive(Rc::clone(self));
        tokio::task::spawn_local(Counted { task, alive });
    }

    /// Tells what happened.
    pub fn tell(&self, message: Message, is_error: bool) {
        let at_ns = self.thread.clock.now_ns();
        // Nobody listens only when the run is over.
        let _ = self.events.send(Event {
            at_ns,
            message,
            is_error,
        });
    }

    /// Whether somebody wants the values of a setup user.
    pub fn wants_values(&self) -> bool {
        self.values.is_some()
    }

    /// Keeps the values of a setup user.
    pub fn keep_values(&self, values: Vec<Option<String>>) {
        if let Some(place) = &self.values {
            *place.lock().unwrap_or_else(PoisonError::into_inner) = Some(values);
        }
    }
}

pin_project! {
    /// A task that the thread waits for. An async block would hold the task twice: as what it was
    /// given, and as what it waits for.
    struct Counted<F> {
        #[pin]
        task: F,
        alive: Alive,
    }
}

impl<F: Future<Output = ()>> Future for Counted<F> {
    type Output = ();

    fn poll(self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<()> {
        self.project().task.poll(cx)
    }
}

/// Tells the end of a task, also of one that panics.
struct Alive(Rc<Tasks>);

impl Drop for Alive {
    fn drop(&mut self) {
        if std::thread::panicking() {
            self.0.tell(Message::new("event-user-lost"), true);
        }
        let alive = &self.0.alive;
        alive.set(alive.get() - 1);
        if alive.get() == 0 {
            self.0.all_done.notify_one();
        }
    }
}

/// Lets all threads begin together, when each has what it needs: none shall take the last
/// file descriptors before another has its first.
#[derive(Clone)]
pub(super) struct Gate {
    /// Dropped when the thread is ready, or will never be.
    pub ready: Sender<Infallible>,
    /// Locked until all are ready.
    pub closed: Arc<Mutex<()>>,
}

impl Gate {
    fn pass(self) {
        drop(self.ready);
        drop(self.closed.lock().unwrap_or_else(PoisonError::into_inner));
    }
}

/// Runs a load thread to its end; `false` when it was lost, or never began.
pub(super) fn run(
    job: Job,
    gate: Gate,
    reports: Sender<ThreadReport>,
    events: &Sender<Event>,
) -> bool {
    if let Some(cpu) = job.pin_to {
        monitor::pin_to(cpu);
    }
    crate::nap::sleep_exactly();
    let (thread, clock, first_second) = (job.thread, job.clock, first_second(&job.scenarios));
    let last_word = reports.clone();
    // What a panic may leave half done is gone with the thread.
    let ran = catch_unwind(AssertUnwindSafe(|| try_run(job, gate, reports, events)));
    let message = match &ran {
        Ok(Ok(())) => return true,
        Ok(Err(error)) => Message::new("event-thread-failed").with("reason", error.to_string()),
        Err(_) => Message::new("event-thread-lost"),
    };
    // As above.
    let _ = events.send(Event {
        at_ns: clock.now_ns(),
        message,
        is_error: true,
    });
    // Nobody shall wait for its seconds.
    let recorder = Recorder::new(thread, last_word, first_second, false);
    if let Ok(Err(error)) = ran
        && matches!(error.raw_os_error(), Some(libc::EMFILE | libc::ENFILE))
    {
        recorder.no_descriptor();
    }
    recorder.finish();
    false
}

/// The first second of the first of the scenarios.
fn first_second(scenarios: &[ScenarioRun]) -> u64 {
    let seconds = scenarios.iter().map(|run| run.first_second);
    seconds.min().unwrap_or(0)
}

fn try_run(
    job: Job,
    gate: Gate,
    reports: Sender<ThreadReport>,
    events: &Sender<Event>,
) -> io::Result<()> {
    let wakes = Wakes::new(job.clock);
    let told = Arc::clone(&wakes);
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .on_thread_unpark(move || told.woke())
        .build()?;
    let local = LocalSet::new();
    let guard = runtime.enter();
    let timers = Timers::new(job.clock)?;
    drop(guard);
    let scenarios = job.scenarios.clone();
    let tasks = Tasks {
        number: job.thread,
        threads: job.threads,
        one_scenario: scenarios.len() == 1,
        values: job.values.clone(),
        events: events.clone(),
        thread: make_thread(job, timers, wakes, reports, events)?,
        alive: Cell::new(0),
        all_done: Notify::new(),
    };
    let thread = Rc::clone(&tasks.thread);
    gate.pass();
    wait_for_zero(&thread);
    thread.recorder.begin();
    local.block_on(&runtime, main(&Rc::new(tasks), &scenarios));
    // Whatever is still in flight is dropped here, and counted as cut off.
    drop(local);
    thread.recorder.roll(thread.clock.now_ns());
    thread.recorder.finish();
    Ok(())
}

fn make_thread(
    job: Job,
    timers: Rc<Timers>,
    wakes: Arc<Wakes>,
    reports: Sender<ThreadReport>,
    events: &Sender<Event>,
) -> io::Result<Rc<Thread>> {
    let first_second = first_second(&job.scenarios);
    let recorder = Recorder::new(job.thread, reports, first_second, job.log_samples);
    let ends = job.scenarios.iter().map(|run| run.end_ns);
    recorder.set_load_end(ends.max().unwrap_or(Nanos::MAX));
    let thread = Thread::new(ThreadParts {
        program: job.program,
        prepared: job.prepared,
        ready: job.ready,
        timers,
        recorder,
        labels: LabelCache::new(job.labels),
        shared: job.shared,
        jmeter: job.jmeter,
        initial: job.initial,
        seed: job.seed,
        stopper: job.stopper,
        starts: Starts::new(job.lease, job.skip_late_ns, job.from_ns),
        hosts: job.hosts,
        tracer: job.tracer,
        turns: Turns::new(wakes, job.timed_every),
        events: events.clone(),
    });
    thread.map_err(|error| {
        let text = plimsoll_text::render(plimsoll_text::Lang::En, &error.message);
        io::Error::other(text)
    })
}

/// Waits until the run's clock begins, since what began before would have no times; or until
/// the run is called off.
fn wait_for_zero(thread: &Thread) {
    while thread.stopper.state() == Stop::Running {
        let left = thread.clock.until_zero();
        if left.is_zero() {
            break;
        }
        std::thread::sleep(left.min(LOOK_EVERY));
    }
}

/// How long users of JMeter plans have to record what was cut off (its own wait for threads to
/// stop, `jmeterengine.threadstop.wait`).
const RECORD_CUT_NS: Nanos = 5_000_000_000;

/// How long requests in flight get when a JMeter plan is stopped from outside: its own grace is
/// that of its schedule, for which JMeter knows no end.
const OUTSIDE_GRACE_NS: Nanos = 30_000_000_000;

/// Runs until all tasks have ended or the run is cut off.
async fn main(tasks: &Rc<Tasks>, scenarios: &[ScenarioRun]) {
    let thread = &tasks.thread;
    let timers = Rc::clone(&thread.timers);
    tokio::task::spawn_local(async move { timers.drive().await });
    tokio::task::spawn_local(tick(Rc::clone(thread)));
    tokio::task::spawn_local(beat(Rc::clone(thread)));
    tokio::task::spawn_local(watch_lease(Rc::clone(thread)));
    tokio::task::spawn_local(watch_for_pauses(Rc::clone(thread)));
    let grace_ns = scenarios.iter().map(|run| run.grace_ns).max().unwrap_or(0);
    tokio::task::spawn_local(watch_for_stop(Rc::clone(thread), grace_ns));
    for run in scenarios {
        tokio::task::spawn_local(watch_scenario(Rc::clone(thread), run.stopper.clone()));
        launch::scenario(tasks, run);
    }
    if tasks.alive.get() == 0 {
        return;
    }
    tokio::select! {
        () = tasks.all_done.notified() => return,
        () = thread.stopper.reached(Stop::CutOff) => {}
    }
    if thread.jmeter.bound.active {
        // What is in flight fails and is recorded.
        thread.timers.cut();
        let until_ns = thread.clock.now_ns().saturating_add(RECORD_CUT_NS);
        tokio::select! {
            () = tasks.all_done.notified() => {}
            () = thread.timers.sleep_until(until_ns) => {}
        }
    }
}

/// Closes each second, also when nothing happens in it.
async fn tick(thread: Rc<Thread>) {
    loop {
        let due_ns = thread.recorder.second_ends_ns();
        thread.timers.sleep_until(due_ns).await;
        thread.recorder.roll(thread.clock.now_ns());
    }
}

/// Measures how late the event loop comes.
async fn beat(thread: Rc<Thread>) {
    loop {
        let now_ns = thread.clock.now_ns();
        let due_ns = thread.turns.expect_beat(now_ns, monitor::thread_usage());
        thread.timers.sleep_until(due_ns).await;
        let (now_ns, usage) = (thread.clock.now_ns(), monitor::thread_usage());
        let beat = thread.turns.beat(now_ns, usage);
        thread.recorder.beat(now_ns, beat);
    }
}

/// When the run is stopped: wakes all who wait on purpose, and cuts off after the grace time.
async fn watch_for_stop(thread: Rc<Thread>, grace_ns: Nanos) {
    thread.stopper.reached(Stop::NoNewWork).await;
    let now = thread.clock.now_ns();
    thread.recorder.stopped(now);
    thread.timers.interrupt();
    thread.stopping.notify_waiters();
    let until_ns = now.saturating_add(grace_ns);
    tokio::select! {
        () = thread.timers.sleep_until(until_ns) => {}
        () = thread.stopper.asked_from_outside() => {
            let grace_ns = match thread.jmeter.bound.active {
                true => grace_ns.min(OUTSIDE_GRACE_NS),
                false => grace_ns,
            };
            let asked_ns = thread.clock.now_ns();
            thread.stopper.grant(grace_ns);
            let until_ns = until_ns.min(asked_ns.saturating_add(grace_ns));
            thread.timers.sleep_until(until_ns).await;
        }
    }
    thread.stopper.cut_off();
}

/// When a scenario is stopped alone: wakes all who wait on purpose, to see whether it is
/// theirs.
async fn watch_scenario(thread: Rc<Thread>, stopper: Stopper) {
    stopper.reached(Stop::NoNewWork).await;
    thread.timers.interrupt();
    thread.stopping.notify_waiters();
}

/// The number of a scenario among those of its wave, from 1; those that were left out count.
fn group_number(program: &Program, index: u32) -> u32 {
    let waves = [&program.setup, &program.scenarios, &program.teardown];
    let mut left = index;
    for wave in waves {
        let scenarios = u32::try_from(wave.len()).unwrap_or(u32::MAX);
        if left < scenarios {
            return left + 1 + wave[left as usize].left_out_before;
        }
        left -= scenarios;
    }
    left + 1
}

/// The share of a scenario as the users of this thread see it.
pub(super) fn own_share(program: &Program, run: &ScenarioRun) -> Rc<ScenarioShare> {
    let clears = |op: &Op| match op {
        Op::Request(id) => {
            let request = program.requests.get(id.0 as usize);
            request.is_some_and(|request| request.cookies == CookieMode::ClearEachIteration)
        }
        _ => false,
    };
    Rc::new(ScenarioShare {
        index: run.index,
        most_users: u32::try_from(run.all_users).unwrap_or(u32::MAX),
        group_number: group_number(program, run.index),
        program: Rc::new((*run.program).clone()),
        users: Cell::new(0),
        cut_ns: run.cut_ns,
        budget: run.budget.clone(),
        clears_cookies: run.program.ops.iter().any(clears),
        stopper: run.stopper.clone(),
    })
}
