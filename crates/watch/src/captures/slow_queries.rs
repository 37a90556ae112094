//! Statements that cost most, by their form, and the plans of the worst.

use serde_json::{Value, json};

use super::server_report::{ReportText, ServerReport};
use crate::capture::Level;
use crate::collector::{Pending, Trouble};
use crate::collectors::mysql::connection::MysqlConnection;
use crate::rows::{Texts, number, text};
use crate::statement::{SqlDialect, digest_id, is_plain_select, without_literals};

/// In columns: the form that newer MySQL (9) writes unless told otherwise is one text that has the
/// statement's literals in it.
const EXPLAIN: &str = "EXPLAIN FORMAT=TRADITIONAL";
/// Plans asked for, of statements in the statistics and of those that run.
const PLANS: usize = 3;

const DIGESTS: &str = "\
SELECT DIGEST, SCHEMA_NAME, LEFT(DIGEST_TEXT, 4000), COUNT_STAR, SUM_TIMER_WAIT / 1e12, \
MAX_TIMER_WAIT / 1e12, SUM_ROWS_EXAMINED, SUM_ROWS_SENT, SUM_NO_INDEX_USED, SUM_LOCK_TIME / 1e12 \
FROM performance_schema.events_statements_summary_by_digest \
WHERE DIGEST IS NOT NULL AND LAST_SEEN >= NOW() - INTERVAL 300 SECOND \
AND DIGEST_TEXT NOT LIKE '%`PROCESSLIST`%' \
AND DIGEST_TEXT NOT LIKE '%`performance_schema`%' AND DIGEST_TEXT NOT LIKE 'SHOW %' \
AND DIGEST_TEXT NOT LIKE 'EXPLAIN %' \
ORDER BY SUM_TIMER_WAIT DESC LIMIT 20";

/// Texts of statements as they were sent: kept by MySQL 8, else in the history where that is
/// switched on. They stay here: only plans go out.
const SAMPLES: &[&str] = &[
    "SELECT DIGEST, QUERY_SAMPLE_TEXT, SCHEMA_NAME FROM \
     performance_schema.events_statements_summary_by_digest WHERE QUERY_SAMPLE_TEXT LIKE 'select%' \
     ORDER BY SUM_TIMER_WAIT DESC LIMIT 30",
    "SELECT DIGEST, SQL_TEXT, CURRENT_SCHEMA FROM performance_schema.events_statements_history_long \
     WHERE SQL_TEXT LIKE 'select%' ORDER BY TIMER_WAIT DESC LIMIT 30",
    "SELECT DIGEST, SQL_TEXT, CURRENT_SCHEMA FROM performance_schema.events_statements_history \
     WHERE SQL_TEXT LIKE 'select%' ORDER BY TIMER_WAIT DESC LIMIT 30",
];

const RUNNING: &str = "\
SELECT ID, DB, TIME, STATE, LEFT(INFO, 4000) FROM information_schema.PROCESSLIST \
WHERE INFO IS NOT NULL AND ID <> CONNECTION_ID() ORDER BY TIME DESC LIMIT 20";

/// Takes the statements that cost most.
pub(crate) struct SlowQueries {
    connection: MysqlConnection,
    /// Plans are asked for with the right to capture only.
    may_explain: bool,
}

impl SlowQueries {
    pub(crate) fn new(connection: MysqlConnection, level: Level) -> Self {
        Self {
            connection,
            may_explain: level >= Level::Capture,
        }
    }

    async fn statements(&mut self) -> Result<Value, Trouble> {
        let rows = match self.connection.rows_if_allowed(DIGESTS).await? {
            Ok(rows) => rows,
            Err(reason) => return Ok(json!({ "missing": reason })),
        };
        let samples = match self.may_explain {
            true => self.samples().await?,
            false => Vec::new(),
        };
        let mut statements = Vec::with_capacity(rows.len());
        let mut plans = 0;
        for row in &rows {
            let sample = samples
                .iter()
                .find(|sample| text(sample, 0) == text(row, 0));
            let mut plan = Value::Null;
            if let Some(sample) = sample.filter(|_| plans < PLANS) {
                plans += 1;
                plan = self.plan_of(text(sample, 1), text(sample, 2)).await?;
            }
            statements.push(json!({
                "digest": digest_id(text(row, 0), text(row, 1)),
                "text": without_literals(text(row, 2), SqlDialect::MySql),
                "count": number(row, 3),
                "time_s": number(row, 4),
                "max_s": number(row, 5),
                "rows_examined": number(row, 6),
                "rows_sent": number(row, 7),
                "no_index_count": number(row, 8),
                "lock_time_s": number(row, 9),
                "plan": plan,
            }));
        }
        Ok(Value::Array(statements))
    }

    async fn samples(&mut self) -> Result<Vec<Texts>, Trouble> {
        for query in SAMPLES {
            if let Ok(rows) = self.connection.rows_if_allowed(query).await?
                && !rows.is_empty()
            {
                return Ok(rows);
            }
        }
        Ok(Vec::new())
    }

    /// The plan of a query, asked for in a transaction that cannot write.
    async fn plan_of(&mut self, sql: &str, schema: &str) -> Result<Value, Trouble> {
        let named = |name: &str| !name.is_empty() && !name.contains(['`', '\0']);
        if !is_plain_select(sql) || !named(schema) {
            return Ok(Value::Null);
        }
        let connection = &mut self.connection;
        let used = connection.rows_at_once(&format!("USE `{schema}`")).await;
        if used.is_none() {
            return Ok(Value::Null);
        }
        connection.rows("START TRANSACTION READ ONLY").await?;
        let plan = connection.rows_at_once(&format!("{EXPLAIN} {sql}")).await;
        connection.rows("ROLLBACK").await?;
        Ok(plan_json(plan))
    }

    /// Statements that run now. Their plans are asked for by the number of their connection.
    async fn running(&mut self) -> Result<Value, Trouble> {
        let rows = match self.connection.rows_if_allowed(RUNNING).await? {
            Ok(rows) => rows,
            Err(reason) => return Ok(json!({ "missing": reason })),
        };
        let mut running = Vec::with_capacity(rows.len());
        for (at, row) in rows.iter().enumerate() {
            let id: Option<u64> = text(row, 0).parse().ok();
            let mut plan = Value::Null;
            if let Some(id) = id.filter(|_| self.may_explain && at < PLANS) {
                // MySQL's words, then MariaDB's.
                for query in [
                    format!("{EXPLAIN} FOR CONNECTION {id}"),
                    format!("SHOW EXPLAIN FOR {id}"),
                ] {
                    let told = self.connection.rows_at_once(&query).await;
                    if told.is_some() {
                        plan = plan_json(told);
                        break;
                    }
                }
            }
            running.push(json!({
                "schema": text(row, 1),
                "seconds": number(row, 2),
                "state": text(row, 3),
                "text": without_literals(text(row, 4), SqlDialect::MySql),
                "plan": plan,
            }));
        }
        Ok(Value::Array(running))
    }
}

/// A plan's rows with the names of `EXPLAIN`'s columns; MySQL has two more than MariaDB. A plan
/// of any other form is not told: it may hold literals.
fn plan_json(told: Option<Vec<Texts>>) -> Value {
    const MARIADB: &[&str] = &[
        "id",
        "select_type",
        "table",
        "type",
        "possible_keys",
        "key",
        "key_len",
        "ref",
        "rows",
        "extra",
    ];
    const MYSQL: &[&str] = &[
        "id",
        "select_type",
        "table",
        "partitions",
        "type",
        "possible_keys",
        "key",
        "key_len",
        "ref",
        "rows",
        "filtered",
        "extra",
    ];
    let known = [MARIADB.len(), MYSQL.len()];
    let Some(rows) = told.filter(|rows| rows.iter().all(|row| known.contains(&row.len()))) else {
        return Value::Null;
    };
    let named = |row: &Texts| {
        let names = if row.len() == MYSQL.len() {
            MYSQL
        } else {
            MARIADB
        };
        let values = names.iter().zip(row);
        let values = values.map(|(name, value)| ((*name).to_owned(), json!(value)));
        Value::Object(values.collect())
    };
    rows.iter().map(named).collect()
}

impl ServerReport for SlowQueries {
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_plan_is_told_by_columns_only() {
        let row = |cells: &[&str]| -> Texts {
            let cells = cells.iter();
            cells.map(|cell| Some((*cell).to_owned())).collect()
        };
        let maria = row(&[
            "1",
            "SIMPLE",
            "t",
            "ALL",
            "",
            "",
            "",
            "",
            "9",
            "Using where",
        ]);
        let plan = plan_json(Some(vec![maria.clone()]));
        assert_eq!(plan[0]["type"], "ALL");
        let text = row(&["-> Filter: (t.note = 'topsecret')"]);
        assert_eq!(plan_json(Some(vec![text.clone()])), Value::Null);
        assert_eq!(plan_json(Some(vec![maria, text])), Value::Null);
        assert_eq!(plan_json(None), Value::Null);
    }
}
