//! The HTTP/1.1 response reader against real responses, at every split.

#![allow(clippy::unwrap_used, clippy::expect_used, missing_docs)]

mod limits;
mod random;
mod responses;
mod trace;
