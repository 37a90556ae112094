//! Whose time it is: the generator's or the target's.

#![allow(clippy::unwrap_used, clippy::expect_used)]

mod support;

use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use serde_json::Value;
use support::http::{HttpServer, Response};
use support::raw::{knows_no_name, refusing_url};
use support::{Bench, Told, eventually};

/// A server that takes so long, and keeps how long it took for each request itself, ms.
fn slow(takes: Duration) -> (HttpServer, Arc<Mutex<Vec<f64>>>) {
    let log: Arc<Mutex<Vec<f64>>> = Arc::default();
    let own = Arc::clone(&log);
    let server = HttpServer::start(move |_| {
        let begin = Instant::now();
        std::thread::sleep(takes);
        own.lock()
            .unwrap()
            .push(begin.elapsed().as_secs_f64() * 1e3);
        Response::ok("")
    });
    (server, log)
}

fn ms(of: &Value, path: &str) -> f64 {
    of.pointer(path)
        .and_then(Value::as_f64)
        .unwrap_or_else(|| panic!("no {path} in {of}"))
}

/// The report of the last run, as text.
fn report(bench: &Bench) -> String {
    let args = ["report", "last", "--format", "text", "-o", "-"];
    bench.call(&args).out
}

/// A text as if its lines were not broken to fit.
fn flat(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

/// Why the generator was the bottleneck of a run, if it was.
fn reasons(told: &Told) -> Vec<String> {
    let summary = told.summary();
    let reasons = summary["generator"]["reasons"].as_array().unwrap();
    reasons
        .iter()
        .map(|reason| reason.as_str().unwrap().to_owned())
        .collect()
}

/// What the generator's own share of a run's times is, when it was not flagged or the machine,
/// and not the target, was to blame.
fn assert_not_charged_to_the_generator(told: &Told) {
    let summary = told.summary();
    told.assert_code(0);
    let waits = ms(&summary, "/generator/send_lateness_ms/p50");
    let response = ms(&summary, "/total/service_time_ms/p50");
    assert!(waits < response / 3.0, "late by {waits} of {response} ms");
}

#[test]
fn a_stopped_generator_is_not_charged_to_the_target() {
    let (server, log) = slow(Duration::from_millis(60));
    let plan = format!(
        "target: {}\nusers: 24\nduration: 4s\nsteps: [{{get: /}}]\n",
        server.url()
    );
    let bench = Bench::new();
    let run = bench.start_plan(&plan, &[]);
    eventually("requests", || log.lock().unwrap().len() > 24 * 10);
    run.signal("STOP");
    std::thread::sleep(Duration::from_millis(1_300));
    run.signal("CONT");
    let told = run.end();
    let summary = told.summary();
    assert_eq!(told.code, Some(4), "{summary}");
    let reasons = reasons(&told);
    let why = |name: &str| reasons.iter().any(|reason| reason == name);
    assert!(why("stopped") && why("receive_lag"), "{reasons:?}");
    assert!(ms(&summary, "/generator/stopped_ms") > 1_000.0, "{summary}");
    // What was measured is kept, and what it is without the stop is what the server saw.
    let slowest = log.lock().unwrap().iter().copied().fold(0.0, f64::max);
    let measured = ms(&summary, "/total/response_time_ms/p99");
    let corrected = ms(&summary, "/generator/corrected_response_time_ms/p99");
    assert!(measured > slowest + 800.0, "{measured}, server {slowest}");
    assert!(
        corrected - slowest < (measured - slowest) / 4.0,
        "{corrected} of {measured}, server {slowest}"
    );
    let figures = summary["generator"]["touched"].as_array().unwrap();
    assert!(
        figures.iter().any(|it| it["figure"] == "p99"),
        "{figures:?}"
    );
    let shown = report(&bench);
    let headline: String = shown.lines().take(6).collect();
    assert!(headline.contains("p99"), "{shown}");
}

#[test]
fn a_pace_that_the_target_cannot_keep_is_not_the_generators_lateness() {
    let (server, _) = slow(Duration::from_millis(120));
    let plan = format!(
        "target: {}\nusers: 10\nduration: 2s\npace: 40ms\nsteps: [{{get: /}}, {{think: 5ms}}]\n",
        server.url()
    );
    let told = Bench::new().plan(&plan, &[]);
    assert_not_charged_to_the_generator(&told);
    // It is charged from the tick all the same.
    let total = &told.summary()["total"];
    let (response, service) = (
        ms(total, "/response_time_ms/max"),
        ms(total, "/service_time_ms/max"),
    );
    assert!(response > service * 2.0, "{response} of {service}");
}

fn element(class: &str, name: &str, properties: &[(&str, &str, &str)], below: &str) -> String {
    let properties: String = properties
        .iter()
        .map(|(kind, name, value)| format!("<{kind} name=\"{name}\">{value}</{kind}>"))
        .collect();
    format!(
        "<{class} guiclass=\"x\" testclass=\"{class}\" testname=\"{name}\">{properties}</{class}>\
         <hashTree>{below}</hashTree>"
    )
}

/// Four threads that do this eight times.
fn jmeter_plan(below: &str) -> String {
    let group = "<elementProp name=\"ThreadGroup.main_controller\" elementType=\"LoopController\">\
         <boolProp name=\"LoopController.continue_forever\">false</boolProp>\
         <stringProp name=\"LoopController.loops\">8</stringProp></elementProp>\
         <stringProp name=\"ThreadGroup.num_threads\">4</stringProp>\
         <stringProp name=\"ThreadGroup.ramp_time\">0</stringProp>";
    format!(
        "<jmeterTestPlan version=\"1.2\" properties=\"5.0\" jmeter=\"5.6.3\"><hashTree>\
         <TestPlan testclass=\"TestPlan\" testname=\"p\"/><hashTree>\
         <ThreadGroup testclass=\"ThreadGroup\" testname=\"g\">{group}</ThreadGroup>\
         <hashTree>{below}</hashTree></hashTree></hashTree></jmeterTestPlan>"
    )
}

#[test]
fn timers_of_jmeter_plans_are_neither_lateness_nor_response_time() {
    const TIMER_MS: f64 = 200.0;
    let (server, log) = slow(Duration::from_millis(40));
    let (host, port) = server.authority().split_once(':').unwrap();
    let timer = element(
        "ConstantTimer",
        "timer",
        &[("stringProp", "ConstantTimer.delay", "200")],
        "",
    );
    let request = |below: &str| {
        let properties = [
            ("stringProp", "HTTPSampler.domain", host),
            ("stringProp", "HTTPSampler.port", port),
            ("stringProp", "HTTPSampler.path", "/"),
            ("stringProp", "HTTPSampler.method", "GET"),
            ("boolProp", "HTTPSampler.use_keepalive", "true"),
        ];
        element("HTTPSamplerProxy", "request", &properties, below)
    };
    // Think time as JMeter's own recipe has it: a pause of nothing with a timer below.
    let flow = [
        ("intProp", "ActionProcessor.action", "1"),
        ("intProp", "ActionProcessor.target", "0"),
        ("stringProp", "ActionProcessor.duration", "0"),
    ];
    let think = element("TestAction", "think", &flow, &timer);
    let transaction = |parent: &str, below: &str| {
        let properties = [
            ("boolProp", "TransactionController.includeTimers", "false"),
            ("boolProp", "TransactionController.parent", parent),
        ];
        element("TransactionController", "transaction", &properties, below)
    };
    let plans = [
        format!("{think}{}", request("")),
        transaction("true", &request(&timer)),
        transaction("true", &format!("{think}{}", request(""))),
        transaction("false", &format!("{think}{}", request(""))),
    ];
    for below in plans {
        log.lock().unwrap().clear();
        let bench = Bench::new();
        bench.write("plan.jmx", jmeter_plan(&below));
        let told = bench.call(&[
            "run",
            "plan.jmx",
            "--quiet",
            "--summary-json",
            "summary.json",
        ]);
        assert_not_charged_to_the_generator(&told);
        let mut own = log.lock().unwrap().clone();
        assert_eq!(own.len(), 32, "{below}");
        own.sort_by(f64::total_cmp);
        let summary = told.summary();
        for label in summary["labels"].as_array().unwrap() {
            let response = ms(label, "/response_time_ms/p50");
            let beside = response - own[own.len() / 2];
            assert!(beside.abs() < TIMER_MS / 2.0, "{response}: {label}");
        }
    }
}

#[test]
fn failures_at_once_are_not_a_want_of_cores() {
    let good = HttpServer::hello();
    let refusing = refusing_url();
    let resolver = knows_no_name();
    let only = |target: &str| {
        format!(
            "target: {target}\ndns-servers: [\"{resolver}\"]\nusers: 8\nduration: 3s\nsteps: [{{get: /}}]\n"
        )
    };
    let most = format!(
        "target: {}\nusers: 8\nduration: 2s\nsteps: [{{get: /}}, {{repeat: 30, steps: [{{get: \"{refusing}/\"}}]}}]\n",
        good.url()
    );
    let plans = [
        (only(&refusing), Some(3)),
        (only("http://nowhere.invalid"), Some(3)),
        (most, None),
    ];
    for (plan, code) in plans {
        let bench = Bench::new();
        bench.write("plan.yaml", &plan);
        let told = bench.call(&["run", "plan.yaml", "--summary-json", "summary.json"]);
        assert!(code.is_none() || told.code == code, "{told:?}");
        assert!(reasons(&told).is_empty(), "{plan}\n{told:?}");
        assert!(!told.out.contains("more cores"), "{told:?}");
    }
}

#[test]
fn arrivals_that_leave_together_after_a_stall_are_counted() {
    let server = HttpServer::hello();
    let plan = format!(
        "target: {}\nrate: 200/s\narrivals: poisson\nduration: 3s\nsteps: [{{get: /}}]\n",
        server.url()
    );
    let bench = Bench::new();
    let run = bench.start_plan(&plan, &[]);
    eventually("requests", || server.seen().len() > 50);
    run.signal("STOP");
    std::thread::sleep(Duration::from_millis(700));
    run.signal("CONT");
    let told = run.end();
    let summary = told.summary();
    let generator = &summary["generator"];
    let (arrivals, coalesced) = (
        generator["arrivals"].as_u64().unwrap(),
        generator["arrivals_coalesced"].as_u64().unwrap(),
    );
    assert_eq!(arrivals, summary["total"]["samples"].as_u64().unwrap());
    // Some 140 were due meanwhile, and all of them left at once.
    assert!(
        (60..arrivals).contains(&coalesced),
        "{coalesced} of {arrivals}"
    );
    let told = format!("{coalesced} of {arrivals}");
    assert!(flat(&report(&bench)).contains(&told), "{told}");
}
