//! Rules by principle: what limits is named from made-up evidence of any runtime, and what the run's own
//! figures refute is not.

use plimsoll_stats::ErrorKind;
use plimsoll_stats::series::EntityKind;
use serde_json::{Value, json};

use super::{JVM, with};
use crate::DiagnosisOutcome;
use crate::model::{Finding, Layer, ShareOf};
use crate::testing::{Made, thing};

pub(super) const FRONT: &str = "shop[8000]";
pub(super) const BACK: &str = "price[8001]";

pub(super) fn level(mean: f64) -> Value {
    json!({"mean": mean, "max": mean, "shares": [[mean, 1.0]]})
}

pub(super) fn hop(client: &str, server: &str, address: &str, per_s: f64, in_flight: f64) -> Value {
    json!({
        "client": {"process": client, "address": "127.0.0.1", "is_generator": client.starts_with("plimsoll")},
        "server": {"process": server, "address": address},
        "decided": true, "requests_per_s": per_s, "in_flight": level(in_flight),
        "response_ms": {"mean": in_flight / per_s.max(1e-9) * 1e3},
    })
}

/// A process to which so many requests a second come; how many it has at a time, and how many of these wait for others.
pub(super) fn serves(process: &str, per_s: f64, has: f64, waiting: f64) -> Value {
    json!({
        "process": process, "requests_per_s": per_s, "in_flight": level(has),
        "waiting_for_others": waiting, "inside": level(has - waiting),
    })
}

/// 100 requests a second of 100 ms at a service, and what packets saw of its calls.
pub(super) fn calls(hops: &[Value], waiting: f64, more: Value) -> Made {
    calls_using(hops, waiting, more, [0.2, 0.1])
}

/// The same of two processes that use so many CPUs each.
pub(super) fn calls_using(hops: &[Value], waiting: f64, more: Value, used: [f64; 2]) -> Made {
    let mut all = vec![hop("plimsoll[7]", FRONT, "127.0.0.1:8000", 100.0, 9.9)];
    all[0]["failed"] = json!(0);
    all.extend(hops.iter().cloned());
    let mut wire = json!({
        "version": 1, "lasts_ms": 3000.0, "hops": all,
        "processes": [serves(FRONT, 100.0, 9.9, waiting)],
    });
    if !more.is_null() {
        wire["slowest"] = more;
    }
    let host = thing(EntityKind::Host, "");
    Made::load(100.0, 100.0)
        .at("http://127.0.0.1:8000/")
        .process(FRONT, used[0], 2.0)
        .process(BACK, used[1], 2.0)
        .capture(&host, "wire", "steady", &wire.to_string())
}

fn failing(per_s: f64, failed_per_s: f64) -> Made {
    let mut back = hop(FRONT, BACK, "127.0.0.1:8001", per_s, 2.0);
    back["failed"] = json!(failed_per_s * 3.0);
    calls(&[back], 2.0, Value::Null)
}

#[test]
fn calls_that_fail_and_are_asked_again_are_found_without_any_error() {
    let finding = failing(160.0, 60.0).find("retries").unwrap();
    assert_eq!(finding.layer, Layer::Cause);
    assert_eq!(finding.object.name, format!("{FRONT} → {BACK}"));
    assert!(
        format!("{:?}", finding.args).contains("again"),
        "{finding:?}"
    );
    assert!(finding.explains.share > 0.7, "{:?}", finding.explains);
    // It is what the diagnosis says first.
    let first = &failing(160.0, 60.0).diagnose().findings[0];
    assert_eq!(first.id, "retries");
    // Failures that the caller passes on are no retries, nor are a few; nor are calls that succeed.
    assert_eq!(failing(160.0, 0.0).find("retries"), None);
    assert_eq!(failing(100.0, 2.0).find("retries"), None);
    let mut back = hop(FRONT, BACK, "127.0.0.1:8001", 100.0, 2.0);
    back["failed"] = json!(180.0);
    let mut front = hop("plimsoll[7]", FRONT, "127.0.0.1:8000", 0.001, 0.0);
    front["failed"] = json!(180.0);
    assert_eq!(
        calls(&[back, front], 2.0, Value::Null).find("retries"),
        None
    );
    // Two calls for each request, of which a third fails and is repeated.
    let twice = failing(300.0, 100.0).find("retries").unwrap();
    assert!(format!("{:?}", twice.args).contains("again"), "{twice:?}");
}

#[test]
fn one_slow_server_of_several_is_named() {
    let server = |port: u16, ms: f64| {
        let address = format!("10.0.0.2:{port}");
        hop(FRONT, "", &address, 30.0, 30.0 * ms / 1e3)
    };
    let made = |ms: f64| {
        calls(
            &[server(1, 20.0), server(2, 20.0), server(3, ms)],
            3.0,
            Value::Null,
        )
    };
    let finding = made(150.0).find("some_requests_slow").unwrap();
    assert_eq!(finding.object.name, "10.0.0.2:3");
    assert_eq!(finding.layer, Layer::Cause);
    assert_eq!(made(25.0).find("some_requests_slow"), None);
    // Two may do different things.
    let two = calls(&[server(1, 20.0), server(2, 150.0)], 3.0, Value::Null);
    assert_eq!(two.find("some_requests_slow"), None);
}

#[test]
fn the_slow_requests_are_told_by_label_and_by_whom_they_wait_for() {
    let by_label = |share: f64| {
        Made::load(100.0, 40.0)
            .spread(20.0, 200.0)
            .label("list", 1.0 - share, 20.0)
            .label("search", share, 220.0)
    };
    let finding = by_label(0.1).find("some_requests_slow").unwrap();
    assert_eq!(finding.object.name, "search");
    // Most of the requests are no part of them; and what queues is as far apart by itself.
    assert_eq!(by_label(0.6).find("some_requests_slow"), None);
    let queue = Made::load(100.0, 40.0).spread(28.0, 120.0);
    assert_eq!(queue.find("some_requests_slow"), None);
    let slowest = json!({
        "percentile": 95, "from_ms": 400.0, "requests": 15, "mean_ms": 500.0,
        "processes": [{
            "process": FRONT, "stay_ms": 500.0, "inside_ms": 40.0, "undecided_ms": 10.0,
            "calls": [{"process": "", "address": "10.0.0.9:443", "ms": 450.0, "calls": 1.0}],
        }],
    });
    let partner = hop(FRONT, "", "10.0.0.9:443", 10.0, 5.0);
    let made = calls(&[partner], 5.0, slowest).spread(30.0, 420.0);
    let account = made.diagnose().account.unwrap();
    let told = account.slowest.unwrap();
    let sum: f64 = told.parts.iter().map(|part| part.ms).sum();
    assert!((sum - 500.0).abs() < 1.0, "{told:?}");
    assert_eq!(told.parts[0].peer, "10.0.0.9:443");
    assert!(told.parts[0].all_ms.unwrap() < 60.0, "{told:?}");
    let finding = made.find("some_requests_slow").unwrap();
    assert_eq!(
        (finding.object.name.as_str(), finding.layer),
        ("10.0.0.9:443", Layer::Cause)
    );
}

#[test]
fn threads_that_wait_for_a_disk_are_a_resource_with_their_files() {
    let threads = |fsync: f64| {
        json!({
            "classes": [{"name": "shop", "threads": 10, "running": 0.2, "fsync": fsync, "poll": 9.8 - fsync}],
            "files": [{"path": "/var/lib/shop/notes", "waits": 120}],
        })
    };
    let made = |fsync: f64| {
        calls(&[], 0.0, Value::Null).capture(
            &thing(EntityKind::Process, FRONT),
            "thread_states",
            "steady",
            &threads(fsync).to_string(),
        )
    };
    let finding = made(6.0).find("blocked_io").unwrap();
    assert_eq!(finding.layer, Layer::Resource);
    assert!((finding.explains.share - 0.6).abs() < 0.05, "{finding:?}");
    assert_eq!(finding.evidence[0].lines, ["/var/lib/shop/notes (120)"]);
    assert_eq!(made(1.0).find("blocked_io"), None);
}

/// Stacks of waiting threads, as many looks as there are of the first state.
fn waiting(at: u64, past: u64) -> Made {
    waiting_in("futex", "acquire", at, past)
}

fn waiting_in(state: &str, by: &str, at: u64, past: u64) -> Made {
    let waits = state;
    let frame = |function: &str, line: u32, library: Option<&str>| json!({"function": function, "file": "/srv/shop.py", "line": line, "library": library, "kind": "interpreted"});
    let stack = |state: &str, count: u64, calls: &[usize]| json!({"state": state, "thread": "shop", "count": count, "calls": calls});
    let told = json!({
        "schema": "plimsoll.stacks/1", "from_unix_ns": 1, "lasted_s": 3.0, "pid": 7, "processes": 1,
        "runtime": null, "cpus": 2, "samples_per_cpu_and_second": 97, "samples": 0, "looks": 50, "lost": 0,
        "whole": 0, "unnamed_places": 0, "cost_s": 0.01, "others": 0,
        "frames": [
            frame(by, 0, Some("threading")), frame("shop.enter", 6, None),
            frame("shop.hold", 4, None),
        ],
        "stacks": [stack(waits, at, &[0, 1]), stack("sleep", past, &[2, 1])],
    });
    calls(&[], 0.0, Value::Null).capture(
        &thing(EntityKind::Process, FRONT),
        "stacks",
        "steady",
        &told.to_string(),
    )
}

#[test]
fn a_place_where_threads_of_any_runtime_wait_for_each_other_is_one_finding() {
    let found = waiting(300, 100).all();
    let finding = found
        .iter()
        .find(|finding| finding.id == "blocked_place")
        .unwrap();
    assert_eq!(finding.object.name, "shop.enter (shop.py:6)");
    assert_eq!(finding.layer, Layer::Cause);
    assert!((finding.explains.share - 0.6).abs() < 0.05, "{finding:?}");
    // Nobody is past it: threads that wait for work. More threads than requests: they serve nobody.
    assert!(waiting(300, 0).find("blocked_place").is_none());
    assert!(waiting(3_000, 100).find("blocked_place").is_none());
    assert!(waiting(50, 100).find("blocked_place").is_none());
    // Who sleeps waits for others only where it tries to take a lock again and again.
    let sleeping = |by: &str| waiting_in("sleep", by, 300, 100).find("blocked_place");
    assert!(sleeping("session_start").is_some());
    assert!(sleeping("usleep").is_none());
}

#[test]
fn a_busy_process_has_its_queue_for_the_cpu_in_the_account() {
    let made = |used: f64| {
        let mut made = calls(&[], 0.0, Value::Null);
        made = made.without_process(FRONT).process(FRONT, used, 2.0);
        made.fastest(20.0)
    };
    let share = |used: f64| {
        let account = made(used).diagnose().account.unwrap();
        account.share(|part| part.kind == crate::account::PartKind::CpuWait)
    };
    // 100 ms, of which the quickest need 20, whatever they do in these.
    assert!((share(1.9) - 0.8).abs() < 0.05, "{}", share(1.9));
    assert!(share(0.2) < 0.01);
}

#[test]
fn what_a_busy_host_leaves_little_to_computes_all_the_same() {
    let frame = |function: &str, library: Option<&str>| json!({"function": function, "file": "/srv/shop.js", "line": 1, "library": library, "kind": "native"});
    let told = json!({
        "schema": "plimsoll.stacks/1", "from_unix_ns": 1, "lasted_s": 3.0, "pid": 7, "processes": 1,
        "runtime": null, "cpus": 2, "samples_per_cpu_and_second": 97, "samples": 120, "looks": 0, "lost": 0,
        "whole": 120, "unnamed_places": 0, "cost_s": 0.01, "others": 0,
        "frames": [frame("quote", Some("pricing")), frame("showPrice", None)],
        "stacks": [{"state": "cpu", "thread": "shop", "count": 120, "calls": [0, 1]}],
    });
    let made = |runnable: f64| {
        let threads = json!({"event_loops": [
            {"thread": "shop", "running": 0.3, "runnable": runnable, "polling": 0.7 - runnable},
        ], "classes": [{"name": "shop", "threads": 1, "running": 0.3, "runnable": runnable}]});
        let process = thing(EntityKind::Process, FRONT);
        calls(&[], 0.0, Value::Null)
            .capture(&process, "thread_states", "steady", &threads.to_string())
            .capture(&process, "stacks", "steady", &told.to_string())
            .find("hot_code")
    };
    let finding = made(0.65).unwrap();
    assert_eq!(finding.object.name, "quote");
    assert!(
        format!("{:?}", finding.args).contains("showPrice"),
        "{finding:?}"
    );
    assert_eq!(made(0.1), None);
}

#[test]
fn errors_are_named_before_their_status() {
    let proxy = thing(EntityKind::Proxy, "nginx:80");
    let refused = [("nginx.error", "upstream_refused")];
    let logged = || {
        Made::load(100.0, 30.0)
            .process("nginx[80]", 0.1, 2.0)
            .counter(&proxy, "nginx.requests", &[], 100.0)
            .counter(&proxy, "nginx.error_log.events", &refused, 60.0)
            .responded("502", 1_200)
    };
    let found = logged().all();
    assert_eq!(found[0].id, "logged_errors", "{found:?}");
    let status = found.iter().find(|finding| finding.id == "failed_requests");
    assert_eq!(status.unwrap().layer, Layer::Hint);
    // A limit that was reached says more than the line of it.
    let database = thing(EntityKind::Database, "postgresql:5432");
    let full = logged()
        .gauge(&database, "postgresql.connection.max", &[], 100.0)
        .gauge(&database, "postgresql.connection.count", &[], 100.0);
    let found = full.all();
    assert_eq!(found[0].id, "connection_limit", "{found:?}");
    assert_eq!(
        found[0].advice[0].setting.as_deref(),
        Some("max_connections")
    );
    let limits = |finding: &&Finding| finding.layer != Layer::Hint;
    assert_eq!(found.iter().filter(limits).count(), 1, "{found:?}");
    let room = logged()
        .gauge(&database, "postgresql.connection.max", &[], 100.0)
        .gauge(&database, "postgresql.connection.count", &[], 50.0);
    assert_eq!(room.find("connection_limit"), None);
}

#[test]
fn quick_errors_come_before_the_generator_that_they_keep_busy() {
    let made = |failed: u64| {
        Made::load(1_000.0, 3.0)
            .generator_busy()
            .responded("503", failed)
    };
    let found = made(19_000).all();
    assert_eq!(found[0].id, "failed_requests", "{found:?}");
    assert_eq!(made(1_000).all()[0].id, "generator_cpu");
}

#[test]
fn a_link_that_is_full_of_something_else_limits_nothing() {
    let host = thing(EntityKind::Host, "");
    let link = [("network.interface.name", "eth0")];
    let sends = [
        ("network.interface.name", "eth0"),
        ("network.io.direction", "transmit"),
    ];
    let made = |bytes: u64| {
        Made::load(96.0, 20.0)
            .received(bytes)
            .gauge(&host, "system.network.bandwidth.limit", &link, 12.5e6)
            .counter(&host, "system.network.io", &sends, 12.4e6)
    };
    let own = made(125_000).find("network_full").unwrap();
    assert_eq!(own.layer, Layer::Cause);
    let others = made(590).find("network_full").unwrap();
    assert_eq!(others.layer, Layer::Hint);
    // Nothing is said to be without limits in one line and exhausted in the next.
    let diagnosis = made(590).diagnose();
    let summary = crate::json::summary(&diagnosis);
    assert!(
        diagnosis.outcome != DiagnosisOutcome::Nothing || summary.id == "diagnosis-nothing-beside",
        "{summary:?}"
    );
}

#[test]
fn a_full_accept_queue_of_somebody_else_is_not_the_targets() {
    let host = thing(EntityKind::Host, "");
    let made = |port: &str, name: &str| {
        let of = [("server.port", port)];
        Made::load(100.0, 300.0)
            .process(name, 0.1, 2.0)
            .counter(&host, "system.tcp.listen.overflows", &[], 5.0)
            .gauge(&host, "system.tcp.listen.queue.length", &of, 128.0)
            .gauge(&host, "system.tcp.listen.queue.limit", &of, 128.0)
            .errors(ErrorKind::ConnectTimeout, 400)
    };
    let other = made("3306", "gunicorn[8000]").find("accept_queue").unwrap();
    assert_eq!(other.layer, Layer::Hint);
    let own = made("8000", "gunicorn[8000]").find("accept_queue").unwrap();
    assert_eq!(
        (own.layer, own.object.name.as_str()),
        (Layer::Cause, "8000")
    );
    // In words of the server at hand: gunicorn has none of Tomcat's settings.
    assert!(
        own.advice.iter().all(|advice| advice.setting.is_none()),
        "{own:?}"
    );
    let mysql = made("3306", "mysqld[3306]").find("accept_queue").unwrap();
    assert_eq!(mysql.advice[0].setting.as_deref(), Some("back_log"));
}

#[test]
fn somebody_elses_death_for_want_of_memory_explains_no_status() {
    let host = thing(EntityKind::Host, "");
    let killed = || Made::load(100.0, 20.0).counter(&host, "system.memory.oom_kills", &[], 0.1);
    let others = killed().responded("500", 300).find("oom_kill").unwrap();
    assert_eq!(others.layer, Layer::Hint);
    let ours = killed().errors(ErrorKind::ConnectionReset, 300);
    assert_eq!(ours.find("oom_kill").unwrap().layer, Layer::Cause);
}

#[test]
fn a_pool_that_nobody_works_with_leaks() {
    const IN_POOL: (&str, &str) = (
        "TIMED_WAITING (parking)",
        "\tat jdk.internal.misc.Unsafe.park(Native Method)\n\
         \tat com.zaxxer.hikari.pool.HikariPool.getConnection(HikariPool.java:1)\n\
         \tat com.shop.Orders.open(Orders.java:3)\n",
    );
    const AT_DATABASE: (&str, &str) = (
        "RUNNABLE",
        "\tat sun.nio.ch.SocketDispatcher.read0(Native Method)\n\
         \tat org.mariadb.jdbc.client.socket.impl.PacketReader.readReusablePacket(P.java:1)\n\
         \tat com.shop.Orders.open(Orders.java:4)\n",
    );
    let pool = thing(EntityKind::Pool, JVM);
    let name = [("db.client.connection.pool.name", "main")];
    let used = [name[0], ("db.client.connection.state", "used")];
    let made = |at_database: usize| {
        let made = Made::load(2.0, 10_000.0)
            .process(JVM, 0.1, 2.0)
            .gauge(&pool, "db.client.connection.max", &name, 10.0)
            .gauge(&pool, "db.client.connection.count", &used, 10.0)
            .gauge(&pool, "db.client.connection.pending_requests", &name, 18.0);
        with(made, &[(18, IN_POOL), (at_database, AT_DATABASE)])
    };
    let leak = made(0).find("connection_leak").unwrap();
    assert_eq!(
        (leak.layer, leak.object.name.as_str()),
        (Layer::Cause, "main")
    );
    assert_eq!(made(0).find("connection_pool"), None);
    assert_eq!(made(10).find("connection_leak"), None);
    let busy = made(10).find("connection_pool").unwrap();
    assert!(busy.advice[0].proposed.is_some(), "{busy:?}");
    // "The database has room" is said only where it was seen, and no larger pool where it takes no more.
    let room = |finding: &Finding| {
        format!(
            "{:?}",
            finding.args.iter().find(|(name, _)| *name == "room")
        )
    };
    assert!(room(&busy).contains("unknown"), "{}", room(&busy));
    let seen = made(10)
        .process("mysqld[3306]", 0.1, 2.0)
        .find("connection_pool")
        .unwrap();
    assert!(room(&seen).contains("seen"));
    // A pooler's size is called as the pooler calls it.
    let size = |finding: &Finding| finding.advice[0].setting.clone().unwrap_or_default();
    assert!(size(&busy).contains("hikari"), "{busy:?}");
    let pooler = made(10).fact(&pool, "pgbouncer.default_pool_size", "10");
    assert_eq!(
        size(&pooler.find("connection_pool").unwrap()),
        "default_pool_size"
    );
    let database = thing(EntityKind::Database, "postgresql:5432");
    let limited = made(10)
        .gauge(&database, "postgresql.connection.max", &[], 10.0)
        .gauge(&database, "postgresql.connection.count", &[], 10.0);
    assert_eq!(limited.all()[0].id, "connection_limit");
    let pool = limited.find("connection_pool").unwrap();
    assert_eq!(pool.layer, Layer::Hint);
    assert!(
        pool.advice.iter().all(|advice| advice.proposed.is_none()),
        "{pool:?}"
    );
}

const LOOP: &str = "\tat io.netty.channel.nio.NioEventLoop.run(NioEventLoop.java:1)\n";

#[test]
fn full_event_loops_are_never_to_become_more() {
    blocked_loops("worker-loop-", LOOP);
    // Undertow's are known by their names.
    blocked_loops("XNIO-1 I/O-", "");
}

fn blocked_loops(name: &str, run: &str) {
    let jvm = thing(EntityKind::Jvm, JVM);
    let thread = |number: usize, state: &str, calls: &str| {
        format!(
            "\"{name}{number}\" #{number} prio=5 os_prio=0 cpu=1.00ms elapsed=9.00s \
             tid=0x{number:016x} nid=0x{number:x} runnable  [0x{number:016x}]\n   \
             java.lang.Thread.State: {state}\n{calls}{run}\n"
        )
    };
    let sleeps = "\tat java.lang.Thread.sleep(Native Method)\n\tat shop.Page.show(Page.java:3)\n\
                  \tat jakarta.servlet.http.HttpServlet.service(H.java:1)\n";
    let all: String = (1..=2)
        .map(|number| thread(number, "TIMED_WAITING (sleeping)", sleeps))
        .collect();
    let text = format!("Full thread dump OpenJDK 64-Bit Server VM (17 mixed mode):\n\n{all}");
    let made = Made::load(40.0, 500.0)
        .at("http://127.0.0.1:8080/")
        .process(JVM, 0.1, 2.0)
        .gauge(&jvm, "jvm.thread.count", &[], 30.0);
    let made = (0..3).fold(made, |made, _| {
        made.capture(&jvm, "thread_dump", "steady", &text)
    });
    assert_eq!(made.find("worker_threads"), None);
    let finding = made.find("event_loop_blocked").unwrap();
    assert_eq!(finding.layer, Layer::Cause);
    assert!(
        finding
            .advice
            .iter()
            .all(|advice| advice.proposed.is_none())
    );
    // "The code itself waits" is noise beside it.
    assert_eq!(made.find("own_wait"), None);
}

#[test]
fn what_is_made_for_each_request_is_named() {
    const MAKES: (&str, &str) = (
        "RUNNABLE",
        "\tat sun.security.ssl.SSLContextImpl.engineInit(S.java:1)\n\
         \tat org.apache.http.impl.client.HttpClientBuilder.build(HttpClientBuilder.java:1)\n\
         \tat shop.Partner.ask(Partner.java:9)\n",
    );
    const COMPUTES: (&str, &str) = ("RUNNABLE", "\tat shop.Page.show(Page.java:9)\n");
    const LISTS: (&str, &str) = (
        "RUNNABLE",
        "\tat java.util.ArrayList.<init>(ArrayList.java:1)\n\tat shop.Page.show(Page.java:9)\n",
    );
    let made = |makes: usize, group| {
        let made = Made::load(100.0, 100.0).process(JVM, 0.9, 2.0);
        with(made, &[(makes, group), (10 - makes, COMPUTES)]).find("created_each_time")
    };
    let finding = made(5, MAKES).unwrap();
    assert_eq!(
        (finding.object.name.as_str(), finding.layer),
        ("shop.Partner.ask", Layer::Cause)
    );
    assert!(format!("{:?}", finding.args).contains("HttpClientBuilder.build"));
    assert_eq!(made(1, MAKES), None);
    assert_eq!(made(5, LISTS), None);
}

#[test]
fn a_cache_that_loads_all_the_time_does_not_help() {
    let in_load = |inner: &str| {
        format!(
            "\tat java.lang.Thread.sleep(Native Method)\n{inner}\
             \tat com.github.benmanes.caffeine.cache.BoundedLocalCache.doComputeIfAbsent(B.java:1)\n\
             \tat shop.Prices.get(Prices.java:2)\n"
        )
    };
    let loads = in_load("\tat shop.Prices.load(Prices.java:7)\n");
    let made = |count: usize| {
        let made = Made::load(100.0, 100.0).process(JVM, 0.2, 2.0);
        let groups = [
            (count, ("TIMED_WAITING (sleeping)", loads.as_str())),
            (
                10 - count,
                ("RUNNABLE", "\tat shop.Page.show(Page.java:9)\n"),
            ),
        ];
        with(made, &groups).find("cache_loads")
    };
    assert_eq!(made(9).unwrap().object.name, "shop.Prices.load");
    assert_eq!(made(3), None);
}

#[test]
fn a_quota_that_stops_a_process_while_cpus_idle_is_not_as_it_should_be() {
    let host = thing(EntityKind::Host, "");
    let process = thing(EntityKind::Process, JVM);
    let made = |throttled: f64, busy: f64| {
        Made::load(100.0, 100.0)
            .process(JVM, 0.97, 1.0)
            .counter(
                &host,
                "system.cpu.time",
                &[("cpu.mode", "user")],
                8.0 * busy,
            )
            .counter(
                &host,
                "system.cpu.time",
                &[("cpu.mode", "idle")],
                8.0 * (1.0 - busy),
            )
            .counter(&process, "cgroup.cpu.periods", &[], 10.0)
            .counter(
                &process,
                "cgroup.cpu.throttled.periods",
                &[],
                10.0 * throttled,
            )
            .diagnose()
            .outcome
    };
    assert_eq!(made(0.9, 0.2), DiagnosisOutcome::Found);
    // A useful server at 97 % of what it may use; and a host that has no more.
    assert_eq!(made(0.0, 0.2), DiagnosisOutcome::Healthy);
    assert_eq!(made(0.9, 0.99), DiagnosisOutcome::Healthy);
}

#[test]
fn a_larger_heap_is_for_what_lives_steadily() {
    let jvm = thing(EntityKind::Jvm, JVM);
    let minor = [("jvm.gc.action", "end of minor GC")];
    let made = |from: f64| {
        Made::load(1_000.0, 20.0)
            .process(JVM, 0.5, 1.0)
            .level(&jvm, "jvm.memory.usage_after_gc", &[], (from, 0.93))
            .counter(&jvm, "jvm.gc.pause.time", &minor, 0.3)
            .fact(&jvm, "jvm.heap.max", "134217728")
            .find("heap_full")
            .unwrap()
    };
    assert_eq!(made(0.92).advice[0].proposed.as_deref(), Some("256m"));
    let leak = made(0.4);
    assert_eq!(
        (leak.advice[0].why.id.as_str(), &leak.advice[0].proposed),
        ("advice-heap-leak", &None)
    );
    assert_eq!(leak.explains.of, ShareOf::ResponseTime);
}

#[test]
fn monitors_of_one_place_are_one_finding() {
    let jvm = thing(EntityKind::Jvm, JVM);
    let blocked = |number: usize| {
        format!(
            "\"http-nio-8080-exec-{number}\" #{number} daemon prio=5 os_prio=0 cpu=1.00ms elapsed=9.00s \
             tid=0x{number:016x} nid=0x{number:x} waiting for monitor entry  [0x{number:016x}]\n   \
             java.lang.Thread.State: BLOCKED (on object monitor)\n\tat shop.Stock.take(Stock.java:5)\n\
             \t- waiting to lock <0x00000000e00{number:05x}> (a shop.Item)\n\
             \tat jakarta.servlet.http.HttpServlet.service(H.java:1)\n\n"
        )
    };
    let all: String = (1..=16).map(blocked).collect();
    let text = format!("Full thread dump OpenJDK 64-Bit Server VM (17 mixed mode):\n\n{all}");
    let made = Made::load(100.0, 160.0).process(JVM, 0.2, 2.0);
    let made = made.gauge(&jvm, "jvm.thread.count", &[], 30.0);
    let made = (0..3).fold(made, |made, _| {
        made.capture(&jvm, "thread_dump", "steady", &text)
    });
    let found = made.all();
    let locks: Vec<_> = found
        .iter()
        .filter(|finding| finding.id == "lock")
        .collect();
    assert_eq!(locks.len(), 1, "{locks:?}");
    assert!(locks[0].explains.share > 0.9);
}
