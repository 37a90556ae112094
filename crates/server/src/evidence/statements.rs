//! Statements of databases with their plans, and slow commands of a cache, as they were captured.

use serde::{Deserialize, Serialize};
use serde_json::Value;
use utoipa::ToSchema;

use super::capture::CaptureListed;

/// Rows that are told of each.
const ROWS: usize = 200;

/// A statement that cost much, by its form.
#[derive(Debug, Default, Deserialize, Serialize, ToSchema)]
#[serde(default)]
pub(crate) struct StatementCost {
    /// What tells it from others.
    digest: String,
    /// Its form, without values.
    text: String,
    /// How often it ran since the database began to count.
    count: Option<f64>,
    /// How long altogether.
    time_s: Option<f64>,
    /// The longest.
    max_s: Option<f64>,
    /// How long it waited for locks.
    lock_time_s: Option<f64>,
    /// Rows that were looked at.
    rows_examined: Option<f64>,
    /// Rows that were given.
    rows_sent: Option<f64>,
    /// How often no index was used.
    no_index_count: Option<f64>,
    /// Blocks that were found in memory.
    blocks_hit: Option<f64>,
    /// Blocks that were read.
    blocks_read: Option<f64>,
    /// Blocks that were written to temporary files.
    temp_blocks_written: Option<f64>,
    /// The plan, row by row, by the names of the database's own columns; null: it was not asked for.
    #[schema(value_type = Option<Vec<Object>>)]
    plan: Option<Vec<Value>>,
}

/// A statement that ran when the capture was taken.
#[derive(Debug, Default, Deserialize, Serialize, ToSchema)]
#[serde(default)]
pub(crate) struct StatementRunning {
    /// The connection's process, of PostgreSQL.
    pid: Option<f64>,
    /// The database.
    schema: String,
    /// What it does.
    state: String,
    /// For what it waits, of PostgreSQL.
    wait_event_type: String,
    /// The same in detail.
    wait_event: String,
    /// Since when.
    seconds: Option<f64>,
    /// Since when its transaction goes on.
    transaction_s: Option<f64>,
    /// Its form, without values.
    text: String,
    /// Processes that hold it up, of PostgreSQL.
    blocked_by: Vec<u32>,
    /// The plan; null: it was not asked for.
    #[schema(value_type = Option<Vec<Object>>)]
    plan: Option<Vec<Value>>,
}

/// A slow command of Redis.
#[derive(Debug, Default, Deserialize, Serialize, ToSchema)]
#[serde(default)]
pub(crate) struct SlowCommand {
    /// When it ran, Unix seconds.
    at_unix_s: Option<f64>,
    /// How long it took, in millionths of a second.
    time_us: Option<f64>,
    /// The command.
    command: String,
    /// The form of its key; null: it has none.
    key: Option<String>,
    /// How many arguments it has.
    arguments: Option<f64>,
}

/// What a capture tells of statements.
#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct StatementsShown {
    /// The capture.
    capture: CaptureListed,
    /// Statements that cost most; 200 at most.
    statements: Vec<StatementCost>,
    /// Why there are none; null: it was allowed to look.
    statements_missing: Option<String>,
    /// Statements that ran at that moment; 200 at most.
    running: Vec<StatementRunning>,
    /// Why there are none; null: it was allowed to look.
    running_missing: Option<String>,
    /// Slow commands; 200 at most.
    commands: Vec<SlowCommand>,
    /// Rows that are left out, or not of a form that is known.
    left_out: usize,
}

impl StatementsShown {
    /// Reads what databases told.
    pub fn of(capture: CaptureListed, bytes: &[u8]) -> Self {
        let report: Value = serde_json::from_slice(bytes).unwrap_or_default();
        let mut left_out = 0;
        let missing = |of: &Value| of["missing"].as_str().map(str::to_owned);
        let is_commands = report.is_array();
        let commands = match is_commands {
            true => rows(&report, &mut left_out),
            false => Vec::new(),
        };
        Self {
            capture,
            statements: rows(&report["statements"], &mut left_out),
            statements_missing: missing(&report["statements"]),
            running: rows(&report["running"], &mut left_out),
            running_missing: missing(&report["running"]),
            commands,
            left_out,
        }
    }
}

fn rows<T: for<'de> Deserialize<'de>>(of: &Value, left_out: &mut usize) -> Vec<T> {
    let all = of.as_array().map_or(&[][..], Vec::as_slice);
    let rows: Vec<T> = all
        .iter()
        .take(ROWS)
        .filter_map(|row| T::deserialize(row).ok())
        .collect();
    *left_out += all.len() - rows.len();
    rows
}
