//! An agent on another host: what it saw, on this clock.

mod captures;
mod following;
mod shared;

use std::cell::RefCell;
use std::rc::Rc;
use std::time::{Duration, Instant};

use plimsoll_stats::series::{Entity, EntityKind};
use plimsoll_text::Message;
use tokio::sync::watch;

use self::following::Following;
use self::shared::SharedAgent;
use crate::agent::client::{AgentLink, AgentLinkError, AgentPeer};
use crate::agent::clock::{ClockFilter, ClockReadings};
use crate::agent::wire::{AgentRefusal, AgentRequest, AgentResponse, Readings, SourceSpec};
use crate::collector::{Collector, Look, Nearness, Pending, Trouble};
use crate::names::agent as names;
use crate::source::{Opened, Spec};

/// Options of the source.
pub(crate) const OPTIONS: &[&str] = &["fingerprint", "token-file", "token-env", "sources"];

/// Exchanges that set the clock when a session begins.
const SETTING: usize = 4;
/// A clock that is off by more is told of.
const OFFSET_LIMIT: Duration = Duration::from_millis(100);

/// Opens an agent: `HOST:PORT`, or `tls://HOST:PORT` with its fingerprint.
pub(crate) fn open(spec: &Spec) -> Result<Opened, Trouble> {
    let peer = AgentPeer::of_options(&spec.address, &spec.options);
    let shared = Rc::new(SharedAgent {
        peer: peer.map_err(|error| Trouble::new(error.0))?,
        host: spec.host.clone(),
        sources: sources(spec.options.get("sources").map_or("", String::as_str))?,
        level: spec.level,
        session: watch::Sender::new(None),
        clock: RefCell::default(),
    });
    Ok(Opened {
        collectors: vec![Box::new(AgentCollector {
            shared: Rc::clone(&shared),
            link: None,
            following: None,
            began: false,
            told_offset: false,
        })],
        captures: vec![Box::new(captures::Captures::new(shared))],
    })
}

/// `NAME[=ADDRESS]`, several with blanks between.
fn sources(text: &str) -> Result<Vec<SourceSpec>, Trouble> {
    let specs = text.split_whitespace().map(|word| {
        let spec = Spec::parse(word).map_err(|error| Trouble::new(error.0))?;
        Ok(SourceSpec {
            source: spec.source,
            address: spec.address,
            options: spec.options,
        })
    });
    specs.collect()
}

/// The clock of the look that is going on.
#[derive(Clone, Copy)]
struct Now {
    unix_ns: u64,
    read: Instant,
}

impl Now {
    fn ns(self) -> u64 {
        let since = u64::try_from(self.read.elapsed().as_nanos()).unwrap_or(u64::MAX);
        self.unix_ns.saturating_add(since)
    }
}

struct AgentCollector {
    shared: Rc<SharedAgent>,
    /// Taken out while an exchange goes on: one that is broken off leaves none.
    link: Option<AgentLink>,
    following: Option<Following>,
    began: bool,
    told_offset: bool,
}

impl Collector for AgentCollector {
    fn nearness(&self) -> Nearness {
        Nearness::Agent
    }

    fn about(&self) -> String {
        format!("agent {}", self.shared.peer)
    }

    fn leave(&mut self) -> Pending<'_, ()> {
        Box::pin(async move {
            let (Some(link), Some(following)) = (&mut self.link, &self.following) else {
                return Ok(());
            };
            let session = following.id().to_owned();
            let ended = link.ask(&AgentRequest::End { session }).await;
            ended
                .map(|_| ())
                .map_err(|error| Trouble::new(error.message))
        })
    }

    fn collect<'a>(&'a mut self, look: &'a mut Look) -> Pending<'a, ()> {
        let now = Now {
            unix_ns: look.moment_unix_ns(),
            read: Instant::now(),
        };
        Box::pin(async move {
            let looked = self.look(look, now).await;
            looked.map_err(|error| Trouble::new(error.message))
        })
    }
}

impl AgentCollector {
    async fn look(&mut self, look: &mut Look, now: Now) -> Result<(), AgentLinkError> {
        let mut link = match self.link.take() {
            Some(link) => link,
            None => AgentLink::connect(&self.shared.peer).await?,
        };
        loop {
            if self.following.is_none() {
                self.begin(&mut link, look, now).await?;
            }
            match self.fetch(&mut link, look, now).await {
                Ok(true) => {}
                Ok(false) => break,
                // It was restarted, or this end was away for too long.
                Err(error) if error.refusal == Some(AgentRefusal::Session) => self.following = None,
                Err(error) => return Err(error),
            }
        }
        self.tell_clock(look, now, &link);
        self.link = Some(link);
        Ok(())
    }

    /// Begins a session: sets the clock, says what to watch.
    async fn begin(
        &mut self,
        link: &mut AgentLink,
        look: &mut Look,
        now: Now,
    ) -> Result<(), AgentLinkError> {
        self.shared.session.send_replace(None);
        self.shared.clock.replace(ClockFilter::default());
        for _ in 0..SETTING {
            let asked = now.ns();
            let AgentResponse::Clock(clock) = link.ask(&AgentRequest::Clock).await?.0 else {
                return Err(link.confused());
            };
            self.exchanged(asked, clock, now.ns());
        }
        let watch = AgentRequest::Watch {
            sources: self.shared.sources.clone(),
            host: self.shared.host.clone(),
            level: self.shared.level,
        };
        let AgentResponse::Watching {
            session,
            level,
            problems,
        } = link.ask(&watch).await?.0
        else {
            return Err(link.confused());
        };
        let entity = self.entity(link);
        for problem in problems {
            look.missing(&entity, problem.into());
        }
        if level < self.shared.level {
            let about = self.shared.peer.to_string();
            look.missing(&entity, Message::new("agent-level").with("address", about));
        }
        if self.began {
            let about = self.shared.peer.to_string();
            look.event(&entity, Message::new("agent-anew").with("address", about));
        }
        self.began = true;
        self.told_offset = false;
        self.shared.session.send_replace(Some(session.clone()));
        self.following = Some(Following::new(session));
        Ok(())
    }

    /// Fetches what was seen; whether there is more.
    async fn fetch(
        &mut self,
        link: &mut AgentLink,
        look: &mut Look,
        now: Now,
    ) -> Result<bool, AgentLinkError> {
        let Some(following) = &self.following else {
            return Ok(true);
        };
        let asked = now.ns();
        let (response, tail) = link.ask(&following.request()).await?;
        let responded = now.ns();
        let AgentResponse::Looked {
            clock,
            first_key,
            keys,
            items,
            last,
            lost,
            more,
        } = response
        else {
            return Err(link.confused());
        };
        self.exchanged(asked, clock, responded);
        let offset = self.shared.offset(responded);
        // From here on nothing waits: it is taken in whole, or the session begins anew.
        let Some(mut following) = self.following.take() else {
            return Ok(true);
        };
        let fits = following.learn(first_key, keys) && following.points(&tail, offset, look);
        if !fits {
            return Err(link.confused());
        }
        let host = self.entity(link).host.clone();
        following.items(items, offset, look, &host);
        following.arrived(last);
        self.following = Some(following);
        if lost > 0 {
            self.lost(lost, link, look).await?;
        }
        Ok(more)
    }

    /// Says that something was lost, and fetches the facts that may be among it.
    async fn lost(
        &self,
        lost: u64,
        link: &mut AgentLink,
        look: &mut Look,
    ) -> Result<(), AgentLinkError> {
        let about = self.shared.peer.to_string();
        let message = Message::new("agent-lost")
            .with("address", about)
            .with("looks", lost);
        look.event(&self.entity(link), message);
        let Some(following) = &self.following else {
            return Ok(());
        };
        let request = AgentRequest::Facts {
            session: following.id().to_owned(),
        };
        let AgentResponse::Facts { facts } = link.ask(&request).await?.0 else {
            return Err(link.confused());
        };
        for fact in facts {
            look.fact(&fact.entity, fact.name, fact.value);
        }
        Ok(())
    }

    fn exchanged(&self, t0: u64, clock: Readings, t3: u64) {
        self.shared.clock.borrow_mut().add(ClockReadings {
            t0,
            t1: clock.received_ns,
            t2: clock.sent_ns,
            t3,
        });
    }

    /// The agent itself, under the name its host has in series.
    fn entity(&self, link: &AgentLink) -> std::sync::Arc<Entity> {
        let host = self.shared.host.as_ref().unwrap_or(&link.host);
        Entity::new(EntityKind::Watcher, "agent", host.as_str())
    }

    fn tell_clock(&mut self, look: &mut Look, now: Now, link: &AgentLink) {
        let entity = self.entity(link);
        let offset = self.shared.offset(now.ns());
        #[expect(clippy::cast_precision_loss, reason = "seconds for people")]
        let seconds = |ns: i64| ns as f64 / 1e9;
        look.begin(now.ns());
        look.value(
            &entity,
            &names::CLOCK_OFFSET,
            &[],
            seconds(offset.offset_ns),
        );
        look.value(&entity, &names::CLOCK_ERROR, &[], seconds(offset.error_ns));
        let sure = offset
            .offset_ns
            .unsigned_abs()
            .saturating_sub(offset.error_ns.unsigned_abs());
        if u128::from(sure) > OFFSET_LIMIT.as_nanos() && !self.told_offset {
            self.told_offset = true;
            let milliseconds = |ns: i64| (seconds(ns) * 1e3).round();
            let message = Message::new("agent-clock-off")
                .with("address", self.shared.peer.to_string())
                .with("offset_ms", milliseconds(offset.offset_ns))
                .with("error_ms", milliseconds(offset.error_ns).max(1.0));
            look.event(&entity, message);
        }
    }
}
