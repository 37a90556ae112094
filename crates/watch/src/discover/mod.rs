//! Finding what belongs to a target on this host: the process that listens, its JVM, and the
//! processes it is connected to, in front and behind.

mod ask;
mod found;
mod local;
mod map;
mod specs;

use std::collections::BTreeSet;
use std::net::{SocketAddr, ToSocketAddrs};

use plimsoll_access::Reach;
use plimsoll_text::Message;

use crate::capture::Level;
use crate::collectors::nginx::in_force;
use crate::collectors::php_fpm;
use crate::proc::{Pid, find, name};
use map::SocketMap;

pub(crate) use ask::AskedDoors;
pub use found::Discovered;

/// Processes of a chain that are watched at most.
const MAX_PROCESSES: usize = 12;

/// Looks for what serves `target` (`host:port`) on this host. Asks services that listen here
/// on loopback whether they are an actuator or a stub_status, and changes nothing. Takes
/// seconds at most. Connections that are made only under load are not there before it: who
/// calls this again then finds more.
#[must_use]
pub fn around(target: &str, level: Level) -> Discovered {
    around_within(target, level, None, AskedDoors::default())
}

/// The same at addresses that may be reached alone, whatever the target's name leads to now; this program itself is
/// no target then.
///
/// `asked`: what earlier searches were told ([`Discovered::asked`]); what was asked often enough is not asked again.
pub(crate) fn around_within(
    target: &str,
    level: Level,
    reach: Option<&Reach>,
    asked: AskedDoors,
) -> Discovered {
    let mut found = Discovered {
        asked,
        ..Discovered::default()
    };
    let addresses: Vec<SocketAddr> = match target.to_socket_addrs() {
        Ok(addresses) => addresses
            .filter(|to| may_look(target, *to, reach))
            .collect(),
        Err(error) => {
            let message = Message::new("watch-auto-no-address")
                .with("target", target)
                .with("reason", error.to_string());
            found.note(message);
            return found;
        }
    };
    let Some((space, address)) = local::place(&addresses) else {
        found.note(Message::new("watch-auto-elsewhere").with("target", target));
        return found;
    };
    found.specs.push(specs::host(level));
    let map = SocketMap::read();
    let listener = map.listener(&space, address);
    let listener = listener.filter(|pid| reach.is_none() || *pid != std::process::id());
    let listener = listener.map(|pid| find::behind_forwarder(pid).unwrap_or(pid));
    let Some(pid) = listener else {
        let id = match map.listens(&space, address) {
            true => "watch-auto-hidden",
            false => "watch-auto-nobody",
        };
        found.note(Message::new(id).with("target", target));
        return found;
    };
    let mut chain = chain(&map, pid);
    add_named(&mut chain);
    add_workers(&map, &mut chain);
    for pid in &chain {
        specs::add(*pid, &map, level, &mut found);
    }
    for (caller, server) in map.elsewhere(&chain) {
        let name = name::entity_name(caller).unwrap_or_default();
        let message = Message::new("watch-auto-remote")
            .with("name", name)
            .with("server", server.to_string());
        found.note(message);
    }
    if map.hidden > 0 {
        found.note(not_all_seen(map.hidden));
    }
    found
}

/// So many sockets of others were not looked into.
fn not_all_seen(hidden: usize) -> Message {
    let root = match rustix::process::geteuid().is_root() {
        true => "yes",
        false => "no",
    };
    let message = Message::new("watch-auto-not-root").with("count", hidden);
    message.with("root", root)
}

/// Whether a target may lead to this address.
fn may_look(target: &str, to: SocketAddr, reach: Option<&Reach>) -> bool {
    let host = target.rsplit_once(':').map_or(target, |(host, _)| host);
    reach.is_none_or(|reach| reach.leads(host, to))
}

/// PHP-FPM mostly listens at Unix sockets, and is called anew for each request: before there is load nothing shows that
/// a web server calls it. One that a web server's configuration names is taken, and the only one of this host where that
/// cannot be read.
fn add_named(chain: &mut Vec<Pid>) {
    let servers = chain
        .iter()
        .copied()
        .filter(|pid| specs::is_web_server(*pid));
    let servers: Vec<Pid> = servers.collect();
    if servers.is_empty() {
        return;
    }
    let masters = php_fpm::masters();
    if masters.is_empty() {
        return;
    }
    let named = named_by(&servers);
    for pid in &masters {
        let is_called = match &named {
            Some(text) => php_fpm::listens(*pid).iter().any(|at| names(text, at)),
            None => masters.len() == 1,
        };
        if is_called && !chain.contains(pid) && chain.len() < MAX_PROCESSES {
            chain.push(*pid);
        }
    }
}

/// What the configuration of these servers says; none: that of one cannot be read.
fn named_by(servers: &[Pid]) -> Option<String> {
    let mut text = String::new();
    for pid in servers {
        let read = in_force::configuration(in_force::master_of(*pid)?).ok()?;
        read.files.iter().for_each(|(_, one)| text.push_str(one));
    }
    Some(text)
}

/// Whether a configuration names a place at which somebody listens: a path, or the port of an address.
fn names(configuration: &str, at: &str) -> bool {
    let at = match at.rsplit_once(':') {
        _ if at.starts_with('/') => at.to_owned(),
        Some((_, port)) => format!(":{port}"),
        None => format!(":{at}"),
    };
    let mut found = configuration.match_indices(&at);
    found.any(|(begins, _)| {
        let behind = configuration[begins + at.len()..].chars().next();
        !behind.is_some_and(|c| c.is_ascii_alphanumeric() || "./_-".contains(c))
    })
}

/// Who serves nobody and is connected to a database or a queue behind the target may be who answers, or who holds what
/// is waited for: a worker, a job.
fn add_workers(map: &SocketMap, chain: &mut Vec<Pid>) {
    let behind: Vec<Pid> = chain.iter().skip(1).copied().collect();
    for pid in behind.into_iter().filter(|pid| specs::is_shared(*pid)) {
        for client in map.clients(pid) {
            let is_new = client != std::process::id() && !chain.contains(&client);
            if is_new && chain.len() < MAX_PROCESSES {
                chain.push(client);
            }
        }
    }
}

/// The processes that a target's process is connected to, and those that these are.
fn chain(map: &SocketMap, first: Pid) -> Vec<Pid> {
    let mut chain = vec![first];
    let mut seen: BTreeSet<Pid> = [first, std::process::id()].into();
    let mut next = 0;
    while next < chain.len() && chain.len() < MAX_PROCESSES {
        for pid in map.neighbours(chain[next]) {
            if seen.insert(pid) && chain.len() < MAX_PROCESSES {
                chain.push(pid);
            }
        }
        next += 1;
    }
    chain
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use std::net::TcpListener;

    use super::*;

    #[test]
    fn a_name_that_leads_where_it_may_not_is_not_looked_at() {
        let named = Reach::parse(["shop.test"]).unwrap();
        let here = Reach::parse(["shop.test", "127.0.0.1"]).unwrap();
        let looks = |to: &str, reach| may_look("shop.test:80", to.parse().unwrap(), reach);
        assert!(looks("192.0.2.1:80", Some(&named)));
        for to in [
            "127.0.0.1:80",
            "[::1]:80",
            "[::ffff:127.0.0.1]:80",
            "169.254.1.1:80",
        ] {
            assert!(!looks(to, Some(&named)), "{to}");
            assert!(looks(to, None), "{to}");
        }
        assert!(looks("127.0.0.1:80", Some(&here)));
    }

    #[test]
    fn who_looks_for_others_is_no_target_of_theirs() {
        let own = TcpListener::bind(("127.0.0.1", 0)).unwrap();
        let target = own.local_addr().unwrap().to_string();
        let reach = Reach::parse(["127.0.0.1"]).unwrap();
        let for_others =
            around_within(&target, Level::Observe, Some(&reach), AskedDoors::default());
        assert!(!for_others.notes.is_empty());
        let elsewhere = Reach::parse(["192.0.2.0/24"]).unwrap();
        let refused = around_within(
            &target,
            Level::Observe,
            Some(&elsewhere),
            AskedDoors::default(),
        );
        assert!(refused.specs.is_empty(), "{:?}", refused.specs);
        assert!(around(&target, Level::Observe).specs.len() > for_others.specs.len());
    }

    #[test]
    fn a_configuration_names_places() {
        let text = "fastcgi_pass unix:/run/php/a.sock; fastcgi_pass 127.0.0.1:9000;";
        for at in ["/run/php/a.sock", "127.0.0.1:9000", "9000", "[::]:9000"] {
            assert!(names(text, at), "{at}");
        }
        for at in ["/run/php/a", "/run/php/b.sock", "127.0.0.1:900", "19000"] {
            assert!(!names(text, at), "{at}");
        }
        // Another socket's name may begin like it.
        assert!(!names(
            "fastcgi_pass unix:/run/php/a.sock2;",
            "/run/php/a.sock"
        ));
    }
}
