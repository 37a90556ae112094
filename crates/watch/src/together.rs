//! Sources that are watched side by side. What is named twice, or is named and found again by the search around a
//! target, is one thing: it is watched once, since whoever looks twice costs the target twice.

use std::cell::RefCell;
use std::net::IpAddr;
use std::rc::Rc;

use crate::collectors::process::subject::SubjectTarget;
use crate::proc::Pid;
use crate::source::Spec;

/// The source that searches around a target.
pub(crate) const SEARCH: &str = "auto";

/// Without what was named before: once, at the highest level that any of them allows.
#[must_use]
pub fn named_once(specs: Vec<Spec>) -> Vec<Spec> {
    let mut once: Vec<Spec> = Vec::with_capacity(specs.len());
    for spec in specs {
        match once.iter_mut().find(|known| is_named_again(known, &spec)) {
            Some(known) => {
                known.level = known.level.max(spec.level);
                known.host = known.host.take().or(spec.host);
            }
            None => once.push(spec),
        }
    }
    once
}

/// A search around one target finds the same, whatever its host is called.
fn is_named_again(known: &Spec, again: &Spec) -> bool {
    let is_same = known.source == again.source && known.address == again.address;
    let is_alike = known.host == again.host && known.options == again.options;
    is_same && (known.source == SEARCH || is_alike)
}

/// What is watched side by side so far.
#[derive(Debug, Clone, Default)]
pub(crate) struct Together(Rc<RefCell<Vec<Spec>>>);

impl Together {
    pub(crate) fn put(&self, spec: &Spec) {
        self.0.borrow_mut().push(spec.clone());
    }

    /// Takes in what a search has found; false: it is watched already, and as closely.
    pub(crate) fn take(&self, found: &Spec) -> bool {
        let known = self.0.borrow();
        let is_watched = known
            .iter()
            .any(|known| known.level >= found.level && is_same_thing(known, found));
        drop(known);
        if !is_watched {
            self.put(found);
        }
        !is_watched
    }
}

fn is_same_thing(known: &Spec, found: &Spec) -> bool {
    if known.source != found.source {
        return false;
    }
    if known.address == found.address && !found.options.contains_key("pid") {
        return true;
    }
    let is_one = |a: Option<Place>, b: Option<Place>| a.is_some() && a == b;
    is_one(place(&known.address), place(&found.address)) || {
        let pid = process(known);
        pid.is_some() && pid == process(found)
    }
}

/// The process that a source names, by its number, its port or its program; none: it names none that is there.
fn process(spec: &Spec) -> Option<Pid> {
    match spec.options.get("pid") {
        Some(pid) => pid.parse().ok(),
        None => SubjectTarget::parse(&spec.address)?.find().ok(),
    }
}

/// Host, port and path of an address. All names of this host are one; what databases have behind the port is no place.
type Place = (String, u16, String);

fn place(address: &str) -> Option<Place> {
    let (scheme, rest) = address.split_once("://").unwrap_or(("", address));
    let rest = rest.split(['?', '#']).next().unwrap_or_default();
    let (door, path) = rest.split_once('/').unwrap_or((rest, ""));
    let door = door.rsplit_once('@').map_or(door, |(_, door)| door);
    let (host, port) = door.rsplit_once(':')?;
    let bare = host.trim_start_matches('[').trim_end_matches(']');
    let is_own = bare == "localhost"
        || bare
            .parse::<IpAddr>()
            .is_ok_and(|ip| ip.to_canonical().is_loopback());
    let path = match scheme.starts_with("http") {
        true => path.trim_end_matches('/'),
        false => "",
    };
    let host = if is_own { "localhost" } else { bare };
    (!bare.is_empty()).then_some((host.to_owned(), port.parse().ok()?, path.to_owned()))
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use std::net::TcpListener;

    use super::*;
    use crate::capture::Level;

    fn spec(source: &str, address: &str) -> Spec {
        Spec {
            source: source.to_owned(),
            address: address.to_owned(),
            ..Spec::default()
        }
    }

    fn with(mut spec: Spec, name: &str, value: &str) -> Spec {
        spec.options.insert(name.to_owned(), value.to_owned());
        spec
    }

    fn captures(spec: Spec) -> Spec {
        Spec {
            level: Level::Capture,
            ..spec
        }
    }

    #[test]
    fn what_is_named_twice_is_named_once_at_the_higher_level() {
        let on = Spec {
            host: Some("app1".to_owned()),
            ..spec("auto", "shop:80")
        };
        let once = named_once(vec![
            on.clone(),
            spec("host", ""),
            captures(spec("auto", "shop:80")),
            spec("host", ""),
        ]);
        assert_eq!(once, [captures(on), spec("host", "")]);
        // What differs in a setting is another source.
        let mysql = spec("mysql", "db:3306");
        let several = vec![
            mysql.clone(),
            with(mysql, "user", "root"),
            spec("auto", "shop:81"),
        ];
        assert_eq!(named_once(several.clone()), several);
    }

    #[test]
    fn what_is_named_is_not_taken_up_again_by_whatever_address_it_is_found() {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let port = listener.local_addr().unwrap().port().to_string();
        let own = format!("pid:{}", std::process::id());
        for (named, found, is_same) in [
            (spec("process", &own), spec("process", &port), true),
            (
                spec("process", &format!(":{port}")),
                spec("process", &own),
                true,
            ),
            (spec("process", "pid:1"), spec("process", &own), false),
            (spec("jvm", &own), spec("process", &own), false),
            (spec("host", ""), spec("host", ""), true),
            (
                spec("mysql", "mysql://root@localhost:3306/shop"),
                spec("mysql", "127.0.0.1:3306"),
                true,
            ),
            (
                spec("mysql", "10.0.0.1:3306"),
                spec("mysql", "127.0.0.1:3306"),
                false,
            ),
            (
                spec("actuator", "http://localhost:8080/actuator/"),
                spec("actuator", "http://127.0.0.1:8080/actuator"),
                true,
            ),
            (
                spec("prometheus", "http://127.0.0.1:9090/metrics"),
                spec("prometheus", "http://127.0.0.1:9090/more"),
                false,
            ),
            (
                with(spec("nginx", "http://localhost:80/status"), "pid", "7"),
                with(spec("nginx", ""), "pid", "7"),
                true,
            ),
            (
                with(spec("nginx", ""), "pid", "7"),
                with(spec("nginx", ""), "pid", "8"),
                false,
            ),
        ] {
            let together = Together::default();
            together.put(&named);
            assert_eq!(together.take(&found), !is_same, "{named} {found}");
            assert!(!together.take(&found), "what was found is not found again");
        }
        let together = Together::default();
        together.put(&spec("process", &own));
        assert!(
            together.take(&captures(spec("process", &own))),
            "captures are more"
        );
    }
}
