//! Starting users: by the plan's windows, or as arrivals come.

use std::rc::Rc;

use plimsoll_plan::model::Load;

use super::job::ScenarioRun;
use super::tasks::Tasks;
use super::{closed, open};

/// Starts this thread's share of a scenario.
pub(super) fn scenario(tasks: &Rc<Tasks>, run: &ScenarioRun) {
    let own = run.own_share(&tasks.thread.program);
    match &run.program.load {
        Load::Users(load) => closed::start(tasks, run, &own, load),
        Load::Arrivals(load) => {
            let (inner, run, load) = (Rc::clone(tasks), run.clone(), load.clone());
            tasks.spawn(async move { open::arrivals(inner, run, own, load).await });
        }
    }
}
