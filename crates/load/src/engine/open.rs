//! Users that take arrivals as they come.

use std::cell::{Cell, RefCell};
use std::collections::VecDeque;
use std::rc::Rc;
use std::sync::atomic::Ordering;

use plimsoll_plan::model::ArrivalLoad;
use plimsoll_stats::generator::CLOCK_FLOOR_NS;
use plimsoll_text::Message;
use tokio::sync::Notify;

use super::job::ScenarioRun;
use super::live::{Live, LiveWait};
use super::tasks::Tasks;
use crate::clock::Nanos;
use crate::schedule::{OwnArrivals, OwnNumbers};
use crate::user::Flow;

/// How an idle user of an open load gets its arrival.
#[derive(Default)]
struct Mailbox {
    arrival: Cell<Option<Nanos>>,
    told: Notify,
}

struct UserPool {
    tasks: Rc<Tasks>,
    live: Rc<Live>,
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
pub(super) async fn arrivals(tasks: Rc<Tasks>, live: Rc<Live>, load: ArrivalLoad) {
    let run = &live.run;
    let (first, step) = run.share.numbers_of_thread(tasks.number, tasks.threads);
    let pool = Rc::new(UserPool {
        tasks: Rc::clone(&tasks),
        live: Rc::clone(&live),
        idle: RefCell::new(VecDeque::new()),
        next_number: Cell::new(u32::try_from(first).unwrap_or(0)),
        step: u32::try_from(step).unwrap_or(1),
        closing: Cell::new(false),
        new_users: load.new_users,
    });
    for _ in (0..load.ready_users as usize).skip(first).step_by(step) {
        pool.add_user(None);
    }
    let seed = tasks.thread.seed ^ u64::from(run.index);
    let most = load.arrivals_total.unwrap_or(u64::MAX);
    let numbers = OwnNumbers { first, step, most };
    let nap = &tasks.thread.nap;
    nap.allow(tasks.one_scenario && is_one_request(run));
    let from_ns = run.from_ns.saturating_sub(run.start_ns);
    let mut own = OwnArrivals::new(live.course(), seed, numbers, from_ns);
    while pool.give(&mut own, &load).await {
        live.catch_up(&tasks);
        if own.change(&live.course()) {
            live.tell_late(&tasks);
        }
    }
    pool.close();
}

/// Whether an iteration is one request and nothing else, so that nothing waits for the
/// moment its response is noticed.
fn is_one_request(run: &ScenarioRun) -> bool {
    use plimsoll_plan::program::Op;
    matches!(run.program.ops.as_slice(), [Op::Request(_), Op::End])
}

impl UserPool {
    /// Gives each arrival when it is due, until none is left or the scenario ends; `true`: until the load
    /// was changed.
    async fn give(self: &Rc<Self>, own: &mut OwnArrivals, load: &ArrivalLoad) -> bool {
        let thread = &self.tasks.thread;
        let start_ns = self.live.run.start_ns;
        let mut late: u32 = 0;
        let mut given_ns = None;
        while let Some(due_ns) = own.look() {
            let at_ns = start_ns + due_ns;
            if thread.nap.is_worth_it(thread.clock, at_ns) {
                // Responses that came during the last nap are worked on here.
                tokio::task::yield_now().await;
                thread.clock.sleep_until(at_ns);
            }
            match self.live.wait(&self.tasks, at_ns).await {
                LiveWait::Due => own.give(),
                LiveWait::Changed => return true,
                LiveWait::Over => break,
            }
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
            self.arrive(at_ns, load.max_in_flight);
        }
        let all_came = load.arrivals_total.is_some();
        // The load lasts as long as its stages, also when no arrival is due any more.
        !all_came && self.live.wait(&self.tasks, Nanos::MAX).await == LiveWait::Changed
    }

    /// Gives the arrival to the user that has been idle longest, or to a new one, or counts
    /// it as not started.
    fn arrive(self: &Rc<Self>, at_ns: Nanos, max_in_flight: u32) {
        let in_flight = &self.live.run.in_flight;
        let room = in_flight.fetch_update(Ordering::Relaxed, Ordering::Relaxed, |busy| {
            (busy < max_in_flight).then_some(busy + 1)
        });
        if room.is_err() {
            self.tasks
                .thread
                .recorder
                .dropped(self.live.run.first_label, at_ns);
            if !self.live.run.told_dropped.swap(true, Ordering::Relaxed) {
                let message = Message::new("event-dropped")
                    .with("scenario", self.live.own.program.name.as_str())
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
        let own = &self.live.own;
        let Some(mut user) = self.tasks.new_user(own, number, Rc::clone(&own.end_ns)) else {
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
            self.tasks.count_user(own, 1);
            let thread = &self.tasks.thread;
            thread.count_users(own.index, 1);
            let flow = user.run_arrival(at_ns).await;
            thread.count_users(own.index, -1);
            self.tasks.count_user(own, -1);
            self.live.run.in_flight.fetch_sub(1, Ordering::Relaxed);
            self.tasks.follow(own, flow, user.ended_by.take());
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
