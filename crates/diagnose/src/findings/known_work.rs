//! A process that uses all the CPU it can for work that is known by the names of its functions: a database that
//! reads whole tables, a runtime that reads JSON.

use plimsoll_text::Message;

use super::cpu::is_starved;
use super::support::{all_it_can_use, processes_of, profiles, remark, used_exhibit};
use super::{Rule, hot_code};
use crate::about::object;
use crate::figures::percent;
use crate::model::{Advice, Exhibit, Explains, Finding, Layer, ShareOf};
use crate::scene::Scene;
use crate::stacks::{Profiled, works};

const ID: &str = "known_work";
pub const RULE: Rule = Rule {
    ids: &[ID],
    refuted_by: "a CPU with room, or samples of it in other functions",
    look,
};

/// The work must have this share of the threads that compute.
const LEAST: f64 = 0.35;
/// What tells the same statement by statement.
const TOLD: [&str; 2] = ["full_scan", "many_queries"];

fn look(scene: &Scene<'_>) -> Vec<Finding> {
    let profiles = profiles(scene).into_iter();
    profiles
        .filter_map(|profile| finding(scene, profile))
        .collect()
}

fn finding(scene: &Scene<'_>, profile: &Profiled) -> Option<Finding> {
    let (cpu, used) = all_it_can_use(scene, &profile.jvm)?;
    let seen = works::most(&profile.cpu).filter(|seen| seen.share >= LEAST)?;
    let what = seen.work.what;
    let text = Message::new("exhibit-known-work")
        .with("count", profile.cpu.threads.len())
        .with("percent", percent(seen.share))
        .with("function", seen.function.as_str());
    let why = Message::new("advice-known-work").with("what", what);
    let explains = Explains::new(seen.share * used, ShareOf::ResponseTime);
    let about = object("process", cpu.process.name.clone(), &cpu.process);
    // What a request is for takes what it takes.
    let layer = Layer::cause_if(seen.share >= seen.work.waste_from && !is_starved(scene, &cpu));
    let finding = Finding::new(ID, layer, about, explains)
        .with("what", what)
        .with("function", seen.function.as_str())
        .with("share", percent(seen.share))
        .shows(Exhibit::new(text).capture(profile.capture, Vec::new()))
        .shows(used_exhibit(&cpu))
        .advises(Advice::code(why));
    Some(Finding {
        confidence: 0.8,
        source: "CPU samples of the kernel (perf_event_open(2)); names of the programs' own functions",
        ..finding
    })
}

/// Where statements are told, they say more. Where the work is a waste, that says more than whose code is hot.
pub(super) fn settle(found: &mut Vec<Finding>) {
    let is_told = found.iter().any(|finding| TOLD.contains(&finding.id));
    found.retain(|finding| !(is_told && finding.id == ID));
    let wasteful = processes_of(found, |one| one.id == ID && one.layer == Layer::Cause);
    remark(found, hot_code::ID, &wasteful);
}
