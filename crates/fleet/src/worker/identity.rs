//! How a worker is known.

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::time::Duration;

use crate::link::{Link, LinkError};
use crate::wire::control::{is_token, name_subject};
use crate::wire::{self, WorkerOrder, WorkerResponse};

/// A name that nobody responds to within this time is free.
const NAME_WAIT: Duration = Duration::from_secs(1);

/// How a worker is known.
#[derive(Debug, Clone)]
pub struct WorkerSettings {
    /// Its name.
    pub name: String,
    /// One life of its process: nobody else's.
    pub instance: String,
    /// Labels by which runs choose it.
    pub labels: BTreeMap<String, String>,
    /// Where reports go that do not fit in memory.
    pub folder: PathBuf,
}

/// Why a worker cannot begin or go on.
#[derive(Debug, thiserror::Error)]
pub enum WorkerError {
    /// The link does not work.
    #[error(transparent)]
    Link(#[from] LinkError),
    /// A name that cannot be used.
    #[error("the name \"{name}\": at most 64 letters, digits, - and _ are allowed")]
    BadName {
        /// The name.
        name: String,
    },
    /// Another worker has the name.
    #[error("another worker is called {name}: it runs on {host}")]
    NameTaken {
        /// The name.
        name: String,
        /// The other's host.
        host: String,
    },
    /// The link has ended.
    #[error("the link has ended")]
    Ended,
}

/// Asks whether somebody has the name, if it is one.
pub(super) async fn check_name(
    link: &dyn Link,
    settings: &WorkerSettings,
) -> Result<(), WorkerError> {
    if !is_token(&settings.name) {
        return Err(WorkerError::BadName {
            name: settings.name.clone(),
        });
    }
    let question = wire::encode(&WorkerOrder::Announce).unwrap_or_default();
    let subject = name_subject(&settings.name);
    match link.request(&subject, question, NAME_WAIT).await {
        Ok(response) => Err(WorkerError::NameTaken {
            name: settings.name.clone(),
            host: match wire::decode(&response) {
                Ok(WorkerResponse::Announce(other)) => other.host,
                _ => "?".to_owned(),
            },
        }),
        Err(LinkError::Nobody { .. } | LinkError::TimedOut { .. }) => Ok(()),
        Err(error) => Err(error.into()),
    }
}
