//! A component on another host: an agent changes it as its own file says, and brings it back whatever happens.

use std::fs;
use std::io::{BufRead as _, BufReader};
use std::process::{Child, ChildStdout, Command, Stdio};
use std::time::{Duration, Instant};

use plimsoll_text::Message;
use plimsoll_tune::remote::wire::{
    AgentArrived, AgentValues, AgentWork, HostDescription, HostKnob, TuneAsk, TuneSaid, VERSION,
    WorkState,
};
use plimsoll_tune::space::Domain;
use plimsoll_tune::target::Fragment;
use plimsoll_tune::trial::TrialEnd;
use serde_json::Value;
use tempfile::TempDir;

use crate::assert_valid;
use crate::common::json::{assert_fits, json};
use crate::common::proxy::Proxy;
use crate::world::{FileState, Told, World, signal, study_text};

const TOKEN: &str = "a-token-of-the-agent-of-this-test";

/// The host of the service with its agent, and the folder of the study, which has nothing of it.
struct Elsewhere {
    there: World,
    here: TempDir,
    port: u16,
    agent: Child,
    /// What the agent prints: it stays open.
    out: BufReader<ChildStdout>,
    before: FileState,
}

impl Elsewhere {
    fn new(there: World) -> Self {
        Self::with(there, "")
    }

    /// The agent's file says more.
    fn with(there: World, more: &str) -> Self {
        let knobs = there.workers("range: 1..8\n    by-ratio: true");
        Self::of(there, &knobs, more)
    }

    /// The agent's file has these knobs, and says more.
    fn of(there: World, knobs: &str, more: &str) -> Self {
        let port = World::free_port();
        let service = there.port;
        let scope = format!(
            "components:
  service:
    start: sh -c 'echo $$ > service.pid; exec python3 -u service.py --port {service} --file conf/service.properties'
    reload: sh -c 'kill -HUP $(cat service.pid)'
    ready: http://127.0.0.1:{service}/settings
    ready-within: 30s
    stop-within: 500ms
knobs:
{knobs}lease: 2s
{more}"
        );
        fs::write(there.path("agent.yaml"), scope).unwrap();
        fs::write(there.path("agent.token"), TOKEN).unwrap();
        let here = tempfile::tempdir().unwrap();
        fs::write(here.path().join("agent.token"), TOKEN).unwrap();
        let before = there.state();
        let (agent, out) = Self::agent(&there, port);
        Self {
            there,
            here,
            port,
            agent,
            out,
            before,
        }
    }

    /// Starts an agent and waits until it listens.
    fn agent(there: &World, port: u16) -> (Child, BufReader<ChildStdout>) {
        let listen = format!("127.0.0.1:{port}");
        let log = fs::File::options()
            .append(true)
            .create(true)
            .open(there.path("agent.log"))
            .unwrap();
        let mut child = Command::new(env!("CARGO_BIN_EXE_plimsoll"))
            .args(["agent", "--listen", &listen, "--tls", "--allow", "tune"])
            .args(["--tune", "agent.yaml", "--token-file", "agent.token"])
            .args(["--state", "state"])
            .current_dir(there.dir.path())
            .env("LC_ALL", "C.UTF-8")
            .stdin(Stdio::null())
            .stdout(Stdio::piped())
            .stderr(log)
            .spawn()
            .unwrap();
        let mut out = BufReader::new(child.stdout.take().unwrap());
        let mut line = String::new();
        out.read_line(&mut line).unwrap();
        assert!(line.contains("tune"), "{line}");
        let mut fingerprint = String::new();
        out.read_line(&mut fingerprint).unwrap();
        let fingerprint = fingerprint.split_whitespace().last().unwrap().to_owned();
        fs::write(there.path("fingerprint"), fingerprint).unwrap();
        (child, out)
    }

    /// Kills the agent as `kill -9` does, and starts another.
    fn agent_anew(&mut self) {
        self.agent.kill().unwrap();
        self.agent.wait().unwrap();
        (self.agent, self.out) = Self::agent(&self.there, self.port);
    }

    /// Writes a study that reaches the agent at a port; `more` stands behind the component.
    fn study(&self, port: u16, more: &str) {
        let fingerprint = fs::read_to_string(self.there.path("fingerprint")).unwrap();
        let component = format!(
            "  service:
    agent: tls://127.0.0.1:{port},fingerprint={fingerprint},token-file=agent.token
"
        );
        let text = study_text(self.there.port, &component, more);
        fs::write(self.here.path().join("study.yaml"), text).unwrap();
    }

    /// A study that goes on until it is ended.
    fn long_study(&self, port: u16) -> Child {
        self.study(
            port,
            "knobs:\n  workers: { range: 2..8 }\nsearch: random\ntrials: 500\nseed: 1\n",
        );
        World::command_in(self.here.path(), &["tune", "study.yaml", "--quiet"])
            .spawn()
            .unwrap()
    }

    /// Makes a study whose trials that change something all fail; its result.
    fn all_failed(&self, more: &str) -> (Told, Value) {
        self.study(self.port, more);
        let told = self.call(&["tune", "study.yaml"]);
        told.assert_code(5);
        let file = self.here.path().join("plimsoll-runs/tune.json");
        let result = json(&fs::read_to_string(file).unwrap());
        assert_valid(&result);
        assert_eq!(result["end"], "none_measured", "{}", told.err);
        assert!(self.is_back());
        (told, result)
    }

    fn call(&self, arguments: &[&str]) -> Told {
        Told::of(
            World::command_in(self.here.path(), arguments)
                .output()
                .unwrap(),
        )
    }

    fn is_back(&self) -> bool {
        self.there.path("conf/service.properties").exists()
            && self.there.state() == self.before
            && self.there.processes().is_empty()
            && fs::read_dir(self.there.path("conf")).unwrap().count() == 1
    }

    /// What the audit has of that kind.
    fn audited(&self, what: &str) -> usize {
        let audit = self.audit();
        audit.iter().filter(|line| line["what"] == what).count()
    }

    #[track_caller]
    fn wait_until_back(&self, what: &str) {
        wait_until(what, || self.is_back());
        self.there.assert_clean(what);
    }

    #[track_caller]
    fn wait_until_changed(&self, study: &mut Child) {
        wait_until("a change", || {
            assert!(study.try_wait().unwrap().is_none(), "the study ended");
            self.there.state() != self.before
        });
    }

    fn audit(&self) -> Vec<Value> {
        let text = fs::read_to_string(self.there.path("state/tune/audit.jsonl")).unwrap();
        let lines: Vec<Value> = text.lines().map(json).collect();
        let schema = json(include_str!("../../../../schema/agent-audit.schema.json"));
        lines.iter().for_each(|line| assert_fits(&schema, line));
        lines
    }
}

impl Drop for Elsewhere {
    fn drop(&mut self) {
        let _ = self.agent.kill();
        let _ = self.agent.wait();
    }
}

/// Waits for something that comes sooner or later; far longer than it takes on a busy machine.
#[track_caller]
fn wait_until(what: &str, mut is_so: impl FnMut() -> bool) {
    let until = Instant::now() + Duration::from_secs(120);
    while !is_so() {
        assert!(Instant::now() < until, "it never came: {what}");
        std::thread::sleep(Duration::from_millis(10));
    }
}

#[test]
fn an_agent_finds_changes_reads_back_and_brings_back() {
    let elsewhere = Elsewhere::new(World::new());
    elsewhere.study(
        elsewhere.port,
        "knobs:\n  workers: { values: [1, 8] }\ntrials: 20\nseed: 3\n",
    );
    let planned = elsewhere.call(&["tune", "study.yaml", "--dry-run"]);
    planned.assert_code(0);
    assert!(planned.out.contains("+workers = 8"), "{}", planned.out);
    assert!(elsewhere.is_back() && !elsewhere.here.path().join("plimsoll-runs").exists());
    let told = elsewhere.call(&["tune", "study.yaml"]);
    told.assert_code(0);
    elsewhere.there.assert_clean("after a study");
    assert_eq!(elsewhere.there.state(), elsewhere.before);
    let result =
        json(&fs::read_to_string(elsewhere.here.path().join("plimsoll-runs/tune.json")).unwrap());
    assert_valid(&result);
    assert_eq!(result["kept"]["workers"], "8", "{}", told.out);
    let changes = result["changes"].to_string();
    assert!(
        changes.contains("-workers = 1") && changes.contains("+workers = 8"),
        "{changes}"
    );
    let mut trials = result["trials"].as_array().unwrap().iter();
    let with_eight = trials
        .find(|trial| trial["values"]["workers"] == "8")
        .unwrap();
    assert_eq!(
        with_eight["result"]["read_back"][0]["has"], "8",
        "{with_eight}"
    );
    // Each change stands in the agent's own log, before and after.
    let audit = elsewhere.audit();
    let of = |what: &str| audit.iter().filter(|line| line["what"] == what).count();
    assert_eq!((of("begun"), of("put_back"), of("failed")), (1, 1, 0));
    assert!(of("sets") == of("arrived") && of("sets") >= 10, "{audit:?}");
    let set = audit
        .iter()
        .find(|line| line["values"]["workers"] == "8")
        .unwrap();
    assert!(set["study"] == "study" && set["by"].as_str().unwrap().contains("127.0.0.1"));
    for file in ["agent.log", "state/tune/audit.jsonl"] {
        let text = fs::read_to_string(elsewhere.there.path(file)).unwrap();
        assert!(
            !text.contains("hunter2") && !text.contains(TOKEN),
            "{file}: {text}"
        );
    }
}

#[test]
fn what_the_agents_file_does_not_name_is_refused() {
    let elsewhere = Elsewhere::new(World::new());
    let refused = [
        ("knobs:\n  other: { range: 1..8 }\n", "other"),
        ("knobs:\n  workers: { range: 1..99 }\n", "1..8"),
        (
            "knobs:\n  workers:\n    file: /etc/passwd\n    key: root\n    values: [x]\n",
            "agent",
        ),
        (
            "knobs:\n  workers:\n    command: touch {}\n    values: [x]\n",
            "agent",
        ),
        (
            "    stop: touch was-here\nknobs:\n  workers: { range: 1..8 }\n",
            "stop",
        ),
        (
            "    start: touch was-here\nknobs:\n  workers: { range: 1..8 }\n",
            "start",
        ),
    ];
    for (more, part) in refused {
        elsewhere.study(elsewhere.port, more);
        let told = elsewhere.call(&["tune", "study.yaml"]);
        told.assert_code(2);
        assert!(told.err.contains(part), "{part}: {}", told.err);
    }
    elsewhere.study(elsewhere.port, "knobs:\n  workers: { range: 1..8 }\n");
    fs::write(
        elsewhere.here.path().join("agent.token"),
        "another-token-of-some-length",
    )
    .unwrap();
    let told = elsewhere.call(&["tune", "study.yaml"]);
    told.assert_code(2);
    assert!(told.err.contains("token is wrong"), "{}", told.err);
    assert!(elsewhere.is_back() && !elsewhere.here.path().join("was-here").exists());
}

#[test]
fn what_the_agents_relations_do_not_allow_is_a_result() {
    let elsewhere = Elsewhere::with(World::new().found_with(3), "relations:\n  - workers <= 3\n");
    elsewhere.study(
        elsewhere.port,
        "knobs:\n  workers: { values: [2, 8] }\nsearch: one-at-a-time\ntrials: 16\nseed: 3\n",
    );
    let planned = elsewhere.call(&["tune", "study.yaml", "--dry-run"]);
    planned.assert_code(0);
    assert!(planned.out.contains("+workers = 8"), "{}", planned.out);
    let told = elsewhere.call(&["tune", "study.yaml"]);
    // The study went on behind the one that was refused.
    told.assert_code(0);
    let result =
        json(&fs::read_to_string(elsewhere.here.path().join("plimsoll-runs/tune.json")).unwrap());
    assert_valid(&result);
    let trials = result["trials"].as_array().unwrap();
    for trial in trials {
        let refused = trial["values"]["workers"] == "8";
        let what = trial["result"]["what"] == "not_approved";
        assert_eq!(refused, what, "{trial}");
    }
    assert!(trials.iter().any(|trial| trial["values"]["workers"] == "8"));
    assert!(elsewhere.is_back() && elsewhere.audited("refused") > 0);
    elsewhere.there.assert_clean("after a refusal");
}

#[test]
fn an_agent_says_what_stands_there_now() {
    let elsewhere = Elsewhere::new(World::new());
    // Somebody has changed it since the agent began.
    let settings = elsewhere.there.settings();
    let text = fs::read_to_string(&settings).unwrap();
    fs::write(&settings, text.replace("workers = 1", "workers = 2")).unwrap();
    let before = elsewhere.there.state();
    elsewhere.study(
        elsewhere.port,
        "knobs:\n  workers: { values: [1, 2] }\nsearch: one-at-a-time\ntrials: 16\nseed: 3\n",
    );
    let told = elsewhere.call(&["tune", "study.yaml"]);
    told.assert_code(0);
    let result =
        json(&fs::read_to_string(elsewhere.here.path().join("plimsoll-runs/tune.json")).unwrap());
    // Two is what was found, so that one alone is a change.
    let trials = result["trials"].as_array().unwrap().iter();
    let tried: Vec<&Value> = trials.map(|trial| &trial["values"]["workers"]).collect();
    assert!(tried.iter().any(|value| **value == "1"), "{tried:?}");
    assert!(!tried.iter().any(|value| **value == "2"), "{tried:?}");
    assert_eq!(elsewhere.there.state(), before);
}

#[test]
fn an_agent_changes_nothing_without_a_file_encryption_and_a_token() {
    let elsewhere = Elsewhere::new(World::new());
    let there = &elsewhere.there;
    let tune = ["agent", "--listen", "127.0.0.1:0", "--allow", "tune"];
    let with = |more: &[&str]| there.call(&[&tune[..], more].concat());
    let all = ["--tune", "agent.yaml", "--state", "other"];
    let lacking = [
        (vec![], "--tune FILE"),
        ([&all[..], &["--token-file", "agent.token"]].concat(), "TLS"),
        ([&all[..], &["--tls"]].concat(), "token"),
    ];
    for (more, part) in lacking {
        let told = with(&more);
        told.assert_code(2);
        assert!(told.err.contains(part), "{part}: {}", told.err);
    }
    let told = there.call(&["agent", "--listen", "127.0.0.1:0", "--tune", "agent.yaml"]);
    told.assert_code(2);
    assert!(told.err.contains("--allow tune"), "{}", told.err);
    // The state of the agent that runs is not another's.
    let more = [
        "--tune",
        "agent.yaml",
        "--state",
        "state",
        "--tls",
        "--token-file",
        "agent.token",
    ];
    with(&more).assert_code(2);
    fs::write(
        there.path("agent.yaml"),
        "components:\n  a:\n    agent: tls://x\nlease: 1s\n",
    )
    .unwrap();
    let told = with(&[&all[..], &["--tls", "--token-file", "agent.token"]].concat());
    told.assert_code(2);
    assert!(
        told.err.contains("agent.yaml:3") && told.err.contains("lease"),
        "{}",
        told.err
    );
}

#[test]
fn a_killed_study_is_brought_back_by_the_agent() {
    let elsewhere = Elsewhere::new(World::new());
    let mut rng = fastrand::Rng::with_seed(11);
    for number in 0..8 {
        let mut study = elsewhere.long_study(elsewhere.port);
        elsewhere.wait_until_changed(&mut study);
        std::thread::sleep(Duration::from_millis(rng.u64(0..1_500)));
        study.kill().unwrap();
        study.wait().unwrap();
        // Half of them are followed at once by the same study, for which the agent puts back first.
        if number % 2 == 0 {
            wait_until("the end", || {
                elsewhere.audited("begun") == elsewhere.audited("put_back")
            });
            elsewhere.wait_until_back(&format!("kill {number}"));
        }
    }
    wait_until("the end", || {
        elsewhere.audited("begun") == elsewhere.audited("put_back")
    });
    elsewhere.wait_until_back("the last kill");
    assert!(elsewhere.audited("put_back") >= 5);
}

#[test]
fn a_killed_agent_brings_back_when_it_starts_again() {
    let mut elsewhere = Elsewhere::new(World::new());
    let mut rng = fastrand::Rng::with_seed(12);
    let mut changed = 0;
    for number in 0..6 {
        let mut study = elsewhere.long_study(elsewhere.port);
        elsewhere.wait_until_changed(&mut study);
        std::thread::sleep(Duration::from_millis(rng.u64(0..1_500)));
        elsewhere.agent_anew();
        changed += 1;
        elsewhere.wait_until_back(&format!("kill {number}"));
        let told = Told::of(study.wait_with_output().unwrap());
        told.assert_code(2);
        assert!(told.err.contains("agent"), "{}", told.err);
    }
    assert_eq!(changed, 6);
    // It knows for whom that was changed, though it was told before it was killed.
    wait_until("the log", || elsewhere.audited("put_back") == 6);
    let audit = elsewhere.audit();
    for line in audit.iter().filter(|line| line["what"] == "put_back") {
        let by = line["by"].as_str().unwrap();
        assert!(
            line["study"] == "study" && by.contains("127.0.0.1"),
            "{line}"
        );
    }
}

#[test]
fn an_agent_does_not_write_through_a_link_that_takes_the_place_of_a_file() {
    let elsewhere = Elsewhere::new(World::new());
    let there = &elsewhere.there;
    let (settings, victim) = (there.settings(), there.path("victim"));
    fs::write(&victim, "of somebody else").unwrap();
    let mut study = elsewhere.long_study(elsewhere.port);
    elsewhere.wait_until_changed(&mut study);
    fs::remove_file(&settings).unwrap();
    std::os::unix::fs::symlink(&victim, &settings).unwrap();
    let told = Told::of(study.wait_with_output().unwrap());
    told.assert_code(2);
    assert!(told.err.contains("symbolic link"), "{}", told.err);
    wait_until("the log", || elsewhere.audited("not_put_back") > 0);
    assert_eq!(fs::read(&victim).unwrap(), b"of somebody else");
    // It is tried again.
    fs::remove_file(&settings).unwrap();
    elsewhere.wait_until_back("without the link");
    assert_eq!(fs::read(&victim).unwrap(), b"of somebody else");
}

#[test]
fn what_an_agent_has_brought_back_it_leaves_alone_while_something_else_is_not() {
    let there = World::new();
    let (extra, settings) = (there.path("extra.conf"), there.settings());
    fs::write(&extra, "size = 1\n").unwrap();
    let knobs = format!(
        "{}  size: {{ file: extra.conf, format: properties, key: size, range: 1..8 }}\n",
        there.workers("range: 1..8")
    );
    let elsewhere = Elsewhere::of(there, &knobs, "");
    elsewhere.study(
        elsewhere.port,
        "knobs:\n  workers: { range: 2..8 }\n  size: { range: 2..8 }\nsearch: random\ntrials: 500\nseed: 1\n",
    );
    let mut command = World::command_in(elsewhere.here.path(), &["tune", "study.yaml", "--quiet"]);
    let mut study = command.spawn().unwrap();
    elsewhere.wait_until_changed(&mut study);
    wait_until("a change of the other file", || {
        fs::read(&extra).unwrap() != b"size = 1\n"
    });
    fs::remove_file(&settings).unwrap();
    std::os::unix::fs::symlink("/nowhere", &settings).unwrap();
    let told = Told::of(study.wait_with_output().unwrap());
    told.assert_code(2);
    wait_until("the log", || elsewhere.audited("not_put_back") > 0);
    assert_eq!(fs::read(&extra).unwrap(), b"size = 1\n");
    // It is tried again and again, and what is back is somebody else's.
    fs::write(&extra, "size = 5\n").unwrap();
    let known = elsewhere.audited("not_put_back");
    wait_until("another try", || elsewhere.audited("not_put_back") > known);
    let audit = elsewhere.audit();
    let detail = audit.last().unwrap()["detail"].as_str().unwrap();
    assert!(
        detail.contains("service.properties") && !detail.contains("extra.conf"),
        "{detail}"
    );
    fs::remove_file(&settings).unwrap();
    elsewhere.wait_until_back("without the link");
    assert_eq!(fs::read(&extra).unwrap(), b"size = 5\n");
}

#[test]
fn what_a_target_says_of_its_secrets_stays_on_its_host() {
    let there = World::new();
    let knobs = there.workers("range: 1..99");
    let elsewhere = Elsewhere::of(there, &knobs, "");
    // With 99 it does not start, and says a secret of its file.
    let (told, result) = elsewhere.all_failed(
        "knobs:\n  workers: { values: [99] }\nsearch: one-at-a-time\ntrials: 14\nseed: 1\n",
    );
    let read = |path: std::path::PathBuf| fs::read_to_string(path).unwrap();
    let journal = "plimsoll-runs/.tune/study/journal.jsonl";
    for (said, knows) in [
        (told.err, true),
        (told.out, false),
        (result.to_string(), true),
        (read(elsewhere.here.path().join(journal)), true),
        (read(elsewhere.there.path("state/tune/audit.jsonl")), true),
        (read(elsewhere.there.path("agent.log")), true),
    ] {
        assert!(!said.contains("hunter2"), "{said}");
        assert!(!knows || said.contains("no memory"), "{said}");
    }
}

#[test]
fn after_a_trial_without_success_a_reload_is_not_enough() {
    let there = World::new();
    let knobs = there.workers("values: [1, 8, 93]\n    by-reload: true");
    let elsewhere = Elsewhere::of(there, &knobs, "");
    // With 93 nothing succeeds, and another reload does not mend that.
    elsewhere.study(
        elsewhere.port,
        "knobs:\n  workers: { values: [93, 8] }\nsearch: one-at-a-time\ntrials: 14\nseed: 1\n",
    );
    let told = elsewhere.call(&["tune", "study.yaml"]);
    let result =
        json(&fs::read_to_string(elsewhere.here.path().join("plimsoll-runs/tune.json")).unwrap());
    assert!(elsewhere.is_back());
    let trials = result["trials"].as_array().unwrap();
    let with = |workers: &'static str| {
        let of = move |trial: &&Value| trial["values"]["workers"] == workers;
        trials.iter().position(|trial| of(&trial)).unwrap()
    };
    assert!(with("93") < with("8"), "{}", told.err);
    for trial in trials {
        let ended = match trial["values"]["workers"] == "93" {
            true => "failed",
            false => "measured",
        };
        assert_eq!(trial["result"]["end"], ended, "{}", told.err);
    }
    assert_eq!(trials[with("93")]["result"]["what"], "no_success");
}

#[test]
fn a_value_that_is_lost_while_the_target_is_loaded_is_void() {
    let there = World::new();
    // Who asks first sees what was set; then somebody has set it back.
    fs::write(
        there.path("lost.sh"),
        "test -e asked && exec echo 1\ntouch asked\necho 8\n",
    )
    .unwrap();
    let knobs = "  workers:
    file: conf/service.properties
    key: workers
    range: 1..8
    read-back: { command: sh lost.sh }
";
    let elsewhere = Elsewhere::of(there, knobs, "");
    let (_, result) = elsewhere.all_failed(
        "knobs:\n  workers: { values: [8] }\nsearch: one-at-a-time\ntrials: 14\nseed: 1\n",
    );
    let trials = result["trials"].as_array().unwrap().iter();
    let mut changed = trials.filter(|trial| trial["values"]["workers"] == "8");
    let first = &changed.next().unwrap()["result"];
    assert_eq!(
        (&first["end"], &first["instead"][0]["has"]),
        (&"void".into(), &"1".into()),
        "{first}"
    );
    // It had arrived.
    let audit = elsewhere.audit();
    let arrived = audit.iter().filter(|line| line["what"] == "arrived");
    assert_eq!(
        arrived
            .filter(|line| line["values"]["workers"] == "8")
            .count(),
        1,
        "{audit:?}"
    );
    assert!(elsewhere.audited("failed") > 0);
}

#[test]
fn a_study_that_is_silent_for_too_long_has_lost_its_lease() {
    let elsewhere = Elsewhere::new(World::new());
    let mut study = elsewhere.long_study(elsewhere.port);
    elsewhere.wait_until_changed(&mut study);
    signal(study.id(), "STOP");
    elsewhere.wait_until_back("a stopped study");
    signal(study.id(), "CONT");
    let told = Told::of(study.wait_with_output().unwrap());
    told.assert_code(2);
    assert!(told.err.contains("being restored"), "{}", told.err);
    elsewhere.wait_until_back("after it went on");

    // An agent that is stopped does so as soon as it goes on.
    let mut study = elsewhere.long_study(elsewhere.port);
    elsewhere.wait_until_changed(&mut study);
    signal(elsewhere.agent.id(), "STOP");
    let told = Told::of(study.wait_with_output().unwrap());
    told.assert_code(2);
    assert!(told.err.contains("by itself"), "{}", told.err);
    signal(elsewhere.agent.id(), "CONT");
    elsewhere.wait_until_back("a stopped agent");
}

#[test]
fn a_link_that_breaks_is_mended_or_its_lease_ends() {
    let elsewhere = Elsewhere::new(World::new());
    let agent = format!("127.0.0.1:{}", elsewhere.port).parse().unwrap();
    let proxy = Proxy::start(agent);
    let mut study = elsewhere.long_study(proxy.address.port());
    elsewhere.wait_until_changed(&mut study);
    let sets = || elsewhere.audited("sets");
    // Connections that end in between are made again: the study goes on, under the same lease.
    for _ in 0..3 {
        proxy.lead(Some(agent));
        let known = sets();
        wait_until("the next trial", || sets() > known);
    }
    assert_eq!(elsewhere.audited("begun"), 1);
    assert!(study.try_wait().unwrap().is_none());
    proxy.lead(None);
    elsewhere.wait_until_back("a cut link");
    let told = Told::of(study.wait_with_output().unwrap());
    told.assert_code(2);
    assert!(told.err.contains("by itself"), "{}", told.err);
}

#[test]
fn an_interrupted_study_and_an_ended_agent_bring_back_at_once() {
    let mut elsewhere = Elsewhere::new(World::new());
    let mut study = elsewhere.long_study(elsewhere.port);
    elsewhere.wait_until_changed(&mut study);
    signal(study.id(), "INT");
    let told = Told::of(study.wait_with_output().unwrap());
    told.assert_code(130);
    assert!(elsewhere.is_back());
    let mut study = elsewhere.long_study(elsewhere.port);
    elsewhere.wait_until_changed(&mut study);
    signal(elsewhere.agent.id(), "INT");
    assert!(elsewhere.agent.wait().unwrap().success());
    assert!(elsewhere.is_back());
    Told::of(study.wait_with_output().unwrap()).assert_code(2);
}

#[test]
fn what_is_said_is_what_the_schema_says() {
    let values = AgentValues::from([("workers".to_owned(), "8".to_owned())]);
    let (lease, number) = ("1f".to_owned(), 3);
    let asks = [
        TuneAsk::Describe { version: VERSION },
        TuneAsk::Changes {
            values: values.clone(),
        },
        TuneAsk::Begin {
            version: VERSION,
            study: "shop".to_owned(),
            by: "me@here".to_owned(),
            components: vec!["app".to_owned()],
        },
        TuneAsk::Apply {
            lease: lease.clone(),
            number,
            values: values.clone(),
            anew: true,
        },
        TuneAsk::Check {
            lease: lease.clone(),
            number,
        },
        TuneAsk::Look {
            lease: lease.clone(),
        },
        TuneAsk::Finish {
            lease: lease.clone(),
            number,
            keep: Some(values),
        },
    ];
    let schema = json(include_str!("../../../../schema/agent-tune.schema.json"));
    for ask in &asks {
        let text = serde_json::to_value(ask).unwrap();
        assert_fits(&schema, &text);
        assert_eq!(
            serde_json::from_value::<TuneAsk>(text.clone()).unwrap(),
            *ask
        );
        // What the agent does not know it does not pass over.
        let mut more = text;
        more["file"] = "/etc/passwd".into();
        assert!(serde_json::from_value::<TuneAsk>(more).is_err(), "{ask:?}");
    }
    let work = [
        AgentWork::Working,
        AgentWork::Done(AgentArrived::default()),
        AgentWork::Ended {
            end: TrialEnd::Interrupted,
        },
        AgentWork::Broken {
            message: (&Message::new("agent-busy").with("most", 3)).into(),
        },
    ];
    let states = work.map(|work| {
        TuneSaid::State(WorkState {
            lease: lease.clone(),
            number,
            work,
            memory_bytes: 1,
            cpu_s: 0.5,
        })
    });
    let knob = |domain| HostKnob {
        name: "workers".to_owned(),
        component: "app".to_owned(),
        domain,
        found: None,
        knob: Some("tomcat.threads.max".to_owned()),
    };
    let described = TuneSaid::Described(HostDescription {
        version: VERSION,
        lease_s: 15.0,
        components: vec!["app".to_owned()],
        knobs: vec![
            knob(Domain::numbers(1.0, 8.0, 1.0, true, "m")),
            knob(Domain::Choice(vec!["a".to_owned()])),
        ],
    });
    let changes = TuneSaid::Changes {
        fragments: vec![Fragment {
            of: "a".to_owned(),
            lines: vec!["-x".to_owned()],
        }],
    };
    for said in states
        .into_iter()
        .chain([described, changes, TuneSaid::Ending])
    {
        let text = serde_json::to_value(&said).unwrap();
        assert_fits(&schema, &text);
        assert_eq!(serde_json::from_value::<TuneSaid>(text).unwrap(), said);
    }
}
