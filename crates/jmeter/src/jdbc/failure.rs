//! Why a query gave nothing.

use plimsoll_sql::SqlError;

/// Why a query gave nothing.
pub enum QueryFailure {
    /// What the database says.
    Sql(SqlError),
    /// The database's host may not be reached.
    Host(String),
    /// Any other exception of Java's, by its name.
    Java(&'static str, String),
}

impl From<SqlError> for QueryFailure {
    fn from(error: SqlError) -> Self {
        Self::Sql(error)
    }
}
