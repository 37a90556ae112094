//! Errors of JMeter plans, by code and assertion.

use crate::support::Bench;
use crate::support::raw::{RawServer, read_head};
use crate::{element, plan, request};

/// An assertion on the body, or on how long the sample took.
fn assertions() -> [String; 2] {
    let text_is = element(
        "ResponseAssertion",
        "has tea",
        "<collectionProp name=\"Asserion.test_strings\"><stringProp name=\"1\">tea</stringProp>\
         </collectionProp><stringProp name=\"Assertion.test_field\">Assertion.response_data\
         </stringProp><intProp name=\"Assertion.test_type\">16</intProp>",
        "",
    );
    let quick = element(
        "DurationAssertion",
        "quick",
        "<stringProp name=\"DurationAssertion.duration\">5</stringProp>",
        "",
    );
    [text_is, quick]
}

#[test]
fn errors_of_jmeter_plans_are_told_by_code_and_assertion() {
    let server = RawServer::start(|mut stream| {
        use std::io::Write as _;
        let head = read_head(&mut stream)?;
        let (status, body) = match head.split(' ').nth(1).unwrap_or_default() {
            "/busy?token=abcdef1234567" => ("503 Service Unavailable", "later"),
            "/coffee" => ("200 OK", "coffee"),
            "/late" => {
                std::thread::sleep(std::time::Duration::from_millis(8));
                ("200 OK", "tea")
            }
            _ => return Ok(()),
        };
        let length = body.len();
        write!(
            stream,
            "HTTP/1.1 {status}\r\nConnection: close\r\nContent-Length: {length}\r\n\r\n{body}"
        )
    });
    let [text_is, quick] = assertions();
    let requests = [
        request("busy", "/busy?token=abcdef1234567", ""),
        request("coffee", "/coffee", &text_is),
        request("late", "/late", &quick),
        request("none", "/none", ""),
    ];
    let bench = Bench::new();
    let loops = "<stringProp name=\"LoopController.loops\">";
    let plan = plan(&requests.concat());
    bench.write(
        "plan.jmx",
        plan.replace(&format!("{loops}1"), &format!("{loops}7")),
    );
    let port = format!("-Jport={}", server.port());
    let told = bench.call(&[
        "run",
        "plan.jmx",
        "--quiet",
        &port,
        "--summary-json",
        "summary.json",
    ]);
    let summary = told.summary();
    let errors = summary["errors"].as_array().unwrap();
    let of = |label: &str| {
        let of: Vec<_> = errors.iter().filter(|it| it["label"] == label).collect();
        assert_eq!(of.len(), 1, "{label} in {errors:#?}");
        assert_eq!(
            (of[0]["count"].as_u64(), of[0]["other"].as_bool()),
            (Some(7), Some(false))
        );
        assert_eq!(of[0]["samples"].as_array().unwrap().len(), 5);
        let said = |name: &str| of[0][name].as_str().unwrap().to_owned();
        let shown = |name: &str| of[0]["samples"][0][name].as_str().unwrap().to_owned();
        (
            said("code"),
            said("message"),
            shown("request"),
            shown("response"),
        )
    };
    let (code, message, request, response) = of("busy");
    assert_eq!((&*code, &*message), ("503", "Service Unavailable"));
    assert!(
        request.starts_with("GET /busy?token=*** HTTP/1.1\n"),
        "{request}"
    );
    assert!(response.ends_with("\n\nlater"), "{response}");
    let (code, message, _, response) = of("coffee");
    assert!(
        code == "200" && message.contains("expected to contain /tea/"),
        "{message}"
    );
    assert!(response.ends_with("\n\ncoffee"), "{response}");
    let (_, message, request, _) = of("late");
    assert_eq!(message, "The operation lasted too long");
    assert!(request.starts_with("GET /late HTTP/1.1"), "{request}");
    let (code, _, _, response) = of("none");
    assert!(code.starts_with("Non HTTP response code: "), "{code}");
    assert_eq!(response, "");
    let text = bench.call(&["report", "last", "--errors"]).out;
    assert!(text.contains("503 Service Unavailable"), "{text}");
    assert!(
        text.contains("The operation lasted too long: It took"),
        "{text}"
    );
}
