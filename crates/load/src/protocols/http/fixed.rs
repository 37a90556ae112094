//! Requests that never change, and what any request is made by.

use std::borrow::Cow;

use plimsoll_plan::program::{AuthTemplate, BodyTemplate, Program, Request};
use url::Url;

use super::message::{HeadForm, HttpRequest};
use crate::http1::{BodyFraming, HeaderField, RequestHead, RequestMethod, RequestTarget};

/// A request that never changes, but for cookies.
#[derive(Debug, Clone)]
pub struct FixedRequest {
    /// Method.
    pub method: String,
    /// Where it goes.
    pub url: Url,
    /// Headers.
    pub fields: Vec<HeaderField<'static>>,
    /// What HTTP/1.1 writes of it: head and body.
    pub bytes: Box<[u8]>,
    /// Length of the head.
    pub head_bytes: usize,
}

impl FixedRequest {
    /// It, as an exchange is given it.
    #[inline]
    #[must_use]
    pub fn request(&self) -> HttpRequest<'_> {
        HttpRequest {
            method: &self.method,
            head: HeadForm::Written(&self.bytes),
            body: self.body(),
            waits: false,
        }
    }

    /// Its body; empty if there is none.
    #[must_use]
    pub fn body(&self) -> &[u8] {
        &self.bytes[self.head_bytes..]
    }
}

/// What the reader of the response must know of a method.
#[must_use]
pub fn reader_method(method: &str) -> RequestMethod {
    match method {
        "HEAD" => RequestMethod::Head,
        "CONNECT" => RequestMethod::Connect,
        _ => RequestMethod::Other,
    }
}

/// Whether a request may be made twice with the effect of one (RFC 9110, 9.2.2).
#[must_use]
pub fn is_idempotent(method: &str) -> bool {
    matches!(
        method,
        "GET" | "HEAD" | "OPTIONS" | "TRACE" | "PUT" | "DELETE"
    )
}

/// `host[:port]` as the `Host` header and redirect rules want it.
#[must_use]
pub fn authority(url: &Url) -> String {
    let host = url.host_str().unwrap_or_default();
    match url.port() {
        Some(port) => format!("{host}:{port}"),
        None => host.to_owned(),
    }
}

/// Path and query.
#[must_use]
pub fn origin_form(url: &Url) -> &str {
    &url[url::Position::BeforePath..url::Position::AfterQuery]
}

/// The header that every request has unless the plan sets it.
pub const USER_AGENT: &str = concat!("plimsoll/", env!("CARGO_PKG_VERSION"));

/// A request, when it never changes.
pub(crate) fn fix(program: &Program, request: &Request) -> Option<FixedRequest> {
    let plain =
        request.query.is_empty() && program.profiles[request.profile as usize].proxy.is_none();
    if !plain {
        return None;
    }
    let body = match &request.body {
        BodyTemplate::Empty => None,
        BodyTemplate::Text(text) => Some(text.as_text()?),
        _ => return None,
    };
    let mut url = Url::parse(request.url.as_text()?).ok()?;
    url.set_fragment(None);
    let method = request.method.as_text()?;
    let fields = fixed_fields(request)?;
    let (target, host) = (RequestTarget::Origin(origin_form(&url)), authority(&url));
    let length = framing(method, body.map(str::len));
    let head = RequestHead::new(method, target, &host, &fields, length).ok()?;
    let mut bytes = Vec::new();
    head.write(&mut bytes);
    let head_bytes = bytes.len();
    bytes.extend_from_slice(body.unwrap_or_default().as_bytes());
    Some(FixedRequest {
        method: method.to_owned(),
        bytes: bytes.into(),
        head_bytes,
        fields,
        url,
    })
}

/// The headers of a request that never changes: those of the plan, and those it leaves to us.
fn fixed_fields(request: &Request) -> Option<Vec<HeaderField<'static>>> {
    let authorization = match &request.auth {
        None => None,
        Some(AuthTemplate::Bearer(token)) => Some(format!("Bearer {}", token.as_text()?)),
        Some(AuthTemplate::Basic(user, password)) => {
            Some(crate::auth::basic(user.as_text()?, password.as_text()?))
        }
        Some(AuthTemplate::Digest(..)) => return None,
    };
    let planned = request.headers.iter();
    let planned = planned.map(|(name, value)| Some((name.as_text()?, value.as_text()?.into())));
    let mut lines: Vec<(&str, Cow<'_, str>)> = planned.collect::<Option<_>>()?;
    let is_ours =
        |name: &str| HeaderField::is_reserved(name) || name.eq_ignore_ascii_case("expect");
    if lines.iter().any(|(name, _)| is_ours(name)) {
        return None;
    }
    let plan_has = |wanted: &str| {
        let mut planned = request.headers.iter();
        planned.any(|(name, _)| {
            name.as_text()
                .is_some_and(|name| name.eq_ignore_ascii_case(wanted))
        })
    };
    let mut add = |name, value: Option<Cow<'static, str>>| {
        let value = value.filter(|_| !plan_has(name));
        lines.extend(value.map(|value| (name, value)));
    };
    add("User-Agent", Some(USER_AGENT.into()));
    add(
        "Connection",
        (!request.keep_alive).then_some("close".into()),
    );
    add("Authorization", authorization.map(Cow::from));
    let field = |(name, value): (&str, Cow<'_, str>)| {
        HeaderField::new(name.to_owned(), value.into_owned().into_bytes()).ok()
    };
    lines.into_iter().map(field).collect()
}

/// How the body's length is told: methods that carry one say `Content-Length: 0` for none
/// (RFC 9110, 8.6).
#[must_use]
pub fn framing(method: &str, body_bytes: Option<usize>) -> BodyFraming {
    match body_bytes {
        Some(bytes) => BodyFraming::Length(bytes as u64),
        None if matches!(method, "POST" | "PUT" | "PATCH") => BodyFraming::Length(0),
        None => BodyFraming::None,
    }
}
