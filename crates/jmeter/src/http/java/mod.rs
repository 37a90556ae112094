//! JMeter's other HTTP client, Java's own `HttpURLConnection` (JMeter 5.6.3, `HTTPJavaImpl`;
//! the wire form is that of Java 17). It has the plan's headers first and says more of itself,
//! takes no credentials but basic ones, follows redirects in its own way, and asks again on a
//! new connection when one ends without a response.

mod body;
mod lines;
mod problem;

use std::borrow::Cow;
use std::sync::Arc;

use plimsoll_elements::SampleResult;
use plimsoll_stats::ErrorKind;

use super::failure::HttpProblem;
use super::head::is_credential;
use super::result;
use super::route::Route;
use super::session::{ReadyRequest, SamplerSession, Shot};
use super::target::HttpTarget;
use super::url::JavaUrl;
use crate::sampled::Sampled;
use body::JavaBody;
pub use lines::JavaLines;
use plimsoll_load::kit::http::RedirectRules;
use plimsoll_load::kit::http::Response;

/// What Java 17 calls itself, unless the plan says something else.
const USER_AGENT: &str = "Java/17.0.15";
/// What Java accepts, unless the plan says something else.
const ACCEPT: &str = "text/html, image/gif, image/jpeg, */*; q=0.2";
/// What Java takes the body of a POST for.
const FORM: &str = "application/x-www-form-urlencoded";
/// Requests of a chain of redirects that Java follows itself (`http.maxRedirects`).
const MAX_REQUESTS: u32 = 20;

/// What Java does with redirects itself.
const BY_JAVA: RedirectRules = RedirectRules {
    follows: |status, _| matches!(status, 300..=303 | 305 | 307),
    becomes_get: |status, method| method == "POST" && status != 307,
};

impl SamplerSession<'_> {
    /// Writes a request, and into the result what JMeter shows of it.
    pub(super) fn prepare_java(
        &self,
        shot: &Shot,
        bytes: &mut Vec<u8>,
        result: &mut SampleResult,
    ) -> Result<ReadyRequest, HttpProblem> {
        let target = &*shot.target;
        let settings = &self.sampler.settings;
        check(&target.url, &shot.method)?;
        let route = self
            .eval(|by| Route::of(settings, self.options(), by))?
            .for_java();
        let proxied = route.is_proxied() && target.url.scheme == "http";
        let keep_alive = self.eval(|by| settings.keep_alive.truth(by))?;
        let pairs = self.eval(|by| self.sampler.headers.pairs(by))?;
        let files = self.files();
        let body = self.eval(|by| settings.java_body(&shot.method, by, files))?;
        let mut lines = match &shot.carried {
            Some(carried) => JavaLines::clone(carried),
            None => self.lines(shot, keep_alive, &pairs, body.as_ref(), result)?,
        };
        complete(&mut lines, target, proxied, &shot.method, body.is_some());
        lines.write(&shot.method, &request_target(target, proxied), bytes);
        let head_bytes = bytes.len();
        if let Some(body) = &body {
            if self.sampler.needs.request && shot.carried.is_none() {
                result.query = body.show(self.charset_of_body());
            }
            bytes.extend_from_slice(&body.bytes);
        }
        let caches = self.sampler.managers.cache.is_some();
        Ok(ReadyRequest {
            endpoint: self.endpoint(&target.url, &route)?,
            head_bytes,
            expects: false,
            keeps: keep_alive,
            connect_timeout_ns: self.timeout_ns(&settings.connect_timeout)?,
            read_timeout_ns: self.timeout_ns(&settings.response_timeout)?,
            known: self.is_known(shot, &pairs),
            sent: if caches { pairs } else { Vec::new() },
            lines,
        })
    }

    /// The headers that JMeter sets, and what it shows of them.
    fn lines(
        &self,
        shot: &Shot,
        keep_alive: bool,
        pairs: &[(String, String)],
        body: Option<&JavaBody>,
        result: &mut SampleResult,
    ) -> Result<JavaLines, HttpProblem> {
        let url = &shot.target.url;
        let mut lines = JavaLines::default();
        let keeps = if keep_alive { "keep-alive" } else { "close" };
        lines.set("Connection", keeps)?;
        for (name, value) in pairs {
            if shot.foreign && is_credential(name.as_bytes()) {
                continue;
            }
            lines.add(name, value)?;
        }
        for (name, value) in self.questions(&shot.target.text, pairs) {
            lines.add(name, &value)?;
        }
        let cookies = self.cookies(url);
        if let Some(cookies) = &cookies {
            lines.set("Cookie", cookies)?;
        }
        let authorization = self.credentials(url).map(|known| known.basic());
        if let Some(authorization) = &authorization {
            lines.set("Authorization", authorization)?;
        }
        if let Some(body) = body {
            let own = lines.get("Content-Type").is_some_and(|it| !it.is_empty());
            if let Some(kind) = body
                .content_type
                .as_ref()
                .filter(|_| body.multipart || !own)
            {
                lines.set("Content-Type", kind)?;
            }
            lines.set("Content-Length", &body.bytes.len().to_string())?;
        }
        if self.sampler.needs.request {
            result.request_headers = lines.shown();
            if let Some(authorization) = &authorization {
                result.request_headers += &format!("Authorization: {authorization}\n");
            }
            let own = || lines.cookies();
            result.cookies = cookies.filter(|it| !it.is_empty()).unwrap_or_else(own);
        }
        Ok(lines)
    }

    /// The next request of a chain of redirects that Java follows itself: in the same protocol,
    /// and a POST goes on as a bare GET.
    pub(super) fn onward_java(
        &self,
        shot: &Shot,
        ready: &ReadyRequest,
        response: &Response,
        redirects: u32,
    ) -> Result<Option<Shot>, HttpProblem> {
        let settings = &self.sampler.settings;
        let Some(to) = BY_JAVA.location(response, &shot.method) else {
            return Ok(None);
        };
        if !self.eval(|by| settings.auto.truth(by))? {
            return Ok(None);
        }
        let next = super::follow::location(&shot.target.url, to)?;
        if next.scheme != shot.target.url.scheme {
            return Ok(None);
        }
        if redirects + 1 >= MAX_REQUESTS {
            return Err(HttpProblem {
                kind: ErrorKind::RedirectLoop,
                ..HttpProblem::new(
                    "java.net.ProtocolException",
                    format!("Server redirected too many  times ({MAX_REQUESTS})"),
                )
            });
        }
        let becomes_get = (BY_JAVA.becomes_get)(response.status, &shot.method);
        let method = if becomes_get { "GET" } else { &shot.method };
        let mut lines = JavaLines::default();
        if !becomes_get {
            lines.clone_from(&ready.lines);
            lines.set("Host", &next.authority())?;
        }
        let foreign = shot.foreign || !next.has_origin_of(&shot.target.url);
        if foreign {
            lines.drop_credentials();
        }
        let mut next = Shot::new(Arc::new(next.into()), method, shot.following, shot.depth);
        next.foreign = foreign;
        next.carried = Some(lines);
        Ok(Some(next))
    }

    /// Fails where JMeter follows a redirect that leads nowhere.
    pub(super) fn leads_somewhere(
        &self,
        shot: &Shot,
        sampled: &Sampled,
    ) -> Result<(), HttpProblem> {
        let settings = &self.sampler.settings;
        let nowhere = result::is_redirect(&sampled.result)
            && sampled.result.redirect_location.is_empty()
            && !shot.following;
        if nowhere && self.eval(|by| settings.follow.truth(by))? {
            let message = "Cannot invoke \"String.indexOf(int)\" because \"source\" is null";
            return Err(HttpProblem::new("java.lang.NullPointerException", message).bare());
        }
        Ok(())
    }
}

/// Whether Java takes this address and method.
fn check(url: &JavaUrl, method: &str) -> Result<(), HttpProblem> {
    if url.host.is_empty() {
        let message = "java.lang.StringIndexOutOfBoundsException: String index out of range: 0";
        return Err(HttpProblem::new("java.lang.RuntimeException", message).bare());
    }
    let bare = url
        .host
        .strip_prefix('[')
        .map(|host| host.trim_end_matches(']'));
    if bare.is_some_and(|host| host.parse::<std::net::Ipv6Addr>().is_err()) {
        let message = "Unrecognized IPv6 address format";
        return Err(HttpProblem::new("java.net.MalformedURLException", message));
    }
    if let Some(port @ 65_536..) = url.port {
        let message = format!("port out of range:{port}");
        return Err(HttpProblem::new("java.lang.IllegalArgumentException", message).bare());
    }
    match method {
        "GET" | "POST" | "HEAD" | "OPTIONS" | "PUT" | "DELETE" | "TRACE" => Ok(()),
        _ => {
            let message = format!("Invalid HTTP method: {method}");
            Err(HttpProblem::new("java.net.ProtocolException", message))
        }
    }
}

/// Adds the headers that Java adds itself, behind those of the plan.
fn complete(
    lines: &mut JavaLines,
    target: &HttpTarget,
    proxied: bool,
    method: &str,
    has_body: bool,
) {
    lines.set_absent("User-Agent", USER_AGENT);
    lines.set_absent("Host", &target.host);
    lines.set_absent("Accept", ACCEPT);
    let connection = if proxied {
        "Proxy-Connection"
    } else {
        "Connection"
    };
    lines.set_absent(connection, "keep-alive");
    if has_body && method != "PUT" {
        lines.set_absent("Content-type", FORM);
    }
}

/// What stands in the request line: path and query as they are written. A proxy is told the
/// whole address.
fn request_target(target: &HttpTarget, proxied: bool) -> String {
    let url = &target.url;
    let slash = if url.path.starts_with('/') { "" } else { "/" };
    let query = url.query.as_ref().map(|query| format!("?{query}"));
    let file = format!("{slash}{}{}", url.path, query.unwrap_or_default());
    // A line end would begin a header.
    let file: Cow<'_, str> = match file.contains(['\r', '\n']) {
        true => Cow::Owned(file.replace(['\r', '\n'], "?")),
        false => Cow::Borrowed(&file),
    };
    match proxied {
        true => format!("{}://{}{file}", url.scheme, target.host),
        false => file.into_owned(),
    }
}
