//! The HTTP sampler: requests as JMeter 5.6.3 with HttpClient 4.5 sends them, and results as
//! it fills them.
//!
//! Texts are put together once where they never change. The bytes of requests go over the
//! engine's own HTTP/1.1 client.

pub mod access_log;
mod body;
mod cache;
pub(super) mod charset;
mod connect;
mod cookies;
mod credentials;
mod device;
mod failure;
mod file;
mod follow;
mod head;
mod java;
pub mod keystore;
mod legal;
mod links;
mod managers;
pub mod modifiers;
mod names;
mod options;
mod prepare;
mod resources;
mod result;
mod sample;
mod settings;
mod shown;
mod target;
mod url;

use std::borrow::Cow;
use std::cell::RefCell;
use std::rc::Rc;
use std::sync::Arc;

use plimsoll_elements::{Evaluated, Fields};
use plimsoll_plan::program::{ElementId, ElementProgram, Package, Program, SiteId};
use plimsoll_text::Message;

use super::changed::{CREDENTIALS, HEADERS};
use super::needs::Needs;
use super::sampled::Sampled;
use crate::element_user::ElementUser;
use body::{Entity, Shape};
use credentials::AuthManager;
use head::Headers;
use java::Client;
use managers::{Kept, Managers};
use plimsoll_load::timer::Watch;
use plimsoll_load::user::Cut;
use sample::{Session, Shot};
use settings::{Eval, Settings};
use target::Target;

pub use connect::HttpThread;
pub(super) use result::is_redirect;

/// Whether an element of this class is an HTTP sampler.
#[must_use]
pub fn is_http(class: &str) -> bool {
    matches!(
        class,
        "HTTPSamplerProxy" | "HTTPSampler" | "HTTPSampler2" | "GraphQLHTTPSampler"
    )
}

/// An HTTP sampler with the configuration of its package, bound once for the run.
#[derive(Debug, Clone)]
pub struct HttpSampler {
    settings: Settings,
    headers: Arc<Headers>,
    /// Where its only header manager is.
    header_site: Option<SiteId>,
    /// The address, when it never changes.
    target: Option<Arc<Target>>,
    /// The body, when it never changes.
    entity: Option<Entity>,
    needs: Needs,
    /// The sampler itself reads bodies.
    reads_body: bool,
    /// Nothing follows from responses but redirects.
    is_simple: bool,
    /// Its protocol may be `file`.
    may_read_files: bool,
    managers: Arc<Managers>,
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
        let settings = Settings::bind(&sources);
        let headers = of_class("HeaderManager");
        let mut sampler = Self::of(
            settings,
            Headers::bind(&headers),
            Arc::new(Managers::bind(&configs)),
            needs,
            program,
        );
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
        let settings = Settings::bind(&[fields]);
        let headers: Vec<Fields<'_>> = fields.element(HEADERS).into_iter().collect();
        let mut managers = Arc::clone(&self.managers);
        if let Some(credentials) = fields.element(CREDENTIALS) {
            Arc::make_mut(&mut managers).auth = Some(Arc::new(AuthManager::bind(credentials)));
        }
        Self::of(
            settings,
            Headers::bind(&headers),
            managers,
            self.needs,
            program,
        )
    }

    /// The sampler with its managers as scripts left them before, if they did.
    fn with_left<'s>(&'s self, left: &[(SiteId, ElementProgram)]) -> Cow<'s, Self> {
        let mut sampler = Cow::Borrowed(self);
        for (site, manager) in left {
            if self.header_site == Some(*site) {
                sampler.to_mut().headers = Arc::new(Headers::bind(&[Fields(manager)]));
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
        settings: Settings,
        headers: Headers,
        managers: Arc<Managers>,
        needs: Needs,
        program: &Program,
    ) -> Self {
        let before = &mut Eval(None);
        let fixed_method = settings.method_text(before).ok();
        let fixed_url = fixed_method.and_then(|method| settings.url(before, &method).ok());
        let is_plain = |shape| matches!(shape, Shape::Raw | Shape::Form);
        let entity = match settings.shape(before) {
            Ok(shape) if is_plain(shape) => {
                // Bodies of these shapes are made of no files.
                let files = body::Files {
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
        }
    }
}

/// What HTTP samplers keep for a user: cookies, cached responses, connections, credentials.
#[derive(Default)]
pub struct HttpUser {
    connections: Vec<connect::Kept>,
    jars: Kept<cookies::Jar>,
    caches: Kept<cache::Cache>,
    /// Numbers of sessions that were found.
    saved: Kept<String>,
    /// How it shows who it is, where servers ask for a certificate.
    identity: Option<Arc<keystore::Identity>>,
    /// Managers as scripts left them, by their sites.
    left: Vec<(SiteId, ElementProgram)>,
    /// What pre-processors want changed of the next sampler.
    pub(super) pending: Vec<Arc<modifiers::Modifier>>,
}

impl HttpUser {
    /// Keeps a manager as a script left it.
    pub fn leave(&mut self, site: SiteId, manager: ElementProgram) {
        match self.left.iter_mut().find(|(known, _)| *known == site) {
            Some((_, left)) => *left = manager,
            None => self.left.push((site, manager)),
        }
    }

    /// All managers as scripts left them, by their sites.
    #[must_use]
    pub fn all_left(&self) -> &[(SiteId, ElementProgram)] {
        &self.left
    }

    /// A manager as a script left it.
    #[must_use]
    pub fn left(&self, site: SiteId) -> Option<&ElementProgram> {
        let found = self.left.iter().find(|(known, _)| *known == site);
        found.map(|(_, manager)| manager)
    }

    /// Puts the user's cookies into a cookie manager that scripts are shown.
    pub fn show_cookies(&mut self, site: SiteId, manager: &mut Evaluated) {
        if shown::is_manager(manager) {
            self.jars.of(site).show(manager);
        }
    }

    /// Takes over what a script changed of the cookies; `before` is what it was shown.
    pub fn take_cookies(&mut self, before: &[(SiteId, Evaluated)], sampler: &Evaluated) {
        // Of several managers the farthest counts.
        let manager = before.iter().rev().find(|(_, it)| shown::is_manager(it));
        if let Some((site, manager)) = manager
            && let Some(left) = shown::changed(manager, sampler)
        {
            self.jars.of(*site).take(manager, left);
        }
    }

    /// An iteration of the user's thread group begins; `same_user`: as JMeter's "same user on
    /// each iteration".
    pub fn iteration_begins(&mut self, same_user: bool, resets: bool) {
        if !same_user && resets {
            self.connections.clear();
            // Its TLS sessions with it.
            self.identity = None;
        }
        self.jars.forget(|jar| jar.ends(same_user));
        self.caches.forget(|cache| cache.ends(same_user));
    }
}

/// Makes the sample. Texts are had from `user.evaluate(|cx| cx.text(template))`
/// (`plimsoll_elements::Context`); what must wait for the companion was computed before.
pub(crate) async fn sample(
    user: &mut ElementUser<'_>,
    sampler: &HttpSampler,
    label: &str,
) -> Result<Option<Sampled>, Cut> {
    let thread = Rc::clone(&user.thread);
    let watch = Watch::cuttable(&thread.timers);
    let pending = std::mem::take(&mut user.jm().http.pending);
    let limit_ns = user.interrupt_ns();
    let sampler = match user.jm().http.left.as_slice() {
        [] => Cow::Borrowed(sampler),
        left => sampler.with_left(left),
    };
    let sampler = &*sampler;
    let sampler = &*modifiers::changed(sampler, &pending, user);
    let mut session = Session {
        user: RefCell::new(user.borrowed()),
        thread,
        sampler,
        label,
        client: Client::HttpClient,
        limit_ns,
        origin: std::cell::OnceCell::new(),
    };
    let settings = &sampler.settings;
    let usual = &session.thread.http.options(&session.thread.jmeter).client;
    let client = session.eval(|by| settings.client(by, usual));
    let place = session.eval(|by| {
        let method = settings.method_text(by)?.into_owned();
        let target = match &sampler.target {
            Some(target) => Arc::clone(target),
            None => Arc::new(settings.url(by, &method)?.into()),
        };
        Ok::<_, failure::Problem>((target, method))
    });
    let (target, method) = match place {
        Ok(place) => place,
        Err(problem) => {
            // Not even an address: JMeter's result has no label then.
            let shot = Shot::new(Arc::default(), "", false, 0);
            return Ok(Some(session.fail(session.begin(&shot), &problem.bare())));
        }
    };
    match client {
        Ok(client) => session.client = client,
        Err(problem) => {
            let shot = Shot::new(Arc::default(), "", false, 0);
            let mut failed = session.fail(session.begin(&shot), &problem);
            label.clone_into(&mut failed.result.label);
            return Ok(Some(failed));
        }
    }
    let shot = Shot::new(target, &method, false, 0);
    let sampled = session.shoot(&watch, shot).await?;
    Ok(sampled.map(|mut sampled| {
        if sampled.result.url.is_some() {
            label.clone_into(&mut sampled.result.label);
        }
        sampled
    }))
}
