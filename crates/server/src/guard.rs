//! Who may call: only by this server's own names (DNS rebinding), and pages of others may change nothing. What
//! leaves may do nothing else in a browser.

use std::net::SocketAddr;
use std::sync::Arc;

use axum::extract::{Request, State};
use axum::http::header::{
    CACHE_CONTROL, CONTENT_SECURITY_POLICY, HOST, HeaderName, ORIGIN, REFERRER_POLICY,
    X_CONTENT_TYPE_OPTIONS,
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
pub(crate) struct AllowedHosts {
    names: Vec<String>,
    /// Any address with this port, too: rebinding needs a name, and this host may have many addresses.
    any_address_at: Option<u16>,
    /// What its pages' addresses begin with.
    schemes: Vec<&'static str>,
}

impl AllowedHosts {
    /// Those of an address, and further names that it is called by, from outside perhaps by another port.
    pub fn of(address: SocketAddr, secure: bool, further: &[String]) -> Self {
        let port = address.port();
        let local = ["localhost", "127.0.0.1", "[::1]"].map(str::to_owned);
        let names = local.iter().chain(further);
        let mut names: Vec<String> = names.map(|name| format!("{name}:{port}")).collect();
        names.push(address.to_string());
        names.extend(further.iter().cloned());
        if port == if secure { 443 } else { 80 } {
            names.extend(local);
        }
        // Behind a proxy TLS ends there.
        let mut schemes = vec![if secure { "https://" } else { "http://" }];
        if !further.is_empty() && !secure {
            schemes.push("https://");
        }
        Self {
            names,
            any_address_at: (!address.ip().is_loopback()).then_some(port),
            schemes,
        }
    }

    fn has(&self, host: &str) -> bool {
        self.names
            .iter()
            .any(|known| known.eq_ignore_ascii_case(host))
            || self.is_own_address(host)
    }

    fn is_own_address(&self, host: &str) -> bool {
        let Some(own) = self.any_address_at else {
            return false;
        };
        if let Ok(address) = host.parse::<SocketAddr>() {
            return address.port() == own;
        }
        let bare = host.trim_start_matches('[').trim_end_matches(']');
        own == 443 && bare.parse::<std::net::IpAddr>().is_ok()
    }

    /// Why a request is refused; none: it is not.
    fn refuses(&self, request: &Request) -> Option<ApiError> {
        let header = |name: HeaderName| {
            let value = request.headers().get(name)?;
            Some(value.to_str().unwrap_or("?").to_owned())
        };
        for name in [HOST, ORIGIN] {
            // Whoever stands before this server may have looked at another of them (RFC 9112, 3.2).
            if request.headers().get_all(&name).iter().count() > 1 {
                let message = Message::new("server-header-twice").with("name", name.as_str());
                return Some(ApiError::bad(message));
            }
        }
        let host = header(HOST).unwrap_or_default();
        if !self.has(&host) {
            let message = Message::new("server-foreign-host")
                .with("host", host)
                .with("hosts", self.names.join(", "));
            return Some(ApiError::new(
                StatusCode::MISDIRECTED_REQUEST,
                "host",
                message,
            ));
        }
        if [Method::GET, Method::HEAD, Method::OPTIONS].contains(request.method()) {
            return None;
        }
        let from = header(HeaderName::from_static("sec-fetch-site"));
        if let Some(from) = from.filter(|from| !["same-origin", "none"].contains(&from.as_str())) {
            let message = Message::new("server-foreign-origin").with("origin", from);
            return Some(ApiError::new(StatusCode::FORBIDDEN, "origin", message));
        }
        let origin = header(ORIGIN)?;
        let mut schemes = self.schemes.iter();
        let is_own = schemes.any(|scheme| {
            let host = origin.strip_prefix(scheme);
            host.is_some_and(|host| self.has(host))
        });
        (!is_own).then(|| {
            let message = Message::new("server-foreign-origin").with("origin", origin);
            ApiError::new(StatusCode::FORBIDDEN, "origin", message)
        })
    }
}

/// Lets through who may call.
pub(crate) async fn guarded(
    State(hosts): State<Arc<AllowedHosts>>,
    request: Request,
    next: Next,
) -> Response {
    match hosts.refuses(&request) {
        Some(error) => error.into_response(),
        None => next.run(request).await,
    }
}

/// Says what browsers may do with what leaves, whatever it is.
pub(crate) async fn sealed(request: Request, next: Next) -> Response {
    let is_api = request.uri().path().starts_with("/api/");
    let mut response = next.run(request).await;
    let headers = response.headers_mut();
    headers.entry(CONTENT_SECURITY_POLICY).or_insert(STRICT);
    headers.insert(X_CONTENT_TYPE_OPTIONS, HeaderValue::from_static("nosniff"));
    headers.insert(
        HeaderName::from_static("cross-origin-resource-policy"),
        HeaderValue::from_static("same-origin"),
    );
    if is_api {
        // Whoever asks next may be somebody else.
        let stored_nowhere = HeaderValue::from_static("no-store");
        headers.entry(CACHE_CONTROL).or_insert(stored_nowhere);
    }
    headers.insert(REFERRER_POLICY, HeaderValue::from_static("no-referrer"));
    response
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use axum::body::Body;

    use super::*;

    fn refused(method: &str, host: &str, origin: Option<&str>) -> bool {
        let hosts = AllowedHosts::of(([127, 0, 0, 1], 8089).into(), false, &[]);
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
    fn what_is_said_twice_or_from_another_site_is_refused() {
        let hosts = AllowedHosts::of(([127, 0, 0, 1], 8089).into(), false, &[]);
        let refused = |method: &str, headers: &[(HeaderName, &str)]| {
            let mut request = Request::builder().method(method).uri("/");
            for (name, value) in [(HOST, "127.0.0.1:8089")].iter().chain(headers) {
                request = request.header(name, *value);
            }
            hosts
                .refuses(&request.body(Body::empty()).unwrap())
                .is_some()
        };
        let (own, site) = (
            "http://127.0.0.1:8089",
            HeaderName::from_static("sec-fetch-site"),
        );
        assert!(!refused("POST", &[(ORIGIN, own)]));
        assert!(refused(
            "POST",
            &[(ORIGIN, own), (ORIGIN, "http://evil.example")]
        ));
        assert!(refused("POST", &[(ORIGIN, own), (ORIGIN, own)]));
        assert!(refused("GET", &[(HOST, "evil.example")]));
        for (from, is_refused) in [
            ("same-origin", false),
            ("none", false),
            ("cross-site", true),
            ("same-site", true),
        ] {
            assert_eq!(
                refused("DELETE", &[(site.clone(), from)]),
                is_refused,
                "{from}"
            );
            assert!(!refused("GET", &[(site.clone(), from)]), "{from}");
        }
    }

    #[test]
    fn beyond_loopback_any_address_and_names_that_were_given() {
        let names = ["bench.example".to_owned()];
        let hosts = AllowedHosts::of(([0, 0, 0, 0], 8443).into(), true, &names);
        for host in [
            "10.0.0.7:8443",
            "[2001:db8::1]:8443",
            "bench.example:8443",
            "Bench.example",
        ] {
            assert!(hosts.has(host), "{host}");
        }
        for host in [
            "evil.example:8443",
            "10.0.0.7",
            "10.0.0.7:80",
            "10.0.0.7.nip.io:8443",
            "",
        ] {
            assert!(!hosts.has(host), "{host}");
        }
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
