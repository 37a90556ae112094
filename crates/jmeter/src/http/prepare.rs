//! Writing a request.

use std::borrow::Cow;

use plimsoll_elements::SampleResult;

use super::body::{BodyShape, FORM, HttpEntity};
use super::charset::Charset;
use super::client::Client;
use super::failure::HttpProblem;
use super::head::{HttpClientHead, WrittenHead, shown};
use super::java::JavaLines;
use super::route::Route;
use super::session::{ReadyRequest, SamplerSession, Shot};
use super::settings::Eval;
use super::target::HttpTarget;
use plimsoll_load::clock::Nanos;

/// What a request is made of.
struct Pieces<'u> {
    entity: Option<Cow<'u, HttpEntity>>,
    route: Route,
    cookies: Option<String>,
    /// The plan's headers.
    written: Cow<'u, WrittenHead>,
    /// The cache manager's headers: whether the response is a new one.
    questions: Vec<(&'static str, String)>,
    keep_alive: bool,
}

/// Whether a request of this method has a body, if an empty one; none: that depends. An error
/// if JMeter does not take the method at all.
fn carries(method: &str) -> Result<Option<bool>, HttpProblem> {
    Ok(match method {
        "POST" | "PUT" | "PATCH" | "DELETE" => Some(true),
        "GET" => None,
        "HEAD" | "TRACE" | "OPTIONS" => Some(false),
        _ => {
            let token =
                |byte: u8| byte.is_ascii_alphanumeric() || b"!#$%&'*+-.^_`|~".contains(&byte);
            if method.is_empty() || !method.bytes().all(token) {
                let message = format!("Unexpected method: '{method}'");
                return Err(HttpProblem::new(
                    "java.lang.IllegalArgumentException",
                    message,
                ));
            }
            Some(true)
        }
    })
}

impl<'u> SamplerSession<'u> {
    /// Writes a request, and into the result what JMeter shows of it.
    pub fn prepare(
        &self,
        shot: &Shot,
        bytes: &mut Vec<u8>,
        result: &mut SampleResult,
    ) -> Result<ReadyRequest, HttpProblem> {
        if self.client == Client::Java {
            return self.prepare_java(shot, bytes, result);
        }
        let target = &*shot.target;
        if let Some(bad) = &target.bad {
            return Err(bad.clone());
        }
        let settings = &self.sampler.settings;
        let pieces = self.pieces(shot)?;
        let (entity, cookies) = (pieces.entity.as_deref(), pieces.cookies.as_deref());
        let proxied = pieces.route.is_proxied() && target.url.scheme == "http";
        let options = self.options();
        let set_type = entity.and_then(|entity| type_of(entity, options.adds_type));
        let written = typed(pieces.written, entity, set_type);
        let head = HttpClientHead {
            method: &shot.method,
            target: &request_target(target, proxied),
            host: &target.host,
            keep_alive: pieces.keep_alive,
            headers: &written,
            more: &pieces.questions,
            cookies,
            entity,
            set_type,
            proxied,
            last: &self.authorizations(shot, &written),
            no_agent: options.no_agent,
        };
        head.write(bytes);
        let head_bytes = bytes.len();
        if self.sampler.needs.request {
            let cookies = written.cookie.clone().or(pieces.cookies);
            self.show_request(bytes, entity, cookies, result);
        }
        check_scheme(&target.url.scheme)?;
        let body: &[u8] = entity.map_or(&[], |entity| &entity.bytes);
        bytes.extend_from_slice(body);
        let read_timeout_ns = self.timeout_ns(&settings.response_timeout)?;
        let connect_timeout_ns = self.timeout_ns(&settings.connect_timeout)?;
        Ok(ReadyRequest {
            endpoint: self.endpoint(&target.url, &pieces.route)?,
            head_bytes,
            expects: written.expects && !body.is_empty(),
            keeps: pieces.keep_alive && !written.closes,
            connect_timeout_ns,
            read_timeout_ns,
            known: self.is_known(shot, &written.pairs),
            sent: match self.sampler.managers.cache {
                Some(_) => written.into_owned().pairs,
                None => Vec::new(),
            },
            lines: JavaLines::default(),
        })
    }

    /// Puts what is sent into the result, as JMeter shows it.
    fn show_request(
        &self,
        head: &[u8],
        entity: Option<&HttpEntity>,
        cookies: Option<String>,
        result: &mut SampleResult,
    ) {
        result.request_headers = shown(head);
        if let Some(entity) = entity {
            result.query = entity.show(self.charset_of_body());
        }
        result.cookies = cookies.unwrap_or_default();
    }

    /// The charset that a body is shown in.
    pub(super) fn charset_of_body(&self) -> Charset {
        let charset = self.eval(|by| self.sampler.settings.charset(by));
        charset.unwrap_or(Charset::Utf8)
    }

    /// Evaluates what a request is made of.
    fn pieces(&self, shot: &Shot) -> Result<Pieces<'u>, HttpProblem> {
        let settings = &self.sampler.settings;
        let entity = self.entity(shot)?;
        let route = self.eval(|by| Route::of(settings, self.options(), by))?;
        let cookies = self.cookies(&shot.target.url);
        let written = self.written(shot, cookies.as_deref())?;
        Ok(Pieces {
            questions: self.questions(&shot.target.text, &written.pairs),
            keep_alive: self.eval(|by| settings.keep_alive.truth(by))?,
            entity,
            route,
            cookies,
            written,
        })
    }

    /// Whether the cache manager knows the response, so that nothing is to be sent.
    pub(super) fn is_known(&self, shot: &Shot, pairs: &[(String, String)]) -> bool {
        self.sampler.managers.cache.is_some()
            && shot.method.eq_ignore_ascii_case("GET")
            && self.knows(&shot.target.text, pairs)
    }

    /// The plan's headers; their credentials do not go to another place than the sampler's own.
    fn written(
        &self,
        shot: &Shot,
        cookies: Option<&str>,
    ) -> Result<Cow<'u, WrittenHead>, HttpProblem> {
        let headers = &self.sampler.headers;
        let cookies = cookies.filter(|_| !shot.foreign);
        let written = match headers.fixed() {
            Some(fixed) => Cow::Borrowed(fixed),
            None => Cow::Owned(self.eval(|by| headers.write(by, &shot.target.url, cookies))?),
        };
        Ok(match shot.foreign {
            true => Cow::Owned(written.into_owned().without_credentials()),
            false => written,
        })
    }

    /// Credentials, at the end of the head.
    fn authorizations(&self, shot: &Shot, written: &WrittenHead) -> Vec<(&'static str, String)> {
        let mut last = Vec::new();
        if let Some(proxy) = &shot.proxy_authorization {
            last.push(("Proxy-Authorization", proxy.clone()));
        }
        if written.has_authorization {
            return last;
        }
        let own = match &shot.authorization {
            Some(response) => Some(response.clone()),
            None => {
                let found = self.credentials(&shot.target.url);
                found
                    .filter(|credentials| credentials.at_once && self.options().preemptive)
                    .map(|credentials| credentials.basic())
            }
        };
        last.extend(own.map(|own| ("Authorization", own)));
        last
    }

    pub fn timeout_ns(
        &self,
        setting: &super::settings::Setting,
    ) -> Result<Option<Nanos>, HttpProblem> {
        let ms = self.eval(|by| setting.whole(by, 0))?;
        let ms = u64::try_from(ms).ok().filter(|ms| *ms > 0);
        Ok(ms.map(|ms| ms.saturating_mul(1_000_000)))
    }

    /// The body of a request, if it has one.
    fn entity(&self, shot: &Shot) -> Result<Option<Cow<'u, HttpEntity>>, HttpProblem> {
        let settings = &self.sampler.settings;
        let carried = match carries(&shot.method)? {
            Some(carried) => carried,
            None if shot.following => false,
            None => self.eval(|by| {
                Ok::<_, HttpProblem>(match settings.shape(by)? {
                    BodyShape::File | BodyShape::Raw => true,
                    BodyShape::Multipart => settings.is_raw(by)?,
                    BodyShape::Form => false,
                })
            })?,
        };
        if !carried {
            return Ok(None);
        }
        if let Some(fixed) = &self.sampler.entity {
            return Ok(Some(Cow::Borrowed(fixed)));
        }
        let mut user = self.user.borrow_mut();
        let mut bits = Vec::with_capacity(5);
        if !settings.files.is_empty() || !settings.multipart.is_empty() {
            // What a boundary is drawn from.
            bits.extend((0..5).map(|_| user.random.bits()));
        }
        let files = self.files();
        let made = user.evaluate(|cx| {
            let by = &mut Eval(Some(cx));
            let boundary = &mut || super::body::boundary(|| bits.pop().unwrap_or_default());
            settings.entity(by, files, boundary)
        });
        made.map(|entity| Some(Cow::Owned(entity)))
    }
}

/// The type that a body is sent with, unless the plan names one; parts have their own.
fn type_of(entity: &HttpEntity, adds_type: bool) -> Option<&str> {
    let own = entity.set_type.as_deref();
    let said = own.or(adds_type.then_some(FORM));
    said.filter(|_| !entity.multipart)
}

fn check_scheme(scheme: &str) -> Result<(), HttpProblem> {
    if matches!(scheme, "http" | "https") {
        return Ok(());
    }
    let class = "org.apache.http.conn.UnsupportedSchemeException";
    let message = format!("{scheme} protocol is not supported");
    Err(HttpProblem::new(class, message))
}

/// The plan's headers, by what the body says of its type.
fn typed<'w>(
    written: Cow<'w, WrittenHead>,
    entity: Option<&HttpEntity>,
    set_type: Option<&str>,
) -> Cow<'w, WrittenHead> {
    let Some(entity) = entity.filter(|_| written.names_type) else {
        return written;
    };
    match set_type {
        _ if entity.multipart => Cow::Owned(written.into_owned().without_type()),
        Some(kind) if !written.has_type => Cow::Owned(written.into_owned().with_type(kind)),
        _ => written,
    }
}

/// What stands in the request line: a proxy is told the whole address.
fn request_target(target: &HttpTarget, proxied: bool) -> Cow<'_, [u8]> {
    if !proxied {
        return Cow::Borrowed(&target.request);
    }
    let scheme = target.url.scheme.as_bytes();
    Cow::Owned([scheme, b"://", target.host.as_bytes(), &target.request].concat())
}
