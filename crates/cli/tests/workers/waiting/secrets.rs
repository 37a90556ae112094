//! No secret of a run over workers is found in what NATS keeps, in what workers say, in the run's folder
//! or in what is made of it.

use std::path::{Path, PathBuf};
use std::sync::mpsc;
use std::thread::JoinHandle;

use plimsoll_fleet::link::Link as _;
use tokio::sync::oneshot;

use crate::fleet::{Fleet, Servers};
use crate::nats;
use crate::support::http::{HttpServer, Response};

/// What every secret of these tests begins with; a letter follows.
const CANARY: &str = "cAnArY";

const PLAN: &str = r#"
name: "shop ?sessionid=§name"
target: TARGET
rate: 20/s
duration: 4s
variables:
  hidden: {default: §hidden, secret: true}
  given: {env: GIVEN, secret: true}
setup:
  - post: /setup?otp=§setup
    json: {pwd: §pwd}
    save: {token: $.access_token}
steps:
  - post: /login?client_assertion=§assertion&X-Amz-Signature=§signature
    json: {user: joe, passPhrase: §phrase, credentials: {user: joe, secretKey: §key}, 密码: §chinese, note: "${hidden} ${given} ${token}"}
    headers: {X-Vault-Token: §vault, Ocp-Apim-Subscription-Key: §ocp, Proxy-Authorization: "Bearer §proxy", Cookie: "SESSION=§session"}
    check: {text: "none ${hidden} ${token}"}
  - post: /form
    form: {j_username: joe, j_password: §form, csrf_token: §csrf}
    label: "step ?jwt=§label ${given}"
  - post: /soap
    body: "<wsse:Password Type='text'>§soap</wsse:Password><user name='joe' password='§attribute'/>"
  - post: /yaml
    body: |
      db:
        password: >-
          §folded
        private_key: "§quoted"
"#;

fn files(folder: &Path) -> Vec<PathBuf> {
    let mut all = Vec::new();
    for entry in std::fs::read_dir(folder).into_iter().flatten().flatten() {
        let path = entry.path();
        match path.is_dir() {
            true => all.extend(files(&path)),
            false => all.push(path),
        }
    }
    all
}

/// Every secret in some bytes, with what stands around it.
fn found(place: &str, bytes: &[u8]) -> Vec<String> {
    let text = String::from_utf8_lossy(bytes);
    let around = |at: usize| {
        let before: String = text[..at].chars().rev().take(40).collect();
        let before: String = before.chars().rev().collect();
        let behind: String = text[at..].chars().take(20).collect();
        format!("{place}: {before}{behind}")
    };
    let hits = text.match_indices(CANARY);
    hits.map(|(at, _)| around(at)).collect()
}

fn found_below(folder: &Path) -> Vec<String> {
    let of = |path: PathBuf| {
        let name = path.display().to_string();
        let bytes = std::fs::read(&path).unwrap_or_default();
        [found("name", name.as_bytes()), found(&name, &bytes)].concat()
    };
    files(folder).into_iter().flat_map(of).collect()
}

/// Everything that controller and workers tell each other.
struct Passing {
    end: oneshot::Sender<()>,
    thread: JoinHandle<Vec<(String, Vec<u8>)>>,
}

impl Passing {
    fn watch(urls: &[String]) -> Self {
        let (end, mut ending) = oneshot::channel();
        let (ready, listens) = mpsc::channel();
        let urls = urls.to_vec();
        let thread = std::thread::spawn(move || {
            let runtime = tokio::runtime::Builder::new_current_thread()
                .enable_all()
                .build()
                .unwrap();
            runtime.block_on(async {
                let link = nats::link(&urls).await;
                let mut heard = link.subscribe(">").await.unwrap();
                ready.send(()).unwrap();
                let mut all = Vec::new();
                loop {
                    tokio::select! {
                        Some(said) = heard.recv() => all.push((said.subject, said.payload.to_vec())),
                        _ = &mut ending => return all,
                    }
                }
            })
        });
        listens.recv().unwrap();
        Self { end, thread }
    }

    fn end(self) -> Vec<(String, Vec<u8>)> {
        self.end.send(()).unwrap();
        self.thread.join().unwrap()
    }
}

#[test]
fn nothing_of_a_run_over_workers_has_its_secrets() {
    let target = HttpServer::start(|request| {
        let body = match request.path() {
            "/setup" => format!("{{\"access_token\": \"{CANARY}found\"}}"),
            _ => format!("{{\"error\": \"no\", \"session_token\": \"{CANARY}response\"}}"),
        };
        let status = if request.path() == "/setup" { 200 } else { 500 };
        Response::new(status, body).with("Set-Cookie", format!("SESSION={CANARY}set"))
    });
    let fleet = Fleet::before(&["w1", "w2"], target);
    let plan = PLAN.replace("TARGET", &fleet.target.url());
    fleet.bench.write("plan.yaml", plan.replace('§', CANARY));
    let mut command = fleet.command(&["run", "plan.yaml", "--workers", "2"]);
    command.env("GIVEN", format!("{CANARY}given"));
    let passing = Passing::watch(&fleet.urls());
    let mut run = fleet.bench.start(command);
    let Servers::One(server) = &fleet.servers else {
        unreachable!("one server");
    };
    let store = server.path("store");
    // What the server keeps while the run goes on is removed at its end.
    let (mut all, mut looks) = (Vec::new(), 0);
    while !run.has_ended() {
        all.extend(found_below(&store));
        looks += usize::from(files(&store).len() > 2);
        std::thread::sleep(std::time::Duration::from_millis(100));
    }
    assert!(looks > 0, "it keeps reports: {looks}");
    let told = run.end();
    let passed = passing.end();
    let reports = passed.iter().filter(|(subject, bytes)| {
        subject.contains("journal") && bytes.windows(5).any(|window| window == b"/soap")
    });
    assert!(reports.count() > 0, "reports can be looked through");
    for (subject, bytes) in &passed {
        all.extend(found(subject, bytes));
    }
    let sent = fleet.target.seen();
    let sent = sent
        .iter()
        .filter(|request| request.text().contains(CANARY));
    assert!(sent.count() > 20, "the target gets them: {told:?}");
    all.extend(found("run's output", told.out.as_bytes()));
    all.extend(found("run's errors", told.err.as_bytes()));
    all.extend(found("server's log", server.log().as_bytes()));
    all.extend(found_below(&fleet.bench.path("plimsoll-runs")));
    for form in ["html", "markdown", "text", "json", "csv", "junit"] {
        let out = format!("report.{form}");
        let made = fleet
            .bench
            .call(&["report", "last", "--format", form, "-o", &out]);
        all.extend(found(form, made.err.as_bytes()));
        all.extend(found(form, fleet.bench.read(&out).as_bytes()));
    }
    let errors = fleet.bench.call(&["report", "last", "--errors"]);
    assert!(errors.out.contains("/login"), "{errors:?}");
    all.extend(found("errors", errors.out.as_bytes()));
    for (worker, folder) in fleet.workers {
        worker.signal("INT");
        let told = worker.end();
        all.extend(found("worker's output", told.out.as_bytes()));
        all.extend(found("worker's errors", told.err.as_bytes()));
        all.extend(found_below(&folder));
    }
    all.sort();
    all.dedup();
    assert!(all.is_empty(), "{}:\n{}", all.len(), all.join("\n"));
}
