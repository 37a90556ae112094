//! A receiver that is posted to over HTTP.

use std::sync::Arc;
use std::time::Duration;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use plimsoll_text::Message;
use ureq::tls::{PemItem, RootCerts, TlsConfig, parse_pem};
use url::Url;

use crate::output::OutputError;
use crate::spec::OutputSpec;

/// The settings of each receiver.
pub(crate) const SETTINGS: &[&str] = &["token-env", "user", "password-env", "ca-file"];

/// Finding and connecting, and taking and responding, may take so long each.
const CONNECT: Duration = Duration::from_secs(2);
const RESPOND: Duration = Duration::from_secs(4);
/// Of a response at most so much is read.
const MOST_BYTES: u64 = 64 * 1024;
/// Of a refusal so many characters are told.
const TOLD: usize = 200;

/// How one receiver differs from another.
pub(crate) struct ReceiverKind {
    /// Where an address without a path leads, with its query.
    pub(crate) path: &'static str,
    /// The scheme of a token.
    pub(crate) token: &'static str,
    /// Headers of each request.
    pub(crate) headers: &'static [(&'static str, &'static str)],
}

/// Where something is posted to.
pub(crate) struct Receiver {
    agent: ureq::Agent,
    url: String,
    authorization: Option<String>,
    headers: &'static [(&'static str, &'static str)],
}

impl Receiver {
    /// The receiver at the address of an output.
    ///
    /// # Errors
    /// An address that is none, variables of the environment that are not set, certificates that
    /// cannot be read.
    pub(crate) fn open(spec: &OutputSpec, kind: &ReceiverKind) -> Result<Self, Message> {
        let config = ureq::Agent::config_builder()
            .timeout_resolve(Some(CONNECT))
            .timeout_connect(Some(CONNECT))
            .timeout_send_request(Some(RESPOND))
            .timeout_send_body(Some(RESPOND))
            .timeout_recv_response(Some(RESPOND))
            .timeout_recv_body(Some(RESPOND))
            // Another place is another host.
            .max_redirects(0)
            .http_status_as_error(false)
            .tls_config(tls(spec)?)
            .user_agent("Plimsoll")
            .build();
        Ok(Self {
            agent: config.into(),
            url: address(spec, kind.path)?,
            authorization: authorization(spec, kind.token)?,
            headers: kind.headers,
        })
    }

    /// Posts a body; gives what came back.
    ///
    /// # Errors
    /// What was not taken, and whether it may be later.
    pub(crate) fn post(&self, body: &[u8]) -> Result<Vec<u8>, OutputError> {
        let mut request = self.agent.post(&self.url);
        for (name, value) in self.headers {
            request = request.header(*name, *value);
        }
        if let Some(authorization) = &self.authorization {
            request = request.header("Authorization", authorization);
        }
        let later = |error: ureq::Error| OutputError::Later(error.to_string());
        let mut response = request.send(body).map_err(later)?;
        let status = response.status();
        // Read to its end, so that the connection is used again.
        let reader = response.body_mut().with_config().limit(MOST_BYTES);
        let body = reader.read_to_vec().unwrap_or_default();
        if status.is_success() {
            return Ok(body);
        }
        let text = String::from_utf8_lossy(&body);
        let text = plimsoll_secrets::text(text.trim()).into_owned();
        let told: String = text.chars().take(TOLD).collect();
        let reason = format!("{status} {told}").trim_end().to_owned();
        match status.as_u16() {
            408 | 425 | 429 | 500..=599 => Err(OutputError::Later(reason)),
            _ => Err(OutputError::Refused(reason)),
        }
    }
}

fn address(spec: &OutputSpec, path: &str) -> Result<String, Message> {
    let wrong = || Message::new("output-bad-address").with("address", spec.shown());
    let mut url: Url = spec.address.parse().map_err(|_| wrong())?;
    if !matches!(url.scheme(), "http" | "https") || !url.has_host() {
        return Err(wrong());
    }
    if url.path() == "/" && url.query().is_none() {
        let (path, query) = match path.split_once('?') {
            Some((path, query)) => (path, Some(query)),
            None => (path, None),
        };
        url.set_path(path);
        url.set_query(query);
    }
    Ok(url.into())
}

/// The header of a token, or of a user and a password.
fn authorization(spec: &OutputSpec, scheme: &str) -> Result<Option<String>, Message> {
    if let Some(token) = spec.from_environment("token-env")? {
        return Ok(Some(format!("{scheme} {token}")));
    }
    let Some(user) = spec.setting("user") else {
        return Ok(None);
    };
    let password = spec.from_environment("password-env")?.unwrap_or_default();
    let pair = STANDARD.encode(format!("{user}:{password}"));
    Ok(Some(format!("Basic {pair}")))
}

/// Whom a receiver's certificate is believed by: the public authorities, or those of `ca-file`.
fn tls(spec: &OutputSpec) -> Result<TlsConfig, Message> {
    let Some(path) = spec.setting("ca-file") else {
        return Ok(TlsConfig::default());
    };
    let failed = |reason: String| {
        Message::new("run-file-failed")
            .with("path", path)
            .with("reason", reason)
    };
    let pem = std::fs::read(path).map_err(|error| failed(error.to_string()))?;
    let mut authorities = Vec::new();
    for item in parse_pem(&pem) {
        if let PemItem::Certificate(one) = item.map_err(|error| failed(error.to_string()))? {
            authorities.push(one);
        }
    }
    if authorities.is_empty() {
        return Err(Message::new("output-no-certificate").with("path", path));
    }
    let roots = RootCerts::Specific(Arc::new(authorities));
    Ok(TlsConfig::builder().root_certs(roots).build())
}
