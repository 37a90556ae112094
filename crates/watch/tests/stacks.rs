//! Stacks of real programs that compute in functions whose names are known, as root.

#![allow(clippy::unwrap_used, clippy::expect_used)]

mod threads;

use std::path::{Path, PathBuf};
use std::process::Command;

use plimsoll_watch::stacks::{FrameKind, NamedFrame, ToldStacks};
use plimsoll_watch::{Look, Moment, Opened, Spec, Trouble};
use tempfile::TempDir;
use threads::Program;

/// The stacks of a process, and what was said of it at the start.
struct Seen {
    told: ToldStacks,
    said: Option<Trouble>,
}

fn runtime() -> tokio::runtime::Runtime {
    let mut builder = tokio::runtime::Builder::new_current_thread();
    builder.enable_all().build().unwrap()
}

fn opened(pid: u32) -> Opened {
    let spec = Spec::parse(&format!("process=pid:{pid}")).unwrap();
    spec.open().unwrap()
}

/// What is kept has the form that is promised.
fn fits_its_schema(text: &str) {
    let schema = include_str!("../../../schema/stacks.schema.json");
    let schema = serde_json::from_str(schema).unwrap();
    let validator = jsonschema::draft202012::new(&schema).unwrap();
    let told = serde_json::from_str(text).unwrap();
    let wrong: Vec<_> = validator
        .iter_errors(&told)
        .map(|e| e.to_string())
        .collect();
    assert!(wrong.is_empty(), "{wrong:?}");
}

impl Seen {
    fn of(program: &Program) -> Self {
        Self::of_process(program.child.id())
    }

    fn of_process(pid: u32) -> Self {
        Self::seen_enough(pid, |told| told.samples >= 10)
    }

    /// Of a program that hardly runs.
    fn of_waits(program: &Program) -> Self {
        Self::seen_enough(program.child.id(), |told| told.looks >= 10)
    }

    fn seen_enough(pid: u32, is_enough: impl Fn(&ToldStacks) -> bool) -> Self {
        let mut opened = opened(pid);
        runtime().block_on(async {
            let mut look = Look::at(1);
            opened.collectors[0].collect(&mut look).await.unwrap();
            let mut captures = opened.captures.iter_mut();
            let capture = captures.find(|capture| capture.kind() == "stacks").unwrap();
            let said = capture.take(Moment::Start.into()).await.err();
            // Where the machine has no time for it, a look sees little, and says so.
            let mut seen = None;
            for _ in 0..10 {
                let taken = capture.take(Moment::Steady.into()).await.unwrap();
                let Some(taken) = taken.into_iter().next() else {
                    continue;
                };
                let text = String::from_utf8(taken.bytes).unwrap();
                if std::env::var_os("SHOW").is_some() {
                    println!("{text}");
                }
                fits_its_schema(&text);
                let told = ToldStacks::read(&text).unwrap();
                if is_enough(seen.insert(told)) {
                    break;
                }
            }
            let told = seen.expect("nothing was seen");
            Self { told, said }
        })
    }

    /// The share of the samples whose stack has these calls in that order, innermost first.
    fn share(&self, calls: &[&str]) -> f64 {
        self.share_of(|frames| {
            let mut left = calls;
            for frame in frames {
                if left.first() == Some(&frame.function.as_str()) {
                    left = &left[1..];
                }
            }
            left.is_empty()
        })
    }

    fn share_of(&self, holds: impl Fn(&[&NamedFrame]) -> bool) -> f64 {
        let stacks = self.told.stacks.iter();
        let there = stacks.filter(|stack| holds(&self.told.calls(stack).collect::<Vec<_>>()));
        let count: u64 = there.map(|stack| stack.count).sum();
        count as f64 / self.told.samples as f64
    }

    fn frame(&self, function: &str) -> &NamedFrame {
        let mut frames = self.told.frames.iter();
        let found = frames.find(|frame| frame.function == function);
        found.unwrap_or_else(|| panic!("no {function} in {}", self.text()))
    }

    /// The stacks as lines: what was done, how often, the calls.
    fn text(&self) -> String {
        let told = &self.told;
        let mut text = format!(
            "{} samples, {} lost, {} looks, {} s\n",
            told.samples, told.lost, told.looks, told.cost_s
        );
        for stack in told.stacks.iter().take(40) {
            let calls: Vec<String> = told
                .calls(stack)
                .map(|call| format!("{}:{}", call.function, call.line.unwrap_or(0)))
                .collect();
            text += &format!("{} {} {}\n", stack.state, stack.count, calls.join(" < "));
        }
        text
    }

    /// Nearly all samples have these calls.
    fn all_in(&self, calls: &[&str]) {
        let share = self.share(calls);
        assert!(share > 0.9, "{calls:?} {share} of {}", self.text());
        assert!(self.told.samples >= 10, "{}", self.text());
    }
}

/// It computes in `crunch`, called by `handle`; `mix` is put into it.
const BUSY: &str = r#"
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>
#include <pthread.h>
volatile uint64_t sink;
static inline __attribute__((always_inline)) uint64_t mix(uint64_t x) {
    for (int i = 0; i < 2000; i++) { x ^= x << 13; x ^= x >> 7; x ^= x << 17; }
    return x;
}
__attribute__((noinline)) uint64_t crunch(uint64_t x) { x = mix(x); sink += x; return x + 1; }
__attribute__((noinline)) uint64_t light(uint64_t x) {
    for (int i = 0; i < 500; i++) { x ^= x << 13; x ^= x >> 7; x ^= x << 17; }
    sink ^= x; return x + 1;
}
__attribute__((noinline)) uint64_t handle(uint64_t x, int both) {
    x = crunch(x) * 3; if (both) x += light(x); sink ^= x; return x;
}
static void *work(void *arg) { for (uint64_t x = 1;;) x += handle(x, 0); return arg; }
int main(int argc, char **argv) {
    int threads = argc > 1 ? atoi(argv[1]) : 0;
    for (int i = 0; i < threads; i++) { pthread_t t; pthread_create(&t, 0, work, 0); }
    printf("ready\n"); fflush(stdout);
    if (argc > 2) alarm(atoi(argv[2]));
    for (uint64_t x = 1;;) x += handle(x, threads < 0);
}
"#;

/// A program that was built in a folder of its own.
struct Built {
    folder: TempDir,
    path: PathBuf,
}

impl Built {
    fn c(options: &[&str]) -> Self {
        let folder = tempfile::tempdir().unwrap();
        let source = folder.path().join("busy.c");
        let path = folder.path().join("busy");
        std::fs::write(&source, BUSY).unwrap();
        let mut compile = Command::new("cc");
        compile
            .args(["-w", "-pthread"])
            .args(options)
            .arg(&source)
            .arg("-o")
            .arg(&path);
        assert!(compile.status().unwrap().success());
        Self { folder, path }
    }

    fn start(&self, arguments: &[&str]) -> Program {
        let mut command = Command::new(&self.path);
        command.args(arguments);
        Program::start(command)
    }
}

#[test]
fn c_is_named_with_frame_pointers_and_without() {
    for options in [
        &["-O1", "-fno-omit-frame-pointer"][..],
        &["-O2", "-fomit-frame-pointer"],
        &["-O2", "-fomit-frame-pointer", "-static"],
        &["-O2", "-no-pie", "-fomit-frame-pointer"],
    ] {
        let built = Built::c(options);
        let seen = Seen::of(&built.start(&[]));
        seen.all_in(&["crunch", "handle", "main"]);
        let crunch = seen.frame("crunch");
        assert_eq!(
            (crunch.library.as_deref(), crunch.kind),
            (None, FrameKind::Native)
        );
        let whole = seen.told.whole as f64 / seen.told.samples as f64;
        assert!(whole > 0.9, "{whole} {options:?}");
    }
}

#[test]
fn what_was_put_into_its_caller_is_told_with_lines() {
    let built = Built::c(&["-O2", "-g", "-gz"]);
    let seen = Seen::of(&built.start(&[]));
    seen.all_in(&["mix", "crunch", "handle", "main"]);
    let mix = seen.frame("mix");
    assert!(mix.file.as_deref().unwrap().ends_with("busy.c"), "{mix:?}");
    assert!((9..=12).contains(&mix.line.unwrap()), "{mix:?}");
}

#[test]
fn functions_of_stripped_programs_are_told_apart() {
    let built = Built::c(&["-O2", "-s"]);
    let seen = Seen::of(&built.start(&["-1"]));
    // By address, three calls deep, then the C library's, which has names.
    let of_program = |frame: &&&NamedFrame| frame.function.starts_with("busy+0x");
    let three = |frames: &[&NamedFrame]| frames.iter().filter(of_program).count() >= 3;
    let share = seen.share_of(three);
    assert!(share > 0.9, "{share} {}", seen.text());
    let started = |frames: &[&NamedFrame]| {
        let mut names = frames.iter().map(|frame| frame.function.as_str());
        names.any(|name| name.starts_with("__libc_start_main"))
    };
    assert!(seen.share_of(started) > 0.9, "{}", seen.text());
    let inner: std::collections::BTreeSet<&str> = seen
        .told
        .stacks
        .iter()
        .filter_map(|stack| seen.told.calls(stack).next())
        .filter(|frame| frame.library.is_none())
        .map(|frame| frame.function.as_str())
        .collect();
    assert!(inner.len() >= 2, "crunch and light: {inner:?}");
}

#[test]
fn shares_are_those_of_perf() {
    let built = Built::c(&["-O2"]);
    let program = built.start(&["-1"]);
    let pid = program.child.id().to_string();
    let file = built.folder.path().join("perf.data");
    let mut perf = Command::new("perf");
    perf.args([
        "record",
        "-q",
        "-e",
        "cpu-clock",
        "-F",
        "97",
        "-p",
        &pid,
        "-o",
    ]);
    let mut perf = perf.arg(&file).args(["--", "sleep", "3"]).spawn().unwrap();
    let seen = Seen::of(&program);
    assert!(perf.wait().unwrap().success());
    let mut report = Command::new("perf");
    report
        .args(["report", "--stdio", "-q", "-F", "overhead,symbol", "-i"])
        .arg(&file);
    let report = String::from_utf8(report.output().unwrap().stdout).unwrap();
    let by_perf = |name: &str| {
        let line = report
            .lines()
            .find(|line| line.ends_with(&format!(" {name}")));
        let line = line.unwrap_or_else(|| panic!("no {name} in {report}"));
        let share = line.trim().split('%').next().unwrap();
        share.parse::<f64>().unwrap() / 100.0
    };
    for name in ["crunch", "light"] {
        let (own, by_perf) = (seen.share(&[name]), by_perf(name));
        // Some hundred samples each.
        assert!(
            (own - by_perf).abs() < 0.12,
            "{name}: {own}, by perf {by_perf}\n{report}"
        );
    }
}

const GO: &str = r#"
package main

import (
	"encoding/json"
	"fmt"
)

type cart struct{ Name string; Prices []int }

//go:noinline
func encode(c *cart) int { text, _ := json.Marshal(c); return len(text) }

//go:noinline
func handle(c *cart) int { return encode(c) }

func main() {
	c := &cart{"cart", make([]int, 2000)}
	fmt.Println("ready")
	for n := 0; ; { n += handle(c) }
}
"#;

#[test]
fn go_is_named_also_where_it_was_stripped() {
    for flags in ["", "-s -w"] {
        let folder = tempfile::tempdir().unwrap();
        std::fs::write(folder.path().join("main.go"), GO).unwrap();
        std::fs::write(
            folder.path().join("go.mod"),
            "module example.org/shop\n\ngo 1.21\n",
        )
        .unwrap();
        let mut build = Command::new("/usr/local/go/bin/go");
        build.current_dir(folder.path()).env("CGO_ENABLED", "0");
        let built = build
            .args(["build", "-ldflags", flags, "-o", "shop", "."])
            .status();
        assert!(built.unwrap().success());
        let program = Program::start(Command::new(folder.path().join("shop")));
        let seen = Seen::of(&program);
        // The collector works beside.
        let share = seen.share(&[
            "encoding/json.Marshal",
            "main.encode",
            "main.handle",
            "main.main",
        ]);
        assert!(share > 0.6, "{flags} {share} {}", seen.text());
        let (own, library) = (
            seen.frame("main.encode"),
            seen.frame("encoding/json.Marshal"),
        );
        assert_eq!(own.library, None);
        assert_eq!(library.library.as_deref(), Some("encoding/json"));
        assert!(own.file.as_deref().unwrap().ends_with("main.go"), "{own:?}");
        assert_eq!(own.line, Some(12), "{own:?}");
    }
}

const PYTHON: &str = r#"
import json, sys
def crunch(n):
    total = 0
    for i in range(n):
        total += i * i
    return total
class Page:
    def show(self):
        return crunch(5000)
def dump(things):
    return json.dumps(things, indent=1)
page, things = Page(), [{'a': n} for n in range(1000)]
print('ready', flush=True)
while True:
    page.show() if len(sys.argv) < 2 else dump(things)
"#;

/// A script in a folder of its own, run by a program.
fn script(
    program: &str,
    options: &[&str],
    name: &str,
    text: &str,
    arguments: &[&str],
) -> (TempDir, Program) {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join(name);
    std::fs::write(&path, text).unwrap();
    let mut command = Command::new(program);
    // Node writes a log beside its map.
    command.current_dir(folder.path());
    command.args(options).arg(&path).args(arguments);
    let program = Program::start(command);
    (folder, program)
}

#[test]
fn python_is_told_by_its_own_functions() {
    let mut pythons = vec!["/usr/bin/python3".to_owned()];
    // Others that pyenv keeps, one of each version that is known.
    let home = std::env::var("HOME").unwrap_or_default();
    let kept = std::fs::read_dir(format!("{home}/.pyenv/versions"));
    let kept: Vec<_> = kept.into_iter().flatten().flatten().collect();
    for minor in ["3.11", "3.12", "3.13"] {
        let program = format!("bin/python{minor}");
        let mut found = kept.iter().map(|version| version.path().join(&program));
        let found = found.find(|path| path.exists());
        pythons.extend(found.map(|path| path.display().to_string()));
    }
    for python in pythons {
        let (_folder, program) = script(&python, &[], "shop.py", PYTHON, &[]);
        let seen = Seen::of(&program);
        let runtime = seen.told.runtime.as_deref();
        assert!(
            runtime.is_some_and(|name| name.starts_with("Python 3.1")),
            "{runtime:?}"
        );
        seen.all_in(&["shop.crunch", "shop.Page.show", "shop.<module>"]);
        let crunch = seen.frame("shop.crunch");
        assert_eq!(
            (crunch.library.as_deref(), crunch.kind),
            (None, FrameKind::Interpreted)
        );
        assert!(
            (4..=7).contains(&crunch.line.unwrap()),
            "{python} {crunch:?}"
        );
        let looped = |frames: &[&NamedFrame]| {
            frames
                .iter()
                .any(|frame| frame.function.starts_with("_PyEval"))
        };
        assert!(seen.share_of(looped) < 0.05, "{python} {}", seen.text());
    }
}

#[test]
fn what_python_calls_belongs_to_its_library() {
    let (_folder, program) = script("/usr/bin/python3", &[], "shop.py", PYTHON, &["json"]);
    let seen = Seen::of(&program);
    seen.all_in(&["shop.dump", "shop.<module>"]);
    let in_json = |frames: &[&NamedFrame]| {
        frames
            .iter()
            .any(|frame| frame.library.as_deref() == Some("json"))
    };
    assert!(seen.share_of(in_json) > 0.8, "{}", seen.text());
}

const PHP: &str = r#"<?php
function crunch($n) { $t = 0; for ($i = 0; $i < $n; $i++) { $t += $i * $i; } return $t; }
class Page {
    function show() {
        return crunch(20000);
    }
    function find() { return preg_match('/(a+)+[xyz]/', str_repeat('a', 22)); }
}
$page = new Page();
echo "ready\n";
while (true) { count($argv) > 1 ? $page->find() : $page->show(); }
"#;

#[test]
fn php_is_told_by_its_own_functions() {
    let (_folder, program) = script("/usr/bin/php8.2", &[], "shop.php", PHP, &[]);
    let seen = Seen::of(&program);
    assert_eq!(seen.told.runtime.as_deref(), Some("PHP 8.2"));
    seen.all_in(&["crunch", "Page::show", "{main} shop.php"]);
    assert_eq!(seen.frame("Page::show").line, Some(5));
    drop(program);
    let options = ["-d", "pcre.backtrack_limit=1000000000"];
    let (_folder, program) = script("/usr/bin/php8.2", &options, "shop.php", PHP, &["find"]);
    let seen = Seen::of(&program);
    seen.all_in(&["preg_match", "Page::find"]);
    assert_eq!(
        seen.frame("preg_match").library.as_deref(),
        Some("ext/pcre")
    );
}

const NODE: &str = r#"
function crunch(n) { let t = 0; for (let i = 0; i < n; i++) { t = (t * 31 + i) % 1000003; } return t; }
function handle() { return crunch(20000) + crunch(10000); }
console.log('ready');
let sum = 0;
function turn() { const end = Date.now() + 50; while (Date.now() < end) { sum += handle(); } setImmediate(turn); }
turn();
"#;

#[test]
fn node_is_told_by_its_map_and_says_how_to_get_one() {
    let options = ["--perf-basic-prof"];
    let (_folder, program) = script("/usr/bin/node", &options, "shop.js", NODE, &[]);
    let map = format!("/tmp/perf-{}.map", program.child.id());
    let seen = Seen::of(&program);
    drop(program);
    std::fs::remove_file(map).unwrap();
    assert!(seen.said.is_none(), "{:?}", seen.said);
    // What is called often is put into its caller.
    let in_script = |frames: &[&NamedFrame]| {
        frames.iter().any(|frame| {
            ["crunch", "handle", "turn"].contains(&frame.function.as_str())
                && frame
                    .file
                    .as_deref()
                    .is_some_and(|file| file.ends_with("shop.js"))
                && frame.library.is_none()
        })
    };
    let share = seen.share_of(in_script);
    assert!(share > 0.9, "{share} {}", seen.text());
    let (_folder, program) = script("/usr/bin/node", &[], "shop.js", NODE, &[]);
    let seen = Seen::of(&program);
    assert_eq!(seen.said.unwrap().message.id, "watch-stacks-no-map");
    assert!(seen.told.unnamed_places > 0);
    let unnamed = |frames: &[&NamedFrame]| {
        frames
            .iter()
            .any(|frame| frame.function == "[unnamed code]")
    };
    assert!(
        seen.told
            .stacks
            .iter()
            .any(|stack| unnamed(&seen.told.calls(stack).collect::<Vec<_>>()))
    );
}

#[test]
fn one_that_ends_meanwhile_is_told_as_far_as_it_ran() {
    let built = Built::c(&["-O2", "-g"]);
    let seen = Seen::of(&built.start(&["0", "2"]));
    seen.all_in(&["mix", "crunch", "handle", "main"]);
}

#[test]
fn hundreds_of_threads_are_told_together() {
    let built = Built::c(&["-O2"]);
    let seen = Seen::of(&built.start(&["300"]));
    seen.all_in(&["crunch", "handle"]);
    assert!(
        seen.share(&["crunch", "handle", "work"]) > 0.8,
        "{}",
        seen.text()
    );
}

#[test]
fn a_file_that_only_the_process_sees_is_read_as_it_sees_it() {
    let built = Built::c(&["-O2"]);
    let place = built.folder.path().join("place");
    std::fs::create_dir(&place).unwrap();
    let (place, path) = (place.to_str().unwrap(), built.path.to_str().unwrap());
    let text =
        format!("mount -t tmpfs none {place} && cp {path} {place}/shop && exec {place}/shop");
    let mut command = Command::new("unshare");
    command.args(["-m", "sh", "-c", &text]);
    let program = Program::start(command);
    assert!(!Path::new(place).join("shop").exists());
    Seen::of(&program).all_in(&["crunch", "handle", "main"]);
    // One that was deleted.
    let program = built.start(&[]);
    std::fs::remove_file(&built.path).unwrap();
    Seen::of(&program).all_in(&["crunch", "handle", "main"]);
}

#[test]
fn without_rights_it_is_said_what_it_takes() {
    let built = Built::c(&["-O2"]);
    let program = built.start(&[]);
    let mut again = Command::new("setpriv");
    again.args(["--reuid=65534", "--regid=65534", "--clear-groups"]);
    again.arg(std::env::current_exe().unwrap());
    again.args(["--exact", "as_nobody", "--ignored"]);
    again.env("STACKS_OF", program.child.id().to_string());
    let output = again.output().unwrap();
    assert!(
        output.status.success(),
        "{}",
        String::from_utf8_lossy(&output.stdout)
    );
}

#[test]
#[ignore = "run by another test, as nobody"]
fn as_nobody() {
    let pid = std::env::var("STACKS_OF").unwrap().parse().unwrap();
    let mut opened = opened(pid);
    let said = runtime().block_on(async {
        let mut look = Look::at(1);
        opened.collectors[0].collect(&mut look).await.unwrap();
        let mut captures = opened.captures.iter_mut();
        let capture = captures.find(|capture| capture.kind() == "stacks").unwrap();
        let said = capture.take(Moment::Steady.into()).await;
        // It is said once.
        assert!(
            capture
                .take(Moment::Steady.into())
                .await
                .unwrap()
                .is_empty()
        );
        said.unwrap_err()
    });
    assert_eq!(said.message.id, "watch-stacks-unreadable");
}

/// Five threads want a lock; who has it sleeps with it.
const LOCKED: &str = r#"
#include <pthread.h>
#include <stdio.h>
#include <unistd.h>
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
volatile int sink;
__attribute__((noinline)) void hold(void) { usleep(20000); sink++; }
__attribute__((noinline)) void enter(void) { pthread_mutex_lock(&lock); hold(); pthread_mutex_unlock(&lock); sink++; }
static void *work(void *arg) { for (;;) { enter(); sink++; } return arg; }
int main() {
    for (int i = 0; i < 5; i++) { pthread_t t; pthread_create(&t, 0, work, 0); }
    printf("ready\n"); fflush(stdout);
    for (;;) pause();
}
"#;

impl Seen {
    /// The mean number of threads in a wait whose stack has these calls, innermost first.
    fn waiting(&self, state: &str, calls: &[&str]) -> f64 {
        let there = self.told.stacks.iter().filter(|stack| {
            let mut left = calls;
            for frame in self.told.calls(stack) {
                if left.first() == Some(&frame.function.as_str()) {
                    left = &left[1..];
                }
            }
            stack.state == state && left.is_empty()
        });
        let count: u64 = there.map(|stack| stack.count).sum();
        count as f64 / f64::from(self.told.looks)
    }
}

#[test]
fn waiting_threads_are_told_by_place_without_stopping_them() {
    for options in [
        &["-O2", "-fomit-frame-pointer"][..],
        &["-O0", "-fno-omit-frame-pointer"],
    ] {
        let folder = tempfile::tempdir().unwrap();
        let (source, path) = (folder.path().join("locked.c"), folder.path().join("locked"));
        std::fs::write(&source, LOCKED).unwrap();
        let mut compile = Command::new("cc");
        compile
            .args(["-w", "-pthread"])
            .args(options)
            .arg(&source)
            .arg("-o")
            .arg(&path);
        assert!(compile.status().unwrap().success());
        let seen = Seen::of_waits(&Program::start(Command::new(&path)));
        let (waits, holds) = (
            seen.waiting("futex", &["enter", "work"]),
            seen.waiting("sleep", &["hold", "enter", "work"]),
        );
        // Four of five wait, whoever they are, and one sleeps.
        assert!(
            (3.2..=4.2).contains(&waits),
            "{options:?} {waits} {}",
            seen.text()
        );
        assert!(
            (0.6..=1.1).contains(&holds),
            "{options:?} {holds} {}",
            seen.text()
        );
        let main = seen.waiting("other", &["main"]);
        assert!(main > 0.9, "{options:?} {main} {}", seen.text());
    }
}

const PYTHON_LOCKED: &str = r#"
import threading, time
lock = threading.Lock()
def hold():
    time.sleep(0.02)
def enter():
    with lock:
        hold()
def work():
    while True:
        enter()
for _ in range(5):
    threading.Thread(target=work, daemon=True).start()
print('ready', flush=True)
time.sleep(600)
"#;

#[test]
fn waiting_threads_of_python_are_told_by_place() {
    let (_folder, program) = script("/usr/bin/python3", &[], "shop.py", PYTHON_LOCKED, &[]);
    let seen = Seen::of_waits(&program);
    let waits = seen.waiting("futex", &["shop.enter", "shop.work"]);
    assert!((3.0..=4.5).contains(&waits), "{waits} {}", seen.text());
    let holds = seen.waiting("sleep", &["shop.hold", "shop.enter", "shop.work"]);
    assert!((0.5..=1.1).contains(&holds), "{holds} {}", seen.text());
}

/// As above; the standard library keeps frame pointers, and who calls it none.
const RUST_LOCKED: &str = r#"
use std::sync::Mutex;
static LOCK: Mutex<u64> = Mutex::new(0);
#[inline(never)]
fn hold(sum: &mut u64) { std::thread::sleep(std::time::Duration::from_millis(20)); *sum += 1; }
#[inline(never)]
fn enter(n: u64) -> u64 { let mut sum = LOCK.lock().unwrap(); hold(&mut sum); *sum + n }
#[inline(never)]
fn work(n: u64) { let mut sum = n; loop { sum = std::hint::black_box(sum + enter(n)); } }
fn main() {
    for n in 0..5 { std::thread::spawn(move || work(n)); }
    println!("ready");
    loop { std::thread::park(); }
}
"#;

/// The linker lets the segments of a program share pages of its file.
#[test]
fn rust_is_told_by_its_own_functions() {
    let folder = tempfile::tempdir().unwrap();
    let (source, path) = (folder.path().join("shop.rs"), folder.path().join("shop"));
    std::fs::write(&source, RUST_LOCKED).unwrap();
    let rustc = std::env::var_os("RUSTC").unwrap_or_else(|| "rustc".into());
    let mut compile = Command::new(rustc);
    compile.args(["--edition=2021", "-O", "-g"]).arg(&source);
    assert!(compile.arg("-o").arg(&path).status().unwrap().success());
    let seen = Seen::of_waits(&Program::start(Command::new(&path)));
    let waits = seen.waiting("futex", &["shop::enter", "shop::work"]);
    assert!((3.0..=4.5).contains(&waits), "{waits} {}", seen.text());
    let holds = seen.waiting("sleep", &["shop::hold", "shop::enter", "shop::work"]);
    assert!((0.5..=1.1).contains(&holds), "{holds} {}", seen.text());
}
