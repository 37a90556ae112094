//! The accept queue of a listening port: connections that the kernel takes before the server does.

use plimsoll_stats::names::{self, SeriesName, attributes};
use plimsoll_stats::series::Entity;
use plimsoll_text::Message;

use super::Rule;
use super::attempts::listener;
use super::support::turned_away;
use super::workers::{NAMES, lacks_connections};
use crate::about::object;
use crate::address;
use crate::model::{Advice, Exhibit, Explains, Finding, Layer, ShareOf};
use crate::scene::Scene;
use crate::stacks::SeenThread;

pub const RULE: Rule = Rule {
    ids: &["accept_queue"],
    refuted_by: "a queue with room, or requests that fail otherwise",
    look,
};

fn look(scene: &Scene<'_>) -> Vec<Finding> {
    accept_queue(scene).into_iter().collect()
}

/// Connections that found the accept queue of a listening port full.
fn accept_queue(scene: &Scene<'_>) -> Option<Finding> {
    let overflows = scene.series(names::host::TCP_LISTEN_OVERFLOWS);
    let (thing, lost) = overflows
        .by_thing()
        .into_iter()
        .filter_map(|(thing, query)| Some((thing, query.counted()?)))
        .max_by(|a, b| a.1.total_cmp(&b.1))?;
    let failed = turned_away(scene);
    if lost < 3.0 || failed < 0.05 {
        return None;
    }
    let (port, queue) = fullest(scene, &thing);
    let text = Message::new("exhibit-overflows").with("count", lost.round());
    let explains = Explains::new(failed, ShareOf::Errors);
    // A server that does not close its sockets accepts no more at last: that is the cause.
    // The kernel counts for all of a host: a queue that was seen full and is not of who is watched refutes it.
    let ours = queue.is_some_and(|(length, limit)| length >= NEARLY_FULL * limit);
    let others = full_elsewhere(scene, &thing);
    let layer = Layer::cause_if(!lacks_connections(scene) && !unclosed(scene) && (ours || !others));
    let about = object("listen_socket", port.as_str(), &thing);
    let shown = queue.map(|(length, limit)| {
        let text = Message::new("exhibit-listen-queue")
            .with("port", port.as_str())
            .with("length", length.round())
            .with("limit", limit);
        Exhibit::new(text).series(names::host::LISTEN_QUEUE)
    });
    let how = if port.is_empty() { "host" } else { "port" };
    let finding = Finding::new("accept_queue", layer, about, explains)
        .with("how", how)
        .shows(Exhibit::new(text).series(names::host::TCP_LISTEN_OVERFLOWS))
        .shows_all(shown)
        .advises(longer_queue(scene, &thing, &port, queue))
        .advises(Advice::code(Message::new(match has_tomcat(scene) {
            true => "advice-accept-queue-threads",
            false => "advice-accept-queue-serve",
        })));
    Some(Finding {
        confidence: 0.95,
        source: "listen(2); SNMP counter TcpExt ListenOverflows; field case F03",
        ..finding
    })
}

/// Whether much of what a process has connected was closed by the other side and not by it.
fn unclosed(scene: &Scene<'_>) -> bool {
    let connections = scene.series(names::process::CONNECTIONS);
    connections.by_thing().values().any(|all| {
        let waiting = all
            .with(attributes::NETWORK_CONNECTION_STATE, "close_wait")
            .last();
        waiting.unwrap_or(0.0) >= (0.3 * all.last().unwrap_or(0.0)).max(20.0)
    })
}

/// A queue that is too short is to be twice as long, and no shorter than this.
const LONG_QUEUE: f64 = 512.0;
/// A queue that was so full may have lost some.
const NEARLY_FULL: f64 = 0.8;

/// The queue's setting, as the server that listens there calls it.
fn longer_queue(
    scene: &Scene<'_>,
    thing: &Entity,
    port: &str,
    queue: Option<(f64, f64)>,
) -> Advice {
    let why = Message::new("advice-accept-queue");
    let current = queue.map(|(_, limit)| limit.to_string());
    let longer = queue.map_or(LONG_QUEUE, |(_, limit)| (2.0 * limit).max(LONG_QUEUE));
    // The kernel takes no more of it than this.
    let most = scene.facts_ending("net.core.somaxconn");
    let most = most.filter(|(of, ..)| of.host == thing.host);
    let mut most = most.filter_map(|(_, _, value)| value.parse::<f64>().ok());
    let most = most.next().filter(|most| *most < longer);
    if let (Some(most), Some((_, limit))) = (most, queue)
        && limit >= most
    {
        let why = Message::new("advice-accept-queue-kernel");
        return Advice::setting("net.core.somaxconn", current, longer.to_string(), why);
    }
    let longer = most.unwrap_or(longer);
    let listens = listener(scene, thing, port);
    let name = listens.map(|process| process.name).unwrap_or_default();
    let setting = match name.as_str() {
        name if name.starts_with("nginx") || name.starts_with("openresty") => "listen … backlog=",
        name if name.starts_with("mysqld") || name.starts_with("mariadbd") => "back_log",
        name if name.starts_with("redis") || name.starts_with("valkey") => "tcp-backlog",
        name if name.starts_with("php-fpm") => "listen.backlog",
        name if name.is_empty() || name.starts_with("java") => "server.tomcat.accept-count",
        _ => return Advice::code(Message::new("advice-accept-queue-listen")),
    };
    let is_tomcat = setting != "server.tomcat.accept-count" || has_tomcat(scene);
    match is_tomcat {
        true => Advice::setting(setting, current, longer.to_string(), why),
        false => Advice::code(Message::new("advice-accept-queue-listen")),
    }
}

/// Whether a Tomcat was seen, by its series or its threads' names.
fn has_tomcat(scene: &Scene<'_>) -> bool {
    let by_series = [
        names::web_server::TOMCAT_BUSY,
        names::web_server::TOMCAT_CONNECTIONS,
    ]
    .into_iter()
    .any(|name| !scene.series(name).is_empty());
    let named = |seen: &SeenThread| {
        let mut names = NAMES.iter().filter(|(_, server)| *server == "tomcat");
        names.any(|(prefix, _)| seen.thread.name.starts_with(prefix))
    };
    let mut all = scene.stacks().iter();
    by_series || all.any(|stacks| stacks.threads.iter().any(named))
}

/// The port of a process that is watched whose accept queue is the fullest, with its length and limit.
fn fullest(scene: &Scene<'_>, thing: &Entity) -> (String, Option<(f64, f64)>) {
    let queues = queues(scene).into_iter();
    let watched = queues.filter(|(port, ..)| is_ours(scene, thing, port));
    let most = watched.max_by(|a, b| (a.1 / a.2).total_cmp(&(b.1 / b.2)));
    match most {
        Some((port, length, limit)) => (port, Some((length, limit))),
        None => (String::new(), None),
    }
}

/// Whether the load comes to a port, or a process that is watched listens there.
fn is_ours(scene: &Scene<'_>, thing: &Entity, port: &str) -> bool {
    let loaded = address::port(&scene.load().target);
    let is_loaded = loaded.is_some_and(|loaded| port == loaded.to_string());
    is_loaded || listener(scene, thing, port).is_some()
}

/// Whether the queue of a port was full at which nobody listens who is watched.
fn full_elsewhere(scene: &Scene<'_>, thing: &Entity) -> bool {
    let mut queues = queues(scene).into_iter();
    queues
        .any(|(port, length, limit)| length >= NEARLY_FULL * limit && !is_ours(scene, thing, &port))
}

/// Ports with the longest that their accept queue was, and its limit.
fn queues(scene: &Scene<'_>) -> Vec<(String, f64, f64)> {
    let by_port = |name: SeriesName| scene.series(name).by(attributes::SERVER_PORT);
    let limits = by_port(names::host::LISTEN_QUEUE_LIMIT);
    let lengths = by_port(names::host::LISTEN_QUEUE).into_iter();
    let known = lengths.filter_map(|(port, length)| {
        let limit = limits.get(&port)?.last().filter(|limit| *limit > 0.0)?;
        Some((port, length.peak()?, limit))
    });
    known.collect()
}
