//! Why a file is not taken in as a run.

use std::io;

use axum::http::StatusCode;
use plimsoll_store::StoreError;
use plimsoll_text::Message;

use crate::problem::ApiError;

/// Why a file is not taken in.
#[derive(Debug)]
pub(crate) enum BundleFault {
    /// It is no gzipped tar, or it ends before its end.
    Broken(String),
    /// It holds something that no run has.
    Foreign(String),
    /// It does not begin with what says which run it is, or lacks the run's database.
    NoRun,
    /// Its form is newer.
    Newer(u32),
    /// It holds more than a run may have.
    TooLong(u64),
    /// The store does not hold it for a run of its own.
    Store(StoreError),
    /// What comes from the network ended or stood still.
    Lost(String),
    /// It cannot be written here.
    Disk(io::Error),
}

impl From<StoreError> for BundleFault {
    fn from(error: StoreError) -> Self {
        Self::Store(error)
    }
}

impl From<BundleFault> for ApiError {
    fn from(fault: BundleFault) -> Self {
        let message = match fault {
            BundleFault::Disk(error) => return Self::cannot_keep(&error),
            BundleFault::Lost(reason) => {
                let message = Message::new("server-bundle-lost").with("reason", reason);
                return Self::new(StatusCode::REQUEST_TIMEOUT, "bad-request", message);
            }
            BundleFault::TooLong(most) => {
                let message = Message::new("server-bundle-too-long").with("most", most);
                return Self::new(StatusCode::PAYLOAD_TOO_LARGE, "too-long", message);
            }
            BundleFault::Broken(reason) => {
                Message::new("server-bundle-broken").with("reason", reason)
            }
            BundleFault::Foreign(name) => Message::new("server-bundle-foreign").with("name", name),
            BundleFault::NoRun => Message::new("server-bundle-no-run"),
            BundleFault::Newer(form) => Message::new("server-bundle-newer")
                .with("form", form)
                .with("known", super::FORM),
            BundleFault::Store(error) => {
                // Where it lay for a moment is nobody's business.
                let reason = error
                    .source
                    .map_or_else(|| format!("{:?}", error.kind), |e| e.to_string());
                Message::new("server-bundle-damaged").with("reason", reason)
            }
        };
        Self::unreadable(message)
    }
}
