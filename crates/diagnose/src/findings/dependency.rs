//! Another system that requests wait for.

use plimsoll_stats::names::{self, attributes};
use plimsoll_stats::series::{Entity, EntityKind};
use plimsoll_text::{Arg, Message};

use super::support::{full_cpu_of, full_exhibit, with_example};
use super::{Rule, below};
use crate::about::object;
use crate::account::PartKind;
use crate::address;
use crate::figures::{percent, tenths};
use crate::model::{Advice, Exhibit, Explains, Finding, Layer, ShareOf};
use crate::processes::{is_database, is_store_or_proxy, listens_at, process_of};
use crate::rank::rank;
use crate::scene::Scene;
use crate::stacks::{Peer, SeenThread, StackPlace, Stacks, frames, library_of, most_frequent};

pub const RULE: Rule = Rule {
    ids: &["slow_dependency"],
    refuted_by: "calls that take less of the time than the response does, or a peer that is limited by what it has itself",
    look,
};

/// So much of the serving threads must wait for it.
const SHARE_WAITING_FOR_IT: f64 = 0.5;
/// Whom threads may wait for; of databases other rules tell, clients are who asks.
const SYSTEMS: &[Peer] = &[Peer::Service, Peer::Cache, Peer::Names, Peer::Other];
/// A server that threads wait for has connections for this share of them at least.
const CONNECTED: f64 = 0.5;

fn look(scene: &Scene<'_>) -> Vec<Finding> {
    let mut found = Vec::new();
    for stacks in scene.stacks() {
        if full_cpu_of(scene, &stacks.jvm).is_none() {
            let systems = SYSTEMS.iter();
            found.extend(systems.filter_map(|peer| dependency(scene, stacks, *peer)));
        }
    }
    let processes = scene.things(EntityKind::Process).into_iter();
    found.extend(processes.filter_map(|process| name_lookups(scene, &process)));
    found
}

/// So much of the requests in flight must be in a look-up.
const SHARE_IN_LOOKUPS: f64 = 0.3;
/// Calls of the C library, and of runtimes, that ask a name server (getaddrinfo(3), gethostbyname(3)).
const LOOKUPS: &[&str] = &[
    "getaddrinfo",
    "__getaddrinfo",
    "__GI_getaddrinfo",
    "getnameinfo",
    "gethostbyname",
    "gethostbyname_r",
    "gethostbyname2_r",
    "gethostbyaddr",
    "getnamebyaddr",
    "php_network_getaddresses",
    "uv__getaddrinfo_work",
];

/// Threads of any runtime that wait for a name server.
fn name_lookups(scene: &Scene<'_>, process: &Entity) -> Option<Finding> {
    let (threads, call, capture) = scene.threads_within((&process.host, &process.name), LOOKUPS)?;
    let share = (threads / scene.in_flight().max(1e-9)).min(1.0);
    if share < SHARE_IN_LOOKUPS || threads < 1.0 {
        return None;
    }
    let text = Message::new("exhibit-name-lookups")
        .with("threads", tenths(threads))
        .with("process", process.name.as_str())
        .with("call", call.as_str());
    let explains = Explains::new(share, ShareOf::ResponseTime);
    let about = object("hop", "DNS", process);
    let finding = Finding::new("slow_dependency", Layer::Cause, about, explains)
        .with("code", call.as_str())
        .shows(Exhibit::new(text).capture(capture, Vec::new()));
    Some(Finding {
        confidence: 0.9,
        source: "Little's law over stacks of waiting threads; getaddrinfo(3), resolv.conf(5)",
        ..finding.advises(Advice::code(
            Message::new("advice-slow-names").with("code", call),
        ))
    })
}

fn dependency(scene: &Scene<'_>, stacks: &Stacks, peer: Peer) -> Option<Finding> {
    let waits = |seen: &SeenThread| seen.place == StackPlace::Peer(peer);
    let share = stacks.share(waits);
    // A cache that is watched tells itself what takes it long.
    let is_watched = peer == Peer::Cache && !scene.things(EntityKind::Cache).is_empty();
    if share < SHARE_WAITING_FOR_IT || stacks.count(waits) < 1.0 || is_watched {
        return None;
    }
    let code = stacks.code(waits).unwrap_or_default();
    let (address, mean_ms) = responding(scene, stacks, peer, stacks.count(waits));
    let is_known = !address.is_empty();
    let name = match is_known {
        true => address.clone(),
        false => client(stacks, peer).unwrap_or_else(|| code.clone()),
    };
    let text = Message::new("exhibit-dependency")
        .with("percent", percent(share))
        .with("code", code.as_str());
    // By Little's law it takes no more of the time than threads wait for it, and those that wait for such a thread:
    // other requests that no thread has wait elsewhere.
    let waiting = stacks.count(waits) + share * waiting_before(scene, &stacks.jvm);
    let of_requests = waiting / scene.in_flight().max(1e-9);
    let explains = Explains::new(share.min(of_requests), ShareOf::ResponseTime);
    let full_below = below::full_cpu(scene, stacks);
    let is_full = full_below.is_some() || below::is_locked(scene, stacks);
    let is_followed = is_followed(scene, &stacks.jvm);
    let layer = Layer::cause_if(!is_full && !is_followed);
    let about = object("hop", name, &stacks.jvm);
    let finding = Finding::new("slow_dependency", layer, about, explains)
        .with("code", code.as_str())
        .with(
            "followed",
            if is_followed && !is_full { "yes" } else { "no" },
        )
        .shows(with_example(Exhibit::new(text), stacks, waits))
        .shows_all(call_time(address, mean_ms))
        .shows_all(full_below.as_ref().map(full_exhibit));
    let why = match peer {
        Peer::Names => Message::new("advice-slow-names").with("code", code),
        _ => Message::new("advice-slow-dependency").with("code", code),
    };
    Some(Finding {
        confidence: if is_known { 0.9 } else { 0.8 },
        source: "Little's law over thread dumps; field case F28",
        ..finding.advises(Advice::code(why))
    })
}

/// Where packets followed the time of calls into a process that is watched, and nothing is found that takes it there, the
/// system that is waited for is what is known.
pub(super) fn settle(mut found: Vec<Finding>) -> Vec<Finding> {
    let is_other =
        |finding: &Finding| finding.layer != Layer::Hint && finding.layer != Layer::Measurement;
    if found.iter().any(is_other) {
        return found;
    }
    let is_known = |finding: &&mut Finding| {
        finding.id == "slow_dependency" && finding.arg("followed") == Some(&Arg::from("yes"))
    };
    if let Some(first) = found.iter_mut().find(is_known) {
        first.layer = Layer::Cause;
    }
    rank(found)
}

/// Requests that wait before the fullest place of a JVM's process, on average.
fn waiting_before(scene: &Scene<'_>, jvm: &Entity) -> f64 {
    let (Some(account), Some(process)) = (scene.account(), process_of(scene, jvm)) else {
        return 0.0;
    };
    let own = account.full_in(&process.host, &process.name);
    own.map(|place| place.waiting).fold(0.0, f64::max)
}

/// Of the time in other processes so much is told of those that are watched.
const FOLLOWED: f64 = 0.5;

/// Whether packets tell where the time of the calls goes: most of it in watched processes behind the one that calls. What
/// takes it there is to be told, and no other system.
fn is_followed(scene: &Scene<'_>, jvm: &Entity) -> bool {
    let account = scene.account().filter(|account| account.is_by_packets);
    let (Some(account), Some(caller)) = (account, process_of(scene, jvm)) else {
        return false;
    };
    let Some(depth) = account.depth(&caller.host, &caller.name) else {
        return false;
    };
    let behind = account.share(|part| {
        let place = account.depth(&part.host, &part.process);
        let is_told = !matches!(part.kind, PartKind::WaitingFor | PartKind::Unaccounted);
        is_told && place.is_some_and(|place| place > depth)
    });
    let waits = account.share(|part| {
        part.kind == PartKind::WaitingFor
            && (&part.host, &part.process) == (&caller.host, &caller.name)
    });
    behind >= FOLLOWED && waits <= behind * (1.0 - FOLLOWED)
}

/// The address of whom so many threads wait for, and the mean time of its calls in ms; empty and 0
/// where they are not known.
fn responding(scene: &Scene<'_>, stacks: &Stacks, peer: Peer, waiting: f64) -> (String, f64) {
    let called = match peer {
        Peer::Names => return ("DNS".to_owned(), 0.0),
        Peer::Service => slowest_call(scene),
        _ => None,
    };
    let (host, mean_ms) = called.unwrap_or_default();
    let address = with_port(scene, &stacks.jvm, &host, (peer, waiting));
    (address, mean_ms)
}

fn call_time(address: String, mean_ms: f64) -> Option<Exhibit> {
    let text = Message::new("exhibit-call-time")
        .with("address", address)
        .with("ms", tenths(mean_ms));
    (mean_ms > 0.0).then(|| Exhibit::new(text).series(names::application::CLIENT_TIME))
}

/// The client library in which threads wait for such a system.
fn client(stacks: &Stacks, peer: Peer) -> Option<String> {
    let waiting = stacks
        .serving()
        .filter(|seen| seen.place == StackPlace::Peer(peer));
    let calls = waiting.filter_map(|seen| frames::client_call(&seen.thread));
    library_of(&most_frequent(calls)?)
}

/// The address whose calls take most of the time, with their mean time in ms.
fn slowest_call(scene: &Scene<'_>) -> Option<(String, f64)> {
    let clients = scene.things(EntityKind::Client).into_iter();
    let calls = clients.flat_map(|client| {
        let sums = scene
            .of(&client, names::application::CLIENT_TIME)
            .by(attributes::SERVER_ADDRESS);
        let counts = scene
            .of(&client, names::application::CLIENT_REQUESTS)
            .by(attributes::SERVER_ADDRESS);
        let both = sums.into_iter().filter_map(move |(address, sum)| {
            let (sum, count) = (sum.mean()?, counts.get(&address)?.mean()?);
            Some((address, sum, sum / count.max(1e-9) * 1e3))
        });
        both.collect::<Vec<_>>()
    });
    let most = calls.max_by(|a, b| a.1.total_cmp(&b.1));
    most.map(|(address, _, mean_ms)| (address, mean_ms))
}

/// The port behind an address that clients name without one, by the connections that its host
/// keeps open: the only server that has so many as threads wait for it. Where there are several
/// the address stays as it is.
fn with_port(
    scene: &Scene<'_>,
    jvm: &Entity,
    address: &str,
    (peer, waiting): (Peer, f64),
) -> String {
    if address
        .rsplit_once(':')
        .is_some_and(|(_, port)| port.parse::<u16>().is_ok())
    {
        return address.to_owned();
    }
    let open = scene
        .series(names::host::PEER_CONNECTIONS)
        .on(&jvm.host)
        .with(attributes::NETWORK_CONNECTION_STATE, "established");
    let wanted = if address == "localhost" {
        "127.0.0.1"
    } else {
        address
    };
    let mut found = Vec::new();
    for (server, open) in open.by(attributes::SERVER_ADDRESS) {
        if !wanted.is_empty() && server != wanted {
            continue;
        }
        for (port, open) in open.by(attributes::SERVER_PORT) {
            let many = open.mean().unwrap_or(0.0) >= waiting * CONNECTED;
            if many && !is_other(scene, jvm, &port, peer) {
                found.push((server.clone(), port));
            }
        }
    }
    match found.as_slice() {
        [(server, port)] => {
            let host = if address.is_empty() { server } else { address };
            match host.contains(':') {
                true => format!("[{host}]:{port}"),
                false => format!("{host}:{port}"),
            }
        }
        _ => address.to_owned(),
    }
}

/// Whether a port is known to be something else: what is loaded, the JVM itself, or where no store
/// is looked for, a store or proxy.
fn is_other(scene: &Scene<'_>, jvm: &Entity, port: &str, peer: Peer) -> bool {
    let known = |process: &Entity| {
        let name = process.name.as_str();
        peer != Peer::Cache
            && (is_database(name) || is_store_or_proxy(name))
            && listens_at(scene, process, port)
    };
    address::port(&scene.load().target).is_some_and(|loaded| loaded.to_string() == port)
        || listens_at(scene, jvm, port)
        || scene
            .things(EntityKind::Process)
            .iter()
            .any(|process| known(process))
}
