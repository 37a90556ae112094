//! Looks at the threads of some processes, as often and at as many as their cost allows.

use std::collections::HashMap;
use std::time::{Duration, Instant};

use super::account::{CpuTimes, ThreadAccount, ThreadLook};
use super::call::{CallKind, CallPlace, kind};
use super::fds::ProcessFds;
use super::files::{Denied, SchedStat, ThreadFiles, times_of};
use super::peers::PeerTable;
use super::result::SamplingResult;
use super::seen::ThreadSeen;
use super::wait::{ThreadDoing, ThreadWait, doing, fd_of, needs_wchan};
use crate::clock::now_unix_ns;
use crate::proc::Pid;
use crate::proc::find::stat_of;
use crate::proc::stat::ticks_to_seconds;
use crate::proc::thread_name::group;
use crate::watcher::thread_cpu;

/// Share of a CPU that the looks at one process may cost.
const CPU_SHARE: f64 = 0.02;
/// Of that, the part that may be spent at the beginning, when all is new.
const AT_ONCE: f64 = 0.4;
/// Threads that are followed: of more, a part stands for all.
const MAX_THREADS: usize = 1500;
/// Pauses between looks, s: nothing periodic keeps step with them.
const PAUSES: [f64; 3] = [0.017, 0.019, 0.023];
/// A thread that has not run is looked at after so many looks again, at most.
const MAX_STEP: u32 = 8;

/// A member of the group of processes that is looked at.
struct Member {
    files: ThreadFiles,
    threads: usize,
}

/// A thread that is followed.
struct FollowedThread {
    account: ThreadAccount,
    class: String,
    name: String,
    sched: Option<SchedStat>,
    first_turns: Option<f64>,
    /// The look at which it is due again, and how far that is apart.
    due: u32,
    step: u32,
    listed: u32,
    /// It was there at the beginning.
    is_first: bool,
    /// It has ended, though it may still be listed.
    has_ended: bool,
}

/// Looks at the threads of a process and its workers.
pub(crate) struct Sampling {
    lasts: Duration,
    began: Instant,
    members: HashMap<Pid, Member>,
    threads: HashMap<(Pid, Pid), FollowedThread>,
    peers: PeerTable,
    denied: Denied,
    looks: u32,
    cost: Duration,
    /// The last time that threads were listed, s, and how often they were.
    listed_at_s: f64,
    listings: u32,
    listing_cost: Duration,
    /// Threads there are, and thread-seconds there were.
    listed: usize,
    listed_s: f64,
    /// Of a number of 32 bits, those below are followed.
    followed_below: u64,
    /// CPU time of the processes when they were first seen, s.
    cpu_before_s: HashMap<Pid, f64>,
    result: SamplingResult,
    /// Each time another part of many threads is followed.
    seed: u32,
}

impl Sampling {
    /// Begins to look at a process and its workers for that long.
    pub(crate) fn begin(root: Pid, lasts: Duration) -> Self {
        Self {
            lasts,
            began: Instant::now(),
            members: HashMap::new(),
            threads: HashMap::new(),
            peers: PeerTable::of(root),
            denied: Denied::new(),
            looks: 0,
            cost: Duration::ZERO,
            listed_at_s: 0.0,
            listings: 0,
            listing_cost: Duration::ZERO,
            listed: 0,
            listed_s: 0.0,
            followed_below: u64::MAX,
            cpu_before_s: HashMap::new(),
            result: SamplingResult::of(root),
            seed: now_unix_ns() as u32,
        }
    }

    fn now_s(&self) -> f64 {
        self.began.elapsed().as_secs_f64()
    }

    /// Looks once at the processes, and says how long to wait until the next look; none: it is
    /// over.
    pub(crate) fn look(&mut self, members: &[Pid]) -> Option<Duration> {
        let before = thread_cpu();
        let over = self.began.elapsed() >= self.lasts;
        // Listing may cost a quarter of all.
        if over || self.looks == 0 || self.listing_cost * 4 <= self.cost {
            self.list(members);
            self.listing_cost += thread_cpu().saturating_sub(before);
        }
        let due = |thread: &FollowedThread| over || thread.due <= self.looks;
        let due = self.threads.iter().filter(|(_, thread)| due(thread));
        let due: Vec<(Pid, Pid)> = due.map(|(key, _)| *key).collect();
        for (pid, tid) in due {
            self.look_again(pid, tid);
        }
        self.looks += 1;
        self.cost += thread_cpu().saturating_sub(before);
        (!over).then(|| self.pause())
    }

    /// Until the cost so far is allowed.
    fn pause(&self) -> Duration {
        let all_s = self.lasts.as_secs_f64();
        let spent = self.cost.as_secs_f64() / (all_s * CPU_SHARE);
        let allowed_at_s = (spent - AT_ONCE) / (1.0 - AT_ONCE) * all_s;
        let usual = PAUSES[self.looks as usize % PAUSES.len()];
        let pause = (allowed_at_s - self.now_s()).max(usual);
        let left = self.lasts.saturating_sub(self.began.elapsed());
        Duration::from_secs_f64(pause.min(all_s)).min(left)
    }

    /// Lists all threads: who has come joins, who has gone is added up.
    fn list(&mut self, members: &[Pid]) {
        let now_s = self.now_s();
        let listing = self.listings + 1;
        let mut all = Vec::new();
        for pid in members {
            all.extend(self.list_process(*pid).into_iter().map(|tid| (*pid, tid)));
        }
        if self.listings == 0 && all.len() > MAX_THREADS {
            self.followed_below = (MAX_THREADS as u64) * (1 << 32) / (all.len() as u64);
        }
        self.listed_s += all.len() as f64 * (now_s - self.listed_at_s);
        self.listed = all.len();
        for key in all {
            if let Some(known) = self.threads.get_mut(&key) {
                known.listed = listing;
            } else if scattered(key.1 ^ self.seed) < self.followed_below
                && self.threads.len() < 2 * MAX_THREADS
            {
                self.join(key, now_s, listing);
            }
        }
        let last_s = self.listed_at_s;
        let gone = self
            .threads
            .extract_if(|_, thread| thread.listed != listing);
        let gone: Vec<_> = gone.collect();
        for ((pid, tid), mut thread) in gone {
            thread.account.end(last_s);
            self.add_up(pid, tid, thread, None);
        }
        (self.listed_at_s, self.listings) = (now_s, listing);
    }

    fn list_process(&mut self, pid: Pid) -> Vec<Pid> {
        if !self.members.contains_key(&pid) {
            let Ok(files) = ThreadFiles::of(pid) else {
                return Vec::new();
            };
            // A worker that came up meanwhile has used nothing before.
            let first = self.listings == 0;
            let cpu_s = first.then(|| process_cpu_s(pid)).flatten();
            self.cpu_before_s.insert(pid, cpu_s.unwrap_or(0.0));
            self.members.insert(pid, Member { files, threads: 0 });
        }
        let Some(member) = self.members.get_mut(&pid) else {
            return Vec::new();
        };
        let tids = member.files.list().unwrap_or_default();
        member.threads = tids.len();
        tids
    }

    /// Takes up a thread that was not known.
    fn join(&mut self, key: (Pid, Pid), now_s: f64, listing: u32) {
        let Some(seen) = self.see(key, None) else {
            return; // it ended just now
        };
        let account = match self.listings {
            0 => ThreadAccount::begin(seen.look),
            _ => ThreadAccount::begin_new(seen.look, now_s - self.listed_at_s),
        };
        let thread = FollowedThread {
            account,
            class: group(&seen.name),
            name: seen.name,
            first_turns: seen.sched.map(|sched| sched.turns),
            sched: seen.sched,
            due: self.looks + 1,
            step: 1,
            listed: listing,
            is_first: self.listings == 0,
            has_ended: false,
        };
        self.threads.insert(key, thread);
    }

    /// Looks at a thread that is known.
    fn look_again(&mut self, pid: Pid, tid: Pid) {
        let Some(mut thread) = self.threads.remove(&(pid, tid)) else {
            return;
        };
        let known = (thread.sched, &thread.account.last().doing);
        match self.see((pid, tid), Some(known)) {
            Some(seen) => {
                let ran = seen.sched.is_none() || seen.sched != thread.sched;
                let runs = seen.look.doing == ThreadDoing::Runs;
                thread.step = if ran || runs {
                    1
                } else {
                    (thread.step * 2).min(MAX_STEP)
                };
                thread.sched = seen.sched;
                if !seen.name.is_empty() && seen.name != thread.name {
                    thread.class = group(&seen.name);
                    thread.name = seen.name;
                }
                thread.account.add(seen.look);
            }
            None => (thread.has_ended, thread.step) = (true, MAX_STEP),
        }
        thread.due = self.looks + thread.step;
        self.threads.insert((pid, tid), thread);
    }

    /// What a thread does now. One that has not run since it was `known` does what it did, and its
    /// name is not read again.
    fn see(
        &mut self,
        (pid, tid): (Pid, Pid),
        known: Option<(Option<SchedStat>, &ThreadDoing)>,
    ) -> Option<SeenNow> {
        let at_s = self.now_s();
        let member = self.members.get_mut(&pid)?;
        let sched = member.files.sched_stat(tid);
        let look = |times: CpuTimes, doing: ThreadDoing| ThreadLook { at_s, times, doing };
        if let (Some(now), Some((before, doing))) = (sched, known)
            && before == Some(now)
        {
            return Some(SeenNow {
                look: look(now.times, doing.clone()),
                name: String::new(),
                sched,
            });
        }
        // One that has ended stays listed until its parent hears of it.
        let stat = member.files.stat(tid);
        let stat = stat.filter(|stat| !matches!(stat.state, 'Z' | 'X'))?;
        if sched.is_none() {
            self.denied.insert("schedstat");
        }
        let runs = stat.state == 'R';
        let place = match runs {
            true => None,
            false => member.files.place(tid, &mut self.denied),
        };
        let wchan = match !runs && needs_wchan(stat.state, place) {
            true => member.files.wchan(tid, &mut self.denied).to_owned(),
            false => String::new(),
        };
        let mut fds = ProcessFds {
            pid,
            alone: member.threads == 1,
            peers: &mut self.peers,
        };
        let does = doing(stat.state, place, &wchan, &mut fds);
        if matches!(
            does,
            ThreadDoing::Waits(ThreadWait::Disk | ThreadWait::Sync)
        ) {
            self.result.waits_for_file(file_of(pid, place));
        }
        let times = sched.map_or_else(|| times_of(&stat), |sched| sched.times);
        Some(SeenNow {
            look: look(times, does),
            name: stat.name,
            sched,
        })
    }

    /// Adds a thread to the result; one that was there all the time, `lasted_s`, counts for all of
    /// it, though it takes a while to look at many.
    fn add_up(&mut self, pid: Pid, tid: Pid, thread: FollowedThread, lasted_s: Option<f64>) {
        let turns = thread.sched.map(|sched| sched.turns);
        let turned = turns
            .zip(thread.first_turns)
            .map(|(now, first)| now - first);
        let shares = thread.account.totals().shares();
        let shares = match lasted_s.filter(|_| thread.is_first && !thread.has_ended) {
            Some(lasted_s) => shares.over(lasted_s).whole(),
            None => shares,
        };
        self.result.add(ThreadSeen {
            pid,
            tid,
            name: thread.name,
            class: thread.class,
            shares,
            turns: turned.unwrap_or(0.0),
        });
    }

    /// Ends the looking.
    pub(crate) fn finish(mut self) -> SamplingResult {
        let lasted_s = self.listed_at_s;
        let ended = self.threads.values().filter(|thread| thread.has_ended);
        let threads = self.listed.saturating_sub(ended.count());
        for ((pid, tid), thread) in std::mem::take(&mut self.threads) {
            self.add_up(pid, tid, thread, Some(lasted_s));
        }
        let before = thread_cpu();
        let used = self
            .cpu_before_s
            .iter()
            .map(|(pid, before)| process_cpu_s(*pid).map_or(0.0, |now| (now - before).max(0.0)));
        let mut result = self.result;
        result.cpu_s = used.sum();
        result.lasted_s = lasted_s;
        result.looks = self.looks;
        result.threads = threads;
        result.thread_s = self.listed_s;
        result.is_part = self.followed_below != u64::MAX;
        result.denied = self.denied;
        result.name(&self.peers);
        result.cost = self.cost + thread_cpu().saturating_sub(before);
        result
    }
}

/// The file of the call that a thread is in, if it is one of a descriptor.
fn file_of(pid: Pid, place: Option<CallPlace>) -> Option<String> {
    let Some(CallPlace::Call(number, arguments)) = place else {
        return None;
    };
    let of_descriptor = [CallKind::Read, CallKind::Write, CallKind::Sync];
    if !of_descriptor.contains(&kind(number, &arguments)) {
        return None;
    }
    let link = format!("/proc/{pid}/fd/{}", fd_of(arguments[0]));
    let path = std::fs::read_link(link).ok()?;
    Some(path.to_string_lossy().into_owned())
}

/// What was seen of a thread now; no name where it was not read.
struct SeenNow {
    look: ThreadLook,
    name: String,
    sched: Option<SchedStat>,
}

/// CPU time of all threads of a process, those that have ended too, s.
fn process_cpu_s(pid: Pid) -> Option<f64> {
    let stat = stat_of(pid)?;
    Some(ticks_to_seconds(stat.user_ticks + stat.system_ticks))
}

/// A number of 32 bits that goes by the thread's, but keeps no order.
fn scattered(tid: Pid) -> u64 {
    u64::from(tid.wrapping_mul(0x9e37_79b1))
}
