//! The HTTP sampler with the configuration of its package, bound once for the run.

use std::borrow::Cow;
use std::sync::Arc;

use plimsoll_elements::Fields;
use plimsoll_elements::fields::Field;
use plimsoll_plan::program::{ElementId, ElementProgram, Package, Program, SiteId};
use plimsoll_text::Message;

use super::body::{BodyShape, Files, HttpEntity};
use super::credentials::AuthManager;
use super::head::SamplerHeaders;
use super::managers::Managers;
use super::settings::{Eval, SamplerSettings};
use super::target::HttpTarget;
use super::url_list;
use crate::changed::{CREDENTIALS, HEADERS};
use crate::needs::Needs;

/// Whether an element of this class is an HTTP sampler.
#[must_use]
pub fn is_http(class: &str) -> bool {
    matches!(
        class,
        "HTTPSamplerProxy"
            | "HTTPSampler"
            | "HTTPSampler2"
            | "GraphQLHTTPSampler"
            | url_list::CLASS
    )
}

/// An HTTP sampler with the configuration of its package, bound once for the run.
#[derive(Debug, Clone)]
pub struct HttpSampler {
    pub(super) settings: SamplerSettings,
    pub(super) headers: Arc<SamplerHeaders>,
    /// Where its only header manager is.
    pub(super) header_site: Option<SiteId>,
    /// The address, when it never changes.
    pub(super) target: Option<Arc<HttpTarget>>,
    /// The body, when it never changes.
    pub(super) entity: Option<HttpEntity>,
    pub(super) needs: Needs,
    /// The sampler itself reads bodies.
    pub(super) reads_body: bool,
    /// Nothing follows from responses but redirects.
    pub(super) is_simple: bool,
    /// Its protocol may be `file`.
    pub(super) may_read_files: bool,
    pub(super) managers: Arc<Managers>,
    /// The addresses of a sampler that has a list of them.
    pub(super) urls: Option<Arc<Vec<Field>>>,
}

impl HttpSampler {
    /// Binds a package's sampler. Its configuration is in `package.configs`, the nearest
    /// first.
    ///
    /// # Errors
    /// What is wrong with its properties.
    pub fn bind(program: &Program, package: &Package, needs: Needs) -> Result<Self, Message> {
        let element = |id: &ElementId| Fields(&program.elements[id.0 as usize]);
        let mut sources: Vec<Fields<'_>> = package.sampler.iter().map(element).collect();
        let configs: Vec<Fields<'_>> = package.configs.iter().map(element).collect();
        let of_class = |class: &str| {
            let found = configs.iter().filter(|config| config.0.class == class);
            found.copied().collect::<Vec<_>>()
        };
        let is_manager = |class: &str| {
            matches!(
                class,
                "HeaderManager"
                    | "CookieManager"
                    | "CacheManager"
                    | "AuthManager"
                    | "DNSCacheManager"
                    | "KeystoreConfig"
            )
        };
        let defaults = configs.iter().filter(|config| !is_manager(&config.0.class));
        sources.extend(defaults);
        let mut settings = SamplerSettings::bind(&sources);
        let urls = sources
            .first()
            .and_then(|own| url_list::bind(*own, &mut settings));
        let headers = of_class("HeaderManager");
        let mut sampler = Self::of(
            settings,
            SamplerHeaders::bind(&headers),
            Arc::new(Managers::bind(&configs)),
            needs,
            program,
        );
        sampler.urls = urls.map(Arc::new);
        if let [only] = headers.as_slice() {
            sampler.header_site = Some(only.0.site);
        }
        Ok(sampler)
    }
}

impl HttpSampler {
    /// The sampler as a script left it, with all its configuration in the element; managers
    /// with a memory stay those of the plan.
    pub fn changed(&self, element: &ElementProgram, program: &Program) -> Self {
        let fields = Fields(element);
        let mut settings = SamplerSettings::bind(&[fields]);
        let urls = url_list::bind(fields, &mut settings);
        let headers: Vec<Fields<'_>> = fields.element(HEADERS).into_iter().collect();
        let mut managers = Arc::clone(&self.managers);
        if let Some(credentials) = fields.element(CREDENTIALS) {
            Arc::make_mut(&mut managers).auth = Some(Arc::new(AuthManager::bind(credentials)));
        }
        let mut changed = Self::of(
            settings,
            SamplerHeaders::bind(&headers),
            managers,
            self.needs,
            program,
        );
        changed.urls = urls.map(Arc::new);
        changed
    }

    /// The sampler with its managers as scripts left them before, if they did.
    pub(super) fn with_left<'s>(&'s self, left: &[(SiteId, ElementProgram)]) -> Cow<'s, Self> {
        let mut sampler = Cow::Borrowed(self);
        for (site, manager) in left {
            if self.header_site == Some(*site) {
                sampler.to_mut().headers = Arc::new(SamplerHeaders::bind(&[Fields(manager)]));
            } else if self
                .managers
                .auth
                .as_ref()
                .is_some_and(|auth| auth.site == *site)
            {
                let managers = Arc::make_mut(&mut sampler.to_mut().managers);
                managers.auth = Some(Arc::new(AuthManager::bind(Fields(manager))));
            }
        }
        sampler
    }

    fn of(
        settings: SamplerSettings,
        headers: SamplerHeaders,
        managers: Arc<Managers>,
        needs: Needs,
        program: &Program,
    ) -> Self {
        let before = &mut Eval(None);
        let fixed_method = settings.method_text(before).ok();
        let fixed_url = fixed_method.and_then(|method| settings.url(before, &method).ok());
        let is_plain = |shape| matches!(shape, BodyShape::Raw | BodyShape::Form);
        let entity = match settings.shape(before) {
            Ok(shape) if is_plain(shape) => {
                // Bodies of these shapes are made of no files.
                let files = Files {
                    folder: &program.folder,
                    access: &plimsoll_access::Access::default(),
                };
                let made = settings.entity(before, files, &mut String::new);
                made.ok()
            }
            _ => None,
        };
        let protocol = settings.protocol.text(before);
        let may_read_files = protocol.map_or(true, |protocol| *protocol == *"file");
        let is_simple = settings.embedded.is_empty();
        let reads_body = !settings.embedded.is_empty() || !settings.md5.is_empty();
        Self {
            headers: Arc::new(headers),
            header_site: None,
            target: fixed_url.map(|url| Arc::new(url.into())),
            entity,
            settings,
            needs,
            reads_body,
            is_simple,
            may_read_files,
            managers,
            urls: None,
        }
    }
}
