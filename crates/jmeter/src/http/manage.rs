//! What the managers of a sampler do before and after its requests.

use plimsoll_elements::{Context as _, SampleResult};

use super::cache::{Cache, CacheManager, Pairs};
use super::client::Client;
use super::cookies::{CookieManager, Jar};
use super::credentials::Credentials;
use super::options::Cached;
use super::route::Route;
use super::session::{SamplerSession, Shot};
use super::settings::Eval;
use super::url::JavaUrl;
use crate::element_user::ElementUser;
use plimsoll_load::kit::http::Response;

/// Works on the cookies that a user has with a manager.
fn with_jar<T>(
    user: &mut ElementUser<'_>,
    manager: &CookieManager,
    run: impl FnOnce(&mut Jar, &mut Eval<'_>) -> T,
) -> T {
    let jars = std::rc::Rc::clone(&user.jm().http.jars);
    let mut jar = std::mem::take(jars.borrow_mut().of(manager.site));
    let result = user.evaluate(|cx| {
        let by = &mut Eval(Some(cx));
        manager.begin(&mut jar, by);
        run(&mut jar, by)
    });
    *jars.borrow_mut().of(manager.site) = jar;
    result
}

/// The `Cookie` header that a manager has for an address.
pub(crate) fn cookie_header(
    user: &mut ElementUser<'_>,
    manager: &CookieManager,
    url: &JavaUrl,
) -> Option<String> {
    with_jar(user, manager, |jar, by| manager.header(jar, url, by))
}

impl SamplerSession<'_> {
    /// The value of the `Cookie` header.
    pub fn cookies(&self, url: &JavaUrl) -> Option<String> {
        let manager = self.sampler.managers.cookies.as_deref()?;
        cookie_header(&mut self.user.borrow_mut(), manager, url)
    }

    /// Keeps the cookies of a response.
    pub fn keep_cookies(&self, url: &JavaUrl, response: &mut Response) {
        let Some(manager) = &self.sampler.managers.cookies else {
            return;
        };
        let set = std::mem::take(&mut response.set_cookies);
        if set.is_empty() {
            return;
        }
        let options = &self.options().cookies;
        let unix_seconds = self.unix_ms() / 1_000;
        let kept = with_jar(&mut self.user.borrow_mut(), manager, |jar, _| {
            let each = set.iter().filter_map(|header| {
                let header = super::head::latin(header);
                manager.store(jar, &header, url, options, unix_seconds)
            });
            each.collect::<Vec<_>>()
        });
        if let Some(prefix) = &options.save_as {
            let mut user = self.user.borrow_mut();
            user.evaluate(|cx| {
                for (name, value) in kept {
                    cx.set(&format!("{prefix}{name}"), &value);
                }
            });
        }
    }

    /// The time, milliseconds since 1970.
    pub fn unix_ms(&self) -> i64 {
        let clock = self.thread.clock;
        i64::try_from(clock.unix_ns(clock.now_ns()) / 1_000_000).unwrap_or(i64::MAX)
    }

    fn with_cache<T>(&self, run: impl FnOnce(&CacheManager, &mut Cache) -> T) -> Option<T> {
        let manager = self.sampler.managers.cache.as_deref()?;
        let mut user = self.user.borrow_mut();
        Some(run(manager, user.jm().http.caches.of(manager.site)))
    }

    /// Whether a response is a challenge that can be met; the request then is the next
    /// one.
    pub fn responds_to_challenge(&self, shot: &mut Shot, response: &Response) -> bool {
        if self.client == Client::Java {
            return false;
        }
        if response.status == 407 && shot.proxy_authorization.is_none() {
            let settings = &self.sampler.settings;
            let route = self
                .eval(|by| Route::of(settings, self.options(), by))
                .unwrap_or_default();
            shot.proxy_authorization = route.proxy_authorization();
            return shot.proxy_authorization.is_some();
        }
        if response.status != 401 || shot.authorization.is_some() || response.challenges.is_empty()
        {
            return false;
        }
        let Some(credentials) = self.credentials(&shot.target.url) else {
            return false;
        };
        let cnonce = self.user.borrow_mut().random.bits();
        let target = String::from_utf8_lossy(&shot.target.request);
        shot.authorization =
            credentials.response(&response.challenges, &shot.method, &target, cnonce);
        shot.authorization.is_some()
    }

    /// The headers that ask whether what is known is still true.
    pub fn questions(&self, url: &str, sent: &Pairs) -> Vec<(&'static str, String)> {
        let asked = self.with_cache(|manager, cache| manager.questions(cache, url, sent));
        asked.unwrap_or_default()
    }

    /// Whether the response to a GET is known and still good.
    pub fn knows(&self, url: &str, sent: &Pairs) -> bool {
        let now_ms = self.unix_ms();
        let known = self.with_cache(|manager, cache| manager.knows(cache, url, sent, now_ms));
        known.unwrap_or(false)
    }

    /// The result of a request that was not made since its response is known; none: no sample.
    pub fn known(&self, result: &mut SampleResult) -> bool {
        match &self.options().cached {
            Cached::NoSample => return false,
            Cached::Ok(message) => {
                "200".clone_into(&mut result.code);
                message.clone_into(&mut result.message);
            }
            Cached::Custom(code, message) => {
                code.clone_into(&mut result.code);
                message.clone_into(&mut result.message);
            }
        }
        result.success = true;
        true
    }

    /// Keeps what a response says of its age.
    pub fn save(&self, url: &str, method: &str, sent: &Pairs, response: &Response) {
        let good = (200..300).contains(&response.status) || response.status == 304;
        if !good || !self.options().caches(method) {
            return;
        }
        let now_ms = self.unix_ms();
        self.with_cache(|manager, cache| manager.save(cache, url, sent, &response.head, now_ms));
    }

    /// The credentials for an address.
    pub fn credentials(&self, url: &JavaUrl) -> Option<Credentials> {
        let manager = self.sampler.managers.auth.as_deref()?;
        self.eval(|by| manager.find(url, by))
    }
}
