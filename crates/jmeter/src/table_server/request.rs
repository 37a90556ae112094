//! Requests to the Simple Table Server: just so much HTTP/1.1 as the plugin's own server understands
//! (NanoHTTPD 2.1, as it is in jmeter-plugins-table-server 5.0).

use std::collections::HashMap;

use percent_encoding::percent_decode_str;
use tokio::io::{AsyncRead, AsyncReadExt};

use super::tables::Params;

/// Longest head of a request, bytes.
const HEAD_BYTES: usize = 64 << 10;
/// Longest body, bytes.
const BODY_BYTES: usize = 16 << 20;

/// A request.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct TableRequest {
    pub method: String,
    pub path: String,
    pub params: Params,
}

/// Why there is no further request.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum NoRequest {
    /// The client is gone.
    Ended,
    /// What came is no request: the status and why.
    Bad(&'static str, &'static str),
}

impl From<std::io::Error> for NoRequest {
    fn from(_: std::io::Error) -> Self {
        Self::Ended
    }
}

const TOO_LARGE: NoRequest = NoRequest::Bad(
    "413 Payload Too Large",
    "BAD REQUEST: the head may have 64 KiB, the body 16 MiB.",
);

fn syntax() -> NoRequest {
    NoRequest::Bad("400 Bad Request", "BAD REQUEST: Syntax error.")
}

/// Reads the next request; `buffer` has what was read beyond the last one.
///
/// # Errors
/// When there is none.
pub(super) async fn next_request(
    from: &mut (impl AsyncRead + Unpin),
    buffer: &mut Vec<u8>,
) -> Result<TableRequest, NoRequest> {
    let head_end = loop {
        if let Some(at) = find(buffer, b"\r\n\r\n") {
            break at + 4;
        }
        if buffer.len() > HEAD_BYTES {
            return Err(TOO_LARGE);
        }
        if from.read_buf(buffer).await? == 0 {
            return Err(NoRequest::Ended);
        }
    };
    let head = String::from_utf8_lossy(&buffer[..head_end]).into_owned();
    let mut lines = head.lines();
    let mut first = lines.next().unwrap_or_default().split_ascii_whitespace();
    let (Some(method), Some(target)) = (first.next(), first.next()) else {
        return Err(syntax());
    };
    let headers: HashMap<String, &str> = lines
        .filter_map(|line| line.split_once(':'))
        .map(|(name, value)| (name.trim().to_ascii_lowercase(), value.trim()))
        .collect();
    let length = match headers.get("content-length") {
        Some(text) => text.parse::<usize>().map_err(|_| syntax())?,
        None => 0,
    };
    if length > BODY_BYTES {
        return Err(TOO_LARGE);
    }
    while buffer.len() < head_end + length {
        if from.read_buf(buffer).await? == 0 {
            return Err(NoRequest::Ended);
        }
    }
    let (path, query) = target.split_once('?').unwrap_or((target, ""));
    let mut request = TableRequest {
        method: method.to_owned(),
        path: decoded(path).ok_or_else(syntax)?,
        params: Params::new(),
    };
    form_params(query, &mut request.params)?;
    if method == "POST" {
        let body = &buffer[head_end..head_end + length];
        let kind = headers.get("content-type").copied().unwrap_or_default();
        match boundary(kind) {
            Some(boundary) => multipart_params(body, &boundary, &mut request.params),
            None => form_params(String::from_utf8_lossy(body).trim(), &mut request.params)?,
        }
    }
    buffer.drain(..head_end + length);
    Ok(request)
}

fn find(within: &[u8], what: &[u8]) -> Option<usize> {
    within.windows(what.len()).position(|found| found == what)
}

/// A text as forms encode it.
fn decoded(text: &str) -> Option<String> {
    let spaced = text.replace('+', " ");
    let is_hex = |pair: &str| {
        pair.as_bytes()
            .get(..2)
            .is_some_and(|pair| pair.iter().all(u8::is_ascii_hexdigit))
    };
    let well_formed = spaced.split('%').skip(1).all(is_hex);
    well_formed.then(|| percent_decode_str(&spaced).decode_utf8_lossy().into_owned())
}

/// Later ones win; those of a body win over those of the address.
fn form_params(text: &str, params: &mut Params) -> Result<(), NoRequest> {
    for one in text.split('&').filter(|one| !one.is_empty()) {
        let (name, value) = one.split_once('=').unwrap_or((one, ""));
        let name = decoded(name).ok_or_else(syntax)?;
        let value = decoded(value).ok_or_else(syntax)?;
        params.insert(name.trim().to_owned(), value);
    }
    Ok(())
}

/// The boundary of a form in parts.
fn boundary(kind: &str) -> Option<String> {
    let (media, rest) = kind.split_once(';')?;
    if !media.trim().eq_ignore_ascii_case("multipart/form-data") {
        return None;
    }
    let (_, text) = rest.split_once("boundary=")?;
    Some(text.trim().trim_matches('"').to_owned())
}

fn multipart_params(body: &[u8], boundary: &str, params: &mut Params) {
    let text = String::from_utf8_lossy(body);
    for part in text.split(&format!("--{boundary}")).skip(1) {
        let Some((head, value)) = part.split_once("\r\n\r\n") else {
            continue;
        };
        let name = head
            .split_once("name=\"")
            .and_then(|(_, rest)| rest.split_once('"'));
        if let Some((name, _)) = name {
            let value = value.strip_suffix("\r\n").unwrap_or(value);
            // As the plugin, which reads line by line and drops their ends.
            let value = value.replace(['\r', '\n'], "");
            params.insert(name.to_owned(), value);
        }
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;

    fn read(text: &str) -> Result<TableRequest, NoRequest> {
        let runtime = tokio::runtime::Builder::new_current_thread();
        let runtime = { runtime }.build().unwrap();
        let mut buffer = Vec::new();
        let mut bytes = text.as_bytes();
        runtime.block_on(next_request(&mut bytes, &mut buffer))
    }

    fn params(given: &[(&str, &str)]) -> Params {
        let own = |(name, value): &(&str, &str)| ((*name).to_owned(), (*value).to_owned());
        given.iter().map(own).collect()
    }

    #[test]
    fn parameters_come_from_the_address_and_the_body() {
        let got =
            read("GET /sts/READ?FILENAME=a%20b.csv&KEEP HTTP/1.1\r\nHost: x\r\n\r\n").unwrap();
        assert_eq!((&*got.method, &*got.path), ("GET", "/sts/READ"));
        assert_eq!(got.params, params(&[("FILENAME", "a b.csv"), ("KEEP", "")]));
        let post =
            "POST /sts/ADD?LINE=x HTTP/1.1\r\nContent-Length: 21\r\n\r\nFILENAME=f&LINE=1+%3d";
        let got = read(post).unwrap();
        assert_eq!(got.params, params(&[("FILENAME", "f"), ("LINE", "1 =")]));
        let body = "--b\r\nContent-Disposition: form-data; name=\"LINE\"\r\n\r\n1;2\r\n--b--\r\n";
        let kind = "Content-Type: multipart/form-data; boundary=b";
        let post = format!(
            "POST /sts/ADD HTTP/1.1\r\n{kind}\r\nContent-Length: {}\r\n\r\n{body}",
            body.len()
        );
        assert_eq!(read(&post).unwrap().params, params(&[("LINE", "1;2")]));
    }

    #[test]
    fn what_is_no_request_is_refused() {
        let bad = |text: &str| matches!(read(text), Err(NoRequest::Bad(..)));
        assert!(bad("GET\r\n\r\n"));
        assert!(bad("GET /sts/READ?A=%zz HTTP/1.1\r\n\r\n"));
        assert!(bad("POST / HTTP/1.1\r\nContent-Length: many\r\n\r\n"));
        assert!(bad(
            "POST / HTTP/1.1\r\nContent-Length: 99999999999\r\n\r\n"
        ));
        assert!(bad(&format!("GET /{} HTTP/1.1", "a".repeat(HEAD_BYTES))));
        assert_eq!(read("GET / HT"), Err(NoRequest::Ended));
        assert_eq!(read(""), Err(NoRequest::Ended));
    }

    proptest::proptest! {
        #[test]
        fn nothing_panics(bytes in proptest::collection::vec(0_u8..128, 0..300)) {
            let text = String::from_utf8(bytes).unwrap();
            let _ = read(&format!("POST /{text}\r\n\r\n{text}"));
            let _ = read(&text);
        }
    }
}
