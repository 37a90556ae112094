//! The samples of all CPUs for several who look at processes of their own: the kernel takes them once.

use std::collections::HashSet;
use std::io;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::mpsc::{Receiver, RecvTimeoutError, SyncSender, sync_channel};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use super::{PerfSample, Samples};
use crate::hotspot::UnwoundFrame;
use crate::proc::Pid;

/// Samples that wait for who asked for them; more are counted as lost.
const QUEUE: usize = 256;
/// Whoever has gone is noticed after so long.
const PATIENCE: Duration = Duration::from_millis(50);

/// A sample of a process on a CPU, to keep.
pub(crate) struct KeptStack {
    pub(crate) pid: Pid,
    pub(crate) tid: Pid,
    /// The kernel's calls, innermost first.
    pub(crate) kernel: Vec<u64>,
    pub(crate) innermost: UnwoundFrame,
    /// The innermost part of the stack; it begins at the stack pointer.
    pub(crate) stack: Vec<u8>,
}

impl KeptStack {
    fn of(sample: &PerfSample<'_>) -> Self {
        Self {
            pid: sample.pid,
            tid: sample.tid,
            kernel: sample.kernel().collect(),
            innermost: sample.innermost,
            stack: sample.stack.bytes.to_vec(),
        }
    }
}

/// What is known of one who looks.
struct SampleReader {
    pids: Arc<Mutex<HashSet<Pid>>>,
    tell: SyncSender<KeptStack>,
    lost: Arc<AtomicU64>,
}

/// Those who look now, and whether the samples are read for them.
static READERS: Mutex<(Vec<SampleReader>, bool)> = Mutex::new((Vec::new(), false));

fn locked<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

/// The samples of some processes.
pub(crate) struct SamplesOf {
    pids: Arc<Mutex<HashSet<Pid>>>,
    told: Receiver<KeptStack>,
    lost: Arc<AtomicU64>,
}

impl SamplesOf {
    /// Begins to hear of these processes.
    ///
    /// # Errors
    /// Those of [`Samples::begin`].
    pub(crate) fn begin(pids: &[Pid]) -> io::Result<Self> {
        let (tell, told) = sync_channel(QUEUE);
        let mut readers = locked(&READERS);
        if !readers.1 {
            let samples = Samples::begin()?;
            let thread = std::thread::Builder::new().name("samples".to_owned());
            thread.spawn(move || read(samples))?;
            readers.1 = true;
        }
        let pids = Arc::new(Mutex::new(pids.iter().copied().collect()));
        let lost = Arc::default();
        readers.0.push(SampleReader {
            pids: Arc::clone(&pids),
            tell,
            lost: Arc::clone(&lost),
        });
        Ok(Self { pids, told, lost })
    }

    /// Hears of these processes from now on.
    pub(crate) fn follow(&self, pids: &[Pid]) {
        *locked(&self.pids) = pids.iter().copied().collect();
    }

    /// The next sample, if one comes in so long.
    pub(crate) fn next(&self, limit: Duration) -> Option<KeptStack> {
        match self.told.recv_timeout(limit) {
            Ok(sample) => Some(sample),
            Err(RecvTimeoutError::Timeout) => None,
            // The reading thread ends after its last reader: it has panicked. Nothing comes then.
            Err(RecvTimeoutError::Disconnected) => {
                std::thread::sleep(limit);
                None
            }
        }
    }

    /// How many samples were lost.
    pub(crate) fn lost(&self) -> u64 {
        self.lost.load(Ordering::Relaxed)
    }
}

/// Reads samples until nobody wants them.
fn read(mut samples: Samples) {
    let ended = ReadingEnds;
    loop {
        samples.wait(PATIENCE);
        let mut readers = locked(&READERS);
        readers
            .0
            .retain(|reader| Arc::strong_count(&reader.pids) > 1);
        if readers.0.is_empty() {
            readers.1 = false;
            std::mem::forget(ended);
            return;
        }
        let lost = samples.each(|sample| {
            for reader in &readers.0 {
                if locked(&reader.pids).contains(&sample.pid)
                    && reader.tell.try_send(KeptStack::of(&sample)).is_err()
                {
                    reader.lost.fetch_add(1, Ordering::Relaxed);
                }
            }
        });
        for reader in &readers.0 {
            reader.lost.fetch_add(lost, Ordering::Relaxed);
        }
    }
}

/// Says that nobody reads any more, should the thread panic.
struct ReadingEnds;

impl Drop for ReadingEnds {
    fn drop(&mut self) {
        let mut readers = locked(&READERS);
        readers.0.clear();
        readers.1 = false;
    }
}
