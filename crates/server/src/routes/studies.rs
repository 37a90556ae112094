//! Studies: begun, followed, ended, brought back.

use std::sync::Arc;

use axum::extract::{Path, Query, State};
use axum::http::StatusCode;
use axum::http::header::LOCATION;
use axum::response::{IntoResponse as _, Response};
use axum::{Extension, Json};
use plimsoll_text::Message;
use plimsoll_tune::engine::too_few_trials;
use plimsoll_tune::outcome::Values;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use utoipa::{IntoParams, ToSchema};

use super::follow::{StreamFollowed, follow};
use crate::app::{App, SharedApp};
use crate::blocking::blocking;
use crate::desk::{BestTrial, StudyDocument, StudyOrder, StudyState};
use crate::language::{CallerLang, told};
use crate::limit::PageLimit;
use crate::problem::ApiError;
use crate::respond::{ApiResult, BASE};
use crate::shared::{AuditNote, Caller, ServerAllows};

/// A study that was asked for.
#[derive(Debug, Serialize, ToSchema)]
pub(super) struct StudyCreated {
    /// What it is called.
    study: String,
    /// `running` or `queued`.
    state: StudyState,
    /// What should be known of it before it goes on, such as that its trials are too few to judge anything.
    warnings: Vec<String>,
}

/// Only a server whose command line says so begins studies, since they run commands.
fn allowed(app: &App) -> Result<(), ApiError> {
    match app.policy.allows.contains(&ServerAllows::Tune) {
        true => Ok(()),
        false => Err(ApiError::forbidden(Message::new("server-tune-not-allowed"))),
    }
}

/// Begins a study, as `plimsoll tune` does; it waits until nothing else is made. Needs a server with `--allow tune`.
#[utoipa::path(
    post, path = "/studies",
    request_body = StudyOrder,
    responses((status = 201, body = StudyCreated, headers(("location" = String, description = "It"))))
)]
pub(super) async fn create_study(
    State(app): State<SharedApp>,
    caller: Caller,
    CallerLang(lang): CallerLang,
    Json(order): Json<StudyOrder>,
) -> Result<Response, ApiError> {
    allowed(&app)?;
    let created = blocking(move || {
        let bounds = app.policy.bounds();
        let ready = order.ready(app.desk.journal(), &bounds)?;
        let warnings = too_few_trials(ready.trials()).into_iter();
        let warnings = warnings.map(|message| told(lang, &message)).collect();
        let entry = app.desk.tune(ready, caller.user, bounds.limits.queue)?;
        let document = entry.document();
        Ok(StudyCreated {
            study: document.study,
            state: document.state,
            warnings,
        })
    })
    .await?;
    let note = AuditNote(format!("study {}", created.study));
    let name = url::form_urlencoded::byte_serialize(created.study.as_bytes()).collect::<String>();
    let location = format!("{BASE}/studies/{name}");
    let body = Json(created);
    Ok((
        StatusCode::CREATED,
        [(LOCATION, location)],
        Extension(note),
        body,
    )
        .into_response())
}

/// Which are wanted.
#[derive(Debug, Default, Deserialize, IntoParams)]
#[serde(default)]
#[into_params(parameter_in = Query)]
pub(super) struct StudyQuery {
    /// So many at most; 1 to 200, by default 50.
    #[param(minimum = 1, maximum = 200)]
    limit: Option<usize>,
    /// `next` of the page before.
    cursor: Option<String>,
}

/// A study, as it is listed.
#[derive(Debug, Serialize, ToSchema)]
pub(super) struct StudyListed {
    /// What it is called.
    study: String,
    /// How far it got.
    state: StudyState,
    /// When it was asked for, UTC.
    begin: String,
    /// When it ended, UTC; null: it has not.
    end: Option<String>,
    /// What is to become better.
    objective: String,
    /// Trials so far.
    trials: usize,
    /// What the best of them changed, by the knobs' names; null: none so far.
    #[schema(value_type = Option<std::collections::BTreeMap<String, String>>)]
    best: Option<Values>,
    /// How good that is; null: none so far.
    best_trial: Option<BestTrial>,
    /// Its server went before all was brought back.
    needs_restore: bool,
    /// Who asked for it; null: nobody has to say here.
    by: Option<String>,
    /// `plimsoll tune` makes it in the same folder of runs: it alone can end it.
    command_line: bool,
}

impl From<StudyDocument> for StudyListed {
    fn from(document: StudyDocument) -> Self {
        Self {
            study: document.study,
            state: document.state,
            begin: document.begin,
            end: document.end,
            objective: document.objective,
            trials: document.trials.len(),
            best: document.best,
            best_trial: document.best_trial,
            needs_restore: document.needs_restore,
            by: document.by,
            command_line: document.command_line,
        }
    }
}

/// A page of studies, the newest first.
#[derive(Debug, Serialize, ToSchema)]
pub(super) struct StudyPage {
    /// They.
    items: Vec<StudyListed>,
    /// The cursor of the next page; null: there is none.
    next: Option<String>,
}

/// Studies, the newest first.
#[utoipa::path(
    get, path = "/studies",
    params(StudyQuery),
    responses((status = 200, body = StudyPage))
)]
pub(super) async fn list_studies(
    State(app): State<SharedApp>,
    Query(query): Query<StudyQuery>,
) -> ApiResult<StudyPage> {
    let limit = PageLimit::LIST.of(query.limit)?;
    blocking(move || {
        let all = app.desk.all_studies().into_iter();
        let mut items: Vec<StudyListed> = match query.cursor {
            // Behind the one that the page before ended with.
            Some(cursor) => all
                .skip_while(|document| document.study != cursor)
                .skip(1)
                .map(StudyListed::from)
                .take(limit + 1)
                .collect(),
            None => all.map(StudyListed::from).take(limit + 1).collect(),
        };
        let is_more = items.len() > limit;
        items.truncate(limit);
        for item in items.iter_mut().filter(|item| item.needs_restore) {
            let now = app.desk.study(&item.study);
            item.needs_restore = now.is_ok_and(|document| document.needs_restore);
        }
        let next = items.last().filter(|_| is_more);
        Ok(StudyPage {
            next: next.map(|item| item.study.clone()),
            items,
        })
    })
    .await
    .map(Json)
}

/// A study with its trials and what came of it.
#[utoipa::path(
    get, path = "/studies/{study}",
    params(("study" = String, Path, description = "Its name")),
    responses((status = 200, body = StudyDocument))
)]
pub(super) async fn get_study(
    State(app): State<SharedApp>,
    Path(name): Path<String>,
) -> ApiResult<StudyDocument> {
    blocking(move || app.desk.study(&name)).await.map(Json)
}

/// A study by its name.
#[derive(Debug, Serialize, ToSchema)]
pub(super) struct StudyNamed {
    /// Its name.
    study: String,
}

/// Ends one, or takes one that waits out of the queue. All is brought back as it was, which takes as long as the
/// target takes to stop: `brought_back` says it.
#[utoipa::path(
    post, path = "/studies/{study}/stop",
    params(("study" = String, Path, description = "Its name")),
    responses((status = 200, body = StudyNamed))
)]
pub(super) async fn stop_study(
    State(app): State<SharedApp>,
    Path(name): Path<String>,
) -> ApiResult<StudyNamed> {
    blocking(move || {
        let document = app.desk.study(&name)?;
        match app.desk.stop_study(&name) {
            true => Ok(StudyNamed { study: name }),
            false if document.command_line && document.end.is_none() => Err(ApiError::conflict(
                Message::new("server-study-of-command-line").with("name", name),
            )),
            false => Err(ApiError::conflict(
                Message::new("server-study-over").with("name", name),
            )),
        }
    })
    .await
    .map(Json)
}

/// Brings back what a study has left whose server was killed, as `plimsoll tune --restore` does. Harmless where
/// there is nothing to do. Needs a server with `--allow tune`.
#[utoipa::path(
    post, path = "/studies/{study}/restore",
    params(("study" = String, Path, description = "Its name")),
    responses((status = 200, body = StudyDocument))
)]
pub(super) async fn restore_study(
    State(app): State<SharedApp>,
    Path(name): Path<String>,
) -> ApiResult<StudyDocument> {
    blocking(move || {
        app.desk.study(&name)?;
        allowed(&app)?;
        app.desk.restore_study(&name)
    })
    .await
    .map(Json)
}

/// What one who watches has heard.
struct StudyWatch {
    app: Arc<App>,
    name: String,
    steps: usize,
    trials: usize,
    is_over: bool,
}

impl StreamFollowed for StudyWatch {
    fn fresh(&mut self) -> Result<String, ApiError> {
        let document = self.app.desk.study(&self.name)?;
        let mut text = String::new();
        let mut send =
            |name: &str, data: Value| text += &format!("event: {name}\ndata: {data}\n\n");
        for step in document.progress.iter().skip(self.steps) {
            send("progress", json!(step));
        }
        for trial in document.trials.iter().skip(self.trials) {
            send("trial", json!(trial));
        }
        (self.steps, self.trials) = (document.progress.len(), document.trials.len());
        if document.end.is_some() {
            self.is_over = true;
            send(
                "end",
                json!({"state": document.state, "brought_back": document.brought_back}),
            );
        }
        Ok(text)
    }

    fn is_over(&self) -> bool {
        self.is_over
    }
}

/// What happens in one, as server-sent events: `progress`, `trial` (as `trials` of `schema/tune.schema.json` has it),
/// `end`. What was before comes first.
#[utoipa::path(
    get, path = "/studies/{study}/live",
    params(("study" = String, Path, description = "Its name")),
    responses((status = 200, description = "Events", body = String, content_type = "text/event-stream"))
)]
pub(super) async fn watch_study(
    State(app): State<SharedApp>,
    Path(name): Path<String>,
) -> Result<Response, ApiError> {
    let (looking, asked) = (Arc::clone(&app), name.clone());
    blocking(move || looking.desk.study(&asked)).await?;
    Ok(follow(StudyWatch {
        app,
        name,
        steps: 0,
        trials: 0,
        is_over: false,
    }))
}
