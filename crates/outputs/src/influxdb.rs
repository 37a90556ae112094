//! InfluxDB 1 and 2, and what speaks their protocol: lines over HTTP.

use std::time::Duration;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use plimsoll_stats::Histogram;
use plimsoll_text::{Lang, Message, render};
use url::Url;

use crate::line_protocol::{Field, Lines};
use crate::output::{LabelPart, LoadInterval, Output, OutputError, RunBegin, RunEnd, RunEvent};
use crate::spec::OutputSpec;

/// Connecting and responding may take so long.
const CONNECT: Duration = Duration::from_secs(2);
const RESPOND: Duration = Duration::from_secs(4);
/// Of a refusal so many characters are told.
const TOLD: usize = 200;
/// Percentiles of the response time, by their fields.
const PERCENTILES: [(&str, f64); 4] = [
    ("response_p50_ms", 0.5),
    ("response_p90_ms", 0.9),
    ("response_p95_ms", 0.95),
    ("response_p99_ms", 0.99),
];

/// Writes to a database.
struct InfluxDb {
    agent: ureq::Agent,
    url: String,
    authorization: Option<String>,
    tags: Vec<(String, String)>,
    run: RunBegin,
}

/// An output to the address where lines are written: `http://host:8086/write?db=NAME` (1),
/// `http://host:8086/api/v2/write?org=ORG&bucket=NAME` (2); an address without a path means the
/// database `plimsoll` of version 1.
///
/// # Errors
/// An address that is none, variables of the environment that are not set.
pub fn open(spec: &OutputSpec) -> Result<Box<dyn Output>, Message> {
    let wrong = || Message::new("output-bad-address").with("address", spec.shown());
    let mut url: Url = spec.address.parse().map_err(|_| wrong())?;
    if !matches!(url.scheme(), "http" | "https") || !url.has_host() {
        return Err(wrong());
    }
    if url.path() == "/" && url.query().is_none() {
        url.set_path("/write");
        url.set_query(Some("db=plimsoll"));
    }
    let config = ureq::Agent::config_builder()
        .timeout_connect(Some(CONNECT))
        .timeout_recv_response(Some(RESPOND))
        .timeout_recv_body(Some(RESPOND))
        // Another place is another host.
        .max_redirects(0)
        .http_status_as_error(false)
        .user_agent("Plimsoll")
        .build();
    Ok(Box::new(InfluxDb {
        agent: config.into(),
        authorization: authorization(spec)?,
        url: url.into(),
        tags: spec.tags().collect(),
        run: RunBegin::default(),
    }))
}

/// The header of a token, or of a user and a password.
fn authorization(spec: &OutputSpec) -> Result<Option<String>, Message> {
    if let Some(token) = spec.from_environment("token-env")? {
        return Ok(Some(format!("Token {token}")));
    }
    let Some(user) = spec.setting("user") else {
        return Ok(None);
    };
    let password = spec.from_environment("password-env")?.unwrap_or_default();
    let pair = STANDARD.encode(format!("{user}:{password}"));
    Ok(Some(format!("Basic {pair}")))
}

impl Output for InfluxDb {
    fn begin(&mut self, run: &RunBegin) -> Result<(), OutputError> {
        self.run = run.clone();
        self.write_event(0, "begin", &run.target)
    }

    fn interval(&mut self, interval: &LoadInterval) -> Result<(), OutputError> {
        let mut lines = Lines::default();
        let at_ns = self.unix_ns(interval.to_s * 1_000_000_000);
        let part = ("part", interval.part.name());
        for label in &interval.labels {
            let more = [
                part,
                ("label", label.label.name.as_str()),
                ("kind", label.label.kind.name()),
            ];
            lines.line("plimsoll_samples", &self.tags(&more), &fields(label), at_ns);
        }
        let load = [
            ("users_active", Field::Integer(interval.users_active)),
            ("in_flight", Field::Integer(interval.in_flight)),
            ("seconds", Field::Integer(interval.to_s - interval.from_s)),
        ];
        lines.line("plimsoll_load", &self.tags(&[part]), &load, at_ns);
        self.post(lines.as_str())
    }

    fn event(&mut self, event: &RunEvent) -> Result<(), OutputError> {
        let text = render(Lang::En, &event.message);
        self.write_event(event.at_ns, &event.message.id, &text)
    }

    fn end(&mut self, end: &RunEnd) -> Result<(), OutputError> {
        let verdict = serde_json::to_value(end.verdict).unwrap_or_default();
        let verdict = verdict.as_str().unwrap_or_default();
        // A float to integer cast saturates.
        self.write_event((end.end_s * 1e9) as u64, "end", verdict)
    }
}

#[expect(clippy::cast_precision_loss, reason = "times of a second")]
fn fields(label: &LabelPart) -> Vec<(&'static str, Field<'static>)> {
    let did = &label.did;
    let times: Histogram = did.all_response();
    let mut fields = vec![
        ("count", Field::Integer(did.samples())),
        ("errors", Field::Integer(did.errors())),
        ("sent_bytes", Field::Integer(did.sent_bytes)),
        ("received_bytes", Field::Integer(did.received_bytes)),
        ("dropped", Field::Integer(did.dropped_iterations)),
    ];
    if !times.is_empty() {
        fields.push(("response_mean_ms", Field::Float(times.mean_ns() / 1e6)));
        for (name, share) in PERCENTILES {
            let ms = times.percentile_ns(share) as f64 / 1e6;
            fields.push((name, Field::Float(ms)));
        }
    }
    fields
}

impl InfluxDb {
    fn unix_ns(&self, at_ns: u64) -> u64 {
        self.run.zero_unix_ns.saturating_add(at_ns)
    }

    /// The tags of each line, and more.
    fn tags<'a>(&'a self, more: &[(&'a str, &'a str)]) -> Vec<(&'a str, &'a str)> {
        let own = [
            ("run", self.run.run.as_str()),
            ("plan", self.run.plan.as_str()),
        ];
        let given = self
            .tags
            .iter()
            .map(|(name, value)| (name.as_str(), value.as_str()));
        own.into_iter()
            .chain(given)
            .chain(more.iter().copied())
            .collect()
    }

    fn write_event(&self, at_ns: u64, kind: &str, text: &str) -> Result<(), OutputError> {
        let mut lines = Lines::default();
        let tags = self.tags(&[("event", kind)]);
        let fields = [("text", Field::Text(text))];
        lines.line("plimsoll_events", &tags, &fields, self.unix_ns(at_ns));
        self.post(lines.as_str())
    }

    fn post(&self, lines: &str) -> Result<(), OutputError> {
        let mut request = self
            .agent
            .post(&self.url)
            .header("Content-Type", "text/plain; charset=utf-8");
        if let Some(authorization) = &self.authorization {
            request = request.header("Authorization", authorization);
        }
        let later = |error: ureq::Error| OutputError::Later(error.to_string());
        let mut response = request.send(lines).map_err(later)?;
        let status = response.status();
        // Read to its end, so that the connection is used again.
        let body = response.body_mut().read_to_string().unwrap_or_default();
        if status.is_success() {
            return Ok(());
        }
        let body = plimsoll_secrets::text(body.trim()).into_owned();
        let told: String = body.chars().take(TOLD).collect();
        let reason = format!("{status} {told}").trim_end().to_owned();
        match status.as_u16() {
            408 | 425 | 429 | 500..=599 => Err(OutputError::Later(reason)),
            _ => Err(OutputError::Refused(reason)),
        }
    }
}
