//! Starting users: by the plan's windows, or as arrivals come.

use std::rc::Rc;

use plimsoll_plan::model::Load;

use super::job::ScenarioRun;
use super::live::Live;
use super::tasks::Tasks;
use super::{closed, open};

/// Starts this thread's share of a scenario.
pub(super) fn scenario(tasks: &Rc<Tasks>, run: &ScenarioRun) {
    let live = Live::new(tasks, run);
    match &run.program.load {
        Load::Users(load) => closed::start(tasks, &live, load),
        Load::Arrivals(load) => {
            let (inner, load) = (Rc::clone(tasks), load.clone());
            tasks.spawn(async move { open::arrivals(inner, live, load).await });
        }
    }
}
