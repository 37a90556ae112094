//! Requests that wait for a task which they have handed to a pool of threads, all of them busy:
//! the pool of tasks and not that of requests is what limits.

use plimsoll_text::Message;

use super::Rule;
use super::support::{full_cpu_of, full_exhibit, waits_behind, with_example};
use crate::about::object;
use crate::figures::{percent, tenths};
use crate::model::{Advice, Exhibit, Explains, Finding, Layer, ShareOf};
use crate::scene::Scene;
use crate::stacks::{SeenThread, Stacks, TaskPool};

pub const RULE: Rule = Rule {
    ids: &["task_threads"],
    refuted_by: "idle threads of the pool, or nobody who waits for a task",
    look,
};

fn look(scene: &Scene<'_>) -> Vec<Finding> {
    let all = scene.stacks().iter();
    all.filter_map(|stacks| Some(finding(scene, stacks, stacks.tasks.as_ref()?)))
        .collect()
}

fn finding(scene: &Scene<'_>, stacks: &Stacks, pool: &TaskPool) -> Finding {
    let full = full_cpu_of(scene, &stacks.jvm).map(|cpu| full_exhibit(&cpu));
    let deeper = full.or_else(|| waits_behind(&pool.stacks).map(Exhibit::new));
    let layer = Layer::cause_if(deeper.is_none());
    let explains = Explains::new(
        pool.share * (1.0 - pool.threads / pool.waiting),
        ShareOf::ResponseTime,
    );
    let name = pool.name.trim_end_matches(['-', '#', ' ']);
    let code = stacks.code(SeenThread::awaits_task).unwrap_or_default();
    let text = Message::new("exhibit-tasks")
        .with("waiting", tenths(pool.waiting))
        .with("percent", percent(pool.share))
        .with("code", code)
        .with("threads", tenths(pool.threads))
        .with("pool", name);
    let code = pool.stacks.code(|_| true).unwrap_or_default();
    let in_work = Message::new("exhibit-tasks-in-work").with("code", code);
    let about = object("thread_pool", name, &stacks.jvm);
    let finding = Finding::new("task_threads", layer, about, explains)
        .with("limit", pool.threads.round())
        .shows(with_example(
            Exhibit::new(text),
            stacks,
            SeenThread::awaits_task,
        ))
        .shows(with_example(Exhibit::new(in_work), &pool.stacks, |_| true))
        .advises(advice(pool))
        .shows_all(deeper);
    Finding {
        confidence: 0.85,
        source: "Little's law over thread dumps",
        ..finding
    }
}

/// Names of pools, and the settings of their size.
const SETTINGS: &[(&str, &str)] = &[
    (
        "ForkJoinPool.commonPool",
        "java.util.concurrent.ForkJoinPool.common.parallelism",
    ),
    ("task-", "spring.task.execution.pool.core-size"),
    ("pool-", "Executors.newFixedThreadPool(nThreads)"),
];

fn advice(pool: &TaskPool) -> Advice {
    let wanted = pool.waiting.ceil();
    let why = Message::new("advice-task-threads").with("wanted", wanted);
    let mut known = SETTINGS.iter();
    match known.find(|(prefix, _)| pool.name.starts_with(prefix)) {
        Some((_, setting)) => {
            let current = Some(pool.threads.round().to_string());
            Advice::setting(*setting, current, wanted.to_string(), why)
        }
        None => Advice::code(why),
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used, clippy::expect_used)]
mod tests {
    use plimsoll_stats::series::EntityKind;

    use super::super::tests::{JVM, dump};
    use crate::model::{Finding, Layer};
    use crate::testing::{Made, thing};

    const AWAITS: &str = "\tat jdk.internal.misc.Unsafe.park(Native Method)\n\
        \t- parking to wait for  <0x00000000e0000050> (a java.util.concurrent.FutureTask)\n\
        \tat java.util.concurrent.locks.LockSupport.park(L.java:1)\n\
        \tat java.util.concurrent.FutureTask.awaitDone(F.java:1)\n\
        \tat java.util.concurrent.FutureTask.get(F.java:2)\n\
        \tat shop.Prices.ask(Prices.java:9)\n";
    const WORKS: &str = "\tat java.lang.Thread.sleep(Native Method)\n\
        \tat shop.Prices.slow(Prices.java:20)\n\
        \tat java.util.concurrent.FutureTask.run(F.java:3)\n\
        \tat java.util.concurrent.ThreadPoolExecutor.runWorker(T.java:1)\n";
    const LOCKED: &str = "\tat java.util.concurrent.locks.ReentrantLock$Sync.lock(R.java:1)\n\
        \t- parking to wait for  <0x00000000e0000060> (a java.util.concurrent.locks.ReentrantLock$NonfairSync)\n\
        \tat shop.Prices.slow(Prices.java:20)\n\
        \tat java.util.concurrent.FutureTask.run(F.java:3)\n\
        \tat java.util.concurrent.ThreadPoolExecutor.runWorker(T.java:1)\n";
    const HOLDS: &str = "\tat shop.Prices.compute(Prices.java:30)\n\
        \tat shop.Prices.slow(Prices.java:21)\n\
        \tat java.util.concurrent.FutureTask.run(F.java:3)\n\
        \tat java.util.concurrent.ThreadPoolExecutor.runWorker(T.java:1)\n";
    const IDLES: &str = "\tat jdk.internal.misc.Unsafe.park(Native Method)\n\
        \tat java.util.concurrent.LinkedBlockingQueue.take(Q.java:1)\n\
        \tat java.util.concurrent.ThreadPoolExecutor.getTask(T.java:2)\n\
        \tat java.util.concurrent.ThreadPoolExecutor.runWorker(T.java:1)\n";
    const CONSUMES: &str = "\tat jdk.internal.misc.Unsafe.park(Native Method)\n\
        \tat java.util.concurrent.LinkedBlockingQueue.take(Q.java:1)\n\
        \tat shop.Mail.run(Mail.java:4)\n\
        \tat java.util.concurrent.ThreadPoolExecutor.runWorker(T.java:1)\n";

    /// Threads of a pool, after the dump of those that serve.
    fn tasks(name: &str, count: usize, lines: &str) -> String {
        let one = |number: usize| {
            format!(
                "\"{name}-{number}\" #9{number} prio=5 os_prio=0 cpu=1.00ms elapsed=9.00s \
                 tid=0x000000000000009{number} nid=0x9{number} waiting \
                 [0x000000000000009{number}]\n   java.lang.Thread.State: WAITING (parking)\n{lines}\n"
            )
        };
        (1..=count).map(one).collect()
    }

    fn made(waiting: usize, others: &[String], used: f64) -> Made {
        let jvm = thing(EntityKind::Jvm, JVM);
        let text = dump(&[(waiting, "WAITING (parking)", AWAITS)]) + &others.concat();
        let made = Made::load(100.0, 200.0).process(JVM, used, 2.0);
        (0..3).fold(made, |made, _| {
            made.capture(&jvm, "thread_dump", "steady", &text)
        })
    }

    fn found(waiting: usize, others: &[String], used: f64) -> Option<Finding> {
        let made = made(waiting, others, used);
        let finding = made.find("task_threads");
        let found = made.all();
        let has = |id: &str| found.iter().any(|finding| finding.id == id);
        // "More users bring more" would be wrong where a pool is exhausted, of tasks or of requests.
        let silent = finding.is_some() || has("worker_threads") || used > 1.7;
        assert_eq!(!has("own_wait"), silent, "{found:?}");
        finding
    }

    #[test]
    fn a_full_pool_of_tasks_limits() {
        let finding = found(20, &[tasks("pool-2-thread", 4, WORKS)], 0.2).unwrap();
        assert_eq!(finding.layer, Layer::Cause);
        assert_eq!(finding.object.name, "pool-2-thread");
        assert!(
            (finding.explains.share - 0.8).abs() < 0.01,
            "{:?}",
            finding.explains
        );
        assert_eq!(finding.advice[0].proposed.as_deref(), Some("20"));
        let work = &finding.evidence[1];
        assert!(
            work.lines
                .iter()
                .any(|line| line.contains("shop.Prices.slow")),
            "{work:?}"
        );
        let finding = found(20, &[tasks("pool-2-thread", 4, WORKS)], 1.95).unwrap();
        assert_eq!(finding.layer, Layer::Hint);
    }

    #[test]
    fn a_lock_in_the_tasks_comes_before_their_threads() {
        let locked = tasks("pool-2-thread", 3, LOCKED) + &tasks("pool-2-thread", 1, HOLDS);
        let finding = found(20, &[locked], 0.2).unwrap();
        assert_eq!(finding.layer, Layer::Hint);
        let lock = made(
            20,
            &[
                tasks("pool-2-thread", 3, LOCKED),
                tasks("pool-2-thread", 1, HOLDS),
            ],
            0.2,
        )
        .find("lock")
        .unwrap();
        assert_eq!(
            (lock.layer, lock.object.name.as_str()),
            (Layer::Cause, "shop.Prices")
        );
        assert!(
            (lock.explains.share - 0.75).abs() < 0.01,
            "{:?}",
            lock.explains
        );
    }

    #[test]
    fn a_pool_with_room_does_not() {
        // One thread has nothing to do; as many work as are waited for; nothing is in work.
        let idle = tasks("pool-2-thread", 1, IDLES);
        assert_eq!(
            found(20, &[tasks("pool-2-thread", 3, WORKS), idle], 0.2),
            None
        );
        assert_eq!(found(4, &[tasks("pool-2-thread", 4, WORKS)], 0.2), None);
        assert_eq!(found(20, &[tasks("pool-2-thread", 4, IDLES)], 0.2), None);
        // Consumers of a queue that is empty are in the application's code, and idle.
        assert_eq!(found(20, &[tasks("pool-3-thread", 4, CONSUMES)], 0.2), None);
    }
}
