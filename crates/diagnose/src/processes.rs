//! Which process a thing runs in, where it listens, what its threads did, and what sort of program
//! it is.

use plimsoll_stats::names::{self, SeriesName, attributes, facts};
use plimsoll_stats::series::{Entity, EntityKind};

use crate::address;
use crate::scene::{Scene, SeriesQuery};
use crate::stacks::Stacks;

/// The process of the thing that runs in it (a JVM, a web server, a pool): they share a name, or
/// the process has the port of its address.
#[must_use]
pub fn process_of(scene: &Scene<'_>, thing: &Entity) -> Option<Entity> {
    let processes = scene.things(EntityKind::Process);
    let same_host = || {
        processes
            .iter()
            .filter(|process| process.host == thing.host)
    };
    let named = same_host().find(|process| process.name == thing.name);
    let port = thing.name.rsplit([':', '[']).next().unwrap_or_default();
    // Behind the port there may be the container.
    let port = port.split(']').next().unwrap_or_default();
    let by_port = || same_host().find(|process| ports(scene, process).any(|own| own == port));
    // What serves at a socket of the file system has no port: it is that of its program, if there is one alone.
    let program = thing.name.split([':', '[']).next().unwrap_or_default();
    let by_program = || {
        let mut all = same_host().filter(|process| process.name.starts_with(program));
        let found = all.next()?;
        all.next().is_none().then_some(found)
    };
    let at_socket = || by_program().filter(|_| thing.name.ends_with(".sock"));
    let found = named.or_else(by_port).or_else(at_socket);
    found.map(|process| (**process).clone())
}

/// The ports at which a process listens: those it was seen to hold open, else the one in its name.
fn ports<'a: 'b, 'b>(scene: &Scene<'a>, process: &'b Entity) -> impl Iterator<Item = &'b str> {
    let seen = scene.fact(process, facts::PROCESS_LISTENING_PORTS);
    let named = || process.name.rsplit(['[', ']']).nth(1);
    let ports = seen.or_else(named).unwrap_or_default();
    ports.split_ascii_whitespace()
}

/// Whether a thing, or the process that it is or is in, listens at a port.
pub(crate) fn listens_at(scene: &Scene<'_>, thing: &Entity, port: &str) -> bool {
    let process = process_of(scene, thing);
    let process = process.as_ref().unwrap_or(thing);
    ports(scene, process).any(|own| own == port)
}

/// Whether the load comes to a thing.
pub(crate) fn is_loaded(scene: &Scene<'_>, thing: &Entity) -> bool {
    let port = address::port(&scene.load().target);
    port.is_some_and(|port| listens_at(scene, thing, &port.to_string()))
}

/// Whether requests of the load may be in a process: the load comes to it, or somebody has a connection to it. Where
/// nobody that is watched is known to be loaded, they may be in any.
pub(crate) fn may_have_requests(scene: &Scene<'_>, process: &Entity) -> bool {
    let all = scene.things(EntityKind::Process);
    let open = of_network(scene, process, names::host::PEER_CONNECTIONS)
        .with(attributes::NETWORK_CONNECTION_STATE, "established");
    let has_clients = |port: &str| open.with(attributes::SERVER_PORT, port).mean() > Some(0.0);
    !all.iter().any(|other| is_loaded(scene, other))
        || is_loaded(scene, process)
        || ports(scene, process).any(has_clients)
}

/// A series of the network that a process uses: of its own namespace, of which it tells itself, else of its host.
pub(crate) fn of_network<'a>(
    scene: &Scene<'a>,
    process: &Entity,
    series: SeriesName,
) -> SeriesQuery<'a> {
    let own = scene.of(process, series);
    if !own.is_empty() {
        return own;
    }
    let host = Entity {
        kind: EntityKind::Host,
        name: String::new(),
        host: process.host.clone(),
    };
    scene.of(&host, series)
}

/// The thread dumps of the JVM that is this process.
pub(crate) fn stacks_of<'a>(scene: &'a Scene<'_>, process: &Entity) -> Option<&'a Stacks> {
    let mut stacks = scene.stacks().iter();
    stacks.find(|stacks| process_of(scene, &stacks.jvm).is_some_and(|own| own == *process))
}

/// Whether a process is a database by its program's name.
#[must_use]
pub fn is_database(process: &str) -> bool {
    ["mysqld", "mariadbd", "postgres", "oracle"]
        .iter()
        .any(|name| process.starts_with(name))
}

/// The source that looks into a database, by its program's name; none where there is none for it.
#[must_use]
pub fn database_source(process: &str) -> Option<&'static str> {
    let known = [
        ("mysqld", "mysql"),
        ("mariadbd", "mysql"),
        ("postgres", "postgresql"),
    ];
    let mut known = known.iter();
    let found = known.find(|(program, _)| process.starts_with(program));
    found.map(|(_, source)| *source)
}

/// What a process runs on, by its program's name; servers that are called by their own names, too.
#[must_use]
pub(crate) fn runtime_of(process: &str) -> Option<&'static str> {
    const RUNTIMES: [(&str, &str); 12] = [
        ("python", "python"),
        ("gunicorn", "python"),
        ("uvicorn", "python"),
        ("hypercorn", "python"),
        ("daphne", "python"),
        ("node", "node"),
        ("php", "php"),
        ("ruby", "ruby"),
        ("puma", "ruby"),
        ("unicorn", "ruby"),
        ("java", "java"),
        ("dotnet", "dotnet"),
    ];
    let mut known = RUNTIMES.iter();
    let own = known.find(|(program, _)| process.starts_with(program));
    own.map(|(_, runtime)| *runtime)
}

/// Whether a process stores for others or passes on to them, by its program's name; databases are
/// told apart.
#[must_use]
pub fn is_store_or_proxy(process: &str) -> bool {
    const NAMES: [&str; 6] = [
        "redis",
        "valkey",
        "memcached",
        "nginx",
        "openresty",
        "haproxy",
    ];
    NAMES.iter().any(|name| process.starts_with(name))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::{Made, thing};

    #[test]
    fn a_process_is_known_by_all_of_its_ports() {
        let process = thing(EntityKind::Process, "java[1099]");
        let made = Made::load(100.0, 100.0)
            .process("java[1099]", 0.2, 2.0)
            .process("java[1100]", 0.2, 2.0)
            .fact(&process, "process.listening.ports", "1099 8080 8081");
        let scene = made.scene();
        let found = |kind, name| process_of(&scene, &thing(kind, name));
        for (kind, name, port) in [
            (EntityKind::Jvm, "java[1099]", 1099),
            (EntityKind::Jvm, "java[8081]", 1099),
            (EntityKind::Jvm, "java[8081] (shop-api)", 1099),
            (EntityKind::WebServer, "shop:8080", 1099),
            (EntityKind::WebServer, "shop:1100", 1100),
        ] {
            let process = thing(EntityKind::Process, &format!("java[{port}]"));
            assert_eq!(found(kind, name), Some((*process).clone()), "{name}");
        }
        assert_eq!(found(EntityKind::WebServer, "shop:8082"), None);
        let listens = |name, port| listens_at(&scene, &thing(EntityKind::Jvm, name), port);
        assert!(listens("java[1099]", "8080") && listens("java[1100]", "1100"));
        assert!(!listens("java[1099]", "1100") && !listens("java[7]", "8080"));
    }
}
