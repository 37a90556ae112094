//! A sampler at work for a user: its requests, and what they are made with.

use std::cell::{OnceCell, RefCell};
use std::rc::Rc;
use std::sync::Arc;

use super::client::Client;
use super::java::JavaLines;
use super::options::HttpOptions;
use super::sampler::HttpSampler;
use super::settings::Eval;
use super::target::HttpTarget;
use crate::element_user::ElementUser;
use crate::thread::ElementThread;
use plimsoll_load::clock::Nanos;
use plimsoll_load::kit::driver::EndpointId;

/// A sampler at work for a user. Several requests may be under way at once; the user is
/// borrowed only between waits.
pub(super) struct SamplerSession<'u> {
    /// The user.
    pub user: RefCell<ElementUser<'u>>,
    /// The user's thread.
    pub thread: Rc<ElementThread>,
    /// The sampler.
    pub sampler: &'u HttpSampler,
    /// Its label.
    pub label: &'u str,
    /// The client that makes its requests.
    pub client: Client,
    /// When it is cut off.
    pub limit_ns: Nanos,
    /// Where the sampler's own request went: credentials of the plan's headers are for that
    /// place alone, not for those that its responses name.
    pub origin: OnceCell<Arc<HttpTarget>>,
}

/// A request to be made.
pub(super) struct Shot {
    /// Where to.
    pub target: Arc<HttpTarget>,
    /// Method.
    pub method: String,
    /// It follows a redirect.
    pub following: bool,
    /// It goes to another place than the sampler's own: credentials of the plan's headers stay
    /// behind.
    pub foreign: bool,
    /// It is loaded with a page, several resources at once.
    pub beside_others: bool,
    /// How deep in frames and other embedded resources it is.
    pub depth: u32,
    /// The response to a challenge.
    pub authorization: Option<String>,
    /// The response to a proxy's challenge.
    pub proxy_authorization: Option<String>,
    /// The headers that it takes over from the request before it, in a chain of redirects that
    /// Java follows itself.
    pub carried: Option<JavaLines>,
}

impl Shot {
    /// A request without credentials of its own.
    pub fn new(target: Arc<HttpTarget>, method: &str, following: bool, depth: u32) -> Self {
        Self {
            target,
            method: method.to_owned(),
            following,
            foreign: false,
            beside_others: false,
            depth,
            authorization: None,
            proxy_authorization: None,
            carried: None,
        }
    }
}

/// A request, ready to be sent.
pub(super) struct ReadyRequest {
    /// Where to.
    pub endpoint: EndpointId,
    /// Length of the head.
    pub head_bytes: usize,
    /// The body waits for `100 Continue`.
    pub expects: bool,
    /// The connection may be kept.
    pub keeps: bool,
    /// Longest time to connect.
    pub connect_timeout_ns: Option<Nanos>,
    /// Longest wait for more of the response.
    pub read_timeout_ns: Option<Nanos>,
    /// The plan's headers, when the cache manager compares them.
    pub sent: Vec<(String, String)>,
    /// The response is known: nothing is to be sent.
    pub known: bool,
    /// The headers that Java's own client sends.
    pub lines: JavaLines,
}

impl SamplerSession<'_> {
    /// What JMeter's properties say of HTTP.
    pub fn options(&self) -> &HttpOptions {
        self.thread.http.options(&self.thread.jmeter.properties)
    }

    /// Evaluates something for the user.
    pub fn eval<T>(&self, run: impl FnOnce(&mut Eval<'_>) -> T) -> T {
        let mut user = self.user.borrow_mut();
        user.evaluate(|cx| run(&mut Eval(Some(cx))))
    }
}
