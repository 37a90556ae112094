//! The link in both forms; the NATS form with real servers, old and new.

#![allow(clippy::unwrap_used, clippy::expect_used)]

#[path = "../support/identity.rs"]
mod identity;
#[path = "../support/mod.rs"]
mod support;

mod access;
mod behaviour;
mod outage;
