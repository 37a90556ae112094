//! MySQL and MariaDB: status, settings, what connections do, statements by their form.

pub(crate) mod connection;
mod tables;

use std::collections::HashMap;
use std::fmt::Write;
use std::sync::Arc;
use std::time::{Duration, Instant};

use plimsoll_stats::series::{Entity, EntityKind};
use plimsoll_text::Message;

use self::connection::{MysqlAddress, MysqlConnection};
pub(crate) use self::tables::SETTINGS;
use crate::captures::innodb_status::InnodbStatus;
use crate::captures::server_report::ServerReportCapture;
use crate::captures::slow_queries::SlowQueries;
use crate::collector::{Collector, Look, Pending, Trouble};
use crate::collectors::entities::host_of;
use crate::names::mysql as names;
use crate::remembered::Remembered;
use crate::rows::{Texts, number, text};
use crate::source::{Opened, Spec};
use crate::statement::{SqlDialect, digest_id, without_literals};

/// What is dear is asked for this often.
const SLOW_PERIOD: Duration = Duration::from_secs(5);
/// Settings change seldom.
const SETTINGS_PERIOD: Duration = Duration::from_secs(60);
/// States of connections that are told apart.
const MAX_STATES: usize = 20;

/// Opens a server by `host:port` or the path of its Unix socket.
pub(crate) fn open(spec: &Spec) -> Result<Opened, Trouble> {
    let address = MysqlAddress::of(spec)?;
    let port = address.authority.rsplit(':').next().unwrap_or("3306");
    let name = spec.options.get("name").cloned();
    let name = name.unwrap_or_else(|| format!("mysql:{port}"));
    let entity = Entity::new(
        EntityKind::Database,
        name,
        host_of(spec, &address.authority),
    );
    let connection = || MysqlConnection::new(address.clone());
    Ok(Opened {
        collectors: vec![
            Box::new(MysqlStatus {
                connection: connection(),
                entity: Arc::clone(&entity),
                query: status_query(),
            }),
            Box::new(Statements {
                connection: connection(),
                entity: Arc::clone(&entity),
                settings_at: None,
                digests: None,
                states: Remembered::new(MAX_STATES),
                seen: 0.0,
            }),
        ],
        captures: vec![
            ServerReportCapture::boxed(InnodbStatus::new(connection()), &entity),
            ServerReportCapture::boxed(SlowQueries::new(connection(), spec.level), &entity),
        ],
    })
}

/// `SHOW GLOBAL STATUS` of what is in the table only: there are hundreds of others.
fn status_query() -> String {
    let names = tables::STATUS.iter().map(|status| status.variable);
    format!(
        "SHOW GLOBAL STATUS WHERE Variable_name IN ({})",
        list(names)
    )
}

/// For tests: the variables that are asked for.
#[cfg(test)]
pub(crate) fn variables() -> impl Iterator<Item = &'static str> {
    tables::STATUS.iter().map(|status| status.variable)
}

/// Names of ours as a list of SQL.
fn list(names: impl Iterator<Item = &'static str>) -> String {
    let mut list = String::new();
    for name in names {
        let comma = if list.is_empty() { "" } else { "," };
        let _ = write!(list, "{comma}'{name}'");
    }
    list
}

/// Every second.
struct MysqlStatus {
    connection: MysqlConnection,
    entity: Arc<Entity>,
    query: String,
}

impl Collector for MysqlStatus {
    fn about(&self) -> String {
        format!("mysql {}", self.connection.shown())
    }

    fn collect<'a>(&'a mut self, look: &'a mut Look) -> Pending<'a, ()> {
        Box::pin(async move {
            let rows = self.connection.rows(&self.query).await?;
            tell_status(&rows, &self.entity, look);
            Ok(())
        })
    }
}

/// Says what rows of name and value hold.
pub(crate) fn tell_status(rows: &[Texts], entity: &Arc<Entity>, look: &mut Look) {
    let values: HashMap<String, f64> = rows
        .iter()
        .map(|row| (text(row, 0).to_ascii_lowercase(), number(row, 1)))
        .collect();
    for status in tables::STATUS {
        if let Some(value) = values.get(&status.variable.to_ascii_lowercase()) {
            let attributes = status.attribute.as_slice();
            look.value(entity, status.metric, attributes, value * status.scale);
        }
    }
}

/// What is dearer, and settings.
struct Statements {
    connection: MysqlConnection,
    entity: Arc<Entity>,
    settings_at: Option<Instant>,
    /// Whether the server keeps statements by their form.
    digests: Option<bool>,
    /// Commands and states that were seen, and how many connections were in the last look.
    states: Remembered<(String, String)>,
    seen: f64,
}

/// Statements by their form, of the last minute, those that cost most first. Our own are left
/// out.
const DIGESTS: &str = "\
SELECT DIGEST, SCHEMA_NAME, LEFT(DIGEST_TEXT, 1000), COUNT_STAR, SUM_TIMER_WAIT / 1e12, \
SUM_LOCK_TIME / 1e12, MAX_TIMER_WAIT / 1e12, SUM_ROWS_EXAMINED, SUM_ROWS_SENT, SUM_NO_INDEX_USED, \
SUM_ERRORS, SUM_CREATED_TMP_DISK_TABLES \
FROM performance_schema.events_statements_summary_by_digest \
WHERE LAST_SEEN >= NOW() - INTERVAL 60 SECOND AND DIGEST IS NOT NULL \
AND DIGEST_TEXT NOT LIKE '%`PROCESSLIST`%' \
AND DIGEST_TEXT NOT LIKE '%`performance_schema`%' AND DIGEST_TEXT NOT LIKE 'SHOW %' \
AND DIGEST_TEXT NOT LIKE 'EXPLAIN %' \
ORDER BY SUM_TIMER_WAIT DESC LIMIT 30";

const CONNECTED: &str = "SHOW GLOBAL STATUS LIKE 'Threads_connected'";
/// Fewer connections than this say nothing of what is hidden.
const LEAST_HIDDEN: f64 = 6.0;

const PROCESSES: &str = "\
SELECT COMMAND, STATE, COUNT(*) FROM information_schema.PROCESSLIST WHERE ID <> CONNECTION_ID() \
GROUP BY COMMAND, STATE ORDER BY COUNT(*) DESC";

impl Statements {
    async fn look(&mut self, look: &mut Look) -> Result<(), Trouble> {
        let due = |at: Instant| at.elapsed() >= SETTINGS_PERIOD;
        let is_due = self.settings_at.is_none_or(due);
        if is_due {
            self.settings(look).await?;
            self.settings_at = Some(Instant::now());
        }
        self.processes(look).await?;
        if is_due {
            self.rights(look).await?;
        }
        if self.digests == Some(true) {
            self.statements(look).await?;
        }
        Ok(())
    }

    async fn settings(&mut self, look: &mut Look) -> Result<(), Trouble> {
        let names = list(SETTINGS.iter().copied());
        let query = format!("SHOW GLOBAL VARIABLES WHERE Variable_name IN ({names})");
        self.digests = Some(false);
        for row in self.connection.rows(&query).await? {
            let (name, value) = (text(&row, 0), text(&row, 1));
            if name == "performance_schema" {
                self.digests = Some(value == "ON");
            }
            let value = plimsoll_secrets::value(name, value).into_owned();
            look.fact(&self.entity, format!("mysql.{name}"), value);
        }
        if self.digests == Some(false) {
            let message = Message::new("watch-mysql-no-digests");
            look.missing(
                &self.entity,
                message.with("address", self.connection.shown()),
            );
        }
        Ok(())
    }

    async fn processes(&mut self, look: &mut Look) -> Result<(), Trouble> {
        let rows = self.connection.rows(PROCESSES).await?;
        let seen = rows.iter().map(|row| {
            let state = (text(row, 0).to_owned(), text(row, 1).to_owned());
            (state, number(row, 2))
        });
        for ((command, state), count) in self.states.told(seen) {
            let attributes = [
                ("mysql.thread.command", command.as_str()),
                ("mysql.thread.state", state.as_str()),
            ];
            let count = count.unwrap_or(0.0);
            look.value(&self.entity, &names::PROCESSES, &attributes, count);
        }
        self.seen = rows.iter().map(|row| number(row, 2)).sum();
        Ok(())
    }

    /// Without the right PROCESS a server shows a user its own connections alone, and says nothing of it.
    async fn rights(&mut self, look: &mut Look) -> Result<(), Trouble> {
        let rows = self.connection.rows(CONNECTED).await?;
        let connected = rows.first().map_or(0.0, |row| number(row, 1));
        // Some come and go between both looks.
        if connected >= LEAST_HIDDEN && self.seen + 1.0 < connected / 2.0 {
            let message = Message::new("watch-mysql-no-process");
            let message = message.with("address", self.connection.shown());
            look.missing(&self.entity, message);
        }
        Ok(())
    }

    async fn statements(&mut self, look: &mut Look) -> Result<(), Trouble> {
        let rows = match self.connection.rows_if_allowed(DIGESTS).await? {
            Ok(rows) => rows,
            Err(reason) => {
                let message = Message::new("watch-mysql-digests-denied").with("reason", reason);
                look.missing(&self.entity, message);
                return Ok(());
            }
        };
        tell_statements(&rows, &self.entity, look);
        Ok(())
    }
}

/// Says what rows of [`DIGESTS`] hold.
pub(crate) fn tell_statements(rows: &[Texts], entity: &Arc<Entity>, look: &mut Look) {
    for row in rows {
        let id = digest_id(text(row, 0), text(row, 1));
        let shown = without_literals(text(row, 2), SqlDialect::MySql);
        look.fact(entity, format!("mysql.digest.{id}"), shown);
        let attributes = [("mysql.digest", id.as_str())];
        let values = [
            (&names::DIGEST_COUNT, 3),
            (&names::DIGEST_TIME, 4),
            (&names::DIGEST_LOCK_TIME, 5),
            (&names::DIGEST_MAX, 6),
            (&names::DIGEST_EXAMINED, 7),
            (&names::DIGEST_SENT, 8),
            (&names::DIGEST_NO_INDEX, 9),
            (&names::DIGEST_ERRORS, 10),
            (&names::DIGEST_TMP_DISK, 11),
        ];
        for (metric, column) in values {
            look.value(entity, metric, &attributes, number(row, column));
        }
    }
}

impl Collector for Statements {
    fn about(&self) -> String {
        format!("mysql statements {}", self.connection.shown())
    }

    fn period(&self) -> Duration {
        SLOW_PERIOD
    }

    fn collect<'a>(&'a mut self, look: &'a mut Look) -> Pending<'a, ()> {
        Box::pin(self.look(look))
    }
}
