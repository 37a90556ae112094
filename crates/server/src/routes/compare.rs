//! Several runs together: two sides compared, and a plan over its runs.

use axum::Json;
use axum::extract::{Query, State};
use plimsoll_report::load_text;
use plimsoll_run::comparable::{doubt, unlike};
use plimsoll_run::runs::summary_of;
use plimsoll_stats::Summary;
use plimsoll_stats::compare::{CompareError, Design, RunComparison, RunFigures, compare};
use plimsoll_store::Run;
use plimsoll_text::{Lang, Message};
use serde::{Deserialize, Serialize};
use utoipa::openapi::Ref;
use utoipa::{IntoParams, ToSchema};

use crate::app::{App, SharedApp};
use crate::blocking::blocking;
use crate::desk::BothTexts;
use crate::language::{CallerLang, told};
use crate::library::RunListed;
use crate::limit::PageLimit;
use crate::problem::ApiError;
use crate::respond::ApiResult;

/// Runs of one side at most.
const MOST_OF_SIDE: usize = 200;

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

/// B set against A, and what says against comparing them.
#[derive(Debug, Serialize, ToSchema)]
pub(super) struct ComparedSides {
    /// The comparison, as the command line has it.
    #[serde(flatten)]
    #[schema(schema_with = comparison_schema)]
    comparison: RunComparison,
    /// Why a difference may be that of two things, or a run is doubtful as evidence; empty: nothing is known.
    doubts: Vec<BothTexts>,
    /// What is different from the first run of A to the first of B.
    changed: Vec<ChangedFact>,
}

/// Its form.
fn comparison_schema() -> Ref {
    Ref::from_schema_name("Comparison")
}

/// A side's runs.
struct Side {
    runs: Vec<Run>,
    summaries: Vec<Summary>,
}

impl Side {
    fn figures(&self) -> Vec<RunFigures> {
        self.summaries.iter().map(RunFigures::from).collect()
    }

    fn doubts(&self) -> Result<Vec<Message>, ApiError> {
        let mut doubts = Vec::new();
        for (run, summary) in self.runs.iter().zip(&self.summaries) {
            doubts.extend(doubt(&run.id(), run.state()?, summary));
        }
        Ok(doubts)
    }
}

fn side(app: &App, names: &str) -> Result<Side, ApiError> {
    let names: Vec<&str> = names
        .split(',')
        .map(str::trim)
        .filter(|name| !name.is_empty())
        .collect();
    if names.is_empty() || names.len() > MOST_OF_SIDE {
        return Err(ApiError::bad(
            Message::new("server-sides").with("most", MOST_OF_SIDE),
        ));
    }
    let (mut runs, mut summaries) = (Vec::new(), Vec::new());
    for name in names {
        let run = app.open(name)?;
        summaries.push(summary_of(&run)?);
        runs.push(run);
    }
    Ok(Side { runs, summaries })
}

/// Whether the runs of `b` differ from those of `a`, and by how much, as `plimsoll compare` judges it; and what says
/// against comparing them.
#[utoipa::path(
    get, path = "/compare",
    params(SidesQuery),
    responses((status = 200, body = ComparedSides))
)]
pub(super) async fn get_comparison(
    State(app): State<SharedApp>,
    Query(query): Query<SidesQuery>,
    CallerLang(lang): CallerLang,
) -> ApiResult<ComparedSides> {
    blocking(move || {
        let (a, b) = (side(&app, &query.a)?, side(&app, &query.b)?);
        let design = match query.paired {
            true => Design::Paired,
            false => Design::Unpaired,
        };
        let comparison =
            compare(&a.figures(), &b.figures(), design).map_err(|error| refused(&error))?;
        let unlike = |lang| unlike(&a.summaries, &b.summaries, lang).into_iter();
        let mut doubts: Vec<BothTexts> = unlike(Lang::En)
            .zip(unlike(Lang::Zh))
            .map(|(en, zh)| BothTexts {
                en: told(Lang::En, &en),
                zh: told(Lang::Zh, &zh),
            })
            .collect();
        for side in [&a, &b] {
            doubts.extend(side.doubts()?.iter().map(BothTexts::of));
        }
        let changed = match (a.runs.first(), b.runs.first()) {
            (Some(a), Some(b)) => changed(&facts(a, lang)?, &facts(b, lang)?),
            _ => Vec::new(),
        };
        Ok(ComparedSides {
            comparison,
            doubts,
            changed,
        })
    })
    .await
    .map(Json)
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
    /// What: `plan`, `plimsoll_version`, `load`, `target`, or the name of a fact of the target.
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
    CallerLang(lang): CallerLang,
) -> ApiResult<PlanTrend> {
    let limit = PageLimit::LIST.of(query.limit)?;
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
            let now = facts(&app.library.open(&run.id)?, lang)?;
            let changed = before.map_or_else(Vec::new, |before| changed(&before, &now));
            before = Some(now);
            items.push(TrendPoint { run, changed });
        }
        Ok(PlanTrend { items })
    })
    .await
    .map(Json)
}

/// What may change, with loads in a language.
fn facts(run: &Run, lang: Lang) -> Result<RunFacts, ApiError> {
    let meta = run.meta();
    let loads = meta
        .scenarios
        .iter()
        .map(|scenario| format!("{}: {}", scenario.name, load_text(&scenario.load, lang)));
    let own = [
        ("plan", meta.plan_source.clone()),
        ("plimsoll_version", meta.plimsoll_version.clone()),
        ("load", loads.collect::<Vec<_>>().join("; ")),
        ("target", meta.target.clone()),
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
