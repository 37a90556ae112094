//! The table of docs/jmeter.md is what `plimsoll check` says. `UPDATE_EXPECTED=1` writes it.

#![allow(clippy::unwrap_used, clippy::expect_used)]

use std::collections::BTreeMap;
use std::path::Path;

use plimsoll_jmx::classes::{self, Category};
use plimsoll_jmx::{RunsIn, read, table};
use plimsoll_plan::functions::JMETER_FUNCTIONS;

const BEGIN: &str = "<!-- table: made from what check says -->\n";
const END: &str = "<!-- end of the table -->";

/// The rows, in English and Chinese.
const ROWS: &[(Category, &str, &str)] = &[
    (Category::ThreadGroup, "Thread groups", "线程组"),
    (Category::Controller, "Controllers", "逻辑控制器"),
    (Category::Sampler, "Samplers", "取样器"),
    (Category::Config, "Configuration", "配置元件"),
    (Category::Pre, "Pre-processors", "前置处理器"),
    (Category::Timer, "Timers", "定时器"),
    (Category::Post, "Post-processors", "后置处理器"),
    (Category::Assertion, "Assertions", "断言"),
    (Category::Listener, "Listeners", "监听器"),
];

/// Elements whose place depends on what is in them: class, words for the table, attributes,
/// properties.
const FORMS: &[(&str, &str, &str, &str)] = &[
    (
        "BackendListener",
        "`GraphiteBackendListenerClient`",
        "",
        "<stringProp name='classname'>org.apache.jmeter.visualizers.backend.graphite.GraphiteBackendListenerClient</stringProp>",
    ),
    (
        "BackendListener",
        "`InfluxdbBackendListenerClient`",
        "",
        "<stringProp name='classname'>org.apache.jmeter.visualizers.backend.influxdb.InfluxdbBackendListenerClient</stringProp>",
    ),
    (
        "BackendListener",
        "`InfluxDBRawBackendListenerClient`",
        "",
        "<stringProp name='classname'>org.apache.jmeter.visualizers.backend.influxdb.InfluxDBRawBackendListenerClient</stringProp>",
    ),
    (
        "ConfigTestElement",
        "FTP, LDAP …",
        "guiclass='FtpConfigGui'",
        "",
    ),
    (
        "DataSourceElement",
        "MySQL, MariaDB, PostgreSQL",
        "",
        "<stringProp name='dbUrl'>jdbc:mysql://h/d</stringProp>",
    ),
    (
        "DataSourceElement",
        "…",
        "",
        "<stringProp name='dbUrl'>jdbc:oracle:thin:@h</stringProp>",
    ),
    (
        "JDBCPostProcessor",
        "MySQL, MariaDB, PostgreSQL",
        "",
        "<stringProp name='resultVariable'/>",
    ),
    (
        "JDBCPreProcessor",
        "MySQL, MariaDB, PostgreSQL",
        "",
        "<stringProp name='resultVariable'/>",
    ),
    (
        "JDBCSampler",
        "MySQL, MariaDB, PostgreSQL",
        "",
        "<stringProp name='resultVariable'/>",
    ),
    (
        "JavaSampler",
        "`JavaTest`",
        "",
        "<stringProp name='classname'>org.apache.jmeter.protocol.java.test.JavaTest</stringProp>",
    ),
    (
        "JavaSampler",
        "`SleepTest`",
        "",
        "<stringProp name='classname'>org.apache.jmeter.protocol.java.test.SleepTest</stringProp>",
    ),
    (
        "XPath2Assertion",
        "queries that may mean something else in XPath 1.0",
        "",
        "<stringProp name='XPath.xpath'>contains(//a, 'x')</stringProp>",
    ),
    (
        "XPath2Extractor",
        "queries that may mean something else in XPath 1.0",
        "",
        "<stringProp name='XPathExtractor2.xpathQuery'>for $a in //a return $a</stringProp>",
    ),
    (
        "XPathAssertion",
        "with validation",
        "",
        "<boolProp name='XPath.validate'>true</boolProp>",
    ),
    (
        "AccessLogSampler",
        "`TCLogParser`",
        "",
        "<stringProp name='parserClassName'>org.apache.jmeter.protocol.http.util.accesslog.TCLogParser</stringProp>",
    ),
    (
        "TCPSampler",
        "clients that are not JMeter's",
        "",
        "<stringProp name='TCPSampler.classname'>com.example.Client</stringProp>",
    ),
];

fn place_of(class: &str, attributes: &str, properties: &str) -> RunsIn {
    let text = format!(
        "<jmeterTestPlan><hashTree><{class} testname='x' {attributes}>{properties}</{class}></hashTree></jmeterTestPlan>"
    );
    table(&read(text.as_bytes()).unwrap())[0].place
}

/// By place, the entries of a row of the table.
fn entries(category: Category) -> BTreeMap<RunsIn, Vec<String>> {
    let mut entries: BTreeMap<RunsIn, Vec<String>> = BTreeMap::new();
    for (_, class) in classes::all().filter(|(of, _)| *of == category) {
        let plain = place_of(class, "", "");
        entries.entry(plain).or_default().push(format!("`{class}`"));
        let mut forms: BTreeMap<RunsIn, Vec<&str>> = BTreeMap::new();
        for (of, words, attributes, properties) in FORMS {
            let place = place_of(of, attributes, properties);
            if *of == class && place != plain {
                forms.entry(place).or_default().push(words);
            }
        }
        for (place, words) in forms {
            let entry = format!("`{class}` ({})", words.join(", "));
            entries.entry(place).or_default().push(entry);
        }
    }
    entries
}

fn functions() -> BTreeMap<RunsIn, Vec<String>> {
    let mut entries: BTreeMap<RunsIn, Vec<String>> = BTreeMap::new();
    for known in JMETER_FUNCTIONS {
        let text = format!("<stringProp name='a'>${{{}(1,2)}}</stringProp>", known.name);
        let text = format!(
            "<jmeterTestPlan><hashTree><ConstantTimer testname='x'>{text}</ConstantTimer></hashTree></jmeterTestPlan>"
        );
        let rows = table(&read(text.as_bytes()).unwrap());
        let row = rows.iter().find(|row| row.class == known.name).unwrap();
        let entry = format!("`{}`", known.name);
        entries.entry(row.place).or_default().push(entry);
    }
    entries
}

fn row(name: &str, mut entries: BTreeMap<RunsIn, Vec<String>>) -> String {
    let mut cell = |place| entries.remove(&place).unwrap_or_default().join(", ");
    let (native, companion) = (cell(RunsIn::Native), cell(RunsIn::Companion));
    assert!(entries.is_empty(), "{name}: {entries:?}");
    format!("| {name} | {native} | {companion} |\n").replace("|  |", "| – |")
}

#[test]
fn the_table_is_up_to_date() {
    for (path, heads, last, chinese) in [
        (
            "docs/jmeter.md",
            "| | natively | in the JVM companion |",
            "Functions",
            false,
        ),
        (
            "docs/jmeter.zh-CN.md",
            "| | 原生 | 在 JVM 伴随进程中 |",
            "函数",
            true,
        ),
    ] {
        let mut made = format!("{heads}\n|---|---|---|\n");
        for (category, en, zh) in ROWS {
            made += &row(if chinese { zh } else { en }, entries(*category));
        }
        made += &row(last, functions());
        let file = Path::new(env!("CARGO_MANIFEST_DIR"))
            .join("../..")
            .join(path);
        let found = std::fs::read_to_string(&file).unwrap();
        let (before, rest) = found.split_once(BEGIN).expect("the mark before the table");
        let (_, after) = rest.split_once(END).expect("the mark after the table");
        let wanted = format!("{before}{BEGIN}{made}{END}{after}");
        if std::env::var_os("UPDATE_EXPECTED").is_some() {
            std::fs::write(&file, &wanted).unwrap();
        }
        let found = std::fs::read_to_string(&file).unwrap();
        assert!(found == wanted, "{path} is not up to date: make schema");
    }
}
