//! What can go wrong with a target: a result, or an end that leaves everything as it was.

use std::fs;
use std::os::unix::fs::PermissionsExt as _;

use serde_json::Value;

use crate::world::World;

fn failures(result: &Value) -> Vec<(String, String)> {
    let trials = result["trials"].as_array().unwrap().iter();
    trials
        .filter_map(|trial| {
            let what = match trial["result"]["end"].as_str()? {
                "failed" => trial["result"]["what"].as_str()?,
                "void" => "void",
                _ => return None,
            };
            let tried = trial["values"]["workers"].as_str()?;
            Some((tried.to_owned(), what.to_owned()))
        })
        .collect()
}

#[test]
fn configurations_with_which_a_target_fails_are_results() {
    let world = World::new();
    let knobs = world.workers("values: [99, 98, 97, 96, 95]");
    world.study(&format!(
        "knobs:\n{knobs}search: one-at-a-time\ntrials: 19\nseed: 1\n"
    ));
    // One hangs in its start; the others are there much sooner, on a busy machine, too.
    world.edit_study("ready-within: 30s", "ready-within: 8s");
    let before = world.state();
    let (told, result) = world.tuned(&[]);
    let failed = failures(&result);
    for (value, what) in [
        ("99", "does_not_start"),
        ("98", "hangs_in_start"),
        ("97", "died"),
        ("96", "void"),
    ] {
        let wanted = (value.to_owned(), what.to_owned());
        assert!(
            failed.contains(&wanted),
            "{wanted:?}: {failed:?}\n{}",
            told.err
        );
    }
    // What the target has instead, and what it said of itself, but no secret.
    assert!(
        told.err.contains('2') && told.err.contains("no memory"),
        "{}",
        told.err
    );
    assert!(!told.err.contains("hunter2") && !result.to_string().contains("hunter2"));
    // One that does not heed the signal works well, and is ended all the same.
    assert_eq!(result["best"]["workers"], "95", "{}", told.err);
    assert_eq!(world.state(), before);
    world.assert_clean("after faults");
}

#[test]
fn a_value_that_only_the_script_around_a_target_has_is_void() {
    let world = World::new();
    let port = world.port;
    let script = format!(
        "POOL=10 python3 -u service.py --port {port} --file conf/service.properties\ntrue\n"
    );
    fs::write(world.path("run.sh"), script).unwrap();
    world.study_of(
        &format!(
            "  service:
    start: sh run.sh
    ready: http://127.0.0.1:{port}/settings
    stop-within: 500ms
"
        ),
        "knobs:
  pool: { env: POOL, values: [20, 30] }
search: one-at-a-time
trials: 14
seed: 1
",
    );
    let (told, result) = world.tuned_with(5, &[]);
    let trials = result["trials"].as_array().unwrap();
    let tried = trials
        .iter()
        .filter(|trial| trial["values"]["pool"].is_string());
    let tried: Vec<_> = tried.map(|trial| &trial["result"]).collect();
    assert!(!tried.is_empty());
    for end in tried {
        assert_eq!(
            (&end["end"], &end["instead"][0]["has"]),
            (&"void".into(), &"10".into())
        );
    }
    assert!(told.err.contains("pool should be 20"), "{}", told.err);
    world.assert_clean("after a script");
}

#[test]
fn a_file_that_another_study_has_is_left_alone() {
    let world = World::new();
    world.study(&format!("knobs:\n{}", world.workers("values: [1, 2]")));
    // As another study has left it in a trial: its original beside it.
    let kept = world.path("conf/.service.properties.plimsoll-original");
    fs::rename(world.settings(), &kept).unwrap();
    fs::write(world.settings(), "workers = 5\n").unwrap();
    let before = fs::read(&kept).unwrap();
    for _ in 0..2 {
        let told = world.call(&["tune", "study.yaml"]);
        told.assert_code(2);
        assert!(told.err.contains("another study"), "{}", told.err);
        assert_eq!(fs::read(&kept).unwrap(), before);
        assert_eq!(fs::read(world.settings()).unwrap(), b"workers = 5\n");
    }
    fs::rename(&kept, world.settings()).unwrap();
    world.assert_clean("after a file of another study");
}

#[test]
fn a_target_that_does_not_start_as_it_was_found_ends_the_study() {
    let world = World::new();
    fs::write(world.settings(), "workers=99\n").unwrap();
    world.study(&format!("knobs:\n{}", world.workers("range: 1..8")));
    let before = world.state();
    let told = world.call(&["tune", "study.yaml"]);
    told.assert_code(1);
    assert_eq!(world.result()["end"], "no_baseline");
    assert_eq!(world.state(), before);
    world.assert_clean("after no baseline");
}

#[test]
fn a_file_that_may_not_be_written_stays_as_it_is() {
    let world = World::new();
    fs::set_permissions(world.settings(), fs::Permissions::from_mode(0o444)).unwrap();
    world.study(&format!(
        "knobs:\n{}trials: 14\n",
        world.workers("range: 2..8")
    ));
    let before = world.state();
    let told = world.call(&["tune", "study.yaml"]);
    told.assert_code(2);
    assert!(told.err.contains("service.properties"), "{}", told.err);
    assert_eq!(world.state(), before);
    world.assert_clean("after a read-only file");
}

#[test]
fn a_disk_that_is_full_leaves_everything_as_it_was() {
    let world = World::new();
    // No file may grow beyond 24 KiB: the settings cannot be written anew.
    let long = format!("workers=1\n# {}\n", "x".repeat(40 << 10));
    fs::write(world.settings(), long).unwrap();
    world.study(&format!(
        "knobs:\n{}trials: 14\n",
        world.workers("range: 2..8")
    ));
    let before = world.state();
    let told =
        world.shell("trap '' XFSZ; ulimit -f 48; \"$PLIMSOLL\" tune study.yaml --quiet; exit $?");
    assert_ne!(told.code, Some(0), "{}", told.err);
    assert_eq!(world.state(), before);
    world.assert_clean("after a full disk");
    world.call(&["tune", "--restore"]).assert_code(0);
    assert_eq!(world.state(), before);
}

fn is_root() -> bool {
    let status = fs::read_to_string("/proc/self/status").unwrap();
    status.lines().any(|line| line.starts_with("Uid:\t0\t0\t"))
}

#[test]
fn a_file_system_that_is_full_leaves_everything_as_it_was() {
    if !is_root() {
        eprintln!("skipped: a file system of its own needs root");
        return;
    }
    let world = World::new();
    world.study(&format!(
        "knobs:\n{}trials: 14\n",
        world.workers("range: 2..8")
    ));
    // 15 pages: the settings, but not a second time. What was there is compared byte for byte, and the study
    // says where there was no room.
    let script = "unshare --mount sh -c '
        mount -t tmpfs -o size=60k none conf || exit 90
        { echo workers=1; head -c 40000 /dev/zero | tr \"\\0\" \"#\"; } > conf/service.properties
        cp conf/service.properties was
        \"$PLIMSOLL\" tune study.yaml --quiet; code=$?
        cmp conf/service.properties was || exit 91
        [ \"$(ls conf)\" = service.properties ] || exit 92
        exit $code'";
    let told = world.shell(script);
    told.assert_code(2);
    assert!(
        told.err.contains("service.properties") && told.err.contains("No space left"),
        "{}",
        told.err
    );
    assert_eq!(world.processes(), Vec::<i32>::new());
}

/// A group whose processes are frozen, where even SIGKILL waits.
struct Freezer(std::path::PathBuf);

impl Freezer {
    fn new(name: &str) -> Option<Self> {
        let group = std::path::Path::new("/sys/fs/cgroup/freezer").join(name);
        fs::create_dir(&group).ok()?;
        Some(Self(group))
    }

    fn thaw(&self) {
        fs::write(self.0.join("freezer.state"), "THAWED").unwrap();
    }
}

impl Drop for Freezer {
    fn drop(&mut self) {
        let _ = fs::write(self.0.join("freezer.state"), "THAWED");
        while fs::read_to_string(self.0.join("tasks")).is_ok_and(|tasks| !tasks.is_empty()) {
            std::thread::sleep(std::time::Duration::from_millis(10));
        }
        let _ = fs::remove_dir(&self.0);
    }
}

#[test]
fn a_target_that_cannot_be_stopped_ends_the_study_and_its_files_are_brought_back() {
    let world = World::new();
    let Some(freezer) = Freezer::new(&format!("plimsoll-test-{}", world.port)) else {
        eprintln!("skipped: no freezer of cgroups, version 1, that may be used");
        return;
    };
    world.study(&format!(
        "knobs:\n{}search: one-at-a-time\ntrials: 16\nseed: 1\n",
        world.workers("values: [94]")
    ));
    let port = format!("--port {}", world.port);
    let group = format!("{port} --freezer {}", freezer.0.display());
    world.edit_study(&port, &group);
    let before = world.state();
    let told = world.call(&["tune", "study.yaml"]);
    told.assert_code(2);
    assert!(told.err.contains("cannot be stopped"), "{}", told.err);
    assert_eq!(world.state(), before, "{}", told.err);
    freezer.thaw();
    world.call(&["tune", "--restore"]).assert_code(0);
    drop(freezer);
    assert_eq!(world.state(), before);
    world.assert_clean("after one that could not be stopped");
}
