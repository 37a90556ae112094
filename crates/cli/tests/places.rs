//! Where `check` says that an element of a JMeter plan runs is where the engine runs it.

#![allow(clippy::unwrap_used, clippy::expect_used)]

use std::path::PathBuf;

use plimsoll_jmeter::{BoundProgram, JMeterOptions};
use plimsoll_jmx::classes::{self, Category};
use plimsoll_jmx::{Properties, RunsIn, TranslateOptions, read, translate};
use plimsoll_plan::{CompileOptions, compile};

/// Whether `check` says that the companion is needed, and whether the engine needs it.
fn both(samplers: &str) -> (bool, bool) {
    let plan = format!(
        "<jmeterTestPlan><hashTree><TestPlan testname='p'/><hashTree>\
         <ThreadGroup testname='g'><stringProp name='ThreadGroup.num_threads'>1</stringProp></ThreadGroup>\
         <hashTree>{samplers}</hashTree></hashTree></hashTree></jmeterTestPlan>"
    );
    let properties = Properties::new();
    let options = TranslateOptions {
        properties: &properties,
        folder: PathBuf::new(),
        plan_file: "p.jmx".to_owned(),
        allow_unsupported: false,
        read_file: &|path| std::fs::read(path),
    };
    let translated = translate(&read(plan.as_bytes()).unwrap(), &options).unwrap();
    let said = translated.table.iter();
    let said = said.filter(|row| row.place == RunsIn::Companion).count() > 0;
    let program = compile(&translated.plan, &CompileOptions::default()).unwrap();
    let bound = BoundProgram::new(&program, &JMeterOptions::default()).unwrap();
    (said, bound.needs_companion)
}

fn agree(name: &str, samplers: &str) {
    let (said, done) = both(samplers);
    assert_eq!(
        said, done,
        "{name}: check says companion: {said}, the engine: {done}"
    );
}

#[test]
fn check_and_engine_agree_where_leaves_run() {
    for (category, class) in classes::all() {
        match category {
            Category::Sampler => {
                agree(class, &format!("<{class} testname='x'/><hashTree/>"));
            }
            Category::Pre
            | Category::Post
            | Category::Assertion
            | Category::Timer
            | Category::Listener => {
                // Its clients are looked at when the run starts.
                if class == "BackendListener" {
                    continue;
                }
                let leaf = format!(
                    "<DebugSampler testname='s'/><hashTree><{class} testname='x'/><hashTree/></hashTree>"
                );
                agree(class, &leaf);
            }
            _ => {}
        }
    }
}

#[test]
fn check_and_engine_agree_on_databases_and_java_samplers() {
    let source = |url: &str| {
        format!(
            "<DataSourceElement testname='d'><stringProp name='dbUrl'>{url}</stringProp></DataSourceElement><hashTree/>"
        )
    };
    let query = |kind: &str, variable: &str| {
        format!(
            "<JDBCSampler testname='q'><stringProp name='queryType'>{kind}</stringProp>\
             <stringProp name='resultVariable'>{variable}</stringProp></JDBCSampler><hashTree/>"
        )
    };
    let select = query("Select Statement", "");
    let without_variable = "<JDBCSampler testname='q'/><hashTree/>";
    assert!(!both(&(source("jdbc:mysql://h/d") + without_variable)).0);
    agree(
        "no variable",
        &(source("jdbc:mysql://h/d") + without_variable),
    );
    for url in [
        "jdbc:mysql://h/d",
        "jdbc:mariadb://h/d",
        "jdbc:postgresql://h/d",
        "${url}",
    ] {
        assert!(!both(&(source(url) + &select)).0, "{url}");
        agree(url, &(source(url) + &select));
    }
    for (url, query) in [
        ("jdbc:oracle:thin:@h", select.clone()),
        ("jdbc:mysql://one,two/d", select.clone()),
        ("jdbc:mysql:loadbalance://one/d", select),
        ("jdbc:mysql://h/d", query("Callable Statement", "")),
        ("jdbc:mysql://h/d", query("Select Statement", "rows")),
    ] {
        agree(url, &(source(url) + &query));
    }
    for query in ["//a[1]", "for $a in //a return $a", "${query}"] {
        agree(
            query,
            &format!(
                "<DebugSampler testname='s'/><hashTree><XPath2Extractor testname='x'>\
                 <stringProp name='XPathExtractor2.xpathQuery'>{query}</stringProp>\
                 </XPath2Extractor><hashTree/></hashTree>"
            ),
        );
    }
    for (parser, filter) in [
        ("TCLogParser", ""),
        ("TCLogParser", "LogFilter"),
        ("TCLogParser", "SessionFilter"),
        ("SharedTCLogParser", ""),
    ] {
        let class = |name: &str| match name {
            "" => String::new(),
            name => format!("org.apache.jmeter.protocol.http.util.accesslog.{name}"),
        };
        let sampler = format!(
            "<AccessLogSampler testname='a'><stringProp name='parserClassName'>{}</stringProp>\
             <stringProp name='filterClassName'>{}</stringProp></AccessLogSampler><hashTree/>",
            class(parser),
            class(filter)
        );
        agree(parser, &sampler);
    }
    for test in ["JavaTest", "SleepTest", "Other"] {
        let class = format!("org.apache.jmeter.protocol.java.test.{test}");
        let sampler = format!(
            "<JavaSampler testname='j'><stringProp name='classname'>{class}</stringProp></JavaSampler><hashTree/>"
        );
        agree(test, &sampler);
    }
}
