//! One connection to Redis, kept, with a limit on time and bytes.

use std::io;
use std::path::Path;
use std::time::Duration;

use plimsoll_text::Message;
use tokio::io::{AsyncReadExt, AsyncWriteExt};

use super::resp::{Reply, put_command, reply};
use crate::collector::Trouble;
use crate::http::{MAX_BYTES, Stream, Tls, connect, connect_unix, secret, tls_options};
use crate::source::Spec;

/// Connecting and the replies to one look take no longer.
const LIMIT: Duration = Duration::from_secs(4);

/// Where a server is and how to get in.
#[derive(Clone)]
pub(crate) struct Address {
    place: Place,
    tls: Option<Tls>,
    user: Option<String>,
    password: Option<String>,
    /// As it may be shown, without user and password.
    pub(crate) shown: String,
    /// `host:port`; of a socket `localhost:6379`.
    pub(crate) authority: String,
}

#[derive(Clone)]
enum Place {
    Tcp(String, u16),
    Unix(String),
}

impl Address {
    /// Reads `host:port`, `redis://`, `rediss://` (with TLS) or the path of a Unix socket, and
    /// the options `user`, `password-env`, `password-file`, `tls`, `ca-file`, `insecure`.
    pub(crate) fn of(spec: &Spec) -> Result<Self, Trouble> {
        let text = spec.address.trim();
        let socket = text.strip_prefix("unix:").unwrap_or(text);
        let mut user = spec.options.get("user").cloned();
        let mut password = secret(spec, "password")?;
        if socket.starts_with('/') {
            return Ok(Self {
                place: Place::Unix(socket.to_owned()),
                tls: None,
                user,
                password,
                shown: socket.to_owned(),
                authority: "localhost:6379".to_owned(),
            });
        }
        let wrong = || {
            let address = plimsoll_secrets::text(&spec.address).into_owned();
            let message = Message::new("watch-server-address-wrong")
                .with("source", spec.source.as_str())
                .with("address", address);
            Trouble::new(message)
        };
        let rest = text.split_once("://").map_or(text, |(_, rest)| rest);
        let url = url::Url::parse(&format!("tcp://{rest}")).map_err(|_| wrong())?;
        let host = url.host_str().filter(|host| !host.is_empty());
        let host = host.ok_or_else(wrong)?.to_owned();
        let port = url.port().unwrap_or(6379);
        let decoded = |text: &str| {
            let decoded = percent_encoding::percent_decode_str(text);
            decoded.decode_utf8_lossy().into_owned()
        };
        let given = Some(url.username()).filter(|user| !user.is_empty());
        user = user.or(given.map(decoded));
        password = password.or(url.password().map(decoded));
        let options = tls_options(spec);
        let wants = spec.options.get("tls").is_some_and(|yes| yes == "true")
            || text.starts_with("rediss://")
            || options.insecure
            || options.ca_file.is_some();
        let tls = match wants {
            true => Some(Tls::new(&options)?),
            false => None,
        };
        let authority = format!("{host}:{port}");
        Ok(Self {
            place: Place::Tcp(host, port),
            tls,
            user,
            password,
            shown: authority.clone(),
            authority,
        })
    }

    async fn connect(&self) -> io::Result<Stream> {
        match &self.place {
            Place::Tcp(host, port) => connect(host, *port, self.tls.as_ref()).await,
            Place::Unix(path) => connect_unix(Path::new(path)).await,
        }
    }
}

/// A connection that is made when it is needed. A look that is dropped drops it.
pub(crate) struct Connection {
    address: Address,
    kept: Option<Stream>,
}

impl Connection {
    pub(crate) fn new(address: Address) -> Self {
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
    stream.write_all(&bytes).await?;
    stream.flush().await?;
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
                if stream.read_buf(&mut bytes).await? == 0 {
                    return Err(io::ErrorKind::UnexpectedEof.into());
                }
            }
        }
    }
    Ok((stream, replies))
}
