//! Socket I/O: streams, connecting, name resolution, TLS with its keystores.
//!
//! Protocols above are state machines that take and give bytes; this is the only place that
//! calls the system, so that another way of doing I/O can take its place.

pub mod connect;
pub mod connection;
pub mod keystore;
pub mod resolve;
pub mod session;
pub mod stream;
pub mod tls;
mod trust;

pub use connect::{ConnectTimes, Endpoint};
pub use connection::Connection;
pub use stream::{Received, Stream};
