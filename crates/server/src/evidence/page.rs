//! A part of a list, and where the rest is.

use serde::Deserialize;
use utoipa::IntoParams;

use crate::limit::PageLimit;
use crate::problem::ApiError;

/// Which part of a list is wanted.
#[derive(Debug, Clone, Copy, Default, Deserialize, IntoParams)]
#[serde(default)]
#[into_params(parameter_in = Query)]
pub(crate) struct PartQuery {
    /// So many at most; 1 to 1000, by default 100.
    #[param(minimum = 1, maximum = 1000)]
    limit: Option<usize>,
    /// `next` of the part before.
    #[param(minimum = 0)]
    cursor: Option<usize>,
}

impl PartQuery {
    /// The part of a list, and the cursor of the next one.
    ///
    /// # Errors
    /// A limit that is none.
    pub fn of<T>(
        &self,
        all: impl IntoIterator<Item = T>,
    ) -> Result<(Vec<T>, Option<String>), ApiError> {
        let limit = PageLimit::EVIDENCE.of(self.limit)?;
        let from = self.cursor.unwrap_or(0);
        let mut items: Vec<T> = all.into_iter().skip(from).take(limit + 1).collect();
        let is_more = items.len() > limit;
        items.truncate(limit);
        Ok((items, is_more.then(|| (from + limit).to_string())))
    }
}
