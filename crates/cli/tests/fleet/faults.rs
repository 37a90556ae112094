//! What faults of the network, of NATS and of the controller's disk cost: nothing, or the load that
//! the result says was missing. (Workers and controllers that are killed: `workers/runs.rs`.)

use std::io::Write;
use std::time::{Duration, Instant};

use serde_json::Value;

use crate::world::{Host, Process, World, eventually};

/// 150 arrivals a second for 20 s: 3,000 in all.
const OPEN: &str = "rate: 150/s\nduration: 20s\nmax-in-flight: 3000\n";
const PLANNED: u64 = 3000;

/// Three workers on hosts of their own and a controller that has started a run over them.
struct Going {
    world: World,
    hosts: Vec<Host>,
    workers: Vec<Process>,
    controller: Process,
    /// The controller's host.
    _from: Host,
}

impl Going {
    fn start(lease: &str) -> Option<Self> {
        let mut world = World::new()?;
        let (hosts, workers) = ["w1", "w2", "w3"]
            .map(|name| world.worker(name))
            .into_iter()
            .unzip();
        let from = world.host();
        let controller = world.run(&from, OPEN, 3, &["--lease", lease]);
        Some(Self {
            world,
            hosts,
            workers,
            controller,
            _from: from,
        })
    }

    /// Waits for the run's end; its summary. On a busy machine the generator may have been the
    /// limit, which its exit code tells; what is counted here holds all the same.
    fn end(&mut self) -> Value {
        let status = self.controller.end();
        assert!(status.code().is_some(), "{}", self.told());
        self.world.summary()
    }

    /// Everything that was said, for people who read why a test failed.
    fn told(&self) -> String {
        let mut told = format!("controller:\n{}\n", self.controller.log());
        for worker in &self.workers {
            told += &format!("worker:\n{}\n", worker.log());
        }
        told
    }

    /// Requests that the result knows: responded, or written and cut off.
    fn merged(summary: &Value) -> u64 {
        let total = |name: &str| summary["total"][name].as_u64().unwrap_or_default();
        total("samples") + total("cut_off")
    }

    fn assert_nothing_lost(&self, summary: &Value) {
        assert_eq!(
            Self::merged(summary),
            self.world.target.count(),
            "{}",
            self.told()
        );
        assert_eq!(
            summary["fleet"]["lost"],
            Value::Array(Vec::new()),
            "{}",
            self.told()
        );
        assert!(
            self.world.target.count() <= PLANNED,
            "more than was planned"
        );
    }

    /// What was planned reached the target or was withheld; gives what was withheld.
    fn assert_all_planned(&self, summary: &Value) -> u64 {
        let withheld = withheld(summary);
        let reached = self.world.target.count();
        assert_eq!(reached + withheld, PLANNED, "{}", self.told());
        withheld
    }

    /// Requests from a host at or after a moment.
    fn since(&self, host: usize, moment: Instant) -> usize {
        let address = &self.hosts[host].address;
        let seen = self.world.target.seen();
        seen.iter()
            .filter(|seen| seen.at >= moment && seen.from.to_string() == *address)
            .count()
    }
}

/// Arrivals that workers let pass, since a busy machine kept their lease from them: counted, and not
/// made up for.
fn withheld(summary: &Value) -> u64 {
    summary["fleet"]["withheld"].as_u64().unwrap()
}

#[test]
fn without_faults_all_is_there_and_all_is_shared() {
    let Some(mut going) = Going::start("4s") else {
        return;
    };
    let begun = Instant::now();
    let summary = going.end();
    going.assert_nothing_lost(&summary);
    let withheld = going.assert_all_planned(&summary);
    assert_eq!(
        summary["fleet"]["missing"],
        Value::Array(Vec::new()),
        "{}",
        going.told()
    );
    let shares: Vec<usize> = (0..3).map(|host| going.since(host, begun)).collect();
    let share = usize::try_from(PLANNED).unwrap() / 3;
    assert!(shares.iter().all(|&made| made <= share), "{shares:?}");
    if withheld == 0 {
        assert_eq!(shares, [share; 3]);
    }
}

#[test]
fn a_short_pause_costs_nothing_but_its_own_load() {
    let Some(mut going) = Going::start("4s") else {
        return;
    };
    going.world.until_requests(600);
    going.workers[1].signal(libc::SIGSTOP);
    std::thread::sleep(Duration::from_secs(2));
    going.workers[1].signal(libc::SIGCONT);
    let summary = going.end();
    going.assert_nothing_lost(&summary);
}

#[test]
fn a_cut_cable_costs_nothing_but_load() {
    let Some(mut going) = Going::start("4s") else {
        return;
    };
    going.world.until_requests(600);
    going.world.cut(&going.hosts[1], true);
    std::thread::sleep(Duration::from_secs(10));
    going.world.cut(&going.hosts[1], false);
    let summary = going.end();
    let fleet = &summary["fleet"];
    assert_eq!(fleet["lost"], Value::Array(Vec::new()), "{}", going.told());
    assert_ne!(
        fleet["missing"],
        Value::Array(Vec::new()),
        "{}",
        going.told()
    );
    // The target is behind the same cable: requests that never reached it are samples, too.
    let (merged, counted) = (Going::merged(&summary), going.world.target.count());
    assert!(
        counted <= merged && counted <= PLANNED,
        "{counted} {merged}"
    );
    let errors = summary["total"]["errors"].as_u64().unwrap_or_default();
    assert!(
        merged <= counted + errors + summary["total"]["cut_off"].as_u64().unwrap(),
        "{merged} {counted} {errors}"
    );
}

#[test]
fn what_a_worker_made_unheard_before_it_was_killed_is_in_the_bound() {
    let Some(mut going) = Going::start("10s") else {
        return;
    };
    going.world.until_requests(600);
    going.world.cut_from_nats(&going.hosts[1]);
    let cut = Instant::now();
    // More than 3 s of its share (50/s).
    eventually("it works on", || going.since(1, cut) >= 200);
    going.workers[1].kill();
    let summary = going.end();
    let (merged, counted) = (Going::merged(&summary), going.world.target.count());
    let lost = summary["fleet"]["lost"].as_array().unwrap();
    let bound: u64 = lost
        .iter()
        .filter_map(|lost| lost["at_most"].as_u64())
        .sum();
    assert!(
        merged + 150 < counted,
        "{merged} {counted} {}",
        going.told()
    );
    assert!(
        counted <= merged + bound && counted <= PLANNED,
        "{merged} {counted} {bound} {}",
        going.told()
    );
    // It may have had its lease for 10 s after it was heard last.
    let span = |name: &str| lost[0][name].as_f64().unwrap();
    assert!(span("to_s") - span("from_s") >= 9.0, "{lost:?}");
}

#[test]
fn a_nats_server_that_restarts_costs_nothing() {
    let Some(mut going) = Going::start("4s") else {
        return;
    };
    going.world.until_requests(600);
    going.world.nats().kill();
    going.world.start_nats();
    let summary = going.end();
    going.assert_nothing_lost(&summary);
    // On a busy machine the server may be away for longer than the lease.
    going.assert_all_planned(&summary);
}

#[test]
fn a_full_disk_of_the_controller_costs_nothing() {
    let Some(mut world) = World::new() else {
        return;
    };
    let mut workers = ["w1", "w2"].map(|name| world.worker(name));
    let from = world.host();
    let mut controller = world.run_on_small_disk(&from, OPEN, 2);
    world.until_requests(600);
    let disk = world.disk_of(&controller);
    let all = disk.join("all-there-is");
    let mut file = std::fs::File::create(&all).unwrap();
    while file.write_all(&[0; 4096]).is_ok() {}
    std::thread::sleep(Duration::from_secs(6));
    // A file that is open keeps its room although it is removed.
    drop(file);
    std::fs::remove_file(&all).unwrap();
    let status = controller.end();
    let told = controller.log();
    assert!(status.code().is_some(), "{told}");
    assert!(told.contains("cannot be written"), "{told}");
    assert!(told.contains("can be written again"), "{told}");
    let summary = world.summary();
    assert_eq!(Going::merged(&summary), world.target.count(), "{told}");
    assert_eq!(summary["fleet"]["lost"], Value::Array(Vec::new()), "{told}");
    // A busy machine may have held a worker up.
    let withheld = withheld(&summary);
    assert_eq!(world.target.count() + withheld, PLANNED, "{told}");
    for (_, worker) in &mut workers {
        worker.signal(libc::SIGINT);
        assert!(worker.end().success(), "{}", worker.log());
    }
}
