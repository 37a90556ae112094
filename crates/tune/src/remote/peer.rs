//! The study's end: asks an agent, keeps its lease while runs are measured, and goes on after a break of the link.

use std::fmt;
use std::path::Path;
use std::sync::mpsc::{self, Receiver, RecvTimeoutError, Sender};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use plimsoll_run::Interrupt;
use plimsoll_run::watching::from_texts;
use plimsoll_text::Message;
use plimsoll_watch::Level;
use plimsoll_watch::agent::wire::{AgentRequest, AgentResponse};
use plimsoll_watch::agent::{AgentPeer, BlockingAgentLink};

use super::wire::{
    AgentArrived, AgentValues, AgentWork, HostDescription, TuneAsk, TuneSaid, VERSION, WorkState,
};
use crate::target::Fragment;
use crate::trial::{Stopped, TrialEnd};

/// How often it is asked how far work is.
const POLL: Duration = Duration::from_millis(50);
/// The longest between two signs of life.
const BEAT: Duration = Duration::from_secs(1);
/// The longest that one response may take.
const RESPONSE: Duration = Duration::from_secs(5);
/// How long a study waits for an agent to put back what the same study has left there.
const ENDING: Duration = Duration::from_secs(120);

/// What a study uses on an agent's host.
#[derive(Debug, Clone, Copy, Default)]
struct UsedThere {
    most_memory_bytes: u64,
    first_cpu_s: Option<f64>,
    last_cpu_s: f64,
}

/// What the threads of one agent's peer share.
#[derive(Default)]
struct PeerShared {
    /// The lease, while there is one.
    lease: Mutex<Option<String>>,
    used: Mutex<UsedThere>,
}

fn locked<T>(of: &Mutex<T>) -> MutexGuard<'_, T> {
    // Plain values: whole at each moment.
    of.lock().unwrap_or_else(PoisonError::into_inner)
}

type Responder = Sender<Result<TuneSaid, Stopped>>;

/// An agent that changes components of a study.
pub struct TuneAgent {
    /// As the study writes it.
    raw: String,
    address: String,
    description: HostDescription,
    asks: Mutex<Sender<(TuneAsk, Responder)>>,
    number: Mutex<u32>,
    shared: Arc<PeerShared>,
}

impl fmt::Debug for TuneAgent {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "TuneAgent({})", self.address)
    }
}

impl TuneAgent {
    /// Asks the agent of `tls://HOST:PORT,fingerprint=…,token-file=…` what it lets studies change. A token's file
    /// starts from a folder.
    ///
    /// # Errors
    /// An agent that cannot be reached, or that lets studies change nothing.
    pub fn connect(raw: &str, folder: &Path) -> Result<Self, Message> {
        let parsed = from_texts(&[format!("agent={raw}")], Level::Observe)?;
        let mut spec = parsed.into_iter().next().unwrap_or_default();
        if let Some(file) = spec.options.get_mut("token-file") {
            *file = folder.join(&*file).display().to_string();
        }
        let peer = AgentPeer::of_options(&spec.address, &spec.options).map_err(|error| error.0)?;
        let address = peer.to_string();
        let shared = Arc::new(PeerShared::default());
        let (asks, asked) = mpsc::channel();
        let mut line = TuneLine {
            peer,
            link: None,
            within: RESPONSE,
            patience: Duration::ZERO,
        };
        let told = line.exchange(&TuneAsk::Describe { version: VERSION }, Duration::ZERO);
        let description = match told {
            Ok(TuneSaid::Described(description)) => description,
            Ok(_) => return Err(confused(&address)),
            Err(Stopped::Broken(message)) => return Err(message),
            Err(Stopped::End(_)) => return Err(confused(&address)),
        };
        // A day is longer than any lease.
        let lease = Duration::from_secs_f64(description.lease_s.clamp(1.0, 86_400.0));
        line.patience = lease;
        line.within = RESPONSE.min(lease / 2).max(Duration::from_secs(1));
        let of_line = Arc::clone(&shared);
        std::thread::spawn(move || serve(line, &asked, &of_line, BEAT.min(lease / 5)));
        Ok(Self {
            raw: raw.to_owned(),
            address,
            description,
            asks: Mutex::new(asks),
            number: Mutex::new(0),
            shared,
        })
    }

    /// Whether a study means this agent by a text.
    #[must_use]
    pub fn is(&self, raw: &str) -> bool {
        self.raw == raw
    }

    /// Where it is.
    #[must_use]
    pub fn address(&self) -> &str {
        &self.address
    }

    /// What it lets studies change.
    #[must_use]
    pub fn description(&self) -> &HostDescription {
        &self.description
    }

    /// What values would change there.
    ///
    /// # Errors
    /// Values that may not be, an agent that is not there.
    pub fn changes(&self, values: &AgentValues) -> Result<Vec<Fragment>, Message> {
        let values = values.clone();
        match self.ask(TuneAsk::Changes { values }) {
            Ok(TuneSaid::Changes { fragments }) => Ok(fragments),
            Err(Stopped::Broken(message)) => Err(message),
            _ => Err(confused(&self.address)),
        }
    }

    /// Has components for a study.
    ///
    /// # Errors
    /// Another study has them, or something stands in the way there.
    pub fn begin(
        &self,
        study: &str,
        components: Vec<String>,
        interrupt: &Interrupt,
    ) -> Result<(), Stopped> {
        let ask = TuneAsk::Begin {
            version: VERSION,
            study: study.to_owned(),
            by: who(),
            components,
        };
        let until = Instant::now() + ENDING;
        while Instant::now() < until && !interrupt.is_hit() {
            match self.ask(ask.clone())? {
                TuneSaid::State(state) => {
                    *locked(&self.shared.lease) = Some(state.lease);
                    *locked(&self.number) = 0;
                    return self.wait(0, Some(interrupt)).map(|_| ());
                }
                // What an earlier run of this study has left is put back first.
                TuneSaid::Ending => std::thread::sleep(POLL),
                _ => return Err(confused(&self.address).into()),
            }
        }
        match interrupt.is_hit() {
            true => Err(Stopped::End(TrialEnd::Interrupted)),
            false => Err(Message::new("agent-tune-still-ending")
                .with("address", self.address.as_str())
                .into()),
        }
    }

    /// Brings the components to values; `anew`: a reload is not enough.
    ///
    /// # Errors
    /// How that failed.
    pub fn apply(
        &self,
        values: &AgentValues,
        anew: bool,
        interrupt: &Interrupt,
    ) -> Result<AgentArrived, Stopped> {
        let values = values.clone();
        self.work(Some(interrupt), |lease, number| TuneAsk::Apply {
            lease,
            number,
            values,
            anew,
        })
    }

    /// Looks whether all components are there still.
    ///
    /// # Errors
    /// One died.
    pub fn still_there(&self, interrupt: &Interrupt) -> Result<(), Stopped> {
        let ask = |lease, number| TuneAsk::Check { lease, number };
        self.work(Some(interrupt), ask).map(|_| ())
    }

    /// Has everything put back, or values left there. Harmless where nothing began.
    ///
    /// # Errors
    /// What could not be, or that nobody knows because the agent is not heard; then it puts all back by itself.
    pub fn finish(&self, keep: Option<AgentValues>) -> Result<(), Message> {
        if locked(&self.shared.lease).is_none() {
            return Ok(());
        }
        let ask = |lease, number| TuneAsk::Finish {
            lease,
            number,
            keep,
        };
        let done = self.work(None, ask);
        *locked(&self.shared.lease) = None;
        match done {
            Ok(_) => Ok(()),
            Err(Stopped::Broken(message)) => Err(message),
            Err(Stopped::End(_)) => Err(confused(&self.address)),
        }
    }

    /// From now on it is counted what the components use.
    pub fn use_begins(&self) {
        *locked(&self.shared.used) = UsedThere::default();
        self.look();
    }

    /// The most memory since then, bytes, and the processor time, seconds.
    #[must_use]
    pub fn used(&self) -> (u64, f64) {
        self.look();
        let used = *locked(&self.shared.used);
        let cpu_s = used.last_cpu_s - used.first_cpu_s.unwrap_or(used.last_cpu_s);
        (used.most_memory_bytes, cpu_s.max(0.0))
    }

    fn look(&self) {
        // Who is asked looks at the lease, too: it is not held meanwhile.
        let lease = locked(&self.shared.lease).clone();
        if let Some(lease) = lease {
            // What fails is told by the next piece of work.
            let _ = self.ask(TuneAsk::Look { lease });
        }
    }

    fn ask(&self, ask: TuneAsk) -> Result<TuneSaid, Stopped> {
        let (responder, responded) = mpsc::channel();
        // The thread is there as long as this is.
        let _ = locked(&self.asks).send((ask, responder));
        responded
            .recv()
            .unwrap_or_else(|_| Err(confused(&self.address).into()))
    }

    /// Has a piece of work done and waits for it.
    fn work(
        &self,
        interrupt: Option<&Interrupt>,
        ask: impl FnOnce(String, u32) -> TuneAsk,
    ) -> Result<AgentArrived, Stopped> {
        let lease = locked(&self.shared.lease).clone().unwrap_or_default();
        let number = {
            let mut number = locked(&self.number);
            *number += 1;
            *number
        };
        self.ask(ask(lease, number))?;
        self.wait(number, interrupt)
    }

    fn wait(&self, number: u32, interrupt: Option<&Interrupt>) -> Result<AgentArrived, Stopped> {
        loop {
            let lease = locked(&self.shared.lease).clone().unwrap_or_default();
            let TuneSaid::State(state) = self.ask(TuneAsk::Look { lease })? else {
                return Err(confused(&self.address).into());
            };
            if state.number != number {
                // It has accepted that piece and no other since: it would never say what came of it.
                return Err(confused(&self.address).into());
            }
            match state.work {
                AgentWork::Done(arrived) => return Ok(arrived),
                AgentWork::Ended { end } => return Err(Stopped::End(end)),
                AgentWork::Broken { message } => {
                    return Err(Message::new("agent-tune-broken")
                        .with("address", self.address.as_str())
                        .with("reason", Message::from(message))
                        .into());
                }
                AgentWork::Working => {}
            }
            if interrupt.is_some_and(Interrupt::is_hit) {
                return Err(Stopped::End(TrialEnd::Interrupted));
            }
            std::thread::sleep(POLL);
        }
    }
}

/// Who makes a study, as they say.
fn who() -> String {
    let user = std::env::var("USER").unwrap_or_default();
    let host = std::fs::read_to_string("/proc/sys/kernel/hostname").unwrap_or_default();
    format!("{user}@{}", host.trim())
}

fn confused(address: &str) -> Message {
    Message::new("agent-no-agent")
        .with("address", address)
        .with("reason", Message::new("agent-confused"))
}

/// The way to an agent, on a thread of its own.
struct TuneLine {
    peer: AgentPeer,
    link: Option<BlockingAgentLink>,
    within: Duration,
    /// How long a break of the link is waited for.
    patience: Duration,
}

impl TuneLine {
    /// Asks; after a break of the link again, for so long. Each question may be asked twice: the agent does its
    /// work once.
    fn exchange(&mut self, ask: &TuneAsk, patience: Duration) -> Result<TuneSaid, Stopped> {
        let ask = serde_json::to_value(ask).map_err(|_| confused(&self.peer.to_string()))?;
        let request = AgentRequest::Tune { ask };
        let until = Instant::now() + patience;
        loop {
            let (is_final, message) = match self.once(&request) {
                Ok(said) => return Ok(said),
                Err(failure) => failure,
            };
            if is_final {
                return Err(message.into());
            }
            if Instant::now() >= until {
                let lost = Message::new("agent-tune-lost")
                    .with("address", self.peer.to_string())
                    .with("seconds", patience.as_secs_f64())
                    .with("reason", message.clone());
                let told = if patience.is_zero() { message } else { lost };
                return Err(told.into());
            }
            std::thread::sleep(POLL);
        }
    }

    /// Asks once; why not, and whether asking again is of no use.
    fn once(&mut self, request: &AgentRequest) -> Result<TuneSaid, (bool, Message)> {
        let mut link = match self.link.take() {
            Some(link) => link,
            None => {
                let link = BlockingAgentLink::connect(&self.peer, self.within);
                link.map_err(|error| (error.refusal.is_some(), error.message))?
            }
        };
        let address = self.peer.to_string();
        if !link.tunes() {
            let message = Message::new("agent-tune-not-there").with("address", address);
            return Err((true, message));
        }
        match link.ask(request) {
            Ok(AgentResponse::Tuned { said }) => {
                self.link = Some(link);
                serde_json::from_value(said).map_err(|_| (true, confused(&address)))
            }
            Ok(_) => Err((true, confused(&address))),
            Err(error) if error.refusal.is_some() => {
                self.link = Some(link);
                Err((true, error.message))
            }
            Err(error) => Err((false, error.message)),
        }
    }
}

/// How long a break of the link is waited for: while a study has components there it is not lost for one.
fn patience_for(ask: &TuneAsk, has_lease: bool, patience: Duration) -> Duration {
    match ask {
        TuneAsk::Describe { .. } | TuneAsk::Changes { .. } if !has_lease => Duration::ZERO,
        _ => patience,
    }
}

/// Asks what is to be asked, and gives a sign of life in between.
fn serve(
    mut line: TuneLine,
    asked: &Receiver<(TuneAsk, Responder)>,
    shared: &PeerShared,
    beat: Duration,
) {
    loop {
        match asked.recv_timeout(beat) {
            Ok((ask, responder)) => {
                let has_lease = locked(&shared.lease).is_some();
                let patience = patience_for(&ask, has_lease, line.patience);
                let said = line.exchange(&ask, patience);
                note_use(shared, &said);
                // Who asked may have given up.
                let _ = responder.send(said);
            }
            Err(RecvTimeoutError::Timeout) => {
                let lease = locked(&shared.lease).clone();
                if let Some(lease) = lease {
                    let said = line.exchange(&TuneAsk::Look { lease }, Duration::ZERO);
                    note_use(shared, &said);
                }
            }
            Err(RecvTimeoutError::Disconnected) => return,
        }
    }
}

fn note_use(shared: &PeerShared, said: &Result<TuneSaid, Stopped>) {
    if let Ok(TuneSaid::State(WorkState {
        memory_bytes,
        cpu_s,
        ..
    })) = said
    {
        let mut used = locked(&shared.used);
        used.most_memory_bytes = used.most_memory_bytes.max(*memory_bytes);
        used.first_cpu_s.get_or_insert(*cpu_s);
        used.last_cpu_s = used.last_cpu_s.max(*cpu_s);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_break_of_the_link_is_waited_for_while_there_is_a_lease() {
        let changes = TuneAsk::Changes {
            values: AgentValues::new(),
        };
        let describe = TuneAsk::Describe { version: VERSION };
        let look = TuneAsk::Look {
            lease: "1f".to_owned(),
        };
        for (ask, has_lease, waits) in [
            (&changes, true, true),
            (&changes, false, false),
            (&describe, false, false),
            (&look, true, true),
            (&look, false, true),
        ] {
            let patience = patience_for(ask, has_lease, RESPONSE);
            assert_eq!(patience == RESPONSE, waits, "{ask:?} {has_lease}");
            assert_eq!(patience.is_zero(), !waits, "{ask:?} {has_lease}");
        }
    }
}
