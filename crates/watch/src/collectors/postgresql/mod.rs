//! PostgreSQL: what its connections do and wait for, its databases' sums, locks and who holds
//! them, statements by their form, settings.

mod details;
mod status;

use std::sync::Arc;

use plimsoll_stats::series::{Entity, EntityKind};

use crate::captures::postgresql_queries::PostgresQueries;
use crate::captures::server_report::ServerReportCapture;
use crate::collector::Trouble;
use crate::collectors::entities::host_of;
use crate::pg::{PgAddress, PgConnection, PgKind};
use crate::source::{Opened, Spec};

use self::details::PostgresDetails;
pub(crate) use self::details::statements_query;
use self::status::PostgresStatus;

/// Nothing is changed, and no query goes on when nobody waits for it.
pub(crate) const KIND: PgKind = PgKind {
    port: 5432,
    user: "postgres",
    database: "postgres",
    settings: &[
        ("default_transaction_read_only", "on"),
        ("statement_timeout", "3000"),
        ("lock_timeout", "1000"),
    ],
    denied: "watch-postgresql-denied",
};

/// Opens a server by `host:port` or the path of its Unix socket.
pub(crate) fn open(spec: &Spec) -> Result<Opened, Trouble> {
    let address = PgAddress::of(spec, KIND)?;
    let port = address.authority.rsplit(':').next().unwrap_or("5432");
    let name = spec.options.get("name").cloned();
    let name = name.unwrap_or_else(|| format!("postgresql:{port}"));
    let host = host_of(spec, &address.authority);
    let entity = Entity::new(EntityKind::Database, name, host);
    let connection = || PgConnection::new(address.clone());
    Ok(Opened {
        collectors: vec![
            Box::new(PostgresStatus::new(connection(), Arc::clone(&entity))),
            Box::new(PostgresDetails::new(connection(), Arc::clone(&entity))),
        ],
        captures: vec![ServerReportCapture::boxed(
            PostgresQueries::new(connection()),
            &entity,
        )],
    })
}
