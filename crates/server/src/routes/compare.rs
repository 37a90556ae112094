//! Several runs together: two sides compared, and a plan over its runs.

use axum::Json;
use axum::extract::{Query, State};
use axum::response::Response;
use plimsoll_run::runs::summary_of;
use plimsoll_stats::compare::{CompareError, Design, RunFigures, compare};
use plimsoll_store::Run;
use plimsoll_text::Message;
use serde::{Deserialize, Serialize};
use utoipa::{IntoParams, ToSchema};

use super::forms::ComparisonForm;
use crate::app::{App, SharedApp};
use crate::blocking::blocking;
use crate::library::RunListed;
use crate::problem::ApiError;
use crate::respond::{ApiResult, raw_json};

/// Runs of one side at most, and of a trend.
const MOST: usize = 200;

/// The runs of both sides.
#[derive(Debug, Default, Deserialize, IntoParams)]
#[serde(default)]
#[into_params(parameter_in = Query)]
pub(super) struct SidesQuery {
    /// The runs that are compared with, with commas between them.
    a: String,
    /// The runs that are judged.
    b: String,
    /// The first of each belong together, the second, and so on.
    paired: bool,
}

fn figures(app: &App, names: &str) -> Result<Vec<RunFigures>, ApiError> {
    let names: Vec<&str> = names
        .split(',')
        .map(str::trim)
        .filter(|name| !name.is_empty())
        .collect();
    if names.is_empty() || names.len() > MOST {
        return Err(ApiError::bad(
            Message::new("server-sides").with("most", MOST),
        ));
    }
    let figures = names.iter().map(|name| {
        let run = app.open(name)?;
        Ok(RunFigures::from(&summary_of(&run)?))
    });
    figures.collect()
}

/// Whether the runs of `b` differ from those of `a`, and by how much: `schema/comparison.schema.json`.
#[utoipa::path(
    get, path = "/compare",
    params(SidesQuery),
    responses((status = 200, body = ComparisonForm))
)]
pub(super) async fn get_comparison(
    State(app): State<SharedApp>,
    Query(query): Query<SidesQuery>,
) -> Result<Response, ApiError> {
    let compared = move || {
        let (a, b) = (figures(&app, &query.a)?, figures(&app, &query.b)?);
        let design = match query.paired {
            true => Design::Paired,
            false => Design::Unpaired,
        };
        let comparison = compare(&a, &b, design).map_err(|error| refused(&error))?;
        serde_json::to_vec(&comparison)
            .map_err(|_| ApiError::internal(Message::new("server-internal")))
    };
    Ok(raw_json(blocking(compared).await?))
}

fn refused(error: &CompareError) -> ApiError {
    ApiError::bad(Message::new("server-refused").with("reason", error.to_string()))
}

/// Which trend is wanted.
#[derive(Debug, Default, Deserialize, IntoParams)]
#[serde(default)]
#[into_params(parameter_in = Query)]
pub(super) struct TrendQuery {
    /// `trend_key` of a run.
    key: String,
    /// So many runs at most, the newest; by default 50.
    #[param(minimum = 1, maximum = 200)]
    limit: Option<usize>,
}

/// What is different from the run before.
#[derive(Debug, Serialize, ToSchema)]
pub(super) struct ChangedFact {
    /// What: `plan`, `plimsoll_version`, `load`, or the name of a fact of the target.
    name: String,
    /// The thing of the target that it is of; empty: of the run.
    of: String,
    /// What it was; null: it was not known, or is too long to be told.
    before: Option<String>,
    /// What it is.
    after: Option<String>,
}

/// A run of a trend.
#[derive(Debug, Serialize, ToSchema)]
pub(super) struct TrendPoint {
    /// The run.
    run: RunListed,
    /// What is different from the run before.
    changed: Vec<ChangedFact>,
}

/// A plan over its runs.
#[derive(Debug, Serialize, ToSchema)]
pub(super) struct PlanTrend {
    /// The runs, the oldest first.
    items: Vec<TrendPoint>,
}

/// What may change from run to run: (of, name) and value.
type RunFacts = Vec<((String, String), String)>;

/// A plan over its runs, with what changed between them.
#[utoipa::path(
    get, path = "/trend",
    params(TrendQuery),
    responses((status = 200, body = PlanTrend))
)]
pub(super) async fn get_trend(
    State(app): State<SharedApp>,
    Query(query): Query<TrendQuery>,
) -> ApiResult<PlanTrend> {
    let limit = query.limit.unwrap_or(50);
    if !(1..=MOST).contains(&limit) {
        let message = Message::new("server-bad-limit").with("most", MOST);
        return Err(ApiError::bad(message));
    }
    blocking(move || {
        let names = app.library.names()?.into_iter();
        let mut runs: Vec<RunListed> = names
            .map(|name| app.library.listed(&name))
            .filter(|run| run.trend_key == query.key && run.is_of_trends())
            .take(limit)
            .collect();
        runs.reverse();
        let mut before: Option<RunFacts> = None;
        let mut items = Vec::with_capacity(runs.len());
        for run in runs {
            let now = facts(&app.library.open(&run.id)?)?;
            let changed = before.map_or_else(Vec::new, |before| changed(&before, &now));
            before = Some(now);
            items.push(TrendPoint { run, changed });
        }
        Ok(PlanTrend { items })
    })
    .await
    .map(Json)
}

fn facts(run: &Run) -> Result<RunFacts, ApiError> {
    let meta = run.meta();
    let loads = meta
        .scenarios
        .iter()
        .map(|scenario| format!("{}: {}", scenario.name, scenario.load));
    let own = [
        ("plan", meta.plan_source.clone()),
        ("plimsoll_version", meta.plimsoll_version.clone()),
        ("load", loads.collect::<Vec<_>>().join("; ")),
    ];
    let mut facts: RunFacts = own
        .map(|(name, value)| ((String::new(), name.to_owned()), value))
        .into();
    // The last word counts: what was so when the run ended.
    for record in run.facts()? {
        let fact = record.fact;
        let of = format!("{} {}", fact.entity.kind.name(), fact.entity.name);
        let key = (of.trim().to_owned(), fact.name);
        facts.retain(|(known, _)| *known != key);
        facts.push((key, fact.value));
    }
    Ok(facts)
}

/// Longest value that is told.
const VALUE_BYTES: usize = 200;

fn changed(before: &RunFacts, now: &RunFacts) -> Vec<ChangedFact> {
    let value = |facts: &RunFacts, key: &(String, String)| {
        let found = facts.iter().find(|(known, _)| known == key);
        found.map(|(_, value)| value.clone())
    };
    let gone = before.iter().filter(|(key, _)| value(now, key).is_none());
    let keys = now.iter().chain(gone).map(|(key, _)| key);
    // Where one of both runs watched nothing, nothing is known to have changed.
    let is_watched = |facts: &RunFacts| facts.iter().any(|((of, _), _)| !of.is_empty());
    let short = |value: Option<String>| value.filter(|value| value.len() <= VALUE_BYTES);
    keys.filter_map(|key| {
        let (was, is) = (value(before, key), value(now, key));
        let is_comparable = key.0.is_empty() || (is_watched(before) && is_watched(now));
        (is_comparable && was != is).then(|| ChangedFact {
            of: key.0.clone(),
            name: key.1.clone(),
            before: short(was),
            after: short(is),
        })
    })
    .collect()
}
