//! What is known of the target's things: versions and settings, and what of it changed.

use std::collections::BTreeMap;

use plimsoll_stats::series::Entity;
use plimsoll_store::Run;
use serde::{Deserialize, Serialize};
use utoipa::{IntoParams, ToSchema};

use super::page::PartQuery;
use crate::data::target::SeriesThing;
use crate::problem::ApiError;

/// Longest value that is told, in letters.
const VALUE_LETTERS: usize = 2_000;
/// Values of a fact that are told: the last.
const VALUES: usize = 50;

/// Which facts are wanted.
#[derive(Debug, Default, Deserialize, IntoParams)]
#[serde(default)]
#[into_params(parameter_in = Query)]
pub(crate) struct FactsQuery {
    /// Name, value or thing has this in it; case does not matter.
    search: String,
    /// Only those that changed while the run went on, or since the other run.
    changed: bool,
    /// The run that it is compared with.
    pub since: Option<String>,
}

/// A value and since when it holds.
#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct FactValue {
    /// Seconds from the run's start; negative: it was known before the load began.
    at_s: f64,
    /// The value; cut after 2000 letters.
    value: String,
}

/// A fact of the target.
#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct TargetFact {
    /// The thing.
    entity: SeriesThing,
    /// What it is: `jvm.version`, `setting.server.tomcat.threads.max` …
    name: String,
    /// Its values in the order of time; several: it changed while the run went on. The last 50.
    values: Vec<FactValue>,
    /// What it was in the other run; null: it was not known, or no other was named.
    before: Option<String>,
    /// Whether it changed while the run went on, or since the other run.
    is_changed: bool,
}

/// Facts of the target.
#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct FactPage {
    /// The facts, thing by thing.
    items: Vec<TargetFact>,
    /// The cursor of the next part; null: there is none.
    next: Option<String>,
}

/// Facts by thing and name, with their values.
type KnownFacts = BTreeMap<(Entity, String), Vec<(i64, String)>>;

fn known(run: &Run) -> Result<KnownFacts, ApiError> {
    let mut known = KnownFacts::new();
    for record in run.facts()? {
        let fact = record.fact;
        let values = known
            .entry(((*fact.entity).clone(), fact.name))
            .or_default();
        // Said again is not changed.
        if values.last().is_none_or(|(_, last)| *last != fact.value) {
            values.push((record.at_ns, fact.value));
        }
    }
    Ok(known)
}

fn cut(value: &str) -> String {
    let masked = plimsoll_secrets::text(value);
    match masked.char_indices().nth(VALUE_LETTERS) {
        Some((end, _)) => format!("{}…", &masked[..end]),
        None => masked.into_owned(),
    }
}

/// The facts of a run, with what they were in another.
///
/// # Errors
/// If a run cannot be read, or a limit that is none.
pub(crate) fn facts(
    run: &Run,
    other: Option<&Run>,
    query: &FactsQuery,
    part: PartQuery,
) -> Result<FactPage, ApiError> {
    let before = other.map(known).transpose()?;
    let search = query.search.to_lowercase();
    let of_fact = |((entity, name), values): ((Entity, String), Vec<(i64, String)>)| {
        let was = before.as_ref().map(|known| {
            let values = known.get(&(entity.clone(), name.clone()));
            values
                .and_then(|values| values.last())
                .map(|(_, value)| value)
        });
        let now = values.last().map(|(_, value)| value);
        let is_changed = values.len() > 1 || was.is_some_and(|was| was != now);
        let holds = |text: &String| text.to_lowercase().contains(&search);
        let is_found =
            holds(&name) || holds(&entity.name) || values.iter().any(|(_, value)| holds(value));
        let from = values.len().saturating_sub(VALUES);
        (is_found && (is_changed || !query.changed)).then(|| TargetFact {
            entity: SeriesThing::from(&entity),
            before: was.flatten().map(|value| cut(value)),
            is_changed,
            values: values[from..]
                .iter()
                .map(|(at_ns, value)| FactValue {
                    at_s: *at_ns as f64 / 1e9,
                    value: cut(value),
                })
                .collect(),
            name,
        })
    };
    let (items, next) = part.of(known(run)?.into_iter().filter_map(of_fact))?;
    Ok(FactPage { items, next })
}
