//! Servers that stand for each other behind a proxy, by its configuration, and what packets say that each of them gets.

use super::wire;
use crate::scene::Scene;

/// The part of a setting's name that its servers stand under, in the facts of nginx and HAProxy.
const SERVERS: &str = ".server";
/// Words of a server that is used only if others fail, or not at all.
const SPARE: [&str; 4] = ["backup", "down", "disabled", "weight=0"];

/// One of them.
#[derive(Debug, Clone, Default, PartialEq)]
pub(crate) struct Replica {
    pub address: String,
    /// What serves there; empty: not known.
    pub process: String,
    pub requests_per_s: f64,
}

/// All of them.
#[derive(Debug, Clone, Default, PartialEq)]
pub(crate) struct Replicas {
    /// The proxy's, and its host.
    pub proxy: String,
    pub host: String,
    /// The name of the group, without the program's: `backend shop` as `shop`.
    pub group: String,
    /// How the proxy chooses one of them, if it says so: the setting and its value.
    pub chosen_by: Option<(String, String)>,
    pub all: Vec<Replica>,
}

/// Settings that say how one is chosen: those that nginx has as names, and HAProxy's one.
const CHOICES: [&str; 5] = ["ip_hash", "hash", "least_conn", "random", "balance"];

/// Groups of at least two, where packets were seen.
pub(crate) fn replicas(scene: &Scene<'_>) -> Vec<Replicas> {
    let Some(wire) = wire::read(scene) else {
        return Vec::new();
    };
    let of = |address: &str| {
        let hops = || wire.hops.iter().filter(|hop| hop.address == address);
        let named = hops().find(|hop| hop.server.is_known());
        Replica {
            address: address.to_owned(),
            process: named.map_or_else(String::new, |hop| hop.server.process.clone()),
            requests_per_s: hops().map(|hop| hop.requests_per_s).sum(),
        }
    };
    let groups = scene
        .facts_ending(SERVERS)
        .filter_map(|(proxy, name, value)| {
            let block = name.strip_suffix(SERVERS)?;
            let all: Vec<Replica> = value.split(", ").filter_map(address).map(of).collect();
            let chosen_by = CHOICES.iter().find_map(|setting| {
                let value = scene.fact(proxy, &format!("{block}.{setting}"))?;
                Some(((*setting).to_owned(), value.to_owned()))
            });
            (all.len() >= 2).then(|| Replicas {
                proxy: proxy.name.clone(),
                host: proxy.host.clone(),
                group: block.rsplit('.').next().unwrap_or(block).to_owned(),
                chosen_by,
                all,
            })
        });
    groups.collect()
}

/// The address of a server in the words of a configuration; none: it has none, or is a spare.
fn address(server: &str) -> Option<&str> {
    let mut words = server.split_whitespace();
    let is_spare = words.clone().any(|word| SPARE.contains(&word));
    words.find(|word| word.contains(':')).filter(|_| !is_spare)
}
