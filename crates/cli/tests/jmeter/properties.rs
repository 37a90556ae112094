//! JMeter's properties that are set and not obeyed are named, once.

use super::{Bench, ends, plan, request, server};

#[test]
fn properties_that_are_not_obeyed_are_told_once() {
    let server = server();
    let bench = Bench::new();
    bench.write("plan.jmx", plan(&request("get", "/", "")));
    bench.write("own.properties", "hc.parameters.file=hc\nown=1\n");
    let port = format!("-Jport={}", server.port());
    let given = [
        "plan.jmx",
        "-q",
        "own.properties",
        "-Dhttp.proxyHost=p",
        "-Jhttpclient4.retrycount=2",
        "-Jhttps.default.protocol=TLS",
        &port,
    ];
    for command in ["check", "run"] {
        let told = bench.call(&[&[command][..], given.as_slice()].concat());
        ends(&told, 0);
        let named = told
            .err
            .matches("hc.parameters.file, http.proxyHost")
            .count();
        assert_eq!(named, 1, "{told:?}");
        // Obeyed, as JMeter has it, and the plan's own.
        for other in ["retrycount", "https.default", "own,"] {
            assert!(!told.err.contains(other), "{told:?}");
        }
    }
    let quiet = bench.call(&["check", "plan.jmx", &port]);
    assert!(!quiet.err.contains("obeyed"), "{quiet:?}");
}
