//! Profiles by async-profiler: recorded ones of a real JVM (`tests/record_profiles.sh`), and
//! made-up ones where numbers matter.

use super::{COMPUTES, HOLDS_LOCK_IN_CALL, JVM, WAITS_FOR_LOCK, with};
use crate::Finding;
use crate::model::Layer;
use crate::testing::{Made, thing};
use plimsoll_stats::series::EntityKind;
use plimsoll_text::{Lang, render};
use std::collections::BTreeSet;

const CPU: &str = include_str!("../../../tests/profiles/cpu.txt");
const LOCKS: &str = include_str!("../../../tests/profiles/locks.txt");

fn seen(made: Made, kind: &str, text: &str) -> Made {
    made.capture(&thing(EntityKind::Jvm, JVM), kind, "steady", text)
}

fn shows(finding: &Finding, id: &str) -> bool {
    finding.evidence.iter().any(|exhibit| exhibit.text.id == id)
}

#[test]
fn a_real_jvms_profile_names_the_library_that_takes_the_cpu() {
    let load = |used| Made::load(500.0, 10.0).process(JVM, used, 2.0);
    let finding = seen(load(1.95), "cpu_profile", CPU)
        .find("hot_code")
        .expect("a library");
    // The JDK's parser, called by the page; not the server before it, nor the JVM's own threads.
    assert!(
        finding.object.name.starts_with("com.sun.org."),
        "{finding:?}"
    );
    assert!(shows(&finding, "exhibit-profile-samples"), "{finding:?}");
    let own = finding.args.iter().find(|(name, _)| *name == "own");
    assert!(format!("{own:?}").contains("Shop$Page.show"), "{own:?}");
    // With CPU left nothing is hot.
    let idle = seen(load(0.4), "cpu_profile", CPU);
    assert!(idle.find("hot_code").is_none());
}

#[test]
fn samples_of_the_kernel_say_how_much_and_dumps_who_calls_it() {
    const STACK: &str = "org/apache/catalina/connector/CoyoteAdapter.service";
    // Half of the calls are compiled into their caller, which is seen in the samples then.
    let samples = |inside, outside, second: &str| {
        let text = format!(
            "[jvm] 40\n{STACK};shop/Page.show;shop/Page.view;com/fasterxml/jackson/databind/ObjectMapper.readValue {0}\n\
             {STACK};shop/Page.show;com/fasterxml/jackson/databind/ObjectMapper.readValue {0}\n\
             {STACK};shop/Page.show {outside}\n[lost] 3\n",
            inside / 2
        );
        let load = Made::load(500.0, 10.0).process(JVM, 1.95, 2.0);
        // Of what computes, dumps show little of the library.
        let in_jackson = |caller: &str| {
            format!(
                "\tat com.fasterxml.jackson.databind.ObjectMapper.readValue(O.java:1)\n\
                 \tat shop.{caller}\n\tat shop.Page.show(Page.java:9)\n"
            )
        };
        let (view, second) = (in_jackson("Page.view(Page.java:3)"), in_jackson(second));
        let of = |lines| ("RUNNABLE", lines);
        let load = with(load, &[(2, of(&*view)), (2, of(&*second)), (16, COMPUTES)]);
        seen(load, "cpu_samples", &text)
    };
    let model = "Page.model(Page.java:7)";
    let finding = samples(60, 40, model).find("hot_code").expect("a library");
    assert!(shows(&finding, "exhibit-kernel-samples"), "{finding:?}");
    assert!((finding.explains.share - 0.6).abs() < 0.05, "{finding:?}");
    assert_eq!(finding.layer, Layer::Cause, "called in two places");
    let once = samples(60, 40, "Page.view(Page.java:3)").find("hot_code");
    assert_eq!(once.unwrap().layer, Layer::Hint, "the request's own work");
    assert!(samples(20, 80, model).find("hot_code").is_none());
    // Too few samples: the dumps are asked, and show too little.
    assert!(samples(8, 2, model).find("hot_code").is_none());
}

#[test]
fn a_real_jvms_profile_names_the_monitor_that_is_waited_for() {
    // Four in flight.
    let load = Made::load(50.0, 80.0).process(JVM, 0.2, 2.0);
    let lock = seen(load, "lock_profile", LOCKS)
        .find("lock")
        .expect("a lock");
    assert_eq!(
        (lock.object.kind, lock.object.name.as_str(), lock.layer),
        ("monitor", "Shop$Stock", Layer::Cause)
    );
    assert!(lock.explains.share > 0.5, "{:?}", lock.explains);
    assert!(shows(&lock, "exhibit-profile-waits"), "{lock:?}");
}

/// A profile of locks in which threads wait for so many seconds, of three, in those calls.
fn waiting(seconds: f64, calls: &[&str]) -> String {
    format!(
        "java/lang/Thread.run;{} {:.0}\n",
        calls.join(";"),
        seconds * 1e9
    )
}

const TAKES: &[&str] = &["shop/Page.show", "shop/Stock.take", "shop.Stock_[i]"];

#[test]
fn waits_are_counted_over_the_time_of_the_profile() {
    // 20 in flight, of which 15 wait: 45 s in 3 s.
    let load = || Made::load(200.0, 100.0).process(JVM, 0.2, 2.0);
    let lock = seen(load(), "lock_profile", &waiting(45.0, TAKES));
    let lock = lock.find("lock").expect("a lock");
    assert_eq!(lock.object.name, "shop.Stock");
    assert!((lock.explains.share - 0.75).abs() < 0.01, "{lock:?}");
    let few = seen(load(), "lock_profile", &waiting(3.0, TAKES));
    assert!(few.find("lock").is_none());
    // Two profiles are of twice the time.
    let text = waiting(45.0, TAKES);
    let twice = seen(seen(load(), "lock_profile", &text), "lock_profile", &text);
    let share = twice.find("lock").expect("a lock").explains.share;
    assert!((share - 0.75).abs() < 0.01, "{share}");
    // Dumps say more; the profile is further evidence.
    let dumped = with(
        load(),
        &[(15, WAITS_FOR_LOCK), (1, HOLDS_LOCK_IN_CALL), (4, COMPUTES)],
    );
    let found = seen(dumped, "lock_profile", &text).all();
    let locks: Vec<_> = found.iter().filter(|found| found.id == "lock").collect();
    assert_eq!(locks.len(), 1, "{locks:?}");
    assert!(shows(locks[0], "exhibit-profile-waits"));
}

#[test]
fn locks_of_the_jdk_are_named_by_who_waits_and_pools_are_none() {
    let load = || Made::load(200.0, 100.0).process(JVM, 0.2, 2.0);
    let sync = "java.util.concurrent.locks.ReentrantLock$NonfairSync";
    let own = [
        "shop/Page.show",
        "shop/Stock.take",
        "java/util/concurrent/locks/ReentrantLock.lock",
        "jdk/internal/misc/Unsafe.park",
        "__futex_abstimed_wait_common",
        sync,
    ];
    let lock = seen(load(), "lock_profile", &waiting(45.0, &own));
    let lock = lock.find("lock").expect("a lock");
    assert_eq!(
        (lock.object.kind, lock.object.name.as_str()),
        ("reentrant_lock", "shop.Stock")
    );
    let pool = [
        "shop/Page.show",
        "com/alibaba/druid/pool/DruidDataSource.pollLast",
        "java/util/concurrent/locks/ReentrantLock.lock",
        sync,
    ];
    let pool = seen(load(), "lock_profile", &waiting(45.0, &pool));
    assert!(pool.find("lock").is_none());
}

/// Stacks of a process that is no JVM, as the capture tells them: calls, innermost first, each with its
/// library (none of the user's own), and how often.
type Sampled<'a> = (&'a [(&'a str, Option<&'a str>)], u64);

fn stacks(of: &[Sampled<'_>]) -> String {
    let mut told = serde_json::json!({
        "schema": "plimsoll.stacks/1", "from_unix_ns": 1, "lasted_s": 3.0, "pid": 7, "processes": 1,
        "runtime": null, "cpus": 2, "samples_per_cpu_and_second": 97, "samples": 0, "lost": 0,
        "whole": 0, "unnamed_places": 0, "cost_s": 0.01, "frames": [], "stacks": [], "others": 0,
    });
    let (mut frames, mut all) = (Vec::new(), Vec::new());
    for (calls, count) in of {
        let first = frames.len();
        for (n, (function, library)) in calls.iter().enumerate() {
            frames.push(serde_json::json!({
                "function": function, "file": "/srv/shop/main.x", "line": n + 1,
                "library": library, "kind": "native",
            }));
        }
        let places: Vec<usize> = (first..frames.len()).collect();
        all.push(serde_json::json!({
            "state": "cpu", "thread": "shop", "count": count, "calls": places,
        }));
    }
    told["frames"] = frames.into();
    told["stacks"] = all.into();
    told.to_string()
}

const SHOP: &str = "shop[8080]";

fn sampled(used: f64, of: &[Sampled<'_>]) -> Made {
    let load = Made::load(500.0, 10.0).process(SHOP, used, 2.0);
    load.capture(
        &thing(EntityKind::Process, SHOP),
        "stacks",
        "steady",
        &stacks(of),
    )
}

#[test]
fn any_runtimes_stacks_name_the_library_and_who_calls_it() {
    const NET: Option<&str> = Some("net/http");
    const JSON: Option<&str> = Some("encoding/json");
    let served = |inner: &[(&'static str, Option<&'static str>)]| {
        let outer = [
            ("main.show", None),
            ("net/http.(*conn).serve", NET),
            ("runtime.goexit", Some("runtime")),
        ];
        [inner, &outer].concat()
    };
    let busy = served(&[
        ("runtime.mallocgc", Some("runtime")),
        ("encoding/json.Marshal", JSON),
        ("main.encode", None),
    ]);
    let writes = served(&[("net/http.(*response).Write", NET)]);
    let of = [(&busy[..], 120), (&writes[..], 40)];
    let finding = sampled(1.95, &of).find("hot_code").expect("a library");
    assert_eq!(
        (finding.object.kind, finding.object.name.as_str()),
        ("library", "encoding/json.Marshal")
    );
    let arg = |name| {
        let found = finding.args.iter().find(|(known, _)| *known == name);
        format!("{:?}", found.expect("an argument"))
    };
    assert!(arg("library").contains("encoding/json"), "{finding:?}");
    assert!(arg("own").contains("main.encode"), "{finding:?}");
    assert!(
        (finding.explains.share - 0.75 * 0.975).abs() < 0.01,
        "{finding:?}"
    );
    assert!(shows(&finding, "exhibit-stack-samples"), "{finding:?}");
    // With CPU left nothing is hot; too few samples say nothing; who serves is on every way.
    assert!(sampled(0.4, &of).find("hot_code").is_none());
    assert!(sampled(1.95, &[(&busy[..], 20)]).find("hot_code").is_none());
    assert!(
        sampled(1.95, &[(&writes[..], 200)])
            .find("hot_code")
            .is_none()
    );
}

#[test]
fn without_a_library_the_own_function_is_shown_beside_the_full_cpu() {
    let own: &[(&str, Option<&str>)] = &[
        ("shop.crunch", None),
        ("shop.show", None),
        ("gunicorn.run", Some("gunicorn")),
        ("shop.<module>", None),
    ];
    let finding = sampled(1.95, &[(own, 100)])
        .find("cpu")
        .expect("a full CPU");
    let text = format!("{:?}", finding.evidence);
    assert!(
        text.contains("shop.crunch") && text.contains("exhibit-hot"),
        "{text}"
    );
    // A program that is nobody's own: what it calls, and from where.
    let nginx: &[(&str, Option<&str>)] = &[
        ("deflate", Some("libz.so.1")),
        ("ngx_http_gzip_body_filter", Some("nginx")),
        ("main", Some("nginx")),
        ("__libc_start_main", Some("libc.so.6")),
    ];
    let finding = sampled(1.95, &[(nginx, 100)])
        .find("hot_code")
        .expect("a library");
    assert_eq!(finding.object.name, "deflate");
    assert!(
        format!("{:?}", finding.args).contains("ngx_http_gzip_body_filter"),
        "{finding:?}"
    );
    // What is none is passed over.
    let load = Made::load(500.0, 10.0).process(SHOP, 1.95, 2.0);
    let broken = load.capture(
        &thing(EntityKind::Process, SHOP),
        "stacks",
        "steady",
        "{\"schema\": 7}",
    );
    assert!(broken.find("hot_code").is_none());
}

#[test]
fn the_place_of_a_wait_and_who_is_past_it_are_read_off_the_stacks() {
    let frame = |function: &str, line: u32, library: Option<&str>| {
        serde_json::json!({
            "function": function, "file": "/srv/shop.py", "line": line, "library": library,
            "kind": "interpreted",
        })
    };
    let stack = |state: &str, count: u64, calls: &[usize]| serde_json::json!({"state": state, "thread": "shop", "count": count, "calls": calls});
    let told = serde_json::json!({
        "schema": "plimsoll.stacks/1", "from_unix_ns": 1, "lasted_s": 3.0, "pid": 7, "processes": 1,
        "runtime": "Python 3.11", "cpus": 2, "samples_per_cpu_and_second": 97, "samples": 0,
        "looks": 50, "lost": 0, "whole": 0, "unnamed_places": 0, "cost_s": 0.01, "others": 0,
        "frames": [
            frame("acquire", 0, Some("threading")), frame("shop.enter", 6, None),
            frame("shop.hold", 4, None), frame("select", 1, Some("selectors")),
            frame("shop.serve", 9, None),
        ],
        "stacks": [
            stack("futex", 200, &[0, 1]), stack("sleep", 50, &[2, 1]),
            stack("poll", 900, &[3, 4]), stack("cpu", 10, &[4]),
        ],
    });
    let load = Made::load(50.0, 100.0).process(SHOP, 0.1, 2.0);
    let made = load.capture(
        &thing(EntityKind::Process, SHOP),
        "stacks",
        "steady",
        &told.to_string(),
    );
    let place = made.scene().wait_place("web", SHOP).expect("a place");
    assert_eq!(
        (place.state.as_str(), place.code.as_str()),
        ("futex", "shop.enter (shop.py:6)")
    );
    assert_eq!((place.call.as_str(), place.threads), ("acquire", 4.0));
    let past = ("shop.hold (shop.py:4)".to_owned(), "sleep".to_owned(), 1.0);
    assert_eq!(place.past, Some(past));
    let another = Made::load(50.0, 100.0).process(SHOP, 0.1, 2.0);
    assert_eq!(another.scene().wait_place("web", SHOP), None);
}

#[test]
fn work_is_known_by_the_functions_of_well_known_programs() {
    let db = Some("mariadbd");
    let scan: &[(&str, Option<&str>)] = &[
        ("rec_get_offsets_func", db),
        ("handler::ha_rnd_next(unsigned char*)", db),
        ("filesort(THD*, TABLE*, Filesort*)", db),
        ("mysql_execute_command(THD*, bool)", db),
    ];
    let sort: &[(&str, Option<&str>)] = &[
        ("my_qsort2", db),
        ("filesort(THD*, TABLE*, Filesort*)", db),
        ("mysql_execute_command(THD*, bool)", db),
    ];
    // What reads rows within a sort reads rows; a database that scans is no useful work.
    let finding = sampled(1.95, &[(scan, 70), (sort, 30)]).find("known_work");
    let finding = finding.expect("a work");
    assert_eq!(finding.layer, Layer::Cause);
    let text = format!("{finding:?}");
    assert!(
        text.contains("scan") && text.contains("handler::ha_rnd_next"),
        "{text}"
    );
    assert!(
        (finding.explains.share - 0.7 * 0.975).abs() < 0.01,
        "{finding:?}"
    );
    let sorts = sampled(1.95, &[(scan, 30), (sort, 70)]).find("known_work");
    assert_eq!(sorts.map(|one| one.layer), Some(Layer::Hint));
    // Patterns are hardly what a request is mostly for.
    let pattern: &[(&str, Option<&str>)] = &[
        ("Builtins_RegExpPrototypeTestFast", Some("node")),
        ("shop.check", None),
    ];
    let other: &[(&str, Option<&str>)] = &[("shop.crunch", None)];
    let of_patterns = |count| {
        let found = sampled(1.95, &[(pattern, count), (other, 100 - count)]);
        found.find("known_work").map(|one| one.layer)
    };
    assert_eq!(of_patterns(75), Some(Layer::Cause));
    assert_eq!(of_patterns(45), Some(Layer::Hint));
    // A CPU with room; too few samples of it.
    assert!(sampled(0.4, &[(scan, 100)]).find("known_work").is_none());
    let spread = sampled(1.95, &[(scan, 30), (other, 70)]);
    assert!(spread.find("known_work").is_none());
}

#[test]
fn what_a_quota_below_one_cpu_stops_comes_before_what_is_computed() {
    let pattern: &[(&str, Option<&str>)] = &[
        ("Builtins_RegExpPrototypeTestFast", Some("node")),
        ("shop.check", None),
    ];
    // A quota is used up and stops it in most periods, while its host is idle.
    let stopped = |quota: f64| {
        let (host, process) = (
            thing(EntityKind::Host, ""),
            thing(EntityKind::Process, SHOP),
        );
        let made = Made::load(500.0, 10.0)
            .process(SHOP, 0.98 * quota, quota)
            .gauge(&process, "process.cpu.available", &[], quota)
            .counter(&process, "cgroup.cpu.periods", &[], 10.0)
            .counter(&process, "cgroup.cpu.throttled.periods", &[], 9.0)
            .capture(&process, "stacks", "steady", &stacks(&[(pattern, 90)]));
        let modes = [("user", 0.2), ("idle", 0.8)];
        let made = modes.iter().fold(made, |made, (mode, share)| {
            made.counter(&host, "system.cpu.time", &[("cpu.mode", mode)], 8.0 * share)
        });
        made.all().remove(0).id
    };
    assert_eq!(stopped(0.4), "cpu");
    // What may use whole CPUs, and does so for patterns, is to do less of that.
    assert_eq!(stopped(3.0), "known_work");
}

#[test]
fn work_is_known_by_the_libraries_that_do_nothing_else() {
    let code: Sampled<'_> = (&[("shop.crunch", None)], 20);
    let of = |function: &str, library: &str| {
        let stack = [(function, Some(library)), ("shop.show", None)];
        let found = sampled(1.95, &[(&stack, 80), code]).find("known_work");
        let finding = found.expect("a work");
        let title = |lang| render(lang, &finding.text(""));
        (finding.layer, title(Lang::En), title(Lang::Zh))
    };
    let each = [
        of("cjson.so+0x2f40", "cjson.so"),
        of("xmlParseDocument", "libxml2.so.2.9.14"),
        of("deflate", "libz.so.1.2.13"),
        of("EVP_DigestUpdate", "libcrypto.so.3"),
        of("jpeg_fill_bit_buffer", "libjpeg.so.62.3.0"),
        of("copy_struct_x", "beam.smp"),
        of("gc_collect_main", "python3.11"),
    ];
    let causes = each.iter().filter(|one| one.0 == Layer::Cause).count();
    assert_eq!(
        causes, 2,
        "whole terms that are copied, and collections: {each:?}"
    );
    let titles: BTreeSet<&String> = each.iter().flat_map(|one| [&one.1, &one.2]).collect();
    assert_eq!(titles.len(), 2 * each.len(), "words of its own: {titles:?}");
}
