//! Use by several people: who calls, what he may do, and what is kept of it.

mod audit;
mod bounds;
mod caller;
mod logins;
mod passwords;
mod people;
mod policy;
mod role;
mod secret;
mod sessions;
mod settings;
mod titles;
mod tokens;
mod watcher;

pub(crate) use audit::{AuditEntry, AuditPlace};
pub(crate) use bounds::RunBounds;
pub(crate) use caller::{AuditNote, Caller, CallerProof, PeerAddress, authorised, session_secret};
pub(crate) use passwords::MOST_PASSWORD;
pub(crate) use people::Person;
pub use people::UserDesk;
pub use policy::ServerAllows;
pub(crate) use policy::{AccessPolicy, PolicyDoor};
pub use role::UserRole;
pub(crate) use role::needed;
pub(crate) use secret::{digest, random_text};
pub(crate) use sessions::SESSION_COOKIE;
pub(crate) use settings::{Retention, RunLimits, SettingsChange};
pub(crate) use titles::{is_hidden_in_text, is_title};
pub(crate) use tokens::ProgramToken;
