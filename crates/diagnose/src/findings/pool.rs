//! Pools of connections: requests that wait for one, while what is behind them has room.

use std::sync::Arc;

use plimsoll_stats::names::{self, SeriesName, attributes};
use plimsoll_stats::series::{Entity, EntityKind};
use plimsoll_text::Message;

use super::connection_limit::ConnectionLimit;
use super::database::held_up;
use super::support::{full_cpu_of, full_database, full_exhibit, mean_ms, with_example};
use super::{Rule, below, connection_limit};
use crate::about::object;
use crate::account::in_flight_at;
use crate::cpu::{CpuUse, of_processes};
use crate::figures::{percent, tenths};
use crate::model::{Advice, Exhibit, Explains, Finding, Layer, ShareOf};
use crate::processes::{is_database, process_of, stacks_of};
use crate::scene::{Scene, SeriesQuery};
use crate::stacks::{Peer, SeenThread, StackPlace, Stacks, own_frame};

pub const RULE: Rule = Rule {
    ids: &["connection_pool", "outgoing_pool", "connection_leak"],
    refuted_by: "connections that are free while threads wait, or holders that wait for a place that is full",
    look,
};

/// A pool is exhausted from this share on.
const FULL: f64 = 0.85;
/// A pool that can grow by less than this of itself is held by the limit behind it.
const LEAST_MORE: f64 = 0.1;
/// So much of the requests must wait for a connection.
const SHARE_WAITING_FOR_CONNECTION: f64 = 0.2;

fn look(scene: &Scene<'_>) -> Vec<Finding> {
    let mut found = Vec::new();
    for stacks in scene.stacks().iter().flat_map(Stacks::with_tasks) {
        found.extend(outgoing(scene, stacks));
    }
    let pools = metered(scene);
    if pools.is_empty() {
        found.extend(
            scene
                .stacks()
                .iter()
                .flat_map(Stacks::with_tasks)
                .filter_map(|stacks| unmetered(scene, stacks)),
        );
    }
    found.extend(pools);
    found
}

/// Pools that tell of themselves. The same pool seen by two sources is found twice, under two
/// things: the first is kept.
fn metered(scene: &Scene<'_>) -> Vec<Finding> {
    let mut found: Vec<(Option<Entity>, Finding)> = Vec::new();
    for thing in scene.things(EntityKind::Pool) {
        let max = scene.of(&thing, names::pool::MAX);
        let process = process_of(scene, &thing);
        for (name, max) in max.by(attributes::DB_CLIENT_CONNECTION_POOL_NAME) {
            // Services call their pools alike: it is the same one only in the same process.
            let is_same = |(of, known): &(Option<Entity>, Finding)| {
                let apart = of.is_some() && process.is_some() && *of != process;
                known.object.name == name && !apart
            };
            if !found.iter().any(is_same)
                && let Some(limit) = max.last()
                && let Some(finding) = pool(scene, &thing, &name, limit)
            {
                found.push((process.clone(), finding));
            }
        }
    }
    found.into_iter().map(|(_, finding)| finding).collect()
}

fn pool(scene: &Scene<'_>, thing: &Entity, name: &str, limit: f64) -> Option<Finding> {
    let used = of_pool(scene, thing, name, names::pool::CONNECTIONS)
        .with(attributes::DB_CLIENT_CONNECTION_STATE, "used")
        .mean()?;
    let pending = of_pool(scene, thing, name, names::pool::PENDING).mean()?;
    let process = process_of(scene, thing);
    let waiting = pending / in_flight_at(scene, process.as_ref()).max(1e-9);
    if used < FULL * limit || waiting < SHARE_WAITING_FOR_CONNECTION {
        return None;
    }
    let stacks = process
        .as_ref()
        .and_then(|process| stacks_of(scene, process));
    let text = in_use((used, limit, pending), waiting);
    if let Some(stacks) = stacks.filter(|stacks| held_by_nobody(stacks, used)) {
        return Some(leak(thing, name, stacks, text, (used, waiting)));
    }
    let full = full_below(scene, process.as_ref());
    let explains = Explains::new(waiting.min(1.0), ShareOf::ResponseTime);
    let layer = Layer::cause_if(full.is_none() && !held_up(scene));
    let about = object("connection_pool", name, thing);
    let demand = scene.demand_exhibit(&about);
    let finding = Finding::new("connection_pool", layer, about, explains)
        .with("room", room(scene))
        .shows(Exhibit::new(text).series(names::pool::PENDING))
        .shows_all(times(scene, thing, name))
        .shows_all(full.as_ref().map(full_exhibit))
        .shows_all(demand);
    Some(Finding {
        confidence: 0.95,
        source: "Little's law; HikariCP, About Pool Sizing; field case F19",
        ..advise(scene, thing, finding, stacks, limit, used + pending)
    })
}

/// How many connections are in use, of how many, and how many requests wait for one.
fn in_use((used, limit, pending): (f64, f64, f64), waiting: f64) -> Message {
    Message::new("exhibit-pool")
        .with("used", tenths(used))
        .with("limit", limit)
        .with("pending", tenths(pending))
        .with("percent", percent(waiting))
}

/// Whether the database was seen to have room: only then more connections to it are of use.
fn room(scene: &Scene<'_>) -> &'static str {
    let processes = of_processes(scene).into_iter();
    let mut databases = processes.filter(|cpu| is_database(&cpu.process.name));
    match databases.next() {
        Some(first) if !first.is_full() && databases.all(|cpu| !cpu.is_full()) => "seen",
        Some(_) => "none",
        None => "unknown",
    }
}

/// So few of the connections that are out are with a thread that does anything.
const HELD: f64 = 0.3;

/// Whether connections are out and no thread is at work that could have one.
fn held_by_nobody(stacks: &Stacks, used: f64) -> bool {
    let at_work = stacks.threads.iter().filter(|seen| {
        let waits = matches!(seen.place, StackPlace::DatabasePool | StackPlace::Idle);
        !waits && own_frame(&seen.thread).is_some()
    });
    used >= 2.0 && stacks.per_dump(at_work.count()) < HELD * used
}

/// Connections that were taken and never given back.
fn leak(
    thing: &Entity,
    name: &str,
    stacks: &Stacks,
    text: Message,
    (used, waiting): (f64, f64),
) -> Finding {
    let idle = Message::new("exhibit-held-by-nobody").with("used", tenths(used));
    let waits = |seen: &SeenThread| seen.place == StackPlace::DatabasePool;
    let explains = Explains::new(waiting.min(1.0), ShareOf::ResponseTime);
    let about = object("connection_pool", name, thing);
    let finding = Finding::new("connection_leak", Layer::Cause, about, explains)
        .with("used", tenths(used))
        .shows(Exhibit::new(text).series(names::pool::CONNECTIONS))
        .shows(with_example(Exhibit::new(idle), stacks, waits))
        .advises(Advice::code(Message::new("advice-connection-leak")));
    Finding {
        confidence: 0.9,
        source: "HikariCP, leakDetectionThreshold; Little's law over thread dumps",
        ..finding
    }
}

/// A series of one pool.
fn of_pool<'a>(
    scene: &Scene<'a>,
    thing: &Entity,
    name: &str,
    series: SeriesName,
) -> SeriesQuery<'a> {
    let all = scene.of(thing, series);
    all.with(attributes::DB_CLIENT_CONNECTION_POOL_NAME, name)
}

/// How long a connection is used and waited for, where both are told.
fn times(scene: &Scene<'_>, thing: &Entity, name: &str) -> Option<Exhibit> {
    let mean_ms = |sum, count| mean_ms(|part| of_pool(scene, thing, name, part), (sum, count));
    let text = Message::new("exhibit-pool-times")
        .with(
            "use",
            tenths(mean_ms(names::pool::USE_TIME, names::pool::USE_COUNT)?),
        )
        .with(
            "wait",
            tenths(mean_ms(names::pool::WAIT_TIME, names::pool::WAIT_COUNT)?),
        );
    Some(Exhibit::new(text).series(names::pool::USE_TIME))
}

/// Holding a connection over a call to others comes first; then as many connections as are wanted.
fn advise(
    scene: &Scene<'_>,
    thing: &Entity,
    mut finding: Finding,
    stacks: Option<&Stacks>,
    limit: f64,
    wanted: f64,
) -> Finding {
    if let Some(stacks) = stacks {
        let elsewhere = |seen: &SeenThread| {
            matches!(
                seen.place,
                StackPlace::Peer(Peer::Service | Peer::Cache) | StackPlace::Sleep
            )
        };
        // Who waits for a connection holds none; of the others, most should be at the database.
        let without = 1.0 - stacks.at(StackPlace::DatabasePool);
        if stacks.share(elsewhere) > 0.5 * without.max(0.05) {
            let code = stacks.code(elsewhere).unwrap_or_default();
            let text = Message::new("exhibit-held-over-call").with("code", code.as_str());
            let exhibit = with_example(Exhibit::new(text), stacks, elsewhere);
            let why = Message::new("advice-connection-held").with("code", code);
            finding = finding.shows(exhibit).advises(Advice::code(why));
        }
    }
    let room = room_behind(scene);
    if let Some((_, of, store)) = room
        .as_ref()
        .filter(|(room, ..)| *room < LEAST_MORE * limit)
    {
        let why = Message::new("advice-connection-pool-limit")
            .with("name", store.name.as_str())
            .with("limit", of.limit);
        return finding.advises(Advice::code(why));
    }
    let most = room.map_or(f64::INFINITY, |(room, ..)| limit + room);
    let why = Message::new("advice-connection-pool").with("wanted", wanted.ceil());
    finding.advises(Advice::setting(
        size_setting(scene, thing),
        Some(limit.to_string()),
        wanted.ceil().max(limit * 2.0).min(most).to_string(),
        why,
    ))
}

/// How many more connections the database takes that has the least room, for each of all pools; none where no database
/// tells of its limit.
fn room_behind(scene: &Scene<'_>) -> Option<(f64, ConnectionLimit, Arc<Entity>)> {
    let stores = scene.things(EntityKind::Database).into_iter();
    let limits = stores.filter_map(|store| Some((connection_limit::of(scene, &store)?, store)));
    let (limit, store) = limits.min_by(|a, b| a.0.room().total_cmp(&b.0.room()))?;
    #[expect(clippy::cast_precision_loss, reason = "a few pools")]
    let pools = scene.things(EntityKind::Pool).len().max(1) as f64;
    Some(((limit.room() / pools).floor(), limit, store))
}

/// What the pool's size is called where it is set: a pooler that tells its settings has its own.
fn size_setting<'a>(scene: &Scene<'a>, thing: &Entity) -> &'a str {
    const POOLER: &str = "default_pool_size";
    if scene.facts_ending(POOLER).any(|(of, ..)| of == thing) {
        return POOLER;
    }
    let setting = scene.facts_ending("hikari.maximum-pool-size").next();
    setting.map_or(
        "spring.datasource.hikari.maximum-pool-size",
        |(_, name, _)| name,
    )
}

/// Threads in a pool of database connections that tells nothing of itself.
fn unmetered(scene: &Scene<'_>, stacks: &Stacks) -> Option<Finding> {
    let waits = |seen: &SeenThread| seen.place == StackPlace::DatabasePool;
    let process = process_of(scene, &stacks.jvm);
    let layer = Layer::cause_if(full_below(scene, process.as_ref()).is_none() && !held_up(scene));
    let finding = by_stacks(stacks, waits, ("connection_pool", layer))?;
    let why = Message::new("advice-connection-pool").with("wanted", stacks.busy().ceil());
    Some(finding.advises(Advice::code(why)))
}

/// Threads that wait for a connection of a client's pool.
fn outgoing(scene: &Scene<'_>, stacks: &Stacks) -> Option<Finding> {
    let waits = |seen: &SeenThread| seen.place == StackPlace::ClientPool;
    let full_below = below::full_cpu(scene, stacks);
    let layer = Layer::cause_if(full_below.is_none() && full_cpu_of(scene, &stacks.jvm).is_none());
    let finding = by_stacks(stacks, waits, ("outgoing_pool", layer))?;
    let why = Message::new("advice-outgoing-pool").with("wanted", stacks.busy().ceil());
    Some(Finding {
        behind: below::is_locked(scene, stacks),
        ..finding
            .shows_all(full_below.as_ref().map(full_exhibit))
            .advises(Advice::code(why))
    })
}

fn by_stacks(
    stacks: &Stacks,
    waits: impl Fn(&SeenThread) -> bool + Copy,
    (id, layer): (&'static str, Layer),
) -> Option<Finding> {
    let share = stacks.share(waits);
    if share < SHARE_WAITING_FOR_CONNECTION || stacks.count(waits) < 1.5 {
        return None;
    }
    let code = stacks.code(waits).unwrap_or_default();
    let text = Message::new("exhibit-pool-waiters")
        .with("count", stacks.count(waits).round())
        .with("percent", percent(share))
        .with("code", code.as_str());
    let exhibit = with_example(Exhibit::new(text), stacks, waits);
    let explains = Explains::new(share, ShareOf::ResponseTime);
    let kind = if id == "outgoing_pool" {
        "hop"
    } else {
        "connection_pool"
    };
    let name = stacks.jvm.name.as_str();
    let finding = Finding::new(id, layer, object(kind, name, &stacks.jvm), explains)
        .with("code", code)
        .with("room", "unknown")
        .shows(exhibit);
    Some(Finding {
        confidence: 0.85,
        source: "Little's law over thread dumps; field cases F19, F28",
        ..finding
    })
}

/// A CPU that is full behind the pool: the database's, or the process's own while most of its
/// threads that have a connection compute. By a dump a thread whose response has come, but that
/// has no CPU yet to take it up, is still in its call to the database; the kernel knows better.
fn full_below(scene: &Scene<'_>, process: Option<&Entity>) -> Option<CpuUse> {
    full_database(scene).or_else(|| {
        let mut full = of_processes(scene).into_iter().filter(CpuUse::is_full);
        let own = full.find(|cpu| Some(&cpu.process) == process)?;
        let busy_computing = match process.and_then(|process| stacks_of(scene, process)) {
            Some(stacks) => {
                let want_cpu = (own.used + own.waits) / stacks.busy().max(1e-9);
                let connected = 1.0 - stacks.at(StackPlace::DatabasePool);
                stacks.computing().max(want_cpu) >= 0.5 * connected
            }
            None => true,
        };
        busy_computing.then_some(own)
    })
}
