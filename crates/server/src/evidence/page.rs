//! A part of a list, and where the rest is.

use plimsoll_text::Message;
use serde::Deserialize;
use utoipa::IntoParams;

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

/// Entries of a part unless told otherwise, and at most.
const PART: usize = 100;
const MOST: usize = 1_000;

impl PartQuery {
    /// The part of a list, and the cursor of the next one.
    ///
    /// # Errors
    /// A limit that is none.
    pub fn of<T>(
        &self,
        all: impl IntoIterator<Item = T>,
    ) -> Result<(Vec<T>, Option<String>), ApiError> {
        let limit = self.limit.unwrap_or(PART);
        if !(1..=MOST).contains(&limit) {
            let message = Message::new("server-bad-limit").with("most", MOST);
            return Err(ApiError::bad(message));
        }
        let from = self.cursor.unwrap_or(0);
        let mut items: Vec<T> = all.into_iter().skip(from).take(limit + 1).collect();
        let is_more = items.len() > limit;
        items.truncate(limit);
        Ok((items, is_more.then(|| (from + limit).to_string())))
    }
}
