//! Things that are made for each request and are meant to be made once: clients, pools, mappers, compiled
//! patterns. Making one costs the time seen here, and what comes of it: threads, connections, descriptors.

use std::collections::BTreeMap;

use plimsoll_stats::names::{self, attributes};
use plimsoll_text::Message;
use plimsoll_watch::threads::DumpedThread;

use super::Rule;
use super::call_connections;
use super::support::{all_it_can_use, process_name, profiles, with_example};
use crate::about::object;
use crate::figures::{percent, tenths};
use crate::model::{Advice, Exhibit, Explains, Finding, Layer, ShareOf};
use crate::scene::Scene;
use crate::stacks::frames::is_of_library;
use crate::stacks::{SeenThread, Stacks};

pub const RULE: Rule = Rule {
    ids: &["created_each_time"],
    refuted_by: "few threads in the construction of it",
    look,
};

/// So much of the threads that serve must be making one.
const LEAST: f64 = 0.2;
/// And so many looks must show it.
const LEAST_SEEN: usize = 4;
/// So many threads or connections for each request come of it.
const EACH: f64 = 0.5;
/// How functions are called that make something, whatever the language.
const MAKES: [&str; 6] = [
    "<init>",
    "__init__",
    "__construct",
    "<clinit>",
    "constructor",
    "__new__",
];
const BEGINS: [&str; 9] = [
    "new",
    "New",
    "create",
    "Create",
    "build",
    "Build",
    "compile",
    "Compile",
    "MustCompile",
];
/// What is made of these for each request is what a request is made of.
const PLAIN: [&str; 13] = [
    "java.lang.",
    "java.io.",
    "java.nio.",
    "java.math.",
    "java.time.",
    "java.text.",
    "java.net.U",
    "kotlin.",
    "scala.",
    "runtime.",
    "builtins",
    "collections.",
    "java.util.",
];
/// Of those, what is worth keeping all the same.
const KEPT: [&str; 8] = [
    "Executor",
    "Pattern.compile",
    "Client",
    "Factory",
    "SSLContext",
    "ServiceLoader",
    "Timer",
    "SecureRandom",
];

fn look(scene: &Scene<'_>) -> Vec<Finding> {
    let profiles = profiles(scene);
    let profiled = profiles.iter().filter_map(|profile| {
        let (_, used) = all_it_can_use(scene, &profile.jvm)?;
        of(scene, &profile.cpu, used)
    });
    let dumped = scene
        .stacks()
        .iter()
        .filter_map(|stacks| of(scene, stacks, 1.0));
    profiled.chain(dumped).collect()
}

/// What serving threads make most often: `weight` of their time is the response's.
fn of(scene: &Scene<'_>, stacks: &Stacks, weight: f64) -> Option<Finding> {
    let mut counts: BTreeMap<(&str, &str), usize> = BTreeMap::new();
    for made in stacks.serving().filter_map(|seen| made(&seen.thread)) {
        *counts.entry(made).or_default() += 1;
    }
    let ((what, by), count) = counts.into_iter().max_by_key(|(_, count)| *count)?;
    let is_making = |seen: &SeenThread| made(&seen.thread) == Some((what, by));
    let share = stacks.share(is_making) * weight;
    if share < LEAST || count < LEAST_SEEN {
        return None;
    }
    let text = Message::new("exhibit-created")
        .with("percent", percent(share))
        .with("what", what)
        .with("code", by);
    let about = object("method", by, &stacks.jvm);
    let why = Message::new("advice-created")
        .with("what", what)
        .with("code", by);
    let explains = Explains::new(share, ShareOf::ResponseTime);
    let finding = Finding::new("created_each_time", Layer::Cause, about, explains)
        .with("what", what)
        .shows(with_example(Exhibit::new(text), stacks, is_making))
        .shows_all(comes_of_it(scene, stacks))
        .advises(Advice::code(why));
    Some(Finding {
        confidence: 0.8,
        source: "sampling of stacks; Bloch, Effective Java, item 6",
        ..finding
    })
}

/// What a thread makes, and the own call that has it made; none where it makes nothing that could be kept.
fn made(thread: &DumpedThread) -> Option<(&str, &str)> {
    let frames = &thread.frames;
    let own = frames.iter().position(|frame| !is_of_library(frame))?;
    let made = frames[..own].iter().rev().take(2);
    let mut made = made.filter(|frame| makes(&frame.method));
    let what = made.next()?.method.as_str();
    Some((what, frames[own].method.as_str()))
}

fn makes(method: &str) -> bool {
    let last = method.rsplit(['.', ':', '/']).next().unwrap_or(method);
    let begins = |start: &&str| {
        let rest = last.strip_prefix(*start);
        rest.is_some_and(|rest| rest.is_empty() || rest.starts_with(|c: char| c.is_uppercase()))
    };
    let is_making = MAKES.contains(&last) || BEGINS.iter().any(begins);
    let is_plain = PLAIN.iter().any(|plain| method.starts_with(plain));
    let is_kept = KEPT.iter().any(|kept| method.contains(kept));
    // What is thrown is made where it is thrown.
    let is_thrown = method.contains("Exception") || method.contains("Error.");
    is_making && !is_thrown && (!is_plain || is_kept)
}

/// Threads and connections that come of it for each request.
fn comes_of_it(scene: &Scene<'_>, stacks: &Stacks) -> Vec<Exhibit> {
    let requests = scene.throughput_per_s().max(1e-9);
    let threads = scene.of(&stacks.jvm, names::jvm::THREAD_STARTED);
    let opened =
        call_connections::of_process(scene, &stacks.jvm.host, &process_name(scene, &stacks.jvm));
    // The host's counter is everybody's: it is asked where nobody saw packets.
    let opens = scene.series(names::host::TCP_OPENS).on(&stacks.jvm.host);
    let opens = opens.with(attributes::TCP_OPEN, "active");
    let each = |what: &'static str, rate: Option<f64>| {
        let each = rate? / requests;
        let text = Message::new("exhibit-created-with")
            .with("what", what)
            .with("each", tenths(each));
        (each >= EACH).then(|| Exhibit::new(text))
    };
    let threads = each("threads", threads.mean());
    let opens = each("connections", opens.mean().filter(|_| opened.is_empty()));
    threads
        .map(|shown| shown.series(names::jvm::THREAD_STARTED))
        .into_iter()
        .chain(opens.map(|shown| shown.series(names::host::TCP_OPENS)))
        .chain(opened)
        .collect()
}
