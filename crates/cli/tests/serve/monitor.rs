//! The target without load.

use std::time::Duration;

use serde_json::{Value, json};

use crate::client::Served;
use crate::common::folder;

/// Asks for the series of this host until there are some.
fn series(served: &Served, query: &str) -> Value {
    loop {
        let columns = served.get(&format!("/monitor/series{query}"));
        let columns_of = columns["series"].as_array().unwrap();
        let is_there = |series: &Value| {
            series["values"]
                .as_array()
                .unwrap()
                .iter()
                .any(|value| !value.is_null())
        };
        if columns_of.iter().any(is_there) {
            return columns;
        }
        std::thread::sleep(Duration::from_millis(100));
    }
}

#[test]
fn this_host_is_watched_and_kept() {
    let dir = folder();
    let served = Served::start_with(dir.path(), &["--monitor", "host"]);
    let cpu = series(&served, "?last_s=60&names=system.cpu.time");
    assert!(!cpu["series"].as_array().unwrap().is_empty(), "{cpu}");
    for series in cpu["series"].as_array().unwrap() {
        assert_eq!(series["name"], "system.cpu.time", "{series}");
        assert_eq!(
            series["values"].as_array().unwrap().len(),
            cpu["times_s"].as_array().unwrap().len()
        );
        // A rate of CPU time is a number of CPUs.
        let values = series["values"]
            .as_array()
            .unwrap()
            .iter()
            .filter_map(Value::as_f64);
        assert!(
            values
                .into_iter()
                .all(|value| (0.0..=4096.0).contains(&value)),
            "{series}"
        );
    }
    let coarse = series(&served, "?last_s=21600&points=10");
    assert!(
        coarse["times_s"].as_array().unwrap().len() <= 12,
        "{}",
        coarse["times_s"]
    );
    let now = served.get("/monitor");
    assert_eq!(now["sources"][0]["name"], "host", "{now}");
    let names = served.get("/monitor/series/names");
    assert!(names["items"].as_array().unwrap().len() > 5, "{names}");
    let headers = "Content-Type: application/json\r\n";
    let other = served.call(
        "PATCH",
        "/api/v1/settings",
        headers,
        &json!({"monitor": ["nothing=x"]}).to_string(),
    );
    assert_eq!(other.status, 400, "{other:?}");
    let none = served.call(
        "PATCH",
        "/api/v1/settings",
        headers,
        &json!({"monitor": []}).to_string(),
    );
    assert_eq!(none.status, 200, "{none:?}");
    assert!(
        served.get("/monitor/series/names")["items"]
            .as_array()
            .unwrap()
            .is_empty()
    );
}
