//! Dumps as JSON, in which virtual threads are too.

use serde_json::Value;

use super::dump::{DumpedThread, JavaThreadState, Lock, ThreadDump, Wait, WaitKind};
use super::text::frame;

/// Reads a dump as `Thread.dump_to_file -format=json` writes it (JDK 21 and later). What is not
/// understood is left out.
#[must_use]
pub fn read_json(text: &str) -> ThreadDump {
    let whole: Value = serde_json::from_str(text).unwrap_or_default();
    let dump = &whole["threadDump"];
    let mut read = ThreadDump {
        jvm: string(&dump["runtimeVersion"]).unwrap_or_default(),
        ..ThreadDump::default()
    };
    for container in list(&dump["threadContainers"]) {
        let name = string(&container["container"]);
        for one in list(&container["threads"]) {
            read.threads.push(thread(one, name.clone()));
        }
    }
    read
}

fn thread(one: &Value, container: Option<String>) -> DumpedThread {
    let mut thread = DumpedThread {
        name: string(&one["name"]).unwrap_or_default(),
        number: number(&one["tid"]),
        is_virtual: one["virtual"].as_bool().unwrap_or(false),
        state: one["state"].as_str().and_then(JavaThreadState::of),
        carries: number(&one["carrying"]),
        container,
        ..DumpedThread::default()
    };
    let calls = list(&one["stack"]).iter().filter_map(Value::as_str);
    thread.frames = calls.filter_map(frame).collect();
    let wait = |lock: &Value, kind, owner| {
        let lock = lock.as_str().and_then(lock_of)?;
        Some(Wait { kind, lock, owner })
    };
    let park = &one["parkBlocker"];
    thread.wait = wait(&one["blockedOn"], WaitKind::Monitor, None)
        .or_else(|| wait(&one["waitingOn"], WaitKind::Notify, None))
        .or_else(|| wait(&park["object"], WaitKind::Park, number(&park["owner"])));
    let owned = list(&one["monitorsOwned"])
        .iter()
        .flat_map(|at| list(&at["locks"]));
    for lock in owned.filter_map(|lock| lock_of(lock.as_str()?)) {
        // `Object.wait` has let go of its monitor.
        let let_go = thread.wait.as_ref().is_some_and(|wait| wait.lock == lock);
        if !let_go && !thread.holds.contains(&lock) {
            thread.holds.push(lock);
        }
    }
    thread
}

/// `java.lang.Object@55405d5f`
fn lock_of(text: &str) -> Option<Lock> {
    let (class, id) = text.rsplit_once('@')?;
    Some(Lock {
        id: id.to_owned(),
        class: class.to_owned(),
    })
}

fn list(value: &Value) -> &[Value] {
    value.as_array().map_or(&[], Vec::as_slice)
}

fn string(value: &Value) -> Option<String> {
    value.as_str().map(str::to_owned)
}

/// A number, which this format writes as a text.
fn number(value: &Value) -> Option<u64> {
    value.as_u64().or_else(|| value.as_str()?.parse().ok())
}
