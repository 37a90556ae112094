//! One run over several workers: real processes, real nats-servers, a server that counts.

#![allow(clippy::unwrap_used, clippy::expect_used)]

#[path = "../common/mod.rs"]
mod common;
#[path = "../support/mod.rs"]
mod support;

#[path = "../../../fleet/tests/support/identity.rs"]
mod identity;
#[path = "../../../fleet/tests/support/mod.rs"]
mod nats;

mod fleet;
mod steer;
mod waiting;
