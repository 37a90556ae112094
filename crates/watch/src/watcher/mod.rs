//! Runs collectors and captures on a thread of its own.

pub(crate) mod costs;
mod looker;
mod masked;
mod options;
mod precedence;
mod seen;
mod taker;

use std::cell::RefCell;
use std::rc::Rc;
use std::thread::JoinHandle;
use std::time::Duration;

use plimsoll_stats::series::{Entity, EntityKind};
use tokio::sync::mpsc::{UnboundedReceiver, UnboundedSender, unbounded_channel};
use tokio::sync::oneshot;
use tokio::task::LocalSet;

use crate::capture::Asked;
use crate::proc::host::hostname;
use crate::source::Opened;
use looker::Looker;
use precedence::Precedence;
use taker::{CaptureTaker, WatcherCommand};

pub use crate::clock::WallClock;
pub(crate) use costs::{process_cpu, thread_cpu};
pub use options::WatcherOptions;
pub use seen::{Captured, Seen};

/// What looks that block are given to come back.
const SHUTDOWN: Duration = Duration::from_secs(1);
/// What collectors are given to say good-bye.
const FAREWELL: Duration = Duration::from_secs(1);

/// Collectors and captures at work. Dropped, it stops at once.
#[derive(Debug)]
pub struct Watcher {
    thread: Option<JoinHandle<()>>,
    commands: Option<UnboundedSender<WatcherCommand>>,
    seen: UnboundedReceiver<Seen>,
}

impl Watcher {
    /// Begins to watch.
    ///
    /// # Errors
    /// When the system refuses a thread or an event loop.
    pub fn start(
        open: impl FnOnce() -> Opened + Send + 'static,
        options: WatcherOptions,
    ) -> std::io::Result<Self> {
        let (commands, told) = unbounded_channel();
        let (tell, seen) = unbounded_channel();
        let runtime = tokio::runtime::Builder::new_current_thread()
            .enable_all()
            .max_blocking_threads(4)
            .build()?;
        let thread = std::thread::Builder::new()
            .name("watch".to_owned())
            .spawn(move || {
                let local = LocalSet::new();
                local.block_on(&runtime, watch(open(), options, told, tell));
                drop(local);
                // A look that still blocks (a dead file system) must not hold the run's end.
                runtime.shutdown_timeout(SHUTDOWN);
            })?;
        Ok(Self {
            thread: Some(thread),
            commands: Some(commands),
            seen,
        })
    }

    /// Has captures taken; they come as [`Seen::Captured`].
    pub fn capture(&self, asked: impl Into<Asked>) {
        drop(self.capture_then(asked));
    }

    /// The same; what it gives resolves when all of them are taken.
    pub fn capture_then(&self, asked: impl Into<Asked>) -> oneshot::Receiver<()> {
        let (done, taken) = oneshot::channel();
        if let Some(commands) = &self.commands {
            // Refused only when the thread is gone, which its sources' silence shows.
            let _ = commands.send(WatcherCommand::Capture(asked.into(), done));
        }
        taken
    }

    /// What was seen since the last call, without waiting.
    pub fn drain(&mut self) -> Vec<Seen> {
        let mut all = Vec::new();
        while let Ok(seen) = self.seen.try_recv() {
            all.push(seen);
        }
        all
    }

    /// Stops: captures that were asked for are still taken, then everything that was seen
    /// since the last [`drain`](Self::drain) is given.
    pub fn finish(mut self) -> Vec<Seen> {
        self.commands = None;
        if let Some(thread) = self.thread.take() {
            // A panic of a collector is a defect and shown by the thread itself.
            let _ = thread.join();
        }
        self.drain()
    }
}

/// The thread's work: one task a collector, one for the captures, until no command can come.
/// What collectors find by looking joins them.
async fn watch(
    opened: Opened,
    options: WatcherOptions,
    told: UnboundedReceiver<WatcherCommand>,
    tell: UnboundedSender<Seen>,
) {
    let entity = Entity::new(EntityKind::Watcher, "", hostname());
    let (find, mut found) = unbounded_channel::<Opened>();
    let (add, captures) = unbounded_channel();
    let taker = CaptureTaker::new(options, tell.clone()).run(told, captures);
    let (end, ended) = tokio::sync::watch::channel(false);
    let mut tasks = Vec::new();
    let precedence: Rc<RefCell<Precedence>> = Rc::default();
    let mut begin = |opened: Opened| {
        for collector in opened.collectors {
            let looker = Looker::new(
                collector,
                entity.clone(),
                options,
                tell.clone(),
                find.clone(),
                Rc::clone(&precedence),
            );
            tasks.push(tokio::task::spawn_local(looker.run(ended.clone())));
        }
        // The taker lives as long as this function.
        let _ = add.send(opened.captures);
    };
    begin(opened);
    let join = async {
        while let Some(opened) = found.recv().await {
            begin(opened);
        }
    };
    tokio::select! {
        () = taker => {}
        () = join => {}
    }
    end.send_replace(true);
    let farewells = async {
        for task in &mut tasks {
            // One that failed is a defect and shown by the thread itself.
            let _ = task.await;
        }
    };
    let _ = tokio::time::timeout(FAREWELL, farewells).await;
    tasks.iter().for_each(tokio::task::JoinHandle::abort);
}
