//! Endpoints over HTTP: responses recorded here, and a real Spring Boot service, whose figures
//! are compared with what curl gets.
#![allow(missing_docs, clippy::unwrap_used, clippy::expect_used)]

mod support;

use std::time::Duration;

use support::{Lab, Served, curl, look, look_err, look_soon, open, value};

const NODE: &str = "\
# TYPE my_requests_total counter
my_requests_total{path=\"/a\"} 5
my_requests_total{path=\"/b\"} 6
# TYPE my_size_bytes gauge
my_size_bytes 12
# TYPE my_time_seconds histogram
my_time_seconds_bucket{le=\"0.5\"} 1
my_time_seconds_bucket{le=\"+Inf\"} 2
my_time_seconds_sum 0.75
my_time_seconds_count 2
my_build_info{version=\"1.2\",api_key=\"abc\"} 1
go_goroutines 7
not a sample
";

#[tokio::test]
async fn what_no_table_knows_keeps_its_name_within_a_limit() {
    let served = Served::new(&[("/metrics", NODE)]);
    let mut source = open("prometheus", &served.address, &[("max-series", "5")]);
    let seen = look(&mut source.collectors[0]).await;
    let shown: Vec<_> = seen
        .points()
        .map(|(key, value)| {
            let attributes: Vec<_> = key
                .attributes
                .iter()
                .map(|(a, b)| format!("{a}={b}"))
                .collect();
            format!(
                "{} {} {:?} {value} {}",
                key.name,
                attributes.join(","),
                key.kind,
                key.unit
            )
        })
        .collect();
    assert_eq!(
        shown,
        [
            "my_requests_total path=/a Counter 5 1",
            "my_requests_total path=/b Counter 6 1",
            "my_size_bytes  Gauge 12 By",
            "my_time_seconds_bucket le=0.5 Counter 1 1",
            "my_time_seconds_bucket le=+Inf Counter 2 1",
        ]
    );
    let facts: Vec<_> = seen
        .facts()
        .iter()
        .map(|f| (f.name.as_str(), f.value.as_str()))
        .collect();
    assert_eq!(
        facts,
        [("my.build.version", "1.2"), ("my.build.api_key", "***")]
    );
    let notes: Vec<_> = seen
        .notes()
        .iter()
        .map(|note| note.message.id.as_str())
        .collect();
    assert_eq!(notes, ["watch-prometheus-line", "watch-series-limit"]);
    assert_eq!(seen.points().next().unwrap().0.entity.name, served.address);
}

#[tokio::test]
async fn an_endpoint_that_vanishes_comes_back() {
    let served = Served::new(&[("/metrics", "a_total 1\n")]);
    let mut source = open("prometheus", &served.address, &[]);
    let collector = &mut source.collectors[0];
    assert_eq!(look(collector).await.points().count(), 1);
    let address = served.stop();
    assert_eq!(look_err(collector).await, "watch-http-unreachable");
    let again = Served::at(&address, &[("/metrics", "a_total 2\n")]);
    let seen = look(collector).await;
    assert_eq!(seen.points().next().unwrap().1, 2.0);
    again.set("/metrics", "<html>hello</html>");
    assert_eq!(look_err(collector).await, "watch-prometheus-line");
    again.set("/metrics", "");
    assert_eq!(look(collector).await.points().count(), 0);
}

#[tokio::test]
async fn meters_are_asked_for_one_by_one_where_there_is_no_registry() {
    let served = Served::new(&[
        (
            "/actuator/metrics",
            r#"{"names":["tomcat.threads.busy","jvm.memory.used","my.own"]}"#,
        ),
        (
            "/actuator/metrics/tomcat.threads.busy",
            r#"{"name":"tomcat.threads.busy","baseUnit":"threads","measurements":[{"statistic":"VALUE",
            "value":3.0}],"availableTags":[{"tag":"name","values":["http-nio-8080"]}]}"#,
        ),
        (
            "/actuator/metrics/jvm.memory.used",
            r#"{"name":"jvm.memory.used","baseUnit":"bytes","measurements":[{"statistic":"VALUE",
            "value":9}],"availableTags":[{"tag":"area","values":["heap","nonheap"]},
            {"tag":"id","values":["Eden","Metaspace"]}]}"#,
        ),
        (
            "/actuator/metrics/jvm.memory.used?tag=area%3Aheap",
            r#"{"name":"jvm.memory.used","baseUnit":"bytes","measurements":[{"statistic":"VALUE",
            "value":4}],"availableTags":[{"tag":"id","values":["Eden"]}]}"#,
        ),
        (
            "/actuator/metrics/jvm.memory.used?tag=area%3Anonheap",
            r#"{"name":"jvm.memory.used","baseUnit":"bytes","measurements":[{"statistic":"VALUE",
            "value":5}],"availableTags":[{"tag":"id","values":["Metaspace"]}]}"#,
        ),
    ]);
    let mut source = open("actuator", &served.address, &[]);
    let first = look(&mut source.collectors[0]).await;
    assert_eq!(first.notes()[0].message.id, "watch-actuator-one-by-one");
    let seen = look(&mut source.collectors[0]).await;
    let busy = [("tomcat.thread.pool.name", "http-nio-8080")];
    assert_eq!(value(&seen, "tomcat.thread.busy.count", &busy), Some(3.0));
    let eden = [
        ("jvm.memory.pool.name", "Eden"),
        ("jvm.memory.type", "heap"),
    ];
    assert_eq!(value(&seen, "jvm.memory.used", &eden), Some(4.0));
    let meta = [
        ("jvm.memory.pool.name", "Metaspace"),
        ("jvm.memory.type", "non_heap"),
    ];
    assert_eq!(value(&seen, "jvm.memory.used", &meta), Some(5.0));
    assert_eq!(seen.points().count(), 3);
}

#[tokio::test]
async fn health_and_settings_in_force() {
    let served = Served::new(&[
        (
            "/actuator/health",
            r#"{"status":"UP","components":{"db":{"status":"UP"}}}"#,
        ),
        (
            "/actuator/configprops",
            r#"{"contexts":{"a":{"beans":{"b":{"prefix":"server","properties":
            {"tomcat":{"threads":{"max":10}},"port":"******"}}}}}}"#,
        ),
    ]);
    let mut source = open("actuator", &served.address, &[]);
    let facts = &mut source.collectors[1];
    assert!(facts.period() >= Duration::from_secs(10));
    let seen = look(facts).await;
    assert_eq!(value(&seen, "application.health", &[]), Some(1.0));
    let told = seen
        .facts()
        .iter()
        .map(|f| (f.name.as_str(), f.value.as_str()));
    assert!(told.eq([("server.tomcat.threads.max", "10")]));
    let notes: Vec<_> = seen
        .notes()
        .iter()
        .map(|note| note.message.id.as_str())
        .collect();
    assert_eq!(
        notes,
        ["watch-actuator-not-exposed", "watch-actuator-masked"]
    );
    served.set(
        "/actuator/health",
        r#"{"status":"DOWN","components":{"db":{"status":"DOWN"}}}"#,
    );
    let seen = look(facts).await;
    assert_eq!(
        value(&seen, "application.health", &[("health.component", "db")]),
        Some(0.0)
    );
    assert_eq!(seen.notes()[0].message.id, "watch-health-changed");
}

/// What Jolokia 2 responds to the parts of one bulk request, by their patterns.
fn jolokia(request: &serde_json::Value) -> serde_json::Value {
    use serde_json::json;
    let response = |part: &serde_json::Value| match part["mbean"].as_str().unwrap() {
        "*:type=ThreadPool,name=*" => json!({"status": 200, "value": {
            "Tomcat:name=\"http-nio-8080\",type=ThreadPool":
                {"currentThreadsBusy": 7, "maxThreads": 10, "connectionCount": -1}}}),
        "*:type=Manager,context=*,host=*" => json!({"status": 200, "value": {
            "Tomcat:context=/a,host=localhost,type=Manager": {"activeSessions": 2},
            "Tomcat:context=/b,host=localhost,type=Manager": {"activeSessions": 3}}}),
        "org.xnio:type=Xnio,provider=*,worker=*" => json!({"status": 200, "value": {
            "org.xnio:provider=\"nio\",type=Xnio,worker=\"XNIO-1\"":
                {"MaxWorkerPoolSize": 16, "BusyWorkerThreadCount": -1}}}),
        "org.xnio:type=Xnio,provider=*,worker=*,address=*" => json!({"status": 200, "value": {
            "org.xnio:address=\"/127.0.0.1:80\",provider=\"nio\",type=Xnio,worker=\"XNIO-1\"":
                {"ConnectionCount": 4},
            "org.xnio:address=\"/[::1]:80\",provider=\"nio\",type=Xnio,worker=\"XNIO-1\"":
                {"ConnectionCount": 1}}}),
        "com.zaxxer.hikari:type=PoolConfig (*)" => json!({"status": 200, "value": {
            "com.zaxxer.hikari:type=PoolConfig (main)": {"MaximumPoolSize": 2}}}),
        "java.lang:type=MemoryPool,name=*" => json!({"status": 200, "value": {
            "java.lang:name=G1 Old Gen,type=MemoryPool":
                {"Type": "HEAP", "Usage": {"used": 5, "max": -1}, "CollectionUsage": null}}}),
        "java.lang:type=OperatingSystem" => {
            json!({"status": 200, "value": {"ProcessCpuTime": 2.5e9}})
        }
        _ => json!({"status": 404, "error": "javax.management.InstanceNotFoundException"}),
    };
    request.as_array().unwrap().iter().map(response).collect()
}

#[tokio::test]
async fn beans_by_jolokia_arrive_under_the_same_names() {
    let served = Served::new(&[]);
    let mut source = open("jolokia", &served.address, &[]);
    assert_eq!(
        look_err(&mut source.collectors[0]).await,
        "watch-http-not-found"
    );
    // The request itself says which parts are wanted.
    let request: serde_json::Value = serde_json::from_str(&served.last_body()).unwrap();
    served.set("/jolokia/", &jolokia(&request).to_string());
    let seen = look(&mut source.collectors[0]).await;
    let connector = [("tomcat.thread.pool.name", "http-nio-8080")];
    let hikari = [("db.client.connection.pool.name", "main")];
    let old = [
        ("jvm.memory.pool.name", "G1 Old Gen"),
        ("jvm.memory.type", "heap"),
    ];
    let worker = [("undertow.worker.name", "XNIO-1")];
    for (name, attributes, wanted) in [
        ("tomcat.thread.busy.count", &connector[..], 7.0),
        ("tomcat.thread.limit", &connector, 10.0),
        ("tomcat.session.active.count", &[], 5.0),
        ("undertow.thread.limit", &worker, 16.0),
        ("undertow.connection.count", &worker, 5.0),
        ("db.client.connection.max", &hikari, 2.0),
        ("jvm.memory.used", &old, 5.0),
        ("jvm.cpu.time", &[], 2.5),
    ] {
        assert_eq!(value(&seen, name, attributes), Some(wanted), "{name}");
    }
    assert_eq!(seen.points().count(), 8, "what says -1 is left out");
    served.set("/jolokia/", "[]");
    assert_eq!(
        look_err(&mut source.collectors[0]).await,
        "watch-http-no-json"
    );
}

/// The lab's service with Tomcat, as built by `lab/start.sh`.
#[tokio::test]
async fn a_real_spring_boot_service() {
    let lab = Lab::start("watch-endpoints", &["--server.tomcat.threads.max=7"]);
    let mut source = open("actuator", &format!("{}/actuator", lab.management), &[]);
    for _ in 0..5 {
        curl(&format!("{}/hello", lab.url));
    }
    let seen = look_soon(&mut source.collectors[0]).await;
    let text = curl(&format!("{}/actuator/prometheus", lab.management));
    // A figure that stands still between two scrapes, as curl gets it.
    let theirs = |begin: &str| -> f64 {
        let line = text.lines().find(|line| line.starts_with(begin));
        let line = line.unwrap_or_else(|| panic!("no {begin} in {text}"));
        line.rsplit(' ').next().unwrap().parse().unwrap()
    };
    let ours = |name: &str, attributes: &[(&str, &str)]| {
        value(&seen, name, attributes).unwrap_or_else(|| panic!("no {name} {attributes:?}"))
    };
    let name = "http-nio-127.0.0.1-auto-1".to_owned();
    let threads = [("tomcat.thread.pool.name", name.as_str())];
    assert_eq!(ours("tomcat.thread.limit", &threads), 7.0);
    assert_eq!(
        ours("tomcat.thread.limit", &threads),
        theirs("tomcat_threads_config_max_threads{")
    );
    let requests = [("tomcat.request.processor.name", name.as_str())];
    assert_eq!(
        ours("tomcat.request.count", &requests),
        theirs("tomcat_global_request_seconds_count{")
    );
    assert!(ours("tomcat.thread.count", &threads) >= 1.0);
    assert!(ours("tomcat.connection.limit", &threads) >= 1.0);
    assert_eq!(ours("tomcat.session.active.count", &[]), 0.0);
    let old = [
        ("jvm.memory.pool.name", "Metaspace"),
        ("jvm.memory.type", "non_heap"),
    ];
    assert!(ours("jvm.memory.used", &old) > 1e6);
    assert!(ours("jvm.thread.count", &[("jvm.thread.state", "runnable")]) >= 1.0);
    assert!(ours("jvm.cpu.time", &[]) > 0.0);
    assert!(seen.facts().iter().any(|fact| fact.name == "jvm.version"));

    let settings = look_soon(&mut source.collectors[1]).await;
    let fact = |name: &str| settings.facts().iter().find(|fact| fact.name == name);
    assert_eq!(fact("server.tomcat.threads.max").unwrap().value, "7");
    assert!(fact("server.tomcat.accept-count").is_some());
    assert_eq!(value(&settings, "application.health", &[]), Some(1.0));

    let dumps = source.captures[0]
        .take(plimsoll_watch::Moment::Request.into())
        .await
        .unwrap();
    assert_eq!(dumps.len(), 3);
    let dump = String::from_utf8_lossy(&dumps[2].bytes);
    assert!(dump.contains("http-nio-127.0.0.1-auto-1-exec-1"), "{dump}");
}
