//! Where an endpoint is and how to get in, from a spec.

use base64::Engine;
use hyper::header::HeaderValue;
use plimsoll_text::Message;
use url::Url;

use super::tls::{Tls, TlsOptions};
use crate::collector::Trouble;
use crate::source::Spec;

/// What opens an endpoint, and whom to trust: the options that [`EndpointAccess::of`] reads.
pub(crate) const ENDPOINT_OPTIONS: &[&str] = &[
    "user",
    "password-env",
    "password-file",
    "token-env",
    "token-file",
    "ca-file",
    "insecure",
];

/// How an endpoint is reached.
pub(crate) struct EndpointAccess {
    /// The address, without user and password.
    pub(crate) base: Url,
    /// What to identify with.
    pub(crate) authorization: Option<HeaderValue>,
    /// For `https`.
    pub(crate) tls: Option<Tls>,
}

impl EndpointAccess {
    /// Reads a spec's address (`http://host:port/path`, or `host:port` alone) and
    /// [`ENDPOINT_OPTIONS`]. `path` is asked for when the address names none.
    ///
    /// # Errors
    /// An address that is none, a secret that is not there, a certificate that cannot be read.
    pub(crate) fn of(spec: &Spec, path: &str) -> Result<Self, Trouble> {
        let wrong = || {
            Trouble::new(
                Message::new("watch-url-wrong")
                    .with("source", spec.source.as_str())
                    .with(
                        "address",
                        plimsoll_secrets::text(&spec.address).into_owned(),
                    ),
            )
        };
        let text = match spec.address.split_once("://") {
            Some(_) => spec.address.clone(),
            None => format!("http://{}", spec.address),
        };
        let mut base = Url::parse(&text).map_err(|_| wrong())?;
        if !matches!(base.scheme(), "http" | "https") || base.host_str().is_none_or(str::is_empty) {
            return Err(wrong());
        }
        let authorization = authorization(spec, &base)?;
        // What cannot be set is not there: the host stands in it.
        let _ = base.set_username("");
        let _ = base.set_password(None);
        base.set_fragment(None);
        if base.path() == "/" {
            base.set_path(path);
        }
        let tls = match base.scheme() {
            "https" => Some(Tls::new(&tls_options(spec))?),
            _ => None,
        };
        Ok(Self {
            base,
            authorization,
            tls,
        })
    }
}

/// The options `ca-file` and `insecure`.
pub(crate) fn tls_options(spec: &Spec) -> TlsOptions {
    TlsOptions {
        ca_file: spec.options.get("ca-file").map(Into::into),
        insecure: spec
            .options
            .get("insecure")
            .is_some_and(|yes| yes == "true"),
    }
}

fn authorization(spec: &Spec, base: &Url) -> Result<Option<HeaderValue>, Trouble> {
    let text = if let Some(token) = secret(spec, "token")? {
        format!("Bearer {token}")
    } else {
        let in_url = Some(base.username()).filter(|user| !user.is_empty());
        let Some(user) = spec.options.get("user").cloned().or(in_url.map(decoded)) else {
            return Ok(None);
        };
        let password = secret(spec, "password")?
            .or_else(|| base.password().map(decoded))
            .unwrap_or_default();
        let pair = format!("{user}:{password}");
        let coded = base64::engine::general_purpose::STANDARD.encode(pair);
        format!("Basic {coded}")
    };
    let mut value = HeaderValue::from_str(&text).map_err(|_| {
        Trouble::new(Message::new("watch-secret-wrong").with("source", spec.source.as_str()))
    })?;
    value.set_sensitive(true);
    Ok(Some(value))
}

/// A part of a URL as it is meant.
pub(crate) fn decoded(text: &str) -> String {
    let decoded = percent_encoding::percent_decode_str(text);
    decoded.decode_utf8_lossy().into_owned()
}

/// A secret by the options `WHAT-env` (a variable of the environment) or `WHAT-file` (a
/// file, whose last line end is no part of it).
///
/// # Errors
/// A variable that is not set, a file that cannot be read.
pub(crate) fn secret(spec: &Spec, what: &str) -> Result<Option<String>, Trouble> {
    if let Some(name) = spec.options.get(&format!("{what}-env")) {
        let value = std::env::var(name);
        return value.map(Some).map_err(|_| {
            Trouble::new(
                Message::new("watch-secret-not-set")
                    .with("source", spec.source.as_str())
                    .with("variable", name.as_str()),
            )
        });
    }
    let Some(path) = spec.options.get(&format!("{what}-file")) else {
        return Ok(None);
    };
    let text = std::fs::read_to_string(path).map_err(|error| {
        Trouble::new(
            Message::new("watch-file-unreadable")
                .with("path", path.as_str())
                .with("reason", error.to_string()),
        )
    })?;
    Ok(Some(text.trim_end_matches(['\r', '\n']).to_owned()))
}
