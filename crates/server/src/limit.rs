//! How many entries a page has.

use plimsoll_text::Message;

use crate::problem::ApiError;

/// Entries of a page, unless a request asks for another number, and at most.
#[derive(Debug, Clone, Copy)]
pub(crate) struct PageLimit {
    usual: usize,
    /// The most.
    pub most: usize,
}

impl PageLimit {
    /// Of lists.
    pub const LIST: Self = Self {
        usual: 50,
        most: 200,
    };
    /// Of what was done by whom.
    pub const AUDIT: Self = Self {
        usual: 100,
        most: 500,
    };
    /// Of the parts of a run's evidence.
    pub const EVIDENCE: Self = Self {
        usual: 100,
        most: 1_000,
    };

    /// The number that a request asks for.
    ///
    /// # Errors
    /// None, or more than there may be.
    pub fn of(self, asked: Option<usize>) -> Result<usize, ApiError> {
        let limit = asked.unwrap_or(self.usual);
        match (1..=self.most).contains(&limit) {
            true => Ok(limit),
            false => Err(self.refused()),
        }
    }

    /// What is said of a page that is none.
    pub fn refused(self) -> ApiError {
        ApiError::bad(Message::new("server-bad-limit").with("most", self.most))
    }
}
