//! A CPU that is full of one library's work, called from one place: candidates for doing it once,
//! or with something faster.

use plimsoll_text::Message;

use super::Rule;
use super::cpu::is_starved;
use super::support::{all_it_can_use, full_cpu_of, profiles, used_exhibit, with_example};
use crate::about::object;
use crate::figures::percent;
use crate::model::{Advice, Exhibit, Explains, Finding, Layer, ShareOf};
use crate::scene::Scene;
use crate::stacks::frames::belongs_to;
use crate::stacks::{
    Hot, Peer, Profiled, Profiler, SeenThread, StackPlace, Stacks, frames, most_frequent,
};

pub(super) const ID: &str = "hot_code";
pub const RULE: Rule = Rule {
    ids: &[ID],
    refuted_by: "a CPU with room, or samples that are spread over many places",
    look,
};

/// A library must have this share of the threads that compute.
const SHARE_OF_LIBRARY: f64 = 0.35;
/// Libraries that are known to be slow at what they do, and what does the same faster.
const SLOW: &[(&str, &str)] = &[
    ("org.json", "Jackson"),
    ("net.sf.json", "Jackson"),
    ("com.thoughtworks.xstream", "Jackson"),
    ("org.apache.commons.beanutils", "MapStruct"),
    ("org.dozer", "MapStruct"),
    ("com.github.dozermapper", "MapStruct"),
    ("org.modelmapper", "MapStruct"),
];
/// Libraries that pack: how much they work for how little less is a setting.
const PACKS: [&str; 9] = [
    "libz.so",
    "libz-ng",
    "libbrotlienc",
    "libzstd",
    "liblzma",
    "libbz2",
    "java.util.zip",
    "compress/flate",
    "compress/gzip",
];
/// Fewer samples say nothing.
const LEAST_SAMPLES: usize = 8;

fn look(scene: &Scene<'_>) -> Vec<Finding> {
    let profiles = profiles(scene);
    let profiled = profiles.iter().filter_map(|profile| {
        let dumps = scene.stacks_in(&profile.jvm);
        let (id, source, called) = match profile.by {
            Profiler::FlightRecorder => (
                "exhibit-jfr-samples",
                "field cases F07, F20, F22; CPU samples of the flight recorder",
                None,
            ),
            Profiler::AsyncProfiler => (
                "exhibit-profile-samples",
                "field cases F07, F20, F22; CPU samples of async-profiler",
                None,
            ),
            Profiler::Kernel => (
                "exhibit-kernel-samples",
                "field cases F07, F20, F22; CPU samples of the kernel (perf_event_open(2))",
                dumps,
            ),
            Profiler::Stacks => (
                "exhibit-stack-samples",
                "field cases F07, F20, F22; CPU samples of the kernel (perf_event_open(2))",
                None,
            ),
        };
        let finding = of_jvm(
            scene,
            "samples",
            &profile.cpu,
            called.unwrap_or(&profile.cpu),
        )?;
        let text = Message::new(id).with("count", profile.cpu.threads.len());
        let exhibit = Exhibit::new(text).capture(profile.capture, Vec::new());
        Some(Finding {
            source,
            ..finding.shows(exhibit)
        })
    });
    let others = scene.stacks().iter();
    let others = others.filter(|stacks| !has_profile(&profiles, stacks));
    let dumped = others.filter_map(|stacks| of_jvm(scene, "dumps", stacks, stacks));
    profiled.chain(dumped).collect()
}

fn has_profile(profiles: &[&Profiled], stacks: &Stacks) -> bool {
    profiles.iter().any(|profile| profile.jvm == stacks.jvm)
}

/// JVMs whose CPU is saturated, and of which too little was seen to tell by what: even a library that
/// takes most of it would not have been seen often enough.
pub(crate) fn unseen<'a>(scene: &'a Scene<'_>) -> Vec<&'a Stacks> {
    #[expect(clippy::cast_precision_loss, reason = "threads of a few dumps")]
    let too_few = |seen: usize| seen as f64 * SHARE_OF_LIBRARY < LEAST_SAMPLES as f64;
    let profiles = profiles(scene);
    let mut jvms: Vec<_> = scene.stacks().iter().collect();
    jvms.retain(|stacks| too_few(stacks.seen_computing()) && !has_profile(&profiles, stacks));
    jvms.retain(|stacks| full_cpu_of(scene, &stacks.jvm).is_some());
    jvms
}

/// The library that takes most of a JVM's CPU by its samples, and how other stacks of it, which
/// show more, have it called.
fn of_jvm(
    scene: &Scene<'_>,
    by: &'static str,
    samples: &Stacks,
    stacks: &Stacks,
) -> Option<Finding> {
    let (cpu, used) = all_it_can_use(scene, &stacks.jvm)?;
    let hot = hottest(samples, stacks)?;
    let entry = entry(stacks, &hot).or_else(|| entry(samples, &hot));
    let entry = entry.unwrap_or_else(|| hot.name.clone());
    let explains = Explains::new(hot.share * used, ShareOf::ResponseTime);
    let faster = SLOW.iter().find(|(slow, _)| hot.name.starts_with(slow));
    let packs = PACKS.iter().any(|packs| hot.name.starts_with(packs));
    // One call of a library that is as fast as any is the request's own work.
    let is_waste = faster.is_some() || packs || hot.callers > 1;
    let layer = Layer::cause_if(is_waste && !is_starved(scene, &cpu));
    let why = match faster {
        Some((_, faster)) => Message::new("advice-hot-code-slow").with("faster", *faster),
        None if packs => Message::new("advice-hot-code-packs"),
        None => Message::new("advice-hot-code"),
    };
    let text = Message::new("exhibit-library")
        .with("by", by)
        .with("name", hot.name.as_str())
        .with("percent", percent(hot.share))
        .with("own", hot.own.as_deref().unwrap_or_default());
    let inside = |seen: &SeenThread| seen.is_in(&hot.name);
    let about = object("library", entry, &stacks.jvm);
    let finding = Finding::new(ID, layer, about, explains)
        .with("by", by)
        .with("library", hot.name.as_str())
        .with("own", hot.own.as_deref().unwrap_or_default())
        .shows(with_example(Exhibit::new(text), stacks, inside))
        .shows(used_exhibit(&cpu))
        .advises(Advice::code(why));
    Some(Finding {
        confidence: 0.8,
        source: "field cases F07, F20, F22; sampling: thread dumps",
        ..finding
    })
}

/// The library that most samples are in, called as other stacks show it.
fn hottest(samples: &Stacks, stacks: &Stacks) -> Option<Hot> {
    let hot = samples.hot_libraries().into_iter().find(|hot| {
        hot.share >= SHARE_OF_LIBRARY && hot.samples >= LEAST_SAMPLES && !has_own_rule(samples, hot)
    })?;
    // Samples without lines, and without the calls that were compiled into their callers, do not
    // tell ways apart.
    let mut called = stacks.hot_libraries().into_iter();
    let (own, callers) = match called.find(|called| called.name == hot.name) {
        Some(called) => (called.own.or(hot.own), called.callers),
        None => (hot.own, 1),
    };
    Some(Hot {
        own,
        callers,
        ..hot
    })
}

/// Logging, databases and caches have rules of their own that say more.
fn has_own_rule(stacks: &Stacks, hot: &Hot) -> bool {
    let inside = |seen: &SeenThread| seen.place == StackPlace::Cpu && seen.is_in(&hot.name);
    let all = stacks.count(inside);
    let of_rules = stacks.count(|seen| {
        inside(seen)
            && (frames::is_logging(&seen.thread)
                || frames::calls(&seen.thread, Peer::Database)
                || frames::calls(&seen.thread, Peer::Cache)
                || frames::calls(&seen.thread, Peer::Service))
    });
    of_rules > 0.5 * all
}

/// The call by which the library is entered most often.
fn entry(stacks: &Stacks, hot: &Hot) -> Option<String> {
    let calls = stacks.serving().filter_map(|seen| {
        let mut frames = seen.thread.frames.iter().rev();
        frames.find(|frame| belongs_to(frame, &hot.name))
    });
    most_frequent(calls.map(|frame| frame.method.as_str()))
}
