//! Use by several people: logins, roles, tokens, what plans may load.

use std::io::{Read as _, Write as _};
use std::net::{SocketAddr, TcpListener};
use std::process::{Command, Stdio};

use serde_json::{Value, json};

use crate::client::{Response, Served};
use crate::common::{Server, folder};
use crate::only_run;

const PASSWORD: &str = "correct horse 电池";

/// Adds a user by the command line.
fn add(dir: &tempfile::TempDir, user: &str, role: &str) {
    let mut child = Command::new(env!("CARGO_BIN_EXE_plimsoll"))
        .args(["serve", "user", "add", user, "--role", role])
        .current_dir(dir.path())
        .stdin(Stdio::piped())
        .stdout(Stdio::null())
        .spawn()
        .unwrap();
    let mut input = child.stdin.take().unwrap();
    writeln!(input, "{PASSWORD}").unwrap();
    drop(input);
    assert!(child.wait().unwrap().success(), "{user}");
}

/// Somebody who has logged in.
pub struct LoggedIn<'a> {
    served: &'a Served,
    cookie: String,
    csrf: String,
}

impl LoggedIn<'_> {
    /// What his browser shows with each request.
    pub fn cookies(&self) -> String {
        format!("Cookie: {}\r\n", self.cookie)
    }

    pub fn call(&self, method: &str, path: &str, body: &str) -> Response {
        let headers = format!(
            "Cookie: {}\r\nX-CSRF-Token: {}\r\nContent-Type: application/json\r\n",
            self.cookie, self.csrf
        );
        self.served
            .call(method, &format!("/api/v1{path}"), &headers, body)
    }
}

/// What a browser keeps of a response's cookie.
fn cookie(response: &Response) -> String {
    let mut lines = response.head.lines();
    let line = lines.find(|line| line.to_ascii_lowercase().starts_with("set-cookie:"));
    let (_, cookie) = line.unwrap().split_once(':').unwrap();
    for part in ["HttpOnly", "SameSite=Strict", "Path=/"] {
        assert!(cookie.contains(part), "{cookie}");
    }
    cookie.split(';').next().unwrap().trim().to_owned()
}

pub fn log_in<'a>(served: &'a Served, user: &str) -> LoggedIn<'a> {
    let order = json!({"user": user, "password": PASSWORD});
    let response = served.post("/session", &order);
    assert_eq!(response.status, 200, "{response:?}");
    LoggedIn {
        served,
        cookie: cookie(&response),
        csrf: response.json()["csrf"].as_str().unwrap().to_owned(),
    }
}

/// A server with a user of each role, whom the command line made.
fn with_users(more: &[&str]) -> (tempfile::TempDir, Served) {
    let dir = folder();
    let served = with_users_in(&dir, more);
    (dir, served)
}

/// The same in a folder.
pub fn with_users_in(dir: &tempfile::TempDir, more: &[&str]) -> Served {
    for role in ["look", "run", "administer"] {
        add(dir, role, role);
    }
    let arguments: Vec<&str> = ["--login"].iter().chain(more).copied().collect();
    Served::start_with(dir.path(), &arguments)
}

/// Each operation of the document: method, path with something in place of each name, what it needs.
fn operations(api: &Value) -> Vec<(String, String, String)> {
    let mut found = Vec::new();
    for (path, item) in api["paths"].as_object().unwrap() {
        for (method, operation) in item.as_object().unwrap() {
            let mut real = path.strip_prefix("/api/v1").unwrap().to_owned();
            while let (Some(begin), Some(end)) = (real.find('{'), real.find('}')) {
                real.replace_range(begin..=end, "nobody");
            }
            let need = operation["x-role"].as_str().unwrap().to_owned();
            found.push((method.to_uppercase(), real, need));
        }
    }
    found
}

/// What must be as it is, whatever the server's own table says.
const FIXED: [(&str, &str, &str); 8] = [
    ("POST", "/runs", "run"),
    ("DELETE", "/runs/nobody", "run"),
    ("POST", "/runs/nobody/stop", "run"),
    ("GET", "/runs", "look"),
    ("GET", "/users", "administer"),
    ("POST", "/users", "administer"),
    ("PATCH", "/settings", "administer"),
    ("GET", "/audit", "administer"),
];

#[test]
fn who_has_no_right_gets_nothing() {
    let (_dir, served) = with_users(&[]);
    let people: Vec<LoggedIn<'_>> = ["look", "run", "administer"]
        .iter()
        .map(|user| log_in(&served, user))
        .collect();
    let api = people[0].call("GET", "/openapi.json", "").json();
    let operations = operations(&api);
    for (method, path, need) in FIXED {
        let fixed = (method.to_owned(), path.to_owned(), need.to_owned());
        assert!(operations.contains(&fixed), "{fixed:?}");
    }
    let ranks = ["look", "run", "administer"];
    let mut refused = 0;
    for (method, path, need) in &operations {
        let case = format!("{method} {path} needs {need}");
        let nobody = served.call(
            method,
            &format!("/api/v1{path}"),
            "Content-Type: application/json\r\n",
            "{}",
        );
        if need == "open" {
            assert_ne!(nobody.status, 403, "{case}: {nobody:?}");
            continue;
        }
        assert_eq!(nobody.status, 401, "{case}: {nobody:?}");
        assert!(nobody.head.contains("application/problem+json"), "{case}");
        let needed = ranks.iter().position(|rank| rank == need).unwrap();
        for (rank, person) in people.iter().enumerate() {
            let response = person.call(method, path, "{\"unknown\": 1}");
            match rank < needed {
                true => {
                    assert_eq!(
                        response.status, 403,
                        "{case}, {}: {response:?}",
                        ranks[rank]
                    );
                    assert_eq!(response.json()["type"], "/problems/right", "{case}");
                    refused += 1;
                }
                false => assert!(
                    ![401, 403].contains(&response.status),
                    "{case}, {}: {response:?}",
                    ranks[rank]
                ),
            }
        }
        // What changes something takes no session without the page's own token.
        if method != "GET" {
            let bare = format!(
                "Cookie: {}\r\nContent-Type: application/json\r\n",
                people[2].cookie
            );
            let response =
                served.call(method, &format!("/api/v1{path}"), &bare, "{\"unknown\": 1}");
            assert_eq!(response.status, 403, "{case}: {response:?}");
            assert_eq!(response.json()["type"], "/problems/csrf", "{case}");
        }
    }
    assert!(refused > 20, "{refused}");
    let listed = people[2].call("GET", "/users", "").json();
    assert_eq!(
        listed["items"].as_array().unwrap().len(),
        3,
        "nobody came or went: {listed}"
    );
}

#[test]
fn the_first_user_comes_with_the_code_of_the_terminal() {
    let dir = folder();
    let served = Served::start_with(dir.path(), &["--login"]);
    let (_, rest) = served.said.split_once("with this code: ").unwrap();
    let code = rest.lines().next().unwrap().trim();
    let state = served.get("/session");
    assert_eq!(state["needs_first_user"], true, "{state}");
    let order = |code: &str| json!({"code": code, "user": "li", "password": PASSWORD});
    let wrong = served.post("/session/first", &order("aaaa-bbbb-cccc"));
    assert_eq!(wrong.status, 401, "{wrong:?}");
    let first = served.post("/session/first", &order(code));
    assert_eq!(first.status, 200, "{first:?}");
    assert_eq!(first.json()["role"], "administer", "{first:?}");
    let again = served.post("/session/first", &order(code));
    assert_eq!(again.status, 409, "{again:?}");
    let li = log_in(&served, "li");
    let gone = li.call("DELETE", "/users/li", "");
    assert_eq!(gone.status, 409, "the last administrator: {gone:?}");
    assert_eq!(li.call("DELETE", "/session", "").status, 200);
    assert_eq!(li.call("GET", "/runs", "").status, 401, "logged out");
}

#[test]
fn who_fails_often_must_wait_and_is_written_down() {
    let (_dir, served) = with_users(&[]);
    let wrong = json!({"user": "run", "password": "wrong password"});
    let statuses: Vec<u16> = (0..8)
        .map(|_| served.post("/session", &wrong).status)
        .collect();
    assert_eq!(statuses[..5], [401; 5], "{statuses:?}");
    let last = served.post("/session", &json!({"user": "run", "password": PASSWORD}));
    assert_eq!(
        last.status, 429,
        "also with the right one: {statuses:?}, {last:?}"
    );
    assert!(
        last.head.to_ascii_lowercase().contains("retry-after:"),
        "{last:?}"
    );
    let administrator = log_in(&served, "administer");
    let audit = administrator.call("GET", "/audit?limit=500", "").json();
    let entries = audit["items"].as_array().unwrap();
    let failures = entries
        .iter()
        .filter(|entry| entry["what"] == "run" && entry["status"] == 401);
    assert!(failures.count() >= 5, "{audit}");
    assert!(!audit.to_string().contains("password\""), "{audit}");
    assert!(!audit.to_string().contains("wrong password"), "{audit}");
}

#[test]
fn tokens_of_programs_have_a_scope_and_go_with_their_owner() {
    let (dir, served) = with_users(&[]);
    let runner = log_in(&served, "run");
    let too_much = runner.call(
        "POST",
        "/tokens",
        r#"{"name": "ci", "role": "administer", "days": 1}"#,
    );
    assert_eq!(too_much.status, 403, "{too_much:?}");
    let made = runner.call(
        "POST",
        "/tokens",
        r#"{"name": "ci", "role": "look", "days": 1}"#,
    );
    assert_eq!(made.status, 201, "{made:?}");
    let made = made.json();
    let secret = made["secret"].as_str().unwrap();
    let bearer = format!("Authorization: Bearer {secret}\r\nContent-Type: application/json\r\n");
    assert_eq!(served.call("GET", "/api/v1/runs", &bearer, "").status, 200);
    let run = served.call("POST", "/api/v1/runs", &bearer, "{}");
    assert_eq!(run.status, 403, "{run:?}");
    let wrong = bearer.replace("plm_", "plm-");
    assert_eq!(served.call("GET", "/api/v1/runs", &wrong, "").status, 401);
    let kept =
        std::fs::read_to_string(dir.path().join("plimsoll-runs/.workbench/people.json")).unwrap();
    assert!(!kept.contains(secret) && !kept.contains(PASSWORD), "{kept}");
    assert!(kept.contains("$argon2id$"), "{kept}");
    let looker = log_in(&served, "look");
    let seen = looker.call("GET", "/tokens", "").json();
    assert!(
        seen["items"].as_array().unwrap().is_empty(),
        "not his: {seen}"
    );
    let path = format!("/tokens/{}", made["token"].as_str().unwrap());
    assert_eq!(looker.call("DELETE", &path, "").status, 404);
    let administrator = log_in(&served, "administer");
    assert_eq!(administrator.call("DELETE", "/users/run", "").status, 200);
    assert_eq!(
        served.call("GET", "/api/v1/runs", &bearer, "").status,
        401,
        "its owner went"
    );
    assert_eq!(
        runner.call("GET", "/runs", "").status,
        401,
        "and his session"
    );
}

#[test]
fn another_role_or_password_holds_at_once() {
    let (_dir, served) = with_users(&[]);
    let (runner, administrator) = (log_in(&served, "run"), log_in(&served, "administer"));
    let change = administrator.call("PATCH", "/users/run", r#"{"role": "look"}"#);
    assert_eq!(change.status, 200, "{change:?}");
    assert_eq!(runner.call("POST", "/runs", "{}").status, 403);
    let wrong = runner.call(
        "POST",
        "/session/password",
        r#"{"old": "not this one", "new": "another password"}"#,
    );
    assert_eq!(wrong.status, 401, "{wrong:?}");
    let order = json!({"old": PASSWORD, "new": "another password"}).to_string();
    assert_eq!(runner.call("POST", "/session/password", &order).status, 200);
    assert_eq!(
        runner.call("GET", "/runs", "").status,
        401,
        "sessions with the old one end"
    );
}

/// A server whose every response leads elsewhere.
fn redirecting(to: &str) -> SocketAddr {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let address = listener.local_addr().unwrap();
    let to = to.to_owned();
    std::thread::spawn(move || {
        for mut stream in listener.incoming().flatten() {
            let _ = stream.read(&mut [0; 4_096]);
            let head = format!(
                "HTTP/1.1 302 Found\r\nLocation: {to}\r\nContent-Length: 0\r\nConnection: close\r\n\r\n"
            );
            let _ = stream.write_all(head.as_bytes());
        }
    });
    address
}

/// A plan of JMeter's that loads what it may, with a Backend Listener that sends its figures to another address.
fn jmx_that_tells(port: &str, told: &str) -> Value {
    let argument = |name: &str, value: &str| {
        format!(
            r#"<elementProp name="{name}" elementType="Argument"><stringProp name="Argument.name">{name}</stringProp>
            <stringProp name="Argument.value">{value}</stringProp></elementProp>"#
        )
    };
    let package = "org.apache.jmeter.visualizers.backend.influxdb";
    let arguments = [
        argument(
            "influxdbMetricsSender",
            &format!("{package}.HttpMetricsSender"),
        ),
        argument("influxdbUrl", told),
        argument("application", "shop"),
        argument("samplersRegex", ".*"),
    ];
    let plan = format!(
        r#"<?xml version="1.0" encoding="UTF-8"?>
        <jmeterTestPlan version="1.2" properties="5.0" jmeter="5.6.3"><hashTree>
        <TestPlan guiclass="TestPlanGui" testclass="TestPlan" testname="t"/><hashTree>
        <ThreadGroup guiclass="ThreadGroupGui" testclass="ThreadGroup" testname="g">
        <elementProp name="ThreadGroup.main_controller" elementType="LoopController">
        <stringProp name="LoopController.loops">1</stringProp></elementProp>
        <stringProp name="ThreadGroup.num_threads">1</stringProp></ThreadGroup><hashTree>
        <HTTPSamplerProxy guiclass="HttpTestSampleGui" testclass="HTTPSamplerProxy" testname="h">
        <stringProp name="HTTPSampler.domain">127.0.0.1</stringProp>
        <stringProp name="HTTPSampler.port">{port}</stringProp>
        <stringProp name="HTTPSampler.path">/hello</stringProp></HTTPSamplerProxy><hashTree/>
        <BackendListener guiclass="BackendListenerGui" testclass="BackendListener" testname="b">
        <elementProp name="arguments" elementType="Arguments"><collectionProp name="Arguments.arguments">{}
        </collectionProp></elementProp>
        <stringProp name="classname">{package}.InfluxdbBackendListenerClient</stringProp></BackendListener>
        <hashTree/></hashTree></hashTree></hashTree></jmeterTestPlan>"#,
        arguments.concat()
    );
    json!({ "plan": plan })
}

/// Asks for a run that is to fail at what is not allowed; gives what failed.
fn errors_of(person: &LoggedIn<'_>, order: &Value) -> String {
    let created = person.call("POST", "/runs", &order.to_string());
    if created.status != 201 {
        return created.body;
    }
    let id = created.json()["id"].as_str().unwrap().to_owned();
    loop {
        let run = person.call("GET", &format!("/runs/{id}"), "").json();
        let waits = run["type"] == "/problems/waits";
        if !waits && run["state"] != "running" && run["state"] != "queued" {
            return person.call("GET", &format!("/runs/{id}/errors"), "").body;
        }
        std::thread::sleep(std::time::Duration::from_millis(50));
    }
}

#[test]
fn only_hosts_of_the_list_are_loaded_whatever_a_plan_says() {
    let (allowed, other) = (Server::start(), Server::start());
    let port = |server: &Server| {
        server
            .url("/")
            .rsplit(':')
            .next()
            .unwrap()
            .trim_end_matches('/')
            .to_owned()
    };
    let list = format!("127.0.0.1:{}", port(&allowed));
    let (dir, served) = with_users(&["--allow-host", &list, "--allow-host", "shop.test"]);
    std::fs::write(dir.path().join("secret.csv"), "a\nb\n").unwrap();
    let runner = log_in(&served, "run");
    let plan = |more: &str, steps: &str| json!({"plan": format!("name: x\nusers: 1\niterations: 1\n{more}steps:\n{steps}")});
    let (good, bad) = (allowed.url("/hello"), other.url("/hello"));
    let here = errors_of(&runner, &plan("", &format!("  - get: {good}\n")));
    assert!(!here.contains("host_not_allowed"), "{here}");
    assert_eq!(allowed.requests().len(), 1, "{here}");
    let to_other = port(&other);
    let elsewhere = redirecting(&bad);
    let administrator = log_in(&served, "administer");
    let both = json!({"hosts": [list, "shop.test", format!("127.0.0.1:{}", elsewhere.port())]});
    let set = administrator.call("PATCH", "/settings", &both.to_string());
    assert_eq!(set.status, 200, "{set:?}");
    let cases = [
        ("plain", plan("", &format!("  - get: {bad}\n"))),
        (
            "a list of its own",
            plan(
                &format!("hosts: ['127.0.0.1:{to_other}', localhost]\n"),
                &format!("  - get: {bad}\n"),
            ),
        ),
        (
            "a variable",
            plan(
                &format!("variables: {{where: '127.0.0.1:{to_other}'}}\n"),
                "  - get: http://${where}/hello\n",
            ),
        ),
        (
            "another name",
            plan("", &format!("  - get: http://localhost:{to_other}/hello\n")),
        ),
        (
            "an address in other letters",
            plan("", &format!("  - get: http://0x7f.1:{to_other}/hello\n")),
        ),
        (
            "by IPv6",
            plan(
                "",
                &format!("  - get: http://[::ffff:127.0.0.1]:{to_other}/hello\n"),
            ),
        ),
        (
            "a proxy",
            plan(
                &format!("proxy: 'http://127.0.0.1:{to_other}'\n"),
                &format!("  - get: {good}\n"),
            ),
        ),
        (
            "a name that leads elsewhere",
            plan(
                "dns: {shop.test: 127.0.0.1}\n",
                &format!("  - get: http://shop.test:{to_other}/hello\n"),
            ),
        ),
        (
            "outputs",
            plan(
                &format!("outputs:\n  - influxdb: http://127.0.0.1:{to_other}/\n"),
                &format!("  - get: {good}\n"),
            ),
        ),
        (
            "a listener of JMeter's",
            jmx_that_tells(
                &port(&allowed),
                &format!("http://127.0.0.1:{to_other}/write"),
            ),
        ),
        (
            "what is watched",
            plan(
                &format!("watch:\n  - prometheus: http://127.0.0.1:{to_other}/metrics\n"),
                &format!("  - get: {good}\n"),
            ),
        ),
    ];
    for (case, order) in &cases {
        let told = errors_of(&runner, order);
        assert!(other.requests().is_empty(), "{case}: {told}");
        assert!(!told.is_empty(), "{case}");
    }
    // Files beside the server are nobody's who sends a plan.
    let told = errors_of(
        &runner,
        &plan(
            "data:\n  rows: {file: ../../../secret.csv}\n",
            &format!("  - get: {good}?x=${{rows.a}}\n"),
        ),
    );
    assert!(!told.contains("x=b"), "{told}");
    assert!(
        allowed
            .requests()
            .iter()
            .all(|request| !format!("{request:?}").contains("x=b"))
    );
    let widened = runner.call("PATCH", "/settings", r#"{"hosts": ["*"]}"#);
    assert_eq!(widened.status, 403, "{widened:?}");
    let set = administrator.call(
        "PATCH",
        "/settings",
        r#"{"hosts": ["*"], "limits": {"users": 3}}"#,
    );
    assert_eq!(set.status, 200, "{set:?}");
    let many = runner.call(
        "POST",
        "/runs",
        &json!({"url": bad, "users": 4, "duration": "1s"}).to_string(),
    );
    assert_eq!(many.status, 403, "{many:?}");
    let few = errors_of(&runner, &json!({"url": bad, "users": 3, "duration": "1s"}));
    assert!(!other.requests().is_empty(), "{few}");
}

#[test]
fn files_come_with_a_plan_and_no_others_are_seen() {
    let (dir, target) = (folder(), Server::start());
    let served = Served::start(dir.path());
    std::fs::write(dir.path().join("own.csv"), "word\nown\n").unwrap();
    let url = target.url("/hello");
    let plan = format!(
        "name: x\nusers: 1\niterations: 1\ndata:\n  - csv: lists/words.csv\nsteps:\n  - get: {url}?w=${{word}}\n"
    );
    let missing = served.post("/runs", &json!({"plan": plan, "files": []}));
    assert!(
        missing.status == 422 || missing.status == 201,
        "{missing:?}"
    );
    assert!(
        missing.status == 201 || missing.body.contains("words.csv"),
        "named: {missing:?}"
    );
    let files = json!([{"name": "lists/words.csv", "base64": "d29yZApzZW50Cg=="}]);
    let made = served.post("/runs", &json!({"plan": plan, "files": files}));
    assert_eq!(made.status, 201, "{made:?}");
    let run = only_run(&served);
    let mut events = served.watch(&run, "", None);
    assert!(events.any(|event| event.name == "end"));
    assert!(format!("{:?}", target.requests()).contains("w=sent"));
    for name in ["../x", "/etc/x", "a/../x", "", "plan.yaml", "a\u{0}b"] {
        let files = json!([{"name": name, "base64": ""}]);
        let refused = served.post("/runs", &json!({"plan": plan, "files": files}));
        assert_eq!(refused.status, 400, "{name:?}: {refused:?}");
    }
}

#[test]
fn beyond_loopback_there_is_tls_and_a_login() {
    let dir = folder();
    add(&dir, "li", "administer");
    let served = Served::start_with(dir.path(), &["--listen", "0.0.0.0:0"]);
    assert!(served.said.contains("https://0.0.0.0:"), "{}", served.said);
    assert!(served.said.contains("sha256:"), "{}", served.said);
    let port = served.host.rsplit(':').next().unwrap();
    let url = format!("https://127.0.0.1:{port}/api/v1/");
    let curl = |arguments: &[&str]| {
        let out = Command::new("curl")
            .args(["-sk", "--max-time", "30"])
            .args(arguments)
            .output()
            .unwrap();
        String::from_utf8_lossy(&out.stdout).into_owned()
    };
    let runs = curl(&["-w", "%{http_code}", &format!("{url}runs")]);
    assert!(runs.ends_with("401"), "{runs}");
    let order = json!({"user": "li", "password": PASSWORD}).to_string();
    let head = curl(&[
        "-D",
        "-",
        "-H",
        "Content-Type: application/json",
        "-d",
        &order,
        &format!("{url}session"),
    ]);
    assert!(head.contains("; Secure"), "{head}");
    let foreign = curl(&[
        "-w",
        "%{http_code}",
        "-H",
        "Host: evil.example",
        &format!("{url}session"),
    ]);
    assert!(foreign.ends_with("421"), "{foreign}");
    // The certificate is made once: its fingerprint stays.
    let said = served.said.clone();
    drop(served);
    let again = Served::start_with(dir.path(), &["--listen", "0.0.0.0:0"]);
    let fingerprint = |said: &str| {
        said.lines()
            .find(|line| line.contains("sha256:"))
            .map(str::to_owned)
    };
    assert_eq!(fingerprint(&said), fingerprint(&again.said));
}

#[test]
fn what_is_done_is_written_down_also_if_nobody_waits_for_the_response() {
    let (_dir, served) = with_users(&[]);
    let administrator = log_in(&served, "administer");
    let headers = format!(
        "{}X-CSRF-Token: {}\r\nContent-Type: application/json\r\n",
        administrator.cookies(),
        administrator.csrf
    );
    let role = || {
        let users = administrator.call("GET", "/users", "").json();
        let mut users = users["items"].as_array().unwrap().iter();
        users.find(|user| user["user"] == "look").unwrap()["role"].clone()
    };
    let lines = || {
        let audit = administrator.call("GET", "/audit?limit=500", "").json();
        let entries = audit["items"].as_array().unwrap();
        let path = |entry: &Value| entry["path"].as_str().unwrap().ends_with("/users/look");
        let done = entries
            .iter()
            .filter(|entry| path(entry) && entry["status"] == 200);
        done.count()
    };
    // Closed ever later after it was sent, until enough of them are done all the same:
    // one that is done after the connection is gone is seen by the next one.
    let (mut changes, mut seen) = (0, role());
    for wait_us in (0..200).map(|number| (number % 100) * 200) {
        let asked = if seen == "run" { "look" } else { "run" };
        let body = json!({ "role": asked });
        let connection = served.send("PATCH", "/api/v1/users/look", &headers, &body.to_string());
        std::thread::sleep(std::time::Duration::from_micros(wait_us));
        drop(connection);
        let now = role();
        if now != seen {
            seen = now;
            changes += 1;
            let deadline = std::time::Instant::now() + std::time::Duration::from_secs(60);
            while lines() < changes && std::time::Instant::now() < deadline {
                std::thread::sleep(std::time::Duration::from_millis(5));
            }
            assert!(lines() >= changes, "{changes} were done");
        }
        if changes == 5 {
            return;
        }
    }
    panic!("only {changes} were done");
}

#[test]
fn behind_a_proxy_each_client_is_a_place_of_its_own() {
    let dir = folder();
    add(&dir, "li", "administer");
    let served = Served::start_with(dir.path(), &["--name", "bench.example"]);
    let by = |from: &str, password: &str| {
        let order = json!({"user": "li", "password": password}).to_string();
        let headers = format!("Host: bench.example\r\nContent-Type: application/json\r\n{from}");
        served.call("POST", "/api/v1/session", &headers, &order)
    };
    // What the client wrote itself stands before what the proxy adds.
    let evil = |number: usize| format!("X-Forwarded-For: 198.51.100.{number}, 192.0.2.66\r\n");
    let guessed: Vec<u16> = (0..10)
        .map(|number| by(&evil(number), "wrong password").status)
        .collect();
    assert!(guessed.contains(&429), "{guessed:?}");
    let own = by(
        "X-Forwarded-For: 192.0.2.1\r\nX-Forwarded-Proto: https\r\n",
        PASSWORD,
    );
    assert_eq!(own.status, 200, "{own:?}");
    assert!(own.head.contains("; Secure"), "{own:?}");
    let plain = by("X-Forwarded-For: 192.0.2.1\r\n", PASSWORD);
    assert!(
        plain.status == 200 && !plain.head.contains("; Secure"),
        "{plain:?}"
    );
}
