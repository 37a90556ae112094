//! The report that people hand in, on synthetic runs.
#![allow(clippy::unwrap_used, clippy::expect_used)]

mod common;

use std::io::Read;

use plimsoll_report::{Acceptance, AcceptanceForm, Options, acceptance};
use plimsoll_stats::Goal;
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
    acceptance(&runs, &asked, form, &Options { lang }, &mut bytes).unwrap();
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
