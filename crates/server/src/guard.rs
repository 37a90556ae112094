//! Who may call: only by this server's own names (DNS rebinding), and pages of others may change nothing. What
//! leaves may do nothing else in a browser.

use std::net::SocketAddr;
use std::sync::Arc;

use axum::extract::{Request, State};
use axum::http::header::{
    CONTENT_SECURITY_POLICY, HOST, HeaderName, ORIGIN, REFERRER_POLICY, X_CONTENT_TYPE_OPTIONS,
};
use axum::http::{HeaderValue, Method, StatusCode};
use axum::middleware::Next;
use axum::response::{IntoResponse as _, Response};
use plimsoll_text::Message;

use crate::problem::ApiError;

/// What is not a page may load nothing.
const STRICT: HeaderValue =
    HeaderValue::from_static("default-src 'none'; frame-ancestors 'none'; base-uri 'none'");

/// The names that this server goes by, each with its port.
pub(crate) struct AllowedHosts(Vec<String>);

impl AllowedHosts {
    /// The names of a loopback address.
    pub fn of(address: SocketAddr) -> Self {
        let port = address.port();
        let mut hosts: Vec<String> = ["localhost", "127.0.0.1", "[::1]"]
            .map(|name| format!("{name}:{port}"))
            .into();
        hosts.push(address.to_string());
        if port == 80 {
            hosts.extend(["localhost", "127.0.0.1", "[::1]"].map(str::to_owned));
        }
        Self(hosts)
    }

    fn has(&self, host: &str) -> bool {
        self.0.iter().any(|known| known.eq_ignore_ascii_case(host))
    }

    /// Why a request is refused; none: it is not.
    fn refuses(&self, request: &Request) -> Option<ApiError> {
        let header = |name: HeaderName| {
            let value = request.headers().get(name)?;
            Some(value.to_str().unwrap_or("?").to_owned())
        };
        let host = header(HOST).unwrap_or_default();
        if !self.has(&host) {
            let message = Message::new("server-foreign-host")
                .with("host", host)
                .with("hosts", self.0.join(", "));
            return Some(ApiError::new(
                StatusCode::MISDIRECTED_REQUEST,
                "host",
                message,
            ));
        }
        if [Method::GET, Method::HEAD, Method::OPTIONS].contains(request.method()) {
            return None;
        }
        let origin = header(ORIGIN)?;
        let is_own = origin
            .strip_prefix("http://")
            .is_some_and(|host| self.has(host));
        (!is_own).then(|| {
            let message = Message::new("server-foreign-origin").with("origin", origin);
            ApiError::new(StatusCode::FORBIDDEN, "origin", message)
        })
    }
}

/// Lets through who may call, and says what browsers may do with what leaves.
pub(crate) async fn guarded(
    State(hosts): State<Arc<AllowedHosts>>,
    request: Request,
    next: Next,
) -> Response {
    let mut response = match hosts.refuses(&request) {
        Some(error) => error.into_response(),
        None => next.run(request).await,
    };
    let headers = response.headers_mut();
    headers.entry(CONTENT_SECURITY_POLICY).or_insert(STRICT);
    headers.insert(X_CONTENT_TYPE_OPTIONS, HeaderValue::from_static("nosniff"));
    headers.insert(REFERRER_POLICY, HeaderValue::from_static("no-referrer"));
    response
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use axum::body::Body;

    use super::*;

    fn refused(method: &str, host: &str, origin: Option<&str>) -> bool {
        let hosts = AllowedHosts::of(([127, 0, 0, 1], 8089).into());
        let mut request = Request::builder()
            .method(method)
            .uri("/")
            .header(HOST, host);
        if let Some(origin) = origin {
            request = request.header(ORIGIN, origin);
        }
        hosts
            .refuses(&request.body(Body::empty()).unwrap())
            .is_some()
    }

    #[test]
    fn only_own_names_and_own_pages() {
        for host in [
            "127.0.0.1:8089",
            "localhost:8089",
            "LOCALHOST:8089",
            "[::1]:8089",
        ] {
            assert!(!refused("GET", host, None), "{host}");
        }
        for host in [
            "",
            "evil.example:8089",
            "127.0.0.1",
            "127.0.0.1:80",
            "127.0.0.1:8089.evil",
        ] {
            assert!(refused("GET", host, None), "{host}");
        }
        let own = "127.0.0.1:8089";
        assert!(!refused("POST", own, Some("http://127.0.0.1:8089")));
        assert!(!refused("POST", own, None), "no browser");
        for origin in [
            "null",
            "http://evil.example",
            "https://127.0.0.1:8089",
            "http://127.0.0.1:1",
        ] {
            assert!(refused("POST", own, Some(origin)), "{origin}");
            assert!(!refused("GET", own, Some(origin)), "{origin}");
        }
    }
}
