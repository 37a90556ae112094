//! Queues of the application's own: full ones, that somebody empties too slowly, and those that
//! hold a few things which all requests want (a pool made by hand).

use plimsoll_text::Message;

use super::Rule;
use super::support::{full_cpu_of, full_exhibit, with_example};
use crate::about::object;
use crate::figures::{percent, tenths};
use crate::model::{Advice, Exhibit, Explains, Finding, Layer, ShareOf};
use crate::scene::Scene;
use crate::stacks::{QueueCall, QueueWait, SeenThread, Stacks, most_common, waits_at};

pub const RULE: Rule = Rule {
    ids: &["full_queue", "object_pool"],
    refuted_by: "a queue that is empty at times, or that nobody waits before",
    look,
};

fn look(scene: &Scene<'_>) -> Vec<Finding> {
    let mut found = Vec::new();
    for stacks in scene.stacks().iter().flat_map(Stacks::with_tasks) {
        let queues = stacks.queues();
        found.extend(queues.iter().map(|queue| finding(scene, stacks, queue)));
    }
    found
}

fn finding(scene: &Scene<'_>, stacks: &Stacks, queue: &QueueWait<'_>) -> Finding {
    let full = full_cpu_of(scene, &stacks.jvm);
    let layer = Layer::cause_if(full.is_none());
    let explains = Explains::new(queue.share, ShareOf::ResponseTime);
    let (id, kind, waiters, why) = match queue.call {
        QueueCall::Put => (
            "full_queue",
            "queue",
            "exhibit-full-queue",
            "advice-full-queue",
        ),
        QueueCall::Take => (
            "object_pool",
            "pool",
            "exhibit-object-pool",
            "advice-object-pool",
        ),
    };
    let waits = |seen: &SeenThread| waits_at(seen) == Some((queue.call, queue.own));
    let text = Message::new(waiters)
        .with("count", tenths(queue.waiting))
        .with("percent", percent(queue.share))
        .with("code", queue.own);
    let why = Message::new(why)
        .with("code", queue.own)
        .with("wanted", (queue.inside + queue.waiting).ceil());
    let other = match queue.call {
        QueueCall::Put => emptier(stacks),
        QueueCall::Take => Some(inside(stacks, queue)),
    };
    let finding = Finding::new(id, layer, object(kind, queue.own, &stacks.jvm), explains)
        .with("waiting", tenths(queue.waiting))
        .with("inside", tenths(queue.inside))
        .shows(with_example(Exhibit::new(text), stacks, waits))
        .shows_all(other)
        .shows_all(full.as_ref().map(full_exhibit))
        .advises(Advice::code(why));
    Finding {
        confidence: 0.85,
        source: "Little's law over thread dumps; java.util.concurrent.BlockingQueue",
        ..finding
    }
}

/// Who may empty it: the code in which threads that serve nobody work the most.
fn emptier(stacks: &Stacks) -> Option<Exhibit> {
    let (code, seen) = most_common(stacks.at_work_elsewhere())?;
    let text = Message::new("exhibit-queue-emptier")
        .with("thread", seen.thread.name.as_str())
        .with("code", code.as_str());
    Some(Exhibit::new(text).capture(seen.capture, seen.lines()))
}

fn inside(stacks: &Stacks, queue: &QueueWait<'_>) -> Exhibit {
    let within = |seen: &SeenThread| waits_at(seen).is_none() && seen.is_within(queue.own);
    let text = Message::new("exhibit-object-pool-inside")
        .with("count", tenths(queue.inside))
        .with("code", stacks.code(within).unwrap_or_default());
    with_example(Exhibit::new(text), stacks, within)
}

#[cfg(test)]
#[allow(clippy::unwrap_used, clippy::expect_used)]
mod tests {
    use super::super::tests::{JVM, with};
    use crate::model::{Finding, Layer};
    use crate::testing::Made;

    const PARKED: &str = "\tat jdk.internal.misc.Unsafe.park(Native Method)\n\
        \t- parking to wait for  <0x00000000e0000040> (a java.util.concurrent.locks.AbstractQueuedSynchronizer$ConditionObject)\n\
        \tat java.util.concurrent.locks.LockSupport.park(L.java:1)\n\
        \tat java.util.concurrent.locks.AbstractQueuedSynchronizer$ConditionObject.await(A.java:1)\n";
    const INSIDE: &str = "\tat java.lang.Thread.sleep(Native Method)\n\
        \tat shop.Printer.label(Printer.java:9)\n";

    /// So many threads in that call of a queue, and so many past it.
    fn made(call: &str, waiting: usize, inside: usize, used: f64) -> Made {
        let waits = format!(
            "{PARKED}\tat java.util.concurrent.{call}(Q.java:1)\n\tat shop.Printer.label(Printer.java:8)\n"
        );
        let threads = [
            (waiting, ("WAITING (parking)", waits.as_str())),
            (inside, ("TIMED_WAITING (sleeping)", INSIDE)),
        ];
        with(Made::load(100.0, 200.0).process(JVM, used, 2.0), &threads)
    }

    fn found(id: &str, made: &Made) -> Option<Finding> {
        let finding = made.find(id)?;
        assert_eq!(finding.object.name, "shop.Printer.label");
        assert_eq!(made.find("own_wait"), None, "it is no pause of its own");
        Some(finding)
    }

    #[test]
    fn a_full_queue_limits_whoever_empties_it() {
        let full = found("full_queue", &made("ArrayBlockingQueue.put", 20, 0, 0.2));
        assert_eq!(full.unwrap().layer, Layer::Cause);
        let starved = found("full_queue", &made("ArrayBlockingQueue.put", 20, 0, 1.95));
        assert_eq!(starved.unwrap().layer, Layer::Hint);
        // Every thread of the pool waits there: more of them would, too.
        let all = made("ArrayBlockingQueue.put", 15, 0, 0.2);
        assert_eq!(all.find("worker_threads").unwrap().layer, Layer::Hint);
        let few = made("ArrayBlockingQueue.put", 1, 19, 0.2);
        assert_eq!(few.find("full_queue"), None);
    }

    #[test]
    fn a_pool_made_of_a_queue_limits_and_a_response_by_a_queue_does_not() {
        let taken = found(
            "object_pool",
            &made("LinkedBlockingDeque.takeFirst", 16, 4, 0.2),
        );
        let taken = taken.unwrap();
        assert_eq!(taken.layer, Layer::Cause);
        assert_eq!(taken.evidence.len(), 2);
        assert!((taken.explains.share - 0.8).abs() < 0.01, "{taken:?}");
        let response = made("LinkedBlockingDeque.takeFirst", 20, 0, 0.2);
        assert_eq!(response.find("object_pool"), None);
        assert_eq!(response.find("own_wait").unwrap().layer, Layer::Hint);
    }
}
