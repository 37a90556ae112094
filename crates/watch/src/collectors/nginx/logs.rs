//! The error log and the access log as they grow.

use std::cell::RefCell;
use std::collections::{BTreeMap, HashMap};
use std::rc::Rc;
use std::sync::Arc;

use plimsoll_stats::series::Entity;
use plimsoll_text::Message;

use super::access_log::{AccessLogEntry, LogFormat};
use super::error_log;
use super::found::NginxFound;
use super::tail::Tail;
use crate::collector::{Collector, Look, Pending, Trouble};
use crate::names::nginx as names;
use crate::proc::log_file::LogFile;

/// Upstreams that are told apart.
const MAX_UPSTREAMS: usize = 32;
/// Events of one kind are told of this far apart at least.
const EVENTS_APART_NS: u64 = 30_000_000_000;

/// What the access log said of one upstream.
#[derive(Default)]
struct Upstream {
    count: f64,
    time_s: f64,
    max_s: f64,
    connects: f64,
    connect_s: f64,
    kept: f64,
}

/// Sums since watching began.
#[derive(Default)]
struct LogSums {
    by_status: BTreeMap<u16, f64>,
    body_bytes: f64,
    timed: f64,
    time_s: f64,
    max_s: f64,
    upstreams: BTreeMap<String, Upstream>,
}

impl LogSums {
    fn add(&mut self, entry: &AccessLogEntry) {
        if let Some(status) = entry.status {
            *self.by_status.entry(status).or_default() += 1.0;
        }
        self.body_bytes += entry.body_bytes.unwrap_or(0.0);
        if let Some(seconds) = entry.request_s {
            self.timed += 1.0;
            self.time_s += seconds;
            self.max_s = self.max_s.max(seconds);
        }
        for (address, time_s, connect_s) in entry.tries() {
            let full = self.upstreams.len() >= MAX_UPSTREAMS;
            let address = match full && !self.upstreams.contains_key(address) {
                true => "other",
                false => address,
            };
            if !self.upstreams.contains_key(address) {
                self.upstreams
                    .insert(address.to_owned(), Upstream::default());
            }
            let Some(upstream) = self.upstreams.get_mut(address) else {
                continue;
            };
            let time_s = time_s.unwrap_or(0.0);
            upstream.count += 1.0;
            upstream.time_s += time_s;
            upstream.max_s = upstream.max_s.max(time_s);
            if let Some(connect_s) = connect_s {
                upstream.connects += 1.0;
                upstream.connect_s += connect_s;
                upstream.kept += f64::from(u8::from(connect_s == 0.0));
            }
        }
    }

    fn tell(&mut self, entity: &Arc<Entity>, look: &mut Look) {
        for (status, count) in &self.by_status {
            let status = status.to_string();
            let attributes = [("http.response.status_code", status.as_str())];
            look.value(entity, &names::LOGGED, &attributes, *count);
        }
        look.value(entity, &names::SENT, &[], self.body_bytes);
        if self.timed > 0.0 {
            look.value(entity, &names::REQUEST_COUNT, &[], self.timed);
            look.value(entity, &names::REQUEST_TIME, &[], self.time_s);
            look.value(
                entity,
                &names::REQUEST_MAX,
                &[],
                std::mem::take(&mut self.max_s),
            );
        }
        for (address, upstream) in &mut self.upstreams {
            let of = [("server.address", address.as_str())];
            look.value(entity, &names::UPSTREAM_COUNT, &of, upstream.count);
            look.value(entity, &names::UPSTREAM_TIME, &of, upstream.time_s);
            let max_s = std::mem::take(&mut upstream.max_s);
            look.value(entity, &names::UPSTREAM_MAX, &of, max_s);
            if upstream.connects > 0.0 {
                look.value(entity, &names::CONNECT_COUNT, &of, upstream.connects);
                look.value(entity, &names::CONNECT_TIME, &of, upstream.connect_s);
                look.value(entity, &names::CONNECT_KEPT, &of, upstream.kept);
            }
        }
    }
}

pub(super) struct Logs {
    entity: Arc<Entity>,
    found: Rc<RefCell<NginxFound>>,
    errors: Option<Tail>,
    access: Option<Tail>,
    format: Option<(Option<String>, LogFormat)>,
    /// Lines of the error log by level and what they are about.
    counts: BTreeMap<(String, &'static str), f64>,
    told_at: HashMap<&'static str, u64>,
    sums: LogSums,
    seen: u64,
    strange: u64,
}

impl Logs {
    pub(super) fn new(entity: Arc<Entity>, found: Rc<RefCell<NginxFound>>) -> Self {
        Self {
            entity,
            found,
            errors: None,
            access: None,
            format: None,
            counts: BTreeMap::new(),
            told_at: HashMap::new(),
            sums: LogSums::default(),
            seen: 0,
            strange: 0,
        }
    }

    fn errors(&mut self, look: &mut Look) {
        let path = self.found.borrow().error_log.clone();
        let Some(tail) = follow(&mut self.errors, path) else {
            return;
        };
        let now = look.moment_unix_ns();
        let (counts, told_at, entity) = (&mut self.counts, &mut self.told_at, &self.entity);
        let read = tail.lines(&mut |text| {
            let Some(line) = error_log::parse(text) else {
                return;
            };
            *counts
                .entry((line.level.to_owned(), line.class))
                .or_default() += 1.0;
            let before = told_at.get(line.class);
            let serious = matches!(line.level, "error" | "crit" | "alert" | "emerg");
            if serious && before.is_none_or(|at| now.saturating_sub(*at) >= EVENTS_APART_NS) {
                told_at.insert(line.class, now);
                let shown: String = plimsoll_secrets::text(text).chars().take(300).collect();
                let message = Message::new("watch-nginx-error").with("line", shown);
                let local = line.local_unix_s;
                let at = local.map_or(now, |local| error_log::moment_unix_ns(local, now));
                look.event_at(entity, at, message);
            }
        });
        if let Err(error) = read {
            unreadable(&self.entity, tail, &error, look);
        }
        let unread = tail.unread;
        for ((level, class), count) in &self.counts {
            let attributes = [("log.level", level.as_str()), ("nginx.error", *class)];
            look.value(&self.entity, &names::ERRORS, &attributes, *count);
        }
        tell_unread(&self.entity, unread, "error", look);
    }

    fn access(&mut self, look: &mut Look) {
        let (path, written) = {
            let found = self.found.borrow();
            (found.access_log.clone(), found.log_format.clone())
        };
        let Some(tail) = follow(&mut self.access, path) else {
            return;
        };
        if self
            .format
            .as_ref()
            .is_none_or(|(known, _)| *known != written)
        {
            let format = written
                .as_deref()
                .map_or_else(LogFormat::guess, LogFormat::new);
            self.format = Some((written, format));
        }
        let Some((_, format)) = &self.format else {
            return;
        };
        let (sums, seen, strange) = (&mut self.sums, &mut self.seen, &mut self.strange);
        let read = tail.lines(&mut |line| {
            *seen += 1;
            match format.read(line) {
                Some(entry) => sums.add(&entry),
                None => *strange += 1,
            }
        });
        if let Err(error) = read {
            unreadable(&self.entity, tail, &error, look);
            return;
        }
        if self.strange * 2 > self.seen {
            let path = tail.log().path().display().to_string();
            let message = Message::new("watch-nginx-strange-log").with("path", path);
            look.missing(&self.entity, message);
        }
        let unread = tail.unread;
        self.sums.tell(&self.entity, look);
        tell_unread(&self.entity, unread, "access", look);
    }
}

/// The tail of the log at that path.
fn follow(tail: &mut Option<Tail>, log: Option<LogFile>) -> Option<&mut Tail> {
    let log = log?;
    if tail.as_ref().is_none_or(|tail| *tail.log() != log) {
        *tail = Some(Tail::new(log));
    }
    tail.as_mut()
}

fn unreadable(entity: &Arc<Entity>, tail: &Tail, error: &std::io::Error, look: &mut Look) {
    let message = Message::new("watch-log-unreadable")
        .with("path", tail.log().path().display().to_string())
        .with("reason", error.to_string());
    look.missing(entity, message);
}

#[expect(clippy::cast_precision_loss, reason = "bytes of a log")]
fn tell_unread(entity: &Arc<Entity>, unread: u64, log: &str, look: &mut Look) {
    if unread > 0 {
        look.value(entity, &names::UNREAD, &[("nginx.log", log)], unread as f64);
    }
}

impl Collector for Logs {
    fn about(&self) -> String {
        format!("logs of {}", self.entity)
    }

    fn collect<'a>(&'a mut self, look: &'a mut Look) -> Pending<'a, ()> {
        Box::pin(async move {
            self.errors(look);
            self.access(look);
            Ok::<(), Trouble>(())
        })
    }
}
