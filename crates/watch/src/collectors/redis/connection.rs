//! One connection to Redis, kept, with a limit on time and bytes.

use std::io;
use std::path::Path;
use std::time::Duration;

use plimsoll_text::Message;
use tokio::io::{AsyncReadExt, AsyncWriteExt};

use super::resp::{Reply, put_command, reply};
use crate::collector::Trouble;
use crate::collectors::server::{ServerAddress, ServerPlace};
use crate::http::{MAX_BYTES, Stream, Tls, connect, connect_unix};
use crate::source::Spec;

/// Connecting and the replies to one look take no longer.
const LIMIT: Duration = Duration::from_secs(4);
/// What is said to whom there is no place for, before he asks anything (Redis, networking.c).
const FULL: &str = "ERR max number of clients";

/// Where a server is and how to get in.
#[derive(Clone)]
pub(crate) struct RedisAddress {
    place: ServerPlace,
    tls: Option<Tls>,
    user: Option<String>,
    password: Option<String>,
    /// As it may be shown, without user and password.
    pub(crate) shown: String,
    /// `host:port`; of a socket `localhost:6379`.
    pub(crate) authority: String,
}

impl RedisAddress {
    /// Reads `host:port`, `redis://`, `rediss://` (with TLS) or the path of a Unix socket, and
    /// the options `user`, `password-env`, `password-file`, `tls`, `ca-file`, `insecure`.
    pub(crate) fn of(spec: &Spec) -> Result<Self, Trouble> {
        let address = ServerAddress::of(spec, 6379, Some("rediss://"))?;
        let tls = match (&address.place, &address.tls) {
            (ServerPlace::Tcp(..), Some(options)) => Some(Tls::new(options)?),
            _ => None,
        };
        Ok(Self {
            place: address.place,
            tls,
            user: address.user,
            password: address.password,
            shown: address.shown,
            authority: address.authority,
        })
    }

    async fn connect(&self) -> io::Result<Stream> {
        match &self.place {
            ServerPlace::Tcp(host, port) => connect(host, *port, self.tls.as_ref()).await,
            ServerPlace::Unix(path) => connect_unix(Path::new(path)).await,
        }
    }
}

/// A connection that is made when it is needed. A look that is dropped drops it.
pub(crate) struct RedisConnection {
    address: RedisAddress,
    kept: Option<Stream>,
}

impl RedisConnection {
    pub(crate) fn new(address: RedisAddress) -> Self {
        Self {
            address,
            kept: None,
        }
    }

    pub(crate) fn shown(&self) -> &str {
        &self.address.shown
    }

    /// The replies to commands that are sent together. A command that the server refuses has
    /// its error as reply.
    ///
    /// # Errors
    /// No connection, no replies in time, access denied, something that is not Redis.
    pub(crate) async fn ask(&mut self, commands: &[&[&str]]) -> Result<Vec<Reply>, Trouble> {
        let asked = tokio::time::timeout(LIMIT, self.ask_now(commands)).await;
        match asked {
            Ok(Ok(replies)) => self.check(replies),
            Ok(Err(error)) => {
                let message = Message::new("watch-server-unreachable");
                Err(self.trouble(message.with("reason", error.to_string())))
            }
            Err(_) => {
                let message = Message::new("watch-server-slow");
                Err(self.trouble(message.with("seconds", LIMIT.as_secs())))
            }
        }
    }

    /// The value of a parameter; none if there is no such parameter.
    ///
    /// # Errors
    /// As [`ask`](Self::ask).
    pub(crate) async fn parameter(&mut self, name: &str) -> Result<Option<String>, Trouble> {
        let replies = self.ask(&[&["CONFIG", "GET", name]]).await?;
        Ok(match replies.first() {
            Some(Reply::List(pair)) => pair.get(1).map(Reply::text),
            _ => None,
        })
    }

    async fn ask_now(&mut self, commands: &[&[&str]]) -> io::Result<Vec<Reply>> {
        // A connection that was closed meanwhile is made anew.
        if let Some(stream) = self.kept.take()
            && let Ok((stream, replies)) = talk(stream, commands).await
        {
            self.kept = Some(stream);
            return Ok(replies);
        }
        let mut stream = self.address.connect().await?;
        if let Some(password) = &self.address.password {
            let words = match &self.address.user {
                Some(user) => vec!["AUTH", user, password],
                None => vec!["AUTH", password],
            };
            let (same, replies) = talk(stream, &[&words]).await?;
            stream = same;
            if let Some(Reply::Error(_)) = replies.first() {
                return Ok(replies);
            }
        }
        let (stream, replies) = talk(stream, commands).await?;
        self.kept = Some(stream);
        Ok(replies)
    }

    /// Replies that say that nothing may be asked are no replies.
    fn check(&mut self, replies: Vec<Reply>) -> Result<Vec<Reply>, Trouble> {
        if let Some(Reply::Error(error)) = replies.first() {
            let denied = [
                "NOAUTH",
                "WRONGPASS",
                "NOPERM",
                "ERR invalid password",
                "ERR AUTH",
            ];
            let id = match denied.iter().any(|begin| error.starts_with(begin)) {
                _ if error.starts_with(FULL) => "watch-server-full",
                true => "watch-redis-denied",
                false => "watch-server-error",
            };
            self.kept = None;
            return Err(self.trouble(Message::new(id).with("reason", error.as_str())));
        }
        Ok(replies)
    }

    fn trouble(&self, message: Message) -> Trouble {
        Trouble::new(message.with("address", self.address.shown.as_str()))
    }
}

async fn talk(mut stream: Stream, commands: &[&[&str]]) -> io::Result<(Stream, Vec<Reply>)> {
    let wrong = |what| io::Error::new(io::ErrorKind::InvalidData, what);
    let mut bytes = Vec::new();
    for command in commands {
        put_command(command, &mut bytes);
    }
    // Who is refused is told why and shut out, so that what is sent may fail, and the reason is there all the same.
    let sent = async {
        stream.write_all(&bytes).await?;
        stream.flush().await
    };
    let sent = sent.await;
    bytes.clear();
    let mut replies = Vec::with_capacity(commands.len());
    while replies.len() < commands.len() {
        match reply(&bytes).map_err(|_| wrong("this is not Redis"))? {
            Some((reply, length)) => {
                replies.push(reply);
                bytes.drain(..length);
            }
            None if bytes.len() >= MAX_BYTES => return Err(wrong("the reply is too long")),
            None => {
                let read = stream.read_buf(&mut bytes).await;
                if matches!(read, Ok(count) if count > 0) {
                    continue;
                }
                let is_refused = matches!(replies.first(), Some(Reply::Error(_)));
                if is_refused {
                    return Ok((stream, replies));
                }
                sent?;
                read?;
                return Err(io::ErrorKind::UnexpectedEof.into());
            }
        }
    }
    sent?;
    Ok((stream, replies))
}
