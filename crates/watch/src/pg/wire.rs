//! PostgreSQL's messages, as far as simple queries need them, within limits.

use crate::rows::Texts;

/// A message that says to be longer is none.
pub const MAX_MESSAGE: usize = 4 << 20;
/// More columns are not read.
const MAX_COLUMNS: usize = 256;
/// What a server says against something is cut to this.
const MAX_REASON: usize = 300;

/// Bytes that are no message of PostgreSQL.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct NotPostgres;

/// What the server said.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum PgMessage {
    /// How to prove who one is: the kind, and what belongs to it.
    Authentication(u32, Vec<u8>),
    /// The names of a result's columns.
    Columns(Vec<String>),
    /// A row of a result.
    Row(Vec<Option<String>>),
    /// It refuses something.
    Error(PgError),
    /// It waits for the next query.
    Ready,
    /// Anything else.
    Other,
}

/// What a server says against something.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct PgError {
    /// The SQLSTATE.
    pub code: String,
    /// In words, without line breaks.
    pub message: String,
    /// The function of the server that says so, whatever its language.
    pub routine: String,
}

impl PgError {
    /// Whether no more connections are taken from anybody: `too_many_connections` where the server's slots, and
    /// not those of a role or a database, are used up; PgBouncer says it in words.
    #[must_use]
    pub fn is_full(&self) -> bool {
        let of_one = ["InitializeSessionUserId", "CheckMyDatabase"];
        let full = self.code == "53300" && !of_one.contains(&self.routine.as_str());
        full || self.code == "08P01" && self.message.starts_with("no more connections allowed")
    }
}

/// The first message of what came, and its length in bytes. None: it is not whole.
///
/// # Errors
/// What is no message, or too long.
pub fn message(bytes: &[u8]) -> Result<Option<(PgMessage, usize)>, NotPostgres> {
    let Some((head, rest)) = bytes.split_first_chunk::<5>() else {
        return Ok(None);
    };
    let [tag, length @ ..] = *head;
    let length = u32::from_be_bytes(length) as usize;
    let length = length
        .checked_sub(4)
        .filter(|length| *length <= MAX_MESSAGE);
    let length = length.ok_or(NotPostgres)?;
    if !tag.is_ascii_alphanumeric() {
        return Err(NotPostgres);
    }
    let Some(body) = rest.get(..length) else {
        return Ok(None);
    };
    let said = match tag {
        b'R' => authentication(body).ok_or(NotPostgres)?,
        b'T' => PgMessage::Columns(columns(body).ok_or(NotPostgres)?),
        b'D' => PgMessage::Row(row(body).ok_or(NotPostgres)?),
        b'E' => PgMessage::Error(error(body)),
        b'Z' => PgMessage::Ready,
        _ => PgMessage::Other,
    };
    Ok(Some((said, head.len() + length)))
}

fn authentication(body: &[u8]) -> Option<PgMessage> {
    let (kind, rest) = body.split_first_chunk::<4>()?;
    let kind = u32::from_be_bytes(*kind);
    Some(PgMessage::Authentication(kind, rest.to_vec()))
}

/// Each is a name that ends with a zero, and 18 bytes more.
fn columns(body: &[u8]) -> Option<Vec<String>> {
    let (count, mut rest) = body.split_first_chunk::<2>()?;
    let count = usize::from(u16::from_be_bytes(*count));
    let mut columns = Vec::with_capacity(count.min(MAX_COLUMNS));
    for _ in 0..count {
        let end = rest.iter().position(|byte| *byte == 0)?;
        columns.push(String::from_utf8_lossy(&rest[..end]).into_owned());
        rest = rest.get(end + 1 + 18..)?;
    }
    (count <= MAX_COLUMNS).then_some(columns)
}

fn row(body: &[u8]) -> Option<Texts> {
    let (count, mut rest) = body.split_first_chunk::<2>()?;
    let count = usize::from(u16::from_be_bytes(*count));
    if count > MAX_COLUMNS {
        return None;
    }
    let mut row = Vec::with_capacity(count);
    for _ in 0..count {
        let (length, after) = rest.split_first_chunk::<4>()?;
        let length = i32::from_be_bytes(*length);
        rest = after;
        // A negative length is NULL's.
        let Ok(length) = usize::try_from(length) else {
            row.push(None);
            continue;
        };
        let (value, after) = rest.split_at_checked(length)?;
        rest = after;
        row.push(Some(String::from_utf8_lossy(value).into_owned()));
    }
    Some(row)
}

/// Fields that each have a letter and end with a zero.
fn error(body: &[u8]) -> PgError {
    let mut error = PgError::default();
    for field in body.split(|byte| *byte == 0) {
        let Some((kind, text)) = field.split_first() else {
            break;
        };
        let text = String::from_utf8_lossy(text);
        let shown = text.chars().take(MAX_REASON);
        let shown: String = shown
            .map(|letter| if letter.is_control() { ' ' } else { letter })
            .collect();
        match kind {
            b'C' => error.code = shown,
            b'M' => error.message = shown,
            b'R' => error.routine = shown,
            _ => {}
        }
    }
    error
}

/// Adds a message of the client.
pub(crate) fn put(tag: u8, parts: &[&[u8]], out: &mut Vec<u8>) {
    out.push(tag);
    put_untagged(parts, out);
}

/// Adds a message without a letter, as those are that begin a connection.
pub(crate) fn put_untagged(parts: &[&[u8]], out: &mut Vec<u8>) {
    let length = 4 + parts.iter().map(|part| part.len()).sum::<usize>();
    // Queries and passwords of ours are short.
    let length = u32::try_from(length).unwrap_or(u32::MAX);
    out.extend_from_slice(&length.to_be_bytes());
    for part in parts {
        out.extend_from_slice(part);
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn framed(tag: u8, body: &[u8]) -> Vec<u8> {
        let mut bytes = Vec::new();
        put(tag, &[body], &mut bytes);
        bytes
    }

    #[test]
    fn messages_are_taken_apart() {
        let row = framed(b'D', b"\0\x03\0\0\0\x02ab\xff\xff\xff\xff\0\0\0\0");
        let (said, length) = message(&row).unwrap().unwrap();
        let cells = [Some("ab".to_owned()), None, Some(String::new())];
        assert_eq!((said, length), (PgMessage::Row(cells.into()), row.len()));
        for end in 0..row.len() {
            assert_eq!(message(&row[..end]).unwrap(), None);
        }
        let columns = framed(b'T', b"\0\x01ab\x00123456789012345678");
        let (said, _) = message(&columns).unwrap().unwrap();
        assert_eq!(said, PgMessage::Columns(vec!["ab".to_owned()]));
        let error = framed(b'E', b"SFATAL\0C28P01\0Mno\nway\0Rauth_failed\0\0");
        let (said, _) = message(&error).unwrap().unwrap();
        let expected = PgError {
            code: "28P01".to_owned(),
            message: "no way".to_owned(),
            routine: "auth_failed".to_owned(),
        };
        assert_eq!(said, PgMessage::Error(expected));
        let (said, _) = message(&framed(b'R', b"\0\0\0\x05salt")).unwrap().unwrap();
        assert_eq!(said, PgMessage::Authentication(5, b"salt".to_vec()));
    }

    #[test]
    fn a_server_that_is_full_is_told_from_a_limit_of_one_user() {
        let full = |code: &str, message: &str, routine: &str| {
            let [code, message, routine] = [code, message, routine].map(str::to_owned);
            let error = PgError {
                code,
                message,
                routine,
            };
            error.is_full()
        };
        // In any language; slots that are kept for others are taken for us.
        assert!(full("53300", "\u{5bf9}\u{4e0d}\u{8d77}", "InitProcess"));
        assert!(full(
            "53300",
            "remaining connection slots are reserved",
            "InitPostgres"
        ));
        let bouncer = "no more connections allowed (max_client_conn)";
        assert!(full("08P01", bouncer, "") && full("53300", bouncer, ""));
        assert!(!full(
            "53300",
            "too many connections for role",
            "InitializeSessionUserId"
        ));
        assert!(!full(
            "53300",
            "too many connections for database",
            "CheckMyDatabase"
        ));
        assert!(!full("08P01", "no such user", "") && !full("28P01", "no", "auth_failed"));
    }

    #[test]
    fn what_is_none_is_refused() {
        for wrong in [
            framed(b'D', b"\xff\xff"),
            framed(b'D', b"\0\x01\0\0\0\x09a"),
            framed(b'R', b"\0\0"),
            framed(b'T', b"\0\x01ab\x0012345678901234567"),
            b"HTTP/1.1 400".to_vec(),
            b"D\0\0\0\x03".to_vec(),
            b"D\xff\xff\xff\xff".to_vec(),
        ] {
            assert_eq!(message(&wrong), Err(NotPostgres), "{wrong:?}");
        }
    }

    proptest! {
        #[test]
        fn any_bytes_are_taken(tag in any::<u8>(), body in proptest::collection::vec(any::<u8>(), 0..64)) {
            let bytes = framed(tag, &body);
            if let Ok(Some((_, length))) = message(&bytes) {
                prop_assert_eq!(length, bytes.len());
            }
            let _ = message(&body);
        }
    }
}
