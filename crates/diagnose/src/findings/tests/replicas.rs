//! Servers behind a proxy of which some get nothing.

use plimsoll_stats::series::EntityKind;
use serde_json::{Value, json};

use super::principles::{FRONT, calls, hop};
use crate::model::{Finding, Layer};
use crate::testing::{Made, thing};

const ALL: [(&str, &str); 3] = [
    ("app[8001]", "127.0.0.1:8001"),
    ("app[8002]", "127.0.0.1:8002"),
    ("app[8003]", "127.0.0.1:8003"),
];

/// 100 requests a second of 100 ms, spread so over three servers of which each has 2 workers; what the proxy's
/// configuration says.
fn spread(requests: [f64; 3], block: &str, servers: &str, choice: (&str, &str)) -> Made {
    let hops: Vec<Value> = ALL
        .iter()
        .zip(requests)
        .filter(|(_, each)| *each > 0.0)
        .map(|((process, address), each)| hop(FRONT, process, address, each, each / 100.0 * 9.5))
        .collect();
    let proxy = thing(EntityKind::Proxy, "haproxy");
    let mut made = calls(&hops, 9.5, Value::Null)
        .fact(&proxy, &format!("{block}.server"), servers)
        .fact(&proxy, &format!("{block}.{}", choice.0), choice.1);
    for (process, _) in ALL {
        let states = json!({"classes": [{"name": "worker", "threads": 2, "sleep": 2.0}]});
        let about = thing(EntityKind::Process, process);
        made = made.capture(&about, "thread_states", "steady", &states.to_string());
    }
    made
}

const HAPROXY: &str = "a 127.0.0.1:8001, b 127.0.0.1:8002, c 127.0.0.1:8003";
const SOURCE: (&str, &str) = ("balance", "source");

fn idle(made: &Made) -> Option<Finding> {
    made.all().into_iter().find(|it| it.id == "idle_replicas")
}

#[test]
fn one_that_is_full_while_others_get_nothing_is_led_by_that() {
    for (block, servers, choice) in [
        ("haproxy.shop", HAPROXY, SOURCE),
        (
            "nginx.http.upstream.shop",
            "127.0.0.1:8001 max_fails=3, 127.0.0.1:8002, 127.0.0.1:8003",
            ("ip_hash", ""),
        ),
    ] {
        let all = spread([100.0, 0.5, 0.0], block, servers, choice).all();
        let first = &all[0];
        assert_eq!(
            (first.id, first.layer),
            ("idle_replicas", Layer::Cause),
            "{all:#?}"
        );
        assert_eq!(first.object.name, "shop");
        // Two of three of what the full one takes.
        assert!(
            first.explains.share > 0.4 && first.explains.share < 0.67,
            "{first:?}"
        );
        let rest = all[1..].iter();
        let mut causes =
            rest.filter(|it| it.object.process == "app[8001]" && it.layer == Layer::Cause);
        assert_eq!(causes.next(), None);
    }
}

#[test]
fn spares_and_servers_that_have_their_share_are_none() {
    assert_eq!(
        idle(&spread([40.0, 30.0, 30.0], "haproxy.shop", HAPROXY, SOURCE)),
        None
    );
    let spare = "a 127.0.0.1:8001, b 127.0.0.1:8002 backup, c 127.0.0.1:8003 weight=0";
    assert_eq!(
        idle(&spread([100.0, 0.0, 0.0], "haproxy.shop", spare, SOURCE)),
        None
    );
    // Nothing comes this way at all.
    assert_eq!(
        idle(&spread([0.0, 0.0, 0.0], "haproxy.shop", HAPROXY, SOURCE)),
        None
    );
}
