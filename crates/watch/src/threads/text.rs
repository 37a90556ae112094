//! Dumps as text.

use std::time::Duration;

use super::dump::{DumpedThread, JavaThreadState, Lock, StackFrame, ThreadDump, Wait, WaitKind};

/// Reads a dump as `jstack` and `Thread.print` write it. What is not understood is left out.
#[must_use]
pub fn read_text(text: &str) -> ThreadDump {
    let mut dump = ThreadDump::default();
    let mut part = DumpPart::Threads;
    for line in text.lines() {
        if let Some(jvm) = line.strip_prefix("Full thread dump ") {
            jvm.trim_end_matches(':').clone_into(&mut dump.jvm);
        } else if line.starts_with("Found ") && line.contains("Java-level deadlock") {
            dump.deadlocks.push(Vec::new());
            part = DumpPart::Deadlock;
        } else if line.starts_with("Java stack information") {
            part = DumpPart::Repeated;
        } else if line.starts_with('"') {
            match part {
                DumpPart::Threads => dump.threads.extend(header(line)),
                DumpPart::Deadlock => {
                    let name = line.trim_end_matches(':').trim_matches('"').to_owned();
                    if let Some(circle) = dump.deadlocks.last_mut() {
                        circle.push(name);
                    }
                }
                DumpPart::Repeated => {}
            }
        } else if matches!(part, DumpPart::Threads)
            && let Some(thread) = dump.threads.last_mut()
        {
            detail(thread, line);
        }
    }
    dump
}

enum DumpPart {
    Threads,
    /// Who waits for whom in a circle.
    Deadlock,
    /// The stacks of these, again.
    Repeated,
}

/// `"http-1" #25 [4711] daemon prio=5 os_prio=0 cpu=1.2ms elapsed=4.7s tid=0x… nid=4711 runnable`
fn header(line: &str) -> Option<DumpedThread> {
    let end = line.rfind("\" ")?;
    let mut thread = DumpedThread {
        name: line.get(1..end)?.to_owned(),
        ..DumpedThread::default()
    };
    for word in line[end + 1..].split_whitespace() {
        if let Some(number) = word.strip_prefix('#') {
            thread.number = number.parse().ok();
        } else if word == "daemon" {
            thread.daemon = true;
        } else if word == "virtual" {
            thread.is_virtual = true;
        } else if let Some((name, value)) = word.split_once('=') {
            match name {
                "nid" => thread.native_id = number(value),
                "cpu" => thread.cpu = duration(value),
                "elapsed" => thread.elapsed = duration(value),
                _ => {}
            }
        }
    }
    Some(thread)
}

fn detail(thread: &mut DumpedThread, line: &str) {
    let line = line.trim();
    if let Some(state) = line.strip_prefix("java.lang.Thread.State: ") {
        let name = state.split(' ').next().unwrap_or(state);
        thread.state = JavaThreadState::of(name);
    } else if let Some(call) = line.strip_prefix("at ") {
        thread.frames.extend(frame(call));
    } else if let Some(carried) = line.strip_prefix("Carrying virtual thread #") {
        thread.carries = carried.trim().parse().ok();
    } else if let Some(what) = line.strip_prefix("- ") {
        lock(thread, what);
    }
}

/// `Subject.main(Subject.java:20)`, `java.lang.Object.wait(java.base@17.0.15/Native Method)`
pub(super) fn frame(call: &str) -> Option<StackFrame> {
    let (method, place) = call.strip_suffix(')')?.split_once('(')?;
    // Loader and module come before the file's name, in JSON before the class.
    let without = |text: &str| {
        text.rsplit_once('/')
            .map_or(text, |(_, rest)| rest)
            .to_owned()
    };
    // The name of a hidden class ends with a slash and a number.
    let method = match method.split_once("$$Lambda") {
        Some((class, rest)) => {
            let call = rest.rsplit_once('.').map_or("", |(_, call)| call);
            format!("{}$$Lambda.{call}", without(class))
        }
        None => without(method),
    };
    Some(StackFrame {
        method,
        place: without(place),
        library: None,
    })
}

/// Waiting to be notified, in so many innermost calls.
const OBJECT_WAIT: &str = "java.lang.Object.wait";
const IN_WAIT: usize = 4;

fn lock(thread: &mut DumpedThread, what: &str) {
    let wait = |start: &str| what.strip_prefix(start).and_then(lock_of);
    let waits = matches!(
        thread.state,
        Some(JavaThreadState::Waiting | JavaThreadState::TimedWaiting)
    );
    // Who waits to be notified has let go of the monitor, and is blocked by it only once that has come.
    let again = match waits {
        true => WaitKind::Notify,
        false => WaitKind::Monitor,
    };
    let kinds = [
        ("waiting to lock ", WaitKind::Monitor),
        ("waiting to re-lock in wait() ", again),
        ("waiting on ", WaitKind::Notify),
        ("parking to wait for ", WaitKind::Park),
    ];
    if let Some((lock, kind)) = kinds
        .iter()
        .find_map(|(start, kind)| wait(start).map(|lock| (lock, *kind)))
    {
        // Only the innermost wait is one: others are of calls that went on.
        thread.wait.get_or_insert(Wait {
            kind,
            lock,
            owner: None,
        });
        return;
    }
    let held = what.strip_prefix("locked ").unwrap_or(what);
    if let Some(lock) = lock_of(held).filter(|_| held.starts_with('<')) {
        // Without a reference to what is waited on, the first monitor below is that.
        let mut innermost = thread.frames.iter().take(IN_WAIT);
        let in_wait = waits && innermost.any(|frame| frame.method.starts_with(OBJECT_WAIT));
        if in_wait && thread.wait.is_none() && thread.holds.is_empty() {
            thread.wait = Some(Wait {
                kind: WaitKind::Notify,
                lock,
                owner: None,
            });
            return;
        }
        // `Object.wait` has let go of its monitor, though the stack shows it as locked.
        let let_go = thread.wait.as_ref().is_some_and(|wait| wait.lock == lock);
        if !let_go && !thread.holds.contains(&lock) {
            thread.holds.push(lock);
        }
    }
}

/// `<0x000000069ec18988> (a java.lang.Object)`
fn lock_of(text: &str) -> Option<Lock> {
    let (id, rest) = text.trim_start().strip_prefix('<')?.split_once('>')?;
    // Others have no address: scalar-replaced, not available.
    let class = rest.trim().strip_prefix("(a ")?.strip_suffix(')')?;
    id.starts_with("0x").then(|| Lock {
        id: id.to_owned(),
        class: class.to_owned(),
    })
}

fn number(text: &str) -> Option<u64> {
    match text.strip_prefix("0x") {
        Some(hex) => u64::from_str_radix(hex, 16).ok(),
        None => text.parse().ok(),
    }
}

fn duration(text: &str) -> Option<Duration> {
    let seconds = match text.strip_suffix("ms") {
        Some(ms) => ms.parse::<f64>().ok()? / 1e3,
        None => text.strip_suffix('s')?.parse().ok()?,
    };
    Duration::try_from_secs_f64(seconds).ok()
}
