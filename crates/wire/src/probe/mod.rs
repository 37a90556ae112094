//! A program in the kernel (`bpf/unix.bpf.c`) that tells of calls at the sockets of the file system. It is loaded for the
//! seconds of a look and taken out after it. It hangs at two tracepoints that only calls which send or receive at
//! sockets come by, whatever system call they are, so that nothing else on the host is slowed.

mod record;
#[cfg(test)]
mod tests;

use std::collections::HashMap;
use std::error::Error;
use std::io;
use std::os::fd::OwnedFd;
use std::path::Path;

use aya::maps::{Array, MapData, PerCpuArray, RingBuf};
use aya::programs::BtfTracePoint;
use aya::sys::{Stats, enable_stats};
use aya::{Btf, Ebpf, EbpfLoader};

use crate::calls::SocketCall;
use crate::ends::FollowedShare;
use crate::report::ProgramCost;
use record::{NAME_RECORD, PROGRAM_RECORD, name, program_name};

/// The program, empty where it was built without clang.
const OBJECT: &[u8] = aya::include_bytes_aligned!(concat!(env!("OUT_DIR"), "/unix.bpf.o"));
/// What the kernel tells of its own types (BTF).
const KERNEL_TYPES: &str = "/sys/kernel/btf/vmlinux";
/// The program's functions, each with where it hangs.
const POINTS: [(&str, &str); 2] = [
    ("sent", "sock_send_length"),
    ("received", "sock_recv_length"),
];
/// So many calls are read at a time, so that whoever reads gets to other things, too.
const MOST_READ: usize = 200_000;

/// Why calls cannot be looked at.
#[derive(Debug)]
pub enum ProbeRefusal {
    /// This was built where there was no clang.
    NotBuilt,
    /// The kernel does not tell of its types.
    NoTypes,
    /// The kernel has no such tracepoints: it is older than 6.3.
    NoPoints,
    /// The kernel takes no program from this process.
    Refused(io::Error),
    /// It does not take this one.
    Failed(String),
}

impl ProbeRefusal {
    fn of(error: &(dyn Error + 'static)) -> Self {
        let mut cause = Some(error);
        while let Some(one) = cause {
            let code = one.downcast_ref().and_then(io::Error::raw_os_error);
            if let Some(code @ (libc::EPERM | libc::ENOSYS)) = code {
                return Self::Refused(io::Error::from_raw_os_error(code));
            }
            cause = one.source();
        }
        Self::Failed(error.to_string())
    }
}

/// The program while it is loaded.
pub struct SocketProbe {
    program: Ebpf,
    calls: RingBuf<MapData>,
    names: aya::maps::HashMap<MapData, u64, [u8; NAME_RECORD]>,
    programs: aya::maps::HashMap<MapData, u32, [u8; PROGRAM_RECORD]>,
    lost: PerCpuArray<MapData, u64>,
    share: Array<MapData, u32>,
    /// How far the kernel's time is behind Unix time, nanoseconds.
    behind_ns: u64,
    /// As long as it is open the kernel counts how long programs run.
    counts: Option<OwnedFd>,
}

impl SocketProbe {
    /// Loads the program, which tells of all connections from then on. It takes `CAP_BPF` and `CAP_PERFMON`.
    ///
    /// # Errors
    /// It is not there, or the kernel does not take it.
    pub fn open() -> Result<Self, ProbeRefusal> {
        Self::load(OBJECT, Path::new(KERNEL_TYPES))
    }

    fn load(object: &[u8], kernel_types: &Path) -> Result<Self, ProbeRefusal> {
        if object.is_empty() {
            return Err(ProbeRefusal::NotBuilt);
        }
        let types = std::fs::read(kernel_types).map_err(|_| ProbeRefusal::NoTypes)?;
        let types = Btf::parse(&types, aya::Endianness::default());
        let types = types.map_err(|_| ProbeRefusal::NoTypes)?;
        let counts = enable_stats(Stats::RunTime).ok();
        let loaded = EbpfLoader::new().btf(Some(&types)).load(object);
        let mut program = loaded.map_err(|error| ProbeRefusal::of(&error))?;
        let mut share = Array::try_from(map(&mut program, "share")?).map_err(failed)?;
        share
            .set(0, FollowedShare::ALL.parts(), 0)
            .map_err(failed)?;
        let mut probe = Self {
            calls: RingBuf::try_from(map(&mut program, "calls")?).map_err(failed)?,
            names: aya::maps::HashMap::try_from(map(&mut program, "names")?).map_err(failed)?,
            programs: aya::maps::HashMap::try_from(map(&mut program, "programs")?)
                .map_err(failed)?,
            lost: PerCpuArray::try_from(map(&mut program, "lost")?).map_err(failed)?,
            share,
            program,
            behind_ns: behind_ns(),
            counts,
        };
        for (function, point) in POINTS {
            probe.hang(function, point, &types)?;
        }
        Ok(probe)
    }

    fn hang(&mut self, function: &str, point: &str, types: &Btf) -> Result<(), ProbeRefusal> {
        let missing = || ProbeRefusal::Failed(format!("no function {function}"));
        let found = self.program.program_mut(function).ok_or_else(missing)?;
        let found: &mut BtfTracePoint = found.try_into().map_err(failed)?;
        match found.load(point, types) {
            Err(aya::programs::ProgramError::Btf(_)) => return Err(ProbeRefusal::NoPoints),
            loaded => loaded.map_err(failed)?,
        }
        found.attach().map_err(failed)?;
        Ok(())
    }

    /// Hands on the calls there are.
    pub fn read(&mut self, mut each: impl FnMut(&SocketCall)) {
        for _ in 0..MOST_READ {
            let Some(bytes) = self.calls.next() else {
                return;
            };
            if let Some(call) = record::call(&bytes, self.behind_ns) {
                each(&call);
            }
        }
    }

    /// Calls for which there was no room since the program was loaded.
    #[must_use]
    pub fn lost(&self) -> u64 {
        let lost = self.lost.get(&0, 0);
        lost.map_or(0, |by_cpu| by_cpu.iter().sum())
    }

    /// Tells of another share of all connections from now on.
    ///
    /// # Errors
    /// The kernel refuses; then it stays as it was.
    pub fn set_share(&mut self, share: FollowedShare) -> io::Result<()> {
        let set = self.share.set(0, share.parts(), 0);
        set.map_err(io::Error::other)
    }

    /// The names under which servers listen, as their bytes are, by what tells them apart.
    #[must_use]
    pub fn names(&self) -> HashMap<u64, Vec<u8>> {
        let all = self.names.iter().filter_map(Result::ok);
        all.map(|(key, record)| (key, name(&record))).collect()
    }

    /// What processes run that called, by their numbers: the name that the kernel keeps, at most 15 bytes.
    #[must_use]
    pub fn programs(&self) -> HashMap<u32, String> {
        let all = self.programs.iter().filter_map(Result::ok);
        all.map(|(pid, record)| (pid, program_name(&record)))
            .collect()
    }

    /// What the program took so far; none: the kernel does not count.
    #[must_use]
    pub fn cost(&self) -> Option<ProgramCost> {
        self.counts.as_ref()?;
        let mut cost = ProgramCost::default();
        for (_, function) in self.program.programs() {
            let info = function.info().ok()?;
            cost.runs += info.run_count();
            cost.cpu_s += info.run_time().as_secs_f64();
        }
        Some(cost)
    }
}

fn failed(error: impl Error + 'static) -> ProbeRefusal {
    ProbeRefusal::of(&error)
}

fn map(program: &mut Ebpf, name: &str) -> Result<aya::maps::Map, ProbeRefusal> {
    let missing = || ProbeRefusal::Failed(format!("no map {name}"));
    program.take_map(name).ok_or_else(missing)
}

/// Unix time less the kernel's, as near as they can be read.
fn behind_ns() -> u64 {
    let now_ns = |clock| {
        let mut now = libc::timespec {
            tv_sec: 0,
            tv_nsec: 0,
        };
        // SAFETY: the place is there as long as the call.
        unsafe { libc::clock_gettime(clock, &raw mut now) };
        now.tv_sec.unsigned_abs() * 1_000_000_000 + now.tv_nsec.unsigned_abs()
    };
    let read = |_| {
        let before = now_ns(libc::CLOCK_MONOTONIC);
        let unix = now_ns(libc::CLOCK_REALTIME);
        let after = now_ns(libc::CLOCK_MONOTONIC);
        (after - before, unix.saturating_sub(before.midpoint(after)))
    };
    (0..8).map(read).min().map_or(0, |(_, behind)| behind)
}
