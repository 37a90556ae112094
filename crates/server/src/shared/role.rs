//! What somebody may do, and what each operation needs.

use std::fmt;
use std::str::FromStr;

use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use crate::respond::BASE;

/// What somebody may do; each has the rights of those before it.
#[derive(
    Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, ToSchema,
)]
#[serde(rename_all = "snake_case")]
pub enum UserRole {
    /// Looks at runs.
    Look,
    /// Begins, changes and throws away runs.
    Run,
    /// Manages users and settings.
    Administer,
}

impl UserRole {
    /// All, the least first.
    pub const ALL: [Self; 3] = [Self::Look, Self::Run, Self::Administer];

    /// Its name.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Look => "look",
            Self::Run => "run",
            Self::Administer => "administer",
        }
    }

    /// Its rights, by their names.
    pub(crate) fn rights(self) -> Vec<String> {
        let own = Self::ALL.into_iter().filter(|role| *role <= self);
        own.map(|role| role.name().to_owned()).collect()
    }
}

impl fmt::Display for UserRole {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

impl FromStr for UserRole {
    type Err = ();

    fn from_str(text: &str) -> Result<Self, ()> {
        Self::ALL
            .into_iter()
            .find(|role| role.name() == text)
            .ok_or(())
    }
}

/// What an operation needs.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum CallerNeed {
    /// Nothing: it is how one logs in.
    Open,
    /// A role.
    Role(UserRole),
}

impl CallerNeed {
    /// As the OpenAPI document has it.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Open => "open",
            Self::Role(role) => role.name(),
        }
    }
}

/// What only administrators see and do, by the beginning of its path.
const OF_ADMINISTRATORS: [&str; 3] = ["/users", "/audit", "/webhooks"];
/// What everybody who has logged in does for himself, whatever the method.
const OF_EVERYBODY: [&str; 2] = ["/tokens", "/session/password"];

/// What an operation needs, by its method and its path in the router. Whatever this does not know is looked at
/// by those who may look, and done by those who may run.
pub(crate) fn needed(method: &str, path: &str) -> CallerNeed {
    let path = path.strip_prefix(BASE).unwrap_or(path);
    let is_below = |root: &&str| {
        let rest = path.strip_prefix(*root);
        rest.is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
    };
    let reads = ["GET", "HEAD"].contains(&method);
    match (path, reads) {
        ("/session" | "/session/first", _) => CallerNeed::Open,
        _ if OF_EVERYBODY.iter().any(is_below) => CallerNeed::Role(UserRole::Look),
        _ if OF_ADMINISTRATORS.iter().any(is_below) => CallerNeed::Role(UserRole::Administer),
        ("/settings", false) => CallerNeed::Role(UserRole::Administer),
        // A study's commands are run as the server's user, who may read and change all that the workbench keeps.
        ("/studies" | "/studies/{study}/restore", false) => CallerNeed::Role(UserRole::Administer),
        (_, true) => CallerNeed::Role(UserRole::Look),
        (_, false) => CallerNeed::Role(UserRole::Run),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn paths_are_taken_whole() {
        let administer = CallerNeed::Role(UserRole::Administer);
        assert_eq!(needed("GET", "/api/v1/users"), administer);
        assert_eq!(needed("DELETE", "/api/v1/users/{user}"), administer);
        assert_eq!(needed("GET", "/usersx"), CallerNeed::Role(UserRole::Look));
        assert_eq!(needed("POST", "/runs"), CallerNeed::Role(UserRole::Run));
        assert_eq!(
            needed("DELETE", "/runs/{id}"),
            CallerNeed::Role(UserRole::Run)
        );
        assert_eq!(needed("PATCH", "/settings"), administer);
        assert_eq!(needed("POST", "/api/v1/studies"), administer);
        let stop = needed("POST", "/api/v1/studies/{study}/stop");
        assert_eq!(stop, CallerNeed::Role(UserRole::Run));
        assert_eq!(needed("GET", "/settings"), CallerNeed::Role(UserRole::Look));
        assert_eq!(needed("POST", "/session"), CallerNeed::Open);
        assert!(UserRole::Look < UserRole::Run && UserRole::Run < UserRole::Administer);
    }
}
