//! The report that people hand in, on synthetic runs.
#![allow(clippy::unwrap_used, clippy::expect_used)]

mod common;

use std::io::Read;

use plimsoll_report::{Acceptance, AcceptanceForm, ReportOptions, acceptance};
use plimsoll_stats::Goal;
use plimsoll_stats::curve::{LoadModel, LoadProfile, Stretch};
use plimsoll_text::Lang;

use common::Shape;

fn made(form: AcceptanceForm, lang: Lang, requirements: &[&str]) -> Vec<u8> {
    let root = tempfile::tempdir().unwrap();
    let runs = [1, 2].map(|second| {
        let started_at_unix_ns = Shape::default().started_at_unix_ns + second * 1_000_000_000;
        let shape = Shape {
            started_at_unix_ns,
            ..Shape::default()
        };
        common::finished(root.path(), &shape)
    });
    let asked = Acceptance {
        title: Some("Shop <b>".to_owned()),
        testers: vec!["王芳".to_owned()],
        requirements: requirements
            .iter()
            .map(|text| Goal::parse(text).unwrap())
            .collect(),
    };
    let mut bytes = Vec::new();
    acceptance(&runs, &asked, form, &ReportOptions { lang }, &mut bytes).unwrap();
    bytes
}

#[test]
fn the_verdict_follows_from_the_requirements() {
    let text = |requirements: &[&str]| {
        String::from_utf8(made(AcceptanceForm::Markdown, Lang::En, requirements)).unwrap()
    };
    let passed = text(&["errors < 100 %"]);
    assert!(passed.contains("PASS: "), "{passed}");
    assert!(
        passed.contains("★ best") && passed.contains("王芳"),
        "{passed}"
    );
    let failed = text(&["errors < 100 %", "p50 < 1 us"]);
    assert!(failed.contains("FAIL: "), "{failed}");
    // The goals of the plans stand in for requirements that nobody gave.
    assert!(text(&[]).contains("p95 &lt; 300 ms"));
}

#[test]
fn a_page_is_text_in_both_languages() {
    for (lang, verdict) in [(Lang::En, "PASS"), (Lang::Zh, "通过")] {
        let page =
            String::from_utf8(made(AcceptanceForm::Html, lang, &["errors < 100 %"])).unwrap();
        assert!(
            page.contains(verdict) && !page.contains("Shop <b>"),
            "{page}"
        );
        assert!(!page.contains("acceptance-"), "a text is missing: {page}");
    }
}

#[test]
fn a_workbook_holds_numbers() {
    let bytes = made(AcceptanceForm::Xlsx, Lang::Zh, &["errors < 100 %"]);
    let mut archive = zip::ZipArchive::new(std::io::Cursor::new(bytes)).unwrap();
    let mut sheet = String::new();
    let file = "xl/worksheets/sheet2.xml";
    archive
        .by_name(file)
        .unwrap()
        .read_to_string(&mut sheet)
        .unwrap();
    let document = roxmltree::Document::parse(&sheet).unwrap();
    let is_number = |cell: &roxmltree::Node<'_, '_>| {
        cell.has_tag_name("c") && cell.attribute("t").is_none() && cell.children().count() > 0
    };
    let numbers = document.descendants().filter(is_number).count();
    // Load, requests, errors, throughput, mean and p90 of two runs.
    assert!(numbers >= 12, "{numbers} numbers: {sheet}");
}

#[test]
fn unknown_forms_are_refused() {
    let error = AcceptanceForm::parse("pdf").unwrap_err();
    assert_eq!(error.id, "report-format-unknown");
}

/// A run in three steps: 10, 20 and 40 users.
fn stepped(requirement: &str, form: AcceptanceForm, lang: Lang) -> Vec<u8> {
    let root = tempfile::tempdir().unwrap();
    let stretch = |at: u32, load: f64| Stretch {
        from_s: f64::from(at),
        to_s: f64::from(at + 20),
        from: load,
        to: load,
    };
    let shape = Shape {
        seconds: 60,
        goals: vec![],
        profile: Some(LoadProfile {
            model: LoadModel::Users,
            stretches: vec![stretch(0, 10.0), stretch(20, 20.0), stretch(40, 40.0)],
        }),
        ..Shape::default()
    };
    let run = common::finished(root.path(), &shape);
    let asked = Acceptance {
        title: Some("a *b* `c` |".to_owned()),
        testers: vec![],
        requirements: vec![Goal::parse(requirement).unwrap()],
    };
    let mut bytes = Vec::new();
    acceptance(&[run], &asked, form, &ReportOptions { lang }, &mut bytes).unwrap();
    bytes
}

#[test]
fn what_was_asked_what_holds_and_what_breaks_are_said() {
    let text =
        |goal: &str| String::from_utf8(stepped(goal, AcceptanceForm::Markdown, Lang::En)).unwrap();
    let failed = text("p95 < 1 us");
    for said in [
        "# Load test report: a \\*b\\* \\`c\\` \\|",
        "FAIL: the load asked for",
        "Load asked for: 40 users.",
        "No measured load meets all goals.",
        "is first missed at 10 users: ",
        "| p95 &lt; 1 us |",
        "Signature",
    ] {
        assert!(failed.contains(said), "no {said:?} in {failed}");
    }
    let passed = text("p95 < 100 s");
    assert!(passed.contains("PASS: "), "{passed}");
    let most = "Heaviest load that meets all goals: 40 users";
    assert!(passed.contains(most), "{passed}");
    assert!(!passed.contains("first missed"), "{passed}");
}

#[test]
fn a_load_that_breaks_before_the_one_asked_for_is_no_pass() {
    // The synthetic latency rises and falls over time: a limit between the steps' figures.
    let seen = String::from_utf8(stepped("p95 < 1 us", AcceptanceForm::Markdown, Lang::En));
    let seen = seen.unwrap();
    let column = |row: &&str| -> Option<f64> {
        let cell = row.split('|').find(|cell| cell.contains('✗'))?;
        let figure = cell.split_whitespace().nth(1)?;
        Some(figure.replace(',', "").parse::<f64>().unwrap())
    };
    let lines = seen.lines().filter(|line| line.starts_with('|'));
    let figures: Vec<f64> = lines.filter_map(|line| column(&line)).collect();
    assert_eq!(figures.len(), 3, "{seen}");
    let (least, most) = figures
        .iter()
        .fold((f64::MAX, 0.0_f64), |(a, b), x| (a.min(*x), b.max(*x)));
    let middle = (least + most) / 2.0 / 1e3;
    let text = stepped(
        &format!("p95 < {middle} ms"),
        AcceptanceForm::Markdown,
        Lang::En,
    );
    let text = String::from_utf8(text).unwrap();
    let last_meets = figures[2] / 1e3 < middle;
    assert_eq!(text.contains("PASS: "), last_meets, "{text}");
    assert!(
        text.contains("Heaviest load that meets all goals"),
        "{text}"
    );
    assert!(text.contains("is first missed at"), "{text}");
}

#[test]
fn pages_and_workbooks_have_charts_of_every_goal() {
    for lang in [Lang::En, Lang::Zh] {
        let page = stepped("p95 < 100 s", AcceptanceForm::Html, lang);
        let page = String::from_utf8(page).unwrap();
        assert_eq!(page.matches("<svg class=\"curve\"").count(), 2, "{page}");
        let book = stepped("p95 < 100 s", AcceptanceForm::Xlsx, lang);
        let archive = zip::ZipArchive::new(std::io::Cursor::new(book)).unwrap();
        let charts = archive.file_names().filter(|name| {
            name.as_ref()
                .is_ok_and(|name| name.starts_with("xl/charts/chart"))
        });
        assert_eq!(charts.count(), 2);
    }
}

#[test]
fn loads_of_different_requests_are_told() {
    let held = |root: &std::path::Path, users: f64, labels: usize| {
        let shape = Shape {
            seconds: 10,
            warm_up_s: 0,
            labels: common::shop().into_iter().take(labels).collect(),
            profile: Some(LoadProfile {
                model: LoadModel::Users,
                stretches: vec![Stretch {
                    from_s: 0.0,
                    to_s: 10.0,
                    from: users,
                    to: users,
                }],
            }),
            started_at_unix_ns: Shape::default().started_at_unix_ns + users as u64 * 1_000_000_000,
            ..Shape::default()
        };
        common::finished(root, &shape)
    };
    for (labels, told) in [(4, false), (2, true)] {
        let root = tempfile::tempdir().unwrap();
        let runs = [held(root.path(), 40.0, 4), held(root.path(), 10.0, labels)];
        for (lang, words) in [
            (Lang::En, "The mix of requests changes with the load"),
            (Lang::Zh, "请求的配比随负载变化"),
        ] {
            let mut bytes = Vec::new();
            let form = AcceptanceForm::Markdown;
            acceptance(
                &runs,
                &Acceptance::default(),
                form,
                &ReportOptions { lang },
                &mut bytes,
            )
            .unwrap();
            let text = String::from_utf8(bytes).unwrap();
            assert_eq!(text.contains(words), told, "{text}");
        }
    }
}
