//! The HTTP/1.1 answer reader against real answers, at every split.

#![allow(clippy::unwrap_used, clippy::expect_used, missing_docs)]

mod answers;
mod limits;
mod random;
mod trace;
