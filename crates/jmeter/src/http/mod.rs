//! The HTTP sampler: requests as JMeter 5.6.3 with HttpClient 4.5 sends them, and results as
//! it fills them.
//!
//! Texts are put together once where they never change. The bytes of requests go over the
//! engine's own HTTP/1.1 client.

pub mod access_log;
mod arguments;
mod body;
mod cache;
mod chain;
pub(super) mod charset;
mod client;
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
mod load_list;
mod manage;
mod managers;
pub mod modifiers;
mod modify;
mod names;
mod options;
mod prepare;
pub mod replay;
mod resources;
mod result;
mod route;
mod sample;
mod sampler;
mod session;
mod settings;
mod shown;
mod target;
mod thread;
mod url;
mod url_list;
mod user;

use std::borrow::Cow;
use std::cell::RefCell;
use std::rc::Rc;
use std::sync::Arc;

use super::sampled::Sampled;
use crate::element_user::ElementUser;
use client::Client;
use failure::HttpProblem;
use plimsoll_load::kit::timer::Watch;
use plimsoll_load::kit::user::Cut;
use session::{SamplerSession, Shot};

pub(super) use body::Files;
pub(super) use cookies::CookieManager;
pub(super) use failure::handshake as handshake_words;
pub(super) use failure::unopened;
pub(super) use head::SamplerHeaders;
pub(super) use manage::cookie_header;
pub(super) use managers::Managers;
pub(super) use result::is_redirect;
pub use sampler::{HttpSampler, is_http};
pub(super) use settings::Eval;
pub use thread::HttpThread;
pub(super) use url::JavaUrl;
pub use user::HttpUser;

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
    let sampler = &*modify::changed(sampler, &pending, user);
    let mut session = SamplerSession {
        user: RefCell::new(user.borrowed()),
        thread,
        sampler,
        label,
        client: Client::HttpClient,
        limit_ns,
        origin: std::cell::OnceCell::new(),
    };
    let settings = &sampler.settings;
    let usual = &session.options().client;
    let client = session.eval(|by| settings.client(by, usual));
    if let (Some(urls), Ok(client)) = (&sampler.urls, &client) {
        session.client = *client;
        return session.load_list(&watch, urls).await.map(Some);
    }
    let place = session.eval(|by| {
        let method = settings.method_text(by)?.into_owned();
        let target = match &sampler.target {
            Some(target) => Arc::clone(target),
            None => Arc::new(settings.url(by, &method)?.into()),
        };
        Ok::<_, HttpProblem>((target, method))
    });
    let (target, method) = match place {
        Ok(place) => place,
        Err(problem) => {
            // Not even an address: JMeter's result has no label then.
            return Ok(Some(unaddressed(&session, &problem.bare())));
        }
    };
    match client {
        Ok(client) => session.client = client,
        Err(problem) => {
            return Ok(Some(unaddressed(&session, &problem).labelled(label)));
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

/// The sample of a request that has no address.
fn unaddressed(session: &SamplerSession<'_>, problem: &HttpProblem) -> Sampled {
    let shot = Shot::new(Arc::default(), "", false, 0);
    session.fail(session.begin(&shot), problem)
}
