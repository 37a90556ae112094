//! What is asked every second: connections by what they do, sums of all databases.

use std::sync::Arc;

use plimsoll_stats::series::Entity;

use crate::collector::{Collector, Look, Pending, Trouble};
use crate::names::SeriesName;
use crate::names::postgresql as names;
use crate::pg::PgConnection;
use crate::remembered::Remembered;
use crate::rows::{Texts, number, text};

/// States of connections that are told apart.
const MAX_STATES: usize = 40;

const ACTIVITY: &str = "\
SELECT coalesce(state, ''), coalesce(wait_event_type, 'none'), coalesce(wait_event, 'none'), count(*), \
max(extract(epoch FROM clock_timestamp() - xact_start)) \
FROM pg_stat_activity WHERE (backend_type = 'client backend' OR backend_type IS NULL AND datid IS NOT NULL \
AND usesysid IS NOT NULL) AND pid <> pg_backend_pid() \
GROUP BY 1, 2, 3 ORDER BY 4 DESC";

const DATABASES: &str = "\
SELECT sum(xact_commit), sum(xact_rollback), sum(tup_returned), sum(tup_fetched), \
sum(tup_inserted), sum(tup_updated), sum(tup_deleted), sum(blks_hit), sum(blks_read), \
sum(blk_read_time) / 1e3, sum(blk_write_time) / 1e3, sum(temp_files), sum(temp_bytes), \
sum(deadlocks), current_setting('max_connections') FROM pg_stat_database";

/// Series of the columns of [`DATABASES`], each with its attribute.
const COLUMNS: &[(&SeriesName, Option<(&str, &str)>)] = &[
    (&names::COMMITS, None),
    (&names::ROLLBACKS, None),
    (&names::ROWS, Some(("postgresql.row.operation", "returned"))),
    (&names::ROWS, Some(("postgresql.row.operation", "fetched"))),
    (&names::ROWS, Some(("postgresql.row.operation", "inserted"))),
    (&names::ROWS, Some(("postgresql.row.operation", "updated"))),
    (&names::ROWS, Some(("postgresql.row.operation", "deleted"))),
    (&names::BLOCKS, Some(("postgresql.block.source", "hit"))),
    (&names::BLOCKS, Some(("postgresql.block.source", "read"))),
    (&names::BLOCK_TIME, Some(("disk.io.direction", "read"))),
    (&names::BLOCK_TIME, Some(("disk.io.direction", "write"))),
    (&names::TEMP_FILES, None),
    (&names::TEMP_IO, None),
    (&names::DEADLOCKS, None),
    (&names::CONNECTION_MAX, None),
];

/// Looks every second.
pub(super) struct PostgresStatus {
    connection: PgConnection,
    entity: Arc<Entity>,
    /// State, type and event of a wait.
    states: Remembered<[String; 3]>,
}

impl PostgresStatus {
    pub(super) fn new(connection: PgConnection, entity: Arc<Entity>) -> Self {
        Self {
            connection,
            entity,
            states: Remembered::new(MAX_STATES),
        }
    }

    async fn look(&mut self, look: &mut Look) -> Result<(), Trouble> {
        let rows = self.connection.rows(ACTIVITY).await?;
        self.activity(&rows, look);
        for row in self.connection.rows(DATABASES).await? {
            for (column, (metric, attribute)) in COLUMNS.iter().enumerate() {
                let value = number(&row, column);
                look.value(&self.entity, metric, attribute.as_slice(), value);
            }
        }
        Ok(())
    }

    fn activity(&mut self, rows: &[Texts], look: &mut Look) {
        let seen = rows.iter().map(|row| {
            let state = [0, 1, 2].map(|column| text(row, column).to_owned());
            (state, number(row, 3))
        });
        for ([state, kind, event], count) in self.states.told(seen) {
            let attributes = [
                ("postgresql.state", state.as_str()),
                ("postgresql.wait_event", event.as_str()),
                ("postgresql.wait_event_type", kind.as_str()),
            ];
            let count = count.unwrap_or(0.0);
            look.value(&self.entity, &names::BACKENDS, &attributes, count);
        }
        let (mut all, mut oldest) = (0.0, 0.0_f64);
        for row in rows {
            all += number(row, 3);
            oldest = oldest.max(number(row, 4));
        }
        look.value(&self.entity, &names::CONNECTIONS, &[], all);
        look.value(&self.entity, &names::OLDEST, &[], oldest);
    }
}

impl Collector for PostgresStatus {
    fn about(&self) -> String {
        format!("postgresql {}", self.connection.shown())
    }

    fn collect<'a>(&'a mut self, look: &'a mut Look) -> Pending<'a, ()> {
        Box::pin(self.look(look))
    }
}
