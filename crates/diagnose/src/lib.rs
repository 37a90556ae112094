//! What limits a service, and what shows it: evidence of a run in, findings out.
//!
//! The way of a thought: [`Evidence`] is all that is known of a run, as plain data; a [`Scene`]
//! looks at the stretch that is judged; each rule of [`findings`] asks one question of it and
//! responds with [`Finding`]s; [`rank`] puts what limits first.
//!
//! One currency: the share of the requests in flight, and so of the response time (Little's law),
//! that sits at a place: before the server, at a lock, in a pool's queue, at a database, on a
//! CPU. What is exhausted is measured by its utilization and by what waits for it. A resource below
//! explains a queue above it, so the lowest one that is exhausted is named, and hardware before
//! software: where a CPU is full, a larger pool before it moves the queue and nothing else.
//!
//! This crate must not know how load is made, how runs are shown or how a target is changed, and
//! nothing of any laboratory: rules follow from principles and from names of servers, drivers and
//! frameworks that the field uses. Texts are messages; callers translate them.

mod about;
pub mod account;
mod address;
pub mod classes;
pub mod collapsed;
pub mod cpu;
mod demand;
pub mod evidence;
mod figures;
pub mod findings;
pub mod inside;
pub mod jfr;
pub mod json;
pub mod links;
pub mod model;
pub mod plateau;
pub mod processes;
pub mod rank;
mod rule_source;
pub mod samples;
pub mod scene;
pub mod serial;
pub mod stacks;
#[cfg(test)]
mod testing;
mod throttled;
mod unwatched;

pub use evidence::{Evidence, EvidenceError, Refusal, UnseenSource};
pub use model::{
    Advice, Diagnosis, DiagnosisOutcome, Exhibit, Explains, Finding, FindingObject, Layer,
    ResourceDemand, ShareOf,
};
pub use rule_source::source_text;
pub use scene::{Scene, SeriesQuery};

use account::Shown;
use plimsoll_stats::series::EntityKind;
use plimsoll_text::Message;

/// Says what limited a run.
#[must_use]
pub fn diagnose(evidence: &Evidence) -> Diagnosis {
    let window_s = evidence.load.window_s;
    let mut diagnosis = Diagnosis {
        outcome: DiagnosisOutcome::Insufficient,
        window_s: (f64::from(window_s.0), f64::from(window_s.1)),
        findings: Vec::new(),
        missing: Vec::new(),
        demands: Vec::new(),
        account: None,
    };
    let Some(scene) = Scene::new(evidence) else {
        return diagnosis;
    };
    diagnosis.findings = findings::of(&scene);
    diagnosis.missing = missing(&scene);
    diagnosis.account = scene.account().cloned();
    diagnosis.demands = scene.demands().to_vec();
    diagnosis.outcome = outcome(&scene, &diagnosis.findings);
    // Something limits where throughput no longer rises, whatever was seen; and what is inside a
    // process that nobody sees may.
    if diagnosis.outcome == DiagnosisOutcome::Nothing {
        let plateau = plateau::of(&scene).map(|plateau| plateau.message());
        let inside = || match account::shown(&scene, &diagnosis.findings) {
            Shown::Unseen => inside::unseen(&scene),
            Shown::Nothing => None,
            Shown::Unknown(message) => Some(message),
        };
        let waits = || findings::unseen_waits(&scene, &diagnosis.findings);
        if let Some(unseen) = plateau.or_else(inside).or_else(waits) {
            diagnosis.outcome = DiagnosisOutcome::Insufficient;
            diagnosis.missing.push(unseen);
        }
    }
    diagnosis
}

fn outcome(scene: &Scene<'_>, findings: &[Finding]) -> DiagnosisOutcome {
    let limiting = findings.iter().find(|finding| finding.layer != Layer::Hint);
    match limiting {
        Some(finding) if finding.healthy => DiagnosisOutcome::Healthy,
        Some(_) => DiagnosisOutcome::Found,
        None if scene.load().watched => DiagnosisOutcome::Nothing,
        None => DiagnosisOutcome::Insufficient,
    }
}

/// What was not watched and would tell more.
fn missing(scene: &Scene<'_>) -> Vec<Message> {
    if !scene.load().watched {
        return vec![Message::new("diagnosis-missing-all")];
    }
    let mut missing = unwatched::told(scene);
    if scene.knows(EntityKind::Jvm) && scene.stacks().is_empty() {
        missing.push(Message::new("diagnosis-missing-stacks"));
    }
    for stacks in findings::unseen(scene) {
        let name = stacks.jvm.name.as_str();
        missing.push(Message::new("diagnosis-missing-profile").with("name", name));
    }
    let database = scene
        .things(EntityKind::Process)
        .into_iter()
        .find(|process| processes::is_database(&process.name));
    if let Some(database) = database
        && !scene.knows(EntityKind::Database)
        && !unwatched::is_told(scene, &database)
    {
        let name = database.name.as_str();
        let source = processes::database_source(name).unwrap_or("other");
        let message = Message::new("diagnosis-missing-database").with("name", name);
        missing.push(message.with("source", source));
    }
    missing
}
