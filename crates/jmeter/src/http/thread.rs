//! What the HTTP samplers of a load thread share.

use std::cell::{OnceCell, RefCell};
use std::collections::HashMap;
use std::path::Path;
use std::rc::Rc;
use std::sync::Arc;

use plimsoll_access::Access;
use plimsoll_elements::Properties;
use plimsoll_plan::model::TlsSettings;
use plimsoll_plan::program::SiteId;
use rustls::ClientConfig;

use super::options::HttpOptions;
use plimsoll_load::kit::driver::EndpointId;
use plimsoll_load::kit::driver::NameResolver;
use plimsoll_load::kit::driver::tls;

/// What the HTTP samplers of a thread share.
#[derive(Default)]
pub struct HttpThread {
    pub(super) endpoints: RefCell<HashMap<Box<str>, EndpointId>>,
    pub(super) resolvers: RefCell<HashMap<Option<SiteId>, Rc<NameResolver>>>,
    tls: OnceCell<Result<Arc<ClientConfig>, String>>,
    pub(super) options: OnceCell<HttpOptions>,
}

impl HttpThread {
    /// TLS with whom it may be: JMeter takes any certificate.
    ///
    /// # Errors
    /// Why there is none.
    pub(crate) fn trusting(
        &self,
        folder: &Path,
        access: &Access,
    ) -> Result<Arc<ClientConfig>, String> {
        let make = || {
            let settings = TlsSettings {
                insecure: true,
                ..TlsSettings::default()
            };
            let made = tls::config(&settings, folder, access);
            made.map_err(|error| error.to_string())
        };
        self.tls.get_or_init(make).clone()
    }

    /// What JMeter's properties say; read once.
    pub(crate) fn options(&self, properties: &Properties) -> &HttpOptions {
        self.options.get_or_init(|| HttpOptions::of(properties))
    }
}
