//! InfluxDB's line protocol: every five seconds the numbers of all samples and of each label,
//! or (the raw client) a line for each sample.
//!
//! Lines are written as JMeter's `InfluxdbBackendListenerClient` writes them, byte for byte
//! ([`LineSpelling::JMeter`]); numbers are Java's.

use std::collections::BTreeMap;
use std::sync::atomic::Ordering;

use plimsoll_text::Message;
use plimsoll_text::line_protocol::{LineField, LineSpelling, ProtocolLines};

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
    user_tags: Vec<(String, String)>,
    title: String,
    event_tags: String,
    summary_only: bool,
    labels: Pattern,
    percentiles: Vec<(String, String, f64)>,
    windows: Windows,
    by_label: BTreeMap<String, LabelMetric>,
    users: Users,
    lines: ProtocolLines,
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
    let given = |name: &str, default: &str| arguments.get(name).unwrap_or(default).to_owned();
    let windows = Windows::of(&surroundings.properties)?;
    let mut influx = Influx {
        outlet: outlet(arguments, surroundings)?,
        measurement: given("measurement", "jmeter"),
        application: given("application", ""),
        user_tags: user_tags(arguments),
        title: given("testTitle", "Test"),
        event_tags: given("eventTags", ""),
        summary_only: arguments.truth("summaryOnly", false),
        labels: filter(arguments.get("samplersRegex").unwrap_or_default())?,
        percentiles: percentiles(arguments.get("percentiles").unwrap_or_default()),
        windows,
        by_label: BTreeMap::new(),
        users: Users::new(windows),
        lines: ProtocolLines::new(LineSpelling::JMeter),
        interval_ms: interval_ms(surroundings, "backend_influxdb.send_interval", 5),
        next_ms: 0,
        surroundings: surroundings.clone(),
    };
    influx.annotate("started");
    Ok(influx)
}

/// Tags that the plan adds: arguments whose names begin with `TAG_`.
fn user_tags(arguments: &BackendArguments) -> Vec<(String, String)> {
    let tags = arguments.0.iter().filter_map(|(name, value)| {
        let name = name.strip_prefix("TAG_")?;
        (!value.trim().is_empty()).then(|| (name.to_owned(), value.clone()))
    });
    tags.collect()
}

type NamedField<'f> = (&'f str, LineField<'f>);

fn pairs(tags: &[(String, String)]) -> impl Iterator<Item = (&str, &str)> {
    tags.iter()
        .map(|(name, value)| (name.as_str(), value.as_str()))
}

fn written(numbers: &[(String, String)]) -> impl Iterator<Item = NamedField<'_>> {
    pairs(numbers).map(|(name, value)| (name, LineField::Written(value)))
}

impl Influx {
    fn now_ns(&self) -> u64 {
        self.surroundings.clock.unix_ms().saturating_mul(1_000_000)
    }

    fn annotate(&mut self, what: &str) {
        let mut tags = vec![
            ("application", self.application.as_str()),
            ("title", "ApacheJMeter"),
        ];
        tags.extend(pairs(&self.user_tags));
        if !self.event_tags.trim().is_empty() {
            tags.push(("tags", &self.event_tags));
        }
        let text = format!("{} {what}", self.title);
        let now_ns = self.now_ns();
        self.lines
            .line("events", &tags, &[("text", LineField::Text(&text))], now_ns);
    }

    fn metric_line(&mut self, transaction: &str, rest: &[(&str, &str)], fields: &[NamedField<'_>]) {
        let mut tags = vec![
            ("application", self.application.as_str()),
            ("transaction", transaction),
        ];
        tags.extend(rest);
        tags.extend(pairs(&self.user_tags));
        let now_ns = self.now_ns();
        self.lines.line(&self.measurement, &tags, fields, now_ns);
    }

    fn add_label(&mut self, label: &str, metric: &LabelMetric) {
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
                let numbers = self.numbers(window, metric, percentile);
                let mut fields = vec![("count", LineField::Integer(count))];
                fields.extend(written(&numbers));
                self.metric_line(label, &[("statut", kind)], &fields);
            }
        }
        for ((code, message), count) in &metric.errors {
            if *count > 0 {
                let rest = [
                    ("responseCode", code.as_str()),
                    ("responseMessage", message),
                ];
                self.metric_line(label, &rest, &[("count", LineField::Integer(*count))]);
            }
        }
    }

    /// What follows the counts, by the names of its fields, as Java writes it.
    fn numbers(
        &self,
        window: &LastValues,
        metric: &LabelMetric,
        percentile: &dyn Fn(f64) -> f64,
    ) -> Vec<(String, String)> {
        let times = [
            ("avg", window.mean()),
            ("min", window.least()),
            ("max", window.most()),
        ];
        let times = times.into_iter().filter(|(_, value)| !value.is_nan());
        let times = times.map(|(name, value)| (name.to_owned(), java_double(value)));
        let sizes = [
            ("hit", metric.hits),
            ("sb", metric.sent_bytes),
            ("rb", metric.received_bytes),
        ];
        let sizes = sizes.map(|(name, value)| (name.to_owned(), value.to_string()));
        let percentiles = self
            .percentiles
            .iter()
            .map(|(_, text, percent)| (format!("pct{text}"), java_double(percentile(*percent))));
        times.chain(sizes).chain(percentiles).collect()
    }

    fn add_sum(&mut self, metric: &LabelMetric) {
        if metric.total() == 0 {
            return;
        }
        let mut fields = vec![
            ("count", LineField::Integer(metric.total())),
            ("countError", LineField::Integer(metric.failures)),
        ];
        let percentile = |percent: f64| metric.all_percentile(percent);
        let numbers = self.numbers(&metric.ok, metric, &percentile);
        fields.extend(written(&numbers));
        self.metric_line(ALL, &[("statut", "all")], &fields);
    }

    fn add_users(&mut self) {
        let [least, most, mean] = self.users.counts();
        let threads = &self.surroundings.threads;
        let started = threads.started.load(Ordering::Relaxed);
        let ended = threads.finished.load(Ordering::Relaxed);
        let numbers = [
            ("minAT", least.to_string()),
            ("maxAT", most.to_string()),
            ("meanAT", mean.to_string()),
            ("startedT", started.to_string()),
            ("endedT", ended.to_string()),
        ];
        let fields = numbers.each_ref();
        let fields = fields.map(|(name, value)| (*name, LineField::Written(value)));
        self.metric_line("internal", &[], &fields);
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
        self.outlet.send(self.lines.as_str());
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
    lines: ProtocolLines,
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
        lines: ProtocolLines::new(LineSpelling::Given),
    })
}

impl Raw {
    fn send(&mut self) {
        self.outlet.send(self.lines.as_str());
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
        let label = LineSpelling::JMeter.name(result.label.trim_matches(['"', ' ']));
        let thread: String = result.thread_name.split_whitespace().collect();
        let tags = [
            ("status", status),
            ("transaction", label.as_str()),
            ("threadName", thread.as_str()),
        ];
        let fields = [
            ("duration", LineField::Integer(result.elapsed_ms)),
            ("ttfb", LineField::Integer(result.latency_ms)),
            ("connectTime", LineField::Integer(result.connect_ms)),
        ];
        let at_ns = result.start_unix_ms.saturating_mul(1_000_000);
        self.lines.line(&self.measurement, &tags, &fields, at_ns);
        if self.lines.as_str().len() > RAW_BYTES {
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
