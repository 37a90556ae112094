//! What follows from a response: redirects and embedded resources (JMeter 5.6.3,
//! `HTTPSamplerBase.resultProcessing`).

use std::cell::Cell;
use std::future::{Future, poll_fn};
use std::pin::Pin;
use std::sync::Arc;
use std::task::Poll;

use plimsoll_elements::DataType;
use plimsoll_elements::pattern::{Dialect, Pattern};

use super::chain::{copy, failed_copy, put_failure, summary, take_over, tell};
use super::client::Client;
use super::failure::HttpProblem;
use super::resources::{self, kind_of, relative};
use super::result::is_redirect;
use super::session::{ReadyRequest, SamplerSession, Shot};
use super::url::JavaUrl;
use crate::sampled::Sampled;
use plimsoll_load::kit::http::RedirectRules;
use plimsoll_load::kit::http::Response;
use plimsoll_load::kit::timer::Watch;
use plimsoll_load::kit::user::Cut;

/// Parallel downloads unless the sampler says how many.
const POOL: usize = 6;
/// Most parallel downloads.
const MAX_POOL: usize = 256;

/// What HttpClient does with redirects (4.5.14, `LaxRedirectStrategy`).
const BY_HTTP_CLIENT: RedirectRules = RedirectRules {
    follows: |status, method| match status {
        301 | 302 | 307 | 308 => matches!(method, "GET" | "POST" | "HEAD" | "DELETE"),
        303 => true,
        _ => false,
    },
    becomes_get: |status, method| !matches!(status, 307 | 308) && method != "HEAD",
};

type Made<'f> = Pin<Box<dyn Future<Output = Result<Option<Sampled>, Cut>> + 'f>>;

impl SamplerSession<'_> {
    /// A request within another one.
    fn within<'f>(&'f self, watch: &'f Watch, shot: Shot) -> Made<'f> {
        Box::pin(self.shoot(watch, shot))
    }

    /// Follows redirects and loads embedded resources.
    pub async fn process(
        &self,
        watch: &Watch,
        following: bool,
        depth: u32,
        url: &JavaUrl,
        sampled: Sampled,
    ) -> Result<Sampled, Cut> {
        let settings = &self.sampler.settings;
        let mut whole = sampled;
        let mut redirected = false;
        if !following
            && is_redirect(&whole.result)
            && self.eval(|by| settings.follow.truth(by)).unwrap_or(false)
        {
            whole = self.redirects(watch, depth, url, whole).await?;
            redirected = true;
        }
        let embeds = whole.result.success
            && whole.result.data_type == DataType::Text
            && !settings.embedded.is_empty()
            && self.eval(|by| settings.embedded.truth(by)).unwrap_or(false);
        if !embeds {
            return Ok(whole);
        }
        if depth > self.options().max_frame_depth {
            let message = "Maximum frame/iframe nesting depth exceeded.";
            let problem = HttpProblem::new("java.lang.Exception", message);
            let part = failed_copy(&whole, &problem);
            self.add(&mut whole, part);
            return Ok(whole);
        }
        // After redirects the resources of the last response are there already.
        if redirected {
            return Ok(whole);
        }
        self.embedded(watch, depth, url, whole).await
    }

    /// Adds a part, which is then of the user's thread.
    fn add(&self, whole: &mut Sampled, mut part: Sampled) {
        let mut user = self.user.borrow_mut();
        let info = &user.jm().info;
        part.result.thread_name = info.name.to_string();
        whole.result.add_part(part.result, info.renames_parts);
        whole.times.end_ns = whole.times.end_ns.max(part.times.end_ns);
        whole.times.parts.push(part.times);
    }

    /// Puts the first part into what stands for it already.
    fn keep(&self, whole: &mut Sampled, first: Sampled) {
        let renames = self.user.borrow_mut().jm().info.renames_parts;
        whole.result.keep_part(first.result, renames);
        whole.times.parts.push(first.times);
    }

    /// Adds a hop; of one that has parts itself (a page with its resources), the parts.
    fn add_parts(&self, whole: &mut Sampled, hop: Sampled) {
        if hop.result.parts.is_empty() {
            return self.add(whole, hop);
        }
        let times = hop.times.parts.into_iter().map(Some);
        let times = times.chain(std::iter::repeat_with(|| None));
        for (result, times) in hop.result.parts.into_iter().zip(times) {
            let times = times.unwrap_or_default();
            self.add(whole, Sampled::new(result, times));
        }
    }

    /// The next request of a chain of redirects that HttpClient follows itself.
    pub fn onward(
        &self,
        shot: &Shot,
        ready: &ReadyRequest,
        response: &Response,
        redirects: u32,
    ) -> Result<Option<Shot>, HttpProblem> {
        if self.client == Client::Java {
            return self.onward_java(shot, ready, response, redirects);
        }
        let settings = &self.sampler.settings;
        let method = shot.method.as_str();
        let Some(to) = BY_HTTP_CLIENT.location(response, method) else {
            return Ok(None);
        };
        if !self.eval(|by| settings.auto.truth(by))? {
            return Ok(None);
        }
        if redirects >= self.options().max_redirects {
            return Err(HttpProblem {
                class: "org.apache.http.client.ClientProtocolException".to_owned(),
                message: None,
                kind: plimsoll_stats::ErrorKind::RedirectLoop,
                bare: false,
            });
        }
        let becomes_get = (BY_HTTP_CLIENT.becomes_get)(response.status, method);
        // HttpClient itself sends the bytes on as they came.
        let byte = |c: char| match c.is_ascii() {
            true => c.to_string(),
            false => format!("%{:02X}", u32::from(c)),
        };
        let to: String = to.chars().map(byte).collect();
        let target = Arc::new(location(&shot.target.url, &to)?.into());
        let method = if becomes_get { "GET" } else { method };
        let mut next = Shot::new(target, method, becomes_get, shot.depth);
        next.foreign = shot.foreign || !next.target.url.has_origin_of(&shot.target.url);
        Ok(Some(next))
    }

    /// Follows redirects (`followRedirects`).
    async fn redirects(
        &self,
        watch: &Watch,
        depth: u32,
        url: &JavaUrl,
        first: Sampled,
    ) -> Result<Sampled, Cut> {
        let mut whole = copy(&first, false);
        let mut last = summary(&first.result);
        let mut at = url.clone();
        self.keep(&mut whole, first);
        let mut count = 0;
        let most = self.options().max_redirects;
        while count < most {
            let next = location(&at, &last.redirect_location);
            let method = if last.method.eq_ignore_ascii_case("HEAD") {
                "HEAD"
            } else {
                "GET"
            };
            match next {
                Ok(next) => {
                    at = next;
                    let shot = Shot::new(Arc::new(at.clone().into()), method, true, depth);
                    let Some(mut hop) = self.within(watch, shot).await? else {
                        break;
                    };
                    last = summary(&hop.result);
                    take_over(&mut whole, &hop);
                    whole.failed = hop.failed.take();
                    self.add_parts(&mut whole, hop);
                }
                Err(problem) => {
                    problem.put(&mut last);
                    put_failure(&mut whole, &problem);
                }
            }
            if !is_redirect(&last) {
                break;
            }
            count += 1;
        }
        if count == most {
            self.give_up(&mut whole, most);
        }
        Ok(whole)
    }

    /// Ends a chain that has no end: its last request failed, and so did all.
    fn give_up(&self, whole: &mut Sampled, most: u32) {
        let message = format!("Exceeded maximum number of redirects: {most}");
        let problem = HttpProblem {
            kind: plimsoll_stats::ErrorKind::RedirectLoop,
            ..HttpProblem::new("java.io.IOException", message)
        };
        let mut end = whole.result.parts.last().map_or_else(
            || copy(whole, true),
            |part| {
                let times = whole.times.parts.last().cloned().unwrap_or_default();
                Sampled::new(part.clone(), times)
            },
        );
        problem.put(&mut end.result);
        end.times.error = Some(problem.kind);
        put_failure(whole, &problem);
        self.add(whole, end);
    }

    /// Loads what a page wants loaded with it (`downloadPageResources`).
    async fn embedded(
        &self,
        watch: &Watch,
        depth: u32,
        url: &JavaUrl,
        mut page: Sampled,
    ) -> Result<Sampled, Cut> {
        let kind = kind_of(&page.result.content_type).filter(|_| !page.result.body.is_empty());
        let Some(kind) = kind else {
            return Ok(page);
        };
        let found = match resources::find(kind, &page.result, url) {
            Ok(found) => found,
            Err(bad) => {
                let class = "org.apache.jmeter.protocol.http.parser.HTMLParseException";
                let problem = HttpProblem::new(class, format!("{}: {}", bad.class, bad.message));
                let part = failed_copy(&page, &problem);
                self.add(&mut page, part);
                tell(&mut page.result);
                return Ok(page);
            }
        };
        if found.is_empty() {
            return Ok(page);
        }
        let wanted = self.wanted(found);
        let mut whole = copy(&page, false);
        whole.failed = page.failed.take();
        self.keep(&mut whole, page);
        self.load_into(&mut whole, watch, depth, wanted).await?;
        Ok(whole)
    }

    /// Loads resources, each a part of what wants them.
    pub(super) async fn load_into(
        &self,
        whole: &mut Sampled,
        watch: &Watch,
        depth: u32,
        wanted: Vec<JavaUrl>,
    ) -> Result<(), Cut> {
        for made in self.load(watch, depth, wanted).await? {
            let succeeded = made.result.success;
            self.add(whole, made);
            if !self.options().ignore_failed_resources {
                whole.result.success &= succeeded;
                if !whole.result.success {
                    tell(&mut whole.result);
                    whole
                        .times
                        .error
                        .get_or_insert(plimsoll_stats::ErrorKind::Other);
                }
            }
        }
        Ok(())
    }

    /// Those addresses that the sampler's patterns let through.
    pub(super) fn wanted(&self, found: Vec<JavaUrl>) -> Vec<JavaUrl> {
        let settings = &self.sampler.settings;
        let pattern = |setting: &super::settings::Setting| {
            if setting.is_empty() {
                return None;
            }
            let text = self.eval(|by| setting.text(by).map(std::borrow::Cow::into_owned));
            let text = text.ok().filter(|text| !text.is_empty())?;
            let engine = self.thread.jmeter.properties.get("jmeter.regex.engine");
            let dialect = match engine {
                Some(engine) if !engine.eq_ignore_ascii_case("oro") => Dialect::Java,
                _ => Dialect::Perl5,
            };
            // A pattern that is none lets all through, as in JMeter.
            Pattern::new(&text, dialect).ok()
        };
        let allow = pattern(&settings.embedded_allow);
        let exclude = pattern(&settings.embedded_exclude);
        let sanitized = found.into_iter().map(|url| url.sanitized());
        let wanted = sanitized.filter(|url| {
            let text = url.to_string();
            allow.as_ref().is_none_or(|allow| allow.matches(&text))
                && !exclude
                    .as_ref()
                    .is_some_and(|exclude| exclude.matches(&text))
        });
        wanted.map(JavaUrl::normalized).collect()
    }

    /// Loads resources, one after the other or several at once; results in their order.
    async fn load(
        &self,
        watch: &Watch,
        depth: u32,
        urls: Vec<JavaUrl>,
    ) -> Result<Vec<Sampled>, Cut> {
        let parallel = self.is_parallel();
        let shot = |url: &JavaUrl| {
            let target = Arc::new(url.clone().into());
            let mut shot = Shot::new(target, "GET", false, depth + 1);
            // JMeter keeps fingerprints of those that it loads beside others.
            shot.beside_others = parallel;
            shot
        };
        let mut results: Vec<Option<Sampled>> = Vec::new();
        let at_once = self.at_once().min(urls.len());
        if at_once <= 1 {
            for url in &urls {
                results.push(self.within(watch, shot(url)).await?);
            }
        } else {
            results.resize_with(urls.len(), || None);
            let next = Cell::new(0);
            let places: Vec<Cell<Option<Sampled>>> = urls.iter().map(|_| Cell::new(None)).collect();
            let (next, places, urls, shot) = (&next, &places, &urls, &shot);
            let worker = |_| {
                Box::pin(async move {
                    let watch = Watch::cuttable(&self.thread.timers);
                    loop {
                        let at = next.get();
                        let Some(url) = urls.get(at) else {
                            return Ok(());
                        };
                        next.set(at + 1);
                        places[at].set(self.within(&watch, shot(url)).await?);
                    }
                })
            };
            all((0..at_once).map(worker).collect()).await?;
            for (place, result) in places.iter().zip(&mut results) {
                *result = place.take();
            }
        }
        Ok(results.into_iter().flatten().collect())
    }

    /// Whether resources are loaded several at once.
    fn is_parallel(&self) -> bool {
        let settings = &self.sampler.settings;
        self.eval(|by| settings.parallel.truth(by)).unwrap_or(false)
    }

    /// How many resources are loaded at once.
    fn at_once(&self) -> usize {
        if !self.is_parallel() {
            return 1;
        }
        let settings = &self.sampler.settings;
        let pool = self.eval(|by| settings.pool.whole(by, 0)).unwrap_or(0);
        match usize::try_from(pool) {
            Ok(0) | Err(_) => POOL,
            Ok(pool) => pool.min(MAX_POOL),
        }
    }
}

/// Waits for all futures; the first error ends them.
async fn all<E, F: Future<Output = Result<(), E>> + Unpin>(mut futures: Vec<F>) -> Result<(), E> {
    poll_fn(|cx| {
        let mut failed = None;
        futures.retain_mut(|future| match Pin::new(future).poll(cx) {
            Poll::Pending => true,
            Poll::Ready(Ok(())) => false,
            Poll::Ready(Err(error)) => {
                failed = Some(error);
                false
            }
        });
        match failed {
            Some(error) => Poll::Ready(Err(error)),
            None if futures.is_empty() => Poll::Ready(Ok(())),
            None => Poll::Pending,
        }
    })
    .await
}

/// Where a redirect leads.
pub fn location(from: &JavaUrl, location: &str) -> Result<JavaUrl, HttpProblem> {
    let location = location.trim().replace(' ', "%20");
    Ok(relative(from, &location)?.sanitized())
}
