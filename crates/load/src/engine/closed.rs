//! Users that come and go by the plan's windows, and by what the load is changed to.

use std::cell::Cell;
use std::collections::{HashMap, HashSet, VecDeque};
use std::rc::Rc;

use plimsoll_plan::model::{Load, UserLoad, UserStage};

use super::job::ScenarioRun;
use super::live::{Live, LiveWait};
use super::tasks::Tasks;
use crate::clock::Nanos;
use crate::schedule::{self, Course, UserWindow};
use crate::user::{Flow, ScenarioShare};

/// Users are made when their time comes.
pub(super) fn start(tasks: &Rc<Tasks>, live: &Rc<Live>, load: &UserLoad) {
    // So many are expected by the plan.
    let planned = schedule::peak(&load.stages);
    let mut comings = Comings {
        tasks: Rc::clone(tasks),
        live: Rc::clone(live),
        iterations: load.iterations_per_user,
        numbers_on: load.new_users.then_some(planned),
        starts: VecDeque::new(),
        left: HashSet::new(),
        come: HashMap::new(),
    };
    comings.left = comings.own_numbers(planned).collect();
    comings.plan();
    if live.was_changed() {
        comings.expect();
    }
    tasks.spawn(comings.bring());
}

/// The users of a scenario on this thread that come and go.
struct Comings {
    tasks: Rc<Tasks>,
    live: Rc<Live>,
    iterations: Option<u64>,
    /// How far the number of a user who follows another is from that one's; none: nobody follows.
    numbers_on: Option<u32>,
    /// Who comes when, the next first.
    starts: VecDeque<(UserWindow, u32)>,
    /// Who is waited for and has not come so far.
    left: HashSet<u32>,
    /// Those who have come: when their window began the last time, and when they stop.
    come: HashMap<u32, (Nanos, Rc<Cell<Nanos>>)>,
}

impl Comings {
    /// The numbers of this thread's users, of so many in all.
    fn own_numbers(&self, users: u32) -> impl Iterator<Item = u32> + use<> {
        let share = self.live.run.share;
        let (first, step) = share.numbers_of_thread(self.tasks.number, self.tasks.threads);
        (0..users).skip(first).step_by(step)
    }

    /// The windows of a user as the load is now.
    fn windows(&self, course: &Course, number: u32) -> impl Iterator<Item = UserWindow> {
        let windows = course.windows(number).into_iter();
        windows.filter_map(|window| from(&self.live.run, window))
    }

    /// Who is still to come, as the load is now.
    fn plan(&mut self) {
        let course = self.live.course();
        let mut starts: Vec<(UserWindow, u32)> = Vec::new();
        for number in self.own_numbers(course.peak()) {
            let came_ns = self.come.get(&number).map(|(came_ns, _)| *came_ns);
            let windows = self.windows(&course, number);
            let fresh =
                windows.filter(|window| came_ns.is_none_or(|at_ns| window.start_ns > at_ns));
            starts.extend(fresh.map(|window| (window, number)));
        }
        starts.sort_by_key(|(window, number)| (window.start_ns, *number));
        self.starts = starts.into();
    }

    /// Brings users until the last has come or the load ends.
    async fn bring(mut self) {
        let tasks = Rc::clone(&self.tasks);
        let start_ns = self.live.run.start_ns;
        loop {
            // Who made the load another one may do so again, also when nobody is there.
            let next = match self.starts.front() {
                Some((window, _)) => start_ns + window.start_ns,
                None if self.live.was_changed() && self.live.end_ns() < Nanos::MAX => Nanos::MAX,
                None => break,
            };
            match self.live.wait(&tasks, next).await {
                LiveWait::Due => self.begin_next(),
                LiveWait::Changed => self.change(),
                LiveWait::Over => break,
            }
        }
        self.miss();
        tokio::task::spawn_local(self.watch());
    }

    /// All have come: others do only if the load is changed while some are at work.
    async fn watch(mut self) {
        let tasks = Rc::clone(&self.tasks);
        if self.live.wait(&tasks, Nanos::MAX).await == LiveWait::Changed {
            self.change();
            // Boxed: it is a part of itself.
            let bring: std::pin::Pin<Box<dyn Future<Output = ()>>> = Box::pin(self.bring());
            tasks.spawn(bring);
        }
    }

    fn begin_next(&mut self) {
        let Some((window, number)) = self.starts.pop_front() else {
            return;
        };
        let (tasks, live) = (&self.tasks, &self.live);
        let own = &live.own;
        let returns = !self.left.remove(&number);
        if returns {
            // It ended with its last window, and is back.
            tasks.thread.expect_users(own.index, 1);
        }
        // All who start at one time are there when the first of them samples.
        tasks.count_user(own, 1);
        if !(live.run.counted_ahead && window.start_ns == 0) {
            tasks.thread.count_users(own.index, 1);
        }
        let stop_ns = Rc::new(Cell::new(self.stop_of(window)));
        self.come
            .insert(number, (window.start_ns, Rc::clone(&stop_ns)));
        let life = Life {
            tasks: Rc::clone(tasks),
            own: Rc::clone(own),
            stop_ns,
            iterations: self.iterations,
        };
        tasks.spawn(life.live(number, self.numbers_on));
    }

    /// When a window closes on the run's clock.
    fn stop_of(&self, window: UserWindow) -> Nanos {
        let start_ns = self.live.run.start_ns;
        let by_window = window
            .stop_ns
            .map_or(Nanos::MAX, |stop_ns| start_ns + stop_ns);
        by_window.min(self.live.end_ns())
    }

    /// The load has changed: those at work stop at another time, others come.
    fn change(&mut self) {
        self.live.catch_up(&self.tasks);
        self.plan();
        let course = self.live.course();
        for (number, (came_ns, stop_ns)) in &self.come {
            let mut windows = self.windows(&course, *number);
            if let Some(own) = windows.find(|window| window.start_ns == *came_ns) {
                stop_ns.set(self.stop_of(own));
            }
        }
        self.expect();
        // Those who wait see when they stop now.
        self.tasks.thread.timers.interrupt();
        self.tasks.thread.stopping.notify_waiters();
    }

    /// Tells those who wait for others how many are still to come for the first time.
    fn expect(&mut self) {
        let come = |number: &u32| !self.come.contains_key(number);
        let coming: HashSet<u32> = self.starts.iter().map(|(_, number)| *number).collect();
        let coming: HashSet<u32> = coming.into_iter().filter(come).collect();
        let count = |users: &HashSet<u32>| i64::try_from(users.len()).unwrap_or(i64::MAX);
        let more = count(&coming) - count(&self.left);
        if more != 0 {
            let index = self.live.own.index;
            self.tasks.thread.expect_users(index, more);
        }
        self.left = coming;
    }

    /// Nobody shall wait for those who will not come.
    fn miss(&mut self) {
        let live = &self.live;
        if live.run.counted_ahead {
            let stages = load_stages(&live.run);
            let at_once = |number: &&u32| schedule::begins_at_once(stages, **number);
            let gone = self.left.iter().filter(at_once).count();
            let gone = i32::try_from(gone).unwrap_or(i32::MAX);
            self.tasks.thread.count_users(live.own.index, -gone);
        }
        let missing = i64::try_from(self.left.len()).unwrap_or(i64::MAX);
        self.tasks.thread.expect_users(live.own.index, -missing);
        self.left.clear();
    }
}

/// What is left of a window when the load is joined late, if anything.
fn from(run: &ScenarioRun, window: UserWindow) -> Option<UserWindow> {
    let from_ns = run.from_ns.saturating_sub(run.start_ns);
    let is_over = window.stop_ns.is_some_and(|stop_ns| stop_ns <= from_ns);
    (!is_over).then(|| UserWindow {
        start_ns: window.start_ns.max(from_ns),
        ..window
    })
}

fn load_stages(run: &ScenarioRun) -> &[UserStage] {
    match &run.program.load {
        Load::Users(load) => &load.stages,
        Load::Arrivals(_) => &[],
    }
}

/// What one place among the users of a closed load has.
struct Life {
    tasks: Rc<Tasks>,
    own: Rc<ScenarioShare>,
    stop_ns: Rc<Cell<Nanos>>,
    iterations: Option<u64>,
}

impl Life {
    /// A user until its time is over, and those who follow it before.
    async fn live(self, first: u32, numbers_on: Option<u32>) {
        let (tasks, own) = (&self.tasks, &self.own);
        let mut number = first;
        while self.user(number).await {
            let Some(on) = numbers_on else { break };
            // Others must run, also where nothing was sent.
            tokio::task::yield_now().await;
            number = number.wrapping_add(on);
        }
        tasks.count_user(own, -1);
        tasks.thread.count_users(own.index, -1);
    }

    /// One user; whether another may follow it.
    async fn user(&self, number: u32) -> bool {
        let (tasks, own) = (&self.tasks, &self.own);
        let Some(mut user) = tasks.new_user(own, number, Rc::clone(&self.stop_ns)) else {
            return false;
        };
        let at_start = tasks.wants_values().then(|| user.values());
        let flow = user.run_closed(self.iterations).await;
        if let Some(at_start) = at_start {
            tasks.keep_values(changed(&at_start, user.values()));
        }
        tasks.follow(own, flow, user.ended_by.take());
        let has_ended = match flow {
            Flow::Next => self.iterations.is_some_and(|most| user.iteration >= most),
            flow => flow == Flow::StopUser,
        };
        has_ended && !user.stopping()
    }
}

/// What a user of setup set itself. Values that it began with do not go on to others: those
/// that differ between users must not become one.
fn changed(before: &[Option<String>], after: Vec<Option<String>>) -> Vec<Option<String>> {
    let pairs = before.iter().zip(after);
    pairs
        .map(|(before, after)| after.filter(|value| before.as_ref() != Some(value)))
        .collect()
}
