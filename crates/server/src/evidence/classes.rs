//! Class histograms, and what grew between two.

use plimsoll_diagnose::classes::{ClassCount, class_counts};
use plimsoll_store::Run;
use serde::{Deserialize, Serialize};
use utoipa::{IntoParams, ToSchema};

use super::capture::{CaptureListed, CaptureView, captured, captures};
use super::page::PartQuery;
use crate::problem::ApiError;

/// By what classes are ordered.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Deserialize, ToSchema)]
#[serde(rename_all = "snake_case")]
pub(crate) enum ClassOrder {
    /// What grew most comes first.
    #[default]
    Growth,
    /// What takes most comes first.
    Bytes,
}

/// With which histogram one is compared.
#[derive(Debug, Clone, Copy, Default, Deserialize, IntoParams)]
#[serde(default)]
#[into_params(parameter_in = Query)]
pub(crate) struct ClassesQuery {
    /// The number of an earlier histogram; by default the first of the same JVM.
    #[param(minimum = 0)]
    before: Option<u32>,
    /// By what they are ordered; by default `growth`.
    order: ClassOrder,
}

/// A class of a heap.
#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct ClassRow {
    /// Its name.
    class: String,
    /// Objects now.
    objects: f64,
    /// Their bytes, without what they refer to.
    bytes: f64,
    /// Objects more than before.
    more_objects: f64,
    /// Bytes more than before.
    more_bytes: f64,
}

/// A class histogram.
#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct HeapClasses {
    /// The capture.
    capture: CaptureListed,
    /// The one that it is compared with; null: there is none before it.
    before: Option<CaptureListed>,
    /// Bytes of all classes that are counted.
    bytes: f64,
    /// Bytes more than before.
    more_bytes: f64,
    /// The classes.
    items: Vec<ClassRow>,
    /// The cursor of the next part; null: there is none.
    next: Option<String>,
}

/// A histogram, with what grew since an earlier one.
///
/// # Errors
/// No such capture, or one that is no histogram; or the run cannot be read.
pub(crate) fn classes(
    run: &Run,
    number: i64,
    query: ClassesQuery,
    part: PartQuery,
) -> Result<HeapClasses, ApiError> {
    let (capture, bytes) = captured(run, number, CaptureView::Classes)?;
    let now = class_counts(&String::from_utf8_lossy(&bytes));
    let before = match query.before {
        Some(before) => Some(i64::from(before)),
        None => first_of(run, &capture)?,
    };
    let before = before
        .map(|before| captured(run, before, CaptureView::Classes))
        .transpose()?;
    let (before, then) = match before {
        Some((listed, bytes)) => (Some(listed), class_counts(&String::from_utf8_lossy(&bytes))),
        None => (None, now.clone()),
    };
    let count = |counts: &std::collections::BTreeMap<String, ClassCount>, class: &str| {
        counts.get(class).copied().unwrap_or_default()
    };
    let gone = then.keys().filter(|class| !now.contains_key(*class));
    let mut rows: Vec<ClassRow> = now
        .keys()
        .chain(gone)
        .map(|class| {
            let (now, then) = (count(&now, class), count(&then, class));
            ClassRow {
                class: class.clone(),
                objects: now.objects,
                bytes: now.bytes,
                more_objects: now.objects - then.objects,
                more_bytes: now.bytes - then.bytes,
            }
        })
        .collect();
    let key = |row: &ClassRow| match (query.order, before.is_some()) {
        (ClassOrder::Growth, true) => row.more_bytes,
        _ => row.bytes,
    };
    rows.sort_by(|a, b| key(b).total_cmp(&key(a)));
    let bytes = rows.iter().map(|row| row.bytes).sum();
    let more_bytes = rows.iter().map(|row| row.more_bytes).sum();
    let (items, next) = part.of(rows)?;
    Ok(HeapClasses {
        capture,
        before,
        bytes,
        more_bytes,
        items,
        next,
    })
}

/// The first histogram of the same JVM, before this one.
fn first_of(run: &Run, capture: &CaptureListed) -> Result<Option<i64>, ApiError> {
    let all = captures(run)?;
    let first = all.iter().find(|known| {
        known.kind == capture.kind
            && known.entity == capture.entity
            && known.number < capture.number
    });
    Ok(first.map(|known| known.number))
}
