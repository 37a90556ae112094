//! The result of a request, filled from its response as JMeter fills it.

use plimsoll_elements::{DataType, SampleResult};

use super::client::Client;
use super::failure::HttpProblem;
use crate::sampled::Sampled;
use plimsoll_load::clock::Clock;
use plimsoll_load::kit::content_coding;
use plimsoll_load::kit::http::Response;

/// Longest body, decoded, bytes.
const MAX_BODY_BYTES: u64 = 256 << 20;

/// How far into a page its own word on its encoding is looked for, bytes.
const META_BYTES: usize = 2_000;

/// Sets the milliseconds from the engine's own times.
pub fn put_times(sampled: &mut Sampled, clock: Clock) {
    const MS: u64 = 1_000_000;
    let times = &sampled.times;
    let result = &mut sampled.result;
    let elapsed_ns = times.end_ns.saturating_sub(times.start_ns);
    result.start_unix_ms = clock.unix_ns(times.start_ns) / MS;
    result.elapsed_ms = elapsed_ns / MS;
    result.end_unix_ms = result.start_unix_ms + result.elapsed_ms;
    result.connect_ms = (times.dns_ns + times.connect_ns + times.tls_ns) / MS;
    result.latency_ms = match times.first_byte_ns {
        0 => 0,
        first => first.saturating_sub(times.start_ns) / MS,
    };
}

/// Fills a result from its response; the body is moved.
///
/// # Errors
/// A body that is not what its coding says.
pub fn put_response(
    response: &mut Response,
    result: &mut SampleResult,
    headers: bool,
    client: Client,
) -> Result<(), HttpProblem> {
    result.header_bytes = response.head_bytes;
    result.body_bytes = response.received_bytes.saturating_sub(response.head_bytes);
    result.received_bytes = response.received_bytes;
    if let Some(content_type) = response.content_type.take() {
        put_type(result, &content_type);
        result.content_type = content_type;
    }
    let coding = response
        .content_encoding
        .take()
        .filter(|_| !response.body.is_empty());
    result.body = std::mem::take(&mut response.body);
    if client == Client::Java {
        result.body_bytes = result.body.len() as u64;
    }
    let known = coding.as_deref().is_some_and(|coding| match client {
        Client::HttpClient => is_known(coding),
        Client::Java => coding == "gzip",
    });
    if let (true, Some(coding)) = (known, &coding) {
        let decoded = content_coding::decode(coding, &result.body, MAX_BODY_BYTES);
        result.body = decoded
            .map_err(|error| HttpProblem::new("java.util.zip.ZipException", error.to_string()))?;
    }
    if client == Client::Java {
        // Of errors JMeter only knows what was unpacked.
        if response.status >= 400 {
            result.body_bytes = result.body.len() as u64;
        }
        result.received_bytes = result.header_bytes + result.body_bytes;
    }
    result.code = response.status.to_string();
    // As Java's clients read a status line.
    let reason = std::mem::take(&mut response.reason);
    result.message = reason.trim_ascii().to_owned();
    result.success = (200..400).contains(&response.status);
    if headers {
        result.response_headers = shown(&response.head, known && client == Client::HttpClient);
    }
    if result.encoding.is_none() && result.content_type.starts_with("text/html") {
        let start = &result.body[..result.body.len().min(META_BYTES)];
        if let Some(content_type) = in_meta(start) {
            put_type(result, &content_type);
        }
    }
    Ok(())
}

/// The codings that JMeter undoes.
fn is_known(coding: &str) -> bool {
    coding.split(',').map(str::trim).all(|coding| {
        ["gzip", "x-gzip", "deflate", "br", "identity"]
            .iter()
            .any(|known| coding.eq_ignore_ascii_case(known))
    })
}

/// Encoding and kind of data by a content type (`SampleResult.setEncodingAndType`).
pub fn put_type(result: &mut SampleResult, content_type: &str) {
    const CHARSET: &str = "charset=";
    if let Some(at) = content_type.to_ascii_lowercase().find(CHARSET) {
        let charset = &content_type[at + CHARSET.len()..];
        let charset = charset.split(';').next().unwrap_or_default();
        let charset = match charset.strip_prefix(['"', '\'']) {
            Some(quoted) => &quoted[..quoted.len().saturating_sub(1)],
            None => charset,
        };
        result.encoding = Some(charset.to_owned());
    }
    result.data_type = match is_binary(content_type) {
        true => DataType::Binary,
        false => DataType::Text,
    };
}

fn is_binary(content_type: &str) -> bool {
    const TEXT: [&str; 4] = [
        "audio/x-mpegurl",
        "audio/mpegurl",
        "video/f4m",
        "image/svg+xml",
    ];
    let begins = |starts: &[&str]| starts.iter().any(|start| content_type.starts_with(start));
    !begins(&TEXT) && begins(&["image/", "audio/", "video/"])
}

/// The content type that a page gives itself (`HTTPSampleResult.getDataEncodingNoDefault`).
fn in_meta(start: &[u8]) -> Option<String> {
    const TAG: &str = "<meta http-equiv=\"content-type\" content=\"";
    let text = String::from_utf8_lossy(start);
    let at = text.to_ascii_lowercase().find(TAG)? + TAG.len();
    let end = text[at..].find('"')? + at;
    Some(text[at..end].to_owned())
}

/// The head as JMeter shows it. Of a body that was decoded, what speaks of its coding is at
/// the end: HttpClient takes it out and JMeter puts it back.
fn shown(head: &[u8], decoded: bool) -> String {
    const BACK: [&str; 3] = ["content-length", "content-encoding", "content-md5"];
    let text = super::head::latin(head).replace("\r\n", "\n");
    let text = text.strip_suffix('\n').unwrap_or(&text);
    if !decoded {
        return text.to_owned();
    }
    let name_of = |line: &str| {
        let name = line.split(':').next().unwrap_or_default();
        name.to_ascii_lowercase()
    };
    let mut shown = String::with_capacity(text.len());
    let mut moved = Vec::new();
    for line in text.lines() {
        if BACK.contains(&name_of(line).as_str()) {
            moved.push(line);
            continue;
        }
        shown.push_str(line);
        shown.push('\n');
    }
    for name in BACK {
        for line in moved.iter().filter(|line| name_of(line) == name) {
            shown.push_str(line);
            shown.push('\n');
        }
    }
    shown
}

/// Keeps the digest of the body instead of the body.
pub fn put_md5(result: &mut SampleResult) {
    use md5::Digest as _;
    if !result.body.is_empty() {
        result.body =
            plimsoll_load::kit::functions::hex(&md5::Md5::digest(&result.body)).into_bytes();
    }
}

/// Whether a response is a redirect that is followed (`HTTPSampleResult.isRedirect`).
#[must_use]
pub fn is_redirect(result: &SampleResult) -> bool {
    match result.code.as_str() {
        "301" | "302" | "303" | "308" => true,
        "307" => matches!(result.method.as_str(), "GET" | "HEAD"),
        _ => false,
    }
}
