//! A cache whose loader is on nearly every thread: nearly every request finds nothing in it, and costs what
//! its load costs.

use plimsoll_text::Message;
use plimsoll_watch::threads::DumpedThread;

use super::Rule;
use super::support::with_example;
use crate::about::object;
use crate::figures::percent;
use crate::model::{Advice, Exhibit, Explains, Finding, Layer, ShareOf};
use crate::scene::Scene;
use crate::stacks::frames::is_of_library;
use crate::stacks::{SeenThread, Stacks, most_frequent};

pub const RULE: Rule = Rule {
    ids: &["cache_loads"],
    refuted_by: "a loader on few of the threads",
    look,
};

/// So much of the threads that serve must be in a load.
const NEARLY_ALL: f64 = 0.6;
/// Calls in which a cache has what it does not hold made: those of the field's caches, and of maps used as one.
const LOADS: [&str; 9] = [
    "java.util.concurrent.ConcurrentHashMap.computeIfAbsent",
    "java.util.Map.computeIfAbsent",
    "com.google.common.cache.LocalCache$",
    "com.google.common.cache.LocalCache.",
    "com.github.benmanes.caffeine.cache.",
    "org.ehcache.",
    "net.sf.ehcache.",
    "org.springframework.cache.interceptor.",
    "com.alicp.jetcache.",
];

fn look(scene: &Scene<'_>) -> Vec<Finding> {
    scene.stacks().iter().filter_map(of).collect()
}

fn of(stacks: &Stacks) -> Option<Finding> {
    let loads = |seen: &SeenThread| loader(&seen.thread).is_some();
    let share = stacks.share(loads);
    let code = most_frequent(stacks.serving().filter_map(|seen| loader(&seen.thread)))?;
    if share < NEARLY_ALL || stacks.count(loads) < 1.5 {
        return None;
    }
    let text = Message::new("exhibit-cache-loads")
        .with("percent", percent(share))
        .with("code", code.as_str());
    let why = Message::new("advice-cache-loads").with("code", code.as_str());
    let about = object("method", code, &stacks.jvm);
    let explains = Explains::new(share, ShareOf::ResponseTime);
    let finding = Finding::new("cache_loads", Layer::Cause, about, explains)
        .shows(with_example(Exhibit::new(text), stacks, loads))
        .advises(Advice::code(why));
    Some(Finding {
        confidence: 0.8,
        source: "Little's law over thread dumps",
        ..finding
    })
}

/// The own code that a cache has called to load, or waits for another thread to load.
fn loader(thread: &DumpedThread) -> Option<&str> {
    let frames = &thread.frames;
    let cache = frames
        .iter()
        .rposition(|frame| LOADS.iter().any(|load| frame.method.starts_with(load)))?;
    let own = frames[..cache]
        .iter()
        .rev()
        .find(|frame| !is_of_library(frame));
    let asks = || frames[cache..].iter().find(|frame| !is_of_library(frame));
    own.or_else(asks).map(|frame| frame.method.as_str())
}
