//! A load thread.

use std::cell::{Cell, RefCell};
use std::convert::Infallible;
use std::io;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::rc::Rc;
use std::sync::mpsc::Sender;
use std::sync::{Arc, Mutex, PoisonError};

use plimsoll_text::Message;
use tokio::sync::Notify;

use super::begin::LOOK_EVERY;
use super::control::{Stop, Stopper};
use super::event::Event;
use super::job::{Job, ScenarioRun};
use super::labels::LabelCache;
use super::launch;
use super::pauses::{watch_for_pauses, watch_lease};
use super::starts::Starts;
use super::steer::Steer;
use super::tasks::Tasks;
use super::thread::{Thread, ThreadParts};
use crate::clock::Nanos;
use crate::driver::Dialer;
use crate::extension::UserCounts;
use crate::monitor;
use crate::recorder::{Recorder, ThreadReport};
use crate::timer::Timers;
use crate::turn::{Turns, Wakes};

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
    let mut event_loop = job.driver.event_loop(move || told.woke())?;
    let timers = Timers::new(job.clock, event_loop.alarm(job.clock)?);
    let dialer = event_loop.dialer(job.clock, job.timed_every > 0);
    let dialer = dialer.within(job.access.reach());
    let scenarios = job.scenarios.clone();
    let (number, threads, values) = (job.thread, job.threads, job.values.clone());
    let (extension, steer) = (job.extension.clone(), job.steer.clone());
    let thread = make_thread(job, (timers, dialer), wakes, reports, events)?;
    let tasks = Tasks {
        number,
        threads,
        one_scenario: scenarios.len() == 1,
        values,
        steer,
        ends_ns: RefCell::new(
            scenarios
                .iter()
                .map(|run| (run.index, run.end_ns))
                .collect(),
        ),
        events: events.clone(),
        extension: extension.map(|run| run.of_thread(&thread)),
        thread,
        alive: Cell::new(0),
        all_done: Notify::new(),
    };
    let thread = Rc::clone(&tasks.thread);
    gate.pass();
    wait_for_zero(&thread);
    thread.recorder.begin();
    event_loop.run(main(&Rc::new(tasks), &scenarios));
    // Whatever is still in flight is dropped here, and counted as cut off.
    event_loop.drop_tasks();
    thread.recorder.roll(thread.clock.now_ns());
    thread.recorder.finish();
    Ok(())
}

fn make_thread(
    job: Job,
    (timers, dialer): (Rc<Timers>, Dialer),
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
        dialer,
        recorder,
        labels: LabelCache::new(job.labels),
        shared: job.shared,
        access: job.access,
        counts: job.extension.map(|run| run as Arc<dyn UserCounts>),
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

/// How long users of an extension have to record what was cut off (JMeter's own wait for threads
/// to stop, `jmeterengine.threadstop.wait`).
const RECORD_CUT_NS: Nanos = 5_000_000_000;

/// How long requests in flight get when a plan of an extension's is stopped from outside: its own
/// grace is that of its schedule, for which JMeter knows no end.
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
    tokio::task::spawn_local(watch_for_stop(Rc::clone(tasks), grace_ns));
    tokio::task::spawn_local(watch_changes(Rc::clone(thread), tasks.steer.clone()));
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
    if tasks.extension.is_some() {
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

/// Measures how late the event loop comes; virtual time waits for it.
async fn beat(thread: Rc<Thread>) {
    if thread.clock.kernel_id().is_none() {
        return;
    }
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
async fn watch_for_stop(tasks: Rc<Tasks>, grace_ns: Nanos) {
    let thread = Rc::clone(&tasks.thread);
    let extended = tasks.extension.is_some();
    drop(tasks);
    thread.stopper.reached(Stop::NoNewWork).await;
    let now = thread.clock.now_ns();
    thread.recorder.stopped(now);
    thread.timers.interrupt();
    thread.stopping.notify_waiters();
    let until_ns = now.saturating_add(grace_ns);
    tokio::select! {
        () = thread.timers.sleep_until(until_ns) => {}
        () = thread.stopper.asked_from_outside() => {
            let grace_ns = match extended {
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

/// When the load is changed: wakes all who wait on purpose, to see what that means for them.
async fn watch_changes(thread: Rc<Thread>, steer: Steer) {
    let mut changes = steer.subscribe();
    // The sender lives as long as the steer.
    while changes.changed().await.is_ok() {
        thread.timers.interrupt();
        thread.stopping.notify_waiters();
    }
}
