//! Runs over workers on hosts of their own: network namespaces joined by a bridge, with a real
//! nats-server, a target that counts, and faults. Needs root.

#![allow(clippy::unwrap_used, clippy::expect_used)]

mod faults;
mod target;
mod world;
