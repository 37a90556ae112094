#![allow(clippy::unwrap_used, clippy::expect_used)]
use std::sync::Arc;

use plimsoll_stats::ErrorKind;
use plimsoll_stats::series::{Entity, EntityKind, SeriesKind};
use plimsoll_text::{Lang, render};

use crate::findings::tests::with;
use crate::model::{Finding, Layer, ShareOf};
use crate::testing::{Made, thing};

fn jvm() -> Arc<Entity> {
    thing(EntityKind::Jvm, "java[8080]")
}

fn heap(made: Made, after: f64, paused: f64) -> Made {
    let minor = [("jvm.gc.action", "end of minor GC")];
    let caused = [
        ("jvm.gc.action", "end of minor GC"),
        ("jvm.gc.cause", "G1 Evacuation Pause"),
    ];
    // Two sources tell of the same pauses.
    made.process("java[8080]", 0.5, 1.0)
        .gauge(&jvm(), "jvm.memory.usage_after_gc", &[], after)
        .counter(&jvm(), "jvm.gc.pause.time", &minor, paused)
        .counter(&jvm(), "jvm.gc.pause.time", &caused, paused * 0.9)
        .fact(&jvm(), "jvm.heap.max", "134217728")
}

const BEFORE: &str = " num     #instances         #bytes  class name (module)\n\
    -------------------------------------------------------\n\
    \x20  1:         98659       10405040  [B (java.base@17.0.15)\n\
    \x20  2:          1000          96000  org.apache.catalina.session.StandardSession\n";
const AFTER: &str = " num     #instances         #bytes  class name (module)\n\
    -------------------------------------------------------\n\
    \x20  1:        998659       90405040  [B (java.base@17.0.15)\n\
    \x20  2:         50000        4800000  com.shop.Basket\n\
    \x20  3:         21000        2016000  org.apache.catalina.session.StandardSession\n";

fn sessions(grew: f64, after: f64, paused: f64) -> Made {
    let server = thing(EntityKind::WebServer, "java[8080]");
    let made = Made::load(1_000.0, 20.0)
        .falls_to(0.1)
        .level(&server, "tomcat.session.active.count", &[], (0.0, grew))
        .counter(&server, "tomcat.session.created.count", &[], grew / 20.0)
        .capture(&jvm(), "class_histogram", "start", BEFORE)
        .capture(&jvm(), "class_histogram", "end", AFTER);
    heap(made, after, paused)
}

#[test]
fn a_session_for_each_request_is_found_by_its_class() {
    let made = sessions(20_000.0, 0.9, 0.3);
    let finding = made.find("session_leak").unwrap();
    assert_eq!(
        finding.object.name,
        "org.apache.catalina.session.StandardSession"
    );
    assert!(finding.explains.share > 0.6, "{}", finding.explains.share);
    assert_eq!(made.find("heap_full"), None);
    // As long as there is room it does not limit.
    let room = sessions(20_000.0, 0.3, 0.02).find("session_leak").unwrap();
    assert_eq!(room.layer, Layer::Hint);
    assert_eq!(sessions(300.0, 0.9, 0.3).find("session_leak"), None);
}

#[test]
fn a_leak_is_seen_where_the_starved_server_soon_told_nothing_more() {
    let server = thing(EntityKind::WebServer, "java[8080]");
    // Looks of the first seconds only; then the heap was full.
    let looks = |second: f64| {
        if second < 6.0 {
            800.0 * second
        } else {
            f64::NAN
        }
    };
    let made = Made::load(1_000.0, 20.0)
        .falls_to(0.1)
        .track(
            &server,
            "tomcat.session.active.count",
            &[],
            SeriesKind::Gauge,
            looks,
        )
        .track(
            &server,
            "tomcat.session.created.count",
            &[],
            SeriesKind::Counter,
            looks,
        )
        .judged_from(5);
    let finding = heap(made, 0.98, 0.6).find("session_leak");
    assert!(finding.is_some_and(|finding| finding.layer == Layer::Cause));
}

#[test]
fn a_full_heap_names_what_grew() {
    let made = Made::load(1_000.0, 20.0)
        .capture(&jvm(), "class_histogram", "start", BEFORE)
        .capture(&jvm(), "class_histogram", "end", AFTER);
    let finding = heap(made, 0.93, 0.3).find("heap_full").unwrap();
    assert_eq!(finding.object.name, "com.shop.Basket");
    assert_eq!(finding.layer, Layer::Cause);
    assert!(
        (finding.explains.share - 0.3).abs() < 0.01,
        "not the sum of both sources"
    );
    // Two histograms differ by most of the heap: a larger one would be full a little later.
    assert_eq!(finding.advice[0].why.id, "advice-heap-leak");
    assert_eq!(finding.advice[0].proposed, None);
}

#[test]
fn allocation_alone_is_no_finding() {
    let made = |after, paused| heap(Made::load(1_000.0, 20.0), after, paused);
    for (after, paused) in [(0.1, 0.08), (0.9, 0.02)] {
        assert!(
            made(after, paused)
                .all()
                .iter()
                .all(|finding| !["heap_full", "gc_pauses"].contains(&finding.id)),
            "{after} {paused}"
        );
    }
    let finding = made(0.1, 0.4).find("gc_pauses").unwrap();
    assert_eq!(finding.object.name, "java[8080]");
}

#[test]
fn hosts_without_memory() {
    let host = thing(EntityKind::Host, "");
    let made = |pages: f64, kills: f64| {
        Made::load(100.0, 20.0)
            .counter(
                &host,
                "system.paging.operations",
                &[("system.paging.direction", "in")],
                pages,
            )
            .counter(
                &host,
                "system.pressure.stall.time",
                &[("pressure.resource", "memory"), ("pressure.stall", "some")],
                0.5,
            )
            .counter(&host, "system.memory.oom_kills", &[], kills)
            .errors(ErrorKind::ConnectionRefused, 100)
    };
    let bad = made(1_000.0, 0.1);
    assert!((bad.find("swapping").unwrap().explains.share - 0.5).abs() < 0.01);
    assert_eq!(bad.find("oom_kill").unwrap().layer, Layer::Cause);
    let good = made(2.0, 0.0);
    assert_eq!((good.find("swapping"), good.find("oom_kill")), (None, None));
}

#[test]
fn a_heap_without_room_responds_to_nobody_and_need_not_pause() {
    let found = |failed: u64, after: f64| {
        let made = Made::load(10.0, 1_000.0).errors(ErrorKind::ReadTimeout, failed);
        heap(made, after, 0.0).find("heap_full")
    };
    let finding = found(190, 0.95).unwrap();
    assert_eq!(
        (finding.layer, finding.explains.of),
        (Layer::Cause, ShareOf::Errors)
    );
    assert_eq!(found(190, 0.5), None);
    assert_eq!(found(10, 0.95), None);
}

#[test]
fn collections_that_the_program_asks_for_name_who_asks() {
    let asks = (
        "RUNNABLE",
        "\tat java.lang.Runtime.gc(Native Method)\n\tat java.lang.System.gc(System.java:1)\n\
         \tat shop.Export.tidy(Export.java:9)\n",
    );
    let made = |threads: usize, after: f64| {
        let made = heap(Made::load(100.0, 100.0), after, 0.6);
        with(made, &[(threads, asks)])
    };
    let finding = made(3, 0.1).find("explicit_gc").unwrap();
    assert_eq!(finding.object.name, "shop.Export.tidy");
    assert_eq!(made(3, 0.1).find("gc_pauses"), None);
    // Nobody asks; there is no room, so that they are wanted.
    assert_eq!(made(0, 0.1).find("explicit_gc"), None);
    assert!(made(0, 0.1).find("gc_pauses").is_some());
    assert_eq!(made(3, 0.95).find("explicit_gc"), None);
}

/// A histogram of so many objects and bytes of each class.
fn histogram(classes: &[(&str, u64, u64)]) -> String {
    let lines = classes
        .iter()
        .enumerate()
        .map(|(at, (name, objects, bytes))| {
            format!("{:>4}: {objects:>14} {bytes:>14}  {name}\n", at + 1)
        });
    lines.collect()
}

/// A full heap whose classes grew from nothing to these numbers.
fn grown(classes: &[(&str, u64, u64)]) -> crate::model::Finding {
    let none: Vec<_> = classes
        .iter()
        .map(|(name, ..)| (*name, 10, 1_000))
        .collect();
    let made = Made::load(1_000.0, 20.0)
        .capture(&jvm(), "class_histogram", "start", &histogram(&none))
        .capture(&jvm(), "class_histogram", "end", &histogram(classes));
    heap(made, 0.93, 0.3).find("heap_full").unwrap()
}

const BYTES: (&str, u64, u64) = ("[B", 900_000, 80_000_000);

#[test]
fn what_grew_is_named_with_the_container_that_holds_it() {
    let basket = ("com.shop.Basket", 50_000, 4_800_000);
    let node = "java.util.concurrent.ConcurrentHashMap$Node";
    let shown = |finding: &crate::model::Finding, words: &str| {
        let mut texts = finding
            .evidence
            .iter()
            .map(|exhibit| render(Lang::En, &exhibit.text));
        texts.any(|text| text.contains(words))
    };
    let in_map = grown(&[BYTES, basket, (node, 50_400, 1_612_800)]);
    assert_eq!(in_map.object.name, "com.shop.Basket");
    assert!(shown(
        &in_map,
        "As many java.util.concurrent.ConcurrentHashMap$Node"
    ));
    let advice = render(Lang::En, &in_map.advice[0].why);
    assert!(
        advice.contains(node) && advice.contains("com.shop.Basket"),
        "{advice}"
    );
    // A list: one array more, with a reference to each.
    let array = "[Ljava.lang.Object;";
    let in_list = grown(&[BYTES, basket, (array, 40, 220_000)]);
    assert!(shown(&in_list, "held in arrays"), "{in_list:?}");
    // Nodes of other things; arrays for each object; larger arrays than for these.
    for other in [
        (node, 900, 28_800),
        (node, 400_000, 12_800_000),
        (array, 50_000, 2_000_000),
        (array, 40, 60_000_000),
    ] {
        let unknown = grown(&[BYTES, basket, other]);
        assert!(
            !shown(&unknown, "held") && !shown(&unknown, "As many"),
            "{other:?}"
        );
    }
}

#[test]
fn texts_in_a_map_are_named_by_the_nodes_of_the_map() {
    let strings = grown(&[
        BYTES,
        ("java.lang.String", 800_000, 19_200_000),
        ("java.util.HashMap$Node", 400_000, 12_800_000),
        ("com.shop.Page", 12, 400),
    ]);
    assert_eq!(strings.object.name, "java.util.HashMap$Node");
    assert_eq!(strings.advice[0].why.id, "advice-heap-leak");
}

/// The live set goes up and down with what small collections leave: only the least of it tells.
#[test]
fn a_larger_heap_is_advised_for_a_steady_live_set_alone() {
    let minor = [("jvm.gc.action", "end of minor GC")];
    let proposed = |left: fn(f64) -> f64| {
        let made = Made::load(1_000.0, 20.0)
            .process("java[8080]", 0.5, 1.0)
            .track(
                &jvm(),
                "jvm.memory.usage_after_gc",
                &[],
                SeriesKind::Gauge,
                left,
            )
            .counter(&jvm(), "jvm.gc.pause.time", &minor, 0.3)
            .fact(&jvm(), "jvm.heap.max", "134217728");
        let finding = made.find("heap_full").unwrap();
        finding.advice[0].proposed.clone()
    };
    assert!(proposed(|_| 0.9).is_some());
    assert!(proposed(|second| 0.85 + 0.1 * (second % 4.0) / 4.0).is_some());
    assert_eq!(proposed(|second| 0.3 + 0.03 * second), None);
    let saw = |second: f64| 0.3 + 0.026 * second + 0.1 * (second % 4.0) / 4.0;
    assert_eq!(proposed(saw), None);
}

/// A heap of 512 MiB that stays half empty, with pauses for a third of the time.
fn pausing(made: Made, after: f64) -> Finding {
    let minor = [("jvm.gc.action", "end of minor GC")];
    let made = made
        .process("java[8080]", 0.5, 1.0)
        .gauge(&jvm(), "jvm.memory.usage_after_gc", &[], after)
        .counter(&jvm(), "jvm.gc.pause.time", &minor, 0.3)
        .fact(&jvm(), "jvm.heap.max", "536870912");
    made.find("gc_pauses").unwrap()
}

#[test]
fn a_larger_heap_fits_into_the_memory_that_there_is() {
    let (host, process) = (
        thing(EntityKind::Host, ""),
        thing(EntityKind::Process, "java[8080]"),
    );
    let gib = |count: f64| count * f64::from(1 << 30);
    let proposed = |of_host: f64, of_group: Option<f64>| {
        let made = Made::load(1_000.0, 20.0);
        let made = made.gauge(&host, "system.memory.limit", &[], gib(of_host));
        let made = match of_group {
            Some(limit) => made.gauge(&process, "cgroup.memory.limit", &[], gib(limit)),
            None => made,
        };
        let advice = pausing(made, 0.3).advice.remove(0);
        (advice.current, advice.proposed)
    };
    let some = |text: &str| Some(text.to_owned());
    // In HotSpot's own units.
    assert_eq!(proposed(8.0, None), (some("512m"), some("1024m")));
    assert_eq!(proposed(8.0, Some(1.0)), (some("512m"), some("768m")));
    // No room for a larger one.
    assert_eq!(proposed(8.0, Some(0.75)), (None, None));
    assert_eq!(proposed(0.7, None), (None, None));
}

#[test]
fn a_heap_that_stays_in_use_is_not_called_empty() {
    let left = |after: f64| {
        let finding = pausing(Made::load(1_000.0, 20.0), after);
        let found = finding.args.iter().find(|(name, _)| *name == "left");
        format!("{found:?}")
    };
    assert!(left(0.1).contains("little"), "{}", left(0.1));
    assert!(left(0.7).contains("much"), "{}", left(0.7));
}
