//! One collector's rhythm: looks on time, tells of a failure once, stretches what is dear.

use std::cell::RefCell;
use std::collections::{HashMap, HashSet};
use std::rc::Rc;
use std::sync::Arc;
use std::time::Duration;

use plimsoll_stats::series::Entity;
use plimsoll_text::{Lang, Message, render};
use tokio::sync::mpsc::UnboundedSender;
use tokio::sync::watch;
use tokio::time::{Instant, sleep_until, timeout};

use super::costs::Costed;
use super::masked;
use super::options::WatcherOptions;
use super::precedence::{Precedence, Rank};
use super::seen::Seen;
use crate::collector::{Collector, Look, NoteKind, Trouble};
use crate::names::watcher as names;
use crate::source::Opened;

/// A period is stretched to this at most.
const LONGEST: Duration = Duration::from_secs(60);
/// A source that fails is looked for this often at least.
const RETRY: Duration = Duration::from_secs(5);

pub(super) struct Looker {
    collector: Box<dyn Collector>,
    entity: Arc<Entity>,
    options: WatcherOptions,
    tell: UnboundedSender<Seen>,
    find: UnboundedSender<Opened>,
    precedence: Rc<RefCell<Precedence>>,
    rank: Rank,
    failing: bool,
    facts: HashMap<(Arc<Entity>, String), String>,
    missing: HashSet<String>,
    cpu: Duration,
    period: Duration,
}

impl Looker {
    pub(super) fn new(
        collector: Box<dyn Collector>,
        entity: Arc<Entity>,
        options: WatcherOptions,
        tell: UnboundedSender<Seen>,
        find: UnboundedSender<Opened>,
        precedence: Rc<RefCell<Precedence>>,
    ) -> Self {
        let period = collector.period();
        let rank = precedence.borrow_mut().join(collector.nearness());
        Self {
            collector,
            entity,
            options,
            tell,
            find,
            precedence,
            rank,
            failing: false,
            facts: HashMap::new(),
            missing: HashSet::new(),
            cpu: Duration::ZERO,
            period,
        }
    }

    /// Looks until the watching ends; then what is watched is told good-bye.
    pub(super) async fn run(mut self, mut ended: watch::Receiver<bool>) {
        tokio::select! {
            () = self.looks() => {}
            _ = ended.wait_for(|ended| *ended) => {}
        }
        // Who does not hear it finds out.
        let _ = self.collector.leave().await;
    }

    async fn looks(&mut self) {
        let mut next = Instant::now();
        loop {
            sleep_until(next).await;
            self.look().await;
            let period = if self.failing {
                self.period.max(RETRY.min(self.period * 5))
            } else {
                self.period
            };
            next = following(next, period, Instant::now());
        }
    }

    async fn look(&mut self) {
        let at = self.options.clock.unix_ns();
        let mut look = Look::at(at);
        let mut cpu = Duration::ZERO;
        let collecting = self.collector.collect(&mut look);
        let limit = self.options.look_limit;
        let result = Costed::new(timeout(limit, collecting), &mut cpu).await;
        let result = result.unwrap_or_else(|_| {
            Err(Trouble::new(
                Message::new("watch-too-slow").with("seconds", limit.as_secs()),
            ))
        });
        self.account(cpu, &mut look);
        self.judge(at, result);
        self.hand_on(at, look);
        let found = self.collector.found();
        if !found.is_empty() {
            // Nobody listens any more: the watcher is about to end.
            let _ = self.find.send(found);
        }
    }

    /// Adds the cost as a series and stretches the period of a collector that is too expensive.
    fn account(&mut self, cpu: Duration, look: &mut Look) {
        self.cpu += cpu;
        look.begin(self.options.clock.unix_ns());
        let about = self.collector.about();
        let attributes = [("collector", about.as_str())];
        look.value(
            &self.entity,
            &names::CPU_TIME,
            &attributes,
            self.cpu.as_secs_f64(),
        );
        let share = cpu.as_secs_f64() / self.period.as_secs_f64();
        if share > self.options.max_cpu_share {
            self.period = (self.period * 2).min(LONGEST);
        } else if share < self.options.max_cpu_share / 4.0 {
            self.period = (self.period / 2).max(self.collector.period());
        }
    }

    /// Tells of the first failure and of the first success after it.
    fn judge(&mut self, at_unix_ns: u64, result: Result<(), Trouble>) {
        if self.failing != result.is_err() {
            self.failing = result.is_err();
            self.send(Seen::Source {
                at_unix_ns,
                about: plimsoll_secrets::text(&self.collector.about()).into_owned(),
                trouble: result.err().map(|trouble| masked::message(trouble.message)),
            });
        }
    }

    fn hand_on(&mut self, at: u64, mut look: Look) {
        for source in look.take_sources() {
            self.send(Seen::Source {
                at_unix_ns: source.at_unix_ns,
                about: source.about,
                trouble: source.trouble.map(masked::message),
            });
        }
        let (mut parts, facts, notes) = look.into_parts();
        for fact in facts {
            let key = (Arc::clone(&fact.entity), fact.name.clone());
            if self.facts.get(&key) != Some(&fact.value) {
                self.facts.insert(key, fact.value.clone());
                self.send(Seen::Fact(at, masked::fact(fact)));
            }
        }
        for mut note in notes {
            note.message = masked::message(note.message);
            note.entity = masked::entity(note.entity);
            let text = render(Lang::En, &note.message);
            if note.kind == NoteKind::Event || self.missing.insert(text) {
                self.send(Seen::Note(note.at_unix_ns.unwrap_or(at), note));
            }
        }
        for (key, _) in parts.iter_mut().flat_map(|part| &mut part.points) {
            masked::key(key);
        }
        let now = self.options.clock.unix_ns();
        self.precedence
            .borrow_mut()
            .hear(self.rank, now, &mut parts);
        parts.retain(|part| !part.points.is_empty());
        self.send(Seen::Points(parts));
    }

    fn send(&self, seen: Seen) {
        // Nobody listens any more: the watcher is about to end.
        let _ = self.tell.send(seen);
    }
}

/// When to look after a look that was due at `due` and has ended `now`: the first moment to come
/// that is a whole number of periods later. What was missed is not caught up, and a source that
/// responds slowly is left alone for a while.
fn following(due: Instant, period: Duration, now: Instant) -> Instant {
    let late = now.saturating_duration_since(due);
    let missed = late.as_nanos() / period.as_nanos().max(1);
    let periods = u32::try_from(missed).unwrap_or(u32::MAX).saturating_add(1);
    due + period.saturating_mul(periods)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn looks_that_were_missed_are_not_caught_up_and_the_rhythm_stays() {
        let due = Instant::now();
        let second = Duration::from_secs(1);
        let after = |late_ms| {
            let now = due + Duration::from_millis(late_ms);
            following(due, second, now).duration_since(due)
        };
        assert_eq!(after(0), second);
        assert_eq!(after(999), second);
        assert_eq!(after(1_000), 2 * second);
        assert_eq!(after(3_400), 4 * second);
        assert!(following(due, Duration::ZERO, due) >= due);
    }
}
