//! The agent's end: what is asked for is held against the agent's own file, and done by one thread.

use std::fmt;
use std::net::SocketAddr;
use std::path::Path;
use std::sync::mpsc::{self, Sender};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

use plimsoll_text::Message;
use plimsoll_watch::agent::AgentTuner;
use serde_json::Value;

use super::audit::{Audit, AuditSubject, Audited, TellLog};
use super::lease::{LeaseHolder, LeaseOwner};
use super::scope::{HostScope, shown};
use super::state::HostState;
use super::wire::{AgentValues, AgentWork, TuneAsk, TuneSaid, VERSION, WorkState};
use super::work::{HostJob, HostPiece, work};
use crate::target::{Journal, fragments_of, journal_failed, memory, processor_s, with_descendants};

/// How often it is looked whether a study is silent.
const LOOK: Duration = Duration::from_millis(100);

/// Changes this host for studies, as the agent's file lets it.
pub struct HostTuner {
    state: Arc<HostState>,
    jobs: Mutex<Sender<HostJob>>,
    threads: Mutex<Vec<JoinHandle<()>>>,
}

impl fmt::Debug for HostTuner {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("HostTuner")
    }
}

impl HostTuner {
    /// Puts back what an agent that was killed has left, and is ready for studies. Its journal and its audit lie in
    /// a folder of its own.
    ///
    /// # Errors
    /// A folder that another agent has, or that cannot be used.
    pub fn start(scope: HostScope, folder: &Path, tell: TellLog) -> Result<Self, Message> {
        let journal = Journal::open(folder).map_err(|error| journal_failed(folder, error))?;
        let scope = HostScope {
            prepared: scope.prepared.with_originals(journal.open_entries()),
            ..scope
        };
        let knobs = scope.prepared.space.knobs.iter();
        let hidden = knobs.filter(|it| it.is_hidden).map(|it| it.name.clone());
        let audit = Audit::new(folder, hidden.collect(), tell);
        let state = Arc::new(HostState::new(scope, audit));
        let (jobs, received) = mpsc::channel();
        let (working, looking) = (Arc::clone(&state), Arc::downgrade(&state));
        let worker = std::thread::spawn(move || work(&working, journal, &received));
        // Work that waits ends when its study is silent for too long.
        std::thread::spawn(move || {
            while let Some(state) = looking.upgrade() {
                state.lease().look(Instant::now(), state.lease_for);
                drop(state);
                std::thread::sleep(LOOK);
            }
        });
        Ok(Self {
            state,
            jobs: Mutex::new(jobs),
            threads: Mutex::new(vec![worker]),
        })
    }

    fn send(&self, job: HostJob) {
        let jobs = self.jobs.lock().unwrap_or_else(PoisonError::into_inner);
        // The worker is there until the agent ends.
        let _ = jobs.send(job);
    }

    fn respond(&self, peer: SocketAddr, ask: TuneAsk) -> Result<TuneSaid, Message> {
        let scope = self.state.scope();
        match ask {
            TuneAsk::Describe { version } => self.described(version),
            TuneAsk::Changes { values } => {
                let of = scope.configuration(&values, None)?;
                let fragments = fragments_of(&scope.prepared, &of)?;
                Ok(TuneSaid::Changes { fragments })
            }
            TuneAsk::Begin {
                version,
                study,
                by,
                components,
            } => {
                is_spoken(version)?;
                let components = scope.components(&components)?;
                let owner = LeaseOwner {
                    study: shown(&study),
                    by: shown(&by),
                    peer,
                };
                self.begun(owner, components)
            }
            TuneAsk::Look { lease } => {
                let mut holder = self.state.lease();
                holder.heard(&lease, Instant::now(), self.state.lease_for)?;
                said(&mut holder, &lease)
            }
            TuneAsk::Apply {
                lease,
                number,
                values,
                anew,
            } => self.piece(&lease, number, |components| {
                let of = scope.configuration(&values, Some(components))?;
                Ok(HostPiece::Apply { of, values, anew })
            }),
            TuneAsk::Check { lease, number } => {
                self.piece(&lease, number, |_| Ok(HostPiece::Check))
            }
            TuneAsk::Finish {
                lease,
                number,
                keep,
            } => self.piece(&lease, number, |components| {
                let keep = keep.map(|values| {
                    let of = scope.configuration(&values, Some(components))?;
                    scope.holds(&of)?;
                    Ok::<_, Message>((of, values))
                });
                Ok(HostPiece::Finish(keep.transpose()?))
            }),
        }
    }

    fn described(&self, version: u16) -> Result<TuneSaid, Message> {
        is_spoken(version)?;
        let holder = self.state.lease();
        if holder.is_free() {
            self.state.look_again()?;
        }
        drop(holder);
        Ok(TuneSaid::Described(self.state.scope().description()))
    }

    fn begun(&self, owner: LeaseOwner, components: Vec<usize>) -> Result<TuneSaid, Message> {
        let mut holder = self.state.lease();
        match holder.begin(owner, components, Instant::now())? {
            None => Ok(TuneSaid::Ending),
            Some(lease) => {
                let id = lease.id.clone();
                self.send(HostJob::Begin(lease));
                said(&mut holder, &id)
            }
        }
    }

    /// Has a piece of work done; one that was asked for before is not done again. Numbers of what was refused are left
    /// out.
    fn piece(
        &self,
        id: &str,
        number: u32,
        what: impl FnOnce(&[usize]) -> Result<HostPiece, Message>,
    ) -> Result<TuneSaid, Message> {
        let mut holder = self.state.lease();
        let held = holder.heard(id, Instant::now(), self.state.lease_for)?;
        if number > held.number {
            let what = what(&held.components)?;
            held.number = number;
            held.work = AgentWork::Working;
            if matches!(what, HostPiece::Finish(None)) {
                // What still waits for a start need not.
                held.interrupt.stop();
            }
            self.send(HostJob::Piece {
                lease: id.to_owned(),
                number,
                what,
            });
        }
        said(&mut holder, id)
    }
}

fn is_spoken(version: u16) -> Result<(), Message> {
    match version {
        VERSION => Ok(()),
        theirs => Err(Message::new("agent-version")
            .with("theirs", theirs)
            .with("ours", VERSION)),
    }
}

/// How far the work of a lease is.
fn said(holder: &mut LeaseHolder, id: &str) -> Result<TuneSaid, Message> {
    let held = holder.of(id);
    let held = held.ok_or_else(|| Message::new("agent-tune-lease-over").with("seconds", 0))?;
    held.is_told = held.work != AgentWork::Working;
    // Under load they start others; while work goes on nobody counts.
    let pids = match held.is_told {
        true => with_descendants(&held.pids),
        false => held.pids.clone(),
    };
    Ok(TuneSaid::State(WorkState {
        lease: held.id.clone(),
        number: held.number,
        work: held.work.clone(),
        memory_bytes: memory(&pids),
        cpu_s: processor_s(&pids),
    }))
}

impl AgentTuner for HostTuner {
    fn tune(&self, peer: SocketAddr, ask: Value) -> Result<Value, Message> {
        let asked: TuneAsk =
            serde_json::from_value(ask).map_err(|_| Message::new("agent-not-understood"))?;
        let said = self.respond(peer, asked).inspect_err(|message| {
            let of = AuditSubject {
                study: String::new(),
                by: peer.to_string(),
            };
            let why = plimsoll_text::render(plimsoll_text::Lang::En, message);
            self.state
                .audit
                .note(&of, Audited::Refused, &AgentValues::new(), &why);
        })?;
        serde_json::to_value(&said).map_err(|_| Message::new("agent-confused"))
    }

    fn end(&self) {
        self.state.lease().end();
        self.send(HostJob::End);
        let mut threads = self.threads.lock().unwrap_or_else(PoisonError::into_inner);
        for thread in threads.drain(..) {
            // It does nothing that could panic; whatever it left is put back at the next start.
            let _ = thread.join();
        }
    }
}
