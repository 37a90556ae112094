//! Without packets: whom a proxy passes requests on to, by its configuration, and how many are there by its connections.

use plimsoll_stats::names::{self, attributes};
use plimsoll_stats::series::{Entity, EntityKind};

use super::seen::Whose;
use crate::address;
use crate::processes::{is_loaded, listens_at, of_network, process_of};
use crate::scene::Scene;

/// The ends of the names of facts that say where requests are passed on to.
const PASSED_ON: [&str; 5] = [
    ".server",
    ".proxy_pass",
    ".fastcgi_pass",
    ".uwsgi_pass",
    ".grpc_pass",
];
/// Programs that pass on what comes, whatever their configuration says.
const PROXIES: [&str; 10] = [
    "nginx",
    "openresty",
    "tengine",
    "haproxy",
    "envoy",
    "traefik",
    "caddy",
    "varnishd",
    "pgbouncer",
    "proxysql",
];
/// Addresses of the host itself.
const LOCAL: [&str; 4] = ["localhost", "127.0.0.1", "[::1]", "::1"];

/// The process that the load comes to.
pub(super) fn loaded(scene: &Scene<'_>) -> Option<Whose> {
    let mut processes = scene.things(EntityKind::Process).into_iter();
    let process = processes.find(|process| is_loaded(scene, process))?;
    Some(Whose {
        host: process.host.clone(),
        process: process.name.clone(),
    })
}

/// Whether nobody knows if requests wait in a process or behind it: it passes them on, and no connection tells where to.
pub(super) fn is_unknown(scene: &Scene<'_>, whose: &Whose) -> bool {
    passes_on(scene, whose) && calls(scene, whose).is_empty()
}

/// Whether a process passes requests on to others, so that those that no thread of its own has may be there.
fn passes_on(scene: &Scene<'_>, whose: &Whose) -> bool {
    is_proxy(whose) && (places(scene, whose).next().is_some() || !is_told(scene, whose))
}

fn is_proxy(whose: &Whose) -> bool {
    let mut names = PROXIES.iter();
    names.any(|name| whose.process.starts_with(name))
}

/// Whether the configuration of a process is known.
fn is_told(scene: &Scene<'_>, whose: &Whose) -> bool {
    let mut facts = scene.facts_ending("");
    facts.any(|(thing, ..)| thing.kind == EntityKind::Proxy && is_of(scene, thing, whose))
}

fn is_of(scene: &Scene<'_>, thing: &Entity, whose: &Whose) -> bool {
    let process = process_of(scene, thing);
    process.is_some_and(|it| it.name == whose.process && it.host == whose.host)
}

/// Where a process passes requests on to, as its configuration says it: an address, or what stands for several.
fn places<'s>(scene: &'s Scene<'_>, whose: &'s Whose) -> impl Iterator<Item = &'s str> {
    let told = PASSED_ON.iter().flat_map(|end| scene.facts_ending(end));
    let own = told.filter(|(thing, ..)| is_of(scene, thing, whose));
    own.flat_map(|(.., value)| {
        value
            .split(", ")
            .filter_map(|it| it.split_whitespace().next())
    })
}

/// Those to whom a process passes requests on, each with the address and so many connections to it on average. One that
/// keeps connections open has no more requests there.
pub(super) fn calls(scene: &Scene<'_>, whose: &Whose) -> Vec<(Whose, String, f64)> {
    if !is_proxy(whose) {
        return Vec::new();
    }
    // What has no port is the name of a group of servers.
    let has_port = |place: &&str| {
        let rest = place.split_once("://").map_or(*place, |(_, rest)| rest);
        let authority = rest.split('/').next().unwrap_or_default();
        authority.contains(':') && authority != "unix:"
    };
    let mut addresses: Vec<&str> = places(scene, whose).filter(has_port).collect();
    addresses.sort_unstable();
    addresses.dedup();
    let to = addresses.into_iter().filter_map(|place| {
        let port = address::port(place)?;
        let host = address::host(place);
        let open = open(scene, whose, host, port)?;
        let server = server(scene, whose, host, port);
        Some((server.unwrap_or_default(), format!("{host}:{port}"), open))
    });
    to.filter(|(.., open)| *open > 0.0).collect()
}

/// Established connections of a process's network to an address.
fn open(scene: &Scene<'_>, whose: &Whose, host: &str, port: u16) -> Option<f64> {
    let process = Entity {
        kind: EntityKind::Process,
        name: whose.process.clone(),
        host: whose.host.clone(),
    };
    let all = of_network(scene, &process, names::host::PEER_CONNECTIONS)
        .with(attributes::NETWORK_CONNECTION_STATE, "established")
        .with(attributes::SERVER_PORT, &port.to_string());
    // At its own port are those that come to it.
    let is_own = listens_at(scene, &process, &port.to_string());
    let is_name = !host.starts_with(|c: char| c.is_ascii_digit() || c == '[');
    let is_there = |server: &str| match LOCAL.contains(&host) {
        true => LOCAL.contains(&server) && !is_own,
        // A name has any address.
        false => server == host || is_name && !(is_own && LOCAL.contains(&server)),
    };
    let open = all.by(attributes::SERVER_ADDRESS).into_iter();
    open.filter(|(server, _)| is_there(server))
        .filter_map(|(_, open)| open.mean())
        .reduce(|all, one| all + one)
}

/// The watched process that serves at an address, if it is one alone.
fn server(scene: &Scene<'_>, whose: &Whose, host: &str, port: u16) -> Option<Whose> {
    let is_local = LOCAL.contains(&host);
    let port = port.to_string();
    let all = scene.things(EntityKind::Process).into_iter();
    let mut serving = all.filter(|process| {
        let is_own = process.name == whose.process && process.host == whose.host;
        let is_here = !is_local || process.host == whose.host;
        !is_own && is_here && listens_at(scene, process, &port)
    });
    let found = serving.next()?;
    serving.next().is_none().then(|| Whose {
        host: found.host.clone(),
        process: found.name.clone(),
    })
}
