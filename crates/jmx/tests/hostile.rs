//! Plans made to do harm, by the thousand: reading, translating and compiling end, and what is refused is refused with
//! a place that is in the file.

#![allow(clippy::unwrap_used, clippy::expect_used)]

use std::io;
use std::path::Path;

use plimsoll_jmx::{Properties, TranslateOptions, read, translate};
use plimsoll_plan::{CompileOptions, Problem, Severity, compile};
use plimsoll_text::{Lang, render};
use proptest::prelude::*;

/// Classes with what makes each dangerous: nothing, a link, a loop, a file, an expression.
const CLASSES: &[&str] = &[
    "GenericController",
    "LoopController",
    "WhileController",
    "IfController",
    "TransactionController",
    "IncludeController",
    "ModuleController",
    "SwitchController",
    "ForeachController",
    "CriticalSectionController",
    "com.blazemeter.jmeter.controller.ParallelSampler",
    "com.blazemeter.jmeter.threads.concurrency.ConcurrencyThreadGroup",
    "kg.apc.jmeter.threads.UltimateThreadGroup",
    "kg.apc.jmeter.threads.SteppingThreadGroup",
    "ThreadGroup",
    "TestPlan",
    "TestFragmentController",
    "HTTPSamplerProxy",
    "DebugSampler",
    "TestAction",
    "CSVDataSet",
    "CounterConfig",
    "RegexExtractor",
    "JSONPostProcessor",
    "XPathExtractor",
    "ResponseAssertion",
    "ConstantThroughputTimer",
    "UserParameters",
    "ResultCollector",
    "org.example.Unknown",
    "",
];

const PROPERTIES: &[&str] = &[
    "LoopController.loops",
    "LoopController.continue_forever",
    "WhileController.condition",
    "IfController.condition",
    "IncludeController.includepath",
    "ThreadGroup.num_threads",
    "ThreadGroup.ramp_time",
    "ThreadGroup.duration",
    "ThreadGroup.scheduler",
    "TargetLevel",
    "RampUp",
    "Hold",
    "Steps",
    "Unit",
    "Start users count",
    "Stop users count",
    "PARENT_SAMPLE",
    "MAX_THREAD_NUMBER",
    "filename",
    "delimiter",
    "variableNames",
    "HTTPSampler.domain",
    "HTTPSampler.port",
    "HTTPSampler.path",
    "RegexExtractor.regex",
    "RegexExtractor.template",
    "JSONPostProcessor.jsonPathExprs",
    "XPathExtractor.xpathQuery",
    "CounterConfig.start",
    "ActionProcessor.duration",
    "throughput",
];

/// Values that are wrong, huge, endless or elsewhere.
const VALUES: &[&str] = &[
    "",
    "-1",
    "0",
    "1e308",
    "NaN",
    "9223372036854775807",
    "-9223372036854775808",
    "99999999999999999999999999",
    "true",
    "self.jmx",
    "other.jmx",
    "../../../../etc/passwd",
    "/dev/zero",
    "\u{0}",
    "((a+)+)+$",
    "(((a{1000}){1000}){1000})",
    "$..[?(@..[?(@..a)])]",
    "//a[.//a[.//a[.//a]]]",
    "${a",
    "${__",
    "${__V(${__V(${__V(a",
    "${__eval(${__eval(${x})})}",
    "${__javaScript(while(true){})}",
    "${__groovy(while(true){})}",
    "${__StringFromFile(/dev/zero)}",
    "${__RandomString(2147483647,a,x)}",
    "\\\\\\",
    "\u{202e}\u{feff}\u{1f980}",
];

/// One of them, or one that is deep, long or by chance.
fn value() -> impl Strategy<Value = String> {
    prop_oneof![
        4 => prop::sample::select(VALUES).prop_map(str::to_owned),
        1 => (1usize..3_000).prop_map(|deep| "${__urlencode(".repeat(deep)),
        1 => (1usize..3_000).prop_map(|deep| format!("{}x{}", "${__urlencode(".repeat(deep), ")}".repeat(deep))),
        1 => (1usize..200_000).prop_map(|long| "x,".repeat(long)),
        1 => ".{0,40}".prop_map(String::from),
    ]
}

fn escaped(text: &str) -> String {
    let text = text.replace('&', "&amp;").replace('<', "&lt;");
    text.replace('"', "&quot;")
}

/// An element's class, properties, whether it is on, and its name.
type Own = (&'static str, Vec<(&'static str, String)>, bool, u8);

fn own() -> impl Strategy<Value = Own> {
    let property = (prop::sample::select(PROPERTIES), value());
    let properties = prop::collection::vec(property, 0..4);
    (
        prop::sample::select(CLASSES),
        properties,
        any::<bool>(),
        0u8..4,
    )
}

/// The element as a file has it, with what is below it.
fn written((class, properties, is_on, name): &Own, below: &str) -> String {
    let tag = match *class {
        "" => "stringProp",
        class => class,
    };
    let properties: String = properties
        .iter()
        .map(|(name, value)| {
            format!(
                "<stringProp name=\"{name}\">{}</stringProp>\n",
                escaped(value)
            )
        })
        .collect();
    // Modules lead to a name that may be theirs, that of what is around them, or nobody's.
    let path = format!(
        "<collectionProp name=\"ModuleController.node_path\"><stringProp name=\"1\">r</stringProp>\
         <stringProp name=\"2\">p</stringProp><stringProp name=\"3\">n{}</stringProp></collectionProp>",
        name % 2
    );
    format!(
        "<{tag} testclass=\"{class}\" testname=\"n{name}\" enabled=\"{is_on}\">{properties}{path}</{tag}>\n\
         <hashTree>{below}</hashTree>\n"
    )
}

/// An element with what is below it.
fn element() -> impl Strategy<Value = String> {
    let leaf = own().prop_map(|own| written(&own, ""));
    leaf.prop_recursive(6, 60, 5, |inner| {
        let below = prop::collection::vec(inner, 0..5);
        (own(), below).prop_map(|(own, below)| written(&own, &below.concat()))
    })
}

fn plan() -> impl Strategy<Value = Vec<u8>> {
    let whole = prop::collection::vec(element(), 0..4).prop_map(|elements| {
        format!(
            "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<jmeterTestPlan><hashTree>\n<TestPlan testclass=\"TestPlan\" \
             testname=\"p\"/>\n<hashTree>\n{}</hashTree>\n</hashTree>\n</jmeterTestPlan>\n",
            elements.concat()
        )
        .into_bytes()
    });
    // Some are cut, or have a byte that is another.
    (whole, any::<prop::sample::Index>(), any::<u8>(), 0u8..6).prop_map(
        |(mut bytes, at, byte, how)| {
            let at = at.index(bytes.len());
            match how {
                0 => bytes.truncate(at),
                1 => bytes[at] = byte,
                2 => bytes.insert(at, byte),
                _ => {}
            }
            bytes
        },
    )
}

/// The lines that a reader counts in a file.
fn lines(bytes: &[u8]) -> u32 {
    let text = String::from_utf8_lossy(bytes);
    u32::try_from(text.split('\n').count()).unwrap()
}

fn assert_told(problems: &[Problem], bytes: &[u8]) {
    assert!(problems.iter().any(|it| it.severity == Severity::Error));
    for problem in problems {
        for lang in [Lang::En, Lang::Zh] {
            let told = render(lang, &problem.message);
            assert!(
                !told.is_empty() && told.len() < 100_000,
                "{}: {} bytes",
                problem.message.id,
                told.len()
            );
        }
        assert!(problem.at.line <= lines(bytes), "{problem:?}");
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(500))]

    #[test]
    fn whatever_a_plan_asks_for_reading_it_ends(bytes in plan()) {
        let tree = match read::read(&bytes) {
            Ok(tree) => tree,
            Err(problem) => {
                assert_told(std::slice::from_ref(&*problem), &bytes);
                prop_assert!(problem.at.line > 0, "{:?}", problem.message.id);
                return Ok(());
            }
        };
        // Every file is the plan itself: each include is one of itself.
        let read_file = |path: &Path| match path.to_string_lossy().contains(".jmx") {
            true => Ok(bytes.clone()),
            false => Err(io::Error::from(io::ErrorKind::NotFound)),
        };
        let options = TranslateOptions {
            properties: &Properties::new(),
            folder: "plans".into(),
            plan_file: "self.jmx".to_owned(),
            allow_unsupported: true,
            read_file: &read_file,
        };
        match translate(&tree, &options) {
            Err(problems) => assert_told(&problems, &bytes),
            Ok(translated) => {
                if let Err(problems) = compile(&translated.plan, &CompileOptions::default()) {
                    assert_told(&problems, &bytes);
                }
            }
        }
    }
}
