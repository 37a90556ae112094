//! What HAProxy says of itself: `show info` and `show stat`, or its page as CSV.

use std::collections::HashMap;
use std::io;
use std::sync::Arc;
use std::time::Duration;

use plimsoll_stats::series::Entity;
use plimsoll_text::Message;
use tokio::io::{AsyncReadExt, AsyncWriteExt};

use crate::collector::{Collector, Look, Pending, Trouble};
use crate::collectors::places::SocketPlace;
use crate::http::OriginClient;
use crate::names::SeriesName;
use crate::names::haproxy as names;

/// A response that takes longer comes too late.
const LIMIT: Duration = Duration::from_secs(4);
/// A response is no longer.
const MAX_BYTES: u64 = 4 << 20;
/// Frontends, backends and servers that are told apart.
const MAX_ROWS: usize = 300;
/// A name is cut to this.
const MAX_NAME: usize = 100;

/// Looks at a process by its stats socket.
pub(super) struct HaproxySocket {
    pub(super) entity: Arc<Entity>,
    pub(super) place: SocketPlace,
}

impl HaproxySocket {
    async fn ask(&self) -> io::Result<String> {
        let mut stream = self.place.connect().await?;
        stream.write_all(b"show info;show stat\n").await?;
        stream.flush().await?;
        let mut bytes = Vec::new();
        stream.take(MAX_BYTES + 1).read_to_end(&mut bytes).await?;
        if bytes.len() as u64 > MAX_BYTES {
            let wrong = io::ErrorKind::InvalidData;
            return Err(io::Error::new(wrong, "the response is too long"));
        }
        Ok(String::from_utf8_lossy(&bytes).into_owned())
    }

    async fn look(&mut self, look: &mut Look) -> Result<(), Trouble> {
        let message = match tokio::time::timeout(LIMIT, self.ask()).await {
            Ok(Ok(text)) => {
                if tell(&text, &self.entity, look).is_some() {
                    return Ok(());
                }
                Message::new("watch-haproxy-no-status")
            }
            Ok(Err(error)) => {
                Message::new("watch-server-unreachable").with("reason", error.to_string())
            }
            Err(_) => Message::new("watch-server-slow").with("seconds", LIMIT.as_secs()),
        };
        Err(Trouble::new(message.with("address", self.place.shown())))
    }
}

impl Collector for HaproxySocket {
    fn about(&self) -> String {
        format!("haproxy {}", self.place.shown())
    }

    fn collect<'a>(&'a mut self, look: &'a mut Look) -> Pending<'a, ()> {
        Box::pin(self.look(look))
    }
}

/// Looks at a process by its page.
pub(super) struct HaproxyPage {
    pub(super) entity: Arc<Entity>,
    pub(super) client: OriginClient,
}

impl Collector for HaproxyPage {
    fn about(&self) -> String {
        format!("haproxy {}", self.client.shown())
    }

    fn collect<'a>(&'a mut self, look: &'a mut Look) -> Pending<'a, ()> {
        Box::pin(async move {
            let response = self.client.get("", "text/csv").await?;
            tell(&response.text(), &self.entity, look).ok_or_else(|| {
                let message = Message::new("watch-haproxy-no-status");
                Trouble::new(message.with("address", self.client.shown()))
            })
        })
    }
}

/// Lines of `show info`, and our unit in theirs.
const INFO: &[(&str, &SeriesName, f64)] = &[
    ("CurrConns", &names::CONNECTIONS, 1.0),
    ("Maxconn", &names::CONNECTIONS_LIMIT, 1.0),
    ("Idle_pct", &names::IDLE, 0.01),
    ("Uptime_sec", &names::UPTIME, 1.0),
];

/// A column of `show stat`: its series, our unit in theirs, and the attribute that tells it apart.
type StatColumn = (
    &'static str,
    &'static SeriesName,
    f64,
    Option<(&'static str, &'static str)>,
);

const STAT: &[StatColumn] = &[
    ("qcur", &names::QUEUED, 1.0, None),
    ("qmax", &names::QUEUED_PEAK, 1.0, None),
    ("scur", &names::SESSIONS, 1.0, None),
    ("smax", &names::SESSIONS_PEAK, 1.0, None),
    ("slim", &names::SESSIONS_LIMIT, 1.0, None),
    ("stot", &names::SESSIONS_TOTAL, 1.0, None),
    ("req_tot", &names::REQUESTS, 1.0, None),
    ("wretr", &names::RETRIES, 1.0, None),
    ("wredis", &names::REDISPATCHES, 1.0, None),
    (
        "dreq",
        &names::DENIED,
        1.0,
        Some(("haproxy.direction", "request")),
    ),
    (
        "dresp",
        &names::DENIED,
        1.0,
        Some(("haproxy.direction", "response")),
    ),
    (
        "ereq",
        &names::ERRORS,
        1.0,
        Some(("haproxy.error", "request")),
    ),
    (
        "econ",
        &names::ERRORS,
        1.0,
        Some(("haproxy.error", "connection")),
    ),
    (
        "eresp",
        &names::ERRORS,
        1.0,
        Some(("haproxy.error", "response")),
    ),
    (
        "hrsp_1xx",
        &names::RESPONSES,
        1.0,
        Some(("haproxy.status_class", "1xx")),
    ),
    (
        "hrsp_2xx",
        &names::RESPONSES,
        1.0,
        Some(("haproxy.status_class", "2xx")),
    ),
    (
        "hrsp_3xx",
        &names::RESPONSES,
        1.0,
        Some(("haproxy.status_class", "3xx")),
    ),
    (
        "hrsp_4xx",
        &names::RESPONSES,
        1.0,
        Some(("haproxy.status_class", "4xx")),
    ),
    (
        "hrsp_5xx",
        &names::RESPONSES,
        1.0,
        Some(("haproxy.status_class", "5xx")),
    ),
    (
        "hrsp_other",
        &names::RESPONSES,
        1.0,
        Some(("haproxy.status_class", "other")),
    ),
    (
        "qtime",
        &names::TIME,
        1e-3,
        Some(("haproxy.phase", "queue")),
    ),
    (
        "ctime",
        &names::TIME,
        1e-3,
        Some(("haproxy.phase", "connect")),
    ),
    (
        "rtime",
        &names::TIME,
        1e-3,
        Some(("haproxy.phase", "response")),
    ),
    (
        "ttime",
        &names::TIME,
        1e-3,
        Some(("haproxy.phase", "total")),
    ),
    (
        "bin",
        &names::CLIENT_IO,
        1.0,
        Some(("network.io.direction", "receive")),
    ),
    (
        "bout",
        &names::CLIENT_IO,
        1.0,
        Some(("network.io.direction", "transmit")),
    ),
];

/// Says what the text holds; none: it is something else.
pub(super) fn tell(text: &str, entity: &Arc<Entity>, look: &mut Look) -> Option<()> {
    let mut lines = text.lines();
    let mut head = None;
    for line in lines.by_ref() {
        if let Some(columns) = line.strip_prefix("# ") {
            head = Some(cells(columns));
            break;
        }
        let Some((name, value)) = line.split_once(": ") else {
            continue;
        };
        if name == "Version" {
            look.fact(entity, "haproxy.version", cut(value));
        }
        let known = INFO.iter().find(|(known, ..)| *known == name);
        if let Some((_, metric, scale)) = known {
            let value = value.parse().unwrap_or(f64::NAN) * scale;
            look.value(entity, metric, &[], value);
        }
    }
    let head = head.filter(|head| head.first().is_some_and(|first| first == "pxname"))?;
    for line in lines.filter(|line| !line.is_empty()).take(MAX_ROWS) {
        let row: HashMap<String, String> = head.iter().cloned().zip(cells(line)).collect();
        tell_row(&row, entity, look);
    }
    Some(())
}

/// The `type` of a listener (management guide, 9.1).
const LISTENER: &str = "3";
/// What the status of a server that responds begins with.
const UP: [&str; 3] = ["UP", "DRAIN", "NOLB"];

fn tell_row(row: &HashMap<String, String>, entity: &Arc<Entity>, look: &mut Look) {
    let text = |column: &str| row.get(column).map_or("", String::as_str);
    let (proxy, service) = (cut(text("pxname")), cut(text("svname")));
    // Each listener by itself (`option socket-stats`) is counted in its frontend, too.
    if service.is_empty() || text("type") == LISTENER {
        return;
    }
    let own = [
        ("haproxy.proxy_name", proxy.as_str()),
        ("haproxy.service_name", service.as_str()),
    ];
    for (column, metric, scale, attribute) in STAT {
        let value = text(column).parse().unwrap_or(f64::NAN) * scale;
        let mut attributes: Vec<_> = own.into_iter().chain(*attribute).collect();
        attributes.sort_unstable();
        look.value(entity, metric, &attributes, value);
    }
    let status = cut(text("status"));
    if service != "FRONTEND" && !status.is_empty() && status != "no check" {
        // One that drains responds; it gets nothing new.
        let responds = UP.iter().any(|word| status.starts_with(word));
        let is_up = f64::from(u8::from(responds));
        look.value(entity, &names::HEALTH, &own, is_up);
    }
    look.fact(entity, format!("haproxy.status.{proxy}/{service}"), status);
}

fn cut(text: &str) -> String {
    text.chars()
        .filter(|c| !c.is_control())
        .take(MAX_NAME)
        .collect()
}

/// The cells of a line; what is in quotes may have commas.
fn cells(line: &str) -> Vec<String> {
    let mut cells = vec![String::new()];
    let mut is_quoted = false;
    for letter in line.chars() {
        match letter {
            '"' => is_quoted = !is_quoted,
            ',' if !is_quoted => cells.push(String::new()),
            letter => {
                if let Some(cell) = cells.last_mut() {
                    cell.push(letter);
                }
            }
        }
    }
    cells
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;
    use plimsoll_stats::series::EntityKind;
    use proptest::prelude::*;

    fn told(text: &str) -> (Option<()>, Look) {
        let entity = Entity::new(EntityKind::Proxy, "h", "h");
        let mut look = Look::at(1);
        (tell(text, &entity, &mut look), look)
    }

    #[test]
    fn a_page_is_read_and_others_are_not() {
        let text = "Name: HAProxy\nVersion: 2.6\nMaxconn: 10\n\n# pxname,svname,qcur,status,last_chk\n\
            web,FRONTEND,,OPEN,\nweb,s1,3,UP 1/2,\"a,b\"\nweb,s2,0,DOWN,\nweb,s3,0,no check,\n\n";
        let (known, look) = told(text);
        known.unwrap();
        let health: Vec<f64> = look
            .points()
            .filter(|(key, _)| key.name == "haproxy.health")
            .map(|(_, value)| *value)
            .collect();
        assert_eq!(health, [1.0, 0.0]);
        let queued = look
            .points()
            .filter(|(key, _)| key.name == "haproxy.requests.queued");
        assert_eq!(queued.map(|(_, value)| value).sum::<f64>(), 3.0);
        for other in ["", "<html>", "# x,y\na,b\n", "Unknown command: x\n"] {
            assert_eq!(told(other).0, None, "{other}");
        }
    }

    proptest! {
        #[test]
        fn any_text_is_taken(text in "(# pxname,svname,qcur\n)?(\\PC|[\n\",:])*") {
            let _ = told(&text);
        }
    }
}
