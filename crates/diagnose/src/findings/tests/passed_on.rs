//! Who passes each request on as it came has no more at work than connections to do so.

use plimsoll_stats::series::EntityKind;
use serde_json::{Value, json};

use super::principles::{FRONT, hop, serves};
use crate::account::AccountPlateau;
use crate::testing::{Made, thing};

const POOLER: &str = "pooler[6432]";
const STORE: &str = "postgres[5432]";

/// 24 requests of 240 ms, of which 20 are in what passes statements on over so many connections, some of them opened
/// meanwhile. Nobody saw a request alone: with half of the load each took half as long.
fn pooled(connections: f64, opened: f64, protocol: &str) -> Vec<AccountPlateau> {
    let speaks = |mut hop: Value, protocol: &str| {
        hop["protocol"] = json!(protocol);
        hop
    };
    let mut on = speaks(hop(POOLER, STORE, "127.0.0.1:5432", 300.0, 0.1), protocol);
    (on["connections"], on["opened"]) = (json!(connections), json!(opened));
    let mut asks = speaks(
        hop(FRONT, POOLER, "127.0.0.1:6432", 200.0, 20.0),
        "postgres",
    );
    // Not always as many as ever, so that these are no limit.
    let shares = json!([[16, 0.3], [20, 0.4], [24, 0.3]]);
    asks["in_flight"] = json!({"mean": 20.0, "max": 24, "shares": shares});
    let mut front = serves(FRONT, 100.0, 24.0, 20.0);
    let times = |in_flight: u32, mean_ms: f64| json!({"in_flight": in_flight, "requests": 60, "mean_ms": mean_ms});
    front["times_by_number"] = json!([times(12, 120.0), times(24, 240.0)]);
    let wire = json!({
        "version": 1, "lasts_ms": 3000.0,
        "hops": [
            speaks(hop("plimsoll[7]", FRONT, "127.0.0.1:8000", 100.0, 24.0), "http1"),
            asks,
            on,
        ],
        "processes": [front, serves(POOLER, 200.0, 20.0, 0.1), serves(STORE, 300.0, 0.1, 0.0)],
    });
    let made = Made::load(100.0, 240.0)
        .users(24)
        .at("http://127.0.0.1:8000/")
        .process(FRONT, 0.1, 2.0)
        .process(POOLER, 0.05, 2.0)
        .process(STORE, 0.05, 2.0)
        .capture(
            &thing(EntityKind::Host, ""),
            "wire",
            "steady",
            &wire.to_string(),
        );
    made.scene().account().unwrap().plateaus.clone()
}

#[test]
fn no_more_work_than_there_are_connections_to_pass_it_on() {
    let number = |places: &[AccountPlateau]| {
        assert_eq!(places[0].process, POOLER, "{places:?}");
        places[0].number
    };
    assert_eq!(number(&pooled(6.0, 2.0, "postgres")), 4.0);
    // More than seem to be at work; opened for each; of another kind: they say nothing.
    for said in [
        (80.0, 0.0, "postgres"),
        (300.0, 298.0, "postgres"),
        (4.0, 0.0, "http2"),
    ] {
        assert_eq!(number(&pooled(said.0, said.1, said.2)), 12.0, "{said:?}");
    }
}
