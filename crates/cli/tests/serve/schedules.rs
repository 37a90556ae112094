//! Runs at set times, and who hears of runs.

use std::io::{BufRead as _, BufReader, Read as _, Write as _};
use std::net::TcpListener;
use std::process::{Command, Stdio};
use std::sync::mpsc::{Receiver, channel};
use std::time::Duration;

use serde_json::{Value, json};

use crate::assert_as_described;
use crate::client::Served;
use crate::common::json::assert_fits;
use crate::common::{Server, folder};
use crate::shared::{log_in, with_users_in};

/// A run of a second against a service.
fn order(target: &Server) -> Value {
    json!({"url": target.url("/hello"), "rate": "20/s", "duration": "1s", "goals": ["p95 < 0 ms"]})
}

fn until(mut is_so: impl FnMut() -> bool) {
    while !is_so() {
        std::thread::sleep(Duration::from_millis(50));
    }
}

#[test]
fn a_schedule_begins_runs_and_is_kept() {
    let (dir, target) = (folder(), Server::start());
    let mut served = Served::start(dir.path());
    let nightly = json!({
        "name": "夜间", "cron": "30 2 * * *", "zone": "Asia/Shanghai", "order": order(&target),
    });
    let made = served.post("/schedules", &nightly);
    assert_eq!(made.status, 201, "{made:?}");
    let made = made.json();
    // 02:30 in Shanghai is 18:30 UTC the day before, in every season.
    assert!(
        made["next"].as_str().unwrap().contains("T18:30:00"),
        "{made}"
    );
    let schedule = made["schedule"].as_str().unwrap();
    let path = format!("/schedules/{schedule}");
    let begun = served.post(&format!("{path}/run"), &json!({}));
    assert_eq!(begun.status, 201, "{begun:?}");
    let run = begun.json()["id"].as_str().unwrap().to_owned();
    until(|| served.get(&format!("/runs/{run}"))["state"] == "finished");
    assert!(!target.requests().is_empty());
    let known = served.get(&path);
    assert_eq!(known["last"]["run"], run.as_str(), "{known}");
    assert_as_described(
        &served.get("/openapi.json"),
        "/api/v1/schedules/{schedule}",
        &known,
    );
    // Who comes after a server that was killed has it.
    served.kill();
    let served = Served::start(dir.path());
    assert_eq!(served.get(&path), known);
    let call = |method: &str, body: Value| {
        let headers = "Content-Type: application/json\r\n";
        served.call(
            method,
            &format!("/api/v1{path}"),
            headers,
            &body.to_string(),
        )
    };
    let off = call("PATCH", json!({"enabled": false}));
    assert_eq!(off.json()["next"], Value::Null, "{off:?}");
    let wrong = call("PATCH", json!({"cron": "every night"}));
    assert_eq!(wrong.status, 400, "{wrong:?}");
    for (what, field, value, status) in [
        ("a time that is none", "cron", json!("61 2 * * *"), 400),
        ("a zone that is none", "zone", json!("Mars/Base"), 400),
        ("no name", "name", json!(" "), 400),
        ("nothing to run", "order", json!({}), 400),
        (
            "a plan with mistakes",
            "order",
            json!({"plan": "x: 1"}),
            422,
        ),
    ] {
        let mut wrong = nightly.clone();
        wrong[field] = value;
        let refused = served.post("/schedules", &wrong);
        assert_eq!(refused.status, status, "{what}: {refused:?}");
    }
    assert_eq!(call("DELETE", json!({})).status, 200);
    assert_eq!(served.get("/schedules")["items"], json!([]));
}

#[test]
fn a_schedule_of_somebody_who_has_gone_begins_nothing() {
    let (dir, target) = (folder(), Server::start());
    let host = target.url("/");
    let host = host.trim_start_matches("http://").trim_end_matches('/');
    let served = with_users_in(&dir, &["--allow-host", host]);
    let nightly = json!({"name": "n", "cron": "0 2 * * *", "zone": "UTC", "order": order(&target)});
    let made = log_in(&served, "run").call("POST", "/schedules", &nightly.to_string());
    assert_eq!(made.status, 201, "{made:?}");
    let made = made.json();
    assert_eq!(made["by"], "run", "{made}");
    let path = format!("/schedules/{}", made["schedule"].as_str().unwrap());
    let administrator = log_in(&served, "administer");
    assert_eq!(administrator.call("DELETE", "/users/run", "").status, 200);
    let refused = administrator.call("POST", &format!("{path}/run"), "{}");
    assert_eq!(refused.status, 403, "{refused:?}");
    let known = administrator.call("GET", &path, "").json();
    assert!(known["last"]["error"]["zh"].is_string(), "{known}");
    assert!(target.requests().is_empty());
}

/// A receiver that takes requests with a status each; gives its address, and their heads and bodies.
fn receiver(statuses: &'static [&'static str]) -> (String, Receiver<(String, String)>) {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let address = listener.local_addr().unwrap().to_string();
    let (tells, hears) = channel();
    std::thread::spawn(move || {
        for status in statuses {
            let (mut stream, _) = listener.accept().unwrap();
            let mut reader = BufReader::new(stream.try_clone().unwrap());
            let mut head = String::new();
            while !head.ends_with("\r\n\r\n") {
                assert!(reader.read_line(&mut head).unwrap() > 0);
            }
            let length = head.to_ascii_lowercase();
            let (_, length) = length.split_once("content-length: ").unwrap();
            let mut body = vec![0; length.lines().next().unwrap().parse().unwrap()];
            reader.read_exact(&mut body).unwrap();
            let _ = write!(
                stream,
                "HTTP/1.1 {status}\r\nContent-Length: 2\r\nConnection: close\r\n\r\nok"
            );
            // Whoever hears no more needs none.
            let _ = tells.send((head, String::from_utf8(body).unwrap()));
        }
    });
    (address, hears)
}

/// The value of a header.
fn header<'a>(head: &'a str, name: &str) -> &'a str {
    let mut lines = head.lines().filter_map(|line| line.split_once(": "));
    let found = lines.find(|(known, _)| known.eq_ignore_ascii_case(name));
    found.unwrap_or_else(|| panic!("{name}: {head}")).1
}

/// What OpenSSL says of a text and a key.
fn hmac(key: &str, text: &str) -> String {
    let mut child = Command::new("openssl")
        .args(["dgst", "-sha256", "-hmac", key])
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    child
        .stdin
        .take()
        .unwrap()
        .write_all(text.as_bytes())
        .unwrap();
    let told = String::from_utf8(child.wait_with_output().unwrap().stdout).unwrap();
    told.trim().rsplit(' ').next().unwrap().to_owned()
}

const SECRET: &str = "a secret of the receiver";

#[test]
fn who_wants_to_know_hears_of_a_run_signed() {
    let (dir, target) = (folder(), Server::start());
    // What is moved is followed nowhere, and what is broken is tried again.
    let (address, hears) = receiver(&["200 OK", "302 Found\r\nLocation: /else", "503 Busy"]);
    let environment = [
        ("PLIMSOLL_WEBHOOK_SECRET", SECRET),
        ("PLIMSOLL_WEBHOOK_PATH", "t0ken"),
    ];
    let served = Served::start_in(dir.path(), &["--allow-webhook", &address], &environment);
    let hook = json!({
        "name": "ops", "kind": "generic", "events": ["begin", "end", "verdict"],
        "url": format!("http://{address}/hook/${{PLIMSOLL_WEBHOOK_PATH}}"),
        "secret_env": "PLIMSOLL_WEBHOOK_SECRET",
    });
    let made = served.post("/webhooks", &hook);
    assert_eq!(made.status, 201, "{made:?}");
    assert_eq!(
        made.json()["url"],
        format!("http://{address}/…"),
        "{made:?}"
    );
    let webhook = made.json()["webhook"].as_str().unwrap().to_owned();
    let begun = served.post("/runs", &order(&target)).json();
    let run = begun["id"].as_str().unwrap();
    let schema: Value =
        serde_json::from_str(include_str!("../../../../schema/webhook.schema.json")).unwrap();
    for event in ["begin", "end", "verdict"] {
        let (head, body) = hears.recv_timeout(Duration::from_secs(120)).unwrap();
        assert!(head.starts_with("POST /hook/t0ken HTTP/1.1"), "{head}");
        let stamp = header(&head, "X-Plimsoll-Timestamp");
        let signed = header(&head, "X-Plimsoll-Signature");
        assert_eq!(
            signed,
            format!("sha256={}", hmac(SECRET, &format!("{stamp}.{body}")))
        );
        let told: Value = serde_json::from_str(&body).unwrap();
        assert_fits(&schema, &told);
        assert_eq!(
            (&told["event"], &told["run"]),
            (&json!(event), &json!(run)),
            "{told}"
        );
        if event != "begin" {
            assert_eq!(
                told["verdict"],
                served.get(&format!("/runs/{run}"))["verdict"]
            );
        }
    }
    let path = format!("/webhooks/{webhook}/deliveries");
    until(|| {
        let known = served.get(&path);
        let items = known["items"].as_array().unwrap();
        items.iter().all(|it| it["attempts"].as_u64() > Some(0))
    });
    let known = served.get(&path);
    let states: Vec<(&Value, &Value)> = known["items"]
        .as_array()
        .unwrap()
        .iter()
        .map(|it| (&it["state"], &it["status"]))
        .collect();
    let expected = [("waits", 503), ("refused", 302), ("delivered", 200)];
    let expected: Vec<(Value, Value)> = expected
        .iter()
        .map(|(state, status)| (json!(state), json!(status)))
        .collect();
    let expected: Vec<(&Value, &Value)> = expected.iter().map(|(a, b)| (a, b)).collect();
    assert_eq!(states, expected, "{known:#}");
    for text in [known.to_string(), served.get("/webhooks").to_string()] {
        assert!(!text.contains("t0ken") && !text.contains(SECRET), "{text}");
    }
}

#[test]
fn nothing_is_sent_to_own_networks_that_nobody_allowed() {
    let dir = folder();
    let (address, hears) = receiver(&["200 OK"]);
    let port = address.rsplit(':').next().unwrap();
    let hosts = ["127.0.0.1", "localhost", "[::ffff:127.0.0.1]", "0x7f.1"];
    let hook = |host: &str| {
        json!({
            "name": "x", "kind": "feishu", "events": ["end"], "url": format!("http://{host}:{port}/"),
        })
    };
    // What may be on this server may not be on the next one over the same folder.
    let open = [
        "--allow-webhook",
        "localhost",
        "--allow-webhook",
        "127.0.0.1",
    ];
    let mut served = Served::start_with(dir.path(), &open);
    let kept = hosts.map(|host| served.post("/webhooks", &hook(host)));
    let kept = kept.iter().filter(|made| made.status == 201);
    let kept: Vec<String> = kept
        .map(|made| made.json()["webhook"].as_str().unwrap().to_owned())
        .collect();
    assert!(!kept.is_empty());
    served.kill();
    let served = Served::start(dir.path());
    for host in hosts {
        let refused = served.post("/webhooks", &hook(host));
        assert_eq!(refused.status, 400, "{host}: {refused:?}");
        let told = refused.json();
        assert_eq!(told["field"], "url", "{told}");
        let why = told["detail"].as_str().unwrap();
        assert!(why.contains("--allow-webhook"), "{told}");
    }
    for webhook in kept {
        let tested = served.post(&format!("/webhooks/{webhook}/test"), &json!({}));
        assert_eq!(tested.status, 200, "{tested:?}");
        let known = tested.json();
        assert_eq!(known["state"], "refused", "{known}");
        for lang in ["en", "zh"] {
            let why = known["reason"][lang].as_str().unwrap();
            assert!(why.contains("--allow-webhook"), "{known}");
        }
    }
    assert!(hears.try_recv().is_err());
}

#[test]
fn a_test_tells_what_the_receiver_said() {
    let dir = folder();
    let (address, _hears) = receiver(&["200 OK", "410 Gone"]);
    let served = Served::start_with(dir.path(), &["--allow-webhook", "127.0.0.1"]);
    let hook = |url: String| json!({"name": "x", "kind": "generic", "events": ["end"], "url": url});
    let made = served
        .post("/webhooks", &hook(format!("http://{address}/")))
        .json();
    let test = |made: &Value| {
        let webhook = made["webhook"].as_str().unwrap();
        let told = served.post(&format!("/webhooks/{webhook}/test"), &json!({}));
        assert_eq!(told.status, 200, "{told:?}");
        let log = served.get(&format!("/webhooks/{webhook}/deliveries"));
        assert_eq!(log["items"][0], told.json());
        told.json()
    };
    let told = test(&made);
    assert_eq!(told["state"], "delivered", "{told}");
    assert_eq!(
        (&told["status"], &told["response"]),
        (&json!(200), &json!("ok"))
    );
    let told = test(&made);
    assert_eq!(
        (&told["state"], &told["status"]),
        (&json!("refused"), &json!(410))
    );
    assert!(
        told["reason"]["zh"].as_str().unwrap().contains("410"),
        "{told}"
    );
    // Nobody listens there: what the system says of it is told in both languages, and it is not tried again.
    let made = served
        .post("/webhooks", &hook("http://127.0.0.1:1/".to_owned()))
        .json();
    let told = test(&made);
    assert_eq!(
        (&told["state"], &told["next"]),
        (&json!("given_up"), &Value::Null)
    );
    let why = told["reason"]["zh"].as_str().unwrap();
    assert!(!why.contains("refused"), "{told}");
    // A variable that is not set is refused where it is named.
    let mut unset = hook(format!("http://{address}/${{PLIMSOLL_WEBHOOK_NONE}}"));
    assert_eq!(served.post("/webhooks", &unset).json()["field"], "url");
    unset = hook(format!("http://{address}/"));
    unset["secret_env"] = json!("PLIMSOLL_WEBHOOK_NONE");
    assert_eq!(
        served.post("/webhooks", &unset).json()["field"],
        "secret_env"
    );
}

#[test]
fn who_wants_to_know_hears_of_measurements() {
    let (dir, target) = (folder(), Server::start());
    let (address, hears) = receiver(&["200 OK"; 5]);
    let served = Served::start_with(dir.path(), &["--allow-webhook", &address]);
    let hook = json!({
        "name": "ops", "kind": "generic", "events": ["begin", "end", "verdict"],
        "url": format!("http://{address}/"),
    });
    assert_eq!(served.post("/webhooks", &hook).status, 201);
    let schema: Value =
        serde_json::from_str(include_str!("../../../../schema/webhook.schema.json")).unwrap();
    let heard = || {
        let (_, body) = hears.recv_timeout(Duration::from_secs(120)).unwrap();
        let told: Value = serde_json::from_str(&body).unwrap();
        assert_fits(&schema, &told);
        told
    };
    let repeat = json!({"kind": "repeat", "times": 1, "order": order(&target)});
    let dead = json!({"kind": "hops", "hops": ["a=http://127.0.0.1:1/", "b=http://127.0.0.1:1/b"], "rounds": 1, "round_s": 1,
        "order": order(&target)});
    for (what, kind, states) in [
        (&repeat, "repeat", &["running", "finished"][..]),
        (&dead, "hops", &["running", "failed", "failed"]),
    ] {
        let created = served.post("/measurements", what);
        assert_eq!(created.status, 201, "{created:?}");
        let events = ["begin", "end", "verdict"];
        for (state, event) in states.iter().zip(events) {
            let told = heard();
            assert_eq!(told["kind"], kind, "{told}");
            assert_eq!(told["event"], event, "{told}");
            assert_eq!(told["state"], *state, "{told}");
            assert_eq!(told["verdict"], Value::Null, "{told}");
            let path = format!("/measurements/{}", told["run"].as_str().unwrap());
            assert_eq!(served.get(&path)["kind"], kind);
        }
    }
}
