//! Who calls: each request is looked at before its route sees it.

use std::net::{IpAddr, Ipv4Addr, SocketAddr};

use axum::extract::{ConnectInfo, FromRequestParts, MatchedPath, Request, State};
use axum::http::header::{AUTHORIZATION, COOKIE, HeaderMap, HeaderName};
use axum::http::request::Parts;
use axum::http::{Method, StatusCode};
use axum::middleware::Next;
use axum::response::{IntoResponse as _, Response};
use plimsoll_text::Message;

use super::audit::AuditEntry;
use super::policy::AccessPolicy;
use super::role::{CallerNeed, UserRole, needed};
use super::secret::digest;
use super::sessions::SESSION_COOKIE;
use super::watcher::{is_stream, while_allowed};
use crate::app::SharedApp;
use crate::now::{now_s, now_text};
use crate::problem::ApiError;

/// Where a connection comes from.
#[derive(Debug, Clone, Copy)]
pub(crate) struct PeerAddress(pub SocketAddr);

/// How somebody showed who he is.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum CallerProof {
    /// Nobody has to: loopback without a login.
    None,
    /// A browser's session, with what its changes must bring along.
    Session { csrf: String },
    /// A program's token.
    Token(String),
}

/// Who calls.
#[derive(Debug, Clone)]
pub(crate) struct Caller {
    /// His name; none: nobody has to have one here.
    pub user: Option<String>,
    /// What he may do; none: he has not logged in.
    pub role: Option<UserRole>,
    /// How that is known.
    pub proof: CallerProof,
    /// From where he calls.
    pub from: IpAddr,
    /// The place that his tries to log in count for; none: behind a proxy that does not say.
    pub place: Option<IpAddr>,
    /// His browser speaks TLS, to this server or to the proxy before it.
    pub by_tls: bool,
}

impl Caller {
    /// His role, where the route needs one and he so has it.
    pub fn own_role(&self) -> UserRole {
        self.role.unwrap_or(UserRole::Look)
    }
}

impl<S: Sync> FromRequestParts<S> for Caller {
    type Rejection = ApiError;

    async fn from_request_parts(parts: &mut Parts, _: &S) -> Result<Self, ApiError> {
        let caller = parts.extensions.get::<Self>().cloned();
        caller.ok_or_else(unknown)
    }
}

fn unknown() -> ApiError {
    ApiError::new(
        StatusCode::UNAUTHORIZED,
        "login",
        Message::new("server-login-needed"),
    )
}

/// The session's secret in a request's cookies.
pub(crate) fn session_secret(headers: &HeaderMap) -> Option<String> {
    let cookies = headers.get_all(COOKIE).into_iter();
    let texts = cookies.filter_map(|value| value.to_str().ok());
    let mut pairs = texts.flat_map(|text| text.split(';')).map(str::trim);
    pairs.find_map(|pair| {
        let value = pair.strip_prefix(SESSION_COOKIE)?.strip_prefix('=')?;
        Some(value.to_owned())
    })
}

fn bearer(headers: &HeaderMap) -> Option<&str> {
    let text = headers.get(AUTHORIZATION)?.to_str().ok()?;
    let (scheme, secret) = text.split_once(' ')?;
    scheme.eq_ignore_ascii_case("bearer").then(|| secret.trim())
}

/// What a proxy on this host says of a request: the address that it was called from is the last, which it wrote
/// itself; what is before may be made up.
fn forwarded(headers: &HeaderMap) -> Option<IpAddr> {
    let told = headers.get_all("x-forwarded-for").into_iter().next_back()?;
    let last = told.to_str().ok()?.rsplit(',').next()?.trim();
    let with_port = || last.parse::<SocketAddr>().map(|address| address.ip());
    let found = last.parse().or_else(|_| with_port()).ok();
    found.map(|address: IpAddr| address.to_canonical())
}

/// Whether the browser speaks TLS to the proxy before this server.
fn is_tls_before(headers: &HeaderMap) -> bool {
    let text = |name: &str| headers.get(name).and_then(|value| value.to_str().ok());
    let by_proxy =
        text("x-forwarded-proto").is_some_and(|scheme| scheme.eq_ignore_ascii_case("https"));
    by_proxy || text("origin").is_some_and(|origin| origin.starts_with("https://"))
}

/// Who calls, by what a request shows.
fn caller(policy: &AccessPolicy, headers: &HeaderMap, peer: IpAddr) -> Result<Caller, ApiError> {
    let is_proxy = policy.is_behind_proxy && peer.is_loopback();
    let place = match is_proxy {
        true => forwarded(headers),
        false => Some(peer),
    };
    let nobody = Caller {
        user: None,
        role: None,
        proof: CallerProof::None,
        from: place.unwrap_or(peer),
        place,
        by_tls: policy.secure || is_proxy && is_tls_before(headers),
    };
    if !policy.login {
        let role = Some(UserRole::Administer);
        return Ok(Caller { role, ..nobody });
    }
    if let Some(secret) = bearer(headers) {
        let digest = digest(secret);
        let mut tokens = policy.people.tokens()?.into_iter();
        let token = tokens.find(|token| token.digest == digest && token.ends_s > now_s());
        let token = token.ok_or_else(unknown)?;
        let owner = policy.people.person(&token.user)?.ok_or_else(unknown)?;
        return Ok(Caller {
            user: Some(owner.user),
            role: Some(token.role.min(owner.role)),
            proof: CallerProof::Token(token.token),
            ..nobody
        });
    }
    let session = session_secret(headers).and_then(|secret| policy.sessions.find(&secret));
    let Some(session) = session else {
        return Ok(nobody);
    };
    match policy.people.person(&session.user)? {
        // Another password ends the sessions that began with the one before.
        Some(person) if person.password == session.password => Ok(Caller {
            user: Some(person.user),
            role: Some(person.role),
            proof: CallerProof::Session { csrf: session.csrf },
            ..nobody
        }),
        _ => Ok(nobody),
    }
}

/// Why somebody may not do this; none: he may.
fn refusal(
    caller: &Caller,
    need: CallerNeed,
    method: &Method,
    headers: &HeaderMap,
) -> Option<ApiError> {
    let CallerNeed::Role(role) = need else {
        return None;
    };
    let Some(own) = caller.role else {
        return Some(unknown());
    };
    if own < role {
        let message = Message::new("server-no-right")
            .with("own", own.name())
            .with("role", role.name());
        return Some(ApiError::new(StatusCode::FORBIDDEN, "right", message));
    }
    let CallerProof::Session { csrf } = &caller.proof else {
        return None;
    };
    let shown = headers.get("x-csrf-token").map(|value| value.as_bytes());
    let is_own = shown.is_some_and(|shown| digest(&String::from_utf8_lossy(shown)) == digest(csrf));
    (!reads(method) && !is_own).then(|| {
        ApiError::new(
            StatusCode::FORBIDDEN,
            "csrf",
            Message::new("server-no-csrf"),
        )
    })
}

/// What of a request's headers says who calls.
fn shown(headers: &HeaderMap) -> HeaderMap {
    let shows = |name: &HeaderName| [AUTHORIZATION, COOKIE].contains(name);
    let own = headers.iter().filter(|(name, _)| shows(name));
    own.map(|(name, value)| (name.clone(), value.clone()))
        .collect()
}

/// Whether somebody who showed this may still do what needs that: his token or his session may have ended, his user
/// may have gone, or have less of a role.
fn may_still(
    app: &SharedApp,
    shown: HeaderMap,
    from: IpAddr,
    need: CallerNeed,
) -> impl Fn() -> bool + Send + Sync + 'static {
    let app = SharedApp::clone(app);
    move || {
        let now = caller(&app.policy, &shown, from);
        now.is_ok_and(|now| refusal(&now, need, &Method::GET, &shown).is_none())
    }
}

fn reads(method: &Method) -> bool {
    [Method::GET, Method::HEAD].contains(method)
}

/// What is to be said of a request in the audit log beside what all say.
#[derive(Debug, Clone)]
pub(crate) struct AuditNote(pub String);

/// Lets through who may do what he asks for, and keeps what changes. What was begun goes on and is kept, also if the
/// caller closes his connection at once.
pub(crate) async fn authorised(
    State(app): State<SharedApp>,
    request: Request,
    next: Next,
) -> Response {
    match reads(request.method()) {
        true => passed(&app, request, next).await.0,
        false => {
            let task = tokio::spawn(async move { kept(&app, request, next).await });
            task.await.unwrap_or_else(|_| failed())
        }
    }
}

fn failed() -> Response {
    ApiError::internal(Message::new("server-internal")).into_response()
}

/// The response to a request, and who asked, as far as that is known.
async fn passed(app: &SharedApp, mut request: Request, next: Next) -> (Response, Option<Caller>) {
    let peer = request.extensions().get::<ConnectInfo<PeerAddress>>();
    let from = peer.map_or(IpAddr::V4(Ipv4Addr::UNSPECIFIED), |peer| peer.0.0.ip());
    let from = from.to_canonical();
    let method = request.method().clone();
    let matched = request.extensions().get::<MatchedPath>();
    // Without a pattern nothing is known of it: the most is needed.
    let need = matched.map_or(CallerNeed::Role(UserRole::Administer), |matched| {
        needed(method.as_str(), matched.as_str())
    });
    let found = caller(&app.policy, request.headers(), from);
    let refused = match &found {
        Ok(caller) => refusal(caller, need, &method, request.headers()),
        Err(error) => Some(error.clone()),
    };
    let caller = found.ok();
    let response = match (refused, &caller) {
        (None, Some(caller)) => {
            request.extensions_mut().insert(caller.clone());
            let shown = shown(request.headers());
            let response = next.run(request).await;
            match app.policy.login && is_stream(&response) {
                true => while_allowed(response, may_still(app, shown, from, need)),
                false => response,
            }
        }
        (refused, _) => refused.unwrap_or_else(unknown).into_response(),
    };
    (response, caller)
}

/// The same of a change, with its line in the audit log.
async fn kept(app: &SharedApp, request: Request, next: Next) -> Response {
    let (method, path) = (request.method().clone(), request.uri().path().to_owned());
    let passing = SharedApp::clone(app);
    let made = tokio::spawn(async move { passed(&passing, request, next).await });
    let (response, caller) = made.await.unwrap_or_else(|_| (failed(), None));
    let note = response.extensions().get::<AuditNote>();
    let entry = AuditEntry {
        at: now_text(),
        user: caller.as_ref().and_then(|caller| caller.user.clone()),
        token: match caller.as_ref().map(|caller| &caller.proof) {
            Some(CallerProof::Token(token)) => Some(token.clone()),
            _ => None,
        },
        from: caller.map_or_else(|| "-".to_owned(), |caller| caller.from.to_string()),
        method: method.to_string(),
        path: plimsoll_secrets::text(&path).into_owned(),
        status: response.status().as_u16(),
        what: note.map(|note| note.0.clone()),
    };
    // What was done was done; that it is not kept the terminal of the server cannot mend.
    let is_stranger = app.policy.login && entry.user.is_none();
    let _ = app.policy.audit.add(entry, is_stranger);
    response
}
