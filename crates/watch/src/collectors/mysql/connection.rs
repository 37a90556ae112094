//! One connection to the server, kept, with a limit on time and rows.

use std::time::Duration;

use mysql_async::prelude::Queryable;
use mysql_async::{Conn, Error, Opts, OptsBuilder, Row, SslOpts, Value};
use plimsoll_text::Message;

use crate::collector::Trouble;
use crate::collectors::server::{ServerAddress, ServerPlace};
use crate::rows::Texts;
use crate::source::Spec;

/// Connecting and one response take no longer.
const LIMIT: Duration = Duration::from_secs(4);
/// What is worth no waiting takes no longer.
const AT_ONCE: Duration = Duration::from_secs(1);
/// No more connections are taken from anybody (MySQL, server error reference: ER_CON_COUNT_ERROR). What one user
/// may have is another error: it says nothing of the others.
const FULL: u16 = 1040;
/// A response has no more rows.
const MAX_ROWS: usize = 5_000;

/// Where a server is and how to get in.
#[derive(Clone)]
pub(crate) struct MysqlAddress {
    options: Opts,
    /// As it may be shown, without user and password.
    pub(crate) shown: String,
    /// `host:port`; of a socket `localhost:3306`.
    pub(crate) authority: String,
}

impl MysqlAddress {
    /// Reads `host:port`, `mysql://user@host:port` or the path of a Unix socket, and the
    /// options `user`, `password-env`, `password-file`, `tls`, `ca-file`, `insecure`.
    pub(crate) fn of(spec: &Spec) -> Result<Self, Trouble> {
        let address = ServerAddress::of(spec, 3306, None)?;
        let mut builder = OptsBuilder::default()
            .prefer_socket(false)
            .max_allowed_packet(Some(crate::http::MAX_BYTES))
            .stmt_cache_size(0)
            .user(address.user)
            .pass(address.password);
        builder = match address.place {
            ServerPlace::Unix(path) => builder.socket(Some(path)),
            ServerPlace::Tcp(host, port) => {
                let bare = host.trim_matches(['[', ']']).to_owned();
                builder.ip_or_hostname(bare).tcp_port(port)
            }
        };
        if let Some(tls) = address.tls {
            let roots = tls.ca_file.map(Into::into).into_iter().collect();
            let options = SslOpts::default()
                .with_root_certs(roots)
                .with_danger_accept_invalid_certs(tls.insecure)
                .with_danger_skip_domain_validation(tls.insecure);
            builder = builder.ssl_opts(options);
        }
        Ok(Self {
            options: builder.into(),
            shown: address.shown,
            authority: address.authority,
        })
    }
}

/// A connection that is made when it is needed. A query that is dropped drops it.
pub(crate) struct MysqlConnection {
    address: MysqlAddress,
    kept: Option<Conn>,
}

impl MysqlConnection {
    pub(crate) fn new(address: MysqlAddress) -> Self {
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
        match self.ask(sql, LIMIT).await {
            Ok(rows) => Ok(rows),
            Err(error) => Err(self.trouble(&error)),
        }
    }

    /// The rows that a query gives, and none when the server refuses it.
    pub(crate) async fn rows_if_allowed(
        &mut self,
        sql: &str,
    ) -> Result<Result<Vec<Texts>, String>, Trouble> {
        match self.ask(sql, LIMIT).await {
            Ok(rows) => Ok(Ok(rows)),
            Err(Some(Error::Server(error))) => Ok(Err(error.message)),
            Err(error) => Err(self.trouble(&error)),
        }
    }

    /// The rows that a query gives at once. None: refused, or it would have to wait, as for the
    /// plan of a statement that itself waits.
    pub(crate) async fn rows_at_once(&mut self, sql: &str) -> Option<Vec<Texts>> {
        self.ask(sql, AT_ONCE).await.ok()
    }

    async fn ask(&mut self, sql: &str, limit: Duration) -> Result<Vec<Texts>, Option<Error>> {
        let kept = self.kept.take();
        let asked = async {
            let mut connection = match kept {
                Some(connection) => connection,
                None => Conn::new(self.address.options.clone()).await?,
            };
            let response = rows_of(&mut connection, sql).await;
            Ok((connection, response))
        };
        let (connection, response) = match tokio::time::timeout(limit, asked).await {
            Ok(Ok(asked)) => asked,
            Ok(Err(error)) => return Err(Some(error)),
            Err(_) => return Err(None),
        };
        // After what the server says against a query the connection still serves.
        if matches!(response, Ok(Some(_)) | Err(Error::Server(_))) {
            self.kept = Some(connection);
        }
        Ok(response.map_err(Some)?.unwrap_or_default())
    }

    fn trouble(&self, error: &Option<Error>) -> Trouble {
        let message = match error {
            None => Message::new("watch-server-slow").with("seconds", LIMIT.as_secs()),
            Some(Error::Server(error))
                if matches!(error.code, 1044 | 1045 | 1142 | 1227 | 1698) =>
            {
                Message::new("watch-mysql-denied").with("reason", error.message.as_str())
            }
            Some(Error::Server(error)) => {
                let id = match error.code {
                    FULL => "watch-server-full",
                    _ => "watch-server-error",
                };
                Message::new(id).with("reason", error.message.as_str())
            }
            Some(error) => {
                Message::new("watch-server-unreachable").with("reason", error.to_string())
            }
        };
        Trouble::new(message.with("address", self.address.shown.as_str()))
    }
}

/// None: more rows than are read; the connection is of no use then.
async fn rows_of(connection: &mut Conn, sql: &str) -> Result<Option<Vec<Texts>>, Error> {
    let mut result = connection.query_iter(sql).await?;
    let mut rows = Vec::new();
    while let Some(row) = result.next().await? {
        if rows.len() >= MAX_ROWS {
            return Ok(None);
        }
        rows.push(texts(row));
    }
    result.drop_result().await?;
    Ok(Some(rows))
}

fn texts(row: Row) -> Texts {
    let values = row.unwrap_raw().into_iter();
    values
        .map(|value| match value {
            Some(Value::Bytes(bytes)) => Some(String::from_utf8_lossy(&bytes).into_owned()),
            Some(Value::NULL) | None => None,
            Some(other) => Some(other.as_sql(true).trim_matches('\'').to_owned()),
        })
        .collect()
}
