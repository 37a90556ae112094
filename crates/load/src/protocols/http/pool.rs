//! Connections that wait for their next request.

use super::HttpConnection;
use crate::clock::Nanos;
use crate::driver::EndpointId;

/// How long connections are kept.
#[derive(Debug, Clone, Copy)]
pub struct KeepAlive {
    /// How long they live, ns.
    pub life_ns: Nanos,
    /// How long they wait for a request, ns.
    pub idle_ns: Nanos,
}

impl KeepAlive {
    /// Until the server closes them.
    pub const UNTIL_CLOSED: Self = Self {
        life_ns: Nanos::MAX,
        idle_ns: Nanos::MAX,
    };
}

/// Connections that wait for their next request. Boxed, so that taking one and giving it back moves
/// a pointer.
#[derive(Default)]
pub struct IdleConnections(Vec<(EndpointId, Box<HttpConnection>)>);

impl IdleConnections {
    /// Takes the connection to an endpoint that was kept last, if it can still be used.
    pub fn take(
        &mut self,
        endpoint: EndpointId,
        now_ns: Nanos,
        keep_alive: KeepAlive,
    ) -> Option<Box<HttpConnection>> {
        loop {
            let at = self.0.iter().rposition(|(id, _)| *id == endpoint)?;
            let (_, mut connection) = self.0.swap_remove(at);
            let is_fresh = now_ns.saturating_sub(connection.born_ns) < keep_alive.life_ns
                && now_ns.saturating_sub(connection.idle_from_ns) < keep_alive.idle_ns;
            if is_fresh && !connection.wire.is_stale() {
                return Some(connection);
            }
        }
    }

    /// Keeps a connection from then on.
    pub fn keep(
        &mut self,
        endpoint: EndpointId,
        mut connection: Box<HttpConnection>,
        now_ns: Nanos,
    ) {
        connection.idle_from_ns = now_ns;
        self.0.push((endpoint, connection));
    }

    /// Closes all.
    pub fn clear(&mut self) {
        self.0.clear();
    }
}
