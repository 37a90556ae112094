//! Threads that wait for a permit: however many users and threads there are, so many requests at
//! once get through as there are permits.

use plimsoll_text::Message;

use super::Rule;
use super::lock::{holds_up, named};
use super::support::{full_cpu_of, full_exhibit};
use crate::about::object;
use crate::figures::{percent, tenths};
use crate::model::{Advice, Exhibit, Explains, Finding, Layer, ShareOf};
use crate::scene::Scene;
use crate::stacks::{LockCluster, Stacks};

pub const RULE: Rule = Rule {
    ids: &["semaphore"],
    refuted_by: "permits that are free, or few threads before it",
    look,
};

fn look(scene: &Scene<'_>) -> Vec<Finding> {
    let mut found = Vec::new();
    for stacks in scene.stacks().iter().flat_map(Stacks::with_tasks) {
        let locks = stacks.locks().into_iter().filter(holds_up);
        found.extend(locks.filter_map(|lock| finding(scene, stacks, &lock)));
    }
    found
}

fn finding(scene: &Scene<'_>, stacks: &Stacks, lock: &LockCluster) -> Option<Finding> {
    let inside = lock.inside?;
    let own = lock.waits_in.clone().unwrap_or_default();
    let full = full_cpu_of(scene, &stacks.jvm);
    // Where nobody is seen with a permit, it may be what a thread is woken by, and no limit.
    let layer = Layer::cause_if(full.is_none() && inside > 0.0);
    let explains = Explains::new(lock.share, ShareOf::ResponseTime);
    let name = named(&lock.class, lock.waits_in.as_deref());
    let waiters = Message::new("exhibit-semaphore-waiters")
        .with("count", tenths(lock.waiting))
        .with("percent", percent(lock.share))
        .with("code", own.as_str());
    let why = Message::new("advice-semaphore")
        .with("code", own)
        .with("wanted", (inside + lock.waiting).ceil());
    let about = object("semaphore", name, &stacks.jvm);
    let owner = lock.owner.clone().map(|(number, lines)| {
        let text = Message::new("exhibit-semaphore-inside")
            .with("count", tenths(inside))
            .with("code", lock.owner_in.clone().unwrap_or_default());
        Exhibit::new(text).capture(number, lines)
    });
    let finding = Finding::new("semaphore", layer, about, explains)
        .with("inside", tenths(inside))
        .with("waiting", tenths(lock.waiting))
        .shows(Exhibit::new(waiters).captured(lock.waiter.clone()))
        .shows_all(owner)
        .shows_all(full.as_ref().map(full_exhibit))
        .advises(Advice::code(why));
    Some(Finding {
        confidence: 0.9,
        source: "Little's law over thread dumps; java.util.concurrent.Semaphore",
        ..finding
    })
}

#[cfg(test)]
#[allow(clippy::unwrap_used, clippy::expect_used)]
mod tests {
    use super::super::tests::{JVM, with};
    use crate::model::Layer;
    use crate::testing::Made;

    const ACQUIRES: &str = "\tat jdk.internal.misc.Unsafe.park(Native Method)\n\
        \t- parking to wait for  <0x00000000e0000040> (a java.util.concurrent.Semaphore$NonfairSync)\n\
        \tat java.util.concurrent.locks.LockSupport.park(L.java:1)\n\
        \tat java.util.concurrent.Semaphore.acquire(Semaphore.java:318)\n\
        \tat shop.Bulkhead.call(Bulkhead.java:7)\n";
    const INSIDE: &str = "\tat java.lang.Thread.sleep(Native Method)\n\
        \tat shop.Bulkhead.call(Bulkhead.java:8)\n";

    fn found(waiting: usize, inside: usize, used: f64) -> Option<(Layer, Vec<String>)> {
        let threads = [
            (waiting, ("WAITING (parking)", ACQUIRES)),
            (inside, ("TIMED_WAITING (sleeping)", INSIDE)),
        ];
        let made = with(Made::load(100.0, 200.0).process(JVM, used, 2.0), &threads);
        assert!(made.find("lock").is_none(), "a semaphore is no lock");
        let finding = made.find("semaphore")?;
        assert_eq!(finding.object.name, "shop.Bulkhead");
        let args = finding
            .args
            .iter()
            .map(|(name, value)| format!("{name}={value:?}"));
        Some((finding.layer, args.collect()))
    }

    #[test]
    fn permits_that_are_all_out_limit() {
        let (layer, args) = found(17, 3, 0.2).unwrap();
        assert_eq!(layer, Layer::Cause);
        assert!(args[0].contains('3') && args[1].contains("17"), "{args:?}");
        // Few wait; nobody has one; the CPU is saturated, so that permits are held for long.
        assert_eq!(found(1, 19, 0.2), None);
        assert_eq!(found(20, 0, 0.2).unwrap().0, Layer::Hint);
        assert_eq!(found(17, 3, 1.95).unwrap().0, Layer::Hint);
    }
}
