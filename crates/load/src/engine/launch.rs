//! Starting users: by the plan's windows, or as arrivals come.

use std::cell::{Cell, RefCell};
use std::collections::{HashSet, VecDeque};
use std::rc::Rc;
use std::sync::atomic::Ordering;

use plimsoll_plan::model::{ArrivalLoad, Load, UserLoad, UserStage};
use plimsoll_stats::generator::CLOCK_FLOOR_NS;
use plimsoll_text::Message;
use tokio::sync::Notify;

use super::control::Stop;
use super::worker::{ScenarioRun, Tasks, own_share};
use crate::clock::Nanos;
use crate::nap::nap_until;
use crate::schedule::{self, Window};
use crate::user::{Flow, ScenarioShare, User};

/// Starts this thread's share of a scenario.
pub(super) fn scenario(tasks: &Rc<Tasks>, run: &ScenarioRun) {
    let own = own_share(&tasks.thread.program, run);
    match &run.program.load {
        Load::Users(load) => closed(tasks, run, &own, load),
        Load::Arrivals(load) => {
            let (inner, run, load) = (Rc::clone(tasks), run.clone(), load.clone());
            tasks.spawn(async move { open(inner, run, own, load).await });
        }
    }
}

/// Users are made when their time comes.
fn closed(tasks: &Rc<Tasks>, run: &ScenarioRun, own: &Rc<ScenarioShare>, load: &UserLoad) {
    let peak = schedule::peak(&load.stages);
    let mut starts: Vec<(Window, u32)> = Vec::new();
    let mut left: HashSet<u32> = HashSet::new();
    let (first, step) = run.share.numbers_of_thread(tasks.number, tasks.threads);
    for number in (0..peak).skip(first).step_by(step) {
        let windows = schedule::windows(&load.stages, number, !load.ends_with_stages);
        let windows = windows.into_iter().filter_map(|window| from(run, window));
        starts.extend(windows.map(|window| (window, number)));
        left.insert(number);
    }
    starts.sort_by_key(|(window, number)| (window.start_ns, *number));
    let (inner, run, own) = (Rc::clone(tasks), run.clone(), Rc::clone(own));
    let iterations = load.iterations_per_user;
    tasks.spawn(async move {
        for (window, number) in starts {
            let start_ns = run.start_ns + window.start_ns;
            if !wait(&inner, &run, start_ns, run.end_ns).await {
                break;
            }
            let returns = !left.remove(&number);
            if returns {
                // It ended with its last window, and is back.
                inner.thread.expect_users(own.index, 1);
            }
            let by_window = window
                .stop_ns
                .map_or(Nanos::MAX, |stop| run.start_ns + stop);
            let stop_ns = by_window.min(run.end_ns);
            // All who start at one time are there when the first of them samples.
            count_user(&inner, &own, 1);
            if !(run.counted_ahead && window.start_ns == 0) {
                inner.thread.jmeter.count_users(own.index, 1);
            }
            let tasks = Rc::clone(&inner);
            inner.spawn(closed_user(
                tasks,
                Rc::clone(&own),
                number,
                stop_ns,
                iterations,
            ));
        }
        if run.counted_ahead {
            let at_once = |number: &&u32| begins_at_once(load_stages(&run), **number);
            let gone = left.iter().filter(at_once).count();
            let gone = i32::try_from(gone).unwrap_or(i32::MAX);
            inner.thread.jmeter.count_users(own.index, -gone);
        }
        // Nobody shall wait for those who will not come.
        let missing = i64::try_from(left.len()).unwrap_or(i64::MAX);
        inner.thread.expect_users(own.index, -missing);
    });
}

/// What is left of a window when the load is joined late, if anything.
fn from(run: &ScenarioRun, window: Window) -> Option<Window> {
    let from_ns = run.from_ns.saturating_sub(run.start_ns);
    let is_over = window.stop_ns.is_some_and(|stop_ns| stop_ns <= from_ns);
    (!is_over).then(|| Window {
        start_ns: window.start_ns.max(from_ns),
        ..window
    })
}

/// Waits for a start; `false` when the run or the scenario ends first.
async fn wait(tasks: &Tasks, run: &ScenarioRun, at_ns: Nanos, end_ns: Nanos) -> bool {
    let thread = &tasks.thread;
    let runs = || thread.stopper.state() == Stop::Running && run.stopper.state() == Stop::Running;
    while thread.clock.now_ns() < at_ns.min(end_ns) && runs() {
        tokio::select! {
            () = thread.timers.sleep_until(at_ns.min(end_ns)) => {}
            () = thread.stopping.notified() => {}
        }
    }
    runs() && at_ns < end_ns
}

fn load_stages(run: &ScenarioRun) -> &[UserStage] {
    match &run.program.load {
        Load::Users(load) => &load.stages,
        Load::Arrivals(_) => &[],
    }
}

/// Whether a user begins with its scenario.
pub(super) fn begins_at_once(stages: &[UserStage], number: u32) -> bool {
    let windows = schedule::windows(stages, number, false);
    windows.first().is_some_and(|window| window.start_ns == 0)
}

async fn closed_user(
    tasks: Rc<Tasks>,
    own: Rc<ScenarioShare>,
    number: u32,
    stop_ns: Nanos,
    iterations: Option<u64>,
) {
    let Some(mut user) = new_user(&tasks, &own, number, stop_ns) else {
        count_user(&tasks, &own, -1);
        tasks.thread.jmeter.count_users(own.index, -1);
        return;
    };
    let at_start = tasks.wants_values().then(|| user.values());
    let flow = user.run_closed(iterations).await;
    count_user(&tasks, &own, -1);
    tasks.thread.jmeter.count_users(own.index, -1);
    if let Some(at_start) = at_start {
        tasks.keep_values(changed(&at_start, user.values()));
    }
    follow(&tasks, &own, flow, user.ended_by.take());
}

/// What a user of setup set itself. Values that it began with do not go on to others: those
/// that differ between users must not become one.
fn changed(before: &[Option<String>], after: Vec<Option<String>>) -> Vec<Option<String>> {
    let pairs = before.iter().zip(after);
    pairs
        .map(|(before, after)| after.filter(|value| before.as_ref() != Some(value)))
        .collect()
}

fn new_user(tasks: &Tasks, own: &Rc<ScenarioShare>, number: u32, stop_ns: Nanos) -> Option<User> {
    match User::new(&tasks.thread, own, number, stop_ns) {
        Ok(user) => Some(user),
        Err(error) => {
            let reason = (*error.message).clone();
            tasks.tell(
                Message::new("event-user-failed").with("reason", reason),
                true,
            );
            None
        }
    }
}

fn count_user(tasks: &Tasks, own: &ScenarioShare, change: i32) {
    let add = |cell: &Cell<u32>| cell.set(cell.get().saturating_add_signed(change));
    add(&own.users);
    add(&tasks.thread.recorder.users);
}

fn follow(tasks: &Tasks, own: &ScenarioShare, flow: Flow, by: Option<Message>) {
    let by = by.unwrap_or_else(|| Message::new("event-step-unnamed"));
    let told = |id: &'static str| {
        let name = own.program.name.as_str();
        Message::new(id).with("step", by).with("scenario", name)
    };
    match flow {
        Flow::Next | Flow::StopUser | Flow::CutOff => {}
        Flow::StopScenario => {
            if own.stopper.state() == Stop::Running {
                tasks.tell(told("event-scenario-stopped-by-plan"), false);
            }
            own.stopper.stop();
        }
        Flow::StopRun => {
            // Others may have ended it already, for the same reason.
            if tasks.thread.stopper.state() == Stop::Running {
                tasks.tell(told("event-stopped-by-plan"), false);
            }
            tasks.thread.stopper.stop();
        }
        Flow::StopRunNow => {
            tasks.thread.jmeter.cut_by_plan();
            if tasks.thread.stopper.state() != Stop::CutOff {
                tasks.tell(told("event-stopped-by-plan"), false);
            }
            tasks.thread.stopper.stop();
            tasks.thread.stopper.cut_off();
        }
    }
}

/// How an idle user of an open load gets its arrival.
#[derive(Default)]
struct Mailbox {
    arrival: Cell<Option<Nanos>>,
    told: Notify,
}

struct Pool {
    tasks: Rc<Tasks>,
    run: ScenarioRun,
    own: Rc<ScenarioShare>,
    /// Users that wait for an arrival, the longest waiting first.
    idle: RefCell<VecDeque<Rc<Mailbox>>>,
    next_number: Cell<u32>,
    /// No arrival comes any more.
    closing: Cell<bool>,
    /// From the number of one user to that of the next.
    step: u32,
    /// No user takes a second arrival.
    new_users: bool,
}

/// Arrivals that are withheld, one after the other, before others may run.
const LATE_WITHOUT_YIELD: u32 = 1024;

/// Gives the arrivals of this thread to users as they come.
async fn open(tasks: Rc<Tasks>, run: ScenarioRun, own: Rc<ScenarioShare>, load: ArrivalLoad) {
    let (first, step) = run.share.numbers_of_thread(tasks.number, tasks.threads);
    let pool = Rc::new(Pool {
        tasks: Rc::clone(&tasks),
        own,
        idle: RefCell::new(VecDeque::new()),
        next_number: Cell::new(u32::try_from(first).unwrap_or(0)),
        step: u32::try_from(step).unwrap_or(1),
        run: run.clone(),
        closing: Cell::new(false),
        new_users: load.new_users,
    });
    for _ in (0..load.ready_users as usize).skip(first).step_by(step) {
        pool.add_user(None);
    }
    let seed = tasks.thread.seed ^ u64::from(run.index);
    let arrivals = schedule::arrivals(&load, seed);
    let most = load.arrivals_total.map_or(usize::MAX, |most| {
        usize::try_from(most).unwrap_or(usize::MAX)
    });
    tasks
        .thread
        .nap
        .allow(tasks.one_scenario && is_one_request(&run));
    let own = arrivals.take(most).skip(first).step_by(step);
    let from_ns = run.from_ns.saturating_sub(run.start_ns);
    let mut late: u32 = 0;
    let mut given_ns = None;
    for due_ns in own.skip_while(|due_ns| *due_ns < from_ns) {
        let at_ns = run.start_ns + due_ns;
        if tasks.thread.nap.is_worth_it(tasks.thread.clock, at_ns) {
            // Responses that came during the last nap are worked on here.
            tokio::task::yield_now().await;
            nap_until(tasks.thread.clock, at_ns);
        }
        if !wait(&tasks, &run, at_ns, run.end_ns).await {
            break;
        }
        let thread = &tasks.thread;
        let now_ns = thread.clock.now_ns();
        if !thread.starts.are_free(now_ns) {
            // Before anything of a pause is made up for.
            thread.notice_pause();
        }
        if thread.starts.withholds(at_ns, now_ns) {
            thread.recorder.withheld(at_ns);
            late += 1;
            if late.is_multiple_of(LATE_WITHOUT_YIELD) {
                tokio::task::yield_now().await;
            }
            continue;
        }
        let is_late = now_ns.saturating_sub(at_ns) > CLOCK_FLOOR_NS;
        let coalesced = is_late && given_ns.is_some_and(|given_ns| at_ns <= given_ns);
        thread.recorder.arrival(coalesced);
        given_ns = Some(now_ns);
        pool.arrive(at_ns, load.max_in_flight);
    }
    let all_came = load.arrivals_total.is_some();
    if !all_came {
        // The load lasts as long as its stages, also when no arrival is due any more.
        wait(&tasks, &run, run.end_ns, Nanos::MAX).await;
    }
    pool.close();
}

/// Whether an iteration is one request and nothing else, so that nothing waits for the
/// moment its response is noticed.
fn is_one_request(run: &ScenarioRun) -> bool {
    use plimsoll_plan::program::Op;
    matches!(run.program.ops.as_slice(), [Op::Request(_), Op::End])
}

impl Pool {
    /// Gives the arrival to the user that has been idle longest, or to a new one, or counts
    /// it as not started.
    fn arrive(self: &Rc<Self>, at_ns: Nanos, max_in_flight: u32) {
        let in_flight = &self.run.in_flight;
        let room = in_flight.fetch_update(Ordering::Relaxed, Ordering::Relaxed, |busy| {
            (busy < max_in_flight).then_some(busy + 1)
        });
        if room.is_err() {
            self.tasks
                .thread
                .recorder
                .dropped(self.run.first_label, at_ns);
            if !self.run.told_dropped.swap(true, Ordering::Relaxed) {
                let message = Message::new("event-dropped")
                    .with("scenario", self.own.program.name.as_str())
                    .with("limit", max_in_flight);
                self.tasks.tell(message, true);
            }
            return;
        }
        match self.idle.borrow_mut().pop_front() {
            Some(mailbox) => {
                mailbox.arrival.set(Some(at_ns));
                mailbox.told.notify_one();
            }
            None => self.add_user(Some(at_ns)),
        }
    }

    fn add_user(self: &Rc<Self>, arrival: Option<Nanos>) {
        let number = self.next_number.get();
        self.next_number.set(number.wrapping_add(self.step));
        let mailbox = Rc::new(Mailbox::default());
        mailbox.arrival.set(arrival);
        if arrival.is_none() {
            self.idle.borrow_mut().push_back(Rc::clone(&mailbox));
        }
        let pool = Rc::clone(self);
        self.tasks
            .spawn(async move { pool.serve(number, mailbox).await });
    }

    /// The life of a user of an open load.
    async fn serve(self: Rc<Self>, number: u32, mailbox: Rc<Mailbox>) {
        let Some(mut user) = new_user(&self.tasks, &self.own, number, self.run.end_ns) else {
            return;
        };
        if mailbox.arrival.get().is_none() {
            user.connect_ahead().await;
        }
        loop {
            let Some(at_ns) = mailbox.arrival.take() else {
                if self.closing.get() {
                    return;
                }
                mailbox.told.notified().await;
                continue;
            };
            count_user(&self.tasks, &self.own, 1);
            let jmeter = &self.tasks.thread.jmeter;
            jmeter.count_users(self.own.index, 1);
            let flow = user.run_arrival(at_ns).await;
            jmeter.count_users(self.own.index, -1);
            count_user(&self.tasks, &self.own, -1);
            self.run.in_flight.fetch_sub(1, Ordering::Relaxed);
            follow(&self.tasks, &self.own, flow, user.ended_by.take());
            if flow != Flow::Next || self.new_users || self.closing.get() {
                return;
            }
            self.idle.borrow_mut().push_back(Rc::clone(&mailbox));
        }
    }

    /// No arrival comes any more: idle users end.
    fn close(&self) {
        self.closing.set(true);
        for mailbox in self.idle.borrow_mut().drain(..) {
            mailbox.told.notify_one();
        }
    }
}
