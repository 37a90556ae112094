//! A user's connections, by the rules of plans in YAML: taking one, keeping it, making it.

use std::rc::Rc;

use plimsoll_plan::program::{Op, Request};

use super::HttpConnection;
use super::connect::{Connecting, connect};
use super::fixed::is_idempotent;
use super::hop::{LostRequest, Way};
use super::message::HttpRequest;
use super::pool::KeepAlive;
use crate::clock::{Nanos, nanos};
use crate::deadline::{Broken, Deadline};
use crate::driver::{ConnectTimes, EndpointId};
use crate::timer::Watch;
use crate::user::User;

/// A request, and where it goes.
#[derive(Clone, Copy)]
pub(super) struct OutgoingRequest<'o> {
    pub endpoint: EndpointId,
    pub request: HttpRequest<'o>,
}

/// The way of a user's request.
pub(super) struct UserWay<'u> {
    pub user: &'u mut User,
    pub request: &'u Request,
    pub outgoing: OutgoingRequest<'u>,
    pub start_ns: Nanos,
    pub deadline: Deadline,
}

impl UserWay<'_> {
    fn shares(&self) -> bool {
        let profiles = &self.user.thread.program.profiles;
        profiles[self.request.profile as usize].share_connections
    }
}

impl Way for UserWay<'_> {
    #[inline]
    fn watch(&self) -> &Watch {
        &self.user.watch
    }

    /// One that is made again goes over a new connection.
    #[inline]
    fn take(&mut self, tries: u32) -> Option<Box<HttpConnection>> {
        if tries > 0 {
            return None;
        }
        let (endpoint, now_ns) = (self.outgoing.endpoint, self.start_ns);
        let keep_alive = KeepAlive::UNTIL_CLOSED;
        if self.shares() {
            let mut shared = self.user.thread.pool.borrow_mut();
            return shared
                .get_mut(&endpoint)?
                .take(endpoint, now_ns, keep_alive);
        }
        self.user.connections.take(endpoint, now_ns, keep_alive)
    }

    async fn connect(&mut self, times: &mut ConnectTimes) -> Result<Box<HttpConnection>, Broken> {
        self.user
            .connect_in_time(self.outgoing.endpoint, times, self.deadline)
            .await
    }

    #[inline]
    fn keep(&mut self, connection: Box<HttpConnection>, now_ns: Nanos) {
        if !self.request.keep_alive {
            return;
        }
        let endpoint = self.outgoing.endpoint;
        if self.shares() {
            let mut shared = self.user.thread.pool.borrow_mut();
            let pool = shared.entry(endpoint).or_default();
            pool.keep(endpoint, connection, now_ns);
        } else {
            self.user.connections.keep(endpoint, connection, now_ns);
        }
    }

    /// The server may have closed a connection that waited just before (RFC 9110, 9.2.2), and what
    /// it may have done already may be done twice.
    fn makes_again(&self, lost: LostRequest) -> bool {
        lost.was_kept && is_idempotent(self.outgoing.request.method)
    }
}

impl User {
    /// Makes a connection within the profile's time.
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
        let longest_ns = start_ns.saturating_add(nanos(longest));
        let by = Connecting {
            turn: self.number as usize,
            start_ns,
            deadline: Deadline {
                timeout_ns: deadline.timeout_ns.min(longest_ns),
                ..deadline
            },
            late: "no connection in time",
        };
        connect(&thread, &self.watch, &endpoint, by, times).await
    }

    /// Opens the connection that the scenario's first fixed request needs, before the load
    /// begins; a failure shows when the request is made.
    pub async fn connect_ahead(&mut self) {
        let thread = Rc::clone(&self.thread);
        let first = self.scenario.program.ops.iter().find_map(|op| match op {
            Op::Request(id) => Some(*id),
            _ => None,
        });
        let Some(id) = first else { return };
        if !thread.starts.are_free(thread.clock.now_ns()) {
            return;
        }
        let Some(fixed) = &thread.prepared.fixed[id.0 as usize] else {
            return;
        };
        let request = &thread.program.requests[id.0 as usize];
        if let Ok(endpoint) = thread.endpoint(request.profile, &fixed.url) {
            let deadline = Deadline {
                timeout_ns: Nanos::MAX,
                cut_ns: self.scenario.cut_ns.get(),
            };
            let mut times = ConnectTimes::default();
            let connecting = self.connect_in_time(endpoint, &mut times, deadline);
            if let Ok(connection) = Box::pin(connecting).await {
                let now_ns = thread.clock.now_ns();
                self.connections.keep(endpoint, connection, now_ns);
            }
        }
    }
}
