//! Locks in any runtime: the place where threads wait, and who is past it, by stacks.

use plimsoll_stats::series::EntityKind;
use plimsoll_text::{Lang, render};
use serde_json::{Value, json};

use super::principles::{FRONT, calls};
use crate::model::Finding;
use crate::testing::{Made, thing};

/// A call of `shop.py`, or of a library.
fn call(function: &str, line: u32, library: Option<&str>) -> Value {
    json!({"function": function, "file": "/srv/shop.py", "line": line, "library": library, "kind": "interpreted"})
}

/// The same of goroutines beside the threads of their process.
fn goroutines(made: Made, all: &[(&str, u64, &[Value])]) -> Made {
    let process = thing(EntityKind::Process, FRONT);
    made.capture(&process, "goroutines", "steady", &told(all))
}

/// Stacks over 3 s: state, how often they were seen (of 50 looks, of 97 samples a second), calls from the innermost.
fn stacks(all: &[(&str, u64, &[Value])]) -> Made {
    let process = thing(EntityKind::Process, FRONT);
    calls(&[], 0.0, Value::Null).capture(&process, "stacks", "steady", &told(all))
}

fn told(all: &[(&str, u64, &[Value])]) -> String {
    let mut frames: Vec<Value> = Vec::new();
    let mut stacks = Vec::new();
    for (state, count, calls) in all {
        let at: Vec<usize> = calls
            .iter()
            .map(|call| {
                frames.push(call.clone());
                frames.len() - 1
            })
            .collect();
        stacks.push(json!({"state": state, "thread": "shop", "count": count, "calls": at}));
    }
    let told = json!({
        "schema": "plimsoll.stacks/1", "from_unix_ns": 1, "lasted_s": 3.0, "pid": 7, "processes": 1,
        "runtime": null, "cpus": 2, "samples_per_cpu_and_second": 97, "samples": 0, "looks": 50, "lost": 0,
        "whole": 0, "unnamed_places": 0, "cost_s": 0.01, "others": 0, "frames": frames, "stacks": stacks,
    });
    told.to_string()
}

fn found(made: &Made) -> Option<Finding> {
    made.find("blocked_place")
}

fn shown(finding: &Finding) -> String {
    let texts = finding.evidence.iter().map(|exhibit| &exhibit.text);
    let texts = texts.chain(finding.advice.iter().map(|advice| &advice.why));
    let texts: Vec<String> = texts.map(|text| render(Lang::En, text)).collect();
    texts.join(" ")
}

#[test]
fn who_computes_while_he_holds_the_lock_is_its_holder() {
    let (acquire, entered) = (
        call("acquire", 0, Some("threading")),
        call("total", 6, None),
    );
    let waits: &[Value] = &[acquire, entered];
    let computes: &[Value] = &[call("sum", 20, None), call("total", 7, None)];
    // Six threads on average wait; one is on a CPU behind them.
    let finding = found(&stacks(&[("futex", 300, waits), ("cpu", 290, computes)])).unwrap();
    assert_eq!(finding.object.name, "total (shop.py:6)");
    let text = shown(&finding);
    assert!(
        text.contains("1 others have passed") && text.contains("computing"),
        "{text}"
    );
    assert!(
        text.contains("sum (shop.py:20)") && text.contains("computes"),
        "{text}"
    );
    // Hardly anybody is seen to compute there: nobody holds it for long.
    assert_eq!(
        found(&stacks(&[("futex", 300, waits), ("cpu", 40, computes)])),
        None
    );
}

#[test]
fn a_lock_that_is_taken_in_a_function_of_its_own_is_held_behind_its_call() {
    let waits: &[Value] = &[
        call("acquire", 0, Some("threading")),
        call("enter", 3, None),
        call("handle", 30, None),
    ];
    let holds: &[Value] = &[
        call("recv", 0, Some("socket")),
        call("ask", 50, None),
        call("handle", 31, None),
    ];
    let finding = found(&stacks(&[("futex", 300, waits), ("read", 50, holds)])).unwrap();
    assert_eq!(finding.object.name, "enter (shop.py:3)");
    assert!(shown(&finding).contains("ask (shop.py:50)"), "{finding:?}");
    // Whoever is before the call of it holds nothing.
    let before: &[Value] = &[
        call("recv", 0, Some("socket")),
        call("parse", 50, None),
        call("handle", 29, None),
    ];
    assert_eq!(
        found(&stacks(&[("futex", 300, waits), ("read", 50, before)])),
        None
    );
}

#[test]
fn a_lock_that_a_library_takes_is_held_behind_its_line_there() {
    let in_library = |function: &str, line: u32| {
        let mut call = call(function, line, Some("logging"));
        call["file"] = json!("logging.py");
        call["line"] = json!(line);
        call
    };
    let waits: &[Value] = &[
        call("acquire_lock", 0, Some("python3")),
        in_library("Handler.handle", 976),
        in_library("Logger.info", 1489),
        call("finish", 26, None),
    ];
    let past = |line: u32| {
        [
            call("rename", 0, Some("libc.so.6")),
            in_library("RotatingFileHandler.doRollover", 175),
            in_library("Handler.handle", line),
            in_library("Logger.info", 1489),
            call("finish", 26, None),
        ]
    };
    let finding = found(&stacks(&[("futex", 300, waits), ("disk", 50, &past(978))])).unwrap();
    assert_eq!(finding.object.name, "finish (shop.py:26)");
    let text = shown(&finding);
    assert!(text.contains("RotatingFileHandler.doRollover"), "{text}");
    // Before that line nobody has it.
    let before = stacks(&[("futex", 300, waits), ("disk", 50, &past(970))]);
    assert_eq!(found(&before), None);
}

#[test]
fn goroutines_that_wait_are_seen_though_they_are_no_threads() {
    let (lock, entered) = (
        call("sync.(*Mutex).Lock", 0, Some("sync")),
        call("main.take", 27, None),
    );
    let waits: &[Value] = &[lock, entered];
    let holds: &[Value] = &[call("main.price", 60, None), call("main.take", 28, None)];
    let polls: &[Value] = &[call("runtime.netpoll", 0, Some("runtime"))];
    // Four threads that wait for nothing tell of nobody.
    let made = goroutines(
        stacks(&[("futex", 200, polls)]),
        &[("futex", 300, waits), ("running", 50, holds)],
    );
    let finding = found(&made).unwrap();
    assert_eq!(finding.object.name, "main.take (shop.py:27)");
    let text = shown(&finding);
    assert!(text.contains("6 of its goroutines wait"), "{text}");
    assert!(
        text.contains("main.price (shop.py:60)") && text.contains("computes"),
        "{text}"
    );
    // Workers that wait for work are held up by nobody.
    let idle = goroutines(stacks(&[("futex", 200, polls)]), &[("futex", 300, waits)]);
    assert_eq!(found(&idle), None);
}
