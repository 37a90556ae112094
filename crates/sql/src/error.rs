//! Failures, in the words that Java's drivers have for them.

use std::net::SocketAddr;

/// A failure of a database or of the way to it.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{class}: {message}")]
pub struct SqlError {
    /// The exception that Java would throw.
    pub class: &'static str,
    /// What the server or the driver said.
    pub message: String,
    /// SQLSTATE; empty: none.
    pub state: String,
    /// The vendor's own number.
    pub code: i64,
}

impl SqlError {
    /// A failure of the connection (SQLSTATE class 08).
    #[must_use]
    pub fn connection(message: impl Into<String>) -> Self {
        Self {
            class: "java.sql.SQLNonTransientConnectionException",
            message: message.into(),
            state: "08000".to_owned(),
            code: 0,
        }
    }

    /// A host led to an address that may not be loaded.
    #[must_use]
    pub fn not_allowed(host: &str, to: SocketAddr) -> Self {
        Self::connection(format!("{host} leads to {to}, which may not be loaded"))
    }

    /// A failure that the server reports. The class follows from the SQLSTATE (JDBC 4.3,
    /// table 8-1).
    #[must_use]
    pub fn server(message: impl Into<String>, state: &str, code: i64) -> Self {
        let class = match state.get(..2).unwrap_or_default() {
            "0A" => "java.sql.SQLFeatureNotSupportedException",
            "08" => "java.sql.SQLNonTransientConnectionException",
            "22" => "java.sql.SQLDataException",
            "23" => "java.sql.SQLIntegrityConstraintViolationException",
            "28" => "java.sql.SQLInvalidAuthorizationSpecException",
            "40" => "java.sql.SQLTransactionRollbackException",
            "42" => "java.sql.SQLSyntaxErrorException",
            _ => "java.sql.SQLException",
        };
        Self {
            class,
            message: message.into(),
            state: state.to_owned(),
            code,
        }
    }

    /// The query had its time.
    #[must_use]
    pub fn timeout() -> Self {
        Self {
            class: "java.sql.SQLTimeoutException",
            message: "Query execution was interrupted (max_statement_time exceeded)".to_owned(),
            state: "70100".to_owned(),
            code: 1969,
        }
    }

    /// No connection was free in time.
    #[must_use]
    pub fn pool_exhausted() -> Self {
        Self {
            class: "java.sql.SQLException",
            message: "Cannot get a connection, pool error Timeout waiting for idle object"
                .to_owned(),
            state: String::new(),
            code: 0,
        }
    }

    /// Whether the connection can be used no more.
    #[must_use]
    pub fn is_fatal(&self) -> bool {
        self.state.starts_with("08") || self.class.ends_with("TimeoutException")
    }
}
