//! Every format of a run, in both languages.
#![allow(clippy::unwrap_used, clippy::expect_used)]

mod common;

use common::{Random, Shape, cut_short, failed, finished, interval, label};
use std::collections::BTreeMap;

use plimsoll_report::compare::{RenderForm, Sides, render_compare, side_by_side};
use plimsoll_report::{ReportOptions, exporter, exporters};
use plimsoll_stats::LabelKind;
use plimsoll_stats::compare::{Design, RunComparison, RunFigures, compare};
use plimsoll_store::{Run, RunMeta, RunWriter};
use plimsoll_text::{Lang, display_width};
use proptest::prelude::*;
use serde_json::Value;

/// The label that tries to be markup.
const HOSTILE: &str = "</script><img src=x onerror=alert(1)> & \"co\" | `x`";

fn export(run: &Run, format: &str, lang: Lang) -> String {
    let mut out = Vec::new();
    exporter(format)
        .unwrap()
        .export(run, &ReportOptions { lang }, &mut out)
        .unwrap();
    String::from_utf8(out).unwrap()
}

fn chart_data(html: &str) -> Value {
    let start = html.find("id=\"data\">").unwrap() + "id=\"data\">".len();
    let end = html[start..].find("</script>").unwrap() + start;
    serde_json::from_str(&html[start..end]).unwrap()
}

#[test]
fn formats_are_found_by_name_and_extension() {
    for format in exporters() {
        assert_eq!(exporter(format.name()).unwrap().name(), format.name());
        assert_eq!(exporter(format.extension()).unwrap().name(), format.name());
    }
    let message = exporter("pdf").err().unwrap();
    let text = plimsoll_text::render(Lang::En, &message);
    assert!(text.contains("pdf") && text.contains("markdown"), "{text}");
}

#[test]
fn html_needs_nothing_from_outside_and_labels_stay_text() {
    let root = tempfile::tempdir().unwrap();
    let run = finished(root.path(), &Shape::default());
    for lang in Lang::ALL {
        let html = export(&run, "html", lang);
        assert!(html.starts_with("<!doctype html>"));
        assert!(!html.contains("<img"), "a label has become an element");
        assert_eq!(html.matches("<script").count(), 3);
        assert_eq!(html.matches("</script").count(), 3);
        // Links go to parts of the page itself.
        let without_label = html
            .replace("src=x onerror", "")
            .replace("href=\"#part-", "");
        for outside in [
            "src=",
            "href=",
            "@import",
            "url(",
            "fetch(",
            "XMLHttpRequest",
            "import(",
        ] {
            assert!(!without_label.contains(outside), "{outside}");
        }
        assert!(html.contains("default-src 'none'"));
        assert!(
            html.contains("&lt;/script&gt;&lt;img"),
            "the label is shown"
        );
        assert!(html.contains(&format!("lang=\"{}", lang.code())));
        assert!(
            !html.contains("report-"),
            "a text is missing: {:?}",
            html.find("report-")
        );
        let data = chart_data(&html);
        assert_eq!(data["labels"][5]["name"], HOSTILE);
        assert!(html.len() < 300_000, "{}", html.len());
    }
}

#[test]
fn charts_hold_the_extremes_of_the_summary() {
    let root = tempfile::tempdir().unwrap();
    let shape = Shape {
        warm_up_s: 0,
        ..Shape::default()
    };
    let run = finished(root.path(), &shape);
    let data = chart_data(&export(&run, "html", Lang::En));
    let total = run.summary().unwrap().unwrap().total;
    let series = |name: &str| -> Vec<f64> {
        data["labels"][0][name]
            .as_array()
            .unwrap()
            .iter()
            .filter_map(Value::as_f64)
            .collect()
    };
    let near = |a: f64, b: f64| (a - b).abs() <= 0.001 * b;
    let max = series("max").into_iter().fold(0.0, f64::max);
    assert!(near(max, total.response_time_ms.max), "{max}");
    let min = series("min").into_iter().fold(f64::MAX, f64::min);
    assert!(near(min, total.response_time_ms.min), "{min}");
    let mean_rate = series("rate").iter().sum::<f64>() / 30.0;
    assert!(near(mean_rate, total.throughput_per_s), "{mean_rate}");
    assert_eq!(data["time"].as_array().unwrap().len(), 30);
    assert_eq!(data["generator"]["cpu"].as_array().unwrap().len(), 30);
    let distribution = data["labels"][0]["distribution"].as_array().unwrap();
    let last = distribution.last().unwrap();
    assert!(near(last[1].as_f64().unwrap(), total.response_time_ms.max));
    assert!(near(last[0].as_f64().unwrap(), total.samples as f64));
}

#[test]
fn eight_hours_stay_small() {
    let root = tempfile::tempdir().unwrap();
    let shape = Shape {
        seconds: 8 * 3_600,
        every_s: 11,
        rate_per_s: 4,
        labels: (0..2)
            .map(|id| label(id, &format!("GET /{id}"), LabelKind::Request, None))
            .collect(),
        goals: vec![],
        ..Shape::default()
    };
    let run = finished(root.path(), &shape);
    let html = export(&run, "html", Lang::Zh);
    assert!(html.len() < 3_000_000, "{}", html.len());
    let data = chart_data(&html);
    assert_eq!(data["step_s"], 48);
    let total = run.summary().unwrap().unwrap().total;
    let peaks = data["labels"][0]["max"].as_array().unwrap().iter().skip(1);
    let max = peaks.filter_map(Value::as_f64).fold(0.0, f64::max);
    assert!(
        (max - total.response_time_ms.max).abs() < 0.001 * max,
        "peaks survive down-sampling"
    );
}

#[test]
fn a_thousand_labels_stay_small() {
    let root = tempfile::tempdir().unwrap();
    let labels: Vec<_> = (0..1_001)
        .map(|id| {
            label(
                id,
                &format!("GET /a/rather/long/path/to/resource/{id}"),
                LabelKind::Request,
                None,
            )
        })
        .collect();
    let mut writer = RunWriter::create(root.path(), &RunMeta::default()).unwrap();
    labels
        .iter()
        .for_each(|label| writer.add_label(label).unwrap());
    let mut random = Random(1);
    let samples: Vec<_> = (0..97)
        .map(|n| interval(&mut random, &labels[n % 9], 7, 5, true))
        .collect();
    // A third of the points that so many labels get at most.
    for second in 0..152_usize {
        // The first 60 labels are busy all the time, the others do something once.
        let busy = labels
            .iter()
            .enumerate()
            .filter(|(n, _)| *n < 60 || second == 0);
        let rows = busy.map(|(n, label)| (label.id, &samples[(n + second) % samples.len()]));
        let rows: Vec<_> = rows.collect();
        writer
            .write_second(second as u32, &rows, &Default::default())
            .unwrap();
    }
    let run = writer.into_run().unwrap();
    let html = export(&run, "html", Lang::En);
    assert!(html.len() < 3_000_000, "{}", html.len());
    let data = chart_data(&html);
    assert_eq!(
        data["labels"].as_array().unwrap().len(),
        61,
        "the total and the busiest"
    );
    assert!(html.contains("60 busiest of 1001 labels"));
    assert!(html.contains("/resource/999<"), "the tables hold all");
}

#[test]
fn requests_that_were_sent_again_are_told() {
    let root = tempfile::tempdir().unwrap();
    let run = finished(root.path(), &Shape::default());
    for format in ["text", "markdown", "html"] {
        let told = export(&run, format, Lang::En);
        assert!(
            told.contains("sent again on a new connection: 5."),
            "{format}"
        );
    }
    assert!(export(&run, "text", Lang::Zh).contains("在新连接上重新发送的请求：5 个"));
}

#[test]
fn json_is_the_summary_and_fits_its_schema() {
    let schema: Value =
        serde_json::from_str(include_str!("../../../schema/summary.schema.json")).unwrap();
    let strict = jsonschema::draft202012::new(&closed(schema.clone())).unwrap();
    let open = jsonschema::draft202012::new(&schema).unwrap();
    for limited in [false, true] {
        let root = tempfile::tempdir().unwrap();
        let run = finished(
            root.path(),
            &Shape {
                limited,
                ..Shape::default()
            },
        );
        let json: Value = serde_json::from_str(&export(&run, "json", Lang::Zh)).unwrap();
        let problems: Vec<String> = strict.iter_errors(&json).map(|e| e.to_string()).collect();
        assert!(problems.is_empty(), "{problems:?}");
        assert_eq!(json, serde_json::to_value(run.summary().unwrap()).unwrap());
        for wrong in ["verdict", "total", "goals"] {
            let mut json = json.clone();
            json.as_object_mut().unwrap().remove(wrong);
            assert!(!open.is_valid(&json), "{wrong} may not be missing");
        }
        let mut json = json.clone();
        json["total"]["response_time_ms"]["p99_9"] = "fast".into();
        assert!(!open.is_valid(&json));
    }
}

/// The schema with every object closed, so that a field it does not know is found.
fn closed(mut schema: Value) -> Value {
    fn close(value: &mut Value) {
        if let Value::Object(map) = value {
            if map.contains_key("properties") {
                map.insert("additionalProperties".into(), false.into());
            }
            map.values_mut().for_each(close);
        } else if let Value::Array(items) = value {
            items.iter_mut().for_each(close);
        }
    }
    close(&mut schema);
    schema
}

#[test]
fn comparisons_fit_their_schema() {
    let schema: Value =
        serde_json::from_str(include_str!("../../../schema/comparison.schema.json")).unwrap();
    let strict = jsonschema::draft202012::new(&closed(schema)).unwrap();
    for runs in [1, 4] {
        let json = serde_json::to_value(comparison(runs, 1.5)).unwrap();
        let problems: Vec<String> = strict.iter_errors(&json).map(|e| e.to_string()).collect();
        assert!(problems.is_empty(), "{problems:?}");
    }
}

/// Runs against runs that are `slower` times as slow.
fn comparison(runs: u32, slower: f64) -> RunComparison {
    let root = tempfile::tempdir().unwrap();
    let summary = finished(root.path(), &Shape::default())
        .summary()
        .unwrap()
        .unwrap();
    let side = |factor: f64| -> Vec<RunFigures> {
        let mut random = Random(factor.to_bits());
        let figures = |_| {
            let mut figures = RunFigures::from(&summary);
            let labels = figures.labels.values_mut();
            for of in labels.chain([&mut figures.total]) {
                let noise = 1.0 + 0.01 * random.unit();
                of.throughput_per_s /= factor * noise;
                for time in [
                    &mut of.mean_ms,
                    &mut of.p50_ms,
                    &mut of.p90_ms,
                    &mut of.p95_ms,
                    &mut of.p99_ms,
                ] {
                    *time *= factor * noise;
                }
            }
            figures
        };
        (0..runs).map(figures).collect()
    };
    compare(&side(1.0), &side(slower), Design::Paired).unwrap()
}

#[test]
fn comparisons_say_what_differs_and_how_sure_it_is() {
    let sides = Sides {
        a: "threads 200",
        b: "threads <800>",
    };
    let text =
        |comparison: &RunComparison, form, lang| render_compare(comparison, sides, form, lang);
    let slower = comparison(6, 1.5);
    let english = text(&slower, RenderForm::Text, Lang::En);
    assert!(
        english.contains("B differs from A: Throughput lower (worse) (−33"),
        "{english}"
    );
    assert!(
        english.contains("✗ higher (worse)") && english.contains("interleaved"),
        "{english}"
    );
    assert!(text(&slower, RenderForm::Text, Lang::Zh).contains("更低（更差）"));
    let html = text(&slower, RenderForm::Html, Lang::En);
    assert!(
        html.contains("threads &lt;800&gt;") && html.matches("<script").count() == 1,
        "{html}"
    );
    let markdown = text(&slower, RenderForm::Markdown, Lang::En);
    assert!(markdown.contains("| Throughput (/s) |"), "{markdown}");
    let once = text(&comparison(1, 1.5), RenderForm::Text, Lang::En);
    assert!(
        once.contains("Not judged: with one run a side") && once.contains("not judged: repeat")
    );
    let same = text(&comparison(6, 1.0), RenderForm::Text, Lang::En);
    assert!(same.contains("No difference shown."), "{same}");
}

#[test]
fn runs_stand_side_by_side() {
    let root = tempfile::tempdir().unwrap();
    let good = finished(root.path(), &Shape::default())
        .summary()
        .unwrap()
        .unwrap();
    let limited = finished(
        root.path(),
        &Shape {
            limited: true,
            ..Shape::default()
        },
    );
    let limited = limited.summary().unwrap().unwrap();
    let extra = [(
        "over 1 s".to_owned(),
        vec!["0 %".to_owned(), "0.5 %".to_owned()],
    )];
    let runs = [("200 用户", &good), ("201 用户", &limited)];
    let text = side_by_side(&runs, &extra, RenderForm::Text, Lang::Zh);
    let rows: Vec<&str> = text.lines().filter(|line| line.contains("用户")).collect();
    // What does not fit beside the figures stands below them.
    assert_eq!(rows.len(), 4, "{text}");
    assert!(rows.iter().all(|row| display_width(row) <= 80), "{text}");
    assert!(
        rows[1].contains("0.5 %") && rows[3].contains("瓶颈在压力机"),
        "{text}"
    );
}

#[test]
fn csv_has_jmeters_columns_and_the_total() {
    let root = tempfile::tempdir().unwrap();
    let run = finished(root.path(), &Shape::default());
    let text = export(&run, "csv", Lang::Zh);
    assert!(text.starts_with(
        "Label,# Samples,Average,Median,90% Line,95% Line,99% Line,Min,Max,Error %,\
         Throughput,Received KB/sec,Sent KB/sec,"
    ));
    let mut reader = csv::Reader::from_reader(text.as_bytes());
    let rows: Vec<csv::StringRecord> = reader.records().map(Result::unwrap).collect();
    assert_eq!(rows.len(), 8);
    assert_eq!(&rows[4][0], HOSTILE);
    let total = run.summary().unwrap().unwrap().total;
    assert_eq!(
        (&rows[7][0], &rows[7][1]),
        ("TOTAL", total.samples.to_string().as_str())
    );
    let requests: u64 = rows
        .iter()
        .filter(|row| &row[14] == "request")
        .map(|row| row[1].parse::<u64>().unwrap())
        .sum();
    assert_eq!(
        requests, total.samples,
        "transactions and sub-requests are not in the total"
    );
}

/// The cases of a run's JUnit file by what is in them; checks the counts of the suite.
fn junit_cases(limited: bool) -> BTreeMap<String, Vec<String>> {
    let root = tempfile::tempdir().unwrap();
    let shape = Shape {
        limited,
        ..Shape::default()
    };
    let xml = export(&finished(root.path(), &shape), "junit", Lang::Zh);
    let document = roxmltree::Document::parse(&xml).unwrap();
    let mut cases: BTreeMap<String, Vec<String>> = BTreeMap::new();
    let all = document.descendants();
    for case in all.filter(|node| node.has_tag_name("testcase")) {
        let within = case.children().find(|child| child.is_element());
        let how = within.map_or("passed", |child| child.tag_name().name());
        let name = case.attribute("name").unwrap().to_owned();
        cases.entry(how.to_owned()).or_default().push(name);
    }
    let mut all = document.descendants();
    let suite = all.find(|node| node.has_tag_name("testsuite")).unwrap();
    for (how, attribute) in [
        ("failure", "failures"),
        ("error", "errors"),
        ("skipped", "skipped"),
    ] {
        let count = cases.get(how).map_or(0, Vec::len).to_string();
        assert_eq!(suite.attribute(attribute), Some(count.as_str()), "{xml}");
    }
    assert_eq!(suite.attribute("tests"), Some("6"));
    assert_eq!(
        xml.contains("java &lt;1234&gt;"),
        limited,
        "the reason names the competitor"
    );
    cases
}

#[test]
fn junit_fails_for_missed_goals_and_has_no_verdict_on_what_was_not_measured() {
    let judged = junit_cases(false);
    assert_eq!(judged["failure"], ["POST /login:p99 < 90 ms"]);
    assert!(!judged.contains_key("error") && !judged.contains_key("skipped"));
    let limited = junit_cases(true);
    assert_eq!(limited["error"], ["load generator not limited"]);
    assert!(!limited.contains_key("failure"), "{limited:?}");
    assert_eq!(limited["skipped"].len(), judged["failure"].len() + 2);
}

#[test]
fn a_limited_generator_comes_first_everywhere() {
    let root = tempfile::tempdir().unwrap();
    let run = finished(
        root.path(),
        &Shape {
            limited: true,
            ..Shape::default()
        },
    );
    for (format, before) in [
        ("text", "p95 <"),
        ("markdown", "p95 &lt;"),
        ("html", "class=\"cards\""),
    ] {
        for (lang, words) in [
            (Lang::En, "The load generator was the bottleneck"),
            (Lang::Zh, "瓶颈在压力机"),
        ] {
            let text = export(&run, format, lang);
            let (first, then) = (text.find(words).unwrap(), text.find(before).unwrap());
            assert!(first < then, "{format}: {text}");
            assert!(text.contains("java"), "{format} names the competitor");
        }
    }
}

/// Labels as people, generators and attackers make them.
fn hostile_label() -> impl Strategy<Value = String> {
    prop_oneof![
        "GET /[a-z0-9/?=&%-]{0,400}",
        "[一-龥]{1,120}",
        "([a-z]{1,9} |[一-龥，。]{1,5}){1,40}",
        "(\u{1f468}\u{200d}\u{1f469}|e\u{301}|☺\u{fe0f}){1,60}",
    ]
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 12, max_shrink_iters: 40, ..ProptestConfig::default() })]

    #[test]
    fn summaries_fit_eighty_columns(
        names in prop::collection::vec(hostile_label(), 1..5),
        rate_per_s in prop_oneof![Just(0_u64), 1..400_u64],
        limited: bool,
        goal in "[a-z一-龥]{1,80}",
    ) {
        let root = tempfile::tempdir().unwrap();
        let labels = (0..).zip(&names);
        let kinds = [LabelKind::Request, LabelKind::Transaction, LabelKind::SubRequest];
        let labels = labels.map(|(id, name)| label(id, name, kinds[id as usize % 3], None));
        let shape = Shape {
            seconds: 8,
            warm_up_s: 1,
            labels: labels.collect(),
            rate_per_s,
            limited,
            goals: vec![format!("{goal}:p95 < 300 ms"), "throughput > 123456789012345 /s".into()],
            ..Shape::default()
        };
        let run = finished(root.path(), &shape);
        for lang in Lang::ALL {
            for format in ["text", "diagnosis"] {
                let text = export(&run, format, lang);
                for line in text.lines() {
                    prop_assert!(display_width(line) <= 80, "{} in {}", line, text);
                }
            }
        }
    }
}

#[test]
fn tables_line_up_in_chinese() {
    let root = tempfile::tempdir().unwrap();
    let run = finished(root.path(), &Shape::default());
    let text = export(&run, "text", Lang::Zh);
    let start = text.find("聚合报告\n").unwrap();
    // What does not fit goes on below: heads, a rule, and each label in each part.
    let table: Vec<&str> = text[start..]
        .lines()
        .skip(1)
        .take_while(|line| !line.is_empty())
        .collect();
    let rule = table.iter().find(|line| line.starts_with('─')).unwrap();
    let total = table.iter().find(|line| line.starts_with("总计")).unwrap();
    let ends: Vec<usize> = rule
        .match_indices("─ ")
        .map(|(at, _)| display_width(&rule[..at]) + 1)
        .collect();
    // Figures end where their column does.
    for end in ends.into_iter().skip(1) {
        let mut width = 0;
        let cell = total.chars().take_while(|c| {
            width += display_width(c.encode_utf8(&mut [0; 4]));
            width <= end
        });
        let last = cell.last().unwrap();
        assert!(last.is_ascii_digit() || last == 's', "{table:#?}");
    }
}

#[test]
fn a_killed_run_is_reported_and_says_so() {
    let root = tempfile::tempdir().unwrap();
    let writer = cut_short(root.path(), &Shape::default());
    let dir = writer.dir().to_owned();
    let running = Run::open(&dir).unwrap();
    assert!(export(&running, "text", Lang::En).contains("still in progress"));
    drop((writer, running));
    let run = Run::open(&dir).unwrap();
    for (format, lang, words) in [
        ("text", Lang::En, "was cut short"),
        ("markdown", Lang::Zh, "中途终止"),
        ("html", Lang::En, "was cut short"),
        ("junit", Lang::En, "was cut short"),
    ] {
        let text = export(&run, format, lang);
        assert!(text.contains(words), "{format}: {text}");
    }
    let json: Value = serde_json::from_str(&export(&run, "json", Lang::En)).unwrap();
    assert_eq!(json["verdict"], "interrupted");
    assert!(json["total"]["samples"].as_u64().unwrap() > 1_000);
}

#[test]
fn a_run_without_a_sample_is_no_panic() {
    let root = tempfile::tempdir().unwrap();
    let writer = RunWriter::create(root.path(), &RunMeta::default()).unwrap();
    let run = writer.into_run().unwrap();
    for format in exporters() {
        for lang in Lang::ALL {
            let text = export(&run, format.name(), lang);
            assert!(
                !text.contains("NaN") && !text.contains("inf"),
                "{}",
                format.name()
            );
        }
    }
    assert!(export(&run, "text", Lang::En).contains("No request was measured"));
}

#[test]
fn labels_cannot_steer_a_terminal() {
    let root = tempfile::tempdir().unwrap();
    let mut shape = Shape {
        seconds: 3,
        warm_up_s: 0,
        ..Shape::default()
    };
    shape.labels[0].name = "a\u{1b}[2J\nb".into();
    let run = finished(root.path(), &shape);
    let text = export(&run, "text", Lang::En);
    assert!(
        !text.contains('\u{1b}') && text.contains("a\u{fffd}[2J b"),
        "{text}"
    );
}

#[test]
fn grave_events_come_before_the_numbers() {
    let root = tempfile::tempdir().unwrap();
    let mut writer = cut_short(root.path(), &Shape::default());
    let args = serde_json::json!({"limit": 1000, "other": "(other)"});
    writer.event(5, "labels-folded", &args).unwrap();
    writer
        .event(6, "made up", &serde_json::json!({"n": 3}))
        .unwrap();
    let run = writer.into_run().unwrap();
    let text = export(&run, "text", Lang::En);
    let (event, table) = (
        text.find("1000 different labels"),
        text.find("Aggregate report"),
    );
    assert!(event.unwrap() < table.unwrap(), "{text}");
    let markdown = export(&run, "markdown", Lang::En);
    assert!(
        markdown.contains("made up n=3"),
        "an event without a text is shown as it is"
    );
}

#[test]
fn errors_are_told_by_group_and_the_rest_is_counted() {
    let root = tempfile::tempdir().unwrap();
    let run = finished(root.path(), &Shape::default());
    let groups = run.summary().unwrap().unwrap().errors;
    let of_requests = groups
        .iter()
        .filter(|it| it.label_kind == LabelKind::Request);
    let counted: u64 = of_requests.map(|group| group.count).sum();
    assert_eq!(counted, run.summary().unwrap().unwrap().total.errors);
    let text = export(&run, "text", Lang::En);
    assert!(
        text.matches("503 Busy").count() >= 3,
        "requests of the shop: {text}"
    );
    let left = format!("And {} more groups with ", groups.len() - 10);
    assert!(text.contains(&left), "{left} in {text}");
    let all = export(&run, "errors", Lang::En);
    assert!(
        all.contains("HTTP/1.1 503 Busy") && !all.contains('\u{1b}'),
        "{all}"
    );
    assert!(!all.contains(" more groups"));
    let html = export(&run, "html", Lang::Zh);
    assert!(html.contains("错误明细") && html.contains("&lt;/pre&gt;&lt;img"));
}

#[test]
fn too_many_messages_are_other_in_both_languages() {
    let mut interval = plimsoll_stats::LabelInterval::default();
    let messages: Vec<String> = (0..30).map(|n| format!("number {n}")).collect();
    messages
        .iter()
        .for_each(|message| interval.record(&failed(message)));
    let root = tempfile::tempdir().unwrap();
    let mut writer = RunWriter::create(root.path(), &RunMeta::default()).unwrap();
    let only = label(0, "x", LabelKind::Request, None);
    writer.add_label(&only).unwrap();
    writer
        .write_second(0, &[(only.id, &interval)], &Default::default())
        .unwrap();
    let run = writer.into_run().unwrap();
    for (lang, words) in [
        (Lang::En, "Check failed: (other)"),
        (Lang::Zh, "检查未通过：（其他）"),
    ] {
        let text = export(&run, "errors", lang);
        assert!(text.contains(words), "{text}");
    }
}

#[test]
fn a_page_has_contents_and_its_tables_come_before_the_target() {
    let root = tempfile::tempdir().unwrap();
    let run = finished(root.path(), &Shape::default());
    for (lang, name) in [(Lang::En, "Contents"), (Lang::Zh, "目录")] {
        let html = export(&run, "html", lang);
        assert!(html.contains(&format!("aria-label=\"{name}\"")), "{lang:?}");
        let links = html.matches("<a href=\"#part-").count();
        assert!(links > 5, "{links} links");
        for number in 1..=links {
            let (link, part) = (
                format!("href=\"#part-{number}\""),
                format!("id=\"part-{number}\""),
            );
            assert_eq!(
                (html.matches(&link).count(), html.matches(&part).count()),
                (1, 1)
            );
        }
        // Each cell of the phases says what it is where a phone has no room for columns.
        let phases = html.split("class=\"stack named\"").nth(1).unwrap();
        let phases = phases.split("</table>").next().unwrap();
        assert_eq!(
            phases.matches("<td").count(),
            phases.matches("data-head=").count()
        );
        // What sorts and unfolds for print is in the page.
        assert!(html.contains("aria-sort") && html.contains("beforeprint"));
    }
}
