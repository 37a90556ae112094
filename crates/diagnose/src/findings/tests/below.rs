//! What limits a JVM is what limits the one that waits for it.

use super::{COMPUTES, HOLDS_LOCK_IN_CALL, JVM, SLEEPS, WAITS_FOR_LOCK, limits, with, with_of};
use plimsoll_stats::series::EntityKind;
use plimsoll_text::{Lang, render};

use crate::model::{Finding, Layer};
use crate::testing::{Chance, Made, thing};

const BACK: &str = "java[9090]";
pub(super) const ASKS: (&str, &str) = (
    "RUNNABLE",
    "\tat sun.nio.ch.Net.poll(Native Method)\n\tat org.apache.hc.core5.http.io.Read.fill(R.java:1)\n\
     \tat shop.Front.ask(Front.java:3)\n",
);
const WAITS_FOR_CONNECTION: (&str, &str) = (
    "TIMED_WAITING (parking)",
    "\tat jdk.internal.misc.Unsafe.park(Native Method)\n\t- parking to wait for  \
     <0x00000000e0000020> (a java.util.concurrent.locks.AbstractQueuedSynchronizer$ConditionObject)\n\
     \tat java.util.concurrent.locks.LockSupport.parkNanos(L.java:1)\n\
     \tat org.apache.hc.core5.pool.StrictConnPool.lease(S.java:1)\n\
     \tat shop.Front.ask(Front.java:3)\n",
);

type Groups<'a> = &'a [(usize, (&'a str, &'a str))];

/// Two JVMs on few CPUs of two each: one that is loaded, and one behind it.
fn two(front: Groups<'_>, back: Groups<'_>, (front_cpu, back_cpu): (f64, f64)) -> Made {
    let made = Made::load(20.0, 1_000.0)
        .process(JVM, front_cpu, 2.0)
        .process(BACK, back_cpu, 2.0);
    with_of(with(made, front), BACK, back)
}

#[test]
fn a_lock_behind_a_pool_comes_before_it() {
    let queue: Groups<'_> = &[(15, WAITS_FOR_CONNECTION), (5, ASKS)];
    let locked: Groups<'_> = &[(3, WAITS_FOR_LOCK), (1, HOLDS_LOCK_IN_CALL), (1, COMPUTES)];
    let found = two(queue, locked, (0.3, 0.2)).all();
    assert_eq!(limits(&found), ["lock", "outgoing_pool"], "{found:?}");
    // Without the lock there is room behind the pool.
    let found = two(queue, &[(5, SLEEPS)], (0.3, 0.2)).all();
    assert_eq!(limits(&found).first(), Some(&"outgoing_pool"), "{found:?}");
    // More are in work there than are waited for: they are not the same.
    let unrelated: Groups<'_> = &[(20, WAITS_FOR_LOCK), (1, HOLDS_LOCK_IN_CALL)];
    let found = two(queue, unrelated, (0.3, 0.2)).all();
    assert!(!found.iter().any(|finding| finding.behind), "{found:?}");
}

#[test]
fn a_full_cpu_behind_is_what_limits() {
    let found = two(&[(20, ASKS)], &[(20, COMPUTES)], (0.3, 1.98)).all();
    assert_eq!(limits(&found), ["cpu"], "{found:?}");
    let dependency = found.iter().find(|finding| finding.id == "slow_dependency");
    assert_eq!(dependency.unwrap().layer, Layer::Hint);
    let queue: Groups<'_> = &[(10, WAITS_FOR_CONNECTION), (10, ASKS)];
    let found = two(queue, &[(10, COMPUTES)], (0.3, 1.98)).all();
    assert_eq!(limits(&found), ["cpu"], "{found:?}");
    // One that computes while others wait elsewhere, and one above, are not behind.
    let found = two(&[(20, ASKS)], &[(2, COMPUTES)], (0.3, 1.98)).all();
    assert!(limits(&found).contains(&"slow_dependency"), "{found:?}");
    let found = two(&[(20, ASKS)], &[(20, ASKS)], (1.98, 0.3)).all();
    assert!(limits(&found).contains(&"slow_dependency"), "{found:?}");
}

/// So many connections to that port of the same host.
fn connected(made: Made, port: &str, count: usize) -> Made {
    let host = thing(EntityKind::Host, "");
    let with = [
        ("network.connection.state", "established"),
        ("server.address", "127.0.0.1"),
        ("server.port", port),
    ];
    let count = f64::from(u32::try_from(count).unwrap());
    made.gauge(&host, "system.network.peer.connection.count", &with, count)
}

fn title(finding: &Finding) -> String {
    render(Lang::En, &finding.text(""))
}

#[test]
fn whatever_limits_a_watched_process_comes_before_who_waits_for_it() {
    let mut chance = Chance(11);
    for _ in 0..60 {
        let users = usize::try_from(20 + chance.below(40)).unwrap();
        let threads = usize::try_from(4 + chance.below(8)).unwrap();
        let full: Groups<'_> = &[(threads, SLEEPS)];
        let locked: Groups<'_> = &[(threads, WAITS_FOR_LOCK), (1, HOLDS_LOCK_IN_CALL)];
        for (back, cpu, id) in [
            (full, 0.2, "worker_threads"),
            (locked, 0.2, "lock"),
            (&[(threads, COMPUTES)], 1.98, "cpu"),
        ] {
            let rate = f64::from(u32::try_from(users).unwrap());
            let made = Made::load(rate, 1_000.0)
                .at("http://127.0.0.1:8080/")
                .process(JVM, 0.2, 2.0)
                .process(BACK, cpu, 2.0);
            let made = with_of(with(made, &[(users, ASKS)]), BACK, back);
            let found = connected(made, "9090", users).all();
            assert_eq!(
                found[0].id, id,
                "{users} users, {threads} threads: {found:?}"
            );
            assert!(title(&found[0]).contains(BACK), "{}", title(&found[0]));
            let waits = found.iter().find(|finding| finding.id == "slow_dependency");
            let waits = waits.unwrap();
            assert_eq!(
                (waits.layer, waits.object.name.as_str()),
                (Layer::Hint, "127.0.0.1:9090")
            );
            assert!(title(waits).contains(JVM), "{}", title(waits));
        }
    }
}

#[test]
fn who_waits_for_what_has_room_or_is_not_watched_waits_for_it() {
    let chain = |back: Groups<'_>, port| {
        let made = two(&[(20, ASKS)], back, (0.2, 0.2)).at("http://127.0.0.1:8080/");
        connected(made, port, 20).all()
    };
    let full: Groups<'_> = &[(5, SLEEPS)];
    // Ten times the threads that are busy; a system that nobody watches.
    let found = chain(&[(20, SLEEPS)], "9090");
    assert_eq!(found[0].id, "slow_dependency", "{found:?}");
    let found = chain(full, "7777");
    let waits = found.iter().find(|finding| finding.id == "slow_dependency");
    assert_eq!(waits.unwrap().layer, Layer::Cause, "{found:?}");
    // One process alone needs no name.
    let alone = Made::load(20.0, 1_000.0).process(JVM, 0.3, 2.0);
    let locked: Groups<'_> = &[(15, WAITS_FOR_LOCK), (1, HOLDS_LOCK_IN_CALL)];
    let found = with(alone, locked).all();
    assert_eq!(
        (found[0].id, found[0].object.process.as_str()),
        ("lock", "")
    );
}
