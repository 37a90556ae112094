//! A user's connections: taking one, keeping it, making it.

use std::pin::pin;
use std::rc::Rc;

use plimsoll_plan::program::Request;
use plimsoll_stats::ErrorKind;

use super::User;
use super::exchange::{Broken, Deadline, within};
use crate::clock::{Nanos, nanos};
use crate::driver::ConnectTimes;
use crate::engine::thread::EndpointId;
use crate::protocols::http::HttpConnection;

impl User {
    pub(crate) fn take_connection(
        &mut self,
        request: &Request,
        endpoint: EndpointId,
    ) -> Option<Box<HttpConnection>> {
        let shared = self.thread.program.profiles[request.profile as usize].share_connections;
        loop {
            let mut connection = if shared {
                self.thread.pool.borrow_mut().get_mut(&endpoint)?.pop()?
            } else {
                let at = self
                    .connections
                    .iter()
                    .position(|(id, _)| *id == endpoint)?;
                self.connections.swap_remove(at).1
            };
            if !connection.wire.is_stale() {
                return Some(connection);
            }
        }
    }

    pub(crate) fn keep_connection(
        &mut self,
        request: &Request,
        endpoint: EndpointId,
        connection: Box<HttpConnection>,
    ) {
        if self.thread.program.profiles[request.profile as usize].share_connections {
            self.thread
                .pool
                .borrow_mut()
                .entry(endpoint)
                .or_default()
                .push(connection);
        } else {
            self.connections.push((endpoint, connection));
        }
    }

    /// Makes a connection within the profile's time.
    pub(crate) async fn connect(
        &mut self,
        endpoint: EndpointId,
        times: &mut ConnectTimes,
    ) -> Result<Box<HttpConnection>, Broken> {
        let deadline = Deadline {
            timeout_ns: Nanos::MAX,
            cut_ns: self.scenario.cut_ns.get(),
        };
        self.connect_in_time(endpoint, times, deadline).await
    }

    pub(crate) async fn connect_in_time(
        &mut self,
        id: EndpointId,
        times: &mut ConnectTimes,
        deadline: Deadline,
    ) -> Result<Box<HttpConnection>, Broken> {
        let thread = Rc::clone(&self.thread);
        let endpoint = thread.endpoint_of(id);
        let longest = thread.program.profiles[endpoint.profile as usize].connect_timeout;
        let start_ns = thread.clock.now_ns();
        let timeout_ns = deadline
            .timeout_ns
            .min(start_ns.saturating_add(nanos(longest)));
        let deadline = Deadline {
            timeout_ns,
            ..deadline
        };
        let turn = self.number as usize;
        let (kind, detail) = (ErrorKind::ConnectTimeout, "no connection in time");
        let result = {
            let connecting = pin!(thread.dialer.connect(&endpoint, turn, times));
            within(&self.watch, deadline, kind, detail, connecting).await
        };
        if result.is_err() && times.connect_ns == 0 && times.dns_ns == 0 {
            times.connect_ns = thread.clock.now_ns() - start_ns;
        }
        result.map(|wire| Box::new(HttpConnection::new(wire)))
    }
}
