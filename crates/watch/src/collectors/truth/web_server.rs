//! Tomcat and a pool of connections by beans and exporters.

use std::fmt::Write;

use serde_json::{Value, json};

use super::jvm_exporters::by_meters;
use super::{Said, Shown, Truth, compare, entities, exposed};
use crate::collectors::jolokia;

const CONNECTOR: &str = "http-nio-8080";

/// Numbers of a connector: of the bean's attribute, of Micrometer's meter (with its unit), of the
/// JMX exporter.
const THREADS: [(&str, &str, &str); 6] = [
    (
        "currentThreadCount",
        "tomcat.threads.current threads",
        "currentthreadcount",
    ),
    (
        "currentThreadsBusy",
        "tomcat.threads.busy threads",
        "currentthreadsbusy",
    ),
    (
        "maxThreads",
        "tomcat.threads.config.max threads",
        "maxthreads",
    ),
    (
        "connectionCount",
        "tomcat.connections.current connections",
        "connectioncount",
    ),
    (
        "keepAliveCount",
        "tomcat.connections.keepalive.current connections",
        "keepalivecount",
    ),
    (
        "maxConnections",
        "tomcat.connections.config.max connections",
        "maxconnections",
    ),
];

fn beans(truth: &Truth, pattern: &str) -> Option<Value> {
    let number = |name: &str| (name.to_owned(), json!(truth.n(name)));
    Some(match pattern {
        "*:type=ThreadPool,name=*" => {
            let names = THREADS.iter().map(|(bean, ..)| *bean);
            let bean: Value = names.chain(["acceptCount"]).map(number).collect();
            json!({format!("Tomcat:name=\"{CONNECTOR}\",type=ThreadPool"): bean})
        }
        "*:type=GlobalRequestProcessor,name=*" => {
            let names = [
                "requestCount",
                "errorCount",
                "processingTime",
                "maxTime",
                "bytesReceived",
                "bytesSent",
            ];
            let bean: Value = names.into_iter().map(number).collect();
            json!({format!("Tomcat:name=\"{CONNECTOR}\",type=GlobalRequestProcessor"): bean})
        }
        "*:type=Manager,context=*,host=*" => {
            let names = [
                "activeSessions",
                "maxActive",
                "sessionCounter",
                "expiredSessions",
                "rejectedSessions",
            ];
            let bean: Value = names.into_iter().map(number).collect();
            json!({"Tomcat:context=/,host=localhost,type=Manager": bean})
        }
        "com.zaxxer.hikari:type=Pool (*)" => {
            let names = [
                "ActiveConnections",
                "IdleConnections",
                "ThreadsAwaitingConnection",
            ];
            let bean: Value = names.into_iter().map(number).collect();
            json!({"com.zaxxer.hikari:type=Pool (P-1)": bean})
        }
        "com.zaxxer.hikari:type=PoolConfig (*)" => {
            let bean: Value = ["MaximumPoolSize", "MinimumIdle"]
                .into_iter()
                .map(number)
                .collect();
            json!({"com.zaxxer.hikari:type=PoolConfig (P-1)": bean})
        }
        _ => return None,
    })
}

fn by_micrometer(truth: &Truth) -> Said {
    let n = |what: &str| truth.n(what) as f64;
    let connector = || vec![("name", CONNECTOR.to_owned())];
    let pool = || vec![("pool", "P-1".to_owned())];
    let mut all = Vec::new();
    for (bean, meter, _) in THREADS {
        let (name, unit) = meter.split_once(' ').unwrap();
        all.push((name, connector(), unit, vec![("VALUE", n(bean))]));
    }
    let request = vec![
        ("COUNT", n("requestCount")),
        ("TOTAL_TIME", n("processingTime") / 1e3),
    ];
    all.extend([
        ("tomcat.global.request", connector(), "seconds", request),
        (
            "tomcat.global.request.max",
            connector(),
            "seconds",
            vec![("VALUE", n("maxTime") / 1e3)],
        ),
        (
            "tomcat.global.error",
            connector(),
            "",
            vec![("COUNT", n("errorCount"))],
        ),
        (
            "tomcat.global.received",
            connector(),
            "bytes",
            vec![("COUNT", n("bytesReceived"))],
        ),
        (
            "tomcat.global.sent",
            connector(),
            "bytes",
            vec![("COUNT", n("bytesSent"))],
        ),
        (
            "tomcat.sessions.active.current",
            vec![],
            "sessions",
            vec![("VALUE", n("activeSessions"))],
        ),
        (
            "tomcat.sessions.active.max",
            vec![],
            "sessions",
            vec![("VALUE", n("maxActive"))],
        ),
        (
            "tomcat.sessions.created",
            vec![],
            "sessions",
            vec![("COUNT", n("sessionCounter"))],
        ),
        (
            "tomcat.sessions.expired",
            vec![],
            "sessions",
            vec![("COUNT", n("expiredSessions"))],
        ),
        (
            "tomcat.sessions.rejected",
            vec![],
            "sessions",
            vec![("COUNT", n("rejectedSessions"))],
        ),
        (
            "hikaricp.connections.active",
            pool(),
            "",
            vec![("VALUE", n("ActiveConnections"))],
        ),
        (
            "hikaricp.connections.idle",
            pool(),
            "",
            vec![("VALUE", n("IdleConnections"))],
        ),
        (
            "hikaricp.connections.pending",
            pool(),
            "",
            vec![("VALUE", n("ThreadsAwaitingConnection"))],
        ),
        (
            "hikaricp.connections.max",
            pool(),
            "",
            vec![("VALUE", n("MaximumPoolSize"))],
        ),
        (
            "hikaricp.connections.min",
            pool(),
            "",
            vec![("VALUE", n("MinimumIdle"))],
        ),
    ]);
    by_meters("micrometer", &all)
}

/// With the rules of the exporter's example, or with none.
fn by_jmx_exporter(truth: &Truth, plain: bool) -> Said {
    let mut text = String::new();
    let of = match plain {
        true => format!("name=\"\\\"{CONNECTOR}\\\"\""),
        false => "port=\"8080\",protocol=\"http-nio\"".to_owned(),
    };
    let mut say = |name: &str, labels: &str, what: &str| {
        let _ = writeln!(text, "{name}{{{labels}}} {}", truth.n(what));
    };
    let names = THREADS.iter().map(|(bean, ..)| *bean);
    for bean in names.chain(["acceptCount"]) {
        match plain {
            true => say(&format!("Catalina_ThreadPool_{bean}"), &of, bean),
            false => say(
                &format!("tomcat_threadpool_{}", bean.to_lowercase()),
                &of,
                bean,
            ),
        }
    }
    for bean in [
        "requestCount",
        "errorCount",
        "processingTime",
        "maxTime",
        "bytesReceived",
        "bytesSent",
    ] {
        match plain {
            true => say(
                &format!("Catalina_GlobalRequestProcessor_{bean}"),
                &of,
                bean,
            ),
            false => say(&format!("tomcat_{}_total", bean.to_lowercase()), &of, bean),
        }
    }
    for bean in ["sessionCounter", "expiredSessions", "rejectedSessions"] {
        match plain {
            true => say(&format!("Catalina_Manager_{bean}"), "context=\"/\"", bean),
            false => say(
                &format!("tomcat_session_{}_total", bean.to_lowercase()),
                "context=\"/\"",
                bean,
            ),
        }
    }
    if plain {
        say(
            "Catalina_Manager_activeSessions",
            "context=\"/\"",
            "activeSessions",
        );
    }
    exposed("jmx exporter", &text)
}

pub(super) fn compare_all(truth: &Truth, shown: &mut Shown) {
    let look = jolokia::said_of(&mut entities(), |pattern| beans(truth, pattern));
    let all = [
        Said::new("jolokia", &look),
        by_micrometer(truth),
        by_jmx_exporter(truth, false),
        by_jmx_exporter(truth, true),
    ];
    compare(&all, shown);
}
