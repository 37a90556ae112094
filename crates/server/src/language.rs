//! The language that a caller wants texts in: `?lang=`, else `Accept-Language`.

use std::convert::Infallible;
use std::sync::atomic::{AtomicBool, Ordering};

use axum::extract::FromRequestParts;
use axum::http::header::ACCEPT_LANGUAGE;
use axum::http::request::Parts;
use plimsoll_text::{Lang, Message, render};

/// Who says no language gets Chinese; else English.
static BY_DEFAULT_CHINESE: AtomicBool = AtomicBool::new(false);

/// Sets the language of those who say none.
pub(crate) fn speak(lang: Option<Lang>) {
    BY_DEFAULT_CHINESE.store(lang == Some(Lang::Zh), Ordering::Relaxed);
}

/// The language of those who say none.
pub(crate) fn by_default() -> Lang {
    match BY_DEFAULT_CHINESE.load(Ordering::Relaxed) {
        true => Lang::Zh,
        false => Lang::default(),
    }
}

/// A message in a language, without the secrets that the texts in it may hold.
pub(crate) fn told(lang: Lang, message: &Message) -> String {
    plimsoll_secrets::spoken(&render(lang, message), &message.texts()).into_owned()
}

/// The language of a request.
#[derive(Debug, Clone, Copy)]
pub(crate) struct CallerLang(pub Lang);

impl CallerLang {
    /// What the head of a request says.
    pub fn of(parts: &Parts) -> Self {
        let query = parts.uri.query().unwrap_or_default();
        let asked = query.split('&').find_map(|pair| pair.strip_prefix("lang="));
        let header = parts.headers.get(ACCEPT_LANGUAGE);
        let header = header.and_then(|value| value.to_str().ok());
        // Callers name what they like best first.
        let liked = header.into_iter().flat_map(|value| value.split(','));
        let mut names = asked.into_iter().chain(liked);
        Self(
            names
                .find_map(|name| Lang::parse(name.trim()))
                .unwrap_or_else(by_default),
        )
    }
}

impl<S: Sync> FromRequestParts<S> for CallerLang {
    type Rejection = Infallible;

    async fn from_request_parts(parts: &mut Parts, _: &S) -> Result<Self, Infallible> {
        Ok(Self::of(parts))
    }
}
