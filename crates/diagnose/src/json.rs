//! A diagnosis as JSON (`schema/diagnosis.schema.json`), its texts in one language.

mod account;

use plimsoll_knobs::KnobValue;
use plimsoll_stats::curve::Demand;
use plimsoll_text::{Lang, Message, render};
use serde::Serialize;

use account::{AccountJson, of_account};

use crate::model::{
    Advice, Diagnosis, DiagnosisOutcome, Exhibit, Finding, FindingObject, Layer, ResourceDemand,
    SCHEMA_VERSION,
};
use crate::rule_source::source_text;

/// The diagnosis of a run as JSON says it.
#[derive(Debug, Serialize)]
pub struct DiagnosisDocument {
    schema_version: u32,
    run: String,
    outcome: &'static str,
    summary: String,
    window_s: [f64; 2],
    findings: Vec<FindingJson>,
    missing: Vec<String>,
    demands: Vec<DemandJson>,
    account: Option<AccountJson>,
}

#[derive(Debug, Serialize)]
struct DemandJson {
    object: ObjectJson,
    series: &'static str,
    #[serde(flatten)]
    demand: Demand,
    grows_by: Option<f64>,
    predicts: bool,
    text: String,
}

#[derive(Debug, Serialize)]
struct FindingJson {
    id: &'static str,
    rank: usize,
    layer: &'static str,
    title: String,
    means: String,
    object: ObjectJson,
    explains: ExplainsJson,
    confidence: f64,
    healthy: bool,
    evidence: Vec<ExhibitJson>,
    advice: Vec<AdviceJson>,
    experiment: String,
    source: String,
}

#[derive(Debug, Serialize)]
struct ObjectJson {
    kind: &'static str,
    name: String,
    host: String,
    #[serde(skip_serializing_if = "String::is_empty")]
    process: String,
}

#[derive(Debug, Serialize)]
struct ExplainsJson {
    share: f64,
    of: &'static str,
}

#[derive(Debug, Serialize)]
struct ExhibitJson {
    text: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    series: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    capture: Option<i64>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    lines: Vec<String>,
}

#[derive(Debug, Serialize)]
struct AdviceJson {
    setting: Option<String>,
    current: Option<String>,
    proposed: Option<String>,
    why: String,
    knob: Option<&'static str>,
    value: Option<KnobValue>,
}

impl Layer {
    /// Its name in JSON.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Measurement => "measurement",
            Self::Cause => "cause",
            Self::Resource => "resource",
            Self::Hint => "hint",
        }
    }
}

/// The JSON form of a diagnosis of that run.
#[must_use]
pub fn document(run: &str, diagnosis: &Diagnosis, lang: Lang) -> DiagnosisDocument {
    let say = |message: &Message| render(lang, message);
    let findings = diagnosis.findings.iter().zip(1..);
    DiagnosisDocument {
        schema_version: SCHEMA_VERSION,
        run: run.to_owned(),
        outcome: diagnosis.outcome.name(),
        summary: say(&summary(diagnosis)),
        window_s: [diagnosis.window_s.0, diagnosis.window_s.1],
        findings: findings
            .map(|(finding, rank)| of_finding(finding, rank, lang))
            .collect(),
        missing: diagnosis.missing.iter().map(say).collect(),
        demands: diagnosis
            .demands
            .iter()
            .map(|demand| of_demand(demand, lang))
            .collect(),
        account: diagnosis
            .account
            .as_ref()
            .map(|account| of_account(account, lang)),
    }
}

/// The outcome in a sentence.
#[must_use]
pub fn summary(diagnosis: &Diagnosis) -> Message {
    let message = Message::new(format!("diagnosis-{}", diagnosis.outcome.name()));
    let limiting = diagnosis
        .findings
        .iter()
        .find(|finding| finding.layer != Layer::Hint);
    match limiting {
        Some(finding) if diagnosis.is_pause() => {
            Message::new("diagnosis-pauses").with("title", finding.text(""))
        }
        Some(finding) => message.with("title", finding.text("")),
        None if diagnosis.outcome == DiagnosisOutcome::Nothing && says_exhausted(diagnosis) => {
            Message::new("diagnosis-nothing-beside")
        }
        None => message,
    }
}

/// Whether something is told to be exhausted that does not limit these requests.
fn says_exhausted(diagnosis: &Diagnosis) -> bool {
    let remarks = diagnosis.findings.iter();
    let told = [
        "host_cpu",
        "network_full",
        "disk_busy",
        "disk_full",
        "conntrack_full",
        "cpu_taken",
    ];
    remarks
        .into_iter()
        .any(|finding| told.contains(&finding.id))
}

fn of_finding(finding: &Finding, rank: usize, lang: Lang) -> FindingJson {
    let say = |part: &str| render(lang, &finding.text(part));
    let rounded = |value: f64| (value * 1_000.0).round() / 1_000.0;
    FindingJson {
        id: finding.id,
        rank,
        layer: finding.layer.name(),
        title: say(""),
        means: say("-means"),
        object: of_object(&finding.object),
        explains: ExplainsJson {
            share: rounded(finding.explains.share),
            of: finding.explains.of.name(),
        },
        confidence: rounded(finding.confidence),
        healthy: finding.healthy,
        evidence: finding
            .evidence
            .iter()
            .map(|exhibit| of_exhibit(exhibit, lang))
            .collect(),
        advice: finding
            .advice
            .iter()
            .map(|advice| of_advice(advice, lang))
            .collect(),
        experiment: say("-experiment"),
        source: source_text(finding.source, lang),
    }
}

fn of_demand(demand: &ResourceDemand, lang: Lang) -> DemandJson {
    DemandJson {
        object: ObjectJson {
            process: String::new(),
            ..of_object(&demand.of)
        },
        series: demand.series.name,
        demand: demand.demand.clone(),
        grows_by: demand.demand.grows_by(),
        predicts: demand.predicts,
        text: render(lang, &demand.message()),
    }
}

fn of_object(object: &FindingObject) -> ObjectJson {
    ObjectJson {
        kind: object.kind,
        name: object.name.clone(),
        host: object.host.clone(),
        process: object.process.clone(),
    }
}

fn of_exhibit(exhibit: &Exhibit, lang: Lang) -> ExhibitJson {
    ExhibitJson {
        text: render(lang, &exhibit.text),
        series: exhibit.series.clone(),
        capture: exhibit.capture,
        lines: exhibit.lines.clone(),
    }
}

fn of_advice(advice: &Advice, lang: Lang) -> AdviceJson {
    let (knob, value) = advice.knob().unzip();
    AdviceJson {
        knob,
        value,
        setting: advice.setting.clone(),
        current: advice.current.clone(),
        proposed: advice.proposed.clone(),
        why: render(lang, &advice.why),
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used, clippy::expect_used)]
mod tests {
    use plimsoll_stats::ErrorKind;
    use serde_json::Value;

    use super::*;
    use crate::testing::Made;

    #[test]
    fn fits_its_schema_and_knows_all_its_texts() {
        let schema = include_str!("../../../schema/diagnosis.schema.json");
        let schema: Value = serde_json::from_str(schema).unwrap();
        let validator = jsonschema::draft202012::new(&schema).unwrap();
        let made = Made::load(100.0, 20.0)
            .process("java[8080]", 1.95, 2.0)
            .errors(ErrorKind::NoLocalPort, 900)
            .threads(&[(4, &["java.lang.Thread.sleep", "shop.Page.show"])])
            .steps(&[(1.0, 20.0), (4.0, 60.0), (16.0, 100.0)]);
        let diagnosis = made.diagnose();
        assert!(diagnosis.findings.len() >= 2, "{diagnosis:?}");
        assert_eq!(diagnosis.demands.len(), 1);
        for lang in [Lang::En, Lang::Zh] {
            let json = serde_json::to_value(document("a run", &diagnosis, lang)).unwrap();
            let wrong: Vec<_> = validator
                .iter_errors(&json)
                .map(|e| e.to_string())
                .collect();
            assert!(wrong.is_empty(), "{wrong:?}");
            let text = json.to_string();
            for id in ["finding-", "exhibit-", "advice-", "diagnosis-"] {
                assert!(!text.contains(&format!("\"{id}")), "no text: {text}");
            }
        }
    }

    #[test]
    fn advice_names_the_knob_and_its_value() {
        let number = |value: f64| Some(KnobValue::Number(value));
        let word = |value: &str| Some(KnobValue::Word(value.to_owned()));
        for (setting, proposed, knob, value) in [
            (
                "server.tomcat.threads.max",
                "44",
                Some("tomcat.threads.max"),
                number(44.0),
            ),
            (
                "server.tomcat.accept-count",
                "512",
                Some("tomcat.accept-count"),
                number(512.0),
            ),
            (
                "spring.datasource.hikari.maximum-pool-size",
                "20",
                Some("hikari.maximum-pool-size"),
                number(20.0),
            ),
            (
                "-Xmx",
                "512 MiB",
                Some("jvm.heap.max"),
                number(536_870_912.0),
            ),
            (
                "worker_processes",
                "auto",
                Some("nginx.worker-processes"),
                word("auto"),
            ),
            (
                "worker_connections",
                "4096",
                Some("nginx.worker-connections"),
                number(4096.0),
            ),
            (
                "app: keepalive",
                "32",
                Some("nginx.upstream.keepalive"),
                number(32.0),
            ),
            ("access_log", "off", Some("nginx.access-log"), word("off")),
            (
                "logging.level.com.shop",
                "INFO",
                Some("logging.level"),
                word("INFO"),
            ),
            (
                "server.compression.enabled",
                "true",
                Some("tomcat.compression"),
                word("on"),
            ),
            ("maxmemory", "", None, None),
            ("worker_connections", "more", None, None),
            ("cpu quota", "2", None, None),
            ("warm-up", "30s", None, None),
        ] {
            let advice = Advice::setting(setting, None, proposed, Message::new("advice-lock"));
            let json = of_advice(&advice, Lang::En);
            assert_eq!((json.knob, json.value), (knob, value), "{setting}");
        }
        let code = of_advice(&Advice::code(Message::new("advice-lock")), Lang::En);
        assert_eq!((code.knob, code.value), (None, None));
    }

    #[test]
    fn every_rule_has_its_texts_in_both_languages() {
        for id in crate::findings::RULES.iter().flat_map(|rule| rule.ids) {
            for part in ["", "-means", "-experiment"] {
                let id = format!("finding-{}{part}", id.replace('_', "-"));
                for lang in [Lang::En, Lang::Zh] {
                    let known = plimsoll_text::texts(lang)
                        .iter()
                        .any(|(_, source)| source.contains(&format!("\n{id} = ")));
                    assert!(known, "{id} in {lang:?}");
                }
            }
        }
    }
}
