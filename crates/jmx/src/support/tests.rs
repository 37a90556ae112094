#![allow(clippy::unwrap_used)]

use super::*;
use crate::read::read;

fn rows(inner: &str) -> Vec<Row> {
    let text = format!(
        "<jmeterTestPlan><hashTree><TestPlan testname='p'/><hashTree>{inner}</hashTree></hashTree></jmeterTestPlan>"
    );
    table(&read(text.as_bytes()).unwrap())
}

fn place_of<'r>(rows: &'r [Row], class: &str) -> &'r Row {
    rows.iter().find(|row| row.class == class).unwrap()
}

#[test]
fn each_element_has_a_place() {
    let rows = rows(
        "<ThreadGroup testname='t' enabled='false'/><hashTree>\
           <HTTPSamplerProxy testname='h'/><FTPSampler testname='f'/><SoapSampler testname='s'/>\
           <JavaSampler testname='j'><stringProp name='classname'>org.apache.jmeter.protocol.java.test.SleepTest</stringProp></JavaSampler>\
         </hashTree>\
         <com.example.FooSampler testname='x'/><IfController/><WorkBench/>\
         <ConfigTestElement guiclass='a.FtpConfigGui'/>",
    );
    let config = place_of(&rows, "ConfigTestElement");
    assert_eq!(config.place, RunsIn::Companion);
    let place = |class| place_of(&rows, class).place;
    assert_eq!(place("TestPlan"), RunsIn::Native);
    assert_eq!(place("HTTPSamplerProxy"), RunsIn::Native);
    assert_eq!(place("JavaSampler"), RunsIn::Native);
    assert_eq!(place("FTPSampler"), RunsIn::Companion);
    assert_eq!(place("com.example.FooSampler"), RunsIn::Unsupported);
    assert_eq!(place("IfController"), RunsIn::Native);
    assert!(
        !place_of(&rows, "FTPSampler").enabled,
        "what is above it is off"
    );
    let lost = |class| place_of(&rows, class).lost.clone().unwrap().id;
    assert_eq!(lost("com.example.FooSampler"), "jmeter-lost-sampler");
    assert_eq!(lost("SoapSampler"), "jmeter-lost-dropped");
    assert_eq!(rows[0].class, "TestPlan", "in the order of the file");
}

#[test]
fn databases_are_native_all_together() {
    let query = "<JDBCSampler testname='q'><stringProp name='resultVariable'/></JDBCSampler>";
    let source = |url: &str| {
        format!(
            "<JDBCDataSource testname='s'><stringProp name='dbUrl'>{url}</stringProp></JDBCDataSource>"
        )
    };
    let place = |inner: &str| place_of(&rows(inner), "JDBCSampler").place;
    let (mysql, oracle) = (
        source("jdbc:mysql://db/shop"),
        source("jdbc:oracle:thin:@db"),
    );
    assert_eq!(place(&format!("{mysql}{query}")), RunsIn::Native);
    assert_eq!(place(&format!("{mysql}{oracle}{query}")), RunsIn::Companion);
    let both = rows(&format!("{mysql}{query}"));
    assert_eq!(place_of(&both, "DataSourceElement").place, RunsIn::Native);
    let objects = query.replace("'/>", "'>rows</stringProp>");
    assert_eq!(place(&format!("{mysql}{objects}")), RunsIn::Companion);
}

#[test]
fn tcp_clients_of_jmeter_are_native() {
    let tcp = |class: &str| {
        let rows = rows(&format!(
            "<TCPSampler testname='t'><stringProp name='TCPSampler.classname'>{class}</stringProp></TCPSampler>"
        ));
        place_of(&rows, "TCPSampler").place
    };
    assert_eq!(tcp(""), RunsIn::Native);
    let own = "org.apache.jmeter.protocol.tcp.sampler.BinaryTCPClientImpl";
    assert_eq!(tcp(own), RunsIn::Native);
    assert_eq!(tcp("com.example.MyClient"), RunsIn::Companion);
}

#[test]
fn functions_are_found_wherever_they_are_written() {
    let found = rows(
        "<HeaderManager testname='${__threadNum}'><collectionProp name='c'><elementProp name='' elementType='Header'>\
           <stringProp name='Header.value'>${__time(yyyy)} ${__P(a,${__Random(1,2)})} \\${__UUID()} ${__jm__x__idx}</stringProp>\
         </elementProp></collectionProp></HeaderManager>\
         <ConstantTimer enabled='false'><stringProp name='d'>${__mine(1)}${__time()}</stringProp></ConstantTimer>",
    );
    let functions: Vec<_> = found
        .iter()
        .filter(|row| row.kind == SupportKind::Function)
        .map(|row| (row.class.as_str(), row.uses, row.enabled))
        .collect();
    assert_eq!(
        functions,
        [
            ("__P", 1, true),
            ("__Random", 1, true),
            ("__mine", 1, false),
            ("__threadNum", 1, true),
            ("__time", 2, true),
        ]
    );
    assert_eq!(place_of(&found, "__mine").place, RunsIn::Unsupported);
}

#[test]
fn what_nothing_runs_forbids_the_plan() {
    let rows =
        rows("<a.B testname='x'/><a.C testname='y' enabled='false'/><SoapSampler testname='s'/>");
    let problems = |allowed| -> Vec<_> {
        let problems = rows.iter().filter_map(|row| problem_of(row, allowed));
        problems.map(|it| (it.message.id, it.severity)).collect()
    };
    use plimsoll_plan::Severity::{Error, Warning};
    let unsupported = "jmeter-unsupported-element".to_owned();
    let dropped = ("jmeter-dropped-element".to_owned(), Warning);
    assert_eq!(
        problems(false),
        [(unsupported.clone(), Error), dropped.clone()]
    );
    assert_eq!(problems(true), [(unsupported, Warning), dropped]);
}

#[test]
fn backends_are_native_by_client_and_sender() {
    let listener = |client: &str, argument: &str, value: &str| {
        let rows = rows(&format!(
            "<BackendListener testname='b'><elementProp name='arguments' elementType='Arguments'>\
             <collectionProp name='Arguments.arguments'><elementProp name='' elementType='Argument'>\
             <stringProp name='Argument.name'>{argument}</stringProp>\
             <stringProp name='Argument.value'>{value}</stringProp></elementProp></collectionProp>\
             </elementProp><stringProp name='classname'>{client}</stringProp></BackendListener>"
        ));
        place_of(&rows, "BackendListener").place
    };
    let backends = "org.apache.jmeter.visualizers.backend";
    let graphite = format!("{backends}.graphite.GraphiteBackendListenerClient");
    let sender = format!("{backends}.graphite.TextGraphiteMetricsSender");
    let pickle = format!("{backends}.graphite.PickleGraphiteMetricsSender");
    let name = "graphiteMetricsSender";
    assert_eq!(listener(&graphite, name, &sender), RunsIn::Native);
    assert_eq!(listener(&graphite, name, &pickle), RunsIn::Companion);
    assert_eq!(listener(&graphite, "graphiteHost", "h"), RunsIn::Native);
    assert_eq!(listener("com.example.Own", "x", "y"), RunsIn::Companion);
}

#[test]
fn a_listener_that_nothing_runs_is_left_out_with_a_warning() {
    let rows =
        rows("<org.example.OtherListener testname='l'/><org.example.OtherSampler testname='s'/>");
    let severity = |class: &str| {
        let row = place_of(&rows, class);
        assert_eq!(row.place, RunsIn::Unsupported, "{class}");
        problem_of(row, false).map(|problem| problem.severity)
    };
    use plimsoll_plan::Severity;
    assert_eq!(
        severity("org.example.OtherListener"),
        Some(Severity::Warning)
    );
    assert_eq!(severity("org.example.OtherSampler"), Some(Severity::Error));
}
