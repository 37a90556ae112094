//! Who has an agent's components, and until when. Time is handed in.

use std::net::SocketAddr;
use std::time::{Duration, Instant};

use plimsoll_run::Interrupt;
use plimsoll_text::Message;
use rustix::process::Pid;

use super::wire::AgentWork;

/// Who asks for components.
#[derive(Debug, Clone)]
pub struct LeaseOwner {
    /// The study.
    pub study: String,
    /// Who makes it, as they say.
    pub by: String,
    /// Where they are.
    pub peer: SocketAddr,
}

impl LeaseOwner {
    /// Whether it is the same study again. A name alone is many a study's; the port is another each time.
    fn is_again(&self, other: &Self) -> bool {
        let of = |it: &Self| (it.study.clone(), it.by.clone(), it.peer.ip());
        of(self) == of(other)
    }

    /// Who makes it, as they say, and where they are.
    #[must_use]
    pub fn who(&self) -> String {
        format!("{}, {}", self.by, self.peer)
    }
}

/// A study that has components.
#[derive(Clone)]
pub struct HostLease {
    /// Its name for who has it.
    pub id: String,
    /// Who has it.
    pub owner: LeaseOwner,
    /// The components, by their places.
    pub components: Vec<usize>,
    /// The number of the latest work.
    pub number: u32,
    /// What came of it.
    pub work: AgentWork,
    /// What was started, as it was when the work was done.
    pub pids: Vec<Pid>,
    /// Its study has heard what came of it.
    pub is_told: bool,
    /// Ends work that goes on.
    pub interrupt: Interrupt,
    heard: Instant,
    over: bool,
}

/// The one lease that there may be.
#[derive(Default)]
pub struct LeaseHolder {
    now: Option<HostLease>,
}

impl HostLease {
    /// Whether its study has been silent for too long, or it was ended.
    #[must_use]
    pub fn is_over(&self, now: Instant, longest: Duration) -> bool {
        self.over || now.saturating_duration_since(self.heard) > longest
    }

    /// Ends it: work that goes on ends soon.
    pub fn end(&mut self) {
        self.over = true;
        self.interrupt.stop();
    }
}

impl LeaseHolder {
    /// Whether nobody has a lease.
    #[must_use]
    pub const fn is_free(&self) -> bool {
        self.now.is_none()
    }

    /// Begins a lease, if there is none. None: the same study has it still, from before; that one is ended first.
    ///
    /// # Errors
    /// Another study has the components.
    pub fn begin(
        &mut self,
        owner: LeaseOwner,
        components: Vec<usize>,
        now: Instant,
    ) -> Result<Option<HostLease>, Message> {
        match &mut self.now {
            Some(held) if held.owner.is_again(&owner) => {
                held.end();
                return Ok(None);
            }
            Some(held) => {
                return Err(Message::new("agent-tune-busy")
                    .with("study", held.owner.study.as_str())
                    .with("by", held.owner.who()));
            }
            None => {}
        }
        let lease = HostLease {
            id: format!("{:032x}", fastrand::u128(..)),
            owner,
            components,
            number: 0,
            work: AgentWork::Working,
            pids: Vec::new(),
            is_told: false,
            interrupt: Interrupt::default(),
            heard: now,
            over: false,
        };
        self.now = Some(lease.clone());
        Ok(Some(lease))
    }

    /// The lease of that name, which its study has just asked for: it holds from now on again.
    ///
    /// # Errors
    /// It is over: one that comes too late does not revive it.
    pub fn heard(
        &mut self,
        id: &str,
        now: Instant,
        longest: Duration,
    ) -> Result<&mut HostLease, Message> {
        let held = self.now.as_mut().filter(|held| held.id == id);
        let held = held.filter(|held| !held.is_over(now, longest));
        let held = held.ok_or_else(|| {
            Message::new("agent-tune-lease-over").with("seconds", longest.as_secs_f64())
        })?;
        held.heard = now;
        Ok(held)
    }

    /// The lease of that name, if it is the one that there is.
    pub fn of(&mut self, id: &str) -> Option<&mut HostLease> {
        self.now.as_mut().filter(|held| held.id == id)
    }

    /// Ends work of a lease that is over.
    pub fn look(&mut self, now: Instant, longest: Duration) {
        if let Some(held) = &mut self.now
            && held.is_over(now, longest)
        {
            held.end();
        }
    }

    /// Ends whatever lease there is.
    pub fn end(&mut self) {
        if let Some(held) = &mut self.now {
            held.end();
        }
    }

    /// All is put back: the next may begin.
    pub fn gone(&mut self, id: &str) {
        self.now = self.now.take().filter(|held| held.id != id);
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used, clippy::expect_used)]
mod tests {
    use super::*;

    const LONGEST: Duration = Duration::from_secs(15);

    fn owner(study: &str, by: &str, peer: &str) -> LeaseOwner {
        LeaseOwner {
            study: study.to_owned(),
            by: by.to_owned(),
            peer: peer.parse().unwrap(),
        }
    }

    fn begun(holder: &mut LeaseHolder, study: &str, now: Instant) -> HostLease {
        let owner = owner(study, "me@here", "192.0.2.1:1000");
        let begun = holder.begin(owner, vec![0], now).unwrap();
        begun.expect("it is held")
    }

    #[test]
    fn a_lease_holds_as_long_as_its_study_is_heard() {
        let (mut holder, start) = (LeaseHolder::default(), Instant::now());
        let after = |seconds| start + Duration::from_secs(seconds);
        let lease = begun(&mut holder, "a", start);
        for seconds in [10, 25, 40] {
            holder.look(after(seconds), LONGEST);
            let held = holder.heard(&lease.id, after(seconds), LONGEST).unwrap();
            assert!(!held.interrupt.is_hit());
        }
        assert!(holder.heard("another", after(41), LONGEST).is_err());
        // One word too late, even where nobody has looked in between.
        let late = holder.heard(&lease.id, after(56), LONGEST).err().unwrap();
        assert_eq!(late.id, "agent-tune-lease-over");
        holder.look(after(56), LONGEST);
        assert!(lease.interrupt.is_hit());
        // It stays over, whatever the clock says.
        assert!(holder.heard(&lease.id, after(41), LONGEST).is_err());
    }

    #[test]
    fn another_study_waits_and_the_same_one_ends_what_it_left() {
        let (mut holder, now) = (LeaseHolder::default(), Instant::now());
        let first = begun(&mut holder, "a", now);
        let mut begin = |study: &str, by: &str, peer: &str| {
            let begun = holder.begin(owner(study, by, peer), vec![0], now);
            begun
                .map(|lease| lease.is_some())
                .map_err(|refused| refused.id)
        };
        // Another study, another person's of the same name, and one of the same name on another host.
        for (study, by, peer) in [
            ("b", "me@here", "192.0.2.1:1000"),
            ("a", "you@here", "192.0.2.1:1000"),
            ("a", "me@here", "192.0.2.2:1000"),
        ] {
            assert_eq!(
                begin(study, by, peer),
                Err("agent-tune-busy".into()),
                "{study} {by} {peer}"
            );
            assert!(!first.interrupt.is_hit());
        }
        // The same one comes from another port.
        assert_eq!(begin("a", "me@here", "192.0.2.1:2000"), Ok(false));
        assert!(first.interrupt.is_hit());
        assert_eq!(begin("a", "me@here", "192.0.2.1:1000"), Ok(false));
        assert!(holder.heard(&first.id, now, LONGEST).is_err());
        holder.gone("another");
        assert!(holder.of(&first.id).is_some());
        holder.gone(&first.id);
        assert_ne!(begun(&mut holder, "a", now).id, first.id);
    }
}
