//! What is dearer: locks and who holds them, checkpoints, statements by their form, settings.

use std::sync::Arc;
use std::time::{Duration, Instant};

use plimsoll_stats::series::Entity;
use plimsoll_text::Message;

use crate::collector::{Collector, Look, Pending, Trouble};
use crate::names::postgresql as names;
use crate::pg::PgConnection;
use crate::remembered::Remembered;
use crate::rows::{Texts, number, text};
use crate::statement::{SqlDialect, without_literals};

/// What is dear is asked for this often.
const SLOW_PERIOD: Duration = Duration::from_secs(5);
/// Settings change seldom.
const SETTINGS_PERIOD: Duration = Duration::from_secs(60);
/// Kinds of locks, and statements that hold some, that are told apart.
const MAX_LOCKS: usize = 40;
const MAX_HOLDERS: usize = 40;

/// Settings that are facts, as the server shows them.
const SETTINGS: &str = "\
SELECT name, current_setting(name) FROM pg_settings WHERE name IN ('server_version', \
'max_connections', 'superuser_reserved_connections', 'shared_buffers', 'effective_cache_size', \
'work_mem', 'maintenance_work_mem', 'temp_buffers', 'synchronous_commit', 'fsync', \
'full_page_writes', 'wal_level', 'wal_buffers', 'wal_compression', 'max_wal_size', 'min_wal_size', \
'checkpoint_timeout', 'checkpoint_completion_target', 'commit_delay', 'random_page_cost', \
'effective_io_concurrency', 'max_worker_processes', 'max_parallel_workers', \
'max_parallel_workers_per_gather', 'autovacuum', 'default_transaction_isolation', 'lock_timeout', \
'deadlock_timeout', 'statement_timeout', 'idle_in_transaction_session_timeout', 'jit', \
'track_io_timing', 'shared_preload_libraries', 'log_min_duration_statement', 'huge_pages', \
'synchronous_standby_names')";

/// Whether others' statements may be seen, the version, and the schema of the statistics of
/// statements.
const RIGHTS: &str = "\
SELECT pg_has_role(current_user, 'pg_read_all_stats', 'usage'), \
current_setting('server_version_num'), \
(SELECT quote_ident(n.nspname) FROM pg_extension e JOIN pg_namespace n ON n.oid = e.extnamespace \
WHERE e.extname = 'pg_stat_statements')";

const LOCKS: &str = "\
SELECT locktype, CASE WHEN granted THEN 'granted' ELSE 'waiting' END, count(*) FROM pg_locks \
WHERE pid <> pg_backend_pid() AND locktype <> 'virtualxid' GROUP BY 1, 2 ORDER BY 3 DESC";

/// Who holds up others, those that hold up most first.
const HOLDERS: &str = "\
SELECT coalesce(h.state, 'prepared transaction'), left(coalesce(h.query, ''), 1000), \
count(DISTINCT w.pid), max(extract(epoch FROM clock_timestamp() - h.xact_start)) FROM \
(SELECT pid, unnest(pg_blocking_pids(pid)) AS holder FROM pg_stat_activity \
WHERE wait_event_type = 'Lock' LIMIT 500) w LEFT JOIN pg_stat_activity h ON h.pid = w.holder \
GROUP BY 1, 2 ORDER BY 3 DESC LIMIT 10";

const WAL: &str = "\
SELECT CASE WHEN pg_is_in_recovery() THEN NULL ELSE pg_wal_lsn_diff(pg_current_wal_lsn(), '0/0') END";

/// Looks every few seconds.
pub(super) struct PostgresDetails {
    connection: PgConnection,
    entity: Arc<Entity>,
    settings_at: Option<Instant>,
    version: u32,
    /// Where the statistics of statements are.
    statements: Option<String>,
    /// Kinds of locks, and statements that held some.
    locks: Remembered<(String, String)>,
    holders: Remembered<String>,
}

impl PostgresDetails {
    pub(super) fn new(connection: PgConnection, entity: Arc<Entity>) -> Self {
        Self {
            connection,
            entity,
            settings_at: None,
            version: 0,
            statements: None,
            locks: Remembered::new(MAX_LOCKS),
            holders: Remembered::new(MAX_HOLDERS),
        }
    }

    async fn look(&mut self, look: &mut Look) -> Result<(), Trouble> {
        let due = |at: Instant| at.elapsed() >= SETTINGS_PERIOD;
        if self.settings_at.is_none_or(due) {
            self.settings(look).await?;
            self.settings_at = Some(Instant::now());
        }
        let rows = self.connection.rows(LOCKS).await?;
        self.locks(&rows, look);
        let rows = self.connection.rows(HOLDERS).await?;
        self.holders(&rows, look);
        self.writing(look).await?;
        if let Some(schema) = self.statements.clone() {
            self.statements(&schema, look).await?;
        }
        Ok(())
    }

    async fn settings(&mut self, look: &mut Look) -> Result<(), Trouble> {
        for row in self.connection.rows(SETTINGS).await? {
            let (name, value) = (text(&row, 0), text(&row, 1));
            let value = plimsoll_secrets::value(name, value).into_owned();
            look.fact(&self.entity, format!("postgresql.{name}"), value);
        }
        let rows = self.connection.rows(RIGHTS).await?;
        let Some(row) = rows.first() else {
            return Ok(());
        };
        self.version = text(row, 1).parse().unwrap_or(0);
        self.statements = row.get(2).cloned().flatten();
        let allowed = text(row, 0) == "t";
        let missing = [
            (!allowed).then_some("watch-postgresql-hidden"),
            (self.statements.is_none()).then_some("watch-postgresql-no-statements"),
        ];
        for id in missing.into_iter().flatten() {
            let message = Message::new(id).with("address", self.connection.shown());
            look.missing(&self.entity, message);
        }
        Ok(())
    }

    fn locks(&mut self, rows: &[Texts], look: &mut Look) {
        let seen = rows.iter().map(|row| {
            let lock = (text(row, 0).to_owned(), text(row, 1).to_owned());
            (lock, number(row, 2))
        });
        for ((kind, state), count) in self.locks.told(seen) {
            let attributes = [
                ("postgresql.lock.state", state.as_str()),
                ("postgresql.lock.type", kind.as_str()),
            ];
            let count = count.unwrap_or(0.0);
            look.value(&self.entity, &names::LOCKS, &attributes, count);
        }
    }

    fn holders(&mut self, rows: &[Texts], look: &mut Look) {
        let seen = rows.iter().map(|row| {
            let shown = without_literals(text(row, 1), SqlDialect::Postgres);
            (short_name(&shown), (row, shown))
        });
        for (id, holder) in self.holders.told(seen) {
            let (mut count, mut age_s) = (0.0, 0.0);
            if let Some((row, shown)) = holder {
                (count, age_s) = (number(row, 2), number(row, 3));
                let fact = format!("{}: {shown}", text(row, 0));
                look.fact(&self.entity, format!("postgresql.holder.{id}"), fact);
            }
            let attributes = [("postgresql.holder", id.as_str())];
            look.value(&self.entity, &names::HELD_UP, &attributes, count);
            look.value(&self.entity, &names::HOLDER_AGE, &attributes, age_s);
        }
    }

    async fn writing(&mut self, look: &mut Look) -> Result<(), Trouble> {
        // From version 17 on checkpoints have a view of their own.
        let query = match self.version >= 170_000 {
            true => {
                "SELECT num_timed, num_requested, write_time / 1e3, sync_time / 1e3 \
                 FROM pg_stat_checkpointer"
            }
            false => {
                "SELECT checkpoints_timed, checkpoints_req, checkpoint_write_time / 1e3, \
                 checkpoint_sync_time / 1e3 FROM pg_stat_bgwriter"
            }
        };
        const CAUSE: &str = "postgresql.checkpoint.cause";
        const PHASE: &str = "postgresql.checkpoint.phase";
        for row in self.connection.rows(query).await? {
            for (column, metric, name, value) in [
                (0, &names::CHECKPOINTS, CAUSE, "scheduled"),
                (1, &names::CHECKPOINTS, CAUSE, "requested"),
                (2, &names::CHECKPOINT_TIME, PHASE, "write"),
                (3, &names::CHECKPOINT_TIME, PHASE, "sync"),
            ] {
                let count = number(&row, column);
                look.value(&self.entity, metric, &[(name, value)], count);
            }
        }
        if let Ok(rows) = self.connection.rows_if_allowed(WAL).await?
            && let Some(row) = rows.first()
        {
            look.value(&self.entity, &names::WAL_WRITTEN, &[], number(row, 0));
        }
        Ok(())
    }

    async fn statements(&mut self, schema: &str, look: &mut Look) -> Result<(), Trouble> {
        let query = statements_query(schema, self.version, 1_000, 30);
        match self.connection.rows_if_allowed(&query).await? {
            Ok(rows) => tell_statements(&rows, &self.entity, look),
            Err(error) => {
                let message = Message::new("watch-postgresql-statements-failed")
                    .with("address", self.connection.shown())
                    .with("reason", error.message);
                look.missing(&self.entity, message);
            }
        }
        Ok(())
    }
}

/// Statements by their form, of all users and databases together, those that cost most first. Our
/// own are left out.
pub(crate) fn statements_query(schema: &str, version: u32, length: usize, rows: usize) -> String {
    // Times were called otherwise up to version 12.
    let exec = if version >= 130_000 { "exec_" } else { "" };
    format!(
        "SELECT queryid, left(min(query), {length}), sum(calls), sum(total_{exec}time) / 1e3, \
         max(max_{exec}time) / 1e3, sum(rows), sum(shared_blks_hit), sum(shared_blks_read), \
         sum(temp_blks_written) FROM {schema}.pg_stat_statements \
         WHERE queryid IS NOT NULL AND query NOT LIKE '%pg_stat_%' AND query NOT LIKE '%pg_locks%' \
         AND query NOT LIKE '%pg_current_wal_lsn%' AND query NOT LIKE '%pg_settings%' \
         AND query NOT LIKE '%pg_read_all_stats%' \
         GROUP BY queryid ORDER BY 4 DESC LIMIT {rows}"
    )
}

/// Says what rows of [`statements_query`] hold.
fn tell_statements(rows: &[Texts], entity: &Arc<Entity>, look: &mut Look) {
    for row in rows {
        let id = text(row, 0);
        let shown = without_literals(text(row, 1), SqlDialect::Postgres);
        look.fact(entity, format!("postgresql.statement.{id}"), shown);
        let own = [("postgresql.query_id", id)];
        for (metric, column) in [
            (&names::STATEMENT_COUNT, 2),
            (&names::STATEMENT_TIME, 3),
            (&names::STATEMENT_MAX, 4),
            (&names::STATEMENT_ROWS, 5),
            (&names::STATEMENT_TEMP, 8),
        ] {
            look.value(entity, metric, &own, number(row, column));
        }
        for (source, column) in [("hit", 6), ("read", 7)] {
            let attributes = [
                ("postgresql.block.source", source),
                ("postgresql.query_id", id),
            ];
            let count = number(row, column);
            look.value(entity, &names::STATEMENT_BLOCKS, &attributes, count);
        }
    }
}

/// A short name for a text, the same at each look.
fn short_name(text: &str) -> String {
    use sha2::Digest;
    let hash = sha2::Sha256::digest(text.as_bytes());
    hash.iter()
        .take(6)
        .map(|byte| format!("{byte:02x}"))
        .collect()
}

impl Collector for PostgresDetails {
    fn about(&self) -> String {
        format!("postgresql details {}", self.connection.shown())
    }

    fn period(&self) -> Duration {
        SLOW_PERIOD
    }

    fn collect<'a>(&'a mut self, look: &'a mut Look) -> Pending<'a, ()> {
        Box::pin(self.look(look))
    }
}
