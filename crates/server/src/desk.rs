//! The runs that this process makes, one after the other: others wait.

mod book;
mod journal;
mod measurements;
mod measuring;
mod order;
mod retention;
mod sent;
mod studies;
mod studying;
mod tickets;
mod told;
mod tuned;
mod tuning;

use std::collections::VecDeque;
use std::fs::File;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, OnceLock, PoisonError};
use std::time::{Duration, Instant};

use plimsoll_run::{Interrupt, RunHandle};
use plimsoll_store::{Run, RunState, list};
use plimsoll_text::Message;
use plimsoll_tune::target::{state_folder, studies};

use crate::notes::RunNotes;
use crate::problem::ApiError;
pub(crate) use tickets::OrderFate;
use tickets::TicketBook;

pub(crate) use book::BothTexts;
pub(crate) use journal::{DeskJournal, WORKBENCH_FOLDER};
pub(crate) use measurements::{
    MeasurementBook, MeasurementDocument, MeasurementEntry, MeasurementKind, MeasurementListed,
    MeasurementState,
};
pub(crate) use measuring::{MeasurementOrder, MeasurementReady};
pub(crate) use order::{LONGEST_EXTENSION, OrderReady, RunOrder};
pub(crate) use retention::{clear, clear_plans};
pub(crate) use sent::{MOST_FILE_BYTES, SentFile};
pub(crate) use studies::{BestTrial, StudyBook, StudyDocument, StudyEntry, StudyState};
pub(crate) use studying::{StudyOrder, StudyReady};
pub(crate) use told::{RunTold, UndertakingTold};

/// How often a run that goes on is looked at.
const PERIOD: Duration = Duration::from_millis(50);
/// How long whoever asks waits for his run to have a name.
const NAMED_WITHIN: Duration = Duration::from_secs(20);

/// What a run may take beside its load: to begin, and to end.
const START_WITHIN: Duration = Duration::from_secs(10);

/// Who hears of it; he is not waited for.
type RunHearer = Box<dyn Fn(RunTold) + Send + Sync>;

/// A run that waits.
struct OrderWaiting {
    ticket: String,
    name: String,
    tags: Vec<String>,
    job: DeskJob,
}

/// What is made when its turn comes.
enum DeskJob {
    Run(Box<OrderReady>),
    Measurement(Box<MeasurementReady>, Arc<MeasurementEntry>),
    Study(Box<StudyReady>, Arc<StudyEntry>),
}

#[derive(Default)]
struct DeskState {
    waiting: VecDeque<OrderWaiting>,
    tickets: TicketBook,
    current: Option<(String, Arc<RunHandle>)>,
    /// Ends several runs as one undertaking, which go on.
    undertaking: Option<Interrupt>,
    closes: bool,
}

/// The runs that this process makes.
pub(crate) struct RunDesk {
    root: PathBuf,
    state: Mutex<DeskState>,
    changed: Condvar,
    journal: DeskJournal,
    measurements: MeasurementBook,
    studies: StudyBook,
    hearer: OnceLock<RunHearer>,
}

impl RunDesk {
    /// Runs below a folder; a thread makes them.
    ///
    /// # Errors
    /// A thread that the system refuses.
    pub fn open(root: &Path, journal: DeskJournal) -> std::io::Result<Arc<Self>> {
        let desk = Arc::new(Self {
            root: root.to_owned(),
            state: Mutex::new(DeskState {
                tickets: TicketBook::open(journal.own_folder().join("tickets.json")),
                ..DeskState::default()
            }),
            changed: Condvar::new(),
            measurements: MeasurementBook::open(journal.own_folder().join("measurements")),
            studies: StudyBook::open(journal.own_folder().join("studies")),
            hearer: OnceLock::new(),
            journal,
        });
        desk.find_cut_studies();
        let working = Arc::clone(&desk);
        let thread = std::thread::Builder::new().name("desk".to_owned());
        thread.spawn(move || working.work())?;
        Ok(desk)
    }

    /// Who hears of runs from now on; there is one.
    pub fn tell_to(&self, hearer: RunHearer) {
        // A second one is nobody's.
        let _ = self.hearer.set(hearer);
    }

    fn tell(&self, told: RunTold) {
        if let Some(hearer) = self.hearer.get() {
            hearer(told);
        }
    }

    /// What is kept of what this process does.
    pub fn journal(&self) -> &DeskJournal {
        &self.journal
    }

    /// Runs that a server that was killed had begun: they were cut short.
    pub fn cut_short(&self) -> &[String] {
        self.journal.cut_short()
    }

    fn state(&self) -> MutexGuard<'_, DeskState> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Asks for a run; gives its ticket, and what became of it so far: one that waits for no other has its
    /// name.
    ///
    /// # Errors
    /// As many wait as may.
    pub fn ask(
        &self,
        order: &RunOrder,
        ready: OrderReady,
        most_waiting: u32,
    ) -> Result<(String, OrderFate), Message> {
        let mut state = self.state();
        has_room(&state, most_waiting)?;
        let ticket = state.tickets.give();
        let is_next = state.waiting.is_empty() && !state.is_busy();
        state.waiting.push_back(OrderWaiting {
            ticket: ticket.clone(),
            name: match order.title().is_empty() {
                true => ready.request.ready.run_name().to_owned(),
                false => order.title(),
            },
            tags: order.own_tags(),
            job: DeskJob::Run(Box::new(ready)),
        });
        self.changed.notify_all();
        if is_next && !another_runs(&self.root) {
            let waits = |state: &mut DeskState| {
                matches!(state.tickets.fate(&ticket), Some(OrderFate::Waits))
            };
            let waited = self.changed.wait_timeout_while(state, NAMED_WITHIN, waits);
            state = waited.unwrap_or_else(PoisonError::into_inner).0;
        }
        let fate = state.tickets.fate(&ticket).cloned();
        Ok((ticket, fate.unwrap_or(OrderFate::Waits)))
    }

    /// The undertakings.
    pub fn measurements(&self) -> &MeasurementBook {
        &self.measurements
    }

    /// Asks for several runs as one undertaking; it begins once nothing else goes on.
    ///
    /// # Errors
    /// As many wait as may; a folder that cannot be written.
    pub fn measure(
        &self,
        kind: MeasurementKind,
        ready: MeasurementReady,
        by: Option<String>,
        most_waiting: u32,
    ) -> Result<Arc<MeasurementEntry>, ApiError> {
        let mut state = self.state();
        has_room(&state, most_waiting).map_err(ApiError::conflict)?;
        let entry = self.measurements.ask(kind, ready.name(), by)?;
        state.waiting.push_back(OrderWaiting {
            ticket: entry.document().listed.id,
            name: ready.name().to_owned(),
            tags: Vec::new(),
            job: DeskJob::Measurement(Box::new(ready), Arc::clone(&entry)),
        });
        self.changed.notify_all();
        Ok(entry)
    }

    /// Ends an undertaking of this process, or takes it out of those that wait; whether there was one to end.
    pub fn stop_measurement(&self, id: &str) -> bool {
        let is_withdrawn = self.take_out(id, |job| matches!(job, DeskJob::Measurement(..)));
        let Some(entry) = self.measurements.entry(id) else {
            return false;
        };
        if entry.document().listed.end.is_some() {
            return false;
        }
        entry.interrupt.stop();
        if is_withdrawn {
            entry.end(Err(Message::new("server-measurement-withdrawn")));
        }
        true
    }

    /// What became of a run by its ticket.
    pub fn fate(&self, ticket: &str) -> Option<OrderFate> {
        self.state().tickets.fate(ticket).cloned()
    }

    /// The runs that wait: tickets and names.
    pub fn waiting(&self) -> Vec<(String, String)> {
        let state = self.state();
        let waiting = state.waiting.iter();
        waiting
            .map(|order| (order.ticket.clone(), order.name.clone()))
            .collect()
    }

    /// Takes a run out of those that wait; whether it was one of them.
    pub fn withdraw(&self, ticket: &str) -> bool {
        self.take_out(ticket, |job| matches!(job, DeskJob::Run(_)))
    }

    fn take_out(&self, ticket: &str, is_meant: impl Fn(&DeskJob) -> bool) -> bool {
        let mut state = self.state();
        let before = state.waiting.len();
        state
            .waiting
            .retain(|order| order.ticket != ticket || !is_meant(&order.job));
        let is_out = state.waiting.len() < before;
        if is_out {
            state.tickets.taken_back(ticket);
        }
        is_out
    }

    /// The run that goes on, if this process makes it.
    pub fn handle(&self, id: &str) -> Option<Arc<RunHandle>> {
        let state = self.state();
        let (name, handle) = state.current.as_ref()?;
        (name == id && !handle.is_over()).then(|| Arc::clone(handle))
    }

    /// Whether something is made.
    pub fn is_busy(&self) -> bool {
        self.state().is_busy()
    }

    /// The name of the run that goes on.
    pub fn current(&self) -> Option<String> {
        self.state().current.as_ref().map(|(name, _)| name.clone())
    }

    /// Ends the run that goes on, and begins no other; waits for its end.
    pub fn close(&self) {
        let mut state = self.state();
        state.closes = true;
        state.waiting.clear();
        if let Some((_, handle)) = &state.current {
            handle.stop();
        }
        if let Some(interrupt) = &state.undertaking {
            interrupt.stop();
        }
        self.changed.notify_all();
        let busy = |state: &mut DeskState| state.is_busy();
        let ended = self.changed.wait_while(state, busy);
        drop(ended);
    }

    /// Makes one run after the other.
    fn work(&self) {
        loop {
            let mut state = self.state();
            while state.waiting.is_empty() && !state.closes {
                state = self
                    .changed
                    .wait(state)
                    .unwrap_or_else(PoisonError::into_inner);
            }
            if state.closes {
                return;
            }
            drop(state);
            if another_runs(&self.root) {
                std::thread::sleep(PERIOD);
                continue;
            }
            // The lock is not held while the run is made.
            let order = self.state().waiting.pop_front();
            if let Some(order) = order {
                self.make(order);
            }
        }
    }

    fn make(&self, order: OrderWaiting) {
        match order.job {
            DeskJob::Run(ready) => self.make_run(order.ticket, &order.tags, *ready),
            DeskJob::Measurement(ready, entry) => {
                let make = || ready.make(&entry, &self.root);
                self.undertake(&entry.interrupt, make, || entry.document().into());
            }
            DeskJob::Study(ready, entry) => {
                let make = || ready.make(&entry, &self.root);
                self.undertake(&entry.interrupt, make, || entry.document().into());
            }
        }
    }

    /// Makes an undertaking that an interrupt ends; `now` says how far it got.
    fn undertake(&self, interrupt: &Interrupt, make: impl FnOnce(), now: impl Fn() -> RunTold) {
        let mut state = self.state();
        if state.closes {
            interrupt.stop();
        }
        state.undertaking = Some(interrupt.clone());
        drop(state);
        self.tell(now());
        make();
        self.tell(now());
        self.state().undertaking = None;
        self.changed.notify_all();
    }

    fn make_run(&self, ticket: String, tags: &[String], ready: OrderReady) {
        let OrderReady {
            request,
            _held,
            most,
        } = ready;
        let fate = match request.begin() {
            Ok(handle) => self.follow(&ticket, tags, most, Arc::new(handle)),
            Err(message) => Some(OrderFate::Failed(message)),
        };
        let mut state = self.state();
        state.current = None;
        match fate {
            Some(OrderFate::Begun(name)) => state.tickets.begun(&ticket, &name),
            Some(OrderFate::Failed(message)) => state.tickets.failed(&ticket, message),
            Some(OrderFate::Waits) | None => {}
        }
        self.changed.notify_all();
    }

    /// Waits for a run's end; gives what became of one that was never begun.
    fn follow(
        &self,
        ticket: &str,
        tags: &[String],
        most: Option<Duration>,
        handle: Arc<RunHandle>,
    ) -> Option<OrderFate> {
        let mut is_named = false;
        let ends = most.and_then(|most| Instant::now().checked_add(most + START_WITHIN));
        while !handle.is_over() {
            if ends.is_some_and(|ends| Instant::now() >= ends) {
                // Whatever the plan, or who had it last longer, says.
                let seconds = most.map_or(0, |most| most.as_secs());
                handle.stop_because(Message::new("event-time-limit").with("seconds", seconds));
            }
            if !is_named && let Some(folder) = handle.folder() {
                is_named = true;
                let name = folder.file_name().unwrap_or_default();
                let notes = RunNotes {
                    tags: tags.to_vec(),
                    ..RunNotes::default()
                };
                // A run without its tags is a run.
                let _ = (!tags.is_empty()).then(|| notes.write(folder));
                self.begun(ticket, &name.to_string_lossy(), &handle);
            }
            std::thread::sleep(PERIOD);
        }
        let folder = handle.folder().map(Path::to_path_buf);
        self.state().current = None;
        let made = Arc::try_unwrap(handle).map(RunHandle::join);
        if let (false, Some(folder)) = (is_named, &folder) {
            // It was over before it was looked at.
            let name = folder.file_name().unwrap_or_default().to_string_lossy();
            self.ended(&name);
            return Some(OrderFate::Begun(name.into_owned()));
        }
        if let Some(name) = folder.as_deref().and_then(Path::file_name) {
            self.ended(&name.to_string_lossy());
        }
        match made {
            Ok(Err(message)) => Some(OrderFate::Failed(message)),
            // Somebody still holds it, who asked for a change: it has ended all the same.
            _ => None,
        }
    }

    fn ended(&self, name: &str) {
        self.journal.ended(name);
        self.tell(RunTold::Ended(name.to_owned()));
    }

    fn begun(&self, ticket: &str, name: &str, handle: &Arc<RunHandle>) {
        self.journal.begun(name);
        self.tell(RunTold::Begun(name.to_owned()));
        let mut state = self.state();
        if state.closes {
            handle.stop();
        }
        state.current = Some((name.to_owned(), Arc::clone(handle)));
        state.tickets.begun(ticket, name);
        self.changed.notify_all();
    }
}

impl DeskState {
    fn is_busy(&self) -> bool {
        self.current.is_some() || self.undertaking.is_some()
    }
}

/// Whether another may wait.
fn has_room(state: &DeskState, most_waiting: u32) -> Result<(), Message> {
    if state.waiting.len() >= most_waiting as usize && state.is_busy() {
        return Err(Message::new("server-queue-full").with("most", most_waiting));
    }
    Ok(())
}

/// Whether somebody else makes a run or a study in the same folder: the last few runs are looked at.
fn another_runs(root: &Path) -> bool {
    let mut names = studies(root).into_iter();
    let is_made = |name: String| {
        let journal = File::open(state_folder(root, &name).join("journal.jsonl"));
        journal.is_ok_and(|journal| journal.try_lock_shared().is_err())
    };
    if names.any(is_made) {
        return true;
    }
    let runs = list(root).unwrap_or_default();
    let mut last = runs.iter().rev().take(3);
    last.any(|entry| {
        let state = Run::open(&entry.dir).and_then(|run| run.state());
        matches!(state, Ok(RunState::Running))
    })
}
