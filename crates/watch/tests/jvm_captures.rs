//! Captures of real JVMs.

#![allow(clippy::unwrap_used, clippy::expect_used)]

mod jvms;

use std::time::{Duration, Instant};

use jvms::{Subject, jdk, jdks, tool};
use plimsoll_watch::threads::{JavaThreadState, StackFrame, ThreadDump, WaitKind};
use plimsoll_watch::{Artifact, Level, Look, Moment, Opened, Spec, Trouble};

fn open(subject: &Subject, level: Level) -> Opened {
    let mut spec = Spec::parse(&format!("jvm=pid:{}", subject.pid())).unwrap();
    spec.level = level;
    spec.open().unwrap()
}

/// Takes one capture, without a watcher.
fn take(opened: &mut Opened, kind: &str, moment: Moment) -> Result<Vec<Artifact>, Trouble> {
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build()
        .unwrap();
    let mut all = opened.captures.iter_mut();
    let capture = all.find(|capture| capture.kind() == kind).unwrap();
    assert!(capture.at(moment));
    assert_eq!(capture.level(), Level::Capture);
    runtime.block_on(capture.take(moment.into()))
}

fn text(artifact: &Artifact) -> &str {
    std::str::from_utf8(&artifact.bytes).unwrap()
}

#[test]
fn who_may_only_observe_has_no_captures() {
    let subject = Subject::start(jdk(), &[]);
    assert!(open(&subject, Level::Observe).captures.is_empty());
    assert!(!open(&subject, Level::Capture).captures.is_empty());
}

#[test]
fn three_dumps_show_who_waits_for_whom() {
    for bin in jdks() {
        let mut subject = Subject::start(bin, &[]);
        subject.tell("contend 2");
        let mut opened = open(&subject, Level::Capture);
        let dumps = take(&mut opened, "thread_dump", Moment::Knee).unwrap();
        assert_eq!(dumps.len(), 3);
        assert!(dumps.is_sorted_by(|a, b| a.at_unix_ns < b.at_unix_ns));
        for dump in &dumps {
            assert_eq!(dump.entity.name, format!("java[{}]", subject.port));
            for thread in [
                "\"holder\"",
                "\"blocked-0\"",
                "\"blocked-1\"",
                "\"parked-1\"",
            ] {
                assert!(text(dump).contains(thread), "{thread}");
            }
        }
        let owner = "Locked ownable synchronizers:\n\t- <0x";
        assert!(text(&dumps[2]).contains(owner) && !text(&dumps[0]).contains(owner));
        for (n, dump) in dumps.iter().enumerate() {
            let dump = ThreadDump::read(text(dump));
            let thread = |name: &str| dump.threads.iter().find(|thread| thread.name == name);
            let holder = thread("holder").unwrap();
            assert_eq!(holder.state, Some(JavaThreadState::TimedWaiting));
            let blocked = thread("blocked-1").unwrap();
            assert_eq!(blocked.state, Some(JavaThreadState::Blocked));
            assert_eq!(dump.owner(blocked.wait.as_ref().unwrap()), Some(holder));
            let parked = thread("parked-0").unwrap().wait.as_ref().unwrap();
            assert_eq!(parked.kind, WaitKind::Park);
            // Only the last dump was asked who holds such locks.
            assert_eq!(dump.owner(parked), Some(holder).filter(|_| n == 2));
            assert!(holder.cpu.is_some() && holder.native_id.is_some());
        }
        // The same as the JDK's own tool shows, but for addresses and times.
        let jstack = tool(bin, "jstack", &["-l", &subject.pid()]);
        let frames = |text: &str| {
            let frames = text.lines().filter(|line| line.starts_with("\tat Subject"));
            let mut frames: Vec<_> = frames.map(str::to_owned).collect();
            frames.sort();
            frames
        };
        assert_eq!(frames(text(&dumps[2])), frames(&jstack));
    }
}

#[test]
fn a_jvm_that_is_out_of_cpu_is_dumped_more_often() {
    let mut subject = Subject::start(jdk(), &[]);
    let threads = 2 * std::thread::available_parallelism().unwrap().get();
    subject.tell(&format!("compute {threads}"));
    let mut opened = open(&subject, Level::Capture);
    let dumps = take(&mut opened, "thread_dump", Moment::Steady).unwrap();
    assert!((4..=12).contains(&dumps.len()), "{}", dumps.len());
    assert!(dumps.is_sorted_by(|a, b| a.at_unix_ns < b.at_unix_ns));
    for (n, dump) in dumps.iter().enumerate() {
        let computing = text(dump).matches("at Subject.compute").count();
        assert_eq!(computing, threads);
        let owners = text(dump).contains("Locked ownable synchronizers:");
        assert_eq!(owners, n == dumps.len() - 1);
    }
}

#[test]
fn the_cpu_of_a_jvm_is_sampled_without_asking_it() {
    for bin in jdks() {
        let mut subject = Subject::start(bin, &["-XX:+DisableAttachMechanism"]);
        subject.tell("compute 1");
        let mut opened = open(&subject, Level::Capture);
        let taken = match take(&mut opened, "cpu_samples", Moment::Steady) {
            Ok(taken) => taken,
            // Not everybody may; then it is told once.
            Err(trouble) if trouble.message.id == "watch-jvm-samples-refused" => {
                eprintln!("left out: {trouble:?}");
                let again = take(&mut opened, "cpu_samples", Moment::Steady).unwrap();
                assert!(again.is_empty());
                return;
            }
            Err(trouble) => panic!("{trouble:?}"),
        };
        let text = text(&taken[0]);
        let counts = text.lines().map(|line| {
            let (stack, count) = line.rsplit_once(' ').unwrap();
            (stack, count.parse::<u64>().unwrap())
        });
        let (mut all, mut computing) = (0, 0);
        for (stack, count) in counts.filter(|(stack, _)| !stack.starts_with('[')) {
            all += count;
            // The compiler may have put the inner call into the outer one.
            let calls = ["Subject.compute;Subject.crunch", "Subject.compute"];
            if calls.iter().any(|calls| stack.ends_with(calls)) {
                computing += count;
            }
        }
        eprintln!("{}: {computing} of {all}", bin.display());
        assert!(
            all > 0 && computing * 10 >= all * 9,
            "{}\n{text}",
            bin.display()
        );
    }
}

#[test]
fn root_sees_and_dumps_the_jvm_of_another_user_and_stays_root() {
    // SAFETY: reads a number of this process.
    if unsafe { libc::geteuid() } != 0 {
        return;
    }
    let subject = Subject::start_as(jdk(), 65534);
    let mut opened = open(&subject, Level::Capture);
    let dumps = take(&mut opened, "thread_dump", Moment::Knee).unwrap();
    assert!(text(&dumps[0]).contains("Subject.main"));
    // SAFETY: as above.
    assert_eq!(unsafe { libc::geteuid() }, 0);
    let mut collector = opened.collectors.remove(0);
    let runtime = tokio::runtime::Builder::new_current_thread()
        .build()
        .unwrap();
    let mut look = Look::at(1);
    runtime.block_on(collector.collect(&mut look)).unwrap();
    let seen = look.points().any(|(key, _)| key.name == "jvm.memory.used");
    assert!(seen);
}

/// Folders for files of JVMs that this process has made.
fn folders_left() -> usize {
    let own = format!("plimsoll-{}-", std::process::id());
    let all = std::fs::read_dir("/tmp").unwrap().flatten();
    all.filter(|entry| entry.file_name().to_string_lossy().starts_with(&own))
        .count()
}

#[test]
fn virtual_threads_are_seen_where_there_are_any() {
    for bin in jdks() {
        let mut subject = Subject::start(bin, &[]);
        let mut opened = open(&subject, Level::Capture);
        let without = take(&mut opened, "virtual_threads", Moment::Knee).unwrap();
        assert!(without.is_empty());
        let version = tool(bin, "jcmd", &[&subject.pid(), "VM.version"]);
        if version.contains("JDK 17") {
            continue;
        }
        subject.tell("virtual 3");
        let taken = take(&mut opened, "virtual_threads", Moment::Knee).unwrap();
        let dump = ThreadDump::read(text(&taken[0]));
        let waiting = dump.threads.iter().filter(|thread| {
            let calls = |frame: &StackFrame| frame.method == "Subject.waitForLock";
            thread.is_virtual && thread.frames.iter().any(calls)
        });
        assert_eq!(waiting.count(), 3);
        // Other tests of this process have folders there for some seconds.
        let began = Instant::now();
        while folders_left() > 0 {
            assert!(began.elapsed() < Duration::from_secs(60));
            std::thread::sleep(Duration::from_millis(100));
        }
    }
}

#[test]
fn a_recording_that_runs_is_dumped_and_none_is_started_unasked() {
    let without = Subject::start(jdk(), &[]);
    let mut opened = open(&without, Level::Capture);
    let taken = take(&mut opened, "jfr", Moment::Knee);
    assert_eq!(taken.err().unwrap().message.id, "watch-jvm-jfr-off");
    // Its recorder was not even asked, which would have loaded it.
    let dump = tool(jdk(), "jcmd", &[&without.pid(), "Thread.print"]);
    assert!(!dump.contains("JFR"));
    let with = Subject::start(jdk(), &["-XX:StartFlightRecording=settings=default"]);
    let mut opened = open(&with, Level::Capture);
    let taken = take(&mut opened, "jfr", Moment::Knee).unwrap();
    assert_eq!(&taken[0].bytes[..4], b"FLR\0");
    assert_eq!(taken[0].media_type, "application/x-jfr");
}

#[test]
fn a_recording_is_started_where_asked_and_stopped_at_the_end() {
    let subject = Subject::start(jdk(), &[]);
    let mut spec = Spec::parse(&format!("jvm=pid:{}", subject.pid())).unwrap();
    spec.level = Level::Capture;
    spec.options.insert("jfr".to_owned(), "start".to_owned());
    let mut opened = spec.open().unwrap();
    let check = || tool(jdk(), "jcmd", &[&subject.pid(), "JFR.check"]);
    let taken = take(&mut opened, "jfr", Moment::Start).unwrap();
    assert!(taken.is_empty());
    assert!(check().contains("name=plimsoll"));
    let taken = take(&mut opened, "jfr", Moment::End).unwrap();
    assert_eq!(&taken[0].bytes[..4], b"FLR\0");
    assert!(!check().contains("plimsoll"));
    spec.options.insert("jfr".to_owned(), "always".to_owned());
    assert!(spec.open().is_err());
}

/// async-profiler's library for this processor, from Maven's jar of it.
fn async_profiler() -> std::path::PathBuf {
    let folder = std::path::Path::new(env!("CARGO_TARGET_TMPDIR")).join("async-profiler");
    let processor = match std::env::consts::ARCH {
        "aarch64" => "arm64",
        _ => "x64",
    };
    let library = folder.join(format!("linux-{processor}/libasyncProfiler.so"));
    if !library.exists() {
        std::fs::create_dir_all(&folder).unwrap();
        let copy = |offline: &[&str]| {
            let done = std::process::Command::new("mvn")
                .args(["-q", "-B"])
                .args(offline)
                .arg("org.apache.maven.plugins:maven-dependency-plugin:3.6.1:copy")
                .arg("-Dartifact=tools.profiler:async-profiler:4.1")
                .arg(format!("-DoutputDirectory={}", folder.display()))
                .status();
            done.unwrap().success()
        };
        assert!(copy(&["-o"]) || copy(&[]), "no async-profiler from Maven");
        let unpacked = std::process::Command::new(jdk().join("jar"))
            .args(["xf", "async-profiler-4.1.jar"])
            .current_dir(&folder)
            .status();
        assert!(unpacked.unwrap().success());
    }
    library
}

#[test]
fn profiles_of_a_jvm_show_where_cpu_goes_and_where_threads_wait() {
    let library = async_profiler();
    for bin in jdks() {
        let mut subject = Subject::start(bin, &[]);
        subject.tell("burn 3");
        let mut spec = Spec::parse(&format!("jvm=pid:{}", subject.pid())).unwrap();
        spec.level = Level::Capture;
        let library = library.display().to_string();
        spec.options.insert("profiler".to_owned(), library);
        let mut opened = spec.open().unwrap();
        let cpu = take(&mut opened, "cpu_profile", Moment::Steady).unwrap();
        let samples = |line: &str| {
            let (_, count) = line.rsplit_once(' ').unwrap();
            count.parse::<u64>().unwrap()
        };
        let all: u64 = text(&cpu[0]).lines().map(samples).sum();
        let burning = text(&cpu[0])
            .lines()
            .filter(|l| l.contains("Subject.crunch"));
        let burning: u64 = burning.map(samples).sum();
        assert!(burning * 2 > all, "{burning} of {all}");
        let locks = take(&mut opened, "lock_profile", Moment::Steady).unwrap();
        let waited = text(&locks[0]).lines();
        let waited = waited.filter(|line| line.contains("Subject.burn") && samples(line) > 0);
        assert!(waited.count() > 0, "{}", text(&locks[0]));
        // A second pair finds the profiler free.
        take(&mut opened, "cpu_profile", Moment::Request).unwrap();
    }
}

#[test]
fn a_profiler_that_is_not_there_or_no_library_is_told_of() {
    let subject = Subject::start(jdk(), &[]);
    for (library, told) in [
        ("/nowhere/libasyncProfiler.so", "watch-jvm-profiler-missing"),
        ("/etc/hostname", "watch-jvm-attach-refused"),
    ] {
        let mut spec = Spec::parse(&format!("jvm=pid:{}", subject.pid())).unwrap();
        spec.level = Level::Capture;
        spec.options
            .insert("profiler".to_owned(), library.to_owned());
        let mut opened = spec.open().unwrap();
        let taken = take(&mut opened, "cpu_profile", Moment::Steady);
        assert_eq!(taken.err().unwrap().message.id, told);
    }
    assert!(
        open(&subject, Level::Capture)
            .captures
            .iter()
            .all(|c| c.kind() != "cpu_profile")
    );
}

#[test]
fn a_histogram_counts_what_is_kept() {
    for bin in jdks() {
        let mut subject = Subject::start(bin, &["-Xmx64m"]);
        subject.tell("keep 10");
        let mut opened = open(&subject, Level::Capture);
        let taken = take(&mut opened, "class_histogram", Moment::End).unwrap();
        let line = text(&taken[0])
            .lines()
            .find(|line| line.contains("[B"))
            .unwrap();
        let columns: Vec<_> = line.split_whitespace().collect();
        let (count, bytes): (u64, u64) = (columns[1].parse().unwrap(), columns[2].parse().unwrap());
        assert!(
            count >= 1000 && (10_000_000..13_000_000).contains(&bytes),
            "{line}"
        );
    }
}

#[test]
fn the_flags_in_force_are_told_without_secrets() {
    let subject = Subject::start(
        jdk(),
        &["-Xmx96m", "-XX:OnOutOfMemoryError=notify --token=hunter2"],
    );
    let mut opened = open(&subject, Level::Capture);
    let taken = take(&mut opened, "jvm_info", Moment::Start).unwrap();
    let info = text(&taken[0]);
    assert!(
        info.contains(&format!("-XX:MaxHeapSize={}", 96 << 20)),
        "{info}"
    );
    assert!(
        info.contains("CodeCache") || info.contains("CodeHeap"),
        "{info}"
    );
    assert!(!info.contains("hunter2"), "{info}");
}

#[test]
fn a_jvm_that_may_not_be_attached_to_is_left_alone() {
    let mut subject = Subject::start(jdk(), &["-XX:+DisableAttachMechanism"]);
    let mut opened = open(&subject, Level::Capture);
    let taken = take(&mut opened, "thread_dump", Moment::Knee);
    assert_eq!(taken.err().unwrap().message.id, "watch-jvm-attach-off");
    subject.tell("full");
}

#[test]
fn a_jvm_that_leaves_signals_alone_is_not_ended_by_one() {
    let mut subject = Subject::start(jdk(), &["-Xrs"]);
    let mut opened = open(&subject, Level::Capture);
    let taken = take(&mut opened, "thread_dump", Moment::Knee);
    assert_eq!(taken.ok().unwrap().len(), 3);
    subject.tell("full");
}

#[test]
fn a_jvm_that_does_not_respond_is_given_up() {
    let subject = Subject::start(jdk(), &[]);
    let pid = pid_of(&subject);
    let mut opened = open(&subject, Level::Capture);
    // SAFETY: signals to a process of this test.
    unsafe { libc::kill(pid, libc::SIGSTOP) };
    let taken = take(&mut opened, "thread_dump", Moment::Worst);
    unsafe { libc::kill(pid, libc::SIGCONT) };
    assert_eq!(taken.err().unwrap().message.id, "watch-jvm-attach-silent");
    let dumps = take(&mut opened, "thread_dump", Moment::Worst).unwrap();
    assert_eq!(dumps.len(), 3);
}

fn pid_of(subject: &Subject) -> i32 {
    i32::try_from(subject.child.id()).unwrap()
}
