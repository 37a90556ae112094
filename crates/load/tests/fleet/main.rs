//! Shares of a load: together they are the whole, each keeps to its lease, begins when it is
//! told to and joins what goes on.
#![allow(clippy::unwrap_used, clippy::expect_used)]

mod begin;
#[path = "../../../cli/tests/support/http.rs"]
#[allow(dead_code)]
mod http;
mod leases;
mod pauses;
mod phases;
mod shares;
mod sharing;
mod support;
