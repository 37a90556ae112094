//! Rules of threads and CPUs on made-up evidence: what has the fault, and what only looks like it.
#![allow(clippy::unwrap_used, clippy::expect_used)]

mod advised;
mod beginning;
mod behind;
mod below;
mod by_turns;
mod cached;
mod causes;
mod consequences;
mod kept_apart;
mod on_the_way;
mod opened;
mod order;
mod passed_on;
mod pauses;
mod places;
mod polled;
mod pressed;
mod principles;
mod profiles;
mod quota;
mod raised;
mod refused;
mod refuted;
mod replicas;
mod waits;
mod warm_up;

use plimsoll_stats::ErrorKind;
use plimsoll_stats::series::EntityKind;

use crate::model::{Finding, Layer};
use crate::testing::{Made, thing};

pub(super) const JVM: &str = "java[8080]";
/// What is below each request of a Tomcat.
const SERVE: &str = "\tat org.apache.catalina.core.StandardWrapperValve.invoke(S.java:1)\n\
    \tat org.apache.catalina.connector.CoyoteAdapter.service(C.java:1)\n\
    \tat org.apache.coyote.http11.Http11Processor.service(H.java:1)\n\
    \tat org.apache.tomcat.util.net.NioEndpoint$SocketProcessor.doRun(N.java:1)\n\
    \tat org.apache.tomcat.util.threads.ThreadPoolExecutor.runWorker(T.java:1)\n";

/// A dump in which so many threads are in each of these states with these lines.
pub(super) fn dump(groups: &[(usize, &str, &str)]) -> String {
    let mut text = String::from("Full thread dump OpenJDK 64-Bit Server VM (17 mixed mode):\n\n");
    let mut number = 0;
    for (threads, state, lines) in groups {
        for _ in 0..*threads {
            number += 1;
            text += &format!(
                "\"http-nio-8080-exec-{number}\" #{number} daemon prio=5 os_prio=0 cpu=1.00ms \
                 elapsed=9.00s tid=0x{number:016x} nid=0x{number:x} runnable  \
                 [0x{number:016x}]\n   java.lang.Thread.State: {state}\n{lines}{SERVE}\n"
            );
        }
    }
    text
}

const SLEEPS: (&str, &str) = (
    "TIMED_WAITING (sleeping)",
    "\tat java.lang.Thread.sleep(Native Method)\n\tat shop.Page.show(Page.java:9)\n",
);
const WAITS_FOR_LOCK: (&str, &str) = (
    "BLOCKED (on object monitor)",
    "\tat shop.Stock.take(Stock.java:12)\n\t- waiting to lock <0x00000000e0000010> (a shop.Stock)\n\
     \tat shop.Page.show(Page.java:9)\n",
);
const HOLDS_LOCK_IN_CALL: (&str, &str) = (
    "RUNNABLE",
    "\tat sun.nio.ch.Net.poll(Native Method)\n\tat sun.nio.ch.NioSocketImpl.park(N.java:1)\n\
     \tat org.apache.hc.core5.http.io.Read.fill(R.java:1)\n\tat shop.Stock.ask(Stock.java:20)\n\
     \tat shop.Stock.take(Stock.java:13)\n\t- locked <0x00000000e0000010> (a shop.Stock)\n\
     \tat shop.Page.show(Page.java:9)\n",
);
const HOLDS_LOCK_ON_CPU: (&str, &str) = (
    "RUNNABLE",
    "\tat shop.Stock.count(Stock.java:30)\n\tat shop.Stock.take(Stock.java:13)\n\
     \t- locked <0x00000000e0000010> (a shop.Stock)\n\tat shop.Page.show(Page.java:9)\n",
);
const COMPUTES: (&str, &str) = ("RUNNABLE", "\tat shop.Page.show(Page.java:9)\n");

pub(super) fn with(made: Made, groups: &[(usize, (&str, &str))]) -> Made {
    with_of(made, JVM, groups)
}

/// Three dumps of the JVM of that name.
fn with_of(made: Made, name: &str, groups: &[(usize, (&str, &str))]) -> Made {
    let jvm = thing(EntityKind::Jvm, name);
    let groups: Vec<_> = groups
        .iter()
        .map(|(count, (state, lines))| (*count, *state, *lines))
        .collect();
    let text = dump(&groups);
    let made = made.gauge(&jvm, "jvm.thread.count", &[], 30.0);
    (0..3).fold(made, |made, _| {
        made.capture(&jvm, "thread_dump", "steady", &text)
    })
}

fn limits(found: &[Finding]) -> Vec<&'static str> {
    let limiting = found.iter().filter(|f| f.layer != Layer::Hint);
    limiting.map(|finding| finding.id).collect()
}

#[test]
fn a_lock_is_named_with_its_owner() {
    let made = Made::load(20.0, 1_000.0).process(JVM, 0.2, 2.0);
    let made = with(
        made,
        &[(18, WAITS_FOR_LOCK), (1, HOLDS_LOCK_IN_CALL), (1, COMPUTES)],
    );
    let found = made.all();
    assert_eq!(limits(&found), ["lock"]);
    let lock = &found[0];
    assert_eq!(
        (lock.object.kind, lock.object.name.as_str()),
        ("monitor", "shop.Stock")
    );
    assert!(
        (lock.explains.share - 0.9).abs() < 0.01,
        "{:?}",
        lock.explains
    );
    assert_eq!(lock.advice[0].why.id, "advice-lock-held-over-call");
    let owner = &lock.evidence[1];
    assert!(
        owner
            .lines
            .iter()
            .any(|line| line.contains("shop.Stock.ask")),
        "{owner:?}"
    );
}

#[test]
fn a_short_lock_on_a_full_cpu_is_a_symptom() {
    let full = Made::load(2_000.0, 10.0).process(JVM, 1.95, 2.0);
    let made = with(
        full,
        &[(6, WAITS_FOR_LOCK), (1, HOLDS_LOCK_ON_CPU), (13, COMPUTES)],
    );
    assert_eq!(limits(&made.all()), ["cpu"]);
    assert!(made.find("cpu").is_some_and(|cpu| cpu.healthy));
}

#[test]
fn children_of_php_fpm_are_counted_where_nobody_has_read_its_configuration() {
    let pool = thing(EntityKind::WebServer, "php-fpm:php8.2-fpm.sock");
    // 40 in flight; so many children, so many of them busy, which use so many of two CPUs.
    let made = |busy: f64, used: f64| {
        Made::load(400.0, 100.0)
            .process("php-fpm8.2[77]", used, 2.0)
            .gauge(&pool, "php_fpm.process.active.count", &[], busy)
            .gauge(&pool, "php_fpm.process.idle.count", &[], 10.0 - busy)
            .gauge(&pool, "php_fpm.process.count", &[], 10.0)
    };
    let workers = |made: Made| made.all().into_iter().find(|it| it.id == "worker_threads");
    let found = workers(made(10.0, 0.3)).unwrap();
    assert_eq!(found.layer, Layer::Cause);
    assert_eq!(found.advice[0].setting.as_deref(), Some("pm.max_children"));
    assert_eq!(workers(made(6.0, 0.3)), None);
    // More children would get nothing from CPUs that are used up, also where they serve at a socket without a port.
    let full = workers(made(10.0, 1.98)).unwrap();
    assert_eq!(full.layer, Layer::Hint);
    assert_eq!(full.advice[0].setting, None);
}

#[test]
fn workers_limit_only_where_they_wait_for_what_has_room() {
    let server = thing(EntityKind::WebServer, JVM);
    let pool = |made: Made, busy: f64| {
        let name = [("tomcat.thread.pool.name", "http-nio-8080")];
        made.gauge(&server, "tomcat.thread.busy.count", &name, busy)
            .gauge(&server, "tomcat.thread.limit", &name, 20.0)
    };
    // 40 in flight on 20 threads.
    let load = || Made::load(400.0, 100.0).process(JVM, 0.3, 2.0);
    let sleeping = with(pool(load(), 20.0), &[(20, SLEEPS)]);
    let found = sleeping.all();
    assert_eq!(limits(&found), ["worker_threads"]);
    let advice = &found[0].advice[0];
    assert_eq!(advice.setting.as_deref(), Some("server.tomcat.threads.max"));
    assert_eq!(advice.current.as_deref(), Some("20"));
    // The same threads before a lock: the lock is the cause.
    let locked = with(
        pool(load(), 20.0),
        &[(19, WAITS_FOR_LOCK), (1, HOLDS_LOCK_IN_CALL)],
    );
    let found = locked.all();
    assert_eq!(limits(&found), ["lock"]);
    let workers = found.iter().find(|finding| finding.id == "worker_threads");
    let advice = &workers.unwrap().advice[0];
    assert_eq!(advice.setting, None, "more threads would wait there, too");
    // Threads are free: the handler is slow, and nothing is wrong.
    let slow = with(
        pool(Made::load(60.0, 250.0).process(JVM, 0.3, 2.0), 15.0),
        &[(15, SLEEPS)],
    );
    let found = slow.all();
    assert_eq!(limits(&found), ["own_wait"], "the pause takes the time");
    assert!(found[0].healthy);
}

#[test]
fn a_pool_before_a_full_cpu_is_a_symptom() {
    let thing = thing(EntityKind::Pool, JVM);
    let of = |state| {
        [
            ("db.client.connection.pool.name", "main"),
            ("db.client.connection.state", state),
        ]
    };
    let name = [("db.client.connection.pool.name", "main")];
    let pool = |made: Made| {
        made.gauge(&thing, "db.client.connection.count", &of("used"), 10.0)
            .gauge(&thing, "db.client.connection.count", &of("idle"), 0.0)
            .gauge(&thing, "db.client.connection.max", &name, 10.0)
            .gauge(&thing, "db.client.connection.pending_requests", &name, 30.0)
    };
    // 40 in flight.
    let room = pool(Made::load(200.0, 200.0).process(JVM, 0.3, 2.0));
    let found = room.all();
    assert_eq!(limits(&found), ["connection_pool"]);
    assert!((found[0].explains.share - 0.75).abs() < 0.01);
    let full = pool(Made::load(200.0, 200.0).process(JVM, 0.3, 2.0).process(
        "mysqld[3306]",
        1.95,
        2.0,
    ));
    assert_eq!(limits(&full.all()), ["database_cpu"]);
}

#[test]
fn a_quiet_system_has_no_finding_and_ports_come_first() {
    let quiet = || Made::load(100.0, 20.0).process(JVM, 0.4, 2.0);
    assert!(quiet().all().is_empty());
    let ports = with(
        quiet().errors(ErrorKind::NoLocalPort, 1_500),
        &[(2, COMPUTES)],
    );
    assert_eq!(limits(&ports.all()), ["generator_ports"]);
}

#[test]
fn a_run_near_the_generators_ceiling_is_told_so() {
    let layer = |made: Made| made.find("generator_near_limit").map(|found| found.layer);
    let load = || Made::load(1_000.0, 2.0).process(JVM, 0.4, 2.0);
    assert_eq!(layer(load()), None);
    assert_eq!(layer(load().ceiling(2_000.0)), None);
    assert_eq!(layer(load().ceiling(1_200.0)), Some(Layer::Hint));
    assert_eq!(layer(load().ceiling(1_020.0)), Some(Layer::Measurement));
    // What is known to limit it says more.
    let ports = load()
        .ceiling(1_020.0)
        .errors(ErrorKind::NoLocalPort, 5_000);
    assert_eq!(layer(ports), None);
}

#[test]
fn a_slow_dependency_is_named_with_its_port() {
    let client = thing(EntityKind::Client, JVM);
    let host = thing(EntityKind::Host, "");
    let waits = (
        "RUNNABLE",
        "\tat sun.nio.ch.Net.poll(Native Method)\n\tat sun.nio.ch.NioSocketImpl.park(N.java:1)\n\
         \tat org.apache.hc.core5.http.io.Read.fill(R.java:1)\n\tat shop.Stock.ask(Stock.java:20)\n",
    );
    let to = [("server.address", "10.0.0.9")];
    let open = |made: Made, port: &str, count: f64| {
        let with = [
            ("network.connection.state", "established"),
            ("server.address", "10.0.0.9"),
            ("server.port", port),
        ];
        made.gauge(&host, "system.network.peer.connection.count", &with, count)
    };
    let made = || {
        let made = Made::load(100.0, 100.0)
            .process(JVM, 0.2, 2.0)
            .counter(&client, "http.client.request.duration.sum", &to, 9.0)
            .counter(&client, "http.client.request.duration.count", &to, 100.0);
        let made = open(made, "9090", 10.0).process("redis-server[6379]", 0.1, 2.0);
        with(open(made, "6379", 20.0), &[(9, waits), (1, COMPUTES)])
    };
    let name = |made: &Made| made.find("slow_dependency").map(|found| found.object.name);
    assert_eq!(name(&made()).as_deref(), Some("10.0.0.9:9090"));
    // Of two that may be it none is named.
    let two = open(made(), "9091", 12.0);
    assert_eq!(name(&two).as_deref(), Some("10.0.0.9"));
    // A few connections are not what all these threads wait for.
    let few = open(made(), "9092", 1.0);
    assert_eq!(name(&few).as_deref(), Some("10.0.0.9:9090"));
}

/// A recording with so many CPU samples of each stack, and waits of so many ms each second.
fn recording(cpu: &[(usize, &[&str])], waits: &[(&str, f64, &[&str])]) -> String {
    let mut profile = crate::samples::StackSamples::default();
    let stack = |profile: &mut crate::samples::StackSamples, calls: &[&str]| {
        let calls = calls.iter().map(|call| (*call).to_owned()).collect();
        profile.stacks.push(calls);
        profile.stacks.len() - 1
    };
    for (count, calls) in cpu {
        let stack = stack(&mut profile, calls);
        let at = |number: i64| crate::samples::CpuSample {
            at_ms: 100 + number * 10,
            stack,
        };
        let count = i64::try_from(*count).unwrap();
        profile.cpu.extend((0..count).map(at));
    }
    for (class, lasted_ms, calls) in waits {
        let stack = stack(&mut profile, calls);
        let at = |second: i64| crate::samples::LockWait {
            at_ms: second * 1_000,
            lasted_ms: *lasted_ms,
            class: (*class).to_owned(),
            stack,
        };
        profile.waits.extend((0..20).map(at));
    }
    serde_json::to_string(&profile).unwrap()
}

#[test]
fn a_recording_names_the_library_that_takes_the_cpu() {
    let jvm = thing(EntityKind::Jvm, JVM);
    let json: &[&str] = &[
        "org.json.JSONTokener.next:1",
        "org.json.JSONObject.put:2",
        "shop.Page.show:9",
    ];
    let own: &[&str] = &["shop.Page.count:30", "shop.Page.show:12"];
    let full = |in_json, elsewhere| {
        Made::load(2_000.0, 10.0).process(JVM, 1.95, 2.0).capture(
            &jvm,
            "jfr",
            "end",
            &recording(&[(in_json, json), (elsewhere, own)], &[]),
        )
    };
    let finding = full(70, 30).find("hot_code").expect("a library");
    assert_eq!(
        (finding.layer, finding.explains.of),
        (Layer::Cause, crate::ShareOf::ResponseTime)
    );
    assert!(finding.object.name.starts_with("org.json."), "{finding:?}");
    assert!((finding.explains.share - 0.7 * 0.975).abs() < 0.01);
    assert!(
        finding
            .evidence
            .iter()
            .any(|e| e.text.id == "exhibit-jfr-samples")
    );
    // Mostly its own code, and too few samples to say anything.
    assert!(full(10, 90).find("hot_code").is_none());
    assert!(full(14, 6).find("hot_code").is_none());
    let damaged = Made::load(2_000.0, 10.0).process(JVM, 1.95, 2.0).capture(
        &jvm,
        "jfr",
        "end",
        "{\"stacks\": 7}",
    );
    assert!(damaged.find("hot_code").is_none());
}

#[test]
fn a_recording_names_the_monitor_that_is_waited_for() {
    let jvm = thing(EntityKind::Jvm, JVM);
    let calls: &[&str] = &["shop.Stock.take:12", "shop.Page.show:9"];
    // 20 in flight.
    let load = || Made::load(200.0, 100.0).process(JVM, 0.2, 2.0);
    let waiting = |ms| recording(&[], &[("shop.Stock", ms, calls)]);
    let made = load().capture(&jvm, "jfr", "end", &waiting(15_000.0));
    let lock = made.find("lock").expect("a lock");
    assert_eq!(
        (lock.object.kind, lock.object.name.as_str(), lock.layer),
        ("monitor", "shop.Stock", Layer::Cause)
    );
    assert!(
        (lock.explains.share - 0.75).abs() < 0.01,
        "{:?}",
        lock.explains
    );
    let few = load().capture(&jvm, "jfr", "end", &waiting(500.0));
    assert!(few.find("lock").is_none());
    // Dumps say more; the recording is further evidence.
    let both = with(
        load(),
        &[(15, WAITS_FOR_LOCK), (1, HOLDS_LOCK_IN_CALL), (4, COMPUTES)],
    )
    .capture(&jvm, "jfr", "end", &waiting(15_000.0));
    let found = both.all();
    let locks: Vec<_> = found.iter().filter(|found| found.id == "lock").collect();
    assert_eq!(locks.len(), 1);
    assert!(
        locks[0]
            .evidence
            .iter()
            .any(|e| e.text.id == "exhibit-jfr-waits")
    );
}

#[test]
fn where_the_cpu_goes_is_not_told_by_few_samples() {
    let yields: &[&str] = &[
        "java.lang.Thread.yield",
        "com.zaxxer.hikari.util.Bag.requite",
    ];
    let wakes: &[&str] = &["jdk.internal.misc.Unsafe.unpark", "shop.Queue.put"];
    let computes: &[&str] = &["shop.Page.show"];
    let missing = |groups: &[(usize, &[&str])], used| {
        let made = Made::load(200.0, 100.0).process(JVM, used, 2.0);
        let missing = made.threads(groups).diagnose().missing;
        let ids: Vec<_> = missing.into_iter().map(|message| message.id).collect();
        ids.iter().any(|id| id == "diagnosis-missing-profile")
    };
    // Three dumps each: a thread that lets others go first is seen where it has no CPU.
    assert!(missing(&[(15, yields), (5, computes)], 1.98));
    assert!(missing(&[(10, yields), (5, wakes), (5, computes)], 1.98));
    assert!(!missing(&[(12, yields), (8, computes)], 1.98));
    assert!(!missing(&[(15, yields), (5, computes)], 0.9));
}

#[test]
fn who_takes_the_cpu_from_outside_is_told() {
    let host = thing(EntityKind::Host, "");
    let process = thing(EntityKind::Process, JVM);
    let made = |used: f64, waits: f64, idle: f64| {
        Made::load(100.0, 200.0)
            .process(JVM, used, 8.0)
            .counter(
                &host,
                "system.cpu.time",
                &[("cpu.mode", "user")],
                8.0 - idle,
            )
            .counter(&host, "system.cpu.time", &[("cpu.mode", "idle")], idle)
            .counter(&process, "process.cpu.wait_time", &[], waits)
    };
    let found = made(2.0, 15.0, 0.1).all();
    assert_eq!(limits(&found), ["cpu_taken"], "{found:?}");
    // The host has room; it is the process itself; those that are watched use the CPU.
    assert_eq!(limits(&made(2.0, 15.0, 3.0).all()), Vec::<&str>::new());
    assert_eq!(limits(&made(7.8, 15.0, 0.1).all()), ["cpu"]);
    let database = thing(EntityKind::Process, "mariadbd[3306]");
    let busy = made(2.0, 15.0, 0.1).counter(&database, "process.cpu.time", &[], 5.5);
    assert_eq!(limits(&busy.all()), ["cpu"]);
    // None is at a limit of its own, and nobody waits long: the host's CPUs are all in use.
    let found = made(6.0, 1.0, 0.1).all();
    assert_eq!(limits(&found), ["host_cpu"], "{found:?}");
    assert!(found[0].healthy);
    let found = made(4.5, 1.0, 0.1).all();
    assert_eq!((found[0].id, found[0].healthy), ("host_cpu", false));
    // A handler that sleeps does not care.
    assert_eq!(limits(&made(0.2, 0.2, 0.1).all()), Vec::<&str>::new());
    // What another machine took nobody here has taken.
    let stolen = |steal: f64, idle: f64| {
        let mut made = Made::load(100.0, 200.0).process(JVM, 4.0, 8.0);
        for (mode, cpus) in [
            ("user", 8.0 - idle - steal),
            ("idle", idle),
            ("steal", steal),
        ] {
            made = made.counter(&host, "system.cpu.time", &[("cpu.mode", mode)], cpus);
        }
        made.counter(&process, "process.cpu.wait_time", &[], 15.0)
    };
    let found = stolen(4.0, 0.0).all();
    assert_eq!(limits(&found), ["cpu_stolen", "cpu"], "{found:?}");
    assert!((found[0].explains.share - 0.5).abs() < 0.01, "{found:?}");
    // 20 requests are in flight: at most 3 of them waited for what was taken.
    let found = stolen(3.0, 1.0).all();
    assert_eq!(limits(&found), ["cpu_stolen"], "{found:?}");
    assert!((found[0].explains.share - 0.15).abs() < 0.01, "{found:?}");
    assert!(stolen(0.3, 3.0).find("cpu_stolen").is_none());
    // The few threads of a runtime that may use one CPU want it all the time: its requests queue in it.
    let one_cpu = |made: Made| made.gauge(&process, "process.cpu.available", &[], 1.0);
    let found = one_cpu(made(0.4, 0.6, 0.1)).all();
    assert_eq!(limits(&found), ["cpu_taken"], "{found:?}");
    assert_eq!(
        limits(&one_cpu(made(0.3, 0.4, 0.1)).all()),
        Vec::<&str>::new()
    );
}
