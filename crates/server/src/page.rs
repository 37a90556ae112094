//! The UI: the files of `web/dist`, as they were when this was built.

use std::io::Read as _;

use axum::extract::Request;
use axum::http::header::{
    ACCEPT, ACCEPT_ENCODING, CACHE_CONTROL, CONTENT_ENCODING, CONTENT_SECURITY_POLICY, CONTENT_TYPE,
};
use axum::http::{HeaderMap, HeaderName, HeaderValue, Method, StatusCode};
use axum::response::{Html, IntoResponse, Response};
use flate2::read::GzDecoder;
use plimsoll_text::{Lang, Message, render};

use crate::language::CallerLang;
use crate::problem::ApiError;

/// The files by their paths, gzipped; none: the UI was not built.
static FILES: &[(&str, &[u8])] = include!(concat!(env!("OUT_DIR"), "/web.rs"));

/// What the page has in place of its nonce.
const NONCE: &str = "__CSP_NONCE__";

/// Whether the UI is in this binary.
pub(crate) fn is_there() -> bool {
    !FILES.is_empty()
}

/// Anything that is not of the API: a file, or the page, which knows its own paths.
pub(crate) async fn page(request: Request) -> Response {
    let (parts, _) = request.into_parts();
    let path = parts.uri.path().trim_start_matches('/');
    let accepts = parts
        .headers
        .get(ACCEPT)
        .and_then(|value| value.to_str().ok());
    let wants_page =
        path.is_empty() || accepts.is_some_and(|accepts| accepts.contains("text/html"));
    let is_read = [Method::GET, Method::HEAD].contains(&parts.method);
    if path.starts_with("api/") || !is_read {
        return missing(path);
    }
    match (find(path), wants_page) {
        (Some(packed), _) if path != "index.html" => file(path, packed, &parts.headers),
        (_, true) | (Some(_), _) => index(CallerLang::of(&parts).0),
        (None, false) => missing(path),
    }
}

fn find(path: &str) -> Option<&'static [u8]> {
    let found = FILES.iter().find(|(name, _)| *name == path);
    found.map(|(_, packed)| *packed)
}

fn missing(path: &str) -> Response {
    ApiError::not_found(Message::new("server-no-path").with("path", format!("/{path}")))
        .into_response()
}

fn file(path: &str, packed: &'static [u8], headers: &HeaderMap) -> Response {
    // Names below assets/ change with what they hold.
    let kept = match path.starts_with("assets/") {
        true => "public, max-age=31536000, immutable",
        false => "no-cache",
    };
    let head = [
        (CONTENT_TYPE, media_type(path)),
        (CACHE_CONTROL, HeaderValue::from_static(kept)),
    ];
    let takes_gzip = headers
        .get(ACCEPT_ENCODING)
        .and_then(|value| value.to_str().ok())
        .is_some_and(|value| value.contains("gzip"));
    match takes_gzip {
        true => {
            let gzip = (CONTENT_ENCODING, HeaderValue::from_static("gzip"));
            (head, [gzip], packed).into_response()
        }
        false => (head, unpacked(packed)).into_response(),
    }
}

fn unpacked(packed: &[u8]) -> Vec<u8> {
    let mut plain = Vec::new();
    // They were packed when this was built.
    let _ = GzDecoder::new(packed).read_to_end(&mut plain);
    plain
}

fn media_type(path: &str) -> HeaderValue {
    let extension = path.rsplit_once('.').map_or("", |(_, extension)| extension);
    HeaderValue::from_static(match extension {
        "html" => "text/html; charset=utf-8",
        "js" | "mjs" => "text/javascript; charset=utf-8",
        "css" => "text/css; charset=utf-8",
        "json" | "map" | "webmanifest" => "application/json",
        "svg" => "image/svg+xml",
        "png" => "image/png",
        "ico" => "image/x-icon",
        "woff2" => "font/woff2",
        "txt" => "text/plain; charset=utf-8",
        _ => "application/octet-stream",
    })
}

/// The page with a nonce of its own for the styles that it makes, or the one that says how to build it.
fn index(lang: Lang) -> Response {
    let Some(packed) = find("index.html") else {
        return (StatusCode::OK, policy(""), Html(without_ui(lang))).into_response();
    };
    let nonce = format!("{:016x}{:016x}", random(), random());
    let html = String::from_utf8_lossy(&unpacked(packed)).replace(NONCE, &nonce);
    let uncached = [(CACHE_CONTROL, HeaderValue::from_static("no-store"))];
    (policy(&nonce), uncached, Html(html)).into_response()
}

/// Hashers of maps are seeded by the system; nobody guesses the next one.
fn random() -> u64 {
    use std::hash::{BuildHasher as _, RandomState};
    RandomState::new().hash_one(0)
}

/// What the page may load: from here alone. Styles that are made while it runs bear the nonce.
fn policy(nonce: &str) -> [(HeaderName, HeaderValue); 1] {
    let own = match nonce {
        "" => String::new(),
        nonce => format!(" 'nonce-{nonce}'"),
    };
    let policy = format!(
        "default-src 'none'; script-src 'self'{own}; style-src 'self'{own}; img-src 'self' data: blob:; \
         font-src 'self'; connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
    );
    let policy = HeaderValue::from_str(&policy);
    [(
        CONTENT_SECURITY_POLICY,
        policy.unwrap_or(HeaderValue::from_static("default-src 'none'")),
    )]
}

/// The page of a binary without the UI.
fn without_ui(lang: Lang) -> String {
    let text = |id: &str| render(lang, &Message::new(id));
    format!(
        "<!doctype html><html lang=\"{}\"><meta charset=\"utf-8\"><title>Plimsoll</title><h1>Plimsoll</h1>\
         <p>{}<p><a href=\"/api/v1/openapi.json\">/api/v1/openapi.json</a> · <a href=\"/api/v1/runs\">/api/v1/runs</a>",
        lang.code(),
        text("server-no-ui")
    )
}
