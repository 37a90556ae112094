//! The webhooks that there are, kept over restarts.

use std::path::Path;

use plimsoll_text::{Lang, Message};
use serde::{Deserialize, Serialize};
use url::Url;
use utoipa::ToSchema;

use crate::kept::{KeptItem, KeptList};
use crate::now::now_text;
use crate::problem::ApiError;
use crate::shared::is_title;

/// What variables of the environment may be named: no others of this process leave it.
pub(super) const VARIABLES: &str = "PLIMSOLL_WEBHOOK_";

/// What others may hear of.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "snake_case")]
pub(crate) enum WebhookEvent {
    /// A run begins.
    Begin,
    /// A run is over, however it went.
    End,
    /// A run is over, and did not pass: a goal was missed, it failed or was cut off.
    Verdict,
    /// A run is over, and something limits its target.
    Finding,
    /// Somebody wants to see whether it arrives.
    Test,
}

impl WebhookEvent {
    /// Its name.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Begin => "begin",
            Self::End => "end",
            Self::Verdict => "verdict",
            Self::Finding => "finding",
            Self::Test => "test",
        }
    }
}

/// Who understands what is sent.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "snake_case")]
pub(crate) enum WebhookKind {
    /// A program: `schema/webhook.schema.json`.
    Generic,
    /// A group chat of DingTalk (钉钉).
    Dingtalk,
    /// A group chat of Feishu (飞书).
    Feishu,
    /// A group chat of WeCom (企业微信).
    Wecom,
}

/// A webhook that is asked for.
#[derive(Debug, Clone, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct WebhookOrder {
    /// What it is called.
    pub name: String,
    /// Where it is sent: `https://…`; `${PLIMSOLL_WEBHOOK_…}` in it is taken from the server's environment.
    pub url: String,
    /// Who understands it.
    pub kind: WebhookKind,
    /// What is told.
    pub events: Vec<WebhookEvent>,
    /// The variable of the server's environment that has the secret it is signed with: `PLIMSOLL_WEBHOOK_…`; absent:
    /// it is not signed.
    #[serde(default)]
    pub secret_env: Option<String>,
    /// The language of its texts: `en` or `zh`; absent: English.
    #[serde(default)]
    pub language: Option<String>,
}

/// What of a webhook is to be another; what is absent stays.
#[derive(Debug, Clone, Default, Deserialize, ToSchema)]
#[serde(default, deny_unknown_fields)]
pub(crate) struct WebhookChange {
    /// What it is called.
    pub name: Option<String>,
    /// What is told.
    pub events: Option<Vec<WebhookEvent>>,
    /// Whether anything is.
    pub enabled: Option<bool>,
    /// The language of its texts.
    pub language: Option<String>,
}

/// A webhook.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub(crate) struct WebhookKept {
    /// What it is found by.
    pub webhook: String,
    pub name: String,
    /// As it was written: what is in it may be a secret.
    pub url: String,
    pub kind: WebhookKind,
    pub events: Vec<WebhookEvent>,
    pub secret_env: Option<String>,
    pub language: Option<String>,
    pub enabled: bool,
    pub by: Option<String>,
    pub added: String,
}

impl WebhookKept {
    /// Where it is sent, without what may be a secret: paths and queries of group chats are.
    pub fn shown(&self) -> String {
        let url = Url::parse(&self.url).ok();
        let host = url.as_ref().and_then(|url| {
            let host = url.host_str()?;
            let port = url.port().map_or(String::new(), |port| format!(":{port}"));
            Some(format!("{}://{host}{port}/…", url.scheme()))
        });
        host.unwrap_or_else(|| "…".to_owned())
    }

    /// The language of its texts.
    pub fn lang(&self) -> Lang {
        let own = self.language.as_deref().and_then(Lang::parse);
        own.unwrap_or(Lang::En)
    }
}

/// All webhooks.
pub(super) struct WebhookBook(KeptList<WebhookKept>);

fn bad(name: &str, value: &str) -> ApiError {
    let message = Message::new("server-bad-webhook").with("name", name);
    ApiError::bad_field(name, message.with("value", value))
}

impl KeptItem for WebhookKept {
    const LETTER: char = 'w';
    const MOST_KEPT: usize = 50;
    const MOST_BYTES: u64 = 1 << 20;

    fn id(&self) -> &str {
        &self.webhook
    }

    fn missing(id: &str) -> ApiError {
        ApiError::not_found(Message::new("server-no-webhook").with("name", id))
    }
}

/// Whether a variable may be named.
fn is_variable(name: &str) -> bool {
    let fits = |c: char| c.is_ascii_uppercase() || c.is_ascii_digit() || c == '_';
    name.len() <= 200 && name.starts_with(VARIABLES) && name.chars().all(fits)
}

fn check(kept: &WebhookKept) -> Result<(), ApiError> {
    if !is_title(&kept.name, 200) {
        return Err(ApiError::bad_field("name", Message::new("server-bad-name")));
    }
    if kept.url.len() > 2_000 {
        return Err(bad("url", &kept.shown()));
    }
    let mut rest = kept.url.as_str();
    while let Some((_, from)) = rest.split_once("${") {
        let (name, behind) = from
            .split_once('}')
            .ok_or_else(|| bad("url", &kept.shown()))?;
        if !is_variable(name) {
            return Err(bad("url", name));
        }
        rest = behind;
    }
    // What the variables hold, and where that leads, is looked at by who sends.
    let url = Url::parse(&kept.url.replace("${", "").replace('}', ""));
    let is_http = url.is_ok_and(|url| {
        ["http", "https"].contains(&url.scheme())
            && url.has_host()
            && url.username().is_empty()
            && url.password().is_none()
    });
    if !is_http {
        return Err(bad("url", &kept.shown()));
    }
    if kept.events.is_empty() || kept.events.contains(&WebhookEvent::Test) {
        return Err(bad("events", "[]"));
    }
    if let Some(name) = kept.secret_env.as_deref().filter(|name| !is_variable(name)) {
        return Err(bad("secret_env", name));
    }
    match kept.language.as_deref() {
        Some(language) if Lang::parse(language).is_none() => Err(bad("language", language)),
        _ => Ok(()),
    }
}

impl WebhookBook {
    /// Those of a workbench's own folder.
    ///
    /// # Errors
    /// A file that cannot be read.
    pub fn open(folder: &Path) -> Result<Self, Message> {
        KeptList::open(folder.join("webhooks.json")).map(Self)
    }

    /// All of them, as they were made.
    pub fn all(&self) -> Vec<WebhookKept> {
        self.0.lock().clone()
    }

    /// One of them.
    ///
    /// # Errors
    /// There is none of that name.
    pub fn find(&self, webhook: &str) -> Result<WebhookKept, ApiError> {
        self.0.find(webhook)
    }

    /// A new one, once it is also let through by who sends.
    ///
    /// # Errors
    /// What cannot be, too many, a disk that is full.
    pub fn add(
        &self,
        order: WebhookOrder,
        by: Option<String>,
        may_send: impl FnOnce(&WebhookKept) -> Result<(), ApiError>,
    ) -> Result<WebhookKept, ApiError> {
        let made = WebhookKept {
            webhook: String::new(),
            name: order.name.trim().to_owned(),
            url: order.url,
            kind: order.kind,
            events: order.events,
            secret_env: order.secret_env,
            language: order.language,
            enabled: true,
            by,
            added: now_text(),
        };
        check(&made)?;
        may_send(&made)?;
        self.0.add(|webhook| WebhookKept { webhook, ..made })
    }

    /// Changes one.
    ///
    /// # Errors
    /// There is none of that name; what cannot be.
    pub fn alter(&self, webhook: &str, change: WebhookChange) -> Result<WebhookKept, ApiError> {
        self.0.alter(webhook, |found| {
            if let Some(name) = change.name {
                found.name = name.trim().to_owned();
            }
            if let Some(events) = change.events {
                found.events = events;
            }
            found.enabled = change.enabled.unwrap_or(found.enabled);
            found.language = change.language.or_else(|| found.language.clone());
            check(found)
        })
    }

    /// Takes one away.
    ///
    /// # Errors
    /// There is none of that name.
    pub fn remove(&self, webhook: &str) -> Result<(), ApiError> {
        self.0.remove(webhook)
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;

    fn order(url: &str) -> WebhookOrder {
        WebhookOrder {
            name: "ops".to_owned(),
            url: url.to_owned(),
            kind: WebhookKind::Dingtalk,
            events: vec![WebhookEvent::End],
            secret_env: Some("PLIMSOLL_WEBHOOK_SECRET".to_owned()),
            language: Some("zh".to_owned()),
        }
    }

    #[test]
    fn addresses_are_looked_at_and_not_shown() {
        let dir = tempfile::tempdir().unwrap();
        let book = WebhookBook::open(dir.path()).unwrap();
        let url = "https://oapi.dingtalk.com/robot/send?access_token=${PLIMSOLL_WEBHOOK_TOKEN}";
        let add = |order| book.add(order, None, |_| Ok(()));
        let made = add(order(url)).unwrap();
        assert_eq!(made.shown(), "https://oapi.dingtalk.com/…");
        for wrong in [
            "",
            "x",
            "file:///etc/passwd",
            "ftp://h/",
            "https://user:word@h/",
            "https://h/${PATH}",
            "https://h/${PLIMSOLL_WEBHOOK_a}",
            "https://h/${PLIMSOLL_WEBHOOK_A",
        ] {
            assert!(add(order(wrong)).is_err(), "{wrong}");
        }
        let mut other = order(url);
        other.secret_env = Some("AWS_SECRET_ACCESS_KEY".to_owned());
        assert!(add(other).is_err());
        let mut other = order(url);
        other.events = Vec::new();
        assert!(add(other).is_err());
        let again = WebhookBook::open(dir.path()).unwrap();
        assert_eq!(again.all().len(), 1);
        again.remove(&made.webhook).unwrap();
        assert!(again.find(&made.webhook).is_err());
    }
}
