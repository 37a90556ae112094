//! What the watcher itself met: a server that takes no more connections limits whoever calls it, and what nobody
//! could look into is said not to have been watched.

use plimsoll_stats::ErrorKind;
use plimsoll_stats::series::EntityKind;
use plimsoll_text::{Lang, render};

use crate::model::Layer;
use crate::testing::{Made, thing};

const MYSQL: &str = "mysql 127.0.0.1:3306";

fn shop() -> Made {
    Made::load(100.0, 100.0)
        .process("mysqld[3306]", 0.1, 2.0)
        .process("java[8080]", 0.2, 2.0)
}

fn missing(made: &Made) -> Vec<String> {
    let all = made.diagnose().missing;
    all.iter()
        .map(|message| render(Lang::En, message))
        .collect()
}

#[test]
fn a_login_that_is_refused_names_the_full_server() {
    let failing = || shop().responded("500", 800);
    let made = failing().unseen(MYSQL, (2, None), "watch-server-full");
    let first = &made.all()[0];
    assert_eq!((first.id, first.layer), ("connection_limit", Layer::Cause));
    assert_eq!(first.object.name, "mysqld[3306]");
    let advice = &first.advice[0];
    assert_eq!(advice.setting.as_deref(), Some("max_connections"));
    assert_eq!(advice.current, None);
    let shown = render(Lang::En, &first.evidence[0].text);
    assert!(
        shown.contains("from 2 s on") && shown.contains("Too many connections"),
        "{shown}"
    );
    let told = missing(&made);
    assert!(told.iter().any(|told| told.contains(MYSQL)), "{told:?}");
    // It says more than that a user for it is missing.
    assert!(
        !told.iter().any(|told| told.contains("--watch mysql")),
        "{told:?}"
    );
    // Before the stretch, or for another reason: no limit.
    for (seconds, reason) in [
        ((-9, Some(-1)), "watch-server-full"),
        ((30, None), "watch-server-full"),
        ((2, None), "watch-mysql-denied"),
        ((2, None), "watch-server-slow"),
    ] {
        let made = failing().unseen(MYSQL, seconds, reason);
        assert_eq!(made.find("connection_limit"), None, "{seconds:?} {reason}");
    }
    // Nobody fails and nobody waits: a remark.
    let quiet = shop().unseen(MYSQL, (2, Some(4)), "watch-server-full");
    assert_eq!(quiet.find("connection_limit").unwrap().layer, Layer::Hint);
}

#[test]
fn a_login_that_is_refused_stands_beside_the_counters_of_the_server() {
    let cache = thing(EntityKind::Cache, "redis:6379");
    let made = Made::load(100.0, 100.0)
        .errors(ErrorKind::CheckFailed, 300)
        .gauge(&cache, "redis.clients.connected", &[], 10.0)
        .fact(&cache, "redis.maxclients", "10")
        .unseen(
            "redis details 127.0.0.1:6379",
            (2, Some(7)),
            "watch-server-full",
        );
    let found = made.all();
    let limits: Vec<_> = found
        .iter()
        .filter(|one| one.id == "connection_limit")
        .collect();
    assert_eq!(limits.len(), 1, "{limits:?}");
    assert_eq!(limits[0].object.name, "redis:6379");
    let shown = render(Lang::En, &limits[0].evidence[1].text);
    assert!(shown.contains("from 2 s to 7 s"), "{shown}");
}

#[test]
fn what_nobody_could_look_into_is_told_once_and_only_where_it_was_not_seen() {
    let made = shop()
        .unseen(MYSQL, (0, None), "watch-mysql-denied")
        .unseen(
            "mysql statements 127.0.0.1:3306",
            (0, None),
            "watch-mysql-denied",
        );
    let told = missing(&made);
    let told = told.iter().filter(|told| told.contains("3306")).count();
    assert_eq!(told, 1);
    // With other credentials it was seen.
    let database = thing(EntityKind::Database, "mysql:3306");
    let seen = made.gauge(&database, "mysql.threads", &[], 1.0);
    assert!(
        !missing(&seen)
            .iter()
            .any(|told| told.contains("127.0.0.1:3306"))
    );
}
