//! One run: its summary, tables, errors, findings, events, plan.

use axum::Json;
use axum::extract::{Path, Query, State};
use axum::response::Response;
use plimsoll_diagnose::json::document;
use plimsoll_run::runs::summary_of;
use plimsoll_stats::{ErrorKind, FailureGroup, LabelSummary, Summary};
use plimsoll_text::{Lang, Message, render};
use serde::{Deserialize, Serialize};
use serde_json::Value;
use utoipa::ToSchema;
use utoipa::openapi::Ref;
use utoipa::openapi::schema::{Array, ArrayBuilder};

use super::forms::{CurveForm, DiagnosisForm};
use crate::app::SharedApp;
use crate::blocking::blocking;
use crate::data::stretch::{self, StretchQuery};
use crate::language::CallerLang;
use crate::library::RunProgress;
use crate::live::event_json;
use crate::notes::{RunNotes, checked_note, checked_tags};
use crate::problem::ApiError;
use crate::respond::{ApiResult, raw_json};

fn summary_schema() -> Ref {
    Ref::from_schema_name("Summary")
}

/// A run: its summary as `schema/summary.schema.json` has it, and what else is known.
#[derive(Debug, Serialize, ToSchema)]
pub(super) struct RunDetail {
    /// The summary.
    #[serde(flatten)]
    #[schema(schema_with = summary_schema)]
    summary: Summary,
    /// What the run is called.
    id: String,
    /// The run's name.
    name: String,
    /// How far it got.
    state: RunProgress,
    /// A note.
    note: String,
    /// Tags.
    tags: Vec<String>,
    /// The address that is loaded.
    target: String,
    /// What the outcome means, in a sentence.
    verdict_text: String,
    /// Whether something of the target was seen, so that there are series and findings of it.
    is_watched: bool,
    /// Seconds that the run has.
    seconds: u32,
}

/// A run.
#[utoipa::path(
    get, path = "/runs/{id}",
    params(("id" = String, Path, description = "The run")),
    responses((status = 200, body = RunDetail))
)]
pub(super) async fn get_run(
    State(app): State<SharedApp>,
    Path(id): Path<String>,
    CallerLang(lang): CallerLang,
) -> ApiResult<RunDetail> {
    blocking(move || {
        let run = app.open(&id)?;
        let state = run.state()?;
        let mut summary = summary_of(&run)?;
        retell(&mut summary.errors, lang);
        let notes = RunNotes::read(run.dir());
        let verdict = match state {
            plimsoll_store::RunState::Running => "list-running",
            plimsoll_store::RunState::CutShort => "list-cut-short",
            plimsoll_store::RunState::Finished => plimsoll_report::verdict_id(&summary),
        };
        Ok(RunDetail {
            state: RunProgress::of(state, summary.verdict),
            verdict_text: render(lang, &Message::new(verdict)),
            summary,
            // It may have been asked for by its ticket.
            id: run.id(),
            name: run.meta().name.clone(),
            note: notes.note,
            tags: notes.tags,
            target: run.meta().target.clone(),
            is_watched: run.is_watched(),
            seconds: run.span_s()?.1,
        })
    })
    .await
    .map(Json)
}

/// Says what failed in the language of whoever asks: it is kept in English, by which failures are counted.
fn retell(errors: &mut [FailureGroup], lang: Lang) {
    let say = |text: &mut String| {
        *text = render(
            lang,
            &Message::new("server-detail").with("detail", text.as_str()),
        );
    };
    for group in errors {
        say(&mut group.message);
        group
            .samples
            .iter_mut()
            .for_each(|sample| say(&mut sample.detail));
    }
}

/// What is to be said of a run; what is absent stays.
#[derive(Debug, Default, Deserialize, ToSchema)]
#[serde(default, deny_unknown_fields)]
pub(super) struct NotesChange {
    /// A note: plain text, 64 KiB at most.
    note: Option<String>,
    /// Tags: 50 at most, of 100 bytes each.
    tags: Option<Vec<String>>,
}

/// What is said of a run.
#[derive(Debug, Serialize, ToSchema)]
pub(super) struct NotesNow {
    /// The note.
    note: String,
    /// The tags.
    tags: Vec<String>,
}

impl NotesChange {
    fn put(self, notes: &mut RunNotes) -> Result<(), ApiError> {
        if let Some(note) = self.note {
            notes.note = checked_note(note)?;
        }
        if let Some(tags) = self.tags {
            notes.tags = checked_tags(&tags)?;
        }
        Ok(())
    }
}

/// Changes a run's note and tags.
#[utoipa::path(
    patch, path = "/runs/{id}",
    params(("id" = String, Path, description = "The run")),
    request_body = NotesChange,
    responses((status = 200, body = NotesNow))
)]
pub(super) async fn patch_run(
    State(app): State<SharedApp>,
    Path(id): Path<String>,
    Json(change): Json<NotesChange>,
) -> ApiResult<NotesNow> {
    blocking(move || {
        let dir = app.library.folder(&id)?;
        let mut notes = RunNotes::read(&dir);
        change.put(&mut notes)?;
        notes
            .write(&dir)
            .map_err(|error| ApiError::cannot_keep(&error))?;
        Ok(NotesNow {
            note: notes.note,
            tags: notes.tags,
        })
    })
    .await
    .map(Json)
}

fn label_schema() -> Ref {
    Ref::new("#/components/schemas/Summary/$defs/label")
}

fn labels_schema() -> Array {
    ArrayBuilder::new().items(label_schema()).build()
}

/// What labels did in a stretch of a run, by stored histograms.
#[derive(Debug, Serialize, ToSchema)]
pub(super) struct StretchTable {
    /// First second.
    from_s: f64,
    /// The end.
    to_s: f64,
    /// Each label, in the order of the plan.
    #[schema(schema_with = labels_schema)]
    items: Vec<LabelSummary>,
    /// All requests.
    #[schema(schema_with = label_schema)]
    total: LabelSummary,
}

/// What labels did in a stretch; by default in the measured part of the run.
#[utoipa::path(
    get, path = "/runs/{id}/labels",
    params(("id" = String, Path, description = "The run"), StretchQuery),
    responses((status = 200, body = StretchTable))
)]
pub(super) async fn get_labels(
    State(app): State<SharedApp>,
    Path(id): Path<String>,
    Query(query): Query<StretchQuery>,
) -> ApiResult<StretchTable> {
    blocking(move || {
        let run = app.open(&id)?;
        let state = run.state()?;
        if !query.is_named() {
            let summary = summary_of(&run)?;
            return Ok(StretchTable {
                from_s: summary.warm_up_s,
                to_s: summary.warm_up_s + summary.duration_s,
                items: summary.labels,
                total: summary.total,
            });
        }
        let stretch = query.of(run.span_s()?.1)?;
        let rollup = app.library.rollups.of(&run, state)?;
        let sum = stretch::aggregate(&run, &rollup, stretch)?;
        Ok(StretchTable {
            from_s: f64::from(stretch.from_s),
            to_s: f64::from(stretch.to_s),
            items: sum.label_summaries(),
            total: sum.total_summary(),
        })
    })
    .await
    .map(Json)
}

/// What failed in a run.
#[derive(Debug, Serialize, ToSchema)]
pub(super) struct ErrorGroups {
    /// Groups as `errors` of the summary has them, each with `meaning` in the caller's language.
    #[schema(value_type = Vec<Object>)]
    items: Vec<Value>,
}

/// What failed, by label, kind, code and message, with samples of requests and responses without secrets.
#[utoipa::path(
    get, path = "/runs/{id}/errors",
    params(("id" = String, Path, description = "The run")),
    responses((status = 200, body = ErrorGroups))
)]
pub(super) async fn get_errors(
    State(app): State<SharedApp>,
    Path(id): Path<String>,
    CallerLang(lang): CallerLang,
) -> ApiResult<ErrorGroups> {
    blocking(move || {
        let run = app.open(&id)?;
        let groups = summary_of(&run)?.errors.into_iter();
        let items = groups.map(|group| {
            let mut item = serde_json::to_value(&group).unwrap_or_default();
            let kind = item["kind"].as_str().and_then(ErrorKind::from_name);
            if let Some(kind) = kind {
                let id = format!("error-kind-{}-meaning", kind.slug());
                item["meaning"] = render(lang, &Message::new(id)).into();
            }
            item
        });
        Ok(ErrorGroups {
            items: items.collect(),
        })
    })
    .await
    .map(Json)
}

/// What limits the target: `schema/diagnosis.schema.json`.
#[utoipa::path(
    get, path = "/runs/{id}/findings",
    params(("id" = String, Path, description = "The run")),
    responses((status = 200, body = DiagnosisForm))
)]
pub(super) async fn get_findings(
    State(app): State<SharedApp>,
    Path(id): Path<String>,
    CallerLang(lang): CallerLang,
) -> Result<Response, ApiError> {
    let export = move || {
        let run = app.open(&id)?;
        let diagnosis = app.library.diagnoses.of(&run)?;
        let document = document(&run.id(), &diagnosis, lang);
        serde_json::to_vec(&document)
            .map_err(|_| ApiError::internal(Message::new("server-internal")))
    };
    Ok(raw_json(blocking(export).await?))
}

/// Throughput and response time against load: `schema/curve.schema.json`; null for a run with fewer than three
/// loads.
#[utoipa::path(
    get, path = "/runs/{id}/curve",
    params(("id" = String, Path, description = "The run")),
    responses((status = 200, body = CurveForm))
)]
pub(super) async fn get_curve(
    State(app): State<SharedApp>,
    Path(id): Path<String>,
) -> Result<Response, ApiError> {
    let read = move || {
        let curve = app.open(&id)?.curve()?;
        serde_json::to_vec(&curve).map_err(|_| ApiError::internal(Message::new("server-internal")))
    };
    Ok(raw_json(blocking(read).await?))
}

/// What happened in a run.
#[derive(Debug, Serialize, ToSchema)]
pub(super) struct EventList {
    /// Each: `at_s`, `kind`, `args`, `texts` (en, zh).
    #[schema(value_type = Vec<Object>)]
    items: Vec<Value>,
}

/// What happened in a run, in the order of time.
#[utoipa::path(
    get, path = "/runs/{id}/events",
    params(("id" = String, Path, description = "The run")),
    responses((status = 200, body = EventList))
)]
pub(super) async fn get_events(
    State(app): State<SharedApp>,
    Path(id): Path<String>,
) -> ApiResult<EventList> {
    blocking(move || {
        let events = app.open(&id)?.events()?;
        Ok(EventList {
            items: events.iter().map(event_json).collect(),
        })
    })
    .await
    .map(Json)
}

/// A run's plan.
#[derive(Debug, Serialize, ToSchema)]
pub(super) struct PlanText {
    /// `yaml`, `jmx` or `url`.
    format: String,
    /// The plan, without secrets.
    text: String,
}

/// The plan that was run, without secrets.
#[utoipa::path(
    get, path = "/runs/{id}/plan",
    params(("id" = String, Path, description = "The run")),
    responses((status = 200, body = PlanText))
)]
pub(super) async fn get_plan(
    State(app): State<SharedApp>,
    Path(id): Path<String>,
) -> ApiResult<PlanText> {
    blocking(move || {
        let text = app.open(&id)?.meta().plan_source.clone();
        let start = text.trim_start();
        let format = match start.starts_with('<') {
            true => "jmx",
            false if start.starts_with("http://") || start.starts_with("https://") => "url",
            false => "yaml",
        };
        Ok(PlanText {
            format: format.to_owned(),
            text,
        })
    })
    .await
    .map(Json)
}
