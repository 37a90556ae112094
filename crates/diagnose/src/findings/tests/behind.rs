//! Without packets: what waits in a proxy, and what waits behind it.

use plimsoll_stats::series::EntityKind;

use crate::testing::{Made, thing};

const PROXY: &str = "nginx[80]";
const SERVER: &str = "java[8080]";

/// Ten requests of 250 ms at a proxy, more of which bring no more throughput; it has so many connections to the server
/// behind it.
fn proxied(connections: f64) -> Made {
    let host = thing(EntityKind::Host, "");
    let with = [
        ("network.connection.state", "established"),
        ("server.address", "127.0.0.1"),
        ("server.port", "8080"),
    ];
    Made::load(40.0, 250.0)
        .users(10)
        .at("http://127.0.0.1:80/")
        .process(PROXY, 0.05, 2.0)
        .process(SERVER, 0.1, 2.0)
        .gauge(
            &host,
            "system.network.peer.connection.count",
            &with,
            connections,
        )
        .fastest(180.0)
        .completes(&[], 150.0)
        .raised_by_half(375.0)
}

/// The same with what its configuration says.
fn told(connections: f64, facts: &[(&str, &str)]) -> Made {
    let proxy = thing(EntityKind::Proxy, "nginx:80");
    let made = proxied(connections);
    facts
        .iter()
        .fold(made, |made, (name, value)| made.fact(&proxy, name, value))
}

fn limited(made: &Made) -> Option<String> {
    let found = made.find("concurrency_limit");
    found.map(|it| it.object.name)
}

const PASSES: [(&str, &str); 2] = [
    ("nginx.http.server.location[/].proxy_pass", "http://shop"),
    (
        "nginx.http.upstream.shop.server",
        "127.0.0.1:8080 max_fails=0",
    ),
];
const DIRECTLY: (&str, &str) = (
    "nginx.http.server.location[/].proxy_pass",
    "http://localhost:8080/shop",
);

#[test]
fn what_a_proxy_has_passed_on_waits_behind_it() {
    assert_eq!(limited(&told(9.8, &PASSES)).as_deref(), Some(SERVER));
    assert_eq!(limited(&told(9.8, &[DIRECTLY])).as_deref(), Some(SERVER));
}

#[test]
fn what_a_proxy_has_not_passed_on_waits_in_it() {
    assert_eq!(limited(&told(2.0, &PASSES)).as_deref(), Some(PROXY));
    // One that passes nothing on has them itself.
    let serves = ("nginx.http.server.root", "/srv/www");
    assert_eq!(limited(&told(0.0, &[serves])).as_deref(), Some(PROXY));
}

#[test]
fn where_nobody_knows_a_proxy_is_not_blamed() {
    assert_eq!(limited(&proxied(9.8)), None);
    let unseen = [(
        "nginx.http.server.location[/].proxy_pass",
        "http://unix:/run/shop.sock",
    )];
    assert_eq!(limited(&told(9.8, &unseen)), None);
}
