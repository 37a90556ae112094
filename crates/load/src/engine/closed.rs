//! Users that come and go by the plan's windows.

use std::collections::HashSet;
use std::rc::Rc;

use plimsoll_plan::model::{Load, UserLoad, UserStage};

use super::job::ScenarioRun;
use super::tasks::Tasks;
use crate::clock::Nanos;
use crate::schedule::{self, Window};
use crate::user::ScenarioShare;

/// Users are made when their time comes.
pub(super) fn start(
    tasks: &Rc<Tasks>,
    run: &ScenarioRun,
    own: &Rc<ScenarioShare>,
    load: &UserLoad,
) {
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
            if !inner.wait(&run, start_ns, run.end_ns).await {
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
            inner.count_user(&own, 1);
            if !(run.counted_ahead && window.start_ns == 0) {
                inner.thread.count_users(own.index, 1);
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
            let at_once = |number: &&u32| schedule::begins_at_once(load_stages(&run), **number);
            let gone = left.iter().filter(at_once).count();
            let gone = i32::try_from(gone).unwrap_or(i32::MAX);
            inner.thread.count_users(own.index, -gone);
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

fn load_stages(run: &ScenarioRun) -> &[UserStage] {
    match &run.program.load {
        Load::Users(load) => &load.stages,
        Load::Arrivals(_) => &[],
    }
}

async fn closed_user(
    tasks: Rc<Tasks>,
    own: Rc<ScenarioShare>,
    number: u32,
    stop_ns: Nanos,
    iterations: Option<u64>,
) {
    let Some(mut user) = tasks.new_user(&own, number, stop_ns) else {
        tasks.count_user(&own, -1);
        tasks.thread.count_users(own.index, -1);
        return;
    };
    let at_start = tasks.wants_values().then(|| user.values());
    let flow = user.run_closed(iterations).await;
    tasks.count_user(&own, -1);
    tasks.thread.count_users(own.index, -1);
    if let Some(at_start) = at_start {
        tasks.keep_values(changed(&at_start, user.values()));
    }
    tasks.follow(&own, flow, user.ended_by.take());
}

/// What a user of setup set itself. Values that it began with do not go on to others: those
/// that differ between users must not become one.
fn changed(before: &[Option<String>], after: Vec<Option<String>>) -> Vec<Option<String>> {
    let pairs = before.iter().zip(after);
    pairs
        .map(|(before, after)| after.filter(|value| before.as_ref() != Some(value)))
        .collect()
}
