//! What is told of a run, and how each receiver has it.

use plimsoll_diagnose::{Diagnosis, Layer};
use plimsoll_run::runs::summary_of;
use plimsoll_stats::Verdict;
use plimsoll_store::{Run, StoreError};
use plimsoll_text::{Lang, Message, render};
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use super::book::{WebhookEvent, WebhookKind};
use super::sign;
use crate::desk::UndertakingTold;
use crate::language::told;

/// Version of what programs are told (`schema/webhook.schema.json`); it rises when a field changes its meaning.
const SCHEMA_VERSION: u32 = 1;

/// What limits a run's target.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(super) struct ToldFinding {
    /// Which: its id.
    id: String,
    /// In words, English.
    title: String,
    /// The same in Chinese.
    title_zh: String,
}

/// What programs are told (`schema/webhook.schema.json`).
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(super) struct ToldRun {
    schema_version: u32,
    /// What happened.
    pub event: WebhookEvent,
    /// To what: `run`, `repeat`, `capacity`, `hops`, `interleave`, `study`.
    #[serde(default = "a_run")]
    kind: String,
    /// When, UTC.
    at: String,
    /// The run; of several as one undertaking its id, of a study its name.
    pub run: String,
    /// What it is called.
    name: String,
    /// The plan's name.
    plan: String,
    /// The address that is loaded.
    target: String,
    /// As in the summary; null: it goes on, or is no run.
    verdict: Option<String>,
    /// How far what is no run got: `running`, `finished`, `stopped`, `interrupted`, `failed`; null: it is a run.
    #[serde(default)]
    state: Option<String>,
    /// Seconds that were measured; null: it goes on.
    duration_s: Option<f64>,
    /// Requests a second; null: it goes on.
    throughput_per_s: Option<f64>,
    /// 95th percentile of the response time; null: it goes on, or has none.
    p95_ms: Option<f64>,
    /// Failed requests in all, 0 to 1; null: it goes on.
    error_rate: Option<f64>,
    /// What limits its target; null: it goes on, or nothing is known.
    finding: Option<ToldFinding>,
}

fn a_run() -> String {
    "run".to_owned()
}

impl ToldRun {
    /// One that somebody wants to see arrive.
    pub fn test(at: String) -> Self {
        Self {
            schema_version: SCHEMA_VERSION,
            event: WebhookEvent::Test,
            kind: a_run(),
            state: None,
            at,
            run: String::new(),
            name: String::new(),
            plan: String::new(),
            target: String::new(),
            verdict: None,
            duration_s: None,
            throughput_per_s: None,
            p95_ms: None,
            error_rate: None,
            finding: None,
        }
    }

    /// A run that begins.
    pub fn begun(run: &Run, at: String) -> Self {
        let meta = run.meta();
        let text = |text: &str| plimsoll_secrets::text(text).into_owned();
        Self {
            event: WebhookEvent::Begin,
            run: run.id(),
            name: text(&meta.name),
            plan: text(&meta.plan_name),
            target: text(&meta.target),
            ..Self::test(at)
        }
    }

    /// What there is to tell of several runs as one undertaking, or of a study: that it begins; or that it is over, and
    /// that it has no result.
    pub fn undertaking(of: &UndertakingTold, at: &str) -> Vec<Self> {
        let text = |text: &str| plimsoll_secrets::text(text).into_owned();
        let told = |event| Self {
            event,
            kind: of.kind.clone(),
            state: Some(of.state.clone()),
            run: of.id.clone(),
            name: text(&of.name),
            plan: text(&of.plan),
            ..Self::test(at.to_owned())
        };
        if !of.is_over {
            return vec![told(WebhookEvent::Begin)];
        }
        let mut all = vec![told(WebhookEvent::End)];
        all.extend(of.has_failed.then(|| told(WebhookEvent::Verdict)));
        all
    }

    /// What there is to tell of a run that is over: always its end, then how it failed, and what limits, if that is
    /// known.
    ///
    /// # Errors
    /// It cannot be read.
    pub fn ended(
        run: &Run,
        diagnosis: Option<&Diagnosis>,
        at: &str,
    ) -> Result<Vec<Self>, StoreError> {
        let summary = summary_of(run)?;
        let total = &summary.total;
        let finding = diagnosis.and_then(|diagnosis| {
            let mut findings = diagnosis.findings.iter();
            let first = findings.find(|finding| finding.layer != Layer::Hint)?;
            let title = |lang| told(lang, &first.text(""));
            Some(ToldFinding {
                id: first.id.to_owned(),
                title: title(Lang::En),
                title_zh: title(Lang::Zh),
            })
        });
        let end = Self {
            event: WebhookEvent::End,
            verdict: Some(summary.verdict.name().to_owned()),
            duration_s: Some(summary.duration_s),
            throughput_per_s: Some(total.throughput_per_s),
            p95_ms: (total.samples > 0).then_some(total.response_time_ms.p95),
            error_rate: Some(total.error_rate),
            finding,
            ..Self::begun(run, at.to_owned())
        };
        let of = |event| Self {
            event,
            ..end.clone()
        };
        let has_passed = [Verdict::Passed, Verdict::NotJudged].contains(&summary.verdict);
        let mut told = vec![end.clone()];
        told.extend((!has_passed).then(|| of(WebhookEvent::Verdict)));
        told.extend(end.finding.is_some().then(|| of(WebhookEvent::Finding)));
        Ok(told)
    }

    /// In a few words, for people. What others call their runs stays a text: no receiver finds a mark in it.
    pub fn words(&self, lang: Lang) -> String {
        let plain = |text: &str| -> String {
            let letters = text.chars().filter(|letter| !letter.is_control());
            let letters = letters.map(|letter| match letter {
                '<' => '‹',
                '>' => '›',
                other => other,
            });
            letters.take(300).collect()
        };
        let number = |value: Option<f64>| plimsoll_report::short(value.unwrap_or_default());
        let finding = self.finding.as_ref().map_or("", |it| match lang {
            Lang::En => it.title.as_str(),
            Lang::Zh => it.title_zh.as_str(),
        });
        let id = match &self.state {
            None => format!("webhook-{}", self.event.name()),
            Some(_) => format!("webhook-undertaking-{}", self.event.name()),
        };
        let message = Message::new(id)
            .with("kind", plain(&self.kind))
            .with("state", self.state.clone().unwrap_or_default())
            .with("name", plain(&self.name))
            .with("target", plain(&self.target))
            .with("run", plain(&self.run))
            .with("verdict", self.verdict.clone().unwrap_or_default())
            .with("throughput", number(self.throughput_per_s))
            .with("p95", number(self.p95_ms))
            .with("errors", number(self.error_rate.map(|rate| rate * 100.0)))
            .with("finding", plain(finding));
        render(lang, &message)
    }
}

/// A request to a receiver.
#[derive(Debug, PartialEq)]
pub(super) struct WebhookRequest {
    /// What is added to the address.
    pub query: Vec<(&'static str, String)>,
    /// Headers.
    pub headers: Vec<(&'static str, String)>,
    /// The body.
    pub body: String,
}

/// What is sent of an event, which is JSON, at a moment, Unix milliseconds.
pub(super) fn request(
    kind: WebhookKind,
    event: &str,
    lang: Lang,
    secret: Option<&str>,
    unix_ms: i64,
) -> WebhookRequest {
    let told: Option<ToldRun> = serde_json::from_str(event).ok();
    let text = told.map_or(String::new(), |told| told.words(lang));
    let unix_s = unix_ms / 1_000;
    let (mut query, mut headers) = (Vec::new(), Vec::new());
    let body = match kind {
        WebhookKind::Generic => {
            headers.push(("X-Plimsoll-Timestamp", unix_s.to_string()));
            let signed = secret.map(|secret| sign::generic(secret, unix_s, event));
            headers.extend(signed.map(|signed| ("X-Plimsoll-Signature", signed)));
            event.to_owned()
        }
        WebhookKind::Dingtalk => {
            if let Some(secret) = secret {
                query.push(("timestamp", unix_ms.to_string()));
                query.push(("sign", sign::dingtalk(secret, unix_ms)));
            }
            json!({"msgtype": "text", "text": {"content": text}}).to_string()
        }
        WebhookKind::Feishu => {
            let mut body = json!({"msg_type": "text", "content": {"text": text}});
            if let Some(secret) = secret {
                body["timestamp"] = unix_s.to_string().into();
                body["sign"] = sign::feishu(secret, unix_s).into();
            }
            body.to_string()
        }
        WebhookKind::Wecom => json!({"msgtype": "text", "text": {"content": text}}).to_string(),
    };
    WebhookRequest {
        query,
        headers,
        body,
    }
}

/// Why a group chat did not take what it was sent with status 200; none: it did.
pub(super) fn refusal_in_body(kind: WebhookKind, body: &[u8]) -> Option<String> {
    let code = match kind {
        WebhookKind::Generic => return None,
        WebhookKind::Dingtalk | WebhookKind::Wecom => "errcode",
        WebhookKind::Feishu => "code",
    };
    let told: Value = serde_json::from_slice(body).ok()?;
    let number = told[code].as_i64().filter(|number| *number != 0)?;
    let words = told["errmsg"].as_str().or(told["msg"].as_str());
    Some(format!("{code} {number} {}", words.unwrap_or_default()))
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;

    fn told() -> ToldRun {
        ToldRun {
            event: WebhookEvent::Finding,
            run: "20261127-shop".to_owned(),
            name: "<at user_id=\"all\">\n商店".to_owned(),
            target: "http://shop.test/".to_owned(),
            verdict: Some("failed".to_owned()),
            duration_s: Some(60.0),
            throughput_per_s: Some(412.0),
            p95_ms: Some(31.5),
            error_rate: Some(0.02),
            finding: Some(ToldFinding {
                id: "worker_threads".to_owned(),
                title: "All 2 worker threads are busy".to_owned(),
                title_zh: "工作线程全忙".to_owned(),
            }),
            ..ToldRun::test("2026-11-27T00:00:00Z".to_owned())
        }
    }

    #[test]
    fn what_programs_are_told_is_what_the_schema_says() {
        let schema = include_str!("../../../../schema/webhook.schema.json");
        let schema: Value = serde_json::from_str(schema).unwrap();
        let validator = jsonschema::validator_for(&schema).unwrap();
        for told in [told(), ToldRun::test("2026-11-27T00:00:00Z".to_owned())] {
            let value = serde_json::to_value(&told).unwrap();
            let wrong: Vec<String> = validator
                .iter_errors(&value)
                .map(|error| error.to_string())
                .collect();
            assert!(wrong.is_empty(), "{wrong:?}");
        }
        let mut wrong = serde_json::to_value(told()).unwrap();
        wrong["event"] = "else".into();
        assert!(!validator.is_valid(&wrong));
    }

    #[test]
    fn each_receiver_has_its_form_and_marks_of_others_are_texts() {
        let event = serde_json::to_string(&told()).unwrap();
        let of = |kind, secret| request(kind, &event, Lang::Zh, secret, 1_700_000_000_000);
        let generic = of(WebhookKind::Generic, Some("secret"));
        assert_eq!(generic.body, event);
        assert_eq!(generic.headers[0].1, "1700000000");
        assert!(generic.headers[1].1.starts_with("sha256="));
        assert_eq!(of(WebhookKind::Generic, None).headers.len(), 1);
        let dingtalk = of(WebhookKind::Dingtalk, Some("secret"));
        assert_eq!(dingtalk.query[0], ("timestamp", "1700000000000".to_owned()));
        let body: Value = serde_json::from_str(&dingtalk.body).unwrap();
        let text = body["text"]["content"].as_str().unwrap();
        assert!(
            text.contains("工作线程全忙") && text.contains("商店"),
            "{text}"
        );
        let feishu: Value = serde_json::from_str(&of(WebhookKind::Feishu, Some("s")).body).unwrap();
        assert_eq!(feishu["timestamp"], "1700000000");
        let text = feishu["content"]["text"].as_str().unwrap();
        assert!(!text.contains('<'), "{text}");
        let wecom = of(WebhookKind::Wecom, Some("s"));
        assert!(wecom.query.is_empty() && wecom.headers.is_empty());
        for lang in Lang::ALL {
            for event in [
                WebhookEvent::Begin,
                WebhookEvent::End,
                WebhookEvent::Verdict,
                WebhookEvent::Finding,
                WebhookEvent::Test,
            ] {
                let words = ToldRun { event, ..told() }.words(lang);
                assert!(!words.contains("webhook-"), "{words}");
            }
        }
    }

    #[test]
    fn what_is_made_of_several_runs_is_told_as_runs_are() {
        let schema = include_str!("../../../../schema/webhook.schema.json");
        let schema: Value = serde_json::from_str(schema).unwrap();
        let validator = jsonschema::validator_for(&schema).unwrap();
        for kind in ["repeat", "capacity", "hops", "interleave", "study"] {
            for (state, is_over, has_failed, events) in [
                ("running", false, false, &[WebhookEvent::Begin][..]),
                ("finished", true, false, &[WebhookEvent::End]),
                ("stopped", true, false, &[WebhookEvent::End]),
                ("interrupted", true, false, &[WebhookEvent::End]),
                (
                    "failed",
                    true,
                    true,
                    &[WebhookEvent::End, WebhookEvent::Verdict],
                ),
            ] {
                let of = UndertakingTold {
                    kind: kind.to_owned(),
                    id: "m-1".to_owned(),
                    name: "<shop>".to_owned(),
                    plan: "http://u:hunter2@shop.test/".to_owned(),
                    state: state.to_owned(),
                    is_over,
                    has_failed,
                };
                let told = ToldRun::undertaking(&of, "2026-11-27T00:00:00Z");
                let told_of: Vec<WebhookEvent> = told.iter().map(|told| told.event).collect();
                assert_eq!(told_of, events, "{kind} {state}");
                for told in told {
                    let value = serde_json::to_value(&told).unwrap();
                    assert!(validator.is_valid(&value), "{value}");
                    assert!(!value.to_string().contains("hunter2"), "{value}");
                    for lang in Lang::ALL {
                        let words = told.words(lang);
                        let is_text = !words.contains("webhook-") && !words.contains('<');
                        assert!(is_text && words.contains("m-1"), "{words}");
                        assert!(!words.contains(kind) || lang == Lang::En, "{words}");
                    }
                }
            }
        }
    }

    #[test]
    fn chats_refuse_with_a_code_in_the_body() {
        let refused = br#"{"errcode": 310000, "errmsg": "sign not match"}"#;
        let told = refusal_in_body(WebhookKind::Dingtalk, refused).unwrap();
        assert!(
            told.contains("310000") && told.contains("sign not match"),
            "{told}"
        );
        let taken = br#"{"errcode": 0, "errmsg": "ok"}"#;
        assert_eq!(refusal_in_body(WebhookKind::Wecom, taken), None);
        assert!(refusal_in_body(WebhookKind::Feishu, br#"{"code": 19021}"#).is_some());
        assert_eq!(refusal_in_body(WebhookKind::Feishu, b"ok"), None);
        assert_eq!(refusal_in_body(WebhookKind::Generic, refused), None);
    }
}
