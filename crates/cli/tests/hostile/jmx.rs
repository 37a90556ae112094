//! JMeter plans made to do harm: `check` says where, and a run of what is allowed ends.

use tempfile::TempDir;

use super::starved;
use crate::common::{Told, folder, write};

/// A plan whose group makes one pass of these elements; with a second behind it, in which it ends.
fn plan(group: &str, elements: &str) -> String {
    format!(
        "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<jmeterTestPlan version=\"1.2\"><hashTree>\n\
         <TestPlan testclass=\"TestPlan\" testname=\"p\"/>\n<hashTree>\n\
         <ThreadGroup testclass=\"ThreadGroup\" testname=\"g\">{group}</ThreadGroup>\n<hashTree>\n{elements}\n\
         </hashTree></hashTree></hashTree></jmeterTestPlan>\n"
    )
}

fn passes(loops: &str) -> String {
    format!(
        "<stringProp name=\"ThreadGroup.num_threads\">1</stringProp>\
         <boolProp name=\"ThreadGroup.scheduler\">true</boolProp><stringProp name=\"ThreadGroup.duration\">1</stringProp>\
         <elementProp name=\"ThreadGroup.main_controller\" elementType=\"LoopController\">\
         <boolProp name=\"LoopController.continue_forever\">false</boolProp>\
         <stringProp name=\"LoopController.loops\">{loops}</stringProp></elementProp>"
    )
}

fn once(elements: &str) -> String {
    plan(&passes("1"), elements)
}

/// A sampler that responds with this text, and what is below it.
fn dummy(text: &str, below: &str) -> String {
    let class = "kg.apc.jmeter.samplers.DummySampler";
    format!(
        "<{class} testclass=\"{class}\" testname=\"d\"><boolProp name=\"SUCCESFULL\">true</boolProp>\
         <stringProp name=\"RESPONSE_CODE\">200</stringProp><stringProp name=\"RESPONSE_TIME\">0</stringProp>\
         <stringProp name=\"RESPONSE_DATA\">{text}</stringProp></{class}>\n<hashTree>{below}</hashTree>\n"
    )
}

fn nested(class: &str, properties: &str, depth: usize, inner: &str) -> String {
    let open =
        format!("<{class} testclass=\"{class}\" testname=\"c\">{properties}</{class}><hashTree>\n");
    format!(
        "{}{inner}{}",
        open.repeat(depth),
        "</hashTree>".repeat(depth)
    )
}

fn include(file: &str) -> String {
    format!(
        "<IncludeController testclass=\"IncludeController\" testname=\"i\">\
         <stringProp name=\"IncludeController.includepath\">{file}</stringProp></IncludeController><hashTree/>\n"
    )
}

fn fragment(elements: &str) -> String {
    format!(
        "<jmeterTestPlan><hashTree><TestFragmentController testclass=\"TestFragmentController\" testname=\"f\"/>\n\
         <hashTree>{elements}</hashTree></hashTree></jmeterTestPlan>"
    )
}

fn module(last: &str) -> String {
    format!(
        "<ModuleController testclass=\"ModuleController\" testname=\"m\"><collectionProp name=\"ModuleController.node_path\">\
         <stringProp name=\"1\">Test Plan</stringProp><stringProp name=\"2\">p</stringProp>\
         <stringProp name=\"3\">g</stringProp><stringProp name=\"4\">{last}</stringProp></collectionProp>\
         </ModuleController><hashTree/>\n"
    )
}

fn csv(file: &str) -> String {
    format!(
        "<CSVDataSet testclass=\"CSVDataSet\" testname=\"csv\"><stringProp name=\"filename\">{file}</stringProp>\
         <stringProp name=\"variableNames\">a</stringProp><stringProp name=\"delimiter\">,</stringProp></CSVDataSet>\n\
         <hashTree/>\n"
    )
}

fn regex(pattern: &str) -> String {
    format!(
        "<RegexExtractor testclass=\"RegexExtractor\" testname=\"r\"><stringProp name=\"RegexExtractor.refname\">v</stringProp>\
         <stringProp name=\"RegexExtractor.regex\">{pattern}</stringProp><stringProp name=\"RegexExtractor.template\">$1$</stringProp>\
         <stringProp name=\"RegexExtractor.match_number\">1</stringProp></RegexExtractor><hashTree/>\n"
    )
}

fn told(args: &[&str], text: &[u8], files: &[(&str, String)]) -> Told {
    let dir: TempDir = folder();
    for (name, text) in files {
        write(&dir, name, text);
    }
    std::fs::write(dir.path().join("plan.jmx"), text).unwrap();
    let told = starved(&dir, args);
    assert!(told.code >= 0, "a signal ended it: {:.2000}", told.err);
    assert!(!told.err.contains("panicked"), "{:.2000}", told.err);
    assert!(told.err.len() < 200_000, "{} bytes", told.err.len());
    told
}

/// What `check` says of a plan that it refuses.
fn refused(text: &[u8], files: &[(&str, String)], wanted: &str) {
    let told = told(&["check", "plan.jmx"], text, files);
    assert_eq!(told.code, 2, "{wanted}: {:.2000}", told.err);
    let place = told.err.split(".jmx:").nth(1).unwrap_or_default();
    let mut numbers = place.splitn(3, ':').map(str::parse::<u32>);
    let (line, column) = (numbers.next(), numbers.next());
    assert!(
        matches!((line, column), (Some(Ok(1..)), Some(Ok(1..)))),
        "{wanted}: {:.2000}",
        told.err
    );
    assert!(told.err.contains(wanted), "{wanted}: {:.2000}", told.err);
}

#[test]
fn what_nests_or_leads_to_itself_is_refused_with_its_place() {
    refused(
        "<a><hashTree>".repeat(100_000).as_bytes(),
        &[],
        "more than 200 levels",
    );
    let deep = once(&nested("GenericController", "", 150, &dummy("x", "")));
    refused(deep.as_bytes(), &[], "more than 100 levels");
    let own = [
        ("a.jmx", fragment(&include("b.jmx"))),
        ("b.jmx", fragment(&include("a.jmx"))),
    ];
    refused(once(&include("a.jmx")).as_bytes(), &own, "includes itself");
    let around = nested("GenericController", "", 1, &module("c"));
    refused(once(&around).as_bytes(), &[], "which holds it");
    let names: Vec<String> = (0..12).map(|n| format!("f{n}.jmx")).collect();
    let doubling = names
        .windows(2)
        .map(|pair| (pair[0].as_str(), fragment(&include(&pair[1]).repeat(8))));
    let mut doubling: Vec<(&str, String)> = doubling.collect();
    doubling.push((names[11].as_str(), fragment(&dummy("x", ""))));
    refused(
        once(&include("f0.jmx")).as_bytes(),
        &doubling,
        "more than 200000 elements",
    );
}

#[test]
fn what_is_no_plan_is_refused_with_its_place() {
    let entities: String = (1..12)
        .map(|n| format!("<!ENTITY e{n} \"{}\">", format!("&e{};", n - 1).repeat(10)))
        .collect();
    let bomb = format!(
        "<!DOCTYPE a [<!ENTITY e0 \"x\">{entities}]>\n<jmeterTestPlan><hashTree>&e11;</hashTree></jmeterTestPlan>"
    );
    refused(bomb.as_bytes(), &[], "not expanded");
    refused(
        once("").replace("UTF-8", "klingon").as_bytes(),
        &[],
        "klingon",
    );
    refused(once("").as_bytes().get(..200).unwrap(), &[], "not closed");
    let classes: String = (0..5_000)
        .map(|n| format!("<org.x.C{n} testname=\"n\"/><hashTree/>\n"))
        .collect();
    refused(once(&classes).as_bytes(), &[], "org.x.C0");
    let users = once(&dummy("x", "")).replace(
        ">1</stringProp><boolProp",
        ">2147483647</stringProp><boolProp",
    );
    refused(users.as_bytes(), &[], "2147483647 users");
}

#[test]
fn what_is_only_huge_is_checked() {
    let check = |text: &str| told(&["check", "plan.jmx"], text.as_bytes(), &[]);
    assert_eq!(check(&once(&dummy(&"x".repeat(30 << 20), ""))).code, 0);
    let calls = format!(
        "{}x{}",
        "${__urlencode(".repeat(10_000),
        ")}".repeat(10_000)
    );
    assert_eq!(check(&once(&dummy(&calls, ""))).code, 0);
    assert_eq!(
        check(&once(&csv("/dev/zero"))).code,
        0,
        "JMeter has it fail when it runs, too"
    );
}

#[test]
fn runs_that_could_go_on_for_ever_end() {
    let run = |text: String, files: &[(&str, String)]| {
        told(
            &["run", "plan.jmx", "--quiet", "--out", "runs"],
            text.as_bytes(),
            files,
        )
    };
    let counts = "<boolProp name=\"LoopController.continue_forever\">false</boolProp>\
         <stringProp name=\"LoopController.loops\">2147483647</stringProp>";
    let idle = nested("LoopController", counts, 5, "");
    let loops = run(plan(&passes("-1"), &(idle + &dummy("x", ""))), &[]);
    assert!(
        [0, 4].contains(&loops.code),
        "{}: {:.2000}",
        loops.code,
        loops.err
    );
    let exploding = [
        dummy(&format!("{}!", "a".repeat(60)), &regex("((a+)+)$")),
        dummy(&format!("{}!", "a".repeat(60)), &regex("(?=((a+)+)$)x")),
        dummy("x", &regex("(((a{1000}){1000}){1000})")),
    ];
    let patterns = run(once(&exploding.concat()), &[]).code;
    assert!(
        [0, 4].contains(&patterns),
        "its second may end first: {patterns}"
    );
    let line = [("big.csv", "x".repeat(20 << 20))];
    let big = run(once(&(csv("big.csv") + &dummy("${a}", ""))), &line).code;
    assert!([0, 4].contains(&big), "its second may end first: {big}");
    let zero = run(once(&(csv("/dev/zero") + &dummy("${a}", ""))), &[]);
    assert!(
        zero.code != 0 && zero.err.contains("/dev/zero"),
        "{}: {:.2000}",
        zero.code,
        zero.err
    );
    let calls = format!(
        "{}x{}",
        "${__urlencode(".repeat(10_000),
        ")}".repeat(10_000)
    );
    run(once(&dummy(&calls, "")), &[]);
}
