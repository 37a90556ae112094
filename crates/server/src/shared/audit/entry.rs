//! A line of the audit log.

use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

/// Logs that there are: of users, and of those who have not logged in.
pub(super) const KINDS: usize = 2;

/// What somebody did, or wanted to do.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub(crate) struct AuditEntry {
    /// When, UTC.
    pub at: String,
    /// Who; null: somebody who has not logged in.
    pub user: Option<String>,
    /// The token it was done with; null: none.
    pub token: Option<String>,
    /// From which address.
    pub from: String,
    /// The method of the request.
    pub method: String,
    /// Its path.
    pub path: String,
    /// The status of the response: below 400 it was done.
    pub status: u16,
    /// What else there is to say, such as the name of a login that failed.
    pub what: Option<String>,
}
