//! A small FastCGI client: one request of a page, for servers that are looked at every second.

use std::io;

use tokio::io::{AsyncRead, AsyncReadExt, AsyncWrite, AsyncWriteExt};

/// A page is no longer.
const MAX_BYTES: usize = 256 << 10;
/// The version of the protocol, and the kinds of its records.
const VERSION: u8 = 1;
const BEGIN_REQUEST: u8 = 1;
const END_REQUEST: u8 = 3;
const PARAMS: u8 = 4;
const STDIN: u8 = 5;
const STDOUT: u8 = 6;
/// A responder that closes the connection after its response.
const RESPONDER: &[u8] = &[0, 1, 0, 0, 0, 0, 0, 0];

/// Bytes that are no record of FastCGI.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct NotFastCgi;

/// What the server said.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum FastCgiRecord<'a> {
    /// A part of the page, its head first.
    Page(&'a [u8]),
    /// The response is complete.
    End,
    /// Anything else.
    Other,
}

/// The first record of what came, and its length in bytes. None: it is not whole.
///
/// # Errors
/// What is no record.
pub fn record(bytes: &[u8]) -> Result<Option<(FastCgiRecord<'_>, usize)>, NotFastCgi> {
    let Some((head, rest)) = bytes.split_first_chunk::<8>() else {
        return match bytes.first() {
            Some(version) if *version != VERSION => Err(NotFastCgi),
            _ => Ok(None),
        };
    };
    let [version, kind, _, _, high, low, padding, _] = *head;
    if version != VERSION {
        return Err(NotFastCgi);
    }
    let length = usize::from(u16::from_be_bytes([high, low]));
    let whole = length + usize::from(padding);
    let Some(body) = rest.get(..whole) else {
        return Ok(None);
    };
    let said = match kind {
        STDOUT => FastCgiRecord::Page(&body[..length]),
        END_REQUEST => FastCgiRecord::End,
        _ => FastCgiRecord::Other,
    };
    Ok(Some((said, head.len() + whole)))
}

/// Gets a page: its head and its body, as the server gives them.
///
/// # Errors
/// What is no FastCGI, too long, or ends too early.
pub(crate) async fn get(
    mut stream: impl AsyncRead + AsyncWrite + Unpin,
    path: &str,
    query: &str,
) -> io::Result<Vec<u8>> {
    let wrong = |what| io::Error::new(io::ErrorKind::InvalidData, what);
    stream.write_all(&request(path, query)).await?;
    stream.flush().await?;
    let (mut bytes, mut page, mut count) = (Vec::new(), Vec::new(), 0);
    loop {
        while let Some((said, length)) = record(&bytes).map_err(|_| wrong("this is not FastCGI"))? {
            match said {
                FastCgiRecord::Page(part) => page.extend_from_slice(part),
                FastCgiRecord::End => return Ok(page),
                FastCgiRecord::Other => {}
            }
            bytes.drain(..length);
        }
        if count > MAX_BYTES {
            return Err(wrong("the page is too long"));
        }
        match stream.read_buf(&mut bytes).await? {
            0 => return Err(io::ErrorKind::UnexpectedEof.into()),
            more => count += more,
        }
    }
}

/// A request to get a page. The script is the page's own name, which is no file's.
fn request(path: &str, query: &str) -> Vec<u8> {
    let uri = format!("{path}?{query}");
    let mut params = Vec::new();
    for (name, value) in [
        ("GATEWAY_INTERFACE", "CGI/1.1"),
        ("SERVER_SOFTWARE", "plimsoll"),
        ("SERVER_PROTOCOL", "HTTP/1.1"),
        ("REMOTE_ADDR", "127.0.0.1"),
        ("REQUEST_METHOD", "GET"),
        ("SCRIPT_NAME", path),
        ("SCRIPT_FILENAME", path),
        ("REQUEST_URI", &uri),
        ("QUERY_STRING", query),
    ] {
        for text in [name, value] {
            // Of four bytes, so that any length can be written.
            let length = u32::try_from(text.len()).unwrap_or(0) | 1 << 31;
            params.extend_from_slice(&length.to_be_bytes());
        }
        params.extend_from_slice(name.as_bytes());
        params.extend_from_slice(value.as_bytes());
    }
    let mut bytes = Vec::new();
    put(BEGIN_REQUEST, RESPONDER, &mut bytes);
    put(PARAMS, &params, &mut bytes);
    put(PARAMS, &[], &mut bytes);
    put(STDIN, &[], &mut bytes);
    bytes
}

/// Adds a record of request 1; what is too long for it is cut, and then no request.
fn put(kind: u8, body: &[u8], out: &mut Vec<u8>) {
    let length = u16::try_from(body.len()).unwrap_or(u16::MAX);
    let [high, low] = length.to_be_bytes();
    out.extend_from_slice(&[VERSION, kind, 0, 1, high, low, 0, 0]);
    out.extend_from_slice(&body[..usize::from(length)]);
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn records_are_taken_apart() {
        let mut bytes = vec![1, STDOUT, 0, 1, 0, 2, 3, 0, b'a', b'b', 0, 0, 0];
        let whole = bytes.len();
        put(END_REQUEST, RESPONDER, &mut bytes);
        let (said, length) = record(&bytes).unwrap().unwrap();
        assert_eq!((said, length), (FastCgiRecord::Page(b"ab"), whole));
        let (said, _) = record(&bytes[length..]).unwrap().unwrap();
        assert_eq!(said, FastCgiRecord::End);
        for end in 0..whole {
            assert_eq!(record(&bytes[..end]), Ok(None), "{end}");
        }
        assert_eq!(record(b"HTTP/1.1"), Err(NotFastCgi));
        assert_eq!(record(b"H"), Err(NotFastCgi));
    }

    proptest! {
        #[test]
        fn any_bytes_are_taken(bytes in proptest::collection::vec(any::<u8>(), 0..64)) {
            if let Ok(Some((_, length))) = record(&bytes) {
                prop_assert!(length <= bytes.len());
            }
        }
    }
}
