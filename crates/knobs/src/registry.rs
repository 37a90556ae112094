//! All knobs.

use crate::families::{
    cgroup, druid, hikari, jetty, jvm, kernel, logging, mysql, nginx, php_fpm, postgres, redis,
    redis_client, runtime, spring, tomcat, undertow,
};
use crate::knob::{Family, Knob, Spelling};

/// All families: a file and a line each.
pub const FAMILIES: &[Family] = &[
    tomcat::FAMILY,
    jetty::FAMILY,
    undertow::FAMILY,
    spring::FAMILY,
    hikari::FAMILY,
    druid::FAMILY,
    redis_client::FAMILY,
    logging::FAMILY,
    jvm::FAMILY,
    nginx::FAMILY,
    php_fpm::FAMILY,
    mysql::FAMILY,
    redis::FAMILY,
    postgres::FAMILY,
    runtime::FAMILY,
    kernel::FAMILY,
    cgroup::FAMILY,
];

/// All knobs, in the order of their families.
pub fn all() -> impl Iterator<Item = &'static Knob> {
    FAMILIES.iter().flat_map(|family| family.knobs)
}

/// The knob of an id.
#[must_use]
pub fn find(id: &str) -> Option<&'static Knob> {
    all().find(|knob| knob.id == id)
}

/// The knob that a setting is, as its server calls it, and how a value of it is spelled there:
/// `server.tomcat.threads.max`, `-Xmx`, `worker_connections`, `backend: keepalive` (of an upstream). `None`
/// also where several servers have a setting of that name.
#[must_use]
pub fn named(setting: &str) -> Option<(&'static Knob, Spelling)> {
    let setting = setting.trim();
    let own;
    let wanted = match setting.split_once(": ") {
        Some((_, directive)) => {
            own = format!("upstream > {directive}");
            own.as_str()
        }
        None if setting.starts_with("logging.level.") => "logging.level.root",
        // `LimitNOFILE / ulimit -n`: what the same is called elsewhere.
        None => setting.split(" / ").next().unwrap_or(setting),
    };
    // Programs take dashes for underscores in options, and names in any case.
    let plain = |name: &str| name.to_ascii_lowercase().replace('-', "_");
    let ends = |address: &str| {
        let at = address.len() - wanted.len().min(address.len());
        let Some((before, name)) = address.split_at_checked(at) else {
            return false;
        };
        plain(name) == plain(wanted)
            && (before.is_empty() || before.ends_with("> ") || before.ends_with("] "))
    };
    let mut found: Option<(&Knob, Spelling)> = None;
    for knob in all() {
        if let Some(place) = knob.places.iter().find(|place| ends(place.address)) {
            if found.is_some() {
                return None;
            }
            found = Some((knob, place.spelling));
        }
    }
    found
}
