//! What the HTTP samplers of a load thread share.

use std::cell::{OnceCell, RefCell};
use std::collections::HashMap;
use std::rc::Rc;
use std::sync::Arc;

use plimsoll_elements::Properties;
use plimsoll_plan::program::SiteId;
use rustls::ClientConfig;

use super::options::HttpOptions;
use plimsoll_load::driver::EndpointId;
use plimsoll_load::driver::resolve::NameResolver;

/// What the HTTP samplers of a thread share.
#[derive(Default)]
pub struct HttpThread {
    pub(super) endpoints: RefCell<HashMap<Box<str>, EndpointId>>,
    pub(super) resolvers: RefCell<HashMap<Option<SiteId>, Rc<NameResolver>>>,
    pub(super) tls: OnceCell<Result<Arc<ClientConfig>, String>>,
    pub(super) options: OnceCell<HttpOptions>,
}

impl HttpThread {
    /// What JMeter's properties say; read once.
    pub(crate) fn options(&self, properties: &Properties) -> &HttpOptions {
        self.options.get_or_init(|| HttpOptions::of(properties))
    }
}
