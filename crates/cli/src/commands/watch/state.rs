//! The latest of everything that was seen, with rates of sums.

use std::collections::{BTreeMap, VecDeque};
use std::sync::Arc;

use plimsoll_stats::series::{Entity, EntityKind, Fact, SeriesKey, SeriesKind};
use plimsoll_text::Message;
use plimsoll_watch::{LookNote, Seen};

/// Notes kept for the picture.
const NOTES: usize = 20;
/// A series that was not seen for so long is gone, nanoseconds: what is dear is looked at
/// once a minute at least.
const GONE_NS: u64 = 75_000_000_000;
/// The same for what comes and goes.
const FLEETING_NS: u64 = 15_000_000_000;

/// The latest point of a series.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Latest {
    /// When, Unix nanoseconds.
    pub at_unix_ns: u64,
    /// The value as it came.
    pub value: f64,
    /// Of a sum: how much it grows a second. None before the second point and after a reset.
    pub rate: Option<f64>,
}

/// A thing and its series.
pub(super) type Thing<'a> = (Arc<Entity>, Vec<(&'a SeriesKey, &'a Latest)>);

/// Something said, and when.
#[derive(Debug, Clone)]
pub(super) struct SaidAt {
    pub at_unix_ns: u64,
    pub note: LookNote,
}

/// Everything that is known now.
#[derive(Debug, Default)]
pub(super) struct WatchState {
    series: BTreeMap<SeriesKey, Latest>,
    now_ns: u64,
    facts: Vec<Fact>,
    notes: VecDeque<SaidAt>,
    fresh_notes: Vec<SaidAt>,
    troubles: BTreeMap<String, Message>,
}

impl WatchState {
    /// Takes in what was seen since.
    pub(super) fn take(&mut self, seen: Vec<Seen>) {
        for seen in seen {
            match seen {
                Seen::Points(parts) => {
                    for part in parts {
                        self.now_ns = self.now_ns.max(part.at_unix_ns);
                        for (key, value) in part.points {
                            self.point(key, part.at_unix_ns, value);
                        }
                    }
                }
                Seen::Fact(_, fact) => self.facts.push(fact),
                Seen::Note(at_unix_ns, note) => {
                    let said = SaidAt { at_unix_ns, note };
                    self.fresh_notes.push(said.clone());
                    if self.notes.len() == NOTES {
                        self.notes.pop_front();
                    }
                    self.notes.push_back(said);
                }
                Seen::Source { about, trouble, .. } => match trouble {
                    Some(trouble) => {
                        self.troubles.insert(about, trouble);
                    }
                    None => {
                        self.troubles.remove(&about);
                    }
                },
                Seen::Captured(_) | Seen::Taken(_) => {}
            }
        }
        let now_ns = self.now_ns;
        self.series.retain(|key, latest| {
            let kept_ns = if is_fleeting(key) {
                FLEETING_NS
            } else {
                GONE_NS
            };
            latest.at_unix_ns.saturating_add(kept_ns) >= now_ns
        });
    }

    fn point(&mut self, key: SeriesKey, at_unix_ns: u64, value: f64) {
        let before = self.series.get(&key);
        let rate = before
            .filter(|_| key.kind == SeriesKind::Counter)
            .and_then(|before| {
                let elapsed_ns = at_unix_ns.checked_sub(before.at_unix_ns)?;
                if elapsed_ns == 0 {
                    return before.rate;
                }
                #[expect(clippy::cast_precision_loss, reason = "seconds for people")]
                let seconds = elapsed_ns as f64 / 1e9;
                (value >= before.value).then(|| (value - before.value) / seconds)
            });
        let latest = Latest {
            at_unix_ns,
            value,
            rate,
        };
        self.series.insert(key, latest);
    }

    /// Whether there is enough for a picture: everything that has sums has a rate.
    pub(super) fn is_ready(&self) -> bool {
        let lacks = |series: &[(&SeriesKey, &Latest)]| {
            let mut sums = series
                .iter()
                .filter(|(key, _)| key.kind == SeriesKind::Counter);
            sums.clone().next().is_some() && sums.all(|(_, latest)| latest.rate.is_none())
        };
        !self.is_empty() && !self.things().iter().any(|(_, series)| lacks(series))
    }

    /// Whether nothing of the target was seen.
    pub(super) fn is_empty(&self) -> bool {
        let mut keys = self.series.keys();
        !keys.any(|key| key.entity.kind != EntityKind::Watcher)
    }

    /// The latest moment that was seen, Unix nanoseconds.
    pub(super) fn now_ns(&self) -> u64 {
        self.now_ns
    }

    /// All things that are seen with their series: by host, then kind and name.
    pub(super) fn things(&self) -> Vec<Thing<'_>> {
        let mut all: Vec<Thing<'_>> = Vec::new();
        for (key, latest) in &self.series {
            match all.last_mut() {
                Some((entity, series)) if *entity == key.entity => series.push((key, latest)),
                _ => all.push((Arc::clone(&key.entity), vec![(key, latest)])),
            }
        }
        let own = |entity: &Entity| entity.kind == EntityKind::Watcher;
        all.sort_by(|(a, _), (b, _)| {
            (own(a), &a.host, a.kind, &a.name).cmp(&(own(b), &b.host, b.kind, &b.name))
        });
        all
    }

    /// All series.
    pub(super) fn series(&self) -> impl Iterator<Item = (&SeriesKey, &Latest)> {
        self.series.iter()
    }

    /// The last things said.
    pub(super) fn notes(&self) -> impl Iterator<Item = &SaidAt> {
        self.notes.iter()
    }

    /// Sources that fail, and why.
    pub(super) fn troubles(&self) -> &BTreeMap<String, Message> {
        &self.troubles
    }

    /// Facts that are new since the last call.
    pub(super) fn take_facts(&mut self) -> Vec<Fact> {
        std::mem::take(&mut self.facts)
    }

    /// Notes that are new since the last call.
    pub(super) fn take_notes(&mut self) -> Vec<SaidAt> {
        std::mem::take(&mut self.fresh_notes)
    }
}

/// Series that come and go with what they are of: threads, peers.
fn is_fleeting(key: &SeriesKey) -> bool {
    key.name.starts_with("process.thread.") || key.name.contains(".peer.")
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use plimsoll_watch::LookPart;

    use super::*;

    fn key(kind: SeriesKind) -> SeriesKey {
        SeriesKey {
            entity: Entity::new(EntityKind::Host, "", "here"),
            name: "test".into(),
            attributes: Vec::new(),
            unit: "1".into(),
            kind,
        }
    }

    fn rates(kind: SeriesKind, points: &[(u64, f64)]) -> Vec<Option<f64>> {
        let mut state = WatchState::default();
        let rates = points.iter().map(|(second, value)| {
            state.take(vec![Seen::Points(vec![LookPart {
                at_unix_ns: second * 1_000_000_000,
                points: vec![(key(kind), *value)],
            }])]);
            state.series().next().unwrap().1.rate
        });
        rates.collect()
    }

    #[test]
    fn sums_have_rates_but_not_across_a_restart() {
        let points = [(10, 5.0), (12, 9.0), (13, 9.0), (14, 2.0), (15, 3.5)];
        let expected = [None, Some(2.0), Some(0.0), None, Some(1.5)];
        assert_eq!(rates(SeriesKind::Counter, &points), expected);
        assert_eq!(rates(SeriesKind::Gauge, &points), [None; 5]);
    }
}
