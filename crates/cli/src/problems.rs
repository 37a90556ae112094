//! Mistakes of plans, told with the lines they are in.

use std::io::IsTerminal;

use plimsoll_plan::{Problem, ShownProblems};
use plimsoll_run::{LoadSettings, PlanSource, ReadyPlan, RejectedPlan, ready};
use plimsoll_text::Lang;

use crate::say::{colours, err, err_styled};

/// Shows problems on standard error: the first ones, and how many more there are.
pub fn print(problems: &[Problem], source: &str, lang: Lang) {
    let coloured = colours(std::io::stderr().is_terminal());
    let shown = ShownProblems::of(problems, source, coloured, lang);
    for problem in &shown.problems {
        err_styled(&problem.text);
        if let Some(others) = &problem.others {
            err(others);
        }
    }
    if let Some(more) = &shown.more {
        err(more);
    }
}

/// What is asked for, read and compiled; tells of all mistakes and warnings. Nothing when it cannot
/// run.
#[must_use]
pub fn ready(source: &PlanSource, load: &LoadSettings, lang: Lang) -> Option<ReadyPlan> {
    telling(ready::load(source, load), lang)
}

/// What was read; tells of what is wrong or doubtful.
pub fn telling(ready: Result<ReadyPlan, RejectedPlan>, lang: Lang) -> Option<ReadyPlan> {
    let ready = accepted(ready, lang)?;
    print(&ready.warnings, &ready.text, lang);
    Some(ready)
}

/// What was read; tells of what is wrong.
pub fn accepted(ready: Result<ReadyPlan, RejectedPlan>, lang: Lang) -> Option<ReadyPlan> {
    let tell = |rejected: RejectedPlan| print(&rejected.problems, &rejected.text, lang);
    ready.map_err(tell).ok()
}
