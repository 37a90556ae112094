//! What is made of a program once before the run, for all threads: TLS configurations,
//! requests whose bytes never change.

use std::borrow::Cow;
use std::collections::HashMap;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, OnceLock, PoisonError};

use plimsoll_access::Access;
use plimsoll_plan::limits::{DATA_BYTES, read_file};
use plimsoll_plan::program::{AuthTemplate, BodyTemplate, Program, Request};
use rustls::ClientConfig;
use url::Url;

use crate::driver::tls::{self, TlsError};
use crate::http1::{BodyFraming, RequestHead, RequestMethod, Target};

/// What all threads share of a program; nothing here changes during a run.
pub struct Prepared {
    tls: Vec<OnceLock<Result<Arc<ClientConfig>, String>>>,
    /// By request: its bytes, when they never change.
    pub fixed: Vec<Option<FixedRequest>>,
    files: Mutex<HashMap<PathBuf, Arc<[u8]>>>,
    access: Access,
}

/// A request whose bytes never change, but for cookies.
#[derive(Debug, Clone)]
pub struct FixedRequest {
    /// Where it goes.
    pub url: Url,
    /// Head and body.
    pub bytes: Box<[u8]>,
    /// Where a `Cookie` line can be put in.
    pub cookie_at: usize,
}

impl Prepared {
    /// Prepares a program.
    #[must_use]
    pub fn new(program: &Program, access: &Access) -> Arc<Self> {
        Arc::new(Self {
            tls: program.profiles.iter().map(|_| OnceLock::new()).collect(),
            fixed: program
                .requests
                .iter()
                .map(|request| fix(program, request))
                .collect(),
            files: Mutex::default(),
            access: access.clone(),
        })
    }

    /// The bytes of a file, read once.
    ///
    /// # Errors
    /// As the system says, and where the file may not be used.
    pub fn file(&self, path: &Path) -> io::Result<Arc<[u8]>> {
        let mut files = self.files.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(bytes) = files.get(path) {
            return Ok(Arc::clone(bytes));
        }
        let bytes: Arc<[u8]> = read_file(self.access.open(path), DATA_BYTES)?.into();
        files.insert(path.to_owned(), Arc::clone(&bytes));
        Ok(bytes)
    }

    /// The TLS configuration of a profile, made at its first use.
    ///
    /// # Errors
    /// When its files are not what they should be.
    pub fn tls(&self, program: &Program, profile: u32) -> Result<Arc<ClientConfig>, String> {
        let make = || {
            let settings = &program.profiles[profile as usize].tls;
            tls::config(settings, &program.folder, &self.access)
                .map_err(|error: TlsError| error.to_string())
        };
        self.tls[profile as usize].get_or_init(make).clone()
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

fn fix(program: &Program, request: &Request) -> Option<FixedRequest> {
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
    let lines = fixed_lines(request)?;
    let mut bytes = Vec::new();
    let target = Target::Origin(origin_form(&url));
    let mut head = RequestHead::new(&mut bytes, method, target, &authority(&url)).ok()?;
    for (name, value) in &lines {
        head.header(name, value.as_bytes()).ok()?;
    }
    head.finish(framing(method, body.map(str::len)));
    let cookie_at = bytes.len() - 2;
    bytes.extend_from_slice(body.unwrap_or_default().as_bytes());
    Some(FixedRequest {
        bytes: bytes.into(),
        cookie_at,
        url,
    })
}

/// The header lines of a request that never changes: those of the plan, and those it leaves to us.
fn fixed_lines(request: &Request) -> Option<Vec<(&str, Cow<'_, str>)>> {
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
        |name: &str| RequestHead::is_reserved(name) || name.eq_ignore_ascii_case("expect");
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
    Some(lines)
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
