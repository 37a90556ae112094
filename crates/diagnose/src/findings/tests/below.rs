//! What limits a JVM is what limits the one that waits for it.

use super::{COMPUTES, HOLDS_LOCK_IN_CALL, JVM, SLEEPS, WAITS_FOR_LOCK, limits, with, with_of};
use crate::model::Layer;
use crate::testing::Made;

const BACK: &str = "java[9090]";
const ASKS: (&str, &str) = (
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
