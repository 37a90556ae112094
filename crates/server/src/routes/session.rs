//! Logging in and out.

use std::time::Instant;

use axum::Json;
use axum::extract::State;
use axum::http::header::{RETRY_AFTER, SET_COOKIE};
use axum::http::{HeaderMap, HeaderValue, StatusCode};
use axum::response::{IntoResponse as _, Response};
use plimsoll_text::Message;
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use crate::app::{App, SharedApp};
use crate::blocking::blocking;
use crate::problem::ApiError;
use crate::respond::ApiResult;
use crate::shared::{
    AuditNote, Caller, CallerProof, MOST_PASSWORD, Person, SESSION_COOKIE, UserRole, session_secret,
};

/// Who the caller is.
#[derive(Debug, Serialize, ToSchema)]
pub(super) struct SessionState {
    /// One must log in here.
    login: bool,
    /// The caller's name; null: nobody, or nobody has to have one.
    user: Option<String>,
    /// What he may do; null: nothing, before he has logged in.
    role: Option<UserRole>,
    /// The same with what it includes: `look`, `run`, `administer`.
    rights: Vec<String>,
    /// What each change must have as `X-CSRF-Token`; null: it needs none.
    csrf: Option<String>,
    /// There is no user yet: the code that the server's terminal shows makes the first one.
    needs_first_user: bool,
}

impl SessionState {
    fn of(app: &App, caller: &Caller) -> Self {
        Self {
            login: app.policy.login,
            user: caller.user.clone(),
            role: caller.role,
            rights: caller.role.map(UserRole::rights).unwrap_or_default(),
            csrf: match &caller.proof {
                CallerProof::Session { csrf } => Some(csrf.clone()),
                _ => None,
            },
            needs_first_user: app.policy.first_code().is_some(),
        }
    }
}

/// Who the caller is.
#[utoipa::path(get, path = "/session", responses((status = 200, body = SessionState)))]
pub(super) async fn get_session(
    State(app): State<SharedApp>,
    caller: Caller,
) -> ApiResult<SessionState> {
    Ok(Json(SessionState::of(&app, &caller)))
}

/// A name and a password.
#[derive(Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct LoginOrder {
    /// The name.
    user: String,
    /// The password.
    password: String,
}

fn no_login() -> ApiError {
    ApiError::conflict(Message::new("server-no-login"))
}

/// Counts a try; what is said to whoever has failed too often.
fn must_wait(app: &App, user: &str, caller: &Caller) -> Option<Response> {
    let taken = app.policy.logins.take(user, caller.place, Instant::now());
    let wait = taken.err()?;
    let seconds = wait.as_secs() + 1;
    let message = Message::new("server-too-often").with("seconds", seconds);
    let error = ApiError::new(StatusCode::TOO_MANY_REQUESTS, "too-often", message);
    let mut response = error.into_response();
    response.headers_mut().insert(RETRY_AFTER, seconds.into());
    Some(response)
}

fn failed(user: &str) -> Response {
    let error = ApiError::new(
        StatusCode::UNAUTHORIZED,
        "login",
        Message::new("server-login-failed"),
    );
    noted(error.into_response(), user)
}

fn noted(mut response: Response, user: &str) -> Response {
    let user: String = user.chars().take(64).collect();
    response.extensions_mut().insert(AuditNote(user));
    response
}

fn succeeded(app: &App, user: &str, caller: &Caller) {
    let logins = &app.policy.logins;
    logins.succeeded(user, caller.place, Instant::now());
}

/// Logs a user in.
fn logged_in(app: &App, person: &Person, caller: &Caller) -> Result<Response, ApiError> {
    let policy = &app.policy;
    succeeded(app, &person.user, caller);
    let (secret, session) = policy.sessions.begin(&person.user, &person.password)?;
    let caller = Caller {
        user: Some(person.user.clone()),
        role: Some(person.role),
        proof: CallerProof::Session { csrf: session.csrf },
        ..caller.clone()
    };
    let response = Json(SessionState::of(app, &caller)).into_response();
    Ok(noted(
        with_cookie(response, &secret, caller.by_tls),
        &person.user,
    ))
}

/// A browser sends it here alone, and no script reads it; an empty one is taken away.
fn with_cookie(mut response: Response, secret: &str, secure: bool) -> Response {
    let secure = if secure { "; Secure" } else { "" };
    let ends = if secret.is_empty() { "; Max-Age=0" } else { "" };
    let cookie =
        format!("{SESSION_COOKIE}={secret}; Path=/; HttpOnly; SameSite=Strict{secure}{ends}");
    // It is base64 and words of ours.
    if let Ok(cookie) = HeaderValue::from_str(&cookie) {
        response.headers_mut().append(SET_COOKIE, cookie);
    }
    response
}

/// Logs in. Who fails often must wait, twice as long each time.
#[utoipa::path(
    post, path = "/session",
    request_body = LoginOrder,
    responses((status = 200, body = SessionState))
)]
pub(super) async fn log_in(
    State(app): State<SharedApp>,
    caller: Caller,
    Json(order): Json<LoginOrder>,
) -> Result<Response, ApiError> {
    if !app.policy.login {
        return Err(no_login());
    }
    if let Some(wait) = must_wait(&app, &order.user, &caller) {
        return Ok(noted(wait, &order.user));
    }
    if order.password.len() > 4 * MOST_PASSWORD {
        return Ok(failed(&order.user));
    }
    let person = app.policy.people.person(&order.user)?;
    let kept = person.as_ref().map(|person| person.password.clone());
    let is_right = app.policy.passwords.is_right(order.password, kept).await?;
    match person.filter(|_| is_right) {
        Some(person) => logged_in(&app, &person, &caller),
        None => Ok(failed(&order.user)),
    }
}

/// The first user, who administers.
#[derive(Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct FirstUserOrder {
    /// The code that the server's terminal shows.
    code: String,
    /// The name.
    user: String,
    /// The password.
    password: String,
}

/// Makes the first user and logs him in.
#[utoipa::path(
    post, path = "/session/first",
    request_body = FirstUserOrder,
    responses((status = 200, body = SessionState))
)]
pub(super) async fn add_first_user(
    State(app): State<SharedApp>,
    caller: Caller,
    Json(order): Json<FirstUserOrder>,
) -> Result<Response, ApiError> {
    if app.policy.first_code().is_none() {
        return Err(ApiError::conflict(Message::new("server-not-first")));
    }
    if let Some(wait) = must_wait(&app, "", &caller) {
        return Ok(wait);
    }
    if !app.policy.is_first_code(&order.code) {
        return Ok(failed(""));
    }
    succeeded(&app, "", &caller);
    let kept = app.policy.passwords.kept(order.password).await?;
    let adding = std::sync::Arc::clone(&app);
    let person = blocking(move || adding.policy.people.add_first(&order.user, kept)).await?;
    app.policy.forget_first_code();
    logged_in(&app, &person, &caller)
}

/// A user by his name.
#[derive(Debug, Serialize, ToSchema)]
pub(super) struct UserNamed {
    /// The name.
    pub(super) user: String,
}

/// Logs out.
#[utoipa::path(delete, path = "/session", responses((status = 200, body = UserNamed)))]
pub(super) async fn log_out(
    State(app): State<SharedApp>,
    caller: Caller,
    headers: HeaderMap,
) -> Result<Response, ApiError> {
    let user = caller.user.clone().ok_or_else(no_login)?;
    if let Some(secret) = session_secret(&headers) {
        app.policy.sessions.end(&secret);
    }
    let response = Json(UserNamed { user }).into_response();
    Ok(with_cookie(response, "", caller.by_tls))
}

/// A new password of one's own.
#[derive(Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct PasswordOrder {
    /// The password until now.
    old: String,
    /// The new one.
    new: String,
}

/// Changes one's own password; all sessions of the user end.
#[utoipa::path(
    post, path = "/session/password",
    request_body = PasswordOrder,
    responses((status = 200, body = UserNamed))
)]
pub(super) async fn change_password(
    State(app): State<SharedApp>,
    caller: Caller,
    Json(order): Json<PasswordOrder>,
) -> Result<Response, ApiError> {
    let (Some(user), CallerProof::Session { .. }) = (caller.user.clone(), &caller.proof) else {
        return Err(ApiError::conflict(Message::new("server-needs-session")));
    };
    if let Some(wait) = must_wait(&app, &user, &caller) {
        return Ok(wait);
    }
    let kept = app
        .policy
        .people
        .person(&user)?
        .map(|person| person.password);
    if !app.policy.passwords.is_right(order.old, kept).await? {
        return Ok(failed(&user));
    }
    succeeded(&app, &user, &caller);
    let kept = app.policy.passwords.kept(order.new).await?;
    let person = blocking(move || app.policy.people.alter_own(&user, kept)).await?;
    Ok(Json(UserNamed { user: person.user }).into_response())
}
