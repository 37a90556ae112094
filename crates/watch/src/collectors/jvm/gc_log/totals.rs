//! From the events of a GC log to series: sums, and the last and longest of each second.

use std::collections::BTreeMap;
use std::sync::Arc;

use plimsoll_stats::series::Entity;
use plimsoll_text::Message;

use super::event::{GcEvent, GcHeap, GcKind};
use crate::collector::Look;
use crate::collectors::jvm::counters::asked_for;
use crate::collectors::jvm::family::{MAJOR, MINOR, PAUSE};
use crate::names::jvm as names;

/// Causes kept apart; a log has about ten.
const MAX_CAUSES: usize = 40;

/// What was added up since the log was first looked at.
#[derive(Debug, Default)]
pub(crate) struct GcTotals {
    /// Pauses by action and cause: how many, how long together (seconds).
    pauses: BTreeMap<(&'static str, String), (u64, f64)>,
    /// Collections by action and cause, cycles too.
    causes: BTreeMap<(&'static str, String), u64>,
    concurrent_seconds: f64,
    allocated: f64,
    /// Whether a collection ever told its heap: until then nothing is known of allocation.
    tells_heap: bool,
    /// The heap after the last collection, and before the one before it ended.
    last: Option<GcHeap>,
    nested: Option<Nested>,
    second: Option<GcSecond>,
    stalls: (u64, f64),
    /// Whether a pause was ever seen: the log tells of pauses.
    pub(crate) tells_pauses: bool,
}

/// A full collection within a young one, whose length and heap hold it too.
#[derive(Debug)]
struct Nested {
    id: u64,
    seconds: f64,
    /// The heap after the collection before both, and what the inner one added.
    after_before: Option<u64>,
    added: f64,
}

/// What one second of the log showed.
#[derive(Debug)]
struct GcSecond {
    second: u64,
    at_unix_ns: u64,
    longest: f64,
    heap: Option<GcHeap>,
}

impl GcTotals {
    /// Adds an event; what the second before it showed is said.
    pub(crate) fn add(
        &mut self,
        entity: &Arc<Entity>,
        at_unix_ns: u64,
        mut event: GcEvent,
        look: &mut Look,
    ) {
        self.unnest(&mut event);
        let seconds = event.seconds.unwrap_or(0.0);
        let cause = event.cause.clone().unwrap_or_default();
        let action = match event.kind {
            GcKind::Minor => MINOR,
            GcKind::Full => MAJOR,
            GcKind::Pause => PAUSE,
            GcKind::Concurrent | GcKind::Cycle => "end of GC cycle",
        };
        let known = |map: usize| map < MAX_CAUSES;
        match event.kind {
            GcKind::Concurrent => self.concurrent_seconds += seconds,
            GcKind::Cycle => {}
            GcKind::Minor | GcKind::Full | GcKind::Pause => {
                self.tells_pauses = true;
                let key = (action, cause.clone());
                if known(self.pauses.len()) || self.pauses.contains_key(&key) {
                    let sum = self.pauses.entry(key).or_default();
                    sum.0 += 1;
                    sum.1 += seconds;
                }
            }
        }
        if !cause.is_empty() && known(self.causes.len()) {
            *self.causes.entry((action, cause)).or_default() += 1;
        }
        if event.kind == GcKind::Full || event.failure.is_some() {
            tell(entity, at_unix_ns, &event, look);
        }
        let pause = !matches!(event.kind, GcKind::Concurrent | GcKind::Cycle);
        self.second(
            entity,
            at_unix_ns,
            pause.then_some(seconds),
            event.heap,
            look,
        );
    }

    /// Takes from a young collection what a full one within it has counted already, and adds
    /// what was allocated since the last collection.
    fn unnest(&mut self, event: &mut GcEvent) {
        let nested = self.nested.take();
        let inner = nested.filter(|inner| event.id.is_some_and(|id| id + 1 == inner.id));
        let (from, added) = match &inner {
            Some(inner) => (inner.after_before, inner.added),
            None => (self.last.map(|last| last.after), 0.0),
        };
        if let (Some(inner), Some(seconds)) = (&inner, &mut event.seconds) {
            *seconds = (*seconds - inner.seconds).max(0.0);
        }
        let Some(heap) = event.heap else { return };
        self.tells_heap = true;
        #[allow(clippy::cast_precision_loss)]
        let more = from.map_or(0.0, |from| heap.before.saturating_sub(from) as f64);
        let more = (more - added).max(0.0);
        self.allocated += more;
        if let (GcKind::Full, Some(id), Some(seconds)) = (event.kind, event.id, event.seconds) {
            self.nested = Some(Nested {
                id,
                seconds,
                after_before: from,
                added: more,
            });
        }
        self.last = Some(heap);
    }

    fn second(
        &mut self,
        entity: &Arc<Entity>,
        at_unix_ns: u64,
        pause: Option<f64>,
        heap: Option<GcHeap>,
        look: &mut Look,
    ) {
        let second = at_unix_ns / 1_000_000_000;
        if self
            .second
            .as_ref()
            .is_some_and(|open| open.second != second)
        {
            self.flush(entity, look);
        }
        let open = self.second.get_or_insert(GcSecond {
            second,
            at_unix_ns,
            longest: 0.0,
            heap: None,
        });
        open.at_unix_ns = open.at_unix_ns.max(at_unix_ns);
        open.longest = open.longest.max(pause.unwrap_or(0.0));
        open.heap = heap.or(open.heap);
    }

    /// Says what the open second showed, at its last moment.
    pub(crate) fn flush(&mut self, entity: &Arc<Entity>, look: &mut Look) {
        let Some(second) = self.second.take() else {
            return;
        };
        look.begin(second.at_unix_ns);
        if second.longest > 0.0 {
            look.value(entity, &names::GC_PAUSE_MAX, &[], second.longest);
        }
        #[allow(clippy::cast_precision_loss)]
        if let Some(heap) = second.heap {
            look.value(entity, &names::GC_HEAP_BEFORE, &[], heap.before as f64);
            look.value(entity, &names::GC_HEAP_AFTER, &[], heap.after as f64);
            if let Some(committed) = heap.committed {
                look.value(entity, &names::GC_HEAP_COMMITTED, &[], committed as f64);
            }
        }
    }

    /// Says the sums. Pauses are left to the JVM's counters where these are read too, and
    /// allocation until a collection tells of it.
    #[allow(clippy::cast_precision_loss)]
    pub(crate) fn sums(&self, entity: &Arc<Entity>, alone: bool, look: &mut Look) {
        for ((action, cause), (count, seconds)) in self.pauses.iter().filter(|_| alone) {
            let attributes = [("jvm.gc.action", *action), ("jvm.gc.cause", cause.as_str())];
            let attributes = &attributes[..if cause.is_empty() { 1 } else { 2 }];
            look.value(entity, &names::GC_PAUSE_COUNT, attributes, *count as f64);
            look.value(entity, &names::GC_PAUSE_TIME, attributes, *seconds);
        }
        for ((action, cause), count) in &self.causes {
            let attributes = [("jvm.gc.action", *action), ("jvm.gc.cause", cause.as_str())];
            look.value(entity, &names::GC_CAUSE_COUNT, &attributes, *count as f64);
        }
        look.value(
            entity,
            &names::GC_CONCURRENT_TIME,
            &[],
            self.concurrent_seconds,
        );
        if alone || self.tells_heap {
            look.value(entity, &names::MEMORY_ALLOCATED, &[], self.allocated);
        }
        look.value(entity, &names::GC_STALL_COUNT, &[], self.stalls.0 as f64);
        look.value(entity, &names::GC_STALL_TIME, &[], self.stalls.1);
    }

    /// A thread had to wait for memory.
    pub(crate) fn stall(&mut self, seconds: f64) {
        self.stalls.0 += 1;
        self.stalls.1 += seconds;
    }
}

/// Tells of a full collection, or of one in which something went wrong.
fn tell(entity: &Arc<Entity>, at_unix_ns: u64, event: &GcEvent, look: &mut Look) {
    let seconds = format!("{:.3}", event.seconds.unwrap_or(0.0));
    let cause = event.cause.as_deref().unwrap_or("?");
    let message = match (&event.failure, event.heap) {
        (Some(failure), _) => Message::new("watch-jvm-gc-failure")
            .with("failure", failure.as_str())
            .with("seconds", seconds),
        (None, Some(heap)) => Message::new("watch-jvm-full-gc-heap")
            .with("seconds", seconds)
            .with("asked", asked_for(cause))
            .with("cause", cause)
            .with("before", heap.before >> 20)
            .with("after", heap.after >> 20),
        (None, None) => Message::new("watch-jvm-full-gc")
            .with("count", 1)
            .with("seconds", seconds)
            .with("asked", asked_for(cause))
            .with("cause", cause),
    };
    look.event_at(entity, at_unix_ns, message);
}
