//! A run that a worker is part of: its lease, its shares, its reports.

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::sync::Arc;

use plimsoll_text::Message;
use tokio::task::JoinHandle;

use super::spool::Spool;
use super::{PreparedRun, Running, ShareTold};
use crate::lease::HeldLease;
use crate::link::LinkJournal;
use crate::wire::{AssignmentLife, Change, Life, Prepare, Report, ReportEnd, Said};

/// Without a controller before the start a worker is free again after this time.
const START_AWAITED_NS: u64 = 30_000_000_000;

/// A report that cannot be stored is tried again after this time.
const AGAIN: std::time::Duration = std::time::Duration::from_millis(500);

/// Work on one share.
struct ShareWork {
    running: Arc<dyn Running>,
    spool: Arc<Spool>,
    sender: JoinHandle<()>,
    /// So many changes of the load it knows.
    changes: usize,
    /// It has come to its end.
    over: bool,
    /// It was told to end before its time.
    given_back: bool,
}

/// What is done once in a run.
#[derive(Debug, Clone, Copy)]
pub(super) enum DutyPhase {
    SetUp,
    TearDown,
}

/// How far something is that is done once, however often it is asked for: a controller whose
/// connection was made anew asks again.
pub(super) enum Once {
    NotYet,
    /// Who asked again waits there.
    Doing(Option<String>),
    Done(Result<Vec<String>, Message>),
}

/// A run that this worker is part of.
pub(super) struct Duty {
    pub run: String,
    pub prepared: Option<Arc<dyn PreparedRun>>,
    /// Where getting ready was asked for once more.
    pub asked_again: Option<String>,
    phases: [Once; 2],
    folder: PathBuf,
    journal: Option<Arc<dyn LinkJournal>>,
    lease: HeldLease,
    give_up_ns: u64,
    heard_ns: u64,
    begun: bool,
    works: BTreeMap<u32, ShareWork>,
    cpu_share: f64,
    lateness_ns: u64,
    leaving: bool,
}

impl Duty {
    pub fn new(prepare: &Prepare, now_ns: u64, folder: PathBuf) -> Self {
        Self {
            run: prepare.run.clone(),
            prepared: None,
            asked_again: None,
            phases: [Once::NotYet, Once::NotYet],
            folder,
            journal: None,
            lease: HeldLease::new(prepare.lease_ns),
            give_up_ns: prepare.give_up_ns,
            heard_ns: now_ns,
            begun: false,
            works: BTreeMap::new(),
            cpu_share: 0.0,
            lateness_ns: 0,
            leaving: false,
        }
    }

    /// It is ready, and reports go there.
    pub fn ready(&mut self, prepared: Arc<dyn PreparedRun>, journal: Arc<dyn LinkJournal>) {
        self.prepared = Some(prepared);
        self.journal = Some(journal);
    }

    /// How far something is that is done once.
    pub fn once(&mut self, phase: DutyPhase) -> &mut Once {
        match phase {
            DutyPhase::SetUp => &mut self.phases[0],
            DutyPhase::TearDown => &mut self.phases[1],
        }
    }

    /// An order of the controller came.
    pub fn heard(&mut self, now_ns: u64) {
        self.heard_ns = self.heard_ns.max(now_ns);
    }

    /// Whether an assignment is known already: an order that came twice begins nothing twice.
    pub fn knows(&self, assignment: u32) -> bool {
        self.works.contains_key(&assignment)
    }

    /// Work on a share has begun, which knows so many changes of the load.
    pub fn began(&mut self, assignment: u32, running: Arc<dyn Running>, changes: usize) {
        let Some(journal) = self.journal.clone() else {
            return;
        };
        running.renew(self.lease.until_ns());
        let path = self.folder.join(format!("kept-{}-{assignment}", self.run));
        let spool = Arc::new(Spool::new(path));
        let sender = tokio::spawn(send(journal, assignment.to_string(), Arc::clone(&spool)));
        let work = ShareWork {
            running,
            spool,
            sender,
            changes,
            over: false,
            given_back: self.leaving,
        };
        if self.leaving {
            work.running.stop();
        }
        self.works.insert(assignment, work);
        self.begun = true;
    }

    /// The controller heard what this worker said at `heard_ns`, and says what it is to work on.
    pub fn renew(&mut self, heard_ns: u64, now_ns: u64, wanted: &[u32]) {
        self.lease.renew(heard_ns, now_ns);
        for (number, work) in &mut self.works {
            if wanted.contains(number) {
                work.running.renew(self.lease.until_ns());
            } else if !work.over && !work.given_back {
                work.given_back = true;
                work.running.stop();
            }
        }
    }

    /// The load is changed: `all` are the changes so far. What is known is not taken twice.
    ///
    /// # Errors
    /// Why it is not changed, or not when it should be.
    pub fn change(&mut self, all: &[Change]) -> Result<(), Message> {
        let mut result = Ok(());
        for work in self.works.values_mut().filter(|work| !work.over) {
            for change in all.get(work.changes..).unwrap_or_default() {
                result = result.and(work.running.change(change));
            }
            work.changes = work.changes.max(all.len());
        }
        result
    }

    /// Starts no more work.
    pub fn stop(&self, cut_off: bool) {
        for work in self.works.values() {
            work.running.stop();
            if cut_off {
                work.running.cut_off();
            }
        }
    }

    /// Gives all shares back.
    pub fn leave(&mut self) {
        self.leaving = true;
        for work in self.works.values_mut().filter(|work| !work.over) {
            work.given_back = true;
            work.running.stop();
        }
    }

    /// Work on a share told something: it becomes a report.
    pub fn told(&mut self, assignment: u32, told: ShareTold) {
        let Some(work) = self.works.get_mut(&assignment) else {
            return;
        };
        let report = match told {
            ShareTold::Second(second) => {
                let seen = &second.generator;
                let threads = seen.threads.iter().map(|thread| thread.cpu_share);
                self.cpu_share = threads.fold(0.0, f64::max);
                self.lateness_ns = seen.send_lateness_p99_ns;
                Report::Second(second)
            }
            ShareTold::End(mut end) => {
                work.over = true;
                end.released |= work.given_back && end.stopped;
                Report::End(end)
            }
        };
        let over = work.over;
        let bytes = report.encode().or_else(|error| {
            // Too long to be sent: that it is missing must be known.
            let why = Message::new("fleet-report-too-long").with("reason", error.to_string());
            Report::End(ReportEnd {
                failed: Some(Said::from(&why)),
                ..ReportEnd::default()
            })
            .encode()
        });
        if let Ok(bytes) = bytes {
            work.spool.push(bytes.into());
        }
        if over {
            work.spool.close();
        }
    }

    /// Whether all work has ended and all reports are confirmed.
    pub fn is_done(&self) -> bool {
        let mut works = self.works.values();
        works.all(|work| work.over && work.spool.kept() == 0)
    }

    /// Whether there is no controller any more.
    pub fn is_forsaken(&self, now_ns: u64) -> bool {
        let patience_ns = match self.begun {
            true => self.give_up_ns,
            false => START_AWAITED_NS,
        };
        now_ns.saturating_sub(self.heard_ns) > patience_ns
    }

    /// Changes of the load that all know that are at work.
    fn known_changes(&self) -> u64 {
        let works = self.works.values().filter(|work| !work.over);
        let known = works.map(|work| work.changes as u64);
        known.min().unwrap_or(u64::MAX)
    }

    /// A sign of life.
    pub fn life(&self, name: &str, instance: &str, at_ns: u64) -> Life {
        let part = |(number, work): (&u32, &ShareWork)| AssignmentLife {
            number: *number,
            started: work.running.started(),
            reports: work.spool.last(),
            over: work.over,
        };
        Life {
            name: name.to_owned(),
            instance: instance.to_owned(),
            at_ns,
            cpu_share: self.cpu_share,
            lateness_ns: self.lateness_ns,
            kept: self.works.values().map(|work| work.spool.kept()).sum(),
            leaving: self.leaving,
            changes: self.known_changes(),
            assignments: self.works.iter().map(part).collect(),
        }
    }
}

impl Drop for Duty {
    fn drop(&mut self) {
        for work in self.works.values() {
            work.running.stop();
            work.running.cut_off();
            work.sender.abort();
        }
    }
}

/// Sends reports in their order, each until the server has confirmed it.
async fn send(journal: Arc<dyn LinkJournal>, writer: String, spool: Arc<Spool>) {
    while let Some((number, report)) = spool.front().await {
        match journal.append(&writer, number, report).await {
            Ok(()) => spool.confirmed(),
            Err(_) => tokio::time::sleep(AGAIN).await,
        }
    }
}
