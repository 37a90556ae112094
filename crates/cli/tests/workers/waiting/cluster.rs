//! Of three NATS servers one dies in the midst of a run: nothing is lost.

use std::path::Path;

use crate::fleet::{Fleet, Servers};
use crate::nats;
use crate::support::{count, eventually};

/// A run of 60/s over three workers during which one server is killed; which one is asked until
/// the cluster knows.
fn costs_nothing(binary: &Path, which: impl Fn(&nats::Cluster) -> Option<usize>) {
    let mut fleet = Fleet::on_three(binary, &["w1", "w2", "w3"]);
    let plan = fleet.plan("rate: 60/s\nduration: 16s");
    let run = fleet.begin(&plan, &["--workers", "3"]);
    eventually("load", || fleet.target.seen().len() > 150);
    let Servers::Three(cluster) = &mut fleet.servers else {
        unreachable!();
    };
    let mut found = None;
    eventually("the cluster says who it is", || {
        found = which(cluster);
        found.is_some()
    });
    cluster.servers[found.unwrap()].kill();
    let told = run.end();
    told.assert_code(0);
    let summary = told.summary();
    let reached = fleet.target.seen().len() as u64;
    assert_eq!(told.total("samples"), reached, "{summary}");
    assert!(summary["fleet"]["lost"].as_array().unwrap().is_empty());
    // A busy machine may have held a worker up.
    let withheld = count(&summary["fleet"], "withheld");
    assert_eq!(reached + withheld, 960, "{summary}");
    fleet.end();
}

#[test]
fn the_leader_of_the_streams_dies_in_a_run_and_nothing_is_lost() {
    for binary in nats::binaries() {
        costs_nothing(&binary, |cluster| cluster.leader_of("plimsoll_journal_"));
    }
}

#[test]
fn the_server_of_the_controller_dies_in_a_run_and_nothing_is_lost() {
    let binary = nats::binaries().remove(0);
    costs_nothing(&binary, |cluster| cluster.server_of("plimsoll run"));
}
