//! What programs log in with.

use serde::{Deserialize, Serialize};

use super::role::UserRole;

/// A token as it is kept: its secret is not.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub(crate) struct ProgramToken {
    /// What it is called by: the beginning of its secret's digest.
    pub token: String,
    /// What its owner calls it.
    pub name: String,
    /// Whose it is.
    pub user: String,
    /// What it may do at most; never more than its owner.
    pub role: UserRole,
    /// When it was made, Unix seconds.
    pub added_s: u64,
    /// When it ends, Unix seconds.
    pub ends_s: u64,
    /// The digest of its secret.
    pub digest: String,
}
