//! What others hear of what this process makes.

use serde::Serialize;

use super::book::UndertakingDocument as _;
use super::measurements::{MeasurementDocument, MeasurementState};
use super::studies::{StudyDocument, StudyState};

/// What others hear of the runs that this process makes, by their names, and of what is made of several.
#[derive(Debug, Clone)]
pub(crate) enum RunTold {
    /// It has begun.
    Begun(String),
    /// It is over.
    Ended(String),
    /// Several runs as one undertaking, or a study: begun, or over.
    Undertaking(Box<UndertakingTold>),
}

/// Several runs as one undertaking, or a study, as others hear of it.
#[derive(Debug, Clone)]
pub(crate) struct UndertakingTold {
    /// `repeat`, `capacity`, `hops`, `interleave`, `study`.
    pub kind: String,
    /// What it is found by.
    pub id: String,
    /// What it is called.
    pub name: String,
    /// The plan.
    pub plan: String,
    /// How far it got.
    pub state: String,
    /// It has ended.
    pub is_over: bool,
    /// It has no result.
    pub has_failed: bool,
}

/// One that has begun and not ended goes on.
fn state_of(is_over: bool, state: impl Serialize) -> String {
    match is_over {
        true => name_of(state),
        false => "running".to_owned(),
    }
}

/// As it is written.
fn name_of(value: impl Serialize) -> String {
    let name = serde_json::to_value(value).unwrap_or_default();
    name.as_str().unwrap_or_default().to_owned()
}

impl From<MeasurementDocument> for RunTold {
    fn from(document: MeasurementDocument) -> Self {
        Self::Undertaking(Box::new(UndertakingTold {
            is_over: document.has_ended(),
            has_failed: document.listed.state == MeasurementState::Failed,
            kind: name_of(document.listed.kind),
            id: document.listed.id,
            plan: document.listed.name.clone(),
            name: document.listed.name,
            state: state_of(document.listed.end.is_some(), document.listed.state),
        }))
    }
}

impl From<StudyDocument> for RunTold {
    fn from(document: StudyDocument) -> Self {
        Self::Undertaking(Box::new(UndertakingTold {
            is_over: document.has_ended(),
            has_failed: document.state == StudyState::Failed,
            kind: "study".to_owned(),
            id: document.study.clone(),
            name: document.study,
            plan: document.plan,
            state: state_of(document.end.is_some(), document.state),
        }))
    }
}
