//! What to watch of a process that was found.

use std::net::SocketAddr;

use object::Object;
use plimsoll_text::Message;

use super::ask;
use super::found::Discovered;
use super::map::SocketMap;
use crate::capture::Level;
use crate::collectors::jvm::{hsperf, target::JvmProcess};
use crate::proc::{Pid, file, name};
use crate::source::Spec;

/// What a process is, as far as it has a source of its own.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum ProcessKind {
    Haproxy,
    Jvm,
    Nginx,
    Mysql,
    PgBouncer,
    PhpFpm,
    Postgres,
    Redis,
    Other,
}

impl ProcessKind {
    fn of(pid: Pid, program: &str) -> Self {
        match Self::of_program(program) {
            Self::Other if has_perf_data(pid) => Self::Jvm,
            kind => kind,
        }
    }

    fn of_program(program: &str) -> Self {
        match program {
            "nginx" | "openresty" => Self::Nginx,
            "mysqld" | "mariadbd" => Self::Mysql,
            _ if program.starts_with("php-fpm") => Self::PhpFpm,
            "postgres" => Self::Postgres,
            "redis-server" | "valkey-server" | "keydb-server" => Self::Redis,
            "haproxy" => Self::Haproxy,
            "pgbouncer" => Self::PgBouncer,
            "java" => Self::Jvm,
            _ => Self::Other,
        }
    }
}

/// Whether a process passes requests on to others.
pub(super) fn is_web_server(pid: Pid) -> bool {
    let program = name::program(pid).unwrap_or_default();
    let known = [
        "nginx",
        "openresty",
        "apache2",
        "httpd",
        "caddy",
        "lighttpd",
    ];
    known.contains(&program.as_str())
}

/// Whether others may put in what a request waits for, or hold what it needs: a database, a queue.
pub(super) fn is_shared(pid: Pid) -> bool {
    let program = name::program(pid).unwrap_or_default();
    match ProcessKind::of_program(&program) {
        ProcessKind::Mysql
        | ProcessKind::PgBouncer
        | ProcessKind::Postgres
        | ProcessKind::Redis => true,
        _ => ["beam.smp", "mosquitto", "nats-server"].contains(&program.as_str()),
    }
}

/// Whether a JVM's counters are there.
fn has_perf_data(pid: Pid) -> bool {
    JvmProcess::of(pid).is_some_and(|process| hsperf::counters(&process).is_ok())
}

/// The host itself.
pub(super) fn host(level: Level) -> Spec {
    spec("host", String::new(), level)
}

fn spec(source: &str, address: String, level: Level) -> Spec {
    Spec {
        source: source.to_owned(),
        address,
        level,
        ..Spec::default()
    }
}

/// Adds what to watch of a process.
pub(super) fn add(pid: Pid, map: &SocketMap, level: Level, found: &mut Discovered) {
    let program = name::program(pid).unwrap_or_default();
    let Some(entity) = name::entity_name(pid) else {
        return; // it ended just now
    };
    let kind = ProcessKind::of(pid, &program);
    let message = Message::new("watch-auto-found")
        .with("name", entity.as_str())
        .with("pid", pid.to_string());
    found.note(message);
    // By its port it is found again after a restart.
    let port = map.address(pid).filter(|_| map.is_own_space(pid));
    let port = port.map(|address| address.port().to_string());
    let by_port = port.unwrap_or_else(|| format!("pid:{pid}"));
    found.specs.push(spec("process", by_port.clone(), level));
    match kind {
        ProcessKind::Jvm => {
            found.specs.push(spec("jvm", by_port, level));
            add_actuator(pid, &entity, map, level, found);
        }
        ProcessKind::Nginx => add_nginx(pid, map, level, found),
        ProcessKind::Mysql => add_service("mysql", pid, 3306, map, level, found),
        ProcessKind::Haproxy => found
            .specs
            .push(spec("haproxy", format!("pid:{pid}"), level)),
        ProcessKind::PgBouncer => add_service("pgbouncer", pid, 6432, map, level, found),
        ProcessKind::PhpFpm => found
            .specs
            .push(spec("php-fpm", format!("pid:{pid}"), level)),
        ProcessKind::Postgres => add_service("postgresql", pid, 5432, map, level, found),
        ProcessKind::Redis => add_service("redis", pid, 6379, map, level, found),
        ProcessKind::Other if level >= Level::Capture && is_go(pid) => {
            add_pprof(pid, &entity, map, level, found);
        }
        ProcessKind::Other if level >= Level::Capture && program == "node" => {
            add_inspector(pid, &entity, map, level, found);
        }
        ProcessKind::Other => {}
    }
}

/// Whether a program is built by Go: the linker leaves what it was built from in a section of its own.
fn is_go(pid: Pid) -> bool {
    let Ok(file) = std::fs::File::open(format!("/proc/{pid}/exe")) else {
        return false;
    };
    let cache = object::ReadCache::new(file);
    object::File::parse(&cache).is_ok_and(|file| file.section_by_name(".go.buildinfo").is_some())
}

/// Go's pprof, at the first port where it responds.
fn add_pprof(pid: Pid, entity: &str, map: &SocketMap, level: Level, found: &mut Discovered) {
    let doors = map.doors(pid);
    let doors = doors.values().filter(|_| map.is_own_space(pid));
    let asked = &mut found.asked;
    let mut at = doors.filter_map(|door| {
        let path = asked.path(pid, *door, || ask::pprof(*door));
        path.map(|path| (*door, path))
    });
    if let Some((door, path)) = at.next() {
        let mut pprof = spec("pprof", format!("http://{door}{path}"), level);
        pprof.options.insert("name".to_owned(), entity.to_owned());
        found.specs.push(pprof);
    }
}

/// Ports at which Node.js has its inspector: of a process, and of those that a cluster starts.
const INSPECTORS: std::ops::Range<u16> = 9229..9261;

/// The inspector of a Node.js process, where it listens: at its usual ports, or where the command line says.
fn add_inspector(pid: Pid, entity: &str, map: &SocketMap, level: Level, found: &mut Discovered) {
    let line = file::read(format!("/proc/{pid}/cmdline")).unwrap_or_default();
    let named = line.split('\0').any(|word| word.starts_with("--inspect"));
    let doors = map.doors(pid);
    let doors = doors.values().filter(|_| map.is_own_space(pid));
    let mut likely = doors.filter(|door| named || INSPECTORS.contains(&door.port()));
    let asked = &mut found.asked;
    let mut is_one = |door: SocketAddr| asked.path(pid, door, || ask::inspector(door)).is_some();
    if let Some(door) = likely.find(|door| is_one(**door)) {
        let mut inspector = spec("node-inspector", format!("http://{door}"), level);
        inspector
            .options
            .insert("name".to_owned(), entity.to_owned());
        found.specs.push(inspector);
    }
}

/// Ports that must not be asked: a debugger's.
fn is_debugger(words: &[&str], port: u16) -> bool {
    let options = words.iter().filter(|word| word.contains("jdwp"));
    let mut addresses = options.filter_map(|word| word.split_once("address="));
    addresses.any(|(_, rest)| {
        let address = rest.split(',').next().unwrap_or_default();
        address.rsplit(':').next() == Some(port.to_string().as_str())
    })
}

fn add_actuator(pid: Pid, entity: &str, map: &SocketMap, level: Level, found: &mut Discovered) {
    let line = file::read(format!("/proc/{pid}/cmdline")).unwrap_or_default();
    let words: Vec<&str> = line.split('\0').collect();
    let setting = |name: &str| {
        let mut settings = words.iter().filter_map(|word| word.split_once('='));
        let value = settings.find(|(key, _)| key.trim_start_matches(['-', 'D']) == name);
        value.map(|(_, value)| value.to_owned())
    };
    let base = setting("management.endpoints.web.base-path");
    let base = base.unwrap_or_else(|| "/actuator".to_owned());
    let context = setting("server.servlet.context-path").unwrap_or_default();
    // A management port of its own has no context path.
    let hints = [format!("{context}{base}"), base];
    for (port, door) in map.doors(pid) {
        if is_debugger(&words, port) || !map.is_own_space(pid) {
            continue;
        }
        let path = found.asked.path(pid, door, || ask::actuator(door, &hints));
        if let Some(path) = path {
            let mut actuator = spec("actuator", format!("http://{door}{path}"), level);
            actuator
                .options
                .insert("name".to_owned(), entity.to_owned());
            found.specs.push(actuator);
            return;
        }
    }
    found.note(Message::new("watch-auto-no-actuator").with("name", entity));
}

fn add_nginx(pid: Pid, map: &SocketMap, level: Level, found: &mut Discovered) {
    let mut doors: Vec<SocketAddr> = map.doors(pid).into_values().collect();
    if !map.is_own_space(pid) {
        doors.clear();
    }
    let asked = &mut found.asked;
    let status = doors.iter().find_map(|door| {
        let path = asked.path(pid, *door, || ask::stub_status(*door));
        path.map(|path| format!("http://{door}{path}"))
    });
    if status.is_none() {
        found.note(Message::new("watch-auto-no-status"));
    }
    let mut nginx = spec("nginx", status.unwrap_or_default(), level);
    nginx.options.insert("pid".to_owned(), pid.to_string());
    found.specs.push(nginx);
}

/// A database or cache, at its usual port if it listens there, else at its first.
fn add_service(
    source: &str,
    pid: Pid,
    usual: u16,
    map: &SocketMap,
    level: Level,
    found: &mut Discovered,
) {
    let doors = map.doors(pid);
    let door = doors.get(&usual).or_else(|| doors.values().next());
    if let Some(door) = door.filter(|_| map.is_own_space(pid)) {
        found.specs.push(spec(source, door.to_string(), level));
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used, clippy::expect_used)]
mod tests {
    use super::*;

    #[test]
    fn a_debugger_is_not_asked() {
        let words = [
            "java",
            "-agentlib:jdwp=transport=dt_socket,server=y,suspend=n,address=*:5005",
        ];
        assert!(is_debugger(&words, 5005));
        assert!(!is_debugger(&words, 500));
        assert!(!is_debugger(&words[..1], 5005));
    }

    #[test]
    fn kinds_go_by_the_program() {
        let own = std::process::id();
        assert_eq!(ProcessKind::of(own, "mariadbd"), ProcessKind::Mysql);
        assert_eq!(ProcessKind::of(own, "nginx"), ProcessKind::Nginx);
        assert_eq!(ProcessKind::of(own, "sleep"), ProcessKind::Other);
    }
}
