//! The curve of a stepped run in every format.
#![allow(clippy::unwrap_used, clippy::expect_used)]

mod common;

use common::{Random, Shape, finished, label};
use plimsoll_report::{ReportOptions, exporter};
use plimsoll_stats::curve::{Curve, LoadModel, LoadProfile, Stretch};
use plimsoll_stats::{Code, ErrorKind, GeneratorSecond, LabelId, LabelInterval, LabelKind, Sample};
use plimsoll_store::{Run, RunMeta, RunWriter};
use plimsoll_text::{Lang, Message, render};

const LOADS: [u32; 10] = [1, 2, 4, 8, 12, 16, 24, 32, 48, 64];
const HOLD_S: u32 = 20;

/// Throughput that falls behind 16 users.
fn throughput(users: u32) -> f64 {
    let n = f64::from(users);
    120.0 * n / (1.0 + 0.04 * (n - 1.0) + 0.0035 * n * (n - 1.0))
}

fn second(random: &mut Random, users: u32, warm: bool) -> LabelInterval {
    let mut interval = LabelInterval::default();
    let x = throughput(users) * if warm { 1.0 } else { 0.4 };
    let requests = (x * (1.0 + 0.02 * (random.unit() - 0.5))) as u64;
    let mean_ms = f64::from(users) / x * 1e3;
    for i in 0..requests {
        let service_ns = random.latency_ns(mean_ms * 0.93, 0.38);
        let failed = users == 64 && i % 5 < 3;
        interval.record(&Sample {
            label: LabelId(0),
            kind: LabelKind::Request,
            parent: None,
            user: 1,
            iteration: i,
            code: Code::Http(if failed { 503 } else { 200 }),
            message: "",
            error: failed.then_some(ErrorKind::CheckFailed),
            sent_bytes: 180,
            received_bytes: 900,
            intended_ns: 0,
            ready_ns: 0,
            start_ns: 0,
            dns_ns: 0,
            connect_ns: 0,
            tls_ns: 0,
            first_byte_ns: service_ns,
            end_ns: service_ns,
            lag_ns: 0,
        });
    }
    interval
}

/// A run that holds each load, with a slow start of each.
fn stepped(root: &std::path::Path) -> Run {
    let stretch = |(i, users): (usize, &u32)| Stretch {
        from_s: i as f64 * f64::from(HOLD_S),
        to_s: (i + 1) as f64 * f64::from(HOLD_S),
        from: f64::from(*users),
        to: f64::from(*users),
    };
    let meta = RunMeta {
        name: "steps".into(),
        plan_name: "Steps".into(),
        load_profile: Some(LoadProfile {
            model: LoadModel::Users,
            stretches: LOADS.iter().enumerate().map(stretch).collect(),
        }),
        ..RunMeta::default()
    };
    let mut random = Random(4);
    let mut writer = RunWriter::create(root, &meta).unwrap();
    writer
        .add_label(&label(0, "GET /", LabelKind::Request, None))
        .unwrap();
    for s in 0..LOADS.len() as u32 * HOLD_S {
        let users = LOADS[(s / HOLD_S) as usize];
        let interval = second(&mut random, users, s % HOLD_S >= 3);
        let generator = GeneratorSecond {
            second: u64::from(s),
            users_active: u64::from(users),
            ..GeneratorSecond::default()
        };
        let rows = [(LabelId(0), &interval)];
        writer.write_second(s, &rows, &generator).unwrap();
    }
    let summary = Run::open(writer.dir()).unwrap().rebuild_summary().unwrap();
    writer.finish(&summary).unwrap();
    writer.into_run().unwrap()
}

fn export(run: &Run, format: &str, lang: Lang) -> String {
    let mut out = Vec::new();
    let options = ReportOptions { lang };
    let exporter = exporter(format).unwrap();
    exporter.export(run, &options, &mut out).unwrap();
    String::from_utf8(out).unwrap()
}

#[test]
fn every_format_shows_the_curve_in_both_languages() {
    let root = tempfile::tempdir().unwrap();
    let run = stepped(root.path());
    if let Ok(dir) = std::env::var("PLIMSOLL_KEEP_REPORTS") {
        for lang in Lang::ALL {
            let path = format!("{dir}/curve-{}.html", lang.code());
            std::fs::write(path, export(&run, "html", lang)).unwrap();
        }
        std::fs::write(format!("{dir}/curve.txt"), export(&run, "text", Lang::En)).unwrap();
    }
    for lang in Lang::ALL {
        let title = render(lang, &Message::new("curve-title"));
        for format in ["text", "markdown", "html"] {
            let text = export(&run, format, lang);
            assert!(text.contains(&title), "{format}");
            assert!(!text.contains("curve-"), "a text is missing in {format}");
            for letter in ["A", "C", "D", "E", "N*"] {
                let letter = if format == "markdown" {
                    letter.replace('*', "\\*")
                } else {
                    letter.to_owned()
                };
                assert!(text.contains(&letter), "{letter} in {format}");
            }
        }
        let html = export(&run, "html", lang);
        assert_eq!(html.matches("<svg class=\"curve\"").count(), 2);
        assert!(html.contains("class=\"law\"") && html.contains("class=\"bound\""));
        assert!(
            !html.contains("NaN") && !html.contains("inf"),
            "a point is nowhere"
        );
    }
}

#[test]
fn the_marks_are_where_the_law_has_them() {
    let root = tempfile::tempdir().unwrap();
    let json = export(&stepped(root.path()), "curve", Lang::En);
    let curve: Curve = serde_json::from_str(&json).unwrap();
    let load = |mark: Option<plimsoll_stats::curve::Mark>| mark.unwrap().load;
    assert_eq!(load(curve.marks.a), 2.0, "throughput bends early");
    assert_eq!(load(curve.marks.e), 64.0);
    assert!((12.0..=16.0).contains(&load(curve.marks.c)));
    assert_eq!(load(curve.marks.d), 24.0);
    assert!(curve.points.iter().all(|p| p.seconds_cut >= 3 && p.steady));
    let schema = include_str!("../../../schema/curve.schema.json");
    let schema: serde_json::Value = serde_json::from_str(schema).unwrap();
    let validator = jsonschema::validator_for(&schema).unwrap();
    let value: serde_json::Value = serde_json::from_str(&json).unwrap();
    let errors: Vec<String> = validator
        .iter_errors(&value)
        .map(|e| e.to_string())
        .collect();
    assert!(errors.is_empty(), "{errors:?}");
    assert!(validator.is_valid(&serde_json::Value::Null));
}

#[test]
fn a_run_with_one_load_has_no_curve() {
    let root = tempfile::tempdir().unwrap();
    let run = finished(root.path(), &Shape::default());
    assert_eq!(export(&run, "curve", Lang::En), "null\n");
    let title = render(Lang::En, &Message::new("curve-title"));
    assert!(!export(&run, "html", Lang::En).contains(&title));
}
