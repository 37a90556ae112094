//! The link within one process, with switches that break it: for tests, and for a run that needs
//! no other machine.
//!
//! Time is tokio's, so that a test may stop it and put it forward.

use std::collections::{BTreeMap, HashMap, HashSet};
use std::num::NonZeroU32;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use bytes::Bytes;
use tokio::sync::{mpsc, watch};
use tokio::time::{Instant, sleep_until, timeout_at};

use super::{
    JournalEntry, Link, LinkError, LinkJournal, LinkMessage, Objects, Response, Subscription,
    subject,
};

/// How long an append or an object waits for a way that is cut.
const PATIENCE: Duration = Duration::from_secs(120);

/// Messages of a subscription that its reader has not taken yet.
const QUEUE: usize = 65_536;

/// What lies between the parties, as a NATS server would.
#[derive(Clone, Default)]
pub struct Hub {
    shared: Arc<Mutex<SharedLink>>,
}

#[derive(Default)]
struct SharedLink {
    listeners: Vec<LocalListener>,
    runs: HashMap<String, LocalRun>,
    replies: u64,
}

struct LocalListener {
    pattern: String,
    queue: mpsc::Sender<(Instant, LinkMessage)>,
    faults: watch::Receiver<Faults>,
}

/// How one party's way to the hub misbehaves; by default it does not.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Faults {
    /// Nothing gets through: what is published is lost, what needs a response waits.
    pub cut: bool,
    /// How late everything published by and for this party comes.
    pub delay: Duration,
    /// Of what this party publishes, one in so many is lost.
    pub lose_one_in: Option<NonZeroU32>,
    /// Of what this party publishes, one in so many arrives twice.
    pub double_one_in: Option<NonZeroU32>,
}

/// One party's link to the hub.
#[derive(Clone)]
pub struct LocalLink {
    hub: Hub,
    faults: watch::Sender<Faults>,
    published: Arc<Mutex<u32>>,
    /// How often the way was mended, and once more.
    mended: Arc<AtomicU64>,
}

impl Hub {
    /// A hub that nobody has a link to yet.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// A new party's link.
    #[must_use]
    pub fn link(&self) -> LocalLink {
        LocalLink {
            hub: self.clone(),
            faults: watch::Sender::default(),
            published: Arc::default(),
            mended: Arc::new(AtomicU64::new(1)),
        }
    }

    fn lock(&self) -> MutexGuard<'_, SharedLink> {
        self.shared.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// How many heard it.
    fn deliver(&self, message: &LinkMessage, delay: Duration) -> usize {
        let now = Instant::now();
        let mut shared = self.lock();
        shared
            .listeners
            .retain(|listener| !listener.queue.is_closed());
        let mut heard = 0;
        for listener in &shared.listeners {
            if subject::meets(&listener.pattern, &message.subject) {
                let due = now + delay + listener.faults.borrow().delay;
                // A full queue loses messages, as a slow consumer of NATS does.
                let _ = listener.queue.try_send((due, message.clone()));
                heard += 1;
            }
        }
        heard
    }
}

impl LocalLink {
    /// Sets how this party's way misbehaves from now on.
    pub fn set_faults(&self, faults: Faults) {
        self.faults.send_replace(faults);
    }

    /// Cuts this party off, or mends its way.
    pub fn cut(&self, cut: bool) {
        self.faults.send_modify(|faults| {
            if faults.cut && !cut {
                self.mended.fetch_add(1, Ordering::Relaxed);
            }
            faults.cut = cut;
        });
    }

    /// Waits until the way is whole.
    async fn whole(&self, what: &str, until: Instant) -> Result<(), LinkError> {
        let mut faults = self.faults.subscribe();
        let begun = Instant::now();
        match timeout_at(until, faults.wait_for(|faults| !faults.cut)).await {
            // The sender is `self.faults`, so that the channel is open.
            Ok(_) => Ok(()),
            Err(_) => Err(LinkError::TimedOut {
                what: what.to_owned(),
                waited: begun.elapsed(),
            }),
        }
    }

    /// How often what is published next arrives, and how late.
    fn luck(&self) -> (usize, Duration) {
        let faults = *self.faults.borrow();
        let mut published = self
            .published
            .lock()
            .unwrap_or_else(PoisonError::into_inner);
        *published = published.wrapping_add(1);
        let hit = |one_in: Option<NonZeroU32>| one_in.is_some_and(|n| *published % n == 0);
        let times = match (hit(faults.lose_one_in), hit(faults.double_one_in)) {
            (true, _) => 0,
            (false, true) => 2,
            (false, false) => 1,
        };
        (times, faults.delay)
    }

    /// Publishes as often as luck has it; whether somebody listens.
    fn send(&self, message: &LinkMessage) -> bool {
        let (times, delay) = self.luck();
        if times == 0 {
            return true;
        }
        (0..times)
            .map(|_| self.hub.deliver(message, delay))
            .sum::<usize>()
            > 0
    }

    fn listen(&self, pattern: &str) -> Subscription {
        let (queue, mut queued) = mpsc::channel::<(Instant, LinkMessage)>(QUEUE);
        let (out, subscription) = mpsc::channel(1);
        let faults = self.faults.subscribe();
        self.hub.lock().listeners.push(LocalListener {
            pattern: pattern.to_owned(),
            queue,
            faults: faults.clone(),
        });
        tokio::spawn(async move {
            loop {
                let next = tokio::select! {
                    next = queued.recv() => next,
                    () = out.closed() => None,
                };
                let Some((due, message)) = next else { return };
                sleep_until(due).await;
                let lost = faults.borrow().cut;
                if !lost && out.send(message).await.is_err() {
                    return;
                }
            }
        });
        subscription
    }

    async fn ask(&self, on: &str, payload: Bytes, wait: Duration) -> Result<Bytes, LinkError> {
        let until = Instant::now() + wait;
        self.whole(on, until).await?;
        let reply = {
            let mut shared = self.hub.lock();
            shared.replies += 1;
            format!("_reply.{}", shared.replies)
        };
        let mut responses = self.listen(&reply);
        let message = LinkMessage {
            subject: on.to_owned(),
            reply: Some(reply),
            payload,
        };
        if !self.send(&message) {
            return Err(LinkError::Nobody {
                subject: on.to_owned(),
            });
        }
        match timeout_at(until, responses.recv()).await {
            Ok(Some(response)) => Ok(response.payload),
            _ => Err(LinkError::TimedOut {
                what: on.to_owned(),
                waited: wait,
            }),
        }
    }
}

impl Link for LocalLink {
    fn publish<'a>(&'a self, subject: &'a str, payload: Bytes) -> Response<'a, ()> {
        Box::pin(async move {
            subject::check(subject)?;
            if self.faults.borrow().cut {
                return Err(LinkError::Failed {
                    what: subject.to_owned(),
                    reason: "there is no connection".to_owned(),
                });
            }
            self.send(&LinkMessage {
                subject: subject.to_owned(),
                reply: None,
                payload,
            });
            Ok(())
        })
    }

    fn subscribe<'a>(&'a self, subject: &'a str) -> Response<'a, Subscription> {
        Box::pin(async move {
            subject::check_pattern(subject)?;
            Ok(self.listen(subject))
        })
    }

    fn request<'a>(
        &'a self,
        subject: &'a str,
        payload: Bytes,
        wait: Duration,
    ) -> Response<'a, Bytes> {
        Box::pin(async move {
            subject::check(subject)?;
            self.ask(subject, payload, wait).await
        })
    }

    fn make_run<'a>(&'a self, run: &'a str) -> Response<'a, ()> {
        Box::pin(async move {
            subject::check_token(run)?;
            self.whole(run, Instant::now() + PATIENCE).await?;
            self.hub.lock().runs.entry(run.to_owned()).or_default();
            Ok(())
        })
    }

    fn remove_run<'a>(&'a self, run: &'a str) -> Response<'a, ()> {
        Box::pin(async move {
            subject::check_token(run)?;
            self.whole(run, Instant::now() + PATIENCE).await?;
            self.hub.lock().runs.remove(run);
            Ok(())
        })
    }

    fn journal<'a>(&'a self, run: &'a str) -> Response<'a, Arc<dyn LinkJournal>> {
        Box::pin(async move {
            subject::check_token(run)?;
            let of_run: Arc<dyn LinkJournal> = Arc::new(self.of_run(run));
            Ok(of_run)
        })
    }

    fn objects<'a>(&'a self, run: &'a str) -> Response<'a, Arc<dyn Objects>> {
        Box::pin(async move {
            subject::check_token(run)?;
            let of_run: Arc<dyn Objects> = Arc::new(self.of_run(run));
            Ok(of_run)
        })
    }

    fn connections(&self) -> u64 {
        self.mended.load(Ordering::Relaxed)
    }
}

/// What is kept of a run.
#[derive(Default)]
struct LocalRun {
    entries: BTreeMap<u64, JournalEntry>,
    last: u64,
    known: HashSet<(String, u64)>,
    /// Told of each append; readers end with it.
    appended: watch::Sender<()>,
    objects: HashMap<String, Bytes>,
}

/// One party's way to what is kept of a run.
struct OfRun {
    link: LocalLink,
    run: String,
}

impl LocalLink {
    fn of_run(&self, run: &str) -> OfRun {
        OfRun {
            link: self.clone(),
            run: run.to_owned(),
        }
    }
}

impl OfRun {
    /// Works on the run once the way is whole.
    async fn with<T>(
        &self,
        what: &str,
        work: impl FnOnce(&mut LocalRun) -> T,
    ) -> Result<T, LinkError> {
        self.link.whole(what, Instant::now() + PATIENCE).await?;
        self.now(work).ok_or_else(|| LinkError::Missing {
            what: self.run.clone(),
        })
    }

    fn now<T>(&self, work: impl FnOnce(&mut LocalRun) -> T) -> Option<T> {
        self.link.hub.lock().runs.get_mut(&self.run).map(work)
    }
}

impl LinkJournal for OfRun {
    fn append<'a>(&'a self, writer: &'a str, number: u64, payload: Bytes) -> Response<'a, ()> {
        Box::pin(async move {
            subject::check_token(writer)?;
            self.with("append", |run| {
                if run.known.insert((writer.to_owned(), number)) {
                    run.last += 1;
                    let entry = JournalEntry {
                        place: run.last,
                        writer: writer.to_owned(),
                        number,
                        payload,
                    };
                    run.entries.insert(run.last, entry);
                    run.appended.send_replace(());
                }
            })
            .await
        })
    }

    fn read(&self) -> Response<'_, mpsc::Receiver<JournalEntry>> {
        Box::pin(async move {
            let mut appended = self.with("read", |run| run.appended.subscribe()).await?;
            let (out, entries) = mpsc::channel(1);
            let journal = self.link.of_run(&self.run);
            tokio::spawn(async move {
                let mut read = 0;
                loop {
                    let next = journal
                        .with("read", |run| {
                            run.entries
                                .range(read + 1..)
                                .next()
                                .map(|(_, entry)| entry.clone())
                        })
                        .await;
                    match next {
                        Ok(Some(entry)) => {
                            read = entry.place;
                            if out.send(entry).await.is_err() {
                                return;
                            }
                        }
                        Ok(None) => tokio::select! {
                            changed = appended.changed() => if changed.is_err() { return },
                            () = out.closed() => return,
                        },
                        // A way that is cut for long.
                        Err(LinkError::TimedOut { .. }) => {}
                        Err(_) => return,
                    }
                }
            });
            Ok(entries)
        })
    }

    fn acknowledge<'a>(&'a self, places: &'a [u64]) -> Response<'a, ()> {
        Box::pin(async move {
            self.with("acknowledge", |run| {
                for place in places {
                    run.entries.remove(place);
                }
            })
            .await
        })
    }
}

impl Objects for OfRun {
    fn put<'a>(&'a self, name: &'a str, bytes: Bytes) -> Response<'a, ()> {
        Box::pin(async move {
            subject::check_token(name)?;
            self.with(name, |run| {
                run.objects.insert(name.to_owned(), bytes);
            })
            .await
        })
    }

    fn get<'a>(&'a self, name: &'a str) -> Response<'a, Bytes> {
        Box::pin(async move {
            self.with(name, |run| run.objects.get(name).cloned())
                .await?
                .ok_or_else(|| LinkError::Missing {
                    what: name.to_owned(),
                })
        })
    }
}
