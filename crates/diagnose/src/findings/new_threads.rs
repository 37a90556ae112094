//! Threads that are made for each request: each costs memory for its stack, a trip through the
//! kernel, and a turn at the JVM's one list of threads.

use plimsoll_stats::names;
use plimsoll_stats::series::EntityKind;
use plimsoll_text::Message;

use super::Rule;
use super::support::{process_name, with_example};
use crate::about::object;
use crate::figures::{percent, tenths};
use crate::model::{Advice, Exhibit, Explains, Finding, Layer, ShareOf};
use crate::scene::Scene;
use crate::stacks::{SeenThread, Stacks};

pub const RULE: Rule = Rule {
    ids: &["new_threads"],
    refuted_by: "threads that are started seldom, or by others than the requests",
    look,
};

/// So many threads must be started for each request; a server that grows its pool starts fewer.
const THREADS_A_REQUEST: f64 = 0.5;
/// And so many a second.
const LEAST_PER_S: f64 = 20.0;
/// Starting them limits from this share of the response time on.
const SHARE_OF_TIME: f64 = 0.2;
/// What is told though no dump shows it.
const LEAST: f64 = 0.01;
const STARTS: &str = "java.lang.Thread.start";

fn look(scene: &Scene<'_>) -> Vec<Finding> {
    let jvms = scene.things(EntityKind::Jvm).into_iter();
    let found = jvms.filter_map(|jvm| {
        let rate_per_s = scene.of(&jvm, names::jvm::THREAD_STARTED).mean()?;
        let each = rate_per_s / scene.throughput_per_s().max(1e-9);
        if each < THREADS_A_REQUEST || rate_per_s < LEAST_PER_S {
            return None;
        }
        let stacks = scene.stacks_in(&jvm);
        let share = stacks.map_or(0.0, |stacks| stacks.share(starts));
        let layer = Layer::cause_if(share >= SHARE_OF_TIME);
        let explains = Explains::new(share.max(LEAST), ShareOf::ResponseTime);
        let code = stacks.and_then(|stacks| stacks.code(starts));
        let name = code.unwrap_or_else(|| process_name(scene, &jvm));
        let text = Message::new("exhibit-new-threads")
            .with("each", tenths(each))
            .with("rate", rate_per_s.round());
        let finding = Finding::new("new_threads", layer, object("method", name, &jvm), explains)
            .with("each", tenths(each))
            .shows(Exhibit::new(text).series(names::jvm::THREAD_STARTED))
            .advises(Advice::code(Message::new("advice-new-threads")))
            .shows_all(stacks.and_then(starting));
        Some(Finding {
            confidence: 0.9,
            source: "Little's law over thread dumps; java.util.concurrent.ThreadPoolExecutor",
            ..finding
        })
    });
    found.collect()
}

/// Whether a thread starts another one.
fn starts(seen: &SeenThread) -> bool {
    let mut top = seen.thread.frames.iter().take(6);
    top.any(|frame| frame.method.starts_with(STARTS))
}

fn starting(stacks: &Stacks) -> Option<Exhibit> {
    let share = stacks.share(starts);
    let text = Message::new("exhibit-starts-threads").with("percent", percent(share));
    (share > 0.0).then(|| with_example(Exhibit::new(text), stacks, starts))
}

#[cfg(test)]
#[allow(clippy::unwrap_used, clippy::expect_used)]
mod tests {
    use plimsoll_stats::series::EntityKind;

    use super::super::tests::{JVM, with};
    use crate::model::Layer;
    use crate::testing::{Made, thing};

    const STARTS: (&str, &str) = (
        "RUNNABLE",
        "\tat java.lang.Thread.start0(Native Method)\n\tat java.lang.Thread.start(Thread.java:8)\n\
         \tat shop.Fan.out(Fan.java:5)\n",
    );
    const JOINS: (&str, &str) = (
        "WAITING (on object monitor)",
        "\tat java.lang.Object.wait(Native Method)\n\tat java.lang.Thread.join(Thread.java:9)\n\
         \tat shop.Fan.out(Fan.java:6)\n",
    );

    #[test]
    fn threads_that_are_made_for_each_request() {
        let found = |started_per_s: f64, starting: usize| {
            let jvm = thing(EntityKind::Jvm, JVM);
            let made = Made::load(100.0, 100.0).process(JVM, 0.9, 2.0);
            let made = made.counter(&jvm, "jvm.thread.started", &[], started_per_s);
            with(made, &[(starting, STARTS), (10 - starting, JOINS)]).find("new_threads")
        };
        let finding = found(800.0, 4).unwrap();
        assert_eq!(
            (finding.layer, finding.object.name.as_str()),
            (Layer::Cause, "shop.Fan.out")
        );
        assert_eq!(found(800.0, 0).unwrap().layer, Layer::Hint);
        // A pool that grows.
        assert_eq!(found(30.0, 4), None);
    }
}
