//! PgBouncer, by its console: pools with their clients and servers, what was sent through, settings.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::{Duration, Instant};

use plimsoll_stats::series::{Entity, EntityKind};

use crate::collector::{Collector, Look, Pending, Trouble};
use crate::collectors::entities::host_of;
use crate::names::{SeriesName, pgbouncer as names, pool};
use crate::pg::{NamedRow, PgAddress, PgConnection, PgKind};
use crate::source::{Opened, Spec};

/// Settings change seldom.
const SETTINGS_PERIOD: Duration = Duration::from_secs(60);
/// Pools that are looked at, those first at which clients wait.
const MAX_POOLS: usize = 50;
const POOL: &str = "db.client.connection.pool.name";

/// The console takes no settings of a connection, and simple queries alone.
const KIND: PgKind = PgKind {
    port: 6432,
    user: "pgbouncer",
    database: "pgbouncer",
    settings: &[],
    denied: "watch-pgbouncer-denied",
};

/// Settings that are facts.
const SETTINGS: &[&str] = &[
    "pool_mode",
    "default_pool_size",
    "min_pool_size",
    "reserve_pool_size",
    "reserve_pool_timeout",
    "max_client_conn",
    "max_db_connections",
    "max_user_connections",
    "query_wait_timeout",
    "server_idle_timeout",
    "server_lifetime",
    "listen_backlog",
    "so_reuseport",
];

/// Opens a PgBouncer by `host:port` or the path of its Unix socket.
pub(crate) fn open(spec: &Spec) -> Result<Opened, Trouble> {
    let address = PgAddress::of(spec, KIND)?;
    let port = address.authority.rsplit(':').next().unwrap_or("6432");
    let name = spec.options.get("name").cloned();
    let name = name.unwrap_or_else(|| format!("pgbouncer:{port}"));
    let host = host_of(spec, &address.authority);
    Ok(Opened {
        collectors: vec![Box::new(PgBouncer {
            connection: PgConnection::new(address),
            entity: Entity::new(EntityKind::Pool, name, host),
            settings_at: None,
            sizes: BTreeMap::new(),
        })],
        captures: Vec::new(),
    })
}

struct PgBouncer {
    connection: PgConnection,
    entity: Arc<Entity>,
    settings_at: Option<Instant>,
    /// The size of each pool of a database.
    sizes: BTreeMap<String, f64>,
}

impl PgBouncer {
    async fn look(&mut self, look: &mut Look) -> Result<(), Trouble> {
        let due = |at: Instant| at.elapsed() >= SETTINGS_PERIOD;
        if self.settings_at.is_none_or(due) {
            self.settings(look).await?;
            self.settings_at = Some(Instant::now());
        }
        let mut pools = self.connection.named_rows("SHOW POOLS").await?;
        pools.retain(|row| text(row, "database") != "pgbouncer");
        // A database may be new to it.
        let known = |row: &NamedRow| self.sizes.contains_key(text(row, "database"));
        if !pools.iter().all(known) {
            self.sizes().await?;
        }
        tell_pools(&pools, &self.sizes, &self.entity, look);
        let rows = self.connection.named_rows("SHOW STATS").await?;
        for row in rows.iter().take(MAX_POOLS) {
            let database = text(row, "database");
            if database != "pgbouncer" {
                tell_sums(row, database, &self.entity, look);
            }
        }
        Ok(())
    }

    async fn sizes(&mut self) -> Result<(), Trouble> {
        let rows = self.connection.named_rows("SHOW DATABASES").await?;
        let size = |row: &NamedRow| (text(row, "name").to_owned(), number(row, "pool_size"));
        self.sizes = rows.iter().map(size).collect();
        Ok(())
    }

    async fn settings(&mut self, look: &mut Look) -> Result<(), Trouble> {
        self.sizes().await?;
        for row in self.connection.named_rows("SHOW CONFIG").await? {
            let (name, value) = (text(&row, "key"), text(&row, "value"));
            if SETTINGS.contains(&name) {
                look.fact(&self.entity, format!("pgbouncer.{name}"), value);
            }
            if name == "max_client_conn" {
                let limit = value.parse().unwrap_or(f64::NAN);
                look.value(&self.entity, &names::CLIENT_LIMIT, &[], limit);
            }
        }
        let version = self.connection.named_rows("SHOW VERSION").await?;
        if let Some(version) = version.first() {
            look.fact(&self.entity, "pgbouncer.version", text(version, "version"));
        }
        Ok(())
    }
}

/// Says what rows of `SHOW POOLS` hold; `sizes` are those of a database's pools.
pub(crate) fn tell_pools(
    rows: &[NamedRow],
    sizes: &BTreeMap<String, f64>,
    entity: &Arc<Entity>,
    look: &mut Look,
) {
    let mut rows: Vec<&NamedRow> = rows.iter().collect();
    rows.sort_by(|a, b| number(b, "cl_waiting").total_cmp(&number(a, "cl_waiting")));
    for row in rows.into_iter().take(MAX_POOLS) {
        let (database, user) = (text(row, "database"), text(row, "user"));
        let name = match user {
            "" => database.to_owned(),
            user => format!("{database}/{user}"),
        };
        let own = [(POOL, name.as_str())];
        let of = |column: &str| number(row, column);
        let sum = |columns: &[&str]| {
            columns
                .iter()
                .map(|name| of(name))
                .filter(|n| !n.is_nan())
                .sum()
        };
        let used: f64 = sum(&["sv_active", "sv_tested", "sv_login"]);
        let idle: f64 = sum(&["sv_idle", "sv_used"]);
        for (state, count) in [("idle", idle), ("used", used)] {
            let attributes = [own[0], ("db.client.connection.state", state)];
            look.value(entity, &pool::CONNECTIONS, &attributes, count);
        }
        look.value(entity, &pool::PENDING, &own, of("cl_waiting"));
        if let Some(size) = sizes.get(database) {
            look.value(entity, &pool::MAX, &own, *size);
        }
        for (state, metric, column) in [
            ("active", &names::CLIENTS, "cl_active"),
            ("waiting", &names::CLIENTS, "cl_waiting"),
            ("active", &names::SERVERS, "sv_active"),
            ("idle", &names::SERVERS, "sv_idle"),
            ("login", &names::SERVERS, "sv_login"),
            ("tested", &names::SERVERS, "sv_tested"),
            ("used", &names::SERVERS, "sv_used"),
        ] {
            let attributes = [own[0], ("pgbouncer.state", state)];
            look.value(entity, metric, &attributes, of(column));
        }
        let micros = row.get("maxwait_us").map_or(0.0, |_| of("maxwait_us"));
        look.value(
            entity,
            &names::OLDEST_WAIT,
            &own,
            of("maxwait") + micros / 1e6,
        );
        if let Some(mode) = row.get("pool_mode") {
            look.fact(entity, format!("pgbouncer.pool_mode.{name}"), mode.as_str());
        }
    }
}

/// Sums of a database, and our unit in theirs.
const SUMS: &[(&str, &SeriesName, f64)] = &[
    ("total_xact_count", &names::TRANSACTIONS, 1.0),
    ("total_query_count", &names::QUERIES, 1.0),
    ("total_xact_time", &names::TRANSACTION_TIME, 1e-6),
    ("total_query_time", &names::QUERY_TIME, 1e-6),
    ("total_wait_time", &names::WAIT_TIME, 1e-6),
];

fn tell_sums(row: &NamedRow, database: &str, entity: &Arc<Entity>, look: &mut Look) {
    let own = [("db.namespace", database)];
    for (column, metric, scale) in SUMS {
        look.value(entity, metric, &own, number(row, column) * scale);
    }
    for (column, direction) in [("total_received", "receive"), ("total_sent", "transmit")] {
        let attributes = [own[0], ("network.io.direction", direction)];
        look.value(entity, &names::CLIENT_IO, &attributes, number(row, column));
    }
}

fn text<'a>(row: &'a NamedRow, column: &str) -> &'a str {
    row.get(column).map_or("", String::as_str)
}

fn number(row: &NamedRow, column: &str) -> f64 {
    text(row, column).parse().unwrap_or(f64::NAN)
}

impl Collector for PgBouncer {
    fn about(&self) -> String {
        format!("pgbouncer {}", self.connection.shown())
    }

    fn collect<'a>(&'a mut self, look: &'a mut Look) -> Pending<'a, ()> {
        Box::pin(self.look(look))
    }
}
