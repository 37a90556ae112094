//! Several runs as one undertaking: what is known of each.

use plimsoll_text::Message;
use serde::{Deserialize, Serialize};
use serde_json::Value;
use utoipa::ToSchema;

use super::book::{
    BothTexts, Undertaking, UndertakingBook, UndertakingDocument, UndertakingStep, add_step,
};
use crate::now::now_text;
use crate::problem::ApiError;

/// What is measured with several runs.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "snake_case")]
pub(crate) enum MeasurementKind {
    /// One run several times.
    Repeat,
    /// The most load that meets the goals.
    Capacity,
    /// Each hop of a chain loaded alone.
    Hops,
    /// Two plans in turn, compared.
    Interleave,
}

/// How far it got.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "snake_case")]
pub(crate) enum MeasurementState {
    /// Others are made before it.
    Queued,
    /// It goes on.
    Running,
    /// It has a result.
    Finished,
    /// Somebody ended it; there may be a result of what was measured until then.
    Stopped,
    /// It has no result.
    Failed,
}

/// An undertaking, as it is listed.
#[derive(Debug, Clone, Serialize, Deserialize, ToSchema)]
pub(crate) struct MeasurementListed {
    /// What it is called.
    pub id: String,
    /// What is measured.
    pub kind: MeasurementKind,
    /// The plan's name.
    pub name: String,
    /// When it was asked for, UTC.
    pub begin: String,
    /// When it ended, UTC; null: it has not.
    pub end: Option<String>,
    /// How far it got.
    pub state: MeasurementState,
    /// Its runs, as far as they are kept.
    pub runs: Vec<String>,
    /// Who asked for it; null: nobody has to say here.
    pub by: Option<String>,
}

/// An undertaking, with all that is known of it.
#[derive(Debug, Clone, Serialize, Deserialize, ToSchema)]
pub(crate) struct MeasurementDocument {
    #[serde(flatten)]
    pub listed: MeasurementListed,
    /// What was said on the way.
    pub progress: Vec<UndertakingStep>,
    /// What came out, by `schema/capacity.schema.json`, `hops.schema.json` or `comparison.schema.json`; of a
    /// repeated run `{"runs": […]}` with summaries. Null: nothing so far.
    #[schema(value_type = Option<Object>)]
    pub result: Option<Value>,
    /// Why there is no result; null: there is, or not yet.
    pub error: Option<BothTexts>,
}

impl UndertakingDocument for MeasurementDocument {
    fn has_ended(&self) -> bool {
        self.listed.end.is_some()
    }

    fn cut_off(&mut self) {
        self.listed.state = MeasurementState::Failed;
        self.error = Some(BothTexts::of(&Message::new("server-measurement-cut")));
    }
}

/// One that this process makes, or has made.
pub(crate) type MeasurementEntry = Undertaking<MeasurementDocument>;

/// All of them.
pub(crate) type MeasurementBook = UndertakingBook<MeasurementDocument>;

impl Undertaking<MeasurementDocument> {
    /// It begins.
    pub fn begin(&self) {
        self.change(|document| document.listed.state = MeasurementState::Running);
    }

    /// A step of it.
    pub fn tell(&self, message: &Message) {
        self.change(|document| add_step(&mut document.progress, BothTexts::of(message)));
    }

    /// A run of it has begun.
    pub fn add_run(&self, run: &str) {
        self.change(|document| {
            let runs = &mut document.listed.runs;
            if runs.last().is_none_or(|last| last != run) {
                runs.push(run.to_owned());
            }
        });
    }

    /// It has ended.
    pub fn end(&self, result: Result<Value, Message>) {
        let is_hit = self.interrupt.is_hit();
        self.change(|document| {
            document.listed.end = Some(now_text());
            document.listed.state = match (&result, is_hit) {
                (_, true) => MeasurementState::Stopped,
                (Ok(_), false) => MeasurementState::Finished,
                (Err(_), false) => MeasurementState::Failed,
            };
            match result {
                Ok(value) => document.result = Some(value),
                Err(message) => document.error = Some(BothTexts::of(&message)),
            }
        });
    }
}

impl UndertakingBook<MeasurementDocument> {
    /// One that is asked for now.
    ///
    /// # Errors
    /// The folder cannot be made.
    pub fn ask(
        &self,
        kind: MeasurementKind,
        name: &str,
        by: Option<String>,
    ) -> Result<std::sync::Arc<MeasurementEntry>, ApiError> {
        let begin = now_text();
        let digits = begin.chars().filter(char::is_ascii_digit);
        let stamp: String = digits.take(14).collect();
        let names = (1_u64..).map(|number| format!("m-{stamp}-{number}"));
        self.add(names, |id| MeasurementDocument {
            listed: MeasurementListed {
                id: id.to_owned(),
                kind,
                name: name.to_owned(),
                begin,
                end: None,
                state: MeasurementState::Queued,
                runs: Vec::new(),
                by,
            },
            progress: Vec::new(),
            result: None,
            error: None,
        })
    }

    /// One by its name.
    ///
    /// # Errors
    /// There is none, or it cannot be read.
    pub fn named(&self, id: &str) -> Result<MeasurementDocument, ApiError> {
        let missing = || ApiError::not_found(Message::new("server-no-measurement").with("id", id));
        self.find(id).ok_or_else(missing)
    }
}
