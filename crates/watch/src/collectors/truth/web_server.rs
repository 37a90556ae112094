//! Tomcat and a pool of connections by beans and exporters.

use plimsoll_stats::series::{Entity, EntityKind};
use serde_json::{Value, json};

use super::meters::{Meter, by_meters};
use super::said::{Page, Said, Shown, Truth, compare, entities};
use crate::collector::Look;
use crate::collectors::{jolokia, pgbouncer};

const CONNECTOR: &str = "http-nio-8080";

/// Attributes of the bean that counts a connector's requests.
const REQUESTS: [&str; 6] = [
    "requestCount",
    "errorCount",
    "processingTime",
    "maxTime",
    "bytesReceived",
    "bytesSent",
];

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
            let bean: Value = REQUESTS.into_iter().map(number).collect();
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
    let n = |what: &str| truth.f(what);
    let of_threads = THREADS.iter().map(|(bean, meter, _)| {
        let (name, unit) = meter.split_once(' ').unwrap();
        Meter::level(name, unit, n(bean))
    });
    let of_requests = [
        Meter::timer(
            "tomcat.global.request",
            n("requestCount"),
            n("processingTime") / 1e3,
        ),
        Meter::level("tomcat.global.request.max", "seconds", n("maxTime") / 1e3),
        Meter::count("tomcat.global.error", "", n("errorCount")),
        Meter::count("tomcat.global.received", "bytes", n("bytesReceived")),
        Meter::count("tomcat.global.sent", "bytes", n("bytesSent")),
    ];
    let of_connector = of_threads.chain(of_requests);
    let mut all: Vec<Meter> = of_connector
        .map(|meter| meter.of("name", CONNECTOR))
        .collect();
    all.extend([
        Meter::level(
            "tomcat.sessions.active.current",
            "sessions",
            n("activeSessions"),
        ),
        Meter::level("tomcat.sessions.active.max", "sessions", n("maxActive")),
        Meter::count("tomcat.sessions.created", "sessions", n("sessionCounter")),
        Meter::count("tomcat.sessions.expired", "sessions", n("expiredSessions")),
        Meter::count(
            "tomcat.sessions.rejected",
            "sessions",
            n("rejectedSessions"),
        ),
    ]);
    for (name, bean) in [
        ("hikaricp.connections.active", "ActiveConnections"),
        ("hikaricp.connections.idle", "IdleConnections"),
        ("hikaricp.connections.pending", "ThreadsAwaitingConnection"),
        ("hikaricp.connections.max", "MaximumPoolSize"),
        ("hikaricp.connections.min", "MinimumIdle"),
    ] {
        all.push(Meter::level(name, "", n(bean)).of("pool", "P-1"));
    }
    by_meters("micrometer", &all)
}

/// The same pool, if it were PgBouncer's.
fn by_pgbouncer(truth: &Truth) -> Said {
    let n = |what: &str| truth.n(what).to_string();
    let row = [
        ("database", "P-1".to_owned()),
        ("sv_active", n("ActiveConnections")),
        ("sv_idle", n("IdleConnections")),
        ("cl_waiting", n("ThreadsAwaitingConnection")),
    ];
    let row = row.map(|(name, value)| (name.to_owned(), value));
    let sizes = [("P-1".to_owned(), truth.f("MaximumPoolSize"))];
    let entity = Entity::new(EntityKind::Pool, "p", "h");
    let mut look = Look::at(1);
    pgbouncer::tell_pools(&[row.into()], &sizes.into(), &entity, &mut look);
    Said::new("pgbouncer", &look)
}

/// With the rules of the exporter's example, or with none.
fn by_jmx_exporter(truth: &Truth, plain: bool) -> Said {
    let mut page = Page::default();
    let of_connector = match plain {
        true => format!("name=\"\\\"{CONNECTOR}\\\"\""),
        false => "port=\"8080\",protocol=\"http-nio\"".to_owned(),
    };
    let mut say = |of: &str, plain_kind: &str, name: &str, bean: &str| {
        let name = match plain {
            true => format!("Catalina_{plain_kind}_{bean}"),
            false => name.replace('*', &bean.to_lowercase()),
        };
        page.say(&name, of, truth.f(bean));
    };
    let threads = THREADS.iter().map(|(bean, ..)| *bean);
    for bean in threads.chain(["acceptCount"]) {
        say(&of_connector, "ThreadPool", "tomcat_threadpool_*", bean);
    }
    for bean in REQUESTS {
        say(
            &of_connector,
            "GlobalRequestProcessor",
            "tomcat_*_total",
            bean,
        );
    }
    let of_context = "context=\"/\"";
    for bean in ["sessionCounter", "expiredSessions", "rejectedSessions"] {
        say(of_context, "Manager", "tomcat_session_*_total", bean);
    }
    if plain {
        say(of_context, "Manager", "", "activeSessions");
    }
    page.of("jmx exporter")
}

pub(super) fn compare_all(truth: &Truth, shown: &mut Shown) {
    let look = jolokia::said_of(&mut entities(), |pattern| beans(truth, pattern));
    let all = [
        Said::new("jolokia", &look),
        by_pgbouncer(truth),
        by_micrometer(truth),
        by_jmx_exporter(truth, false),
        by_jmx_exporter(truth, true),
    ];
    compare(&all, shown);
}
