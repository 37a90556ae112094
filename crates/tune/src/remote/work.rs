//! The work of an agent for studies, one piece after the other, on a thread of its own.

use std::path::Path;
use std::sync::mpsc::{Receiver, RecvTimeoutError};
use std::time::{Duration, Instant};

use plimsoll_text::{Lang, Message, render};
use plimsoll_watch::agent::wire::WireText;

use super::audit::{AuditSubject, Audited};
use super::lease::HostLease;
use super::scope::HostScope;
use super::state::HostState;
use super::wire::{AgentArrived, AgentValues, AgentWork};
use crate::space::Configuration;
use crate::target::{
    AskedBy, Entry, Hands, JOURNAL_VERSION, Journal, NotFinished, restore_with, together,
};
use crate::trial::{FailedTrial, Stopped, TrialEnd};

/// How often it is looked whether a lease is over.
const LOOK: Duration = Duration::from_millis(100);
/// How often it is tried again to put back what could not be.
const AGAIN: Duration = Duration::from_secs(10);

/// A piece of work.
pub enum HostJob {
    /// A lease begins.
    Begin(HostLease),
    /// A piece of a lease's work.
    Piece {
        /// The lease.
        lease: String,
        /// Its number.
        number: u32,
        /// What is to be done.
        what: HostPiece,
    },
    /// The agent ends.
    End,
}

/// What is to be done for a lease.
pub enum HostPiece {
    /// The target is brought to a configuration.
    Apply {
        /// The configuration.
        of: Configuration,
        /// The same, by the agent's names.
        values: AgentValues,
        /// Whether a reload is not enough.
        anew: bool,
    },
    /// It is looked whether all is there still, and has the values that it showed.
    Check,
    /// All is put back, or a configuration is left there.
    Finish(Option<(Configuration, AgentValues)>),
}

/// Works until the agent ends.
pub fn work(state: &HostState, mut journal: Journal, jobs: &Receiver<HostJob>) {
    // What cannot be put back is tried again.
    let _ = put_back(state, &mut journal);
    loop {
        match jobs.recv_timeout(AGAIN) {
            Ok(HostJob::Begin(lease)) => {
                if !serve(state, &mut journal, &lease, jobs) {
                    return;
                }
            }
            // Of a lease that is over already: its study is told so.
            Ok(HostJob::Piece { .. }) => {}
            Err(RecvTimeoutError::Timeout) => {
                let _ = put_back(state, &mut journal);
            }
            Ok(HostJob::End) | Err(RecvTimeoutError::Disconnected) => return,
        }
    }
}

/// Puts back what a killed agent has left, or what could not be put back before.
///
/// # Errors
/// What still cannot be.
fn put_back(state: &HostState, journal: &mut Journal) -> Result<(), Message> {
    if journal.open_entries().is_empty() {
        return Ok(());
    }
    let subject = left_by(journal.open_entries());
    let restored = restored(state, journal);
    match &restored {
        Ok(detail) => note(state, &subject, Audited::PutBack, detail),
        Err(message) => {
            let why = render(Lang::En, message);
            note(state, &subject, Audited::NotPutBack, &why);
        }
    }
    restored.map(|_| ())
}

/// For whom was changed what a journal says is to be put back.
fn left_by(open: &[Entry]) -> AuditSubject {
    let asked = open.iter().rev().find_map(|entry| match entry {
        Entry::Begun { asked_by, .. } => asked_by.clone(),
        _ => None,
    });
    asked.map_or_else(AuditSubject::default, |AskedBy { study, by }| {
        AuditSubject { study, by }
    })
}

/// The files that were put back, and what somebody must know of them.
fn restored(state: &HostState, journal: &mut Journal) -> Result<String, Message> {
    let reader = |_: &Path, _: Option<&Path>| Ok(state.scope().prepared.clone());
    let restored = restore_with(journal, &reader)?;
    if let Some(message) = together(restored.failed) {
        return Err(message);
    }
    let files = restored.files.iter().map(|path| path.display().to_string());
    let notes = restored.notes.iter().map(|it| render(Lang::En, it));
    Ok(files.chain(notes).collect::<Vec<_>>().join(" "))
}

/// Serves one lease to its end; says whether the agent goes on.
fn serve(
    state: &HostState,
    journal: &mut Journal,
    lease: &HostLease,
    jobs: &Receiver<HostJob>,
) -> bool {
    let subject = AuditSubject {
        study: lease.owner.study.clone(),
        by: lease.owner.who(),
    };
    let ready = put_back(state, journal).and_then(|()| state.look_again());
    let scope = state.scope();
    let mut hands = match ready.and_then(|()| begun(&scope, journal, lease)) {
        Ok(hands) => hands,
        Err(message) => {
            state.done(&lease.id, 0, broken(&message), Vec::new());
            let why = render(Lang::En, &message);
            note(state, &subject, Audited::Refused, &why);
            return wait_for_end(state, lease, jobs);
        }
    };
    note(state, &subject, Audited::Begun, "");
    state.done(&lease.id, 0, nothing(), Vec::new());
    loop {
        let (number, what) = match next(state, lease, jobs) {
            NextPiece::Piece(number, what) => (number, what),
            NextPiece::Nothing => continue,
            NextPiece::Over { agent_goes_on } => {
                finish(state, hands, &subject, None);
                state.gone(&lease.id);
                return agent_goes_on;
            }
        };
        let work = match what {
            HostPiece::Apply { of, values, anew } => {
                if anew {
                    hands.doubt();
                }
                applied(state, &mut hands, &subject, &of, &values)
            }
            HostPiece::Check => checked(state, &mut hands, &subject),
            HostPiece::Finish(keep) => {
                let work = finish(state, hands, &subject, keep);
                state.done(&lease.id, number, work, Vec::new());
                return wait_for_end(state, lease, jobs);
            }
        };
        state.done(&lease.id, number, work, hands.pids());
    }
}

/// What is to be done next.
enum NextPiece {
    Piece(u32, HostPiece),
    Nothing,
    Over { agent_goes_on: bool },
}

/// Waits a little for a piece of a lease's work.
fn next(state: &HostState, lease: &HostLease, jobs: &Receiver<HostJob>) -> NextPiece {
    let job = jobs.recv_timeout(LOOK);
    match job {
        Ok(HostJob::Piece {
            lease: id,
            number,
            what,
        }) if id == lease.id => NextPiece::Piece(number, what),
        Ok(HostJob::End) | Err(RecvTimeoutError::Disconnected) => NextPiece::Over {
            agent_goes_on: false,
        },
        _ if state.is_over(&lease.id, Instant::now()) => NextPiece::Over {
            agent_goes_on: true,
        },
        _ => NextPiece::Nothing,
    }
}

/// That a piece of work is done, of which there is nothing to tell.
fn nothing() -> AgentWork {
    AgentWork::Done(AgentArrived::default())
}

/// All is put back: the study hears of it, or does not ask any more. Then the next may begin.
fn wait_for_end(state: &HostState, lease: &HostLease, jobs: &Receiver<HostJob>) -> bool {
    loop {
        match jobs.recv_timeout(LOOK) {
            Ok(HostJob::End) | Err(RecvTimeoutError::Disconnected) => return false,
            _ if state.is_told(&lease.id) || state.is_over(&lease.id, Instant::now()) => {
                state.gone(&lease.id);
                return true;
            }
            _ => {}
        }
    }
}

/// Hands for the lease's components, with nothing in their way.
fn begun<'a>(
    scope: &'a HostScope,
    journal: &'a mut Journal,
    lease: &HostLease,
) -> Result<Hands<'a>, Message> {
    let prepared = &scope.prepared;
    let mark = format!("{:016x}", fastrand::u64(..));
    let whole = |path: &Path| std::path::absolute(path).unwrap_or_else(|_| path.to_owned());
    let interrupt = lease.interrupt.clone();
    let mut hands = Hands::new(
        prepared,
        lease.components.clone(),
        journal,
        &mark,
        interrupt,
    );
    hands.check_free()?;
    hands.write_down(Entry::Begun {
        version: JOURNAL_VERSION,
        mark: mark.clone(),
        study: whole(&prepared.file),
        folder: Some(whole(&prepared.folder)),
        fingerprint: String::new(),
        seed: 0,
        resumed: false,
        asked_by: Some(AskedBy {
            study: lease.owner.study.clone(),
            by: lease.owner.who(),
        }),
    })?;
    Ok(hands)
}

fn applied(
    state: &HostState,
    hands: &mut Hands<'_>,
    subject: &AuditSubject,
    of: &Configuration,
    values: &AgentValues,
) -> AgentWork {
    // What must hold between knobs stands in the agent's file: a study learns it by its trials.
    if let Err(message) = state.scope().holds(of) {
        let detail = render(Lang::En, &message);
        state.audit.note(subject, Audited::Refused, values, &detail);
        return AgentWork::Ended {
            end: TrialEnd::Failed {
                what: FailedTrial::NotApproved,
                detail,
            },
        };
    }
    // It stands in the log before it is done.
    state.audit.note(subject, Audited::Sets, values, "");
    let read = hands.apply(of).and_then(|()| hands.read_back(of));
    match read {
        Ok((seen, not_confirmed)) => {
            state.audit.note(subject, Audited::Arrived, values, "");
            AgentWork::Done(AgentArrived {
                seen,
                not_confirmed,
                as_found: hands.as_found(),
            })
        }
        Err(stopped) => {
            let work = of_stopped(stopped);
            state
                .audit
                .note(subject, Audited::Failed, values, &why(&work));
            work
        }
    }
}

/// Looks whether all is there still, with the values that it has shown: they may be lost meanwhile.
fn checked(state: &HostState, hands: &mut Hands<'_>, subject: &AuditSubject) -> AgentWork {
    let there = hands.still_there();
    match there.and_then(|()| hands.still_has()) {
        Ok(()) => nothing(),
        Err(stopped) => {
            let work = of_stopped(stopped);
            note(state, subject, Audited::Failed, &why(&work));
            work
        }
    }
}

fn finish(
    state: &HostState,
    hands: Hands<'_>,
    subject: &AuditSubject,
    keep: Option<(Configuration, AgentValues)>,
) -> AgentWork {
    let (of, values) = keep.map_or((None, AgentValues::new()), |(of, values)| {
        (Some(of), values)
    });
    match hands.finish(of.as_ref()) {
        Ok(notes) => {
            let what = match of {
                Some(_) => Audited::Left,
                None => Audited::PutBack,
            };
            let told = together(notes);
            let detail = told.as_ref().map(|it| render(Lang::En, it));
            state
                .audit
                .note(subject, what, &values, &detail.unwrap_or_default());
            // The study's end says it, too.
            told.map_or_else(nothing, |message| broken(&message))
        }
        Err(NotFinished {
            message,
            is_left,
            is_back,
        }) => {
            if is_left {
                state.audit.note(subject, Audited::Left, &values, "");
            }
            let what = match is_back {
                true => Audited::PutBack,
                false => Audited::NotPutBack,
            };
            note(state, subject, what, &render(Lang::En, &message));
            broken(&message)
        }
    }
}

fn note(state: &HostState, subject: &AuditSubject, what: Audited, detail: &str) {
    state.audit.note(subject, what, &AgentValues::new(), detail);
}

fn of_stopped(stopped: Stopped) -> AgentWork {
    match stopped {
        Stopped::End(end) => AgentWork::Ended { end },
        Stopped::Broken(message) => broken(&message),
    }
}

fn broken(message: &Message) -> AgentWork {
    AgentWork::Broken {
        message: WireText::from(message),
    }
}

/// Why work came to nothing, for the log.
fn why(work: &AgentWork) -> String {
    match work {
        AgentWork::Ended {
            end: TrialEnd::Failed { what, detail },
        } => {
            let what = render(Lang::En, &Message::new(what.id()).with("any", "no"));
            format!("{what} {detail}")
        }
        AgentWork::Ended {
            end: TrialEnd::Void { instead },
        } => {
            let has = instead.iter().map(|it| format!("{}: {}", it.knob, it.has));
            has.collect::<Vec<_>>().join(", ")
        }
        AgentWork::Broken { message } => render(Lang::En, &Message::from(message.clone())),
        _ => String::new(),
    }
}
