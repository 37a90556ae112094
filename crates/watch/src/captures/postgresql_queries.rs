//! Statements of PostgreSQL that cost most, those that run, and who holds up whom.

use serde_json::{Value, json};

use super::server_report::{ReportText, ServerReport};
use crate::collector::{Pending, Trouble};
use crate::collectors::postgresql::statements_query;
use crate::pg::PgConnection;
use crate::rows::{Texts, number, text};
use crate::statement::{SqlDialect, without_literals};

/// Those that do something or hold a transaction open, the longest first.
const RUNNING: &str = "\
SELECT pid, coalesce(datname, ''), coalesce(state, ''), coalesce(wait_event_type, ''), \
coalesce(wait_event, ''), extract(epoch FROM clock_timestamp() - query_start), \
extract(epoch FROM clock_timestamp() - xact_start), left(query, 4000), \
array_to_string(pg_blocking_pids(pid), ',') FROM pg_stat_activity \
WHERE backend_type = 'client backend' AND pid <> pg_backend_pid() AND state <> 'idle' \
ORDER BY 7 DESC NULLS LAST LIMIT 30";

const WHERE_AND_VERSION: &str = "\
SELECT current_setting('server_version_num'), quote_ident(n.nspname) FROM pg_extension e \
JOIN pg_namespace n ON n.oid = e.extnamespace WHERE e.extname = 'pg_stat_statements'";

/// Takes them.
pub(crate) struct PostgresQueries {
    connection: PgConnection,
}

impl PostgresQueries {
    pub(crate) fn new(connection: PgConnection) -> Self {
        Self { connection }
    }

    async fn running(&mut self) -> Result<Value, Trouble> {
        let rows = match self.connection.rows_if_allowed(RUNNING).await? {
            Ok(rows) => rows,
            Err(error) => return Ok(json!({ "missing": error.message })),
        };
        Ok(rows.iter().map(running_json).collect())
    }

    async fn statements(&mut self) -> Result<Value, Trouble> {
        let found = self.connection.rows(WHERE_AND_VERSION).await?;
        let Some(place) = found.first() else {
            return Ok(json!({ "missing": "pg_stat_statements" }));
        };
        let version = text(place, 0).parse().unwrap_or(0);
        let query = statements_query(text(place, 1), version, 4_000, 20);
        Ok(match self.connection.rows_if_allowed(&query).await? {
            Ok(rows) => rows.iter().map(statement_json).collect(),
            Err(error) => json!({ "missing": error.message }),
        })
    }
}

fn running_json(row: &Texts) -> Value {
    let blocked_by = text(row, 8).split(',');
    let blocked_by: Vec<u32> = blocked_by.filter_map(|pid| pid.parse().ok()).collect();
    json!({
        "pid": number(row, 0),
        "schema": text(row, 1),
        "state": text(row, 2),
        "wait_event_type": text(row, 3),
        "wait_event": text(row, 4),
        "seconds": number(row, 5),
        "transaction_s": number(row, 6),
        "text": without_literals(text(row, 7), SqlDialect::Postgres),
        "blocked_by": blocked_by,
    })
}

fn statement_json(row: &Texts) -> Value {
    json!({
        "digest": text(row, 0),
        "text": without_literals(text(row, 1), SqlDialect::Postgres),
        "count": number(row, 2),
        "time_s": number(row, 3),
        "max_s": number(row, 4),
        "rows_sent": number(row, 5),
        "blocks_hit": number(row, 6),
        "blocks_read": number(row, 7),
        "temp_blocks_written": number(row, 8),
    })
}

impl ServerReport for PostgresQueries {
    const KIND: &'static str = "slow_queries";

    fn ask(&mut self) -> Pending<'_, ReportText> {
        Box::pin(async move {
            // First what is gone in a moment.
            let running = self.running().await?;
            let statements = self.statements().await?;
            Ok(ReportText::Json(
                json!({ "running": running, "statements": statements }),
            ))
        })
    }
}
