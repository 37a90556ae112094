//! Graphite's plain text protocol: `prefix + context.metric value seconds`, once a second.

use std::collections::BTreeMap;
use std::fmt::Write as _;

use plimsoll_text::Message;

use crate::pattern::Pattern;

use super::super::{Listener, SampleEvent, Surroundings};
use super::arguments::{BackendArguments, filter, interval_ms};
use super::metric::{LabelMetric, LastValues, Users, Windows, java_double, percentiles};
use super::send::Outlet;

pub(super) struct Graphite {
    outlet: Outlet,
    prefix: String,
    summary_only: bool,
    labels: LabelFilter,
    percentiles: Vec<(String, String, f64)>,
    windows: Windows,
    by_label: BTreeMap<String, LabelMetric>,
    all: Option<LabelMetric>,
    users: Users,
    interval_ms: u64,
    next_ms: u64,
    surroundings: Surroundings,
}

/// Which labels are told of by themselves.
enum LabelFilter {
    Listed(Vec<String>),
    Matching(Pattern),
}

impl LabelFilter {
    fn holds(&self, label: &str) -> bool {
        match self {
            Self::Listed(labels) => labels.iter().any(|known| known == label),
            Self::Matching(pattern) => pattern.matches(label),
        }
    }
}

pub(super) fn make(
    arguments: &BackendArguments,
    surroundings: &Surroundings,
) -> Result<Graphite, Message> {
    let sender = arguments.get("graphiteMetricsSender").unwrap_or_default();
    if !sender.trim().is_empty() && !sender.trim().ends_with(".TextGraphiteMetricsSender") {
        return Err(Message::new("jmeter-backend-class").with("class", sender));
    }
    let host = arguments.get("graphiteHost").unwrap_or_default().trim();
    let port = arguments
        .get("graphitePort")
        .and_then(|text| text.trim().parse().ok());
    let list = arguments.get("samplersList").unwrap_or_default();
    let labels = if arguments.truth("useRegexpForSamplersList", false) {
        LabelFilter::Matching(filter(list)?)
    } else {
        LabelFilter::Listed(list.split(';').map(str::to_owned).collect())
    };
    let windows = Windows::of(&surroundings.properties)?;
    let interval_ms = interval_ms(surroundings, "backend_graphite.send_interval", 1);
    Ok(Graphite {
        outlet: Outlet::tcp(host, port.unwrap_or(2003), surroundings)?,
        prefix: arguments
            .get("rootMetricsPrefix")
            .unwrap_or("jmeter.")
            .to_owned(),
        summary_only: arguments.truth("summaryOnly", true),
        labels,
        percentiles: percentiles(arguments.get("percentiles").unwrap_or_default()),
        windows,
        by_label: BTreeMap::new(),
        all: None,
        users: Users::new(windows),
        interval_ms,
        next_ms: surroundings.clock.unix_ms() + interval_ms,
        surroundings: surroundings.clone(),
    })
}

/// What Graphite's names must not hold.
fn sanitize(text: &str) -> String {
    let replaced = |c| match c {
        '\\' | ' ' => '-',
        '.' => '_',
        c => c,
    };
    text.chars().map(replaced).collect()
}

/// Lines of one moment.
struct GraphiteLines<'g> {
    text: String,
    prefix: &'g str,
    seconds: u64,
}

impl GraphiteLines<'_> {
    fn add(&mut self, context: &str, name: &str, value: impl std::fmt::Display) {
        let (prefix, seconds) = (self.prefix, self.seconds);
        let _ = writeln!(self.text, "{prefix}{context}.{name} {value} {seconds}");
    }

    fn add_window(&mut self, context: &str, kind: &str, window: &LastValues) {
        self.add(context, &format!("{kind}.min"), java_double(window.least()));
        self.add(context, &format!("{kind}.max"), java_double(window.most()));
        self.add(context, &format!("{kind}.avg"), java_double(window.mean()));
    }

    fn add_metric(&mut self, context: &str, metric: &LabelMetric, asked: &[(String, String, f64)]) {
        if metric.total() == 0 {
            return;
        }
        self.add(context, "ok.count", metric.successes);
        self.add(context, "ko.count", metric.failures);
        self.add(context, "a.count", metric.total());
        self.add(context, "h.count", metric.hits);
        self.add(context, "sb.bytes", metric.sent_bytes);
        self.add(context, "rb.bytes", metric.received_bytes);
        let of = |window: &LastValues, percent| java_double(window.percentile(percent));
        let kinds = [
            ("ok", &metric.ok, metric.successes),
            ("ko", &metric.ko, metric.failures),
        ];
        for (kind, window, _) in kinds.into_iter().filter(|(_, _, count)| *count > 0) {
            self.add_window(context, kind, window);
            for (label, _, percent) in asked {
                let name = format!("{kind}.pct{}", sanitize(label));
                self.add(context, &name, of(window, *percent));
            }
        }
        self.add_window(context, "a", &metric.all);
        for (label, _, percent) in asked {
            let value = java_double(metric.all_percentile(*percent));
            self.add(context, &format!("a.pct{}", sanitize(label)), value);
        }
    }
}

impl Graphite {
    fn send(&mut self, unix_ms: u64) {
        let mut lines = GraphiteLines {
            text: String::new(),
            prefix: &self.prefix,
            seconds: unix_ms / 1000,
        };
        if let Some(all) = &mut self.all {
            lines.add_metric("all", all, &self.percentiles);
            all.reset();
        }
        for (label, metric) in &mut self.by_label {
            lines.add_metric(&sanitize(label), metric, &self.percentiles);
            metric.reset();
        }
        let threads = &self.surroundings.threads;
        let count =
            |of: &std::sync::atomic::AtomicU32| of.load(std::sync::atomic::Ordering::Relaxed);
        let [least, most, mean] = self.users.counts();
        lines.add("test", "minAT", least);
        lines.add("test", "maxAT", most);
        lines.add("test", "meanAT", mean);
        lines.add("test", "startedT", count(&threads.started));
        lines.add("test", "endedT", count(&threads.finished));
        let text = lines.text;
        self.outlet.send(&text);
    }
}

impl Listener for Graphite {
    fn sample(&mut self, event: &SampleEvent) {
        let result = &event.result;
        self.users.add(&self.surroundings.threads);
        let windows = self.windows;
        if !self.summary_only && self.labels.holds(&result.label) {
            if !self.by_label.contains_key(&result.label) {
                self.by_label
                    .insert(result.label.clone(), LabelMetric::new(windows));
            }
            if let Some(metric) = self.by_label.get_mut(&result.label) {
                metric.add(result, false);
            }
        }
        let all = self.all.get_or_insert_with(|| LabelMetric::new(windows));
        all.add(result, true);
    }

    fn tick(&mut self, unix_ms: u64) {
        if unix_ms >= self.next_ms {
            self.next_ms = unix_ms + self.interval_ms;
            self.send(unix_ms);
        }
    }

    fn end(mut self: Box<Self>) -> Vec<Message> {
        let now = self.surroundings.clock.unix_ms();
        self.send(now);
        self.outlet.end()
    }
}
