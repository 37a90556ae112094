//! A study without a file: a plan and the command that starts the target. Nothing but that command's arguments
//! and environment is changed, and nothing that gives something up for speed.

use std::path::Path;
use std::time::Duration;

use plimsoll_knobs::{Applies, KnobRange, all, is_of_command};
use plimsoll_plan::Problem;
use plimsoll_plan::model::{Plan, Span, Text};
use plimsoll_plan::study::{
    ObjectiveMetric, ObjectivePart, Study, StudyComponent, StudyKnob, StudyObjective, StudySearch,
};
use plimsoll_run::{LoadSettings, PlanSource, RejectedPlan, ready};
use plimsoll_text::Message;

use super::addresses::listens;
use super::command_line::{not_a_command, words};
use super::named::locate;
use super::prepared::Prepared;
use super::resolve::prepare;
use crate::given_file::plan_is_file;

/// What the component is called.
const NAME: &str = "target";
/// A JVM with a large application on a busy machine takes its time.
const READY_WITHIN: Duration = Duration::from_secs(300);
/// Trials at most, where nothing is said.
const TRIALS: u32 = 60;
/// A name of a study has so many characters of an address at most.
const NAME_CHARS: usize = 60;

/// The study of a plan and a start command: the advice of findings is tried, one by one. What is to be watched shows
/// the settings, too.
///
/// # Errors
/// All that is wrong with the plan, and a command that is none.
pub fn of_start(plan: &str, start: &str, watch: &[String]) -> Result<Prepared, RejectedPlan> {
    let rejected = |message: Message| RejectedPlan {
        text: String::new(),
        problems: vec![Problem::mistake(Span::default(), message)],
    };
    if let Some(message) = not_a_command(start) {
        return Err(rejected(message));
    }
    plan_is_file(Path::new(plan))?;
    let ready = ready::load(&PlanSource::new(plan.to_owned()), &LoadSettings::default())?;
    let Some(address) = listens(&ready.target) else {
        let message = Message::new("tune-start-where").with("target", ready.target.as_str());
        return Err(rejected(message));
    };
    let mut component = StudyComponent {
        name: NAME.to_owned(),
        start: Some(Text::of(start)),
        ready: Some(Text::of(address)),
        ready_within: Some(READY_WITHIN),
        ..StudyComponent::default()
    };
    let folder = Path::new(".");
    let knobs = knobs(&component, folder);
    component.watch = watch.iter().map(Text::of).collect();
    if watch.is_empty() && ready.watch.is_empty() {
        component.watch.push(Text::of("auto"));
    }
    let study = Study {
        name: start_study_name(Path::new(plan)),
        plan: Text::of(plan),
        objective: objective(&ready.plan),
        constraints: ready.plan.goals.clone(),
        components: vec![component],
        knobs,
        search: StudySearch::AdviceOnly,
        trials: TRIALS,
        ..Study::default()
    };
    let prepared = prepare(study, &folder.join(plan).with_extension("start"), None);
    let mut prepared = prepared.map_err(|problems| RejectedPlan {
        text: String::new(),
        problems,
    })?;
    let shows = prepared.sources.iter_mut();
    shows.for_each(|it| it.extend(ready.watch.iter().cloned()));
    Ok(Prepared {
        // The command's paths start from where it is given, as those of a shell do.
        folder: folder.to_owned(),
        of_start: true,
        ..prepared
    })
}

/// The name of the study of a start command, by its plan.
#[must_use]
pub fn start_study_name(plan: &Path) -> String {
    let text = plan.to_string_lossy();
    let name = match text.split_once("://") {
        Some((_, address)) => name_of_address(address),
        None => plan
            .file_stem()
            .unwrap_or_default()
            .to_string_lossy()
            .into_owned(),
    };
    format!("{name}-start")
}

/// What a study of an address is called: host, port and path, without what may be secret in it.
fn name_of_address(address: &str) -> String {
    let open = address.split(['?', '#']).next().unwrap_or_default();
    let (authority, path) = open.split_once('/').unwrap_or((open, ""));
    let host = authority.rsplit('@').next().unwrap_or_default();
    let fits = |c: char| {
        if c.is_alphanumeric() || c == '.' {
            c
        } else {
            '-'
        }
    };
    let name: String = format!("{host}-{path}")
        .chars()
        .map(fits)
        .take(NAME_CHARS)
        .collect();
    name.trim_matches('-').to_owned()
}

/// Where the load is given, throughput is, too: then it is the response time.
fn objective(plan: &Plan) -> StudyObjective {
    if plan.scenarios.iter().any(|it| it.load.users().is_some()) {
        return StudyObjective::default();
    }
    let part = ObjectivePart {
        maximise: false,
        metric: ObjectiveMetric::Percentile(99.0),
        weight: 1.0,
    };
    StudyObjective { parts: vec![part] }
}

/// All knobs of what the start command runs that have a place in it or in its environment and give nothing up.
fn knobs(component: &StudyComponent, folder: &Path) -> Vec<StudyKnob> {
    let start = component.start.as_ref();
    let command = start
        .and_then(|start| words(&start.raw))
        .unwrap_or_default();
    let fits = all().filter(|knob| {
        let is_own = is_of_command(&command, knob.id);
        is_own
            && knob.gives.is_none()
            && knob.range != KnobRange::Text
            && knob.applies == Applies::Restart
    });
    let of_study = fits.filter_map(|knob| {
        let own = StudyKnob {
            name: knob.id.to_owned(),
            knob: Some(Text::of(knob.id)),
            ..StudyKnob::default()
        };
        locate(knob, &own, component, folder).ok().map(|_| own)
    });
    of_study.collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn studies_of_addresses_have_names_of_their_own() {
        let name = |plan: &str| start_study_name(Path::new(plan));
        assert_eq!(name("plans/shop.yaml"), "shop-start");
        assert_eq!(name("http://127.0.0.1:8080/"), "127.0.0.1-8080-start");
        assert_ne!(
            name("http://127.0.0.1:8080/a"),
            name("http://127.0.0.1:8081/a")
        );
        let secret = name("http://anna:hunter2@shop.test/api/v1?token=hunter3#x");
        assert_eq!(secret, "shop.test-api-v1-start");
    }
}
