//! The heap of a JVM: what is left after its collections, and what these cost.

use std::sync::Arc;

use plimsoll_stats::names::{self, SeriesName, attributes, facts};
use plimsoll_stats::series::{Entity, EntityKind};
use plimsoll_text::Message;

use super::explicit;
use super::histogram::{Class, ClassHolder, Growth};
use crate::about::object;
use crate::figures::{percent, tenths};
use crate::findings::no_response;
use crate::findings::support::process_name;
use crate::model::{Advice, Exhibit, Explains, Finding, Layer, ShareOf};
use crate::processes::process_of;
use crate::scene::Scene;

/// After a collection so much of the long-lived part is still in use: it is full.
pub(super) const FULL: f64 = 0.8;
/// A full heap limits from this share of the time in pauses on.
const PAUSED_FULL: f64 = 0.12;
/// Pauses alone limit from this share of the time on.
const PAUSED: f64 = 0.2;
/// A heap that is so full while many requests get no response has no memory for them: the thread that
/// wants some ends.
const EXHAUSTED: f64 = 0.9;

/// After a collection less than this of it is in use: what lives is little.
const LITTLE: f64 = 0.5;
/// A heap takes no more of the memory than this, and one that is not so many times larger helps little.
const OF_MEMORY: f64 = 0.75;
const LEAST_LARGER: f64 = 1.2;

/// What is left after collections rises by so much of the heap where something leaks.
const RISES: f64 = 0.1;
/// So much of the heap must two histograms differ by to show the same.
const GREW: f64 = 0.2;

/// What to do against a leak: find who holds it.
fn leak_advice(class: Option<&Class>, holder: Option<&ClassHolder>) -> Advice {
    let name = class.map_or("other", |class| class.name.as_str());
    let holder = holder.map_or("other", |holder| holder.name.as_str());
    let why = Message::new("advice-heap-leak").with("class", name);
    Advice::code(why.with("holder", holder))
}

/// What is known of one JVM's heap.
pub(super) struct JvmHeap {
    /// The JVM.
    pub jvm: Arc<Entity>,
    /// Share of the time in pauses for collections.
    pub paused: f64,
    /// Full collections a minute.
    pub full_per_min: f64,
    /// Share of the long-lived part in use after a collection, at the end of the stretch.
    pub after: Option<f64>,
}

/// The heaps of all JVMs that tell of their collections.
pub(super) fn all(scene: &Scene<'_>) -> Vec<JvmHeap> {
    let jvms = scene.things(EntityKind::Jvm).into_iter();
    jvms.filter_map(|jvm| of(scene, &jvm)).collect()
}

/// One heap; none if nothing tells of its collections.
pub(super) fn of(scene: &Scene<'_>, jvm: &Arc<Entity>) -> Option<JvmHeap> {
    let paused = pauses(scene, jvm, names::jvm::GC_PAUSE_TIME, &[])?;
    let full = pauses(scene, jvm, names::jvm::GC_PAUSE_COUNT, &["end of major GC"]);
    Some(JvmHeap {
        paused: paused.min(1.0),
        full_per_min: full.unwrap_or(0.0) * 60.0,
        after: after(scene, jvm),
        jvm: Arc::clone(jvm),
    })
}

/// The rate of pauses. Two sources may tell of the same ones, only one of them with the cause:
/// the larger counts.
fn pauses(scene: &Scene<'_>, jvm: &Entity, series: SeriesName, actions: &[&str]) -> Option<f64> {
    let mut all = scene.of(jvm, series);
    if !actions.is_empty() {
        all = all.with_any(attributes::JVM_GC_ACTION, actions);
    }
    let caused = all.having(attributes::JVM_GC_CAUSE).mean().unwrap_or(0.0);
    let plain = all.mean()? - caused;
    Some(plain.max(caused))
}

/// Share of the long-lived part in use after its last collection.
fn after(scene: &Scene<'_>, jvm: &Entity) -> Option<f64> {
    let told = scene.of(jvm, names::jvm::MEMORY_USAGE_AFTER_GC).last();
    told.or_else(|| old_generation(scene, jvm))
        .or_else(|| whole(scene, jvm))
}

fn old_generation(scene: &Scene<'_>, jvm: &Entity) -> Option<f64> {
    let used = scene
        .of(jvm, names::jvm::MEMORY_USED_AFTER_LAST_GC)
        .by(attributes::JVM_MEMORY_POOL_NAME);
    let limits = scene.of(jvm, names::jvm::MEMORY_LIMIT);
    let mut old = used
        .iter()
        .filter(|(pool, _)| pool.contains("Old") || pool.contains("Tenured"));
    let (pool, used) = old.next()?;
    let limit = limits.with(attributes::JVM_MEMORY_POOL_NAME, pool).last()?;
    Some(used.last()? / limit.max(1.0))
}

fn whole(scene: &Scene<'_>, jvm: &Entity) -> Option<f64> {
    let limit: f64 = scene.fact(jvm, facts::JVM_HEAP_MAX)?.parse().ok()?;
    let used = scene.of(jvm, names::jvm::GC_HEAP_AFTER).last()?;
    Some(used / limit.max(1.0))
}

impl JvmHeap {
    /// A heap that is full, or pauses that take much of the time.
    pub(super) fn finding(&self, scene: &Scene<'_>) -> Option<Finding> {
        let is_full = self.after.is_some_and(|after| after >= FULL);
        let paused = self.paused >= if is_full { PAUSED_FULL } else { PAUSED };
        let by_pauses = paused.then_some(Explains::new(self.paused, ShareOf::ResponseTime));
        let explains = by_pauses.or_else(|| self.exhausted(scene))?;
        if let Some(asked) = explicit::caller(scene, &self.jvm).filter(|_| !is_full) {
            return Some(self.asked_for(asked, explains));
        }
        let grown = Growth::of(scene, &self.jvm).filter(|_| is_full);
        let named = grown.as_ref().and_then(Growth::largest);
        let (id, about) = match &named {
            Some(class) => ("heap_full", object("class", class.name.as_str(), &self.jvm)),
            None => {
                let name = process_name(scene, &self.jvm);
                let id = if is_full { "heap_full" } else { "gc_pauses" };
                (id, object("process", name, &self.jvm))
            }
        };
        let growth = grown.as_ref().zip(named.as_ref());
        let holder = growth.and_then(|(grown, class)| grown.holder(class));
        let held = holder.as_ref().zip(named.as_ref());
        let steady = self.is_steady(scene, grown.as_ref());
        let finding = Finding::new(id, Layer::Cause, about, explains)
            .with("how", if paused { "pauses" } else { "exhausted" })
            .with("paused", percent(self.paused))
            .with("left", self.left())
            .shows_all(self.evidence())
            .shows_all(growth.map(|(grown, class)| grown.exhibit(class)))
            .shows_all(held.map(|(holder, class)| holder.exhibit(class)));
        Some(Finding {
            confidence: if is_full { 0.9 } else { 0.8 },
            source: "share of time at safepoints for GC; Jones, Hosking, Moss, The Garbage Collection Handbook",
            ..finding.advises(match steady {
                Some(false) if is_full => leak_advice(named.as_ref(), holder.as_ref()),
                _ => self.advice(scene, is_full, steady),
            })
        })
    }

    /// Whether what lives stays the same; it does not where it grows and grows, by what is left after collections,
    /// or by what two histograms differ in: a larger heap is then full a little later. None: nobody looked twice.
    fn is_steady(&self, scene: &Scene<'_>, grown: Option<&Growth>) -> Option<bool> {
        let heap = scene
            .fact(&self.jvm, facts::JVM_HEAP_MAX)
            .and_then(|bytes| bytes.parse::<f64>().ok());
        let grew = grown.zip(heap).map(|(grown, heap)| grown.bytes() / heap);
        let rises = self.floor_rises(scene, heap);
        let known = grew.map(|grew| grew < GREW).into_iter();
        let known = known.chain(rises.map(|rises| rises < RISES));
        known.reduce(|one, other| one && other)
    }

    /// By how much of the heap the least that was left after collections rose from the first third of the stretch
    /// to the last. What is left after small collections goes up and down; the least of it is what lives.
    fn floor_rises(&self, scene: &Scene<'_>, heap: Option<f64>) -> Option<f64> {
        let told = scene.of(&self.jvm, names::jvm::MEMORY_USAGE_AFTER_GC);
        let after = scene.of(&self.jvm, names::jvm::GC_HEAP_AFTER);
        let (track, of) = match told.track() {
            track if !track.is_empty() => (track, 1.0),
            _ => (after.track(), heap?),
        };
        let third = track.len() / 3;
        let least = |part: &[(usize, f64)]| part.iter().map(|(_, value)| *value).reduce(f64::min);
        let (first, last) = (
            least(&track[..third])?,
            least(&track[track.len() - third..])?,
        );
        Some((last - first) / of)
    }

    /// Pauses that code brings about by asking for collections.
    fn asked_for(&self, (code, asked): (String, Exhibit), explains: Explains) -> Finding {
        let advice = Advice::setting(
            "-XX:+DisableExplicitGC",
            Some("false".to_owned()),
            "true",
            Message::new("advice-explicit-gc").with("code", code.as_str()),
        );
        let about = object("method", code, &self.jvm);
        let finding = Finding::new("explicit_gc", Layer::Cause, about, explains)
            .with("paused", percent(self.paused))
            .shows(asked)
            .advises(advice)
            .shows_all(self.evidence());
        Finding {
            confidence: 0.9,
            source: "share of time at safepoints for GC; java.lang.System.gc, HotSpot's DisableExplicitGC",
            ..finding
        }
    }

    /// A server that has no memory for requests responds to none, and need not collect any more.
    fn exhausted(&self, scene: &Scene<'_>) -> Option<Explains> {
        let is_exhausted = self.after.is_some_and(|after| after >= EXHAUSTED);
        no_response::explains(scene).filter(|_| is_exhausted)
    }

    /// Pauses, full collections, what is left after them.
    pub(super) fn evidence(&self) -> Vec<Exhibit> {
        let text = Message::new("exhibit-gc-pauses")
            .with("percent", percent(self.paused))
            .with("full", tenths(self.full_per_min));
        let mut evidence = vec![Exhibit::new(text).series(names::jvm::GC_PAUSE_TIME)];
        if let Some(after) = self.after {
            let text = Message::new("exhibit-after-gc").with("percent", percent(after));
            evidence.push(Exhibit::new(text).series(names::jvm::MEMORY_USAGE_AFTER_GC));
        }
        evidence
    }

    /// How much is left after collections, in a word.
    fn left(&self) -> &'static str {
        match self.after {
            Some(after) if after < LITTLE => "little",
            Some(_) => "much",
            None => "unknown",
        }
    }

    /// The heap that there is memory for: of the group's or the host's the smaller, less what a JVM has beside its heap.
    fn most_bytes(&self, scene: &Scene<'_>) -> f64 {
        let process = process_of(scene, &self.jvm);
        let of_group =
            process.and_then(|process| scene.of(&process, names::host::CGROUP_MEMORY_LIMIT).last());
        let hosts = scene.series(names::host::MEMORY_LIMIT).by_thing();
        let host = hosts.iter().find(|(host, _)| host.host == self.jvm.host);
        let of_host = host.and_then(|(_, limit)| limit.last());
        let limits = of_group.into_iter().chain(of_host);
        limits.fold(f64::INFINITY, f64::min) * OF_MEMORY
    }

    /// A larger heap, where what lives is known to stay the same or is little, and there is memory for it.
    fn advice(&self, scene: &Scene<'_>, is_full: bool, steady: Option<bool>) -> Advice {
        let now = scene
            .fact(&self.jvm, facts::JVM_HEAP_MAX)
            .and_then(|value| value.parse::<f64>().ok());
        let stays = steady.unwrap_or(!is_full);
        let larger = |now: f64| (2.0 * now).min(self.most_bytes(scene));
        let id = if is_full {
            "advice-heap-full"
        } else {
            "advice-gc-pauses"
        };
        // As HotSpot reads it: its m are MiB.
        let shown = |bytes: f64| format!("{}m", (bytes / f64::from(1 << 20)).floor());
        match now.filter(|now| stays && larger(*now) >= LEAST_LARGER * now) {
            Some(now) => Advice::setting(
                "-Xmx",
                Some(shown(now)),
                shown(larger(now)),
                Message::new(id),
            ),
            None => Advice::code(Message::new(id)),
        }
    }
}
