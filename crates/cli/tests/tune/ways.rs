//! Ways to make a study: each change approved, data reset, several components, one that runs already, trials that are
//! ended early, what is given up, the story.

use std::fs;
use std::io::Read as _;
use std::os::unix::fs::PermissionsExt as _;
use std::process::{Child, Command, Stdio};
use std::time::Duration;

use serde_json::Value;

use crate::assert_valid;
use crate::world::{Told, World, signal};

fn trials(result: &Value) -> &[Value] {
    result["trials"].as_array().unwrap()
}

/// Trials in which something was changed.
fn changed(result: &Value) -> impl Iterator<Item = &Value> {
    let all = trials(result).iter();
    all.filter(|trial| !trial["values"].as_object().unwrap().is_empty())
}

#[test]
fn a_change_waits_for_a_yes_and_a_no_is_a_result() {
    // Nothing is better than what was found, so that there are no final pairs to wait for.
    let world = World::new().found_with(8);
    world.study(&format!(
        "knobs:\n{}search: one-at-a-time\ntrials: 16\nseed: 1\n",
        world.workers("values: [2, 4]")
    ));
    let before = world.state();
    // Nobody says anything: all changes are refused, and the settings are never touched.
    let approve = ["tune", "study.yaml", "--approve"];
    let told = world.call_with(&approve, "what?\n");
    told.assert_code(5);
    let result = world.result();
    assert_eq!(result["end"], "none_measured");
    assert!(told.out.contains("no change was approved"), "{}", told.out);
    assert!(changed(&result).count() > 0);
    for trial in changed(&result) {
        assert_eq!(trial["result"]["what"], "not_approved", "{trial}");
    }
    assert_eq!(result["kept"], Value::Null);
    assert!(told.err.contains("-workers = 8") && told.err.contains("+workers = "));
    assert_eq!(world.state(), before);
    // Where nobody can say anything there is no study.
    let told = world.call(&approve);
    told.assert_code(2);
    assert!(told.err.contains("no terminal"), "{}", told.err);
    // The first one is refused, all others are allowed.
    let told = world.call_with(&approve, &format!("n\n{}", "y\n".repeat(40)));
    told.assert_code(0);
    let result = world.result();
    let ends: Vec<&Value> = changed(&result)
        .map(|trial| &trial["result"]["end"])
        .collect();
    assert_eq!(ends[0], "failed", "{}", told.err);
    assert!(
        ends[1..].iter().any(|end| *end == "measured"),
        "{}",
        told.err
    );
    assert_eq!(world.state(), before);
    world.assert_clean("after a study that was approved");
}

#[test]
fn data_is_reset_before_each_run() {
    let world = World::new().found_with(8);
    world.study(&format!(
        "knobs:\n{}reset: sh -c 'echo x >> resets'\ntrials: 14\nseed: 1\n",
        world.workers("values: [1, 2]")
    ));
    let (_, result) = world.tuned(&[]);
    assert!(changed(&result).count() > 0);
    let resets = fs::read_to_string(world.path("resets")).unwrap();
    assert_eq!(resets.lines().count(), trials(&result).len());
    // One that fails is a result of its trial, here of the first.
    world.study(&format!(
        "knobs:\n{}reset: sh -c 'echo no rows; exit 3'\ntrials: 14\n",
        world.workers("values: [1, 2]")
    ));
    let told = world.call(&["tune", "study.yaml"]);
    told.assert_code(1);
    assert!(
        told.err.contains("a command failed") && told.err.contains("no rows"),
        "{}",
        told.err
    );
    world.assert_clean("after a reset that failed");
}

#[test]
fn what_a_command_has_set_is_left_or_brought_back() {
    let world = World::new();
    let port = world.port;
    let workers = || {
        let text = fs::read_to_string(world.settings()).unwrap();
        let line = text.lines().find(|line| line.starts_with("workers"));
        line.unwrap().to_owned()
    };
    let study = |seed: u32| {
        world.study(&format!(
            "knobs:
  workers:
    command: sh -c 'sed -i \"s/^workers.*/workers = {{}}/\" conf/service.properties && \
      pkill -HUP -f \"[s]ervice.py --port {port}\"'
    default: '1'
    values: [8]
    read-back: {{ http: 'http://127.0.0.1:{port}/settings', pointer: /workers }}
trials: 14
seed: {seed}
"
        ));
    };
    study(1);
    let (told, result) = world.tuned(&[]);
    assert_eq!(result["kept"]["workers"], "8", "{}", told.err);
    assert_eq!(workers(), "workers = 1", "{}", told.err);
    // What is kept is left, though the last run of the final pairs was one of the target as it was found.
    for seed in 1..12 {
        study(seed);
        let found = fs::read(world.settings()).unwrap();
        let (told, result) = world.tuned(&["--keep-best"]);
        assert_eq!(result["kept"]["workers"], "8", "{}", told.err);
        assert_eq!(workers(), "workers = 8", "{}", told.err);
        let last = trials(&result).last().unwrap();
        if last["values"] == serde_json::json!({}) {
            return world.assert_clean("after a command");
        }
        fs::write(world.settings(), found).unwrap();
    }
    panic!("no study ended with the target as it was found");
}

#[test]
fn a_default_that_the_target_does_not_have_ends_the_study_before_anything_is_set() {
    let world = World::new();
    let port = world.port;
    world.study(&format!(
        "knobs:
  workers:
    command: touch set-to-{{}}
    default: '2'
    values: [8]
    read-back: {{ http: 'http://127.0.0.1:{port}/settings', pointer: /workers }}
trials: 14
"
    ));
    let told = world.call(&["tune", "study.yaml"]);
    told.assert_code(2);
    for part in ["“workers” is 2", "shows 1"] {
        assert!(told.err.contains(part), "{part}: {}", told.err);
    }
    for value in [2, 8] {
        assert!(!world.path(&format!("set-to-{value}")).exists());
    }
    world.assert_clean("after another default");
}

#[test]
fn components_start_in_order_and_stop_in_reverse() {
    let (world, behind) = (World::new().found_with(8), World::new());
    let (port, other) = (world.port, behind.port);
    let service = "python3 -u service.py --file conf/service.properties --order order.txt";
    fs::write(world.path("base.properties"), "workers=4\n").unwrap();
    let components = format!(
        // One name begins with the other: what ends one must not end the other.
        "  app.base:
    start: python3 -u service.py --file base.properties --order order.txt --name base --port {other}
    ready: 127.0.0.1:{other}
  app:
    start: {service} --name app --port {port} --needs {other}
    ready: http://127.0.0.1:{port}/settings
"
    );
    let knobs = world.workers("values: [1, 4]\n    of: app");
    world.study_of(
        &components,
        &format!("knobs:\n{knobs}trials: 14\nseed: 2\n"),
    );
    let (_, result) = world.tuned(&[]);
    assert!(changed(&result).count() > 0);
    let order = fs::read_to_string(world.path("order.txt")).unwrap();
    let order: Vec<&str> = order.lines().collect();
    let made = trials(&result).len();
    // What has no knob goes on; what has one is given anew by each trial.
    let mut wanted = vec!["start base"];
    wanted.extend(["start app", "stop app"].repeat(made));
    wanted.push("stop base");
    assert_eq!(order, wanted);
    world.assert_clean("after two components");
    behind.assert_clean("after two components");
}

/// A service that nobody but the test has started.
struct Running(Child);

impl Running {
    fn of(world: &World) -> Self {
        let port = world.port.to_string();
        let child = Command::new("python3")
            .args([
                "service.py",
                "--port",
                &port,
                "--file",
                "conf/service.properties",
            ])
            .current_dir(world.dir.path())
            .stdin(Stdio::null())
            .spawn()
            .unwrap();
        while std::net::TcpStream::connect(("127.0.0.1", world.port)).is_err() {
            std::thread::sleep(Duration::from_millis(10));
        }
        fs::write(world.path("service.pid"), child.id().to_string()).unwrap();
        Self(child)
    }
}

impl Drop for Running {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

#[test]
fn what_runs_already_is_reloaded_and_never_stopped() {
    let world = World::new();
    let mut running = Running::of(&world);
    let port = world.port;
    let components = format!(
        "  service:
    running: true
    reload: sh -c 'kill -HUP $(cat service.pid)'
    ready: http://127.0.0.1:{port}/settings
"
    );
    let knobs = world.workers("values: [1, 8]");
    world.study_of(
        &components,
        &format!("knobs:\n{knobs}trials: 14\nseed: 2\n"),
    );
    let before = world.state();
    let (told, result) = world.tuned(&[]);
    assert_eq!(result["kept"]["workers"], "8", "{}", told.err);
    assert!(
        changed(&result).all(|trial| trial["result"]["end"] == "measured"),
        "{}",
        told.err
    );
    assert_eq!(running.0.try_wait().unwrap(), None, "it was stopped");
    assert_eq!(world.state(), before);
    // What was there before is what it has again.
    let settings = world.shell(&format!(
        "curl -fsS --noproxy '*' http://127.0.0.1:{port}/settings"
    ));
    assert!(settings.out.contains("\"workers\": 1,"), "{}", settings.out);
}

/// Takes what the real one takes of these verbs, and runs the service as a unit.
const SYSTEMCTL: &str = "#!/bin/sh
echo \"$*\" >> systemctl.log
case \"$1 $#\" in
\"daemon-reload 1\") exit 0 ;;
\"start 2\" | \"restart 2\") ;;
*) echo \"Too many arguments.\" >&2; exit 1 ;;
esac
pid=$(cat unit.pid 2>/dev/null)
if grep -q service.py /proc/${pid:-none}/cmdline 2>/dev/null; then
  test $1 = restart || exit 0
  kill $pid
  while grep -q service.py /proc/$pid/cmdline; do sleep 0.05; done 2>/dev/null
fi
python3 -u service.py --port PORT --file conf/service.properties >/dev/null 2>&1 &
echo $! > unit.pid
";

#[test]
fn a_unit_of_systemd_is_restarted_for_new_values() {
    // Nothing is better than what was found, so that there are no final pairs to wait for.
    let world = World::new().found_with(8);
    let port = world.port;
    fs::create_dir(world.path("bin")).unwrap();
    let program = world.path("bin/systemctl");
    fs::write(&program, SYSTEMCTL.replace("PORT", &port.to_string())).unwrap();
    fs::set_permissions(&program, fs::Permissions::from_mode(0o755)).unwrap();
    let components = format!(
        "  service:
    systemd: shop.service
    ready: http://127.0.0.1:{port}/settings
    ready-within: 30s
"
    );
    let knobs = world.workers("values: [2, 4]");
    world.study_of(
        &components,
        &format!("knobs:\n{knobs}trials: 16\nsearch: one-at-a-time\nseed: 2\n"),
    );
    let before = world.state();
    let path = format!(
        "{}:{}",
        world.path("bin").display(),
        std::env::var("PATH").unwrap()
    );
    let call = |more: &[&str]| {
        let mut command = World::command_in(world.dir.path(), &["tune", "study.yaml"]);
        Told::of(command.args(more).env("PATH", &path).output().unwrap())
    };
    let planned = call(&["--dry-run"]);
    for line in [
        "daemon-reload",
        "start shop.service",
        "restart shop.service",
    ] {
        let line = format!("  systemctl {line}\n");
        assert!(planned.out.contains(&line), "{line}: {}", planned.out);
    }
    let told = call(&[]);
    told.assert_code(0);
    let result = world.result();
    assert!(changed(&result).count() > 0, "{}", told.err);
    assert!(
        trials(&result)
            .iter()
            .all(|trial| trial["result"]["end"] == "measured"),
        "{}",
        told.err
    );
    assert_eq!(world.state(), before);
    let log = fs::read_to_string(world.path("systemctl.log")).unwrap();
    let pairs: Vec<&str> = log.lines().collect();
    let restarts = pairs
        .chunks(2)
        .all(|two| two == ["daemon-reload", "restart shop.service"]);
    assert!(restarts && pairs.len() > 2 * trials(&result).len(), "{log}");
}

#[test]
fn an_interrupt_ends_the_wait_for_a_yes() {
    let world = World::new().found_with(8);
    world.study(&format!(
        "knobs:\n{}search: random\ntrials: 16\nseed: 1\n",
        world.workers("values: [2, 4]")
    ));
    let before = world.state();
    let mut command = World::command_in(world.dir.path(), &["tune", "study.yaml", "--approve"]);
    let mut study = command.stdin(Stdio::piped()).spawn().unwrap();
    // It stays open, and nobody says anything.
    let input = study.stdin.take();
    let mut errors = study.stderr.take().unwrap();
    let (mut told, mut byte) = (Vec::new(), [0]);
    while !told.ends_with(b"(y/n)") {
        assert_eq!(errors.read(&mut byte).unwrap(), 1, "it ended");
        told.push(byte[0]);
    }
    signal(study.id(), "INT");
    let code = study.wait().unwrap().code();
    assert_eq!(code, Some(130));
    drop(input);
    assert_eq!(world.state(), before);
    world.assert_clean("after an interrupt");
}

/// Trials that changed something were ended early; gives them.
fn all_cut_short<'r>(told: &Told, result: &'r Value) -> Vec<&'r Value> {
    let cut: Vec<&Value> = changed(result).collect();
    assert!(!cut.is_empty(), "{}", told.err);
    for trial in &cut {
        assert_eq!(trial["result"]["cut_short"], true, "{trial}");
    }
    assert!(told.err.contains("ended early") || told.err.contains("is broken"));
    let as_found = trials(result).len() - cut.len();
    let found = trials(result)
        .iter()
        .filter(|it| it["result"]["cut_short"] == false);
    assert_eq!(found.count(), as_found, "{}", told.err);
    cut
}

/// A study of a service that is found with many workers and tried with one: 8 users wait for it, 320 ms each.
fn study_of_worse(more: &str) -> World {
    let world = World::new().found_with(8);
    let knobs = world.workers("values: [1, 8]");
    world.study(&format!("{more}knobs:\n{knobs}trials: 14\nseed: 1\n"));
    world.edit_study("measure: 1s", "measure: 5s");
    world
}

#[test]
fn a_trial_that_cannot_win_or_breaks_a_constraint_ends_early() {
    let by_time = study_of_worse("objective: minimise p99\nsearch: one-at-a-time\n");
    let by_rate = study_of_worse("search: one-at-a-time\n");
    let broken =
        study_of_worse("constraints: [p99 < 500 ms]\nobjective: minimise p99\nsearch: random\n");
    // 100 ms as it is found, 800 ms with one worker: far from the constraint even on a busy machine.
    broken.edit_study("service.py --port", "service.py --delay 100 --port");
    std::thread::scope(|scope| {
        for world in [&by_time, &by_rate] {
            scope.spawn(|| {
                let (told, result) = world.tuned(&[]);
                all_cut_short(&told, &result);
            });
        }
        scope.spawn(|| {
            let (told, result) = broken.tuned(&[]);
            for trial in all_cut_short(&told, &result) {
                let broken = trial["result"]["broken"].as_array().unwrap();
                assert!(!broken.is_empty(), "{trial}");
            }
            assert_eq!(result["kept"], Value::Null);
        });
    });
}

#[test]
fn what_is_given_up_is_told() {
    let world = World::new();
    let port = world.port;
    // A service that reads Redis' words: flushing less often makes it quicker.
    fs::write(
        world.path("conf/redis.conf"),
        "# durable\nappendfsync always\n",
    )
    .unwrap();
    fs::write(world.path("start.sh"), "case $(grep ^appendfsync conf/redis.conf) in\n*no) delay=10;;\n*) delay=40;;\nesac\nexec python3 -u service.py --delay $delay \"$@\"\n").unwrap();
    let components = format!(
        "  cache:
    start: sh start.sh --port {port} --file conf/service.properties
    ready: http://127.0.0.1:{port}/settings
"
    );
    let more = "knobs:
  redis.appendfsync:
    file: conf/redis.conf
    values: [always, 'no']
    read-back:
      command: sh -c \"grep ^appendfsync conf/redis.conf | cut -d' ' -f2\"
allow: [redis.appendfsync]
trials: 14
seed: 1
";
    world.study_of(&components, more);
    let told = world.call(&[
        "tune",
        "study.yaml",
        "--report",
        "story.md",
        "--report",
        "story.html",
        "--report",
        "story.xlsx",
    ]);
    told.assert_code(0);
    let result = world.result();
    assert_valid(&result);
    assert_eq!(
        result["kept"]["redis.appendfsync"], "no",
        "{}\n{}",
        told.out, told.err
    );
    assert_eq!(result["given_up"][0]["what"], "durability");
    assert!(
        told.out.contains("gives up durability for this"),
        "{}",
        told.out
    );
    let effects = result["main_effects"].as_array().unwrap();
    assert!(
        effects
            .iter()
            .any(|it| it["value"] == "no" && it["share"].as_f64() > Some(0.5)),
        "{effects:?}"
    );
    let story = fs::read_to_string(world.path("story.md")).unwrap();
    for part in [
        "gives up durability for this",
        "+appendfsync no",
        "-appendfsync always",
        "| throughput (/s)",
    ] {
        assert!(story.contains(part), "{part}: {story}");
    }
    let page = fs::read_to_string(world.path("story.html")).unwrap();
    assert!(page.contains("<polyline") && page.contains("+appendfsync no"));
    assert!(
        fs::read(world.path("story.xlsx"))
            .unwrap()
            .starts_with(b"PK")
    );
    // The same once more from the result alone, in Chinese.
    let told = world.call(&[
        "tune",
        "--show",
        "plimsoll-runs/tune.json",
        "--lang",
        "zh",
        "--report",
        "zh.md",
    ]);
    told.assert_code(0);
    let story = fs::read_to_string(world.path("zh.md")).unwrap();
    assert!(
        story.contains("全部试验") && story.contains("+appendfsync no"),
        "{story}"
    );
    world.call(&["tune", "--show", "study.yaml"]).assert_code(2);
    world
        .call(&["tune", "study.yaml", "--report", "story.pdf"])
        .assert_code(2);
}

#[test]
fn the_capacity_under_the_constraints_is_an_objective() {
    let world = World::new().found_with(4);
    let knobs = world.workers("values: [1, 4]");
    // Nothing that runs at all uses so little of a CPU: each trial says so.
    world.study(&format!(
        "objective: maximise capacity
constraints: [p95 < 250 ms]
most-cpu: 0.001
search: one-at-a-time
knobs:\n{knobs}trials: 14
seed: 1
"
    ));
    // A delay far above what a busy machine adds.
    world.edit_study("--file conf", "--delay 100 --file conf");
    let before = world.state();
    // Two as it was found, and the one other: nothing meets the constraints.
    let (told, result) = world.tuned(&[]);
    assert_eq!(world.state(), before);
    world.assert_clean("after a search for the capacity");
    let users = |at: usize| trials(&result)[at]["result"]["objective"].as_f64().unwrap();
    // Four workers carry four times the users of one. That one carries less than can win is soon known: how many
    // it carries is not searched for.
    assert!(
        users(2) >= 1.0 && users(0) > 1.8 * users(2),
        "{} {}\n{}",
        users(0),
        users(2),
        told.err
    );
    for (at, trial) in trials(&result)[..3].iter().enumerate() {
        let own = &trial["result"];
        assert!(own["cpus"].as_f64() > Some(0.0), "{trial}");
        assert!(
            own["broken"].to_string().contains("cpu <= 0.001"),
            "{trial}"
        );
        assert_eq!(own["cut_short"], at == 2, "{trial}");
    }
    // Without a constraint there is no such load.
    world.study(&format!("objective: maximise capacity\nknobs:\n{knobs}"));
    let told = world.call(&["tune", "study.yaml"]);
    told.assert_code(2);
    assert!(told.err.contains("constraints: [p99"), "{}", told.err);
}

#[test]
fn a_target_that_carries_no_load_as_it_was_found_is_told_with_what_to_do() {
    let world = World::new();
    let knobs = world.workers("values: [1, 4]");
    world.study(&format!(
        "objective: maximise capacity\nconstraints: [p95 < 20 ms]\nknobs:\n{knobs}"
    ));
    world.edit_study("--file conf", "--delay 100 --file conf");
    let told = world.call(&["tune", "study.yaml"]);
    told.assert_code(1);
    let result = world.result();
    assert_valid(&result);
    assert_eq!(result["end"], "no_baseline");
    for part in ["p95 < 20 ms: 1", "Loosen this constraint", "minimise p99"] {
        assert!(told.out.contains(part), "{part}: {}", told.out);
    }
    let shown = ["tune", "--show", "plimsoll-runs/tune.json", "--lang", "zh"];
    let told = world.call(&shown);
    assert!(told.out.contains("请放宽这条约束"), "{}", told.out);
    world.assert_clean("after no capacity");
}
