//! What follows from something that is found, and of whom.

use serde_json::Value;

use super::principles::{BACK, FRONT, calls, hop};
use crate::findings::connection_limit;
use crate::findings::consequences::{limits, settle};
use crate::model::{Explains, Finding, FindingObject, Layer, ShareOf};
use crate::testing::Made;

fn of(id: &'static str, host: &str, process: &str, share: f64) -> Finding {
    let about = FindingObject {
        kind: "process",
        name: process.to_owned(),
        host: host.to_owned(),
        process: process.to_owned(),
    };
    Finding::new(
        id,
        Layer::Cause,
        about,
        Explains::new(share, ShareOf::ResponseTime),
    )
}

#[test]
fn every_full_host_explains_its_own_pools() {
    for hosts in 1..4 {
        let made = Made::load(100.0, 200.0);
        let names: Vec<String> = (0..=hosts).map(|at| format!("host{at}")).collect();
        let mut found: Vec<Finding> = names
            .iter()
            .map(|host| of("connection_pool", host, "java[80]", 0.5))
            .collect();
        found.extend(names[1..].iter().map(|host| of("host_cpu", host, "", 0.6)));
        settle(&made.scene(), &mut found);
        // The first has a host with room.
        for (at, pool) in found[..=hosts].iter().enumerate() {
            assert_eq!(limits(pool), at == 0, "{pool:?}");
        }
    }
}

#[test]
fn a_full_store_explains_pools_of_those_that_call_it() {
    let seen = calls(
        &[hop(FRONT, BACK, "127.0.0.1:8001", 100.0, 5.0)],
        5.0,
        Value::Null,
    );
    let unseen = Made::load(100.0, 100.0);
    for (made, store, explained) in [
        (&seen, BACK, true),
        (&seen, "redis-server[6379]", false),
        (&unseen, "redis-server[6379]", true),
    ] {
        let pool = of("outgoing_pool", "web", FRONT, 0.5);
        let mut found = vec![pool, of(connection_limit::ID, "web", store, 0.6)];
        settle(&made.scene(), &mut found);
        assert_eq!(limits(&found[0]), !explained, "{store}");
    }
}

#[test]
fn who_is_not_on_the_way_waits_for_nothing_that_is() {
    let made = calls(
        &[hop(FRONT, BACK, "127.0.0.1:8001", 100.0, 5.0)],
        5.0,
        Value::Null,
    );
    for (process, explained) in [(FRONT, true), ("java[8080]", false)] {
        let mut found = vec![
            of("slow_dependency", "web", process, 0.5),
            of("lock", "web", BACK, 0.5),
        ];
        settle(&made.scene(), &mut found);
        assert_eq!(limits(&found[0]), !explained, "{process}");
    }
}
