//! Which collector is heard where several tell of the same quantity of the same thing: a JVM by
//! its own counters, its GC log, its actuator and an exporter.
//!
//! One of them tells a series as long as it does so: the nearest to the thing, then the one that
//! was opened first. Others are heard again when it has been silent for so long that reports see
//! a gap anyway. Whoever takes over a counter goes on from where it stood, since each may have
//! begun to count at another moment: a sum must not jump by a change of hands.

use std::borrow::Cow;
use std::collections::HashMap;
use std::sync::Arc;

use plimsoll_stats::series::{Entity, SeriesKey, SeriesKind};

use crate::collector::{LookPart, Nearness};
use crate::names::jvm;

/// Who has said nothing for this long makes room, nanoseconds.
const SILENT_NS: u64 = 65_000_000_000;

/// Series whose teller is kept; of what goes beyond, everybody is heard.
const MOST_SERIES: usize = 100_000;

/// Quantities that are divided in several ways side by side: each way is complete in itself.
/// Of all others a nearer collector's way is the only one, since sums would count things twice.
const DIVIDED_IN_SEVERAL_WAYS: &[&str] = &[jvm::THREAD_COUNT.name];
/// Quantities that a log tells better than counters, which only show what is there at a look.
const BETTER_IN_LOGS: &[&str] = &[jvm::MEMORY_ALLOCATED.name];

/// A collector's standing: less is heard first.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Rank {
    nearness: Nearness,
    number: usize,
}

impl Rank {
    fn of(self, name: &str) -> Self {
        match self.nearness == Nearness::Log && BETTER_IN_LOGS.contains(&name) {
            true => Self {
                nearness: Nearness::Itself,
                number: 0,
            },
            false => self,
        }
    }
}

/// The attributes that a series has, without their values.
type Form = Vec<Cow<'static, str>>;

/// A collector tells a quantity of a thing.
#[derive(Debug)]
struct Claim {
    rank: Rank,
    at_ns: u64,
    forms: Vec<Form>,
}

/// Who told a series last.
#[derive(Debug)]
struct HeldSeries {
    rank: Rank,
    at_ns: u64,
    /// What it said, and what is added to it.
    value: f64,
    offset: f64,
}

/// What each collector tells.
#[derive(Debug, Default)]
pub(super) struct Precedence {
    joined: usize,
    claims: HashMap<Arc<Entity>, HashMap<Cow<'static, str>, Vec<Claim>>>,
    held: HashMap<SeriesKey, HeldSeries>,
    pruned_ns: u64,
}

impl Precedence {
    /// A collector joins.
    pub(super) fn join(&mut self, nearness: Nearness) -> Rank {
        self.joined += 1;
        Rank {
            nearness,
            number: self.joined,
        }
    }

    /// Leaves in what is heard of what a collector says at that moment.
    pub(super) fn hear(&mut self, from: Rank, now_ns: u64, parts: &mut [LookPart]) {
        for part in parts {
            part.points.retain_mut(|(key, value)| {
                if self.held.len() >= MOST_SERIES && !self.held.contains_key(key) {
                    return true;
                }
                let rank = from.of(&key.name);
                let heard = !self.is_outdone(rank, now_ns, key);
                heard && self.hold(rank, now_ns, key, value)
            });
        }
        self.prune(now_ns);
    }

    /// Whether a nearer one tells that quantity in another form.
    fn is_outdone(&mut self, rank: Rank, now_ns: u64, key: &SeriesKey) -> bool {
        if !self.claims.contains_key(&key.entity) {
            self.claims.insert(Arc::clone(&key.entity), HashMap::new());
        }
        let Some(names) = self.claims.get_mut(&key.entity) else {
            return false;
        };
        if !names.contains_key(&key.name) {
            names.insert(key.name.clone(), Vec::new());
        }
        let Some(claims) = names.get_mut(&key.name) else {
            return false;
        };
        let same = |form: &Form| form.iter().eq(key.attributes.iter().map(|(name, _)| name));
        let form = || {
            key.attributes
                .iter()
                .map(|(name, _)| name.clone())
                .collect()
        };
        match claims.iter_mut().find(|claim| claim.rank == rank) {
            Some(own) => {
                own.at_ns = now_ns;
                if !own.forms.iter().any(same) {
                    own.forms.push(form());
                }
            }
            None => claims.push(Claim {
                rank,
                at_ns: now_ns,
                forms: vec![form()],
            }),
        }
        let nearer = |claim: &Claim| claim.rank < rank && !is_silent(claim.at_ns, now_ns);
        !DIVIDED_IN_SEVERAL_WAYS.contains(&key.name.as_ref())
            && claims
                .iter()
                .any(|claim| nearer(claim) && !claim.forms.iter().any(same))
    }

    /// Takes or keeps a series; false: a nearer one has it.
    fn hold(&mut self, rank: Rank, now_ns: u64, key: &SeriesKey, value: &mut f64) -> bool {
        let said = *value;
        let Some(held) = self.held.get_mut(key) else {
            let held = HeldSeries {
                rank,
                at_ns: now_ns,
                value: said,
                offset: 0.0,
            };
            self.held.insert(key.clone(), held);
            return true;
        };
        let silent = is_silent(held.at_ns, now_ns);
        if held.rank < rank && !silent {
            return false;
        }
        let began_anew = said < held.value;
        held.offset = match (held.rank == rank, key.kind) {
            (_, SeriesKind::Gauge) => 0.0,
            (true, SeriesKind::Counter) if began_anew => 0.0,
            (true, SeriesKind::Counter) => held.offset,
            (false, SeriesKind::Counter) => held.value + held.offset - said,
        };
        (held.rank, held.at_ns, held.value) = (rank, now_ns, said);
        *value = said + held.offset;
        true
    }

    /// Forgets what nobody tells any more: names of series come and go.
    fn prune(&mut self, now_ns: u64) {
        if now_ns.saturating_sub(self.pruned_ns) < SILENT_NS {
            return;
        }
        self.pruned_ns = now_ns;
        let gone = |at_ns| now_ns.saturating_sub(at_ns) > 2 * SILENT_NS;
        self.held.retain(|_, held| !gone(held.at_ns));
        for names in self.claims.values_mut() {
            for claims in names.values_mut() {
                claims.retain(|claim| !gone(claim.at_ns));
            }
            names.retain(|_, claims| !claims.is_empty());
        }
        self.claims.retain(|_, names| !names.is_empty());
    }
}

fn is_silent(at_ns: u64, now_ns: u64) -> bool {
    now_ns.saturating_sub(at_ns) >= SILENT_NS
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;
    use crate::collector::Look;
    use crate::names::SeriesName;
    use plimsoll_stats::series::EntityKind;
    use proptest::prelude::*;

    const SECOND: u64 = 1_000_000_000;

    /// What is heard of one value.
    fn hear(
        all: &mut Precedence,
        from: Rank,
        second: u64,
        metric: &SeriesName,
        attributes: &[(&'static str, &str)],
        value: f64,
    ) -> Option<f64> {
        let entity = Entity::new(EntityKind::Jvm, "java[1]", "h");
        let mut look = Look::at(second * SECOND);
        look.value(&entity, metric, attributes, value);
        let (mut parts, ..) = look.into_parts();
        all.hear(from, second * SECOND, &mut parts);
        parts[0].points.first().map(|(_, value)| *value)
    }

    #[test]
    fn the_nearest_is_heard_whoever_came_first() {
        let all = &mut Precedence::default();
        let far = all.join(Nearness::Exporter);
        let near = all.join(Nearness::Itself);
        let heap: &[_] = &[("jvm.memory.pool.name", "x"), ("jvm.memory.type", "heap")];
        let used = &jvm::MEMORY_USED;
        assert_eq!(hear(all, far, 0, used, heap, 5.0), Some(5.0));
        assert_eq!(hear(all, near, 1, used, heap, 7.0), Some(7.0));
        for second in 2..60 {
            assert_eq!(hear(all, far, second, used, heap, 5.0), None);
        }
        // What the near one does not tell is heard, until it does.
        let code: &[_] = &[
            ("jvm.memory.pool.name", "c"),
            ("jvm.memory.type", "non_heap"),
        ];
        assert_eq!(hear(all, far, 60, used, code, 1.0), Some(1.0));
        // It has ended.
        assert_eq!(hear(all, far, 66, used, heap, 6.0), Some(6.0));
    }

    #[test]
    fn a_counter_does_not_jump_by_a_change_of_hands() {
        let all = &mut Precedence::default();
        let far = all.join(Nearness::Exporter);
        let near = all.join(Nearness::Itself);
        let allocated = &jvm::MEMORY_PROMOTED;
        let mut say = |from, second, value| hear(all, from, second, allocated, &[], value);
        assert_eq!(say(far, 0, 1e12), Some(1e12));
        assert_eq!(say(near, 1, 5.0), Some(1e12));
        assert_eq!(say(far, 1, 2e12), None);
        assert_eq!(say(near, 2, 8.0), Some(1e12 + 3.0));
        // The JVM was started anew, and its counter with it.
        assert_eq!(say(near, 3, 2.0), Some(2.0));
        assert_eq!(say(near, 4, 3.0), Some(3.0));
    }

    #[test]
    fn a_quantity_is_not_told_twice_in_other_forms() {
        let all = &mut Precedence::default();
        let near = all.join(Nearness::Itself);
        let far = all.join(Nearness::Exporter);
        let named: &[_] = &[("jvm.gc.action", "a"), ("jvm.gc.name", "n")];
        let count = &jvm::GC_PAUSE_COUNT;
        assert_eq!(hear(all, near, 0, count, named, 3.0), Some(3.0));
        assert_eq!(hear(all, far, 0, count, &named[..1], 3.0), None);
        // Threads by state say something else than threads by kind.
        let threads = &jvm::THREAD_COUNT;
        let (daemon, state) = (("jvm.thread.daemon", "true"), ("jvm.thread.state", "new"));
        assert_eq!(hear(all, near, 0, threads, &[daemon], 3.0), Some(3.0));
        assert_eq!(hear(all, far, 0, threads, &[state], 1.0), Some(1.0));
        assert_eq!(hear(all, far, 0, threads, &[daemon], 4.0), None);
    }

    #[test]
    fn a_log_knows_best_what_was_allocated_and_nothing_else() {
        let all = &mut Precedence::default();
        let counters = all.join(Nearness::Itself);
        let log = all.join(Nearness::Log);
        let allocated = &jvm::MEMORY_ALLOCATED;
        assert_eq!(hear(all, counters, 0, allocated, &[], 9.0), Some(9.0));
        assert_eq!(hear(all, log, 1, allocated, &[], 1.0), Some(9.0));
        assert_eq!(hear(all, counters, 1, allocated, &[], 10.0), None);
        let pauses = &jvm::GC_PAUSE_TIME;
        assert_eq!(hear(all, counters, 1, pauses, &[], 1.0), Some(1.0));
        assert_eq!(hear(all, log, 1, pauses, &[], 2.0), None);
    }

    #[test]
    fn what_is_gone_is_forgotten() {
        let all = &mut Precedence::default();
        let one = all.join(Nearness::Itself);
        for second in 0..1_000 {
            let name = second.to_string();
            hear(all, one, second, &jvm::MEMORY_USED, &[("x", &name)], 1.0);
        }
        assert!(all.held.len() < 300, "{}", all.held.len());
    }

    #[test]
    fn names_without_end_take_no_memory_without_end() {
        let all = &mut Precedence::default();
        let one = all.join(Nearness::Exporter);
        let entity = Entity::new(EntityKind::Jvm, "java[1]", "h");
        let mut look = Look::at(0);
        for n in 0..MOST_SERIES + 100 {
            let name = n.to_string();
            look.value(&entity, &jvm::MEMORY_USED, &[("x", &name)], 1.0);
        }
        let (mut parts, ..) = look.into_parts();
        all.hear(one, 0, &mut parts);
        assert_eq!(parts[0].points.len(), MOST_SERIES + 100);
        assert_eq!(all.held.len(), MOST_SERIES);
    }

    proptest! {
        /// Two that count the same from other beginnings, in any order and with any silences:
        /// what is heard never falls, and never grows by more than was counted.
        #[test]
        fn what_is_heard_grows_as_what_is_counted(
            says in proptest::collection::vec((any::<bool>(), 0_u64..100, 0_u32..50), 1..60),
            ahead in 0_u32..1_000_000,
        ) {
            let all = &mut Precedence::default();
            let ranks = [all.join(Nearness::Itself), all.join(Nearness::Exporter)];
            let (mut second, mut counted) = (0, 0_u32);
            let mut last: Option<(f64, u32)> = None;
            for (far, wait, more) in says {
                second += wait;
                counted += more;
                let value = f64::from(if far { counted + ahead } else { counted });
                let from = ranks[usize::from(far)];
                let heard = hear(all, from, second, &jvm::MEMORY_PROMOTED, &[], value);
                if let Some(heard) = heard {
                    if let Some((before, counted_before)) = last {
                        prop_assert!(heard >= before);
                        prop_assert!(heard - before <= f64::from(counted - counted_before));
                    }
                    last = Some((heard, counted));
                }
            }
        }
    }
}
