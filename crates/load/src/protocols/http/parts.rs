//! A drafted request with what the engine adds to it: credentials, cookies, what it calls itself.

use std::borrow::Cow;

use plimsoll_plan::model::CookieMode;
use plimsoll_plan::program::{AuthTemplate, Request};
use plimsoll_stats::ErrorKind;
use url::Position;

use super::draft::{Draft, header_of};
use super::fixed::{USER_AGENT, authority, framing, origin_form};
use super::message::{HeadForm, HttpRequest};
use crate::driver::connect::Proxy;
use crate::failure::Failure;
use crate::http1::{HeaderField, RequestError, RequestHead, RequestTarget};
use crate::user::User;

fn invalid(error: RequestError) -> Failure {
    Failure::new(ErrorKind::Other, format!("request: {error}"))
}

/// A draft with all that the engine adds to it.
pub(crate) struct RequestParts<'d> {
    draft: &'d Draft,
    host: Cow<'d, str>,
    fields: Vec<HeaderField<'d>>,
    /// A proxy gets the request itself, and not a tunnel.
    by_proxy: bool,
}

impl<'d> RequestParts<'d> {
    pub fn new(draft: &'d Draft, fields: Vec<HeaderField<'d>>, by_proxy: bool) -> Self {
        let host = match header_of(draft, "host") {
            Some(own) => Cow::Borrowed(own),
            None => Cow::Owned(authority(&draft.url)),
        };
        Self {
            draft,
            host,
            fields,
            by_proxy,
        }
    }

    /// The request, if all of it may stand in one.
    pub fn request(&self) -> Result<HttpRequest<'_>, Failure> {
        let draft = self.draft;
        let target = match self.by_proxy {
            true => RequestTarget::Absolute(&draft.url[..Position::AfterQuery]),
            false => RequestTarget::Origin(origin_form(&draft.url)),
        };
        let framing = framing(&draft.method, draft.body.as_ref().map(Vec::len));
        let head = RequestHead::new(&draft.method, target, &self.host, &self.fields, framing);
        let expects = header_of(draft, "expect")
            .is_some_and(|value| value.eq_ignore_ascii_case("100-continue"));
        Ok(HttpRequest {
            method: &draft.method,
            head: HeadForm::Parts(head.map_err(invalid)?),
            body: draft.body.as_deref().unwrap_or_default(),
            waits: expects && draft.body.is_some(),
        })
    }
}

impl User {
    /// A draft with the headers that the engine adds. A proxy is one that gets the request itself,
    /// and not a tunnel.
    pub(crate) fn parts<'d>(
        &mut self,
        request: &Request,
        draft: &'d Draft,
        proxy: Option<&Proxy>,
    ) -> Result<RequestParts<'d>, Failure> {
        let mut fields = Vec::with_capacity(draft.headers.len() + 4);
        for (name, value) in &draft.headers {
            if !HeaderField::is_reserved(name) {
                fields.push(HeaderField::new(name, value.as_bytes()).map_err(invalid)?);
            }
        }
        let mut made = self.made_headers(request, draft)?;
        if let Some(authorization) = proxy.and_then(|proxy| proxy.authorization.as_ref()) {
            made.push(("Proxy-Authorization", authorization.to_string()));
        }
        for (name, value) in made {
            if header_of(draft, name).is_none() {
                fields.push(HeaderField::new(name, value.into_bytes()).map_err(invalid)?);
            }
        }
        Ok(RequestParts::new(draft, fields, proxy.is_some()))
    }

    /// Headers that the engine makes unless the plan sets them.
    fn made_headers(
        &mut self,
        request: &Request,
        draft: &Draft,
    ) -> Result<Vec<(&'static str, String)>, Failure> {
        let mut made = vec![("User-Agent", USER_AGENT.to_owned())];
        if let Some(content_type) = &draft.content_type {
            made.push(("Content-Type", content_type.clone()));
        }
        if !request.keep_alive {
            made.push(("Connection", "close".to_owned()));
        }
        if draft.credentials
            && let Some(authorization) = self.authorization(request, draft)?
        {
            made.push(("Authorization", authorization));
        }
        if request.cookies != CookieMode::Off
            && let Some(cookies) = self.cookies.header_for(&draft.url)
        {
            made.push(("Cookie", cookies.to_string()));
        }
        Ok(made)
    }

    fn authorization(
        &mut self,
        request: &Request,
        draft: &Draft,
    ) -> Result<Option<String>, Failure> {
        Ok(match &request.auth {
            None => None,
            Some(AuthTemplate::Basic(user, password)) => {
                Some(crate::auth::basic(&self.text(user)?, &self.text(password)?))
            }
            Some(AuthTemplate::Bearer(token)) => Some(format!("Bearer {}", self.text(token)?)),
            Some(AuthTemplate::Digest(user, password)) => {
                let (user, password) = (self.text(user)?, self.text(password)?);
                let cnonce = self.random.bits();
                let target = origin_form(&draft.url);
                self.digest
                    .header(&draft.method, target, &user, &password, cnonce)
            }
        })
    }
}
