//! Redirects and challenges: what follows a response within one request of the plan.

use plimsoll_plan::model::CookieMode;
use plimsoll_plan::program::{AuthTemplate, Request};
use plimsoll_stats::{ErrorKind, LabelId};
use url::Url;

use super::connections::OutgoingRequest;
use super::draft::Draft;
use super::fixed::FixedRequest;
use super::hop::{DoneRequest, Hop};
use super::redirects::BY_STANDARD;
use super::response::Response;
use crate::deadline::Deadline;
use crate::failure::Failure;
use crate::http1::HeaderField;
use crate::user::User;
use crate::user::step::Cut;

impl User {
    /// Sends a drafted request and follows its redirects and its challenge; gives what was sent
    /// last, too.
    pub(crate) async fn follow(
        &mut self,
        request: &Request,
        label: LabelId,
        mut draft: Draft,
        first: Option<(Hop, Vec<u8>)>,
        deadline: Deadline,
    ) -> Result<(DoneRequest, Vec<u8>), Cut> {
        let mut hops = Vec::new();
        let (mut next, mut sent) =
            first.map_or((None, Vec::new()), |(hop, sent)| (Some(hop), sent));
        let mut challenged = false;
        let mut redirected = 0;
        loop {
            let mut hop = match next.take() {
                Some(hop) => hop,
                None => {
                    self.drafted_hop(request, &draft, label, deadline, &mut sent)
                        .await?
                }
            };
            self.keep_cookies(request, &draft.url, &mut hop.response);
            let response = &hop.response;
            let again = hop.failure.is_none()
                && response.status == 401
                && !challenged
                && self.take_challenge(request, response);
            let onward = BY_STANDARD
                .location(response, &draft.method)
                .filter(|_| hop.failure.is_none() && request.redirects > 0);
            if onward.is_some() && redirected == request.redirects {
                let what = format!("more than {} redirects", request.redirects);
                hop.failure = Some(Failure::new(ErrorKind::RedirectLoop, what));
            } else if let Some(location) = onward {
                redirected += 1;
                let from = draft.url.clone();
                match redirect(&mut draft, response.status, location) {
                    Ok(()) => {
                        self.trace_hop(label, &hop, &from, &sent);
                        hops.push(hop);
                        continue;
                    }
                    Err(failure) => hop.failure = Some(failure),
                }
            } else if again {
                challenged = true;
                self.trace_hop(label, &hop, &draft.url, &sent);
                hops.push(hop);
                continue;
            }
            hops.push(hop);
            let done = DoneRequest {
                hops,
                url: draft.url,
            };
            return Ok((done, sent));
        }
    }

    async fn drafted_hop(
        &mut self,
        request: &Request,
        draft: &Draft,
        label: LabelId,
        deadline: Deadline,
        sent: &mut Vec<u8>,
    ) -> Result<Hop, Cut> {
        let start_ns = self.thread.clock.now_ns();
        sent.clear();
        let parts = self
            .allowed_endpoint(request, &draft.url)
            .and_then(|endpoint| {
                let to = self.thread.endpoint_of(endpoint);
                let proxy = to.proxy.as_ref().filter(|_| to.absolute_form());
                Ok((endpoint, self.parts(request, draft, proxy)?))
            });
        let outgoing = parts.as_ref().map_err(Failure::clone);
        let outgoing = outgoing.and_then(|(endpoint, parts)| {
            Ok(OutgoingRequest {
                endpoint: *endpoint,
                request: parts.request()?,
            })
        });
        match outgoing {
            Ok(outgoing) => {
                self.hop(request, outgoing, label, start_ns, deadline, sent)
                    .await
            }
            Err(failure) => Ok(self.never_sent(start_ns, failure)),
        }
    }

    pub(crate) fn keep_cookies(&mut self, request: &Request, url: &Url, response: &mut Response) {
        if request.cookies == CookieMode::Off || response.set_cookies.is_empty() {
            return;
        }
        self.cookies
            .store(response.set_cookies.iter().map(Vec::as_slice), url);
    }

    /// Takes a digest challenge; whether to try again.
    fn take_challenge(&mut self, request: &Request, response: &Response) -> bool {
        if !matches!(request.auth, Some(AuthTemplate::Digest(..))) {
            return false;
        }
        self.digest
            .challenged(response.challenges.iter().map(String::as_str))
    }
}

/// The draft that a fixed request would have been.
pub(super) fn fixed_draft(fixed: &FixedRequest) -> Draft {
    let text = |field: &HeaderField<'_>| {
        let value = String::from_utf8_lossy(field.value());
        (field.name().to_owned(), value.into_owned())
    };
    let body = fixed.body();
    Draft {
        method: fixed.method.clone(),
        url: fixed.url.clone(),
        headers: fixed.fields.iter().map(text).collect(),
        body: (!body.is_empty()).then(|| body.to_vec()),
        content_type: None,
        credentials: true,
    }
}

/// Changes a draft as a redirect asks; credentials do not follow to another origin.
fn redirect(draft: &mut Draft, status: u16, location: &str) -> Result<(), Failure> {
    let from = draft.url.clone();
    let url = from.join(location).map_err(|error| {
        Failure::new(
            ErrorKind::MalformedResponse,
            format!("Location \"{location}\": {error}"),
        )
    })?;
    if url.origin() != from.origin() {
        let secret = |name: &str| {
            name.eq_ignore_ascii_case("authorization") || name.eq_ignore_ascii_case("cookie")
        };
        draft.headers.retain(|(name, _)| !secret(name));
        draft.credentials = false;
    }
    if (BY_STANDARD.becomes_get)(status, &draft.method) {
        "GET".clone_into(&mut draft.method);
        draft.body = None;
        draft.content_type = None;
        draft
            .headers
            .retain(|(name, _)| !name.to_ascii_lowercase().starts_with("content-"));
    }
    draft.url = url;
    draft.url.set_fragment(None);
    Ok(())
}
