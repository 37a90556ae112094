//! Users, and tokens of programs.

use axum::Json;
use axum::extract::{Path, State};
use axum::http::StatusCode;
use axum::response::{IntoResponse as _, Response};
use plimsoll_text::Message;
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use crate::app::SharedApp;
use crate::blocking::blocking;
use crate::now::{now_s, text_of};
use crate::problem::ApiError;
use crate::respond::ApiResult;
use crate::shared::{
    Caller, CallerProof, Person, ProgramToken, UserRole, digest, is_title, random_text,
};

/// Longest life of a token, days.
const MOST_DAYS: u32 = 3_660;
/// What the secrets of tokens begin with, so that scanners of secrets know them.
const SECRET_PREFIX: &str = "plm_";

/// A user.
#[derive(Debug, Serialize, ToSchema)]
pub(super) struct UserListed {
    /// The name.
    user: String,
    /// What he may do.
    role: UserRole,
    /// When he was added, UTC.
    added: String,
}

impl From<Person> for UserListed {
    fn from(person: Person) -> Self {
        Self {
            user: person.user,
            role: person.role,
            added: text_of(person.added_s),
        }
    }
}

/// All users, by name.
#[derive(Debug, Serialize, ToSchema)]
pub(super) struct UserList {
    /// The users.
    items: Vec<UserListed>,
    /// Always null: there is one page.
    next: Option<String>,
}

/// The users there are.
#[utoipa::path(get, path = "/users", responses((status = 200, body = UserList)))]
pub(super) async fn get_users(State(app): State<SharedApp>) -> ApiResult<UserList> {
    let persons = blocking(move || app.policy.people.persons()).await?;
    Ok(Json(UserList {
        items: persons.into_iter().map(UserListed::from).collect(),
        next: None,
    }))
}

/// A new user.
#[derive(Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct UserOrder {
    /// The name.
    user: String,
    /// The password: 10 characters or more.
    password: String,
    /// What he may do.
    role: UserRole,
}

/// Adds a user.
#[utoipa::path(
    post, path = "/users",
    request_body = UserOrder,
    responses((status = 201, body = UserListed))
)]
pub(super) async fn add_user(
    State(app): State<SharedApp>,
    Json(order): Json<UserOrder>,
) -> Result<Response, ApiError> {
    let kept = app.policy.passwords.kept(order.password).await?;
    let person = blocking(move || {
        let person = app.policy.people.add(&order.user, order.role, kept)?;
        app.policy.forget_first_code();
        Ok(person)
    })
    .await?;
    Ok((StatusCode::CREATED, Json(UserListed::from(person))).into_response())
}

/// What is to change of a user.
#[derive(Default, Deserialize, ToSchema)]
#[serde(default, deny_unknown_fields)]
pub(super) struct UserChange {
    /// What he may do.
    role: Option<UserRole>,
    /// A new password; his sessions end.
    password: Option<String>,
}

/// Changes a user.
#[utoipa::path(
    patch, path = "/users/{user}",
    params(("user" = String, Path, description = "The user")),
    request_body = UserChange,
    responses((status = 200, body = UserListed))
)]
pub(super) async fn change_user(
    State(app): State<SharedApp>,
    Path(user): Path<String>,
    Json(change): Json<UserChange>,
) -> ApiResult<UserListed> {
    let kept = match change.password {
        Some(password) => Some(app.policy.passwords.kept(password).await?),
        None => None,
    };
    let person = blocking(move || app.policy.people.alter(&user, change.role, kept)).await?;
    Ok(Json(person.into()))
}

/// A user who was taken out.
#[derive(Debug, Serialize, ToSchema)]
pub(super) struct UserRemoved {
    /// The name.
    user: String,
    /// Webhooks that he has made: they stay, and are sent to as before.
    webhooks: Vec<String>,
}

/// Takes a user out: his sessions and tokens end, and his schedules begin nothing. Webhooks are the server's.
#[utoipa::path(
    delete, path = "/users/{user}",
    params(("user" = String, Path, description = "The user")),
    responses((status = 200, body = UserRemoved))
)]
pub(super) async fn remove_user(
    State(app): State<SharedApp>,
    Path(user): Path<String>,
) -> ApiResult<UserRemoved> {
    blocking(move || {
        app.policy.people.remove(&user)?;
        let webhooks = app.hooks.all().into_iter();
        let own = webhooks.filter(|webhook| webhook.by.as_ref() == Some(&user));
        Ok(UserRemoved {
            webhooks: own.map(|webhook| webhook.name).collect(),
            user,
        })
    })
    .await
    .map(Json)
}

/// A token, without its secret.
#[derive(Debug, Serialize, ToSchema)]
pub(super) struct TokenListed {
    /// What it is called by.
    token: String,
    /// What its owner calls it.
    name: String,
    /// Whose it is.
    user: String,
    /// What it may do; less if its owner may less.
    role: UserRole,
    /// When it was made, UTC.
    added: String,
    /// When it ends, UTC.
    ends: String,
}

impl From<ProgramToken> for TokenListed {
    fn from(token: ProgramToken) -> Self {
        Self {
            token: token.token,
            name: token.name,
            user: token.user,
            role: token.role,
            added: text_of(token.added_s),
            ends: text_of(token.ends_s),
        }
    }
}

/// Tokens.
#[derive(Debug, Serialize, ToSchema)]
pub(super) struct TokenList {
    /// The tokens.
    items: Vec<TokenListed>,
    /// Always null: there is one page.
    next: Option<String>,
}

/// Whose tokens a caller sees: his own; an administrator those of all.
fn seen_by(caller: &Caller) -> Option<String> {
    match caller.own_role() {
        UserRole::Administer => None,
        _ => caller.user.clone().or_else(|| Some(String::new())),
    }
}

/// One's own tokens; for an administrator those of all.
#[utoipa::path(get, path = "/tokens", responses((status = 200, body = TokenList)))]
pub(super) async fn get_tokens(
    State(app): State<SharedApp>,
    caller: Caller,
) -> ApiResult<TokenList> {
    let tokens = blocking(move || app.policy.people.tokens()).await?;
    let (of, now) = (seen_by(&caller), now_s());
    let is_seen = |token: &ProgramToken| {
        token.ends_s > now && of.as_ref().is_none_or(|user| *user == token.user)
    };
    let tokens = tokens.into_iter().filter(is_seen);
    Ok(Json(TokenList {
        items: tokens.map(TokenListed::from).collect(),
        next: None,
    }))
}

/// A new token.
#[derive(Debug, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct TokenOrder {
    /// What it is called.
    name: String,
    /// What it may do: not more than its owner.
    role: UserRole,
    /// So many days: 1 to 3660.
    #[schema(minimum = 1, maximum = 3660)]
    days: u32,
}

/// A token that was made.
#[derive(Debug, Serialize, ToSchema)]
pub(super) struct TokenMade {
    #[serde(flatten)]
    token: TokenListed,
    /// What programs show, as `Authorization: Bearer …`; it is said this once.
    secret: String,
}

/// Makes a token of one's own, in a session: a token makes none.
#[utoipa::path(
    post, path = "/tokens",
    request_body = TokenOrder,
    responses((status = 201, body = TokenMade))
)]
pub(super) async fn add_token(
    State(app): State<SharedApp>,
    caller: Caller,
    Json(order): Json<TokenOrder>,
) -> Result<Response, ApiError> {
    let user = caller.user.clone();
    let user = user.ok_or_else(|| ApiError::conflict(Message::new("server-no-login")))?;
    // One that somebody took would live on in those that it makes.
    if !matches!(caller.proof, CallerProof::Session { .. }) {
        let message = Message::new("server-token-needs-session");
        return Err(ApiError::conflict(message));
    }
    if order.role > caller.own_role() {
        let message = Message::new("server-no-right")
            .with("own", caller.own_role().name())
            .with("role", order.role.name());
        return Err(ApiError::new(StatusCode::FORBIDDEN, "right", message));
    }
    let name = order.name.trim();
    if !(1..=MOST_DAYS).contains(&order.days) || !is_title(name, 100) {
        let message = Message::new("server-bad-token").with("most", MOST_DAYS);
        return Err(ApiError::bad(message));
    }
    let secret = format!("{SECRET_PREFIX}{}", random_text()?);
    let digest = digest(&secret);
    let added_s = now_s();
    let token = ProgramToken {
        token: digest
            .chars()
            .filter(char::is_ascii_alphanumeric)
            .take(12)
            .collect(),
        name: name.to_owned(),
        user,
        role: order.role,
        added_s,
        ends_s: added_s + u64::from(order.days) * 86_400,
        digest,
    };
    let kept = token.clone();
    blocking(move || app.policy.people.add_token(kept)).await?;
    let token = token.into();
    Ok((StatusCode::CREATED, Json(TokenMade { token, secret })).into_response())
}

/// A token by its name.
#[derive(Debug, Serialize, ToSchema)]
pub(super) struct TokenNamed {
    /// What it is called by.
    token: String,
}

/// Takes a token away, one's own; an administrator any. Who shows a token takes away that one alone.
#[utoipa::path(
    delete, path = "/tokens/{token}",
    params(("token" = String, Path, description = "The token")),
    responses((status = 200, body = TokenNamed))
)]
pub(super) async fn remove_token(
    State(app): State<SharedApp>,
    caller: Caller,
    Path(token): Path<String>,
) -> ApiResult<TokenNamed> {
    blocking(move || {
        let of = seen_by(&caller);
        if let CallerProof::Token(own) = &caller.proof
            && *own != token
        {
            return Err(ApiError::conflict(Message::new(
                "server-token-needs-session",
            )));
        }
        app.policy.people.remove_token(&token, of.as_deref())?;
        Ok(TokenNamed { token })
    })
    .await
    .map(Json)
}
