//! The web server's own limits: worker threads and connections.

use std::collections::BTreeMap;

use plimsoll_stats::names::{self, SeriesName, attributes, facts};
use plimsoll_stats::series::{Entity, EntityKind};
use plimsoll_text::Message;

use super::Rule;
use super::support::{full_database, turned_away, waits_behind};
use crate::about::object;
use crate::account::{in_flight_at, thread_states};
use crate::cpu::{CpuUse, of};
use crate::figures::percent;
use crate::model::{Advice, Exhibit, Explains, Finding, Layer, ShareOf};
use crate::processes::{is_loaded, process_of, stacks_of};
use crate::scene::Scene;
use crate::stacks::{Peer, SeenThread, StackPlace, Stacks, is_kept_apart, pool_of};

pub const RULE: Rule = Rule {
    ids: &["worker_threads", "max_connections", "event_loop_blocked"],
    refuted_by: "idle workers, or workers that wait for something behind them",
    look,
};

/// A pool of threads is exhausted from this share on.
const FULL: f64 = 0.93;
/// Threads that could serve less than this of what they serve have no room.
const ROOM: f64 = 1.25;
/// Threads of which so many wait for a database work no faster than it does.
const MOSTLY: f64 = 0.4;
/// So many more requests than threads must be in flight.
const MORE: f64 = 1.1;

fn look(scene: &Scene<'_>) -> Vec<Finding> {
    let pools = thread_pools(scene);
    let mut found: Vec<Finding> = pools
        .iter()
        .filter_map(|pool| workers(scene, pool))
        .collect();
    found.extend(connections(scene, &pools));
    found
}

/// A pool of worker threads, as its server tells of it or as thread dumps show it.
struct ThreadPool {
    server: String,
    thing: Entity,
    busy: f64,
    limit: f64,
    /// Threads that the pool's setting counts, too, and that serve no requests.
    apart: f64,
    series: Option<SeriesName>,
    /// They are event loops: each serves many requests, and more of them help no request that blocks one.
    loops: bool,
}

/// Server, busy threads, limit, attribute that tells pools apart.
const METERS: &[(&str, SeriesName, SeriesName)] = &[
    (
        "tomcat",
        names::web_server::TOMCAT_BUSY,
        names::web_server::TOMCAT_THREAD_LIMIT,
    ),
    (
        "jetty",
        names::web_server::JETTY_BUSY,
        names::web_server::JETTY_THREAD_LIMIT,
    ),
    ("php-fpm", names::php_fpm::ACTIVE, names::php_fpm::LIMIT),
    (
        "undertow",
        names::web_server::UNDERTOW_BUSY,
        names::web_server::UNDERTOW_THREAD_LIMIT,
    ),
];

fn thread_pools(scene: &Scene<'_>) -> Vec<ThreadPool> {
    let mut pools: Vec<ThreadPool> = Vec::new();
    for thing in scene.things(EntityKind::WebServer) {
        for (server, busy, limit) in METERS {
            let fullest = fullest_pool(scene, &thing, (*busy, *limit))
                .or_else(|| children(scene, &thing).filter(|_| *server == "php-fpm"));
            if let Some((busy_count, limit)) = fullest {
                pools.push(ThreadPool {
                    server: (*server).to_owned(),
                    thing: (*thing).clone(),
                    busy: busy_count,
                    limit,
                    apart: 0.0,
                    series: Some(*busy),
                    loops: false,
                });
            }
        }
    }
    for stacks in scene.stacks() {
        let process = process_of(scene, &stacks.jvm);
        let known = pools
            .iter()
            .any(|pool| process.is_some() && process_of(scene, &pool.thing) == process);
        if !known {
            pools.extend(by_names(scene, stacks));
        }
    }
    pools
}

/// Busy children of a pool of PHP-FPM whose configuration nobody has read: as many as there are is its limit where hardly
/// one is ever idle, since it would have started more.
fn children(scene: &Scene<'_>, thing: &Entity) -> Option<(f64, f64)> {
    let all = scene.of(thing, names::php_fpm::PROCESSES).last()?;
    let idle = scene.of(thing, names::php_fpm::IDLE).mean()?;
    let busy = scene.of(thing, names::php_fpm::ACTIVE).mean()?;
    (all > 0.0 && idle <= (1.0 - FULL) * all).then_some((busy, all))
}

/// Whether a server has no connection left: what it does not accept waits in the queue before it.
pub(super) fn lacks_connections(scene: &Scene<'_>) -> bool {
    connections(scene, &thread_pools(scene)).is_some()
}

/// Busy threads and the limit of that pool of a server (of its connectors, say) which has the least room.
fn fullest_pool(
    scene: &Scene<'_>,
    thing: &Entity,
    (busy, limit): (SeriesName, SeriesName),
) -> Option<(f64, f64)> {
    let all = (scene.of(thing, busy), scene.of(thing, limit));
    let limits = all.1.by(attributes::TOMCAT_THREAD_POOL_NAME);
    let pools = all.0.by(attributes::TOMCAT_THREAD_POOL_NAME).into_iter();
    let named = pools.filter_map(|(name, busy)| Some((busy.mean()?, limits.get(&name)?.last()?)));
    let mut named: Vec<(f64, f64)> = named.filter(|(_, limit)| *limit > 0.0).collect();
    if named.is_empty() {
        named.extend(
            all.0
                .mean()
                .zip(all.1.last())
                .filter(|(_, limit)| *limit > 0.0),
        );
    }
    let share = |(busy, limit): &(f64, f64)| busy / limit;
    named
        .into_iter()
        .max_by(|one, other| share(one).total_cmp(&share(other)))
}

/// Thread names of the servers' pools, digits left out.
pub(super) const NAMES: &[(&str, &str)] = &[
    ("http-nio-", "tomcat"),
    ("http-nio2-", "tomcat"),
    ("http-bio-", "tomcat"),
    ("http-apr-", "tomcat"),
    ("XNIO-", "undertow"),
    ("default task-", "undertow"),
    ("qtp", "jetty"),
    ("DubboServerHandler-", "dubbo"),
    // What java.util.concurrent.Executors calls them.
    ("pool-", "executor"),
];

/// Undertow's I/O threads (`XNIO-1 I/O-1`) are event loops; its workers are called `XNIO-1 task-1`.
const UNDERTOW_LOOPS: [&str; 2] = ["XNIO-", " I/O-"];

/// The setting of their size.
const SETTINGS: &[(&str, &str)] = &[
    ("tomcat", facts::SERVER_TOMCAT_THREADS_MAX),
    ("jetty", facts::SERVER_JETTY_THREADS_MAX),
    ("undertow", facts::SERVER_UNDERTOW_THREADS_WORKER),
    ("php-fpm", "pm.max_children"),
    ("dubbo", facts::DUBBO_PROTOCOL_THREADS),
    ("executor", "Executors.newFixedThreadPool(nThreads)"),
];

/// The pool that serves, by its threads' names: its size is its limit once none is idle. One of
/// no known server is called as its threads are; it counts only where the load comes to it, since
/// its requests are all that are in flight there.
fn by_names(scene: &Scene<'_>, stacks: &Stacks) -> Option<ThreadPool> {
    let mut serving: BTreeMap<&str, usize> = BTreeMap::new();
    for seen in stacks.serving().filter(|seen| !seen.thread.is_virtual) {
        *serving.entry(pool_of(&seen.thread.name)).or_default() += 1;
    }
    let (pool, _) = serving.into_iter().max_by_key(|(_, count)| *count)?;
    let known = NAMES.iter().find(|(prefix, _)| pool.starts_with(prefix));
    let server = match known {
        Some((_, server)) => server,
        None if is_loaded(scene, &stacks.jvm) => pool.trim_end_matches(['-', '#', ' ']),
        None => return None,
    };
    let apart = |seen: &SeenThread| is_kept_apart(&seen.thread);
    let own = |seen: &&SeenThread| pool_of(&seen.thread.name) == pool && !apart(seen);
    let all = stacks.threads.iter().filter(own).count();
    // Who accepts connections has a name of its own behind that of the pool.
    let of_pool =
        |seen: &&SeenThread| !pool.is_empty() && seen.thread.name.starts_with(pool) && !own(seen);
    let beside = stacks.threads.iter().filter(of_pool).count();
    let busy = stacks
        .threads
        .iter()
        .filter(own)
        .filter(|seen| seen.place != StackPlace::Idle);
    Some(ThreadPool {
        server: server.to_owned(),
        thing: (*stacks.jvm).clone(),
        busy: stacks.per_dump(busy.count()),
        limit: stacks.per_dump(all),
        apart: stacks.per_dump(beside),
        series: None,
        loops: match known {
            Some(_) => UNDERTOW_LOOPS.iter().all(|part| pool.contains(part)),
            None => are_loops(scene, stacks, pool),
        },
    })
}

/// Parts of the names of classes whose threads run an event loop.
const LOOPS: [&str; 4] = [
    "EventLoop.",
    "EventLoop$",
    "EventExecutor",
    "SelectorRunner",
];
/// The kernel keeps so many bytes of a thread's name.
const COMM: usize = 15;

/// Whether the threads of a pool are event loops: by their states, else by what runs at their outermost calls.
fn are_loops(scene: &Scene<'_>, stacks: &Stacks, pool: &str) -> bool {
    let process = process_of(scene, &stacks.jvm);
    let states = process.and_then(|process| thread_states(scene, &process));
    let kept = pool.get(..COMM).unwrap_or(pool);
    let by_states = states.is_some_and(|states| {
        let mut loops = states.event_loops.iter();
        loops.any(|one| !kept.is_empty() && one.thread.starts_with(kept))
    });
    let runs_loop = |seen: &&SeenThread| {
        let mut frames = seen.thread.frames.iter();
        frames.any(|frame| LOOPS.iter().any(|part| frame.method.contains(part)))
    };
    let own = |seen: &&SeenThread| pool_of(&seen.thread.name) == pool;
    by_states
        || stacks
            .threads
            .iter()
            .filter(own)
            .any(|seen| runs_loop(&seen))
}

/// Event loops that are all held by the code of requests.
fn blocked_loops(scene: &Scene<'_>, pool: &ThreadPool) -> Option<Finding> {
    let process = process_of(scene, &pool.thing);
    let stacks = stacks_of(scene, process.as_ref()?)?;
    let computes = stacks.computing() >= 0.5;
    let waiting = (scene.in_flight() - pool.busy).max(0.0);
    let explains = Explains::new(
        (waiting / scene.in_flight().max(1e-9)).clamp(0.0, 1.0),
        ShareOf::ResponseTime,
    );
    let how = if computes { "running" } else { "blocked" };
    let code = stacks.code(|seen| seen.place != StackPlace::Idle);
    let text = Message::new("exhibit-loops-held")
        .with("busy", pool.busy.round())
        .with("limit", pool.limit.round())
        .with("code", code.unwrap_or_default());
    let about = object("event_loop", pool.server.as_str(), &pool.thing);
    let finding = Finding::new("event_loop_blocked", Layer::Cause, about, explains)
        .with("how", how)
        .with("call", "other")
        .with("number", pool.limit.round())
        .with("busy", percent(pool.busy / pool.limit.max(1e-9)))
        .with("waiting", waiting.round())
        .shows(Exhibit::new(text))
        .advises(Advice::code(
            Message::new("advice-event-loop").with("how", how),
        ));
    Some(Finding {
        confidence: 0.8,
        source: "utilization law over the states of the event loop's thread",
        ..finding
    })
}

fn workers(scene: &Scene<'_>, pool: &ThreadPool) -> Option<Finding> {
    let process = process_of(scene, &pool.thing);
    // Of several instances each has its own part of the requests.
    let in_flight = in_flight_at(scene, process.as_ref());
    if pool.busy < FULL * pool.limit || in_flight < MORE * pool.limit {
        return None;
    }
    if pool.loops {
        return blocked_loops(scene, pool);
    }
    let waiting = 1.0 - pool.busy / in_flight;
    let deeper = deeper(scene, process.as_ref());
    let text = Message::new("exhibit-workers")
        .with("busy", pool.busy.round())
        .with("limit", pool.limit.round())
        .with("in_flight", in_flight.round())
        .with("percent", percent(waiting));
    let mut exhibit = Exhibit::new(text);
    if let Some(series) = pool.series {
        exhibit = exhibit.series(series);
    }
    let explains = Explains::new(waiting.clamp(0.0, 1.0), ShareOf::ResponseTime);
    let is_behind = deeper.is_some();
    let layer = Layer::cause_if(!is_behind);
    let about = object("thread_pool", pool.server.as_str(), &pool.thing);
    let finding = Finding::new("worker_threads", layer, about, explains)
        .with("limit", pool.limit.round())
        .with("room", if is_behind { "none" } else { "some" })
        .shows(exhibit)
        .shows_all(deeper.map(Exhibit::new));
    let wanted = (in_flight * 1.1).max(pool.limit * 2.0);
    let why = Message::new("advice-worker-threads")
        .with("in_flight", in_flight.round())
        .with("wanted", wanted.ceil());
    let proposed = (wanted.ceil() + pool.apart.round()).to_string();
    let current = Some((pool.limit.round() + pool.apart.round()).to_string());
    let advice = match SETTINGS.iter().find(|(server, _)| *server == pool.server) {
        // More threads would wait for the same.
        _ if is_behind => Advice::code(Message::new("advice-worker-threads-behind")),
        Some((_, setting)) => Advice::setting(*setting, current, proposed, why),
        None => Advice::code(why),
    };
    Some(Finding {
        confidence: if pool.series.is_some() { 0.95 } else { 0.8 },
        source: "Little's law: busy threads = throughput × time; field cases F01, F02, F30",
        ..finding.advises(advice)
    })
}

/// What the busy threads wait for themselves, if that explains why they are busy.
fn deeper(scene: &Scene<'_>, process: Option<&Entity>) -> Option<Message> {
    let cpu = process.and_then(|process| of(scene, process));
    if let Some(cpu) = cpu.filter(CpuUse::is_full) {
        let text = Message::new("exhibit-full-below").with("name", cpu.process.name.as_str());
        return Some(text);
    }
    let process = process?;
    let stacks = stacks_of(scene, process);
    // More threads at work at a database without a CPU for them get nothing from it sooner.
    let at_store = |seen: &SeenThread| seen.place == StackPlace::Peer(Peer::Database);
    let mostly_there = stacks.is_none_or(|stacks| stacks.share(at_store) >= MOSTLY);
    let full = full_database(scene).filter(|full| full.process != *process && mostly_there);
    if let Some(full) = full {
        return Some(Message::new("exhibit-full-below").with("name", full.process.name.as_str()));
    }
    waits_behind(stacks?)
}

/// A server whose connections are all taken while threads are free: those beyond get no response.
fn connections(scene: &Scene<'_>, pools: &[ThreadPool]) -> Option<Finding> {
    let servers = scene.things(EntityKind::WebServer);
    servers.iter().find_map(|thing| taken(scene, pools, thing))
}

fn taken(scene: &Scene<'_>, pools: &[ThreadPool], thing: &Entity) -> Option<Finding> {
    let count = scene.of(thing, names::web_server::TOMCAT_CONNECTIONS);
    let open = count.mean()?;
    let limit = scene
        .of(thing, names::web_server::TOMCAT_CONNECTION_LIMIT)
        .last()?;
    // Nearly all threads are busy, too: they let hardly more through than the connections do.
    let threads_full = pools
        .iter()
        .any(|pool| pool.thing == *thing && pool.limit < ROOM * pool.busy);
    let taken = open >= 0.8 * limit && count.peak().unwrap_or(0.0) >= 0.97 * limit;
    if limit <= 0.0 || !taken || threads_full {
        return None;
    }
    let errors = turned_away(scene);
    let kept = scene.of(thing, names::web_server::TOMCAT_KEEP_ALIVE).mean();
    let text = Message::new("exhibit-connections")
        .with("open", open.round())
        .with("limit", limit)
        .with("kept", kept.unwrap_or(0.0).round());
    let beyond = 1.0 - limit / most_users(scene).max(1e-9);
    let explains = match errors > 0.0 {
        true => Explains::new(errors, ShareOf::Errors),
        false => Explains::new(beyond.max(0.0), ShareOf::ResponseTime),
    };
    let about = object("connector", "tomcat", thing);
    // Where nobody is turned away, as many clients as it takes is no fault.
    let layer = Layer::cause_if(errors > 0.0 || beyond > 0.0);
    let finding = Finding::new("max_connections", layer, about, explains)
        .with("limit", limit)
        .shows(Exhibit::new(text).series(names::web_server::TOMCAT_CONNECTIONS))
        .advises(Advice::setting(
            "server.tomcat.max-connections",
            Some(limit.to_string()),
            (limit * 4.0).max(8192.0).to_string(),
            Message::new("advice-max-connections"),
        ));
    Some(Finding {
        confidence: if errors > 0.0 { 0.95 } else { 0.6 },
        source: "Tomcat 10.1 configuration reference, maxConnections; field case F03",
        ..finding
    })
}

/// The most users at a time.
#[expect(clippy::cast_precision_loss, reason = "users of a run")]
fn most_users(scene: &Scene<'_>) -> f64 {
    let users = scene.seconds().map(|second| second.users);
    users.max().unwrap_or(0) as f64
}
