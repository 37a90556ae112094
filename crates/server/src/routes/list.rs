//! The runs there are.

use axum::Json;
use axum::extract::{Query, State};
use plimsoll_stats::Verdict;
use serde::{Deserialize, Serialize};
use utoipa::{IntoParams, ToSchema};

use crate::app::SharedApp;
use crate::blocking::blocking;
use crate::library::RunListed;
use crate::limit::PageLimit;
use crate::respond::ApiResult;

/// Which runs are wanted.
#[derive(Debug, Default, Deserialize, IntoParams)]
#[serde(default)]
#[into_params(parameter_in = Query)]
pub(super) struct ListQuery {
    /// Name, plan, target, note or a tag has this in it; case does not matter.
    search: Option<String>,
    /// Has this tag.
    tag: Option<String>,
    /// Has this verdict, such as `failed`; one that goes on has none.
    #[param(value_type = Option<String>)]
    verdict: Option<Verdict>,
    /// Is of this plan.
    plan: Option<String>,
    /// Loads this address.
    target: Option<String>,
    /// So many at most; 1 to 200, by default 50.
    #[param(minimum = 1, maximum = 200)]
    limit: Option<usize>,
    /// `next` of the page before.
    cursor: Option<String>,
}

/// A run that waits.
#[derive(Debug, Serialize, ToSchema)]
pub(super) struct RunWaiting {
    /// What it is called until it begins.
    id: String,
    /// Its name.
    name: String,
}

/// A page of runs, the newest first.
#[derive(Debug, Serialize, ToSchema)]
pub(super) struct RunPage {
    /// The runs.
    items: Vec<RunListed>,
    /// The cursor of the next page; null: there is none.
    next: Option<String>,
    /// Runs that wait, in the order in which they are made.
    queued: Vec<RunWaiting>,
}

impl ListQuery {
    fn wants(&self, run: &RunListed) -> bool {
        let is = |asked: &Option<String>, value: &str| {
            asked
                .as_deref()
                .is_none_or(|asked| asked.is_empty() || asked == value)
        };
        let has_tag = self
            .tag
            .as_deref()
            .is_none_or(|tag| tag.is_empty() || run.tags.iter().any(|known| known == tag));
        has_tag
            && self
                .verdict
                .is_none_or(|asked| run.verdict == Some(asked.name()))
            && is(&self.plan, &run.plan)
            && is(&self.target, &run.target)
            && self.search.as_deref().is_none_or(|text| found(run, text))
    }
}

fn found(run: &RunListed, text: &str) -> bool {
    let text = text.to_lowercase();
    let own = [&run.id, &run.name, &run.plan, &run.target, &run.note];
    let mut texts = own.into_iter().chain(&run.tags);
    texts.any(|own| own.to_lowercase().contains(&text))
}

/// The runs there are, the newest first.
#[utoipa::path(get, path = "/runs", params(ListQuery), responses((status = 200, body = RunPage)))]
pub(super) async fn list_runs(
    State(app): State<SharedApp>,
    Query(query): Query<ListQuery>,
) -> ApiResult<RunPage> {
    let limit = PageLimit::LIST.of(query.limit)?;
    blocking(move || {
        let names = app.library.names()?;
        let behind = |name: &&String| query.cursor.as_ref().is_none_or(|cursor| *name < cursor);
        let mut items: Vec<RunListed> = names
            .iter()
            .filter(behind)
            .map(|name| app.library.listed(name))
            .filter(|run| query.wants(run))
            .take(limit + 1)
            .collect();
        let is_more = items.len() > limit;
        items.truncate(limit);
        let waiting = app.desk.waiting().into_iter();
        Ok(RunPage {
            next: items.last().filter(|_| is_more).map(|run| run.id.clone()),
            items,
            queued: waiting.map(|(id, name)| RunWaiting { id, name }).collect(),
        })
    })
    .await
    .map(Json)
}
