//! Who watches hears nothing more once he may not.

use serde_json::json;

use crate::client::{Events, Response, Served};
use crate::common::folder;
use crate::shared::{LoggedIn, log_in, with_users_in};

/// Watches this host by what shows who calls; it is heard that something comes.
fn watching(served: &Served, headers: &str) -> Events {
    let mut events = served.watch_at("/monitor/live", headers);
    assert_eq!(events.next().expect("a second").name, "series");
    events
}

fn token(of: &LoggedIn<'_>, name: &str) -> (String, String) {
    let order = json!({"name": name, "role": "look", "days": 1});
    let made = of.call("POST", "/tokens", &order.to_string());
    assert_eq!(made.status, 201, "{made:?}");
    let text = |of: &Response, name: &str| of.json()[name].as_str().unwrap().to_owned();
    let secret = text(&made, "secret");
    let header = format!("Authorization: Bearer {secret}\r\n");
    (text(&made, "token"), header)
}

fn assert_done(response: &Response) {
    assert_eq!(response.status, 200, "{response:?}");
}

#[test]
fn a_stream_ends_with_the_right_of_its_watcher() {
    let dir = folder();
    let served = with_users_in(&dir, &["--monitor", "host"]);
    let administrator = log_in(&served, "administer");

    // A token that is taken back, beside one that stays.
    let runner = log_in(&served, "run");
    let (stays, stays_header) = token(&runner, "stays");
    let (goes, goes_header) = token(&runner, "goes");
    let (kept, ended) = (
        watching(&served, &stays_header),
        watching(&served, &goes_header),
    );
    assert_done(&runner.call("DELETE", &format!("/tokens/{goes}"), ""));
    assert!(ended.ends());

    // A login that ends.
    let looker = log_in(&served, "look");
    let ended = watching(&served, &looker.cookies());
    assert_done(&looker.call("DELETE", "/session", ""));
    assert!(ended.ends());

    // Another password ends the logins that began with the one before.
    let looker = log_in(&served, "look");
    let ended = watching(&served, &looker.cookies());
    let change = json!({"password": "another one 电池"});
    assert_done(&administrator.call("PATCH", "/users/look", &change.to_string()));
    assert!(ended.ends());

    // A role that is lowered, and still is enough: it goes on, as does the one beside what was taken back.
    let mut lowered = watching(&served, &runner.cookies());
    let change = json!({"role": "look"});
    assert_done(&administrator.call("PATCH", "/users/run", &change.to_string()));
    let mut kept = kept;
    for _ in 0..3 {
        assert_eq!(lowered.next().expect("it goes on").name, "series");
        assert_eq!(kept.next().expect("it goes on").name, "series");
    }

    // A user who goes takes his login and his tokens along.
    assert_done(&administrator.call("DELETE", "/users/run", ""));
    assert!(lowered.ends() && kept.ends());
    let gone = served.call("GET", "/api/v1/monitor/live", &stays_header, "");
    assert_eq!(gone.status, 401, "{stays}: {gone:?}");
}
