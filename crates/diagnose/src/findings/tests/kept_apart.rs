//! A server's pool in which threads do something else than serve: Jetty's that look at connections, and those it keeps
//! to take that over.

use plimsoll_stats::series::EntityKind;

use super::JVM;
use crate::model::Layer;
use crate::testing::{Made, thing};

/// So many threads serve, look at connections, are kept to take that over, and wait for work.
fn jetty(serving: usize, selecting: usize, reserved: usize, idle: usize) -> Made {
    let groups = [
        (
            serving,
            "TIMED_WAITING (sleeping)",
            "java.lang.Thread.sleep(Native Method)\n\tat shop.Page.show(Page.java:9)\n\tat org.eclipse.jetty.server.Server.handle(S.java:1)",
        ),
        (
            selecting,
            "RUNNABLE",
            "sun.nio.ch.EPoll.wait(Native Method)\n\tat org.eclipse.jetty.util.thread.strategy.AdaptiveExecutionStrategy.tryProduce(A.java:1)",
        ),
        (
            reserved,
            "TIMED_WAITING (parking)",
            "jdk.internal.misc.Unsafe.park(Native Method)\n\tat org.eclipse.jetty.util.thread.ReservedThreadExecutor$ReservedThread.reservedWait(R.java:1)",
        ),
        (
            idle,
            "TIMED_WAITING (parking)",
            "jdk.internal.misc.Unsafe.park(Native Method)\n\tat org.eclipse.jetty.util.thread.QueuedThreadPool$Runner.idleJobPoll(Q.java:1)",
        ),
    ];
    let mut text = String::from("Full thread dump OpenJDK 64-Bit Server VM (17 mixed mode):\n\n");
    let mut number = 0;
    let mut add = |name: &str, state: &str, lines: &str| {
        number += 1;
        text += &format!(
            "\"qtp769530879-{number}{name}\" #{number} prio=5 os_prio=0 cpu=1.00ms elapsed=9.00s tid=0x{number:016x} \
             nid=0x{number:x} runnable  [0x{number:016x}]\n   java.lang.Thread.State: {state}\n\tat {lines}\n\n"
        );
    };
    add(
        "-acceptor-0@5cdaaa6c-ServerConnector@58e5252f",
        "RUNNABLE",
        "sun.nio.ch.Net.accept(Native Method)",
    );
    for (threads, state, lines) in groups {
        for _ in 0..threads {
            add("", state, lines);
        }
    }
    let jvm = thing(EntityKind::Jvm, JVM);
    let made = Made::load(50.0, 260.0).users(13).process(JVM, 0.1, 2.0);
    let made = made.gauge(&jvm, "jvm.thread.count", &[], 30.0);
    (0..3).fold(made, |made, _| {
        made.capture(&jvm, "thread_dump", "steady", &text)
    })
}

#[test]
fn a_pool_without_a_thread_for_its_queue_is_full() {
    let found = jetty(3, 1, 1, 0).all().remove(0);
    assert_eq!(
        (found.id, found.layer),
        ("worker_threads", Layer::Cause),
        "{found:?}"
    );
    let advice = &found.advice[0];
    assert_eq!(advice.setting.as_deref(), Some("server.jetty.threads.max"));
    // The setting counts all of its threads: 3 that serve, 3 that do something else.
    assert_eq!(advice.current.as_deref(), Some("6"));
    assert_eq!(advice.proposed.as_deref(), Some("18"));
}

#[test]
fn a_pool_with_a_thread_for_its_queue_is_not() {
    assert!(jetty(3, 1, 1, 1).find("worker_threads").is_none());
    // All requests have a thread.
    assert!(jetty(13, 1, 1, 0).find("worker_threads").is_none());
}
