//! Socket I/O: streams, connecting, name resolution, TLS.
//!
//! What protocols see are bytes: they give what is to be written and take what came, with the
//! kernel's time. This is the only place that calls the system, so that another way of doing I/O
//! can take its place. It knows no protocol above TCP and TLS but the request for a tunnel
//! through a proxy, for which it stands on [`crate::http1`].

pub mod alarm;
pub mod connect;
pub mod connection;
pub mod dialer;
pub mod event_loop;
pub mod inbox;
pub mod resolve;
pub mod session;
#[cfg(test)]
pub mod simulated;
pub mod stream;
pub mod tls;

pub use alarm::Alarm;
pub use connect::{ConnectTimes, Endpoint, EndpointId};
pub use connection::{Connection, StreamState};
pub use dialer::{Dialer, TcpOptions};
pub use event_loop::Driver;
pub use inbox::{Ask, Inbox, Received};
pub use stream::Stream;
