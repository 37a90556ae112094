//! InfluxDB's line protocol: every five seconds the numbers of all samples and of each label,
//! or (the raw client) a line for each sample.
//!
//! Lines are written as JMeter's `InfluxdbBackendListenerClient` writes them, byte for byte: an empty tag
//! stays, a line break becomes `\n`, numbers are Java's. That of the crate `outputs` writes what the
//! protocol says instead.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::sync::atomic::Ordering;

use plimsoll_text::Message;

use crate::pattern::Pattern;
use crate::result::SampleResult;

use super::super::{Listener, SampleEvent, Surroundings};
use super::arguments::{BackendArguments, filter, interval_ms};
use super::metric::{LabelMetric, LastValues, Users, Windows, java_double, percentiles};
use super::send::Outlet;

/// The label under which all samples are summed up.
const ALL: &str = "all";

pub(super) struct Influx {
    outlet: Outlet,
    measurement: String,
    application: String,
    user_tags: String,
    title: String,
    event_tags: String,
    summary_only: bool,
    labels: Pattern,
    percentiles: Vec<(String, String, f64)>,
    windows: Windows,
    by_label: BTreeMap<String, LabelMetric>,
    users: Users,
    lines: String,
    interval_ms: u64,
    next_ms: u64,
    surroundings: Surroundings,
}

fn outlet(arguments: &BackendArguments, surroundings: &Surroundings) -> Result<Outlet, Message> {
    let url = arguments.get("influxdbUrl").unwrap_or_default();
    let sender = arguments.get("influxdbMetricsSender").unwrap_or_default();
    match sender.trim().rsplit('.').next().unwrap_or_default() {
        "" | "HttpMetricsSender" => Outlet::http(url, arguments.get("influxdbToken"), surroundings),
        "UdpMetricsSender" => Outlet::udp(url, surroundings),
        _ => Err(Message::new("jmeter-backend-class").with("class", sender)),
    }
}

pub(super) fn make(
    arguments: &BackendArguments,
    surroundings: &Surroundings,
) -> Result<Influx, Message> {
    let tag = |name: &str, default: &str| tag(arguments.get(name).unwrap_or(default));
    let event_tags = match tag("eventTags", "") {
        tags if tags.is_empty() => tags,
        tags => format!(",tags={tags}"),
    };
    let windows = Windows::of(&surroundings.properties)?;
    let mut influx = Influx {
        outlet: outlet(arguments, surroundings)?,
        measurement: tag("measurement", "jmeter"),
        application: tag("application", ""),
        user_tags: user_tags(arguments),
        title: arguments.get("testTitle").unwrap_or("Test").to_owned(),
        event_tags,
        summary_only: arguments.truth("summaryOnly", false),
        labels: filter(arguments.get("samplersRegex").unwrap_or_default())?,
        percentiles: percentiles(arguments.get("percentiles").unwrap_or_default()),
        windows,
        by_label: BTreeMap::new(),
        users: Users::new(windows),
        lines: String::new(),
        interval_ms: interval_ms(surroundings, "backend_influxdb.send_interval", 5),
        next_ms: 0,
        surroundings: surroundings.clone(),
    };
    influx.annotate("started");
    Ok(influx)
}

/// Tags that the plan adds: arguments whose names begin with `TAG_`.
fn user_tags(arguments: &BackendArguments) -> String {
    let mut tags = String::new();
    for (name, value) in &arguments.0 {
        let Some(name) = name.strip_prefix("TAG_") else {
            continue;
        };
        if !value.trim().is_empty() {
            let _ = write!(tags, ",{}={}", tag(name), tag(value));
        }
    }
    tags
}

/// A tag's name or value.
fn tag(text: &str) -> String {
    text.trim()
        .replace(' ', "\\ ")
        .replace(',', "\\,")
        .replace('=', "\\=")
        .replace('\n', "\\n")
}

impl Influx {
    fn line(&mut self, measurement: &str, tags: &str, fields: &str) {
        let now = self.surroundings.clock.unix_ms();
        let _ = writeln!(self.lines, "{measurement}{tags} {fields} {now}000000");
    }

    fn annotate(&mut self, what: &str) {
        let tags = format!(
            ",application={},title=ApacheJMeter{}{}",
            self.application, self.user_tags, self.event_tags
        );
        let text = format!("{} {what}", self.title);
        let text = text.trim().replace('"', "\\\"");
        self.line("events", &tags, &format!("text=\"{text}\""));
    }

    fn metric_line(&mut self, transaction: &str, rest: &str, fields: &str) {
        let tags = format!(
            ",application={},transaction={transaction}{rest}{}",
            self.application, self.user_tags
        );
        let measurement = self.measurement.clone();
        self.line(&measurement, &tags, fields);
    }

    fn add_label(&mut self, label: &str, metric: &LabelMetric) {
        let transaction = tag(label);
        let of_all = |percent: f64| metric.all_percentile(percent);
        let of_ok = |percent: f64| metric.ok.percentile(percent);
        let of_ko = |percent: f64| metric.ko.percentile(percent);
        type Percentile<'p> = &'p dyn Fn(f64) -> f64;
        let kinds: [(&str, u64, &LastValues, Percentile<'_>); 3] = [
            ("all", metric.total(), &metric.all, &of_all),
            ("ok", metric.successes, &metric.ok, &of_ok),
            ("ko", metric.failures, &metric.ko, &of_ko),
        ];
        for (kind, count, window, percentile) in kinds {
            if count > 0 {
                let mut fields = format!("count={count}");
                self.add_numbers(&mut fields, window, metric, percentile);
                self.metric_line(&transaction, &format!(",statut={kind}"), &fields);
            }
        }
        for ((code, message), count) in &metric.errors {
            if *count > 0 {
                let rest = format!(
                    ",responseCode={},responseMessage={}",
                    tag(code),
                    tag(message)
                );
                self.metric_line(&transaction, &rest, &format!("count={count}"));
            }
        }
    }

    fn add_numbers(
        &self,
        fields: &mut String,
        window: &LastValues,
        metric: &LabelMetric,
        percentile: &dyn Fn(f64) -> f64,
    ) {
        let times = [
            ("avg", window.mean()),
            ("min", window.least()),
            ("max", window.most()),
        ];
        for (name, value) in times.into_iter().filter(|(_, value)| !value.is_nan()) {
            let _ = write!(fields, ",{name}={}", java_double(value));
        }
        let (sent, received) = (metric.sent_bytes, metric.received_bytes);
        let _ = write!(fields, ",hit={},sb={sent},rb={received}", metric.hits);
        for (_, text, percent) in &self.percentiles {
            let _ = write!(fields, ",pct{text}={}", java_double(percentile(*percent)));
        }
    }

    fn add_sum(&mut self, metric: &LabelMetric) {
        if metric.total() == 0 {
            return;
        }
        let mut fields = format!("count={},countError={}", metric.total(), metric.failures);
        let percentile = |percent: f64| metric.all_percentile(percent);
        self.add_numbers(&mut fields, &metric.ok, metric, &percentile);
        self.metric_line(ALL, ",statut=all", &fields);
    }

    fn add_users(&mut self) {
        let [least, most, mean] = self.users.counts();
        let threads = &self.surroundings.threads;
        let started = threads.started.load(Ordering::Relaxed);
        let ended = threads.finished.load(Ordering::Relaxed);
        let fields =
            format!("minAT={least},maxAT={most},meanAT={mean},startedT={started},endedT={ended}");
        self.metric_line("internal", "", &fields);
    }

    fn send(&mut self) {
        let mut by_label = std::mem::take(&mut self.by_label);
        for (label, metric) in &mut by_label {
            if label == ALL {
                self.add_sum(metric);
            } else {
                self.add_label(label, metric);
            }
            metric.reset();
        }
        self.by_label = by_label;
        self.add_users();
        self.outlet.send(&self.lines);
        self.lines.clear();
    }

    fn add(&mut self, label: &str, result: &SampleResult) {
        let windows = self.windows;
        if !self.by_label.contains_key(label) {
            self.by_label
                .insert(label.to_owned(), LabelMetric::new(windows));
        }
        if let Some(metric) = self.by_label.get_mut(label) {
            metric.add(result, label == ALL);
        }
    }
}

impl Listener for Influx {
    fn sample(&mut self, event: &SampleEvent) {
        let result = &event.result;
        self.users.add(&self.surroundings.threads);
        if !self.summary_only && self.labels.is_in(&result.label) {
            self.add(&result.label, result);
        }
        self.add(ALL, result);
    }

    fn tick(&mut self, unix_ms: u64) {
        if unix_ms >= self.next_ms {
            self.next_ms = unix_ms + self.interval_ms;
            self.send();
        }
    }

    fn end(mut self: Box<Self>) -> Vec<Message> {
        self.annotate("ended");
        self.send();
        self.outlet.end()
    }
}

/// A line for each sample.
pub(super) struct Raw {
    outlet: Outlet,
    measurement: String,
    lines: String,
}

/// Lines are sent when there are this many bytes of them, or a second has passed.
const RAW_BYTES: usize = 256 * 1024;

pub(super) fn make_raw(
    arguments: &BackendArguments,
    surroundings: &Surroundings,
) -> Result<Raw, Message> {
    Ok(Raw {
        outlet: outlet(arguments, surroundings)?,
        measurement: arguments.get("measurement").unwrap_or("jmeter").to_owned(),
        lines: String::new(),
    })
}

impl Raw {
    fn send(&mut self) {
        self.outlet.send(&self.lines);
        self.lines.clear();
    }
}

impl Listener for Raw {
    fn sample(&mut self, event: &SampleEvent) {
        let result = &event.result;
        let status = if result.error_count() == 0 {
            "ok"
        } else {
            "ko"
        };
        let label = tag(result.label.trim_matches(['"', ' ']));
        let thread: String = result.thread_name.split_whitespace().collect();
        let _ = writeln!(
            self.lines,
            "{},status={status},transaction={label},threadName={thread} \
             duration={},ttfb={},connectTime={} {}000000",
            self.measurement,
            result.elapsed_ms,
            result.latency_ms,
            result.connect_ms,
            result.start_unix_ms,
        );
        if self.lines.len() > RAW_BYTES {
            self.send();
        }
    }

    fn tick(&mut self, _unix_ms: u64) {
        self.send();
    }

    fn end(mut self: Box<Self>) -> Vec<Message> {
        self.send();
        self.outlet.end()
    }
}
