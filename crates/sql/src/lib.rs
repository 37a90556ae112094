//! Queries to MySQL, MariaDB and PostgreSQL as JMeter's JDBC samplers make them: a data source
//! with a pool, statements in, rows as texts out, written as Java's drivers write them.
//!
//! A source has a thread of its own on which its connections live, so that any number of load
//! threads share a pool of exactly the size that the plan names, and a slow query holds
//! nobody else. This crate knows nothing of plans, samples or the engine.

// Files, processes, the environment and other hosts: see clippy.toml.
#![cfg_attr(not(test), deny(clippy::disallowed_methods))]

mod address;
mod error;
mod java;
mod mysql;
mod pool;
mod postgres;

pub use address::{DatabaseAddress, DatabaseKind};
pub use error::SqlError;
pub use pool::Source;

use std::net::{IpAddr, SocketAddr};
use std::time::Duration;

use plimsoll_access::Reach;

/// How a source connects.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SqlSettings {
    /// Where to.
    pub address: DatabaseAddress,
    /// Of the addresses that its host leads to, only what this list has; none: any.
    pub reach: Option<Reach>,
    /// User; empty: that of the address.
    pub user: String,
    /// Password.
    pub password: String,
    /// Connections at most; 0: one for each user.
    pub pool_max: usize,
    /// Longest wait for a connection; zero: for ever.
    pub max_wait: Duration,
    /// Whether each statement is its own transaction.
    pub autocommit: bool,
    /// Transaction isolation, in SQL's words (`READ COMMITTED`); none: the server's.
    pub isolation: Option<String>,
    /// Statements for each new connection.
    pub init: Vec<String>,
    /// MariaDB's and MySQL's refusals begin with the connection's number, `(conn=7) `, as
    /// MariaDB's own Java driver writes them.
    pub numbered_errors: bool,
}

impl SqlSettings {
    /// The addresses of the host that may be connected to, at least one; none: whichever it leads to. Asked for each
    /// connection, since a name may lead elsewhere from one moment to the next.
    ///
    /// # Errors
    /// The host is unknown, or leads to none of these.
    async fn allowed_addresses(&self) -> Result<Option<Vec<IpAddr>>, SqlError> {
        let Some(reach) = &self.reach else {
            return Ok(None);
        };
        let host = self.address.host.as_str();
        let found = tokio::net::lookup_host((host, self.address.port)).await;
        let unknown = |error| SqlError::connection(format!("{host}: {error}"));
        let found: Vec<SocketAddr> = found.map_err(unknown)?.collect();
        let allowed = found.iter().filter(|to| reach.leads(host, **to));
        let allowed: Vec<IpAddr> = allowed.map(SocketAddr::ip).collect();
        match (allowed.is_empty(), found.first()) {
            (true, Some(to)) => Err(SqlError::not_allowed(host, *to)),
            _ => Ok(Some(allowed)),
        }
    }
}

/// What to do.
#[derive(Debug, Clone, PartialEq)]
pub struct SqlOrder {
    /// The statement.
    pub statement: Statement,
    /// Longest time of the query; none: any.
    pub timeout: Option<Duration>,
    /// Rows at most; none: all.
    pub max_rows: Option<usize>,
}

/// A statement.
#[derive(Debug, Clone, PartialEq)]
pub enum Statement {
    /// A query that gives rows.
    Select(String),
    /// A statement that changes rows.
    Update(String),
    /// A prepared query.
    PreparedSelect(String, Vec<Argument>),
    /// A prepared statement that changes rows.
    PreparedUpdate(String, Vec<Argument>),
    /// Ends the transaction.
    Commit,
    /// Undoes the transaction.
    Rollback,
    /// Whether each statement is its own transaction, until the connection goes back.
    AutoCommit(bool),
}

/// The value of a parameter.
#[derive(Debug, Clone, PartialEq)]
pub enum Argument {
    /// NULL.
    Null,
    /// Truth.
    Truth(bool),
    /// A whole number.
    Whole(i64),
    /// A number.
    Number(f64),
    /// A text, also dates, times and decimals in SQL's form.
    Text(String),
    /// Bytes.
    Bytes(Vec<u8>),
}

/// What came back.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct SqlResponse {
    /// Labels of the columns.
    pub columns: Vec<String>,
    /// The rows, as Java would write their values; none: NULL.
    pub rows: Vec<Vec<Option<String>>>,
    /// Rows that were changed.
    pub updates: u64,
}

/// A response, or why there is none, with the times it took.
#[derive(Debug)]
pub struct Done {
    /// Waiting for a connection, and making one.
    pub connect: Duration,
    /// From the order to the statement's end, the connection included.
    pub latency: Duration,
    /// The response.
    pub response: Result<SqlResponse, SqlError>,
}
