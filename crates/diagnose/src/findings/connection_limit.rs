//! Limits of stores and proxies on how many may be connected, reached: more connections of whoever calls them
//! would be refused.

use std::sync::Arc;

use plimsoll_stats::names::{self, SeriesName, attributes, facts};
use plimsoll_stats::series::{Entity, EntityKind};
use plimsoll_text::Message;

use super::Rule;
use crate::about::{object, seen_by_client};
use crate::evidence::{Refusal, UnseenSource};
use crate::model::{Advice, Exhibit, Explains, Finding, Layer, ShareOf};
use crate::processes::listens_at;
use crate::scene::Scene;
use crate::unwatched::during;

pub const ID: &str = "connection_limit";
pub const RULE: Rule = Rule {
    ids: &[ID],
    refuted_by: "a number of connections below the limit, and a login that is taken",
    look,
};

const SOURCE: &str = "USE method, Gregg 2012; PostgreSQL, MySQL: max_connections; Redis: maxclients; PgBouncer: max_client_conn; HAProxy: maxconn";
/// Connections that PostgreSQL keeps for superusers, as it comes (`superuser_reserved_connections`).
const POSTGRESQL_RESERVED: f64 = 3.0;
/// A limit is reached from this share on.
const REACHED: f64 = 0.97;

/// How many may be connected to a thing, and how many were at most.
pub(super) struct ConnectionLimit {
    pub limit: f64,
    /// Of these, those that are kept for others than its clients.
    kept: f64,
    pub peak: f64,
    /// Connections that were refused, where that is counted.
    refused: f64,
    setting: &'static str,
    series: SeriesName,
}

impl ConnectionLimit {
    /// Whether no more fit.
    pub fn is_reached(&self) -> bool {
        let usable = self.limit - self.kept;
        self.limit > 0.0 && (self.peak >= REACHED * usable || self.refused >= 1.0)
    }

    /// How many more fit.
    pub fn room(&self) -> f64 {
        match self.is_reached() {
            true => 0.0,
            false => (self.limit - self.kept - self.peak).max(0.0),
        }
    }
}

fn look(scene: &Scene<'_>) -> Vec<Finding> {
    let kinds = [
        EntityKind::Database,
        EntityKind::Cache,
        EntityKind::Proxy,
        EntityKind::Pool,
    ];
    let reached = kinds.into_iter().flat_map(|kind| reached(scene, kind));
    let reached: Vec<_> = reached.collect();
    let is_counted = |source: &&UnseenSource| {
        let end = format!(":{}", source.port());
        reached.iter().any(|(thing, _)| thing.name.ends_with(&end))
    };
    let (counted, uncounted): (Vec<_>, Vec<_>) = refused(scene).into_iter().partition(is_counted);
    let counted_by = |thing: &Entity| {
        let mut all = counted.iter();
        all.find(|source| thing.name.ends_with(&format!(":{}", source.port())))
            .map(|source| own_login(source))
    };
    let told = reached
        .iter()
        .map(|(thing, limit)| finding(scene, thing, limit).shows_all(counted_by(thing)));
    let met = uncounted.into_iter().map(|source| met(scene, source));
    told.chain(met).collect()
}

/// Servers that took no more connections when the watcher came, each once.
fn refused<'a>(scene: &Scene<'a>) -> Vec<&'a UnseenSource> {
    let all = scene.evidence().unseen.iter();
    let full = all.filter(|source| source.refusal() == Refusal::Full);
    let mut found: Vec<&UnseenSource> = Vec::new();
    for source in full.filter(|source| source.is_in(scene.window_ms())) {
        let same = |known: &&UnseenSource| known.address() == source.address();
        if !found.iter().any(same) {
            found.push(source);
        }
    }
    found
}

/// The watcher's own login is one of those that were refused.
fn own_login(source: &UnseenSource) -> Exhibit {
    let text = Message::new("exhibit-own-login-refused").with("reason", source.reason());
    Exhibit::new(during(source, text))
}

/// A server that nobody could look into, since it takes no more connections: it says so itself.
fn met(scene: &Scene<'_>, source: &UnseenSource) -> Finding {
    let setting = match source.kind() {
        "redis" => "maxclients",
        "pgbouncer" => "max_client_conn",
        _ => "max_connections",
    };
    let processes = scene.things(EntityKind::Process);
    let mut listening = processes
        .iter()
        .filter(|process| listens_at(scene, process, source.port()));
    let about = match listening.next() {
        Some(process) => object("connection_limit", process.name.as_str(), process),
        None => seen_by_client("connection_limit", source.address()),
    };
    let (layer, explains) = explained(scene);
    let finding = Finding::new(ID, layer, about, explains)
        .with("limit", "unknown")
        .shows(own_login(source))
        .advises(Advice {
            setting: Some(setting.to_owned()),
            ..Advice::code(Message::new("advice-connection-limit"))
        });
    Finding {
        confidence: 0.95,
        source: SOURCE,
        ..finding
    }
}

/// What refused connections cost: requests that fail, or wait for a connection in pools of their clients.
fn explained(scene: &Scene<'_>) -> (Layer, Explains) {
    let failed = scene.failed_enough();
    let pending = scene.series(names::pool::PENDING).mean().unwrap_or(0.0);
    let waiting = (pending / scene.in_flight().max(1e-9)).min(1.0);
    let explains = match failed {
        true => Explains::new(0.85, ShareOf::Errors),
        false => Explains::new(waiting, ShareOf::ResponseTime),
    };
    (Layer::cause_if(failed || waiting > 0.0), explains)
}

/// The limit of a database, cache or proxy, if it tells of one.
pub(super) fn of(scene: &Scene<'_>, thing: &Entity) -> Option<ConnectionLimit> {
    let peak = |name: SeriesName| scene.of(thing, name).peak();
    let last = |name: SeriesName| scene.of(thing, name).last();
    let counted = |name: SeriesName| scene.of(thing, name).counted().unwrap_or(0.0);
    if let Some(limit) = last(names::postgresql::CONNECTION_MAX) {
        let reserved = number(scene, thing, "postgresql.superuser_reserved_connections");
        return Some(ConnectionLimit {
            limit,
            // The watcher's own connection is none of those that are counted.
            kept: reserved.unwrap_or(POSTGRESQL_RESERVED) + 1.0,
            peak: peak(names::postgresql::CONNECTIONS)?,
            refused: 0.0,
            setting: "max_connections",
            series: names::postgresql::CONNECTIONS,
        });
    }
    if let Some(limit) = number(scene, thing, facts::MYSQL_MAX_CONNECTIONS) {
        let connected = scene.of(thing, names::mysql::THREADS);
        let connected = connected.with(attributes::MYSQL_THREAD_KIND, "connected");
        let refused = scene.of(thing, names::mysql::CONNECTION_ERRORS);
        let refused = refused.with(attributes::MYSQL_CONNECTION_ERROR, "max_connections");
        return Some(ConnectionLimit {
            limit,
            kept: 0.0,
            peak: connected.peak()?,
            refused: refused.counted().unwrap_or(0.0),
            setting: "max_connections",
            series: names::mysql::THREADS,
        });
    }
    if let Some(limit) = number(scene, thing, facts::REDIS_MAXCLIENTS) {
        return Some(ConnectionLimit {
            limit,
            kept: 0.0,
            peak: peak(names::redis::CLIENTS)?,
            refused: counted(names::redis::REJECTED),
            setting: "maxclients",
            series: names::redis::CLIENTS,
        });
    }
    if let Some(limit) = last(names::pgbouncer::CLIENT_LIMIT) {
        return Some(ConnectionLimit {
            limit,
            kept: 0.0,
            peak: peak(names::pgbouncer::CLIENTS)?,
            refused: 0.0,
            setting: "max_client_conn",
            series: names::pgbouncer::CLIENTS,
        });
    }
    let limit = last(names::haproxy::CONNECTIONS_LIMIT)?;
    Some(ConnectionLimit {
        limit,
        kept: 0.0,
        peak: peak(names::haproxy::CONNECTIONS)?,
        refused: 0.0,
        setting: "maxconn",
        series: names::haproxy::CONNECTIONS,
    })
}

fn number(scene: &Scene<'_>, thing: &Entity, fact: &str) -> Option<f64> {
    scene.fact(thing, fact)?.parse().ok()
}

/// The things of a kind whose limit was reached.
pub(super) fn reached(
    scene: &Scene<'_>,
    kind: EntityKind,
) -> impl Iterator<Item = (Arc<Entity>, ConnectionLimit)> {
    let things = scene.things(kind).into_iter();
    things.filter_map(|thing| {
        let limit = of(scene, &thing).filter(ConnectionLimit::is_reached)?;
        Some((thing, limit))
    })
}

fn finding(scene: &Scene<'_>, thing: &Entity, limit: &ConnectionLimit) -> Finding {
    let (layer, explains) = explained(scene);
    let text = Message::new("exhibit-connection-limit")
        .with("peak", limit.peak.round())
        .with("limit", limit.limit)
        .with("refused", limit.refused.round());
    let about = object("connection_limit", thing.name.as_str(), thing);
    let finding = Finding::new(ID, layer, about, explains)
        .with("limit", limit.limit)
        .shows(Exhibit::new(text).series(limit.series))
        .advises(Advice::setting(
            limit.setting,
            Some(limit.limit.to_string()),
            (limit.limit * 2.0).to_string(),
            Message::new("advice-connection-limit"),
        ));
    Finding {
        confidence: if limit.refused >= 1.0 { 0.95 } else { 0.85 },
        source: SOURCE,
        ..finding
    }
}
