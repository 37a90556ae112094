//! What a TCP sampler writes and how it knows the end of a response.

use std::io;

use plimsoll_stats::ErrorKind;

use super::waits::{said, until};
use crate::element_user::ElementUser;
use crate::http::charset::Charset;
use crate::samplers::tcp_client::{PACKAGE, TcpClient};
use plimsoll_load::clock::Nanos;
use plimsoll_load::kit::driver::Stream;
use plimsoll_load::kit::failure::Failure;
use plimsoll_load::kit::user::Cut;

/// JMeter's buffer: only the last byte of what is read at once may end a response.
const READ_BYTES: usize = 4096;

/// Why there is no response.
pub(super) struct TcpProblem {
    /// The exception, as Java shows it.
    pub message: String,
    /// What had come.
    pub partial: String,
    /// What it is to the engine.
    pub kind: ErrorKind,
}

impl TcpProblem {
    /// An exception before anything came.
    pub fn thrown(message: String, kind: ErrorKind) -> Self {
        let partial = String::new();
        Self {
            message,
            partial,
            kind,
        }
    }

    fn illegal(text: &str) -> Self {
        let message = format!("java.lang.IllegalArgumentException: {text}");
        Self::thrown(message, ErrorKind::Other)
    }

    /// JMeter's own exception for responses.
    fn read(text: &str, partial: String, kind: ErrorKind) -> Self {
        let message = format!("{PACKAGE}ReadException: {text}");
        Self {
            message,
            partial,
            kind,
        }
    }
}

/// A connection at work for a user.
pub(super) struct TcpSession<'u> {
    /// The user.
    pub user: ElementUser<'u>,
    /// The connection.
    pub stream: Stream,
    /// Longest wait for bytes; 0: any.
    pub timeout_ns: u64,
    /// When the first byte came.
    pub first_byte_ns: Nanos,
}

/// How a read ended.
enum TcpRead {
    /// So many bytes; 0: the end.
    Some(usize),
    /// None in time.
    Late,
    /// The connection broke, or was closed by an interruption.
    Broken(ErrorKind),
}

impl TcpSession<'_> {
    /// Until when something may take, and whether an interruption is then.
    fn limit(&mut self, timeout_ns: u64) -> (Nanos, bool) {
        let now = self.user.thread.clock.now_ns();
        let late_ns = match timeout_ns {
            0 => Nanos::MAX,
            ns => now.saturating_add(ns),
        };
        let interrupt_ns = self.user.interrupt_ns();
        (late_ns.min(interrupt_ns), interrupt_ns <= late_ns)
    }

    async fn read(&mut self, buffer: &mut [u8]) -> Result<TcpRead, Cut> {
        let (until_ns, interrupts) = self.limit(self.timeout_ns);
        let read = until(&self.user, until_ns, self.stream.read(buffer)).await?;
        if self.first_byte_ns == 0 && matches!(read, Some(Ok(1..))) {
            self.first_byte_ns = self.user.thread.clock.now_ns();
        }
        Ok(match read {
            Some(Ok(count)) => TcpRead::Some(count),
            Some(Err(error)) => TcpRead::Broken(Failure::talking(&error).kind),
            None if interrupts => TcpRead::Broken(ErrorKind::ReadTimeout),
            None => TcpRead::Late,
        })
    }

    async fn write(&mut self, bytes: &[u8]) -> Result<Result<(), TcpProblem>, Cut> {
        let (until_ns, _) = self.limit(0);
        let wrote = until(&self.user, until_ns, self.stream.write_all(bytes)).await?;
        let closed = || Err(io::Error::new(io::ErrorKind::NotConnected, "Socket closed"));
        Ok(wrote.unwrap_or_else(closed).map_err(|error| {
            let message = format!("java.net.SocketException: {}", said(&error));
            TcpProblem::thrown(message, Failure::talking(&error).kind)
        }))
    }

    /// Reads to the end, or to a piece whose last byte is `end`. What came, and what broke it.
    async fn read_all(&mut self, end: Option<u8>) -> Result<(Vec<u8>, Option<TcpRead>), Cut> {
        let mut all = Vec::new();
        let mut buffer = [0; READ_BYTES];
        loop {
            match self.read(&mut buffer).await? {
                TcpRead::Some(0) => return Ok((all, None)),
                TcpRead::Some(count) => {
                    all.extend_from_slice(&buffer[..count]);
                    if end.is_some() && end == buffer[..count].last().copied() {
                        return Ok((all, None));
                    }
                }
                broken => return Ok((all, Some(broken))),
            }
        }
    }
}

impl TcpClient {
    /// Writes a request and reads the response; `eol`: the end that the sampler names.
    pub(super) async fn exchange(
        &self,
        session: &mut TcpSession<'_>,
        request: &str,
        eol: &str,
    ) -> Result<Result<String, TcpProblem>, Cut> {
        let bytes = match self.bytes(request) {
            Ok(bytes) => bytes,
            Err(problem) => return Ok(Err(problem)),
        };
        if let Err(problem) = session.write(&bytes).await? {
            return Ok(Err(problem));
        }
        match self {
            Self::Text { encoding, end } => read_text(session, encoding, end_of(eol, *end)).await,
            Self::Binary { end } => read_binary(session, end_of(eol, *end)).await,
            Self::Prefixed { length } => read_prefixed(session, *length).await,
        }
    }

    /// What is written.
    fn bytes(&self, request: &str) -> Result<Vec<u8>, TcpProblem> {
        match self {
            Self::Text { encoding, .. } => match Charset::of(encoding) {
                Some(charset) => Ok(charset.encode(request).into_owned()),
                None => {
                    let message = format!("java.io.UnsupportedEncodingException: {encoding}");
                    Err(TcpProblem::thrown(message, ErrorKind::Other))
                }
            },
            Self::Binary { .. } => of_hex(request),
            Self::Prefixed { length } => {
                let count = request.encode_utf16().count() / 2;
                let mut bytes = prefix(count, *length)?;
                bytes.extend(of_hex(request)?);
                Ok(bytes)
            }
        }
    }
}

/// The byte that ends responses: the sampler's, or the properties'. What is no byte is none.
fn end_of(eol: &str, default: i32) -> Option<u8> {
    let number = match eol {
        "" => default,
        named => named.parse().unwrap_or(0),
    };
    i8::try_from(number).ok().map(i8::cast_unsigned)
}

async fn read_text(
    session: &mut TcpSession<'_>,
    encoding: &str,
    end: Option<u8>,
) -> Result<Result<String, TcpProblem>, Cut> {
    let (bytes, broken) = session.read_all(end).await?;
    let charset = Charset::of(encoding).unwrap_or(Charset::Utf8);
    let text = charset.decode(&bytes).into_owned();
    Ok(match broken {
        None => Ok(text),
        Some(broken) => {
            let said = format!("Error reading from server, bytes read: {}", bytes.len());
            Err(TcpProblem::read(&said, text, broken.kind()))
        }
    })
}

async fn read_binary(
    session: &mut TcpSession<'_>,
    end: Option<u8>,
) -> Result<Result<String, TcpProblem>, Cut> {
    let (bytes, broken) = session.read_all(end).await?;
    let text = to_hex(&bytes);
    Ok(match broken {
        // Without an end to look for, that nothing more comes is the end.
        None => Ok(text),
        Some(TcpRead::Late) if end.is_none() => Ok(text),
        Some(TcpRead::Late) => {
            let said = "Socket timed out while looking for EOM";
            Err(TcpProblem::read(said, text, ErrorKind::ReadTimeout))
        }
        Some(broken) => {
            let said = "Problems while trying to read";
            Err(TcpProblem::read(said, text, broken.kind()))
        }
    })
}

async fn read_prefixed(
    session: &mut TcpSession<'_>,
    length: i32,
) -> Result<Result<String, TcpProblem>, Cut> {
    let mut head = [0; 4];
    let head = match length {
        2 => &mut head[..2],
        _ => &mut head[..],
    };
    let expected = match session.read(head).await? {
        TcpRead::Some(count) if count == head.len() => match *head {
            [a, b] => i32::from(i16::from_be_bytes([a, b])),
            [a, b, c, d] => i32::from_be_bytes([a, b, c, d]),
            _ => 0,
        },
        // JMeter reads the number at once, and takes less for no response.
        TcpRead::Some(_) => 0,
        broken => return Ok(Err(TcpProblem::read("", String::new(), broken.kind()))),
    };
    let Ok(expected) = usize::try_from(expected) else {
        let message = format!("java.lang.NegativeArraySizeException: {expected}");
        return Ok(Err(TcpProblem::thrown(message, ErrorKind::Other)));
    };
    let mut bytes = vec![0; expected];
    let mut count = 0;
    while count < expected {
        match session.read(&mut bytes[count..]).await? {
            TcpRead::Some(0) => break,
            TcpRead::Some(more) => count += more,
            broken => return Ok(Err(TcpProblem::read("", to_hex(&bytes), broken.kind()))),
        }
    }
    Ok(Ok(to_hex(&bytes)))
}

impl TcpRead {
    fn kind(&self) -> ErrorKind {
        match self {
            Self::Broken(kind) => *kind,
            _ => ErrorKind::ReadTimeout,
        }
    }
}

/// A number before a message.
fn prefix(count: usize, length: i32) -> Result<Vec<u8>, TcpProblem> {
    match length {
        2 => match i16::try_from(count) {
            Ok(count) => Ok(count.to_be_bytes().to_vec()),
            Err(_) => Err(TcpProblem::illegal(
                "Value outside range for signed short int.",
            )),
        },
        4 => Ok(i32::try_from(count)
            .unwrap_or(i32::MAX)
            .to_be_bytes()
            .to_vec()),
        _ => Err(TcpProblem::illegal(
            "Length must be specified as either 2 or 4.",
        )),
    }
}

/// The bytes of a hexadecimal text.
fn of_hex(text: &str) -> Result<Vec<u8>, TcpProblem> {
    let digits: Vec<char> = text.chars().collect();
    if !digits.len().is_multiple_of(2) {
        return Err(TcpProblem::illegal(
            "Hex-encoded binary string contains an uneven no. of digits",
        ));
    }
    let byte = |pair: &[char]| {
        let digit = |at: usize| pair.get(at).and_then(|c| c.to_digit(16));
        let found = digit(0).zip(digit(1)).map(|(high, low)| high << 4 | low);
        found
            .and_then(|byte| u8::try_from(byte).ok())
            .ok_or_else(|| {
                let pair: String = pair.iter().collect();
                TcpProblem::illegal(&format!(
                    "Hex-encoded binary string contains an invalid hex digit in '{pair}'"
                ))
            })
    };
    digits.chunks(2).map(byte).collect()
}

fn to_hex(bytes: &[u8]) -> String {
    const DIGITS: &[u8; 16] = b"0123456789abcdef";
    let digit = |nibble: u8| char::from(DIGITS[usize::from(nibble)]);
    let pair = |byte: &u8| [digit(byte >> 4), digit(byte & 15)];
    bytes.iter().flat_map(pair).collect()
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;

    #[test]
    fn bytes_are_written_in_hexadecimal() {
        let bytes = |text: &str| of_hex(text).map_err(|problem| problem.message);
        assert_eq!(bytes("00fF10").unwrap(), [0, 255, 16]);
        assert!(
            bytes("123")
                .unwrap_err()
                .ends_with("an uneven no. of digits")
        );
        assert!(
            bytes("0g")
                .unwrap_err()
                .ends_with("invalid hex digit in '0g'")
        );
        assert_eq!(to_hex(&[0, 255, 16]), "00ff10");
    }

    #[test]
    fn a_prefix_is_the_number_of_bytes() {
        let prefix = |count, length| prefix(count, length).map_err(|problem| problem.message);
        assert_eq!(prefix(258, 2).unwrap(), [1, 2]);
        assert_eq!(prefix(258, 4).unwrap(), [0, 0, 1, 2]);
        assert!(prefix(40_000, 2).unwrap_err().contains("signed short"));
        assert!(prefix(1, 3).unwrap_err().contains("either 2 or 4"));
    }

    #[test]
    fn what_is_no_byte_ends_nothing() {
        assert_eq!(end_of("", 1000), None);
        assert_eq!(end_of("", 10), Some(10));
        assert_eq!(end_of("-1", 10), Some(255));
        assert_eq!(end_of("200", 10), None);
        assert_eq!(end_of("x", 10), Some(0));
    }
}
