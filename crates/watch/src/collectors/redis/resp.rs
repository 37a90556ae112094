//! Redis' protocol (RESP 2): requests as bytes, replies out of bytes. It knows no sockets.

/// Lists in lists no deeper.
const MAX_DEPTH: usize = 8;

/// A reply.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Reply {
    /// A text or bytes; what is no UTF-8 is replaced.
    Text(String),
    Number(i64),
    List(Vec<Reply>),
    /// The server's own error: `NOAUTH Authentication required.`
    Error(String),
    Nothing,
}

impl Reply {
    /// A text, also of a number.
    pub(crate) fn text(&self) -> String {
        match self {
            Self::Text(text) => text.clone(),
            Self::Number(number) => number.to_string(),
            _ => String::new(),
        }
    }

    /// The elements of a list; none of anything else.
    pub(crate) fn list(&self) -> &[Self] {
        match self {
            Self::List(list) => list,
            _ => &[],
        }
    }

    /// A whole number.
    pub(crate) fn number(&self) -> Option<i64> {
        match self {
            Self::Number(number) => Some(*number),
            _ => None,
        }
    }
}

/// Bytes that are no reply.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct NoReply;

/// Appends a command.
pub(crate) fn put_command(words: &[&str], out: &mut Vec<u8>) {
    out.extend_from_slice(format!("*{}\r\n", words.len()).as_bytes());
    for word in words {
        out.extend_from_slice(format!("${}\r\n{word}\r\n", word.len()).as_bytes());
    }
}

/// The first reply in the bytes and how long it is; none while it is not all there.
///
/// # Errors
/// Bytes that are not Redis'.
pub(crate) fn reply(bytes: &[u8]) -> Result<Option<(Reply, usize)>, NoReply> {
    let mut reader = RespReader { bytes, at: 0 };
    match reader.reply(0) {
        Ok(reply) => Ok(Some((reply, reader.at))),
        Err(RespStop::More) => Ok(None),
        Err(RespStop::Wrong) => Err(NoReply),
    }
}

enum RespStop {
    More,
    Wrong,
}

struct RespReader<'a> {
    bytes: &'a [u8],
    at: usize,
}

impl RespReader<'_> {
    fn line(&mut self) -> Result<&str, RespStop> {
        let rest = &self.bytes[self.at..];
        let Some(end) = rest.iter().position(|byte| *byte == b'\n') else {
            // Lines are short; only bulks are long.
            return Err(if rest.len() > 64 << 10 {
                RespStop::Wrong
            } else {
                RespStop::More
            });
        };
        self.at += end + 1;
        let line = rest[..end].strip_suffix(b"\r").ok_or(RespStop::Wrong)?;
        std::str::from_utf8(line).map_err(|_| RespStop::Wrong)
    }

    fn reply(&mut self, depth: usize) -> Result<Reply, RespStop> {
        let line = self.line()?.to_owned();
        let kind = line.chars().next().ok_or(RespStop::Wrong)?;
        let rest = &line[kind.len_utf8()..];
        let length = || match rest {
            "-1" => Ok(None),
            _ => rest.parse::<usize>().map(Some).map_err(|_| RespStop::Wrong),
        };
        match kind {
            '+' => Ok(Reply::Text(rest.to_owned())),
            '-' => Ok(Reply::Error(rest.to_owned())),
            ':' => rest.parse().map(Reply::Number).map_err(|_| RespStop::Wrong),
            '$' => match length()? {
                Some(length) => self.bulk(length),
                None => Ok(Reply::Nothing),
            },
            '*' if depth < MAX_DEPTH => match length()? {
                Some(length) => {
                    let mut list = Vec::new();
                    for _ in 0..length {
                        list.push(self.reply(depth + 1)?);
                    }
                    Ok(Reply::List(list))
                }
                None => Ok(Reply::Nothing),
            },
            _ => Err(RespStop::Wrong),
        }
    }

    fn bulk(&mut self, length: usize) -> Result<Reply, RespStop> {
        let rest = &self.bytes[self.at..];
        if rest.len() < length.saturating_add(2) {
            return Err(RespStop::More);
        }
        if &rest[length..length + 2] != b"\r\n" {
            return Err(RespStop::Wrong);
        }
        self.at += length + 2;
        Ok(Reply::Text(
            String::from_utf8_lossy(&rest[..length]).into_owned(),
        ))
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used, clippy::expect_used)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn replies_at_every_split() {
        let bytes = b"*5\r\n+OK\r\n:-7\r\n$3\r\na\nb\r\n$-1\r\n*1\r\n-ERR x\r\nrest";
        let whole = Reply::List(vec![
            Reply::Text("OK".to_owned()),
            Reply::Number(-7),
            Reply::Text("a\nb".to_owned()),
            Reply::Nothing,
            Reply::List(vec![Reply::Error("ERR x".to_owned())]),
        ]);
        let length = bytes.len() - 4;
        for cut in 0..length {
            assert_eq!(reply(&bytes[..cut]), Ok(None), "{cut}");
        }
        assert_eq!(reply(bytes), Ok(Some((whole, length))));
        for wrong in [
            "HTTP/1.1 400\r\n",
            "$x\r\n",
            "$1\r\nabc",
            "\r\n",
            "+a\n",
            "*-5\r\n",
        ] {
            assert_eq!(reply(wrong.as_bytes()), Err(NoReply), "{wrong}");
        }
        assert_eq!(reply("*1\r\n".repeat(20).as_bytes()), Err(NoReply));
        let mut command = Vec::new();
        put_command(&["INFO", "é"], &mut command);
        assert_eq!(command, "*2\r\n$4\r\nINFO\r\n$2\r\né\r\n".as_bytes());
    }

    proptest! {
        #[test]
        fn any_bytes_are_taken(bytes in prop::collection::vec(any::<u8>(), 0..60), text in "[*$:+0-9\r\n-]*") {
            let _ = reply(&bytes);
            let _ = reply(text.as_bytes());
        }
    }
}
