//! What the CPUs of this host run, sampled by the kernel (`perf_event_open(2)`): of each sample the
//! process, its registers and the innermost part of its stack.
//!
//! Whoever is on a CPU is seen, by time, and nobody is stopped for it. Samples of other processes
//! than the one that is looked at are thrown away.

pub(crate) mod shared;

use std::io;
use std::os::fd::AsRawFd as _;
use std::time::Duration;

use perf_event::events::Software;
use perf_event::{Builder, SampleFlag, Sampler};

use crate::hotspot::{Stack, UnwoundFrame};
use crate::proc::Pid;
use crate::proc::cpus::listed;
use crate::proc::file::read;

/// Samples of one CPU a second, where there are few CPUs: a prime, so that nothing periodic keeps
/// step with it.
const RATE_PER_S: u64 = 97;
/// And of all of them together.
const TOTAL_PER_S: u64 = 1_000;
/// The part of a stack that is kept, bytes: some hundred calls.
const STACK_BYTES: u32 = 32 << 10;
/// Room for the samples of a CPU until they are read, bytes.
const RING_BYTES: usize = 1 << 20;

/// Kinds of records (`perf_event.h`).
mod record {
    pub(super) const LOST: u32 = 2;
    pub(super) const SAMPLE: u32 = 9;
}

/// From here on numbers in a chain of calls are marks (`PERF_CONTEXT_MAX`).
const MARKS: u64 = -4095_i64 as u64;

/// Frame pointer, stack pointer and program counter among the registers of x86-64
/// (`asm/perf_regs.h`).
const REGISTERS: u64 = 1 << 6 | 1 << 7 | 1 << 8;

/// A sample of a process on a CPU.
pub(crate) struct PerfSample<'a> {
    pub(crate) pid: Pid,
    pub(crate) tid: Pid,
    /// Places in the kernel that it was at, innermost first, eight bytes each with marks between.
    kernel: &'a [u8],
    pub(crate) innermost: UnwoundFrame,
    pub(crate) stack: Stack<'a>,
}

/// The samples of all CPUs.
pub(crate) struct Samples {
    cpus: Vec<Sampler>,
}

impl Samples {
    /// Begins to sample all CPUs that are online.
    ///
    /// # Errors
    /// The kernel does not allow it: it asks for `CAP_PERFMON`, or for
    /// `kernel.perf_event_paranoid` of 0 or less; or the processor is not known here.
    pub(crate) fn begin() -> io::Result<Self> {
        if !cfg!(target_arch = "x86_64") {
            return Err(io::ErrorKind::Unsupported.into());
        }
        let online = listed(&read("/sys/devices/system/cpu/online")?);
        let rate = Self::rate(online.len());
        let cpus = online.into_iter().map(|cpu| {
            let mut builder = Builder::new(Software::CPU_CLOCK);
            builder
                .any_pid()
                .one_cpu(cpu)
                .include_kernel()
                .exclude_idle(true)
                .sample_frequency(rate)
                .sample(
                    SampleFlag::TID
                        | SampleFlag::CALLCHAIN
                        | SampleFlag::REGS_USER
                        | SampleFlag::STACK_USER,
                )
                .exclude_callchain_user(true)
                .wakeup_events(1)
                .sample_regs_user(REGISTERS)
                .sample_stack_user(STACK_BYTES);
            let mut sampler = builder.build()?.sampled(RING_BYTES)?;
            sampler.enable()?;
            Ok(sampler)
        });
        Ok(Self {
            cpus: cpus.collect::<io::Result<_>>()?,
        })
    }

    /// How often a second a CPU is looked at.
    pub(crate) fn rate(cpus: usize) -> u64 {
        let count = u64::try_from(cpus.max(1)).unwrap_or(u64::MAX);
        (TOTAL_PER_S / count).clamp(1, RATE_PER_S)
    }

    /// Waits until there is a sample, or so long.
    pub(crate) fn wait(&self, limit: Duration) {
        let of = |cpu: &Sampler| libc::pollfd {
            fd: cpu.as_raw_fd(),
            events: libc::POLLIN,
            revents: 0,
        };
        let mut all: Vec<libc::pollfd> = self.cpus.iter().map(of).collect();
        let count = libc::nfds_t::try_from(all.len()).unwrap_or(0);
        let limit_ms = i32::try_from(limit.as_millis()).unwrap_or(i32::MAX);
        // SAFETY: the pointer is to `count` structures that live until the call has returned; the
        // kernel writes only their `revents`, which may hold anything.
        let _ = unsafe { libc::poll(all.as_mut_ptr(), count, limit_ms) };
    }

    /// Hands on the samples since the last call; gives how many were lost.
    pub(crate) fn each(&mut self, mut sample: impl FnMut(PerfSample<'_>)) -> u64 {
        let mut lost = 0;
        for cpu in &mut self.cpus {
            while let Some(record) = cpu.next_record() {
                let bytes = record.to_contiguous();
                match record.ty() {
                    record::SAMPLE => {
                        if let Some(read) = PerfSample::read(&bytes) {
                            sample(read);
                        }
                    }
                    // An identity, then how many.
                    record::LOST => lost += Words(&bytes).skip(8).number().unwrap_or(0),
                    _ => {}
                }
            }
        }
        lost
    }
}

/// Whether this process may sample what the CPUs run, by trying it.
///
/// # Errors
/// The kernel asks for `CAP_PERFMON`, or for `kernel.perf_event_paranoid` of 0 or less; or the processor
/// is not known here.
pub fn may_sample_cpus() -> io::Result<()> {
    Samples::begin().map(drop)
}

/// What is left of a record.
struct Words<'a>(&'a [u8]);

impl<'a> Words<'a> {
    fn take(&mut self, length: usize) -> Option<&'a [u8]> {
        let (taken, left) = self.0.split_at_checked(length)?;
        self.0 = left;
        Some(taken)
    }

    fn skip(mut self, length: usize) -> Self {
        let _ = self.take(length);
        self
    }

    fn number(&mut self) -> Option<u64> {
        self.take(8)?.try_into().ok().map(u64::from_ne_bytes)
    }
}

impl<'a> PerfSample<'a> {
    /// The places in the kernel that it was at, innermost first.
    pub(crate) fn kernel(&self) -> impl Iterator<Item = u64> + '_ {
        let words = self.kernel.as_chunks::<8>().0.iter();
        let all = words.map(|word| u64::from_ne_bytes(*word));
        // Marks of what comes next are the highest numbers there are (`perf_event.h`).
        all.filter(|place| *place < MARKS)
    }

    /// Reads a record's body: process and thread, the kernel's calls, registers, stack. None of the
    /// kernel's own threads, which have no registers of a user.
    fn read(bytes: &'a [u8]) -> Option<Self> {
        let mut words = Words(bytes);
        let pid = words.take(4)?.try_into().ok().map(Pid::from_ne_bytes)?;
        let tid = words.take(4)?.try_into().ok().map(Pid::from_ne_bytes)?;
        let calls = usize::try_from(words.number()?).ok()?;
        let kernel = words.take(calls.checked_mul(8)?)?;
        let has_registers = words.number()? != 0;
        if !has_registers {
            return None;
        }
        let (fp, sp, pc) = (words.number()?, words.number()?, words.number()?);
        let room = usize::try_from(words.number()?).ok()?;
        let stack = words.take(room)?;
        let used = match room {
            0 => 0,
            _ => usize::try_from(words.number()?).ok()?,
        };
        Some(Self {
            pid,
            tid,
            kernel,
            innermost: UnwoundFrame { pc, sp, fp },
            stack: Stack {
                begin: sp,
                bytes: stack.get(..used.min(room))?,
            },
        })
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn record(words: &[u64]) -> Vec<u8> {
        words.iter().flat_map(|word| word.to_ne_bytes()).collect()
    }

    #[test]
    fn a_sample_has_the_part_of_the_stack_that_there_was() {
        let of_77 = 77 | 78 << 32;
        let bytes = record(&[
            of_77,
            2,
            -128_i64 as u64,
            99,
            2,
            30,
            0x1000,
            40,
            16,
            5,
            6,
            8,
        ]);
        let sample = PerfSample::read(&bytes).unwrap();
        let frame = UnwoundFrame {
            pc: 40,
            sp: 0x1000,
            fp: 30,
        };
        assert_eq!((sample.pid, sample.tid, sample.innermost), (77, 78, frame));
        assert_eq!(sample.kernel().collect::<Vec<_>>(), [99]);
        assert_eq!((sample.stack.begin, sample.stack.bytes.len()), (0x1000, 8));
        // A thread of the kernel.
        assert!(PerfSample::read(&record(&[of_77, 0, 0, 0])).is_none());
    }

    proptest! {
        #[test]
        fn a_cut_record_is_none(bytes in proptest::collection::vec(any::<u8>(), 0..200)) {
            let _ = PerfSample::read(&bytes);
        }
    }
}
