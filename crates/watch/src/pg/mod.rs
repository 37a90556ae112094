//! A small PostgreSQL client for servers that are looked at every second, PgBouncer's console
//! among them: simple queries over one kept connection, within limits of time, bytes and rows,
//! which the usual client has not.

mod login;
pub mod wire;

use std::collections::BTreeMap;
use std::io;
use std::path::Path;
use std::time::Duration;

use plimsoll_text::Message;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;

use self::login::Login;
use self::wire::{PgError, PgMessage, message, put, put_untagged};
use crate::collector::Trouble;
use crate::collectors::entities::is_loopback;
use crate::collectors::server::{ServerAddress, ServerPlace};
use crate::http::{MAX_BYTES, Stream, Tls, connect, connect_unix};
use crate::rows::Texts;
use crate::source::Spec;

/// Connecting and one response take no longer.
const LIMIT: Duration = Duration::from_secs(4);
/// A response has no more rows.
const MAX_ROWS: usize = 5_000;

/// What is said to a server of that kind.
#[derive(Clone, Copy)]
pub(crate) struct PgKind {
    /// Its usual port.
    pub(crate) port: u16,
    /// Who asks where nobody is named.
    pub(crate) user: &'static str,
    /// The database where none is named.
    pub(crate) database: &'static str,
    /// Settings of the connection.
    pub(crate) settings: &'static [(&'static str, &'static str)],
    /// The message that says what rights are needed.
    pub(crate) denied: &'static str,
}

/// Where a server is and how to get in.
#[derive(Clone)]
pub(crate) struct PgAddress {
    place: ServerPlace,
    tls: Option<Tls>,
    user: String,
    password: String,
    database: String,
    kind: PgKind,
    /// As it may be shown, without user and password.
    pub(crate) shown: String,
    /// `host:port`; of a socket `localhost` and the usual port.
    pub(crate) authority: String,
}

impl PgAddress {
    /// Reads `host:port`, a URL with or without a database, or the path of a Unix socket, and the
    /// options `user`, `password-env`, `password-file`, `database`, `tls`, `ca-file`, `insecure`.
    ///
    /// # Errors
    /// An address that is none, a secret that is not there.
    pub(crate) fn of(spec: &Spec, kind: PgKind) -> Result<Self, Trouble> {
        let address = ServerAddress::of(spec, kind.port, None)?;
        let tls = match (&address.place, &address.tls) {
            (ServerPlace::Tcp(..), Some(options)) => Some(Tls::new(options)?),
            _ => None,
        };
        let url = spec.address.split_once("://");
        let in_url = url.and_then(|(_, rest)| Some(rest.split_once('/')?.1));
        let in_url = in_url.map(|path| path.split('?').next().unwrap_or_default());
        let in_url = in_url.filter(|name| !name.is_empty()).map(str::to_owned);
        let database = spec.options.get("database").cloned().or(in_url);
        Ok(Self {
            place: address.place,
            tls,
            user: address.user.unwrap_or_else(|| kind.user.to_owned()),
            password: address.password.unwrap_or_default(),
            database: database.unwrap_or_else(|| kind.database.to_owned()),
            kind,
            shown: address.shown,
            authority: address.authority,
        })
    }

    async fn connect(&self) -> io::Result<Stream> {
        match (&self.place, &self.tls) {
            (ServerPlace::Unix(path), _) => connect_unix(Path::new(path)).await,
            (ServerPlace::Tcp(host, port), None) => connect(host, *port, None).await,
            (ServerPlace::Tcp(host, port), Some(tls)) => secured(host, *port, tls).await,
        }
    }

    /// Whether nobody can listen.
    fn is_private(&self) -> bool {
        let local = match &self.place {
            ServerPlace::Unix(_) => true,
            ServerPlace::Tcp(..) => is_loopback(&self.authority),
        };
        local || self.tls.is_some()
    }
}

/// PostgreSQL is asked for TLS before it begins.
async fn secured(host: &str, port: u16, tls: &Tls) -> io::Result<Stream> {
    const REQUEST: [u8; 8] = [0, 0, 0, 8, 0x04, 0xd2, 0x16, 0x2f];
    let host = host.trim_matches(['[', ']']);
    let mut stream = TcpStream::connect((host, port)).await?;
    stream.set_nodelay(true)?;
    stream.write_all(&REQUEST).await?;
    match stream.read_u8().await? {
        b'S' => Ok(Box::pin(tls.connect(host, stream).await?)),
        _ => Err(io::Error::other("it speaks no TLS")),
    }
}

/// A connection that is logged in.
struct PgSession {
    stream: Stream,
    /// What came and is not read yet.
    bytes: Vec<u8>,
    /// Bytes of the response under way.
    read: usize,
}

/// What a query gave.
#[derive(Default)]
struct PgTable {
    columns: Vec<String>,
    rows: Vec<Texts>,
}

/// A row with its columns' names; NULL is left out.
pub(crate) type NamedRow = BTreeMap<String, String>;

/// What a query gave, or what the server says against it.
type Responded<T> = Result<T, PgError>;

/// A connection that is made when it is needed. A query that is dropped drops it.
pub(crate) struct PgConnection {
    address: PgAddress,
    kept: Option<PgSession>,
}

impl PgConnection {
    pub(crate) fn new(address: PgAddress) -> Self {
        Self {
            address,
            kept: None,
        }
    }

    pub(crate) fn shown(&self) -> &str {
        &self.address.shown
    }

    /// The rows that a query gives.
    ///
    /// # Errors
    /// No connection, no response in time, what the server says against it.
    pub(crate) async fn rows(&mut self, sql: &str) -> Result<Vec<Texts>, Trouble> {
        let responded = self.rows_if_allowed(sql).await?;
        responded.map_err(|error| self.refused(&error))
    }

    /// The same with the names of the columns, which change between versions.
    ///
    /// # Errors
    /// As [`rows`](Self::rows).
    pub(crate) async fn named_rows(&mut self, sql: &str) -> Result<Vec<NamedRow>, Trouble> {
        let responded = self.table(sql).await?;
        let table = responded.map_err(|error| self.refused(&error))?;
        let columns = &table.columns;
        let named = |row: Texts| {
            let cells = columns.iter().zip(row);
            cells.filter_map(|(name, cell)| Some((name.clone(), cell?)))
        };
        Ok(table
            .rows
            .into_iter()
            .map(|row| named(row).collect())
            .collect())
    }

    /// The rows that a query gives, or why the server refuses it.
    ///
    /// # Errors
    /// No connection, no response in time.
    pub(crate) async fn rows_if_allowed(
        &mut self,
        sql: &str,
    ) -> Result<Responded<Vec<Texts>>, Trouble> {
        Ok(self.table(sql).await?.map(|table| table.rows))
    }

    async fn table(&mut self, sql: &str) -> Result<Responded<PgTable>, Trouble> {
        let asked = tokio::time::timeout(LIMIT, self.ask(sql)).await;
        let message = match asked {
            Ok(Ok(responded)) => return Ok(responded),
            Ok(Err(PgFailure::Login(error))) => return Err(self.refused(&error)),
            Ok(Err(PgFailure::Io(error))) => {
                Message::new("watch-server-unreachable").with("reason", error.to_string())
            }
            Err(_) => Message::new("watch-server-slow").with("seconds", LIMIT.as_secs()),
        };
        Err(self.trouble(message))
    }

    async fn ask(&mut self, sql: &str) -> Result<Responded<PgTable>, PgFailure> {
        // A connection that was closed meanwhile is made anew.
        if let Some(mut kept) = self.kept.take()
            && let Ok(responded) = kept.query(sql).await
        {
            self.kept = Some(kept);
            return Ok(responded);
        }
        let mut session = PgSession {
            stream: self.address.connect().await?,
            bytes: Vec::new(),
            read: 0,
        };
        session.log_in(&self.address).await?;
        let responded = session.query(sql).await?;
        self.kept = Some(session);
        Ok(responded)
    }

    fn refused(&self, error: &PgError) -> Trouble {
        // Who one is and what one may; PgBouncer says 08P01 to those who may not.
        let denied =
            error.code.starts_with("28") || ["42501", "08P01"].contains(&error.code.as_str());
        let id = match denied {
            _ if error.is_full() => "watch-server-full",
            true => self.address.kind.denied,
            false => "watch-server-error",
        };
        self.trouble(Message::new(id).with("reason", error.message.as_str()))
    }

    fn trouble(&self, message: Message) -> Trouble {
        Trouble::new(message.with("address", self.address.shown.as_str()))
    }
}

/// Why there is no response.
enum PgFailure {
    /// The server lets nobody in.
    Login(PgError),
    Io(io::Error),
}

impl From<io::Error> for PgFailure {
    fn from(error: io::Error) -> Self {
        Self::Io(error)
    }
}

impl PgSession {
    async fn log_in(&mut self, address: &PgAddress) -> Result<(), PgFailure> {
        let mut settings = Vec::new();
        let named = [
            ("user", address.user.as_str()),
            ("database", address.database.as_str()),
            ("application_name", "plimsoll"),
            ("client_encoding", "UTF8"),
        ];
        for (name, value) in named.iter().chain(address.kind.settings) {
            for text in [name, value] {
                settings.extend_from_slice(text.as_bytes());
                settings.push(0);
            }
        }
        let mut sent = Vec::new();
        put_untagged(&[&[0, 3, 0, 0], &settings, b"\0"], &mut sent);
        let mut login = Login::new(&address.user, &address.password, address.is_private());
        loop {
            if !sent.is_empty() {
                self.stream.write_all(&sent).await?;
                self.stream.flush().await?;
                sent.clear();
            }
            match self.next().await? {
                PgMessage::Authentication(kind, data) => sent = login.respond(kind, &data)?,
                PgMessage::Error(error) => return Err(PgFailure::Login(error)),
                PgMessage::Ready => return Ok(()),
                PgMessage::Columns(_) | PgMessage::Row(_) | PgMessage::Other => {}
            }
        }
    }

    async fn query(&mut self, sql: &str) -> io::Result<Responded<PgTable>> {
        self.read = 0;
        let mut sent = Vec::new();
        put(b'Q', &[sql.as_bytes(), b"\0"], &mut sent);
        self.stream.write_all(&sent).await?;
        self.stream.flush().await?;
        let mut responded = Ok(PgTable::default());
        loop {
            match self.next().await? {
                PgMessage::Columns(columns) => {
                    if let Ok(table) = &mut responded {
                        table.columns = columns;
                    }
                }
                PgMessage::Row(row) => {
                    if let Ok(table) = &mut responded {
                        if table.rows.len() >= MAX_ROWS {
                            return Err(wrong("the response has too many rows"));
                        }
                        table.rows.push(row);
                    }
                }
                PgMessage::Error(error) => responded = Err(error),
                PgMessage::Ready => return Ok(responded),
                PgMessage::Authentication(..) | PgMessage::Other => {}
            }
        }
    }

    async fn next(&mut self) -> io::Result<PgMessage> {
        loop {
            let whole = message(&self.bytes).map_err(|_| wrong("this is not PostgreSQL"))?;
            if let Some((said, length)) = whole {
                self.bytes.drain(..length);
                return Ok(said);
            }
            if self.read >= MAX_BYTES {
                return Err(wrong("the response is too long"));
            }
            match self.stream.read_buf(&mut self.bytes).await? {
                0 => return Err(io::ErrorKind::UnexpectedEof.into()),
                count => self.read += count,
            }
        }
    }
}

fn wrong(what: &'static str) -> io::Error {
    io::Error::new(io::ErrorKind::InvalidData, what)
}
