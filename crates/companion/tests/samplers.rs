//! JMeter's own samplers and configuration in the companion.
#![allow(clippy::unwrap_used, clippy::expect_used)]

mod common;

use std::io::{Read, Write};
use std::sync::atomic::{AtomicU32, Ordering};
use std::time::{Duration, Instant};

use common::{Tester, element, groovy, run, shared, site, start};
use plimsoll_companion::{
    CallMoment, Companion, CompanionSession, CompanionUser, TestStart, Work, WorkOutcome,
};
use plimsoll_elements::{Evaluated, EvaluatedValue, SampleResult};

static SITES: AtomicU32 = AtomicU32::new(1);

/// What a new user's sampler at a new site brings back.
async fn sample(
    companion: &Companion,
    sampler: &Evaluated,
    configs: &[&Evaluated],
) -> SampleResult {
    let mut session = CompanionSession::new(companion, common::user("group 1-1"));
    let next = || SITES.fetch_add(1, Ordering::Relaxed);
    let configs: Vec<_> = configs.iter().map(|config| site(next(), config)).collect();
    let moment = CallMoment {
        sampler: Some(site(next(), sampler)),
        configs: &configs,
        ..CallMoment::default()
    };
    match session.call(&Work::Sample, &moment).await.unwrap().outcome {
        WorkOutcome::Sample(Some(result)) => *result,
        other => panic!("{other:?}"),
    }
}

#[test]
fn java_and_debug_samplers() {
    let Some(companion) = shared() else { return };
    run(async {
        let mut sleep = element(
            "JavaSampler",
            "sleep",
            &[(
                "classname",
                "org.apache.jmeter.protocol.java.test.SleepTest",
            )],
        );
        let argument = |name: &str, value: &str| {
            let pair = [("Argument.name", name), ("Argument.value", value)];
            EvaluatedValue::Element(element("Argument", name, &pair))
        };
        let mut arguments = element("Arguments", "", &[]);
        arguments.properties.push((
            "Arguments.arguments".into(),
            EvaluatedValue::List(vec![
                argument("SleepTime", "20"),
                argument("SleepMask", "0"),
            ]),
        ));
        sleep
            .properties
            .push(("arguments".into(), EvaluatedValue::Element(arguments)));
        let result = sample(&companion, &sleep, &[]).await;
        assert!(result.success, "{result:?}");
        assert!(result.elapsed_ms >= 19, "{result:?}");
        assert!(result.end_unix_ms >= result.start_unix_ms + 19);
        assert_eq!(result.label, "sleep");
        let debug = element(
            "DebugSampler",
            "debug",
            &[("displayJMeterVariables", "true")],
        );
        let result = sample(&companion, &debug, &[]).await;
        assert!(result.text().contains("TESTSTART.MS="), "{}", result.text());
    });
}

#[test]
fn a_junit_test_of_the_class_path() {
    let Some(companion) = shared() else { return };
    run(async {
        let junit = element(
            "JUnitSampler",
            "junit",
            &[
                ("junitSampler.classname", "org.plimsoll.NoSuchTest"),
                ("junitsampler.method", "testNothing"),
            ],
        );
        let result = sample(&companion, &junit, &[]).await;
        assert!(!result.success);
        assert!(!result.message.is_empty(), "{result:?}");
    });
}

#[test]
fn a_sampler_has_its_configuration_merged_in() {
    let Some(companion) = shared() else { return };
    let listener = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    let port = listener.local_addr().unwrap().port().to_string();
    let server = std::thread::spawn(move || {
        let (mut stream, _) = listener.accept().unwrap();
        let mut request = Vec::new();
        let mut buffer = [0; 1024];
        while !request.windows(4).any(|end| end == b"\r\n\r\n") {
            let length = stream.read(&mut buffer).unwrap();
            request.extend_from_slice(&buffer[..length]);
        }
        stream
            .write_all(b"HTTP/1.1 200 Fine\r\nContent-Length: 2\r\nX-A: b\r\n\r\nhi")
            .unwrap();
        String::from_utf8(request).unwrap()
    });
    run(async {
        let sampler = element("HTTPSamplerProxy", "page", &[("HTTPSampler.path", "/x")]);
        let defaults = element(
            "ConfigTestElement",
            "defaults",
            &[
                ("HTTPSampler.domain", "127.0.0.1"),
                ("HTTPSampler.port", &port),
            ],
        );
        let mut headers = element("HeaderManager", "headers", &[]);
        let header = element(
            "",
            "X-Test",
            &[("Header.name", "X-Test"), ("Header.value", "yes")],
        );
        let header = Evaluated {
            class: "Header".into(),
            ..header
        };
        headers.properties.push((
            "HeaderManager.headers".into(),
            EvaluatedValue::List(vec![EvaluatedValue::Element(header)]),
        ));
        let result = sample(&companion, &sampler, &[&defaults, &headers]).await;
        assert!(result.http && result.success, "{result:?}");
        assert_eq!(
            (result.message.as_str(), result.text().as_ref()),
            ("Fine", "hi")
        );
        assert!(result.response_headers.contains("X-A: b"));
        assert!(result.request_headers.contains("X-Test: yes"));
    });
    let request = server.join().unwrap();
    assert!(request.starts_with("GET /x HTTP/1.1\r\n"), "{request}");
    assert!(request.contains("X-Test: yes"), "{request}");
}

#[test]
fn a_script_starts_jmeters_mirror_server() {
    let Some(companion) = shared() else { return };
    let free = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    let port = free.local_addr().unwrap().port();
    drop(free);
    run(async {
        let mut user = Tester::new(&companion, "setUp 1-1");
        let script = format!(
            "import org.apache.jmeter.protocol.http.control.HttpMirrorServer; \
             def server = new HttpMirrorServer({port}); server.start(); \
             props.put('mirror', server); 'up'"
        );
        let sampler = groovy("JSR223Sampler", &script);
        let returned = user
            .try_call(&Work::Sample, Some(site(1, &sampler)))
            .await
            .unwrap();
        assert!(
            matches!(returned.outcome, WorkOutcome::Sample(Some(_))),
            "{returned:?}"
        );
        let mut stream = None;
        for _ in 0..200 {
            match std::net::TcpStream::connect(("127.0.0.1", port)) {
                Ok(connected) => {
                    stream = Some(connected);
                    break;
                }
                Err(_) => tokio::time::sleep(std::time::Duration::from_millis(20)).await,
            }
        }
        let mut stream = stream.expect("the mirror listens");
        stream
            .write_all(b"GET /seen HTTP/1.1\r\nHost: m\r\nX-ResponseStatus: 418 Pot\r\n\r\n")
            .unwrap();
        let mut response = String::new();
        stream.read_to_string(&mut response).unwrap();
        assert!(response.contains("418 Pot"), "{response}");
        assert!(response.contains("GET /seen"), "{response}");
        let stop = groovy("JSR223Sampler", "props.get('mirror').stopServer()");
        user.try_call(&Work::Sample, Some(site(2, &stop)))
            .await
            .unwrap();
    });
}

#[test]
fn a_sampler_that_nobody_waits_for_is_interrupted() {
    let Some(companion) = shared() else { return };
    run(async {
        let script = "me = Thread.currentThread(); interrupt() { me.interrupt(); } \
                      props.put(\"state\", \"begun\"); try { Thread.sleep(600000); } \
                      finally { props.put(\"state\", \"left\"); }";
        let shell = element(
            "BeanShellSampler",
            "shell",
            &[("BeanShellSampler.query", script)],
        );
        let mut user = Tester::new(&companion, "gone 1-1");
        let mut other = Tester::new(&companion, "stays 1-1");
        tokio::select! {
            response = user.try_call(&Work::Sample, Some(site(1, &shell))) => panic!("{response:?}"),
            () = until(&mut other, "begun") => {}
        }
        drop(user);
        until(&mut other, "left").await;
    });
}

/// Waits for a script to say how far it is.
async fn until(user: &mut Tester, state: &str) {
    let deadline = Instant::now() + Duration::from_secs(60);
    while user
        .function("__groovy", 2, &["props.get('state') ?: ''"])
        .await
        != state
    {
        assert!(Instant::now() < deadline, "never {state}");
        tokio::time::sleep(Duration::from_millis(5)).await;
    }
}

/// `PLIMSOLL_TEST_JDBC` may name a database: `URL USER PASSWORD`. Without it, the pool points
/// at a port where nobody listens.
#[test]
fn a_jdbc_pool_is_there_for_every_user() {
    let Some(companion) = start(&[]) else { return };
    let named = std::env::var("PLIMSOLL_TEST_JDBC").ok();
    let named: Option<Vec<&str>> = named.as_deref().map(|text| text.split(' ').collect());
    let place = named
        .as_deref()
        .unwrap_or(&["jdbc:mariadb://127.0.0.1:1/test", "u", "p"]);
    let pool = element(
        "org.apache.jmeter.protocol.jdbc.config.DataSourceElement",
        "pool",
        &[
            ("dataSource", "db"),
            ("dbUrl", place[0]),
            ("driver", "org.mariadb.jdbc.Driver"),
            ("username", place[1]),
            ("password", place[2]),
            ("poolMax", "2"),
            ("timeout", "3000"),
            ("autocommit", "true"),
            ("checkQuery", "SELECT 1"),
            ("connectionAge", "5000"),
            ("trimInterval", "60000"),
            ("keepAlive", "true"),
            ("transactionIsolation", "DEFAULT"),
        ],
    );
    let begun = companion.begin(&TestStart {
        elements: vec![site(7, &pool)],
        variables: vec![("plan".into(), "p".into())],
    });
    let set = begun.unwrap();
    assert!(set.iter().any(|(name, _)| name == "db"), "{set:?}");
    run(async {
        let query = element(
            "JDBCSampler",
            "query",
            &[
                ("dataSource", "db"),
                ("queryType", "Select Statement"),
                ("query", "SELECT 1 + 1 AS two"),
                ("resultSetHandler", "Store as String"),
                ("resultVariable", ""),
                ("variableNames", "two"),
                ("queryArguments", ""),
                ("queryArgumentsTypes", ""),
                ("queryTimeout", ""),
                ("resultSetMaxRows", ""),
            ],
        );
        for number in 0..2 {
            let user = CompanionUser {
                thread_name: format!("group 1-{number}"),
                ..common::user("")
            };
            let mut session = CompanionSession::new(&companion, user);
            let moment = CallMoment {
                sampler: Some(site(1, &query)),
                ..CallMoment::default()
            };
            let returned = session.call(&Work::Sample, &moment).await.unwrap();
            let WorkOutcome::Sample(Some(result)) = returned.outcome else {
                panic!("{:?}", returned.outcome);
            };
            if named.is_some() {
                assert!(result.success, "{result:?}");
                assert_eq!(result.text(), "two\n2\n");
                assert!(
                    returned
                        .variables
                        .contains(&("two_1".into(), Some("2".into())))
                );
            } else {
                assert!(!result.success);
                assert!(result.message.contains("127.0.0.1"), "{}", result.message);
            }
        }
    });
    companion.end().unwrap();
}
