//! Studies of the command line in the same folder of runs: they appear by themselves, and their own process alone can
//! end them.

use std::path::Path;

use plimsoll_text::Message;
use plimsoll_tune::shown::{SeenStudy, ShownText, StudyShown, seen};

use super::book::{BothTexts, UndertakingStep};
use super::studies::{BroughtBack, StudyDocument, StudyState};

impl From<ShownText> for BothTexts {
    fn from(text: ShownText) -> Self {
        Self {
            en: text.en,
            zh: text.zh,
        }
    }
}

/// A study of the command line by its name; none: there is none.
pub(super) fn tuned(root: &Path, name: &str) -> Option<StudyDocument> {
    let fits = |c: char| c.is_alphanumeric() || "-_".contains(c);
    let is_name = !name.is_empty() && name.chars().all(fits);
    is_name
        .then(|| seen(root, name))
        .flatten()
        .map(|study| document(name, study))
}

fn document(name: &str, seen: SeenStudy) -> StudyDocument {
    let SeenStudy {
        shown,
        goes_on,
        is_open,
        known_at,
    } = seen;
    let state = match (&shown.result, &shown.ended) {
        _ if goes_on => StudyState::Running,
        (Some(result), _) if result["end"] == "interrupted" => StudyState::Interrupted,
        (Some(_), _) => StudyState::Finished,
        (None, Some(_)) => StudyState::Failed,
        (None, None) => StudyState::Interrupted,
    };
    let is_cut = !goes_on && shown.ended.is_none();
    let cut = || BothTexts::of(&Message::new("server-study-killed").with("name", name));
    let error = shown.error.clone().map(BothTexts::from);
    let brought_back = (!goes_on).then(|| BroughtBack {
        as_before: !is_open,
        trouble: error.clone().filter(|_| is_open).into_iter().collect(),
    });
    let StudyShown { trials, steps, .. } = shown;
    let mut document = StudyDocument {
        study: name.to_owned(),
        state,
        begin: shown.began,
        end: shown.ended.or_else(|| is_cut.then_some(known_at)),
        plan: shown.plan,
        objective: shown.objective,
        unit: shown.unit,
        maximise: shown.maximise,
        most_trials: shown.most_trials,
        most_s: shown.most_s,
        by: None,
        command_line: true,
        trials: Vec::new(),
        best: None,
        best_trial: None,
        left_s: None,
        progress: steps
            .into_iter()
            .map(|step| UndertakingStep {
                at: step.at,
                texts: step.text.into(),
            })
            .collect(),
        files: Vec::new(),
        text: shown.text,
        brought_back,
        needs_restore: is_open,
        result: shown.result,
        error: error.or_else(|| is_cut.then(cut)),
    };
    trials.into_iter().for_each(|trial| document.add(trial));
    if !goes_on {
        document.left_s = None;
    }
    document
}
