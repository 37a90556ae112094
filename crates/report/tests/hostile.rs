//! Names that want to be more than text: formulas in CSV and workbooks, markup in Markdown.
#![allow(clippy::unwrap_used, clippy::expect_used)]

mod common;

use std::io::Read;

use common::{Random, Shape, finished, label};
use plimsoll_report::{Acceptance, AcceptanceForm, ReportOptions, acceptance, exporter};
use plimsoll_stats::{Goal, LabelKind};
use plimsoll_store::{LabelDef, Run};
use plimsoll_text::Lang;
use pulldown_cmark::{Event, Parser, Tag};

/// What a spreadsheet takes for a formula if a cell begins with it.
const FORMULAS: [&str; 11] = ["=", "+", "-", "@", "\t", "\r", "\n", "＝", "＋", "－", "＠"];
/// What may follow.
const PIECES: [&str; 22] = [
    "1+1",
    "HYPERLINK(\"http://x\")",
    "cmd|' /C calc'!A0",
    "(Sheet1!$A$1,Sheet1!$A$2)",
    "[1]",
    "!A1",
    "<img src=x>",
    "</script>",
    "**",
    "_",
    "`",
    "](http://x)",
    "[a",
    "|",
    "\n# ",
    "\n\n- ",
    "\u{1b}[2J",
    "\u{202e}",
    "中文",
    ",",
    "\"",
    " ",
];

fn text(random: &mut Random, first: &str) -> String {
    let mut text = first.to_owned();
    for _ in 0..random.next() % 6 {
        let at = random.next() as usize % PIECES.len();
        text.push_str(PIECES[at]);
    }
    text
}

/// A run with hostile labels, and these in their order.
fn run(root: &std::path::Path, seed: u64) -> (Run, Vec<String>) {
    let mut random = Random(seed);
    let names: Vec<String> = (0_u32..)
        .zip(FORMULAS.iter().chain(&["", "GET /"]))
        .map(|(number, first)| format!("{} {number}", text(&mut random, first)))
        .collect();
    let define = |(name, id): (&String, u32)| label(id, name, LabelKind::Request, None);
    let labels: Vec<LabelDef> = names.iter().zip(0..).map(define).collect();
    let shape = Shape {
        seconds: 6,
        warm_up_s: 1,
        labels,
        plan_name: text(&mut random, "=# "),
        ..Shape::default()
    };
    (finished(root, &shape), names)
}

fn report(runs: &[Run], names: &[String], form: AcceptanceForm) -> Vec<u8> {
    let goal = |name: &String| {
        let mut goal = Goal::parse("p95 < 1 us").unwrap();
        goal.label = Some(name.clone());
        goal
    };
    let asked = Acceptance {
        title: Some(names[0].clone()),
        testers: names.to_vec(),
        requirements: names.iter().map(goal).collect(),
    };
    let mut bytes = Vec::new();
    acceptance(
        runs,
        &asked,
        form,
        &ReportOptions { lang: Lang::En },
        &mut bytes,
    )
    .unwrap();
    bytes
}

#[test]
fn csv_cells_are_never_formulas() {
    for seed in 0..3 {
        let root = tempfile::tempdir().unwrap();
        let (run, names) = run(root.path(), seed);
        let mut out = Vec::new();
        let csv = exporter("csv").unwrap();
        csv.export(&run, &ReportOptions::default(), &mut out)
            .unwrap();
        let mut reader = csv::Reader::from_reader(out.as_slice());
        let mut labels = Vec::new();
        for row in reader.records() {
            let row = row.unwrap();
            for cell in &row {
                let formula = FORMULAS.iter().any(|first| cell.starts_with(first));
                assert!(!formula, "{cell:?}");
            }
            labels.push(row[0].strip_prefix('\'').unwrap_or(&row[0]).to_owned());
        }
        labels.pop();
        assert_eq!(labels, names, "nothing but the apostrophe is changed");
    }
}

#[test]
fn workbooks_have_no_formula_and_no_foreign_reference() {
    let root = tempfile::tempdir().unwrap();
    let (run, mut names) = run(root.path(), 7);
    names.push(format!("={}", "long ".repeat(10_000)));
    names.push("=(Sheet1!$A$1,Sheet1!$A$2)".to_owned());
    let bytes = report(&[run], &names, AcceptanceForm::Xlsx);
    let mut archive = zip::ZipArchive::new(std::io::Cursor::new(bytes)).unwrap();
    let files: Vec<String> = (0..archive.len())
        .map(|at| archive.by_index(at).unwrap().name().unwrap().into_owned())
        .collect();
    let mut charts = 0;
    for file in files {
        let mut xml = String::new();
        archive
            .by_name(&file)
            .unwrap()
            .read_to_string(&mut xml)
            .unwrap();
        let document = roxmltree::Document::parse(&xml).unwrap();
        let formulas = document
            .descendants()
            .filter(|node| node.tag_name().name() == "f");
        for formula in formulas {
            assert!(file.starts_with("xl/charts/"), "a formula in {file}");
            let of = formula.text().unwrap_or_default();
            assert!(of.starts_with("Results!"), "{of:?} in {file}");
        }
        charts += usize::from(file.starts_with("xl/charts/chart"));
    }
    assert_eq!(charts, names.len() + 1);
}

#[test]
fn markdown_of_every_report_shows_names_as_text() {
    for seed in 0..3 {
        let root = tempfile::tempdir().unwrap();
        let (run, names) = run(root.path(), seed);
        let mut whole = Vec::new();
        let markdown = exporter("markdown").unwrap();
        markdown
            .export(&run, &ReportOptions::default(), &mut whole)
            .unwrap();
        let handed_in = report(&[run], &names, AcceptanceForm::Markdown);
        for text in [whole, handed_in] {
            let text = String::from_utf8(text).unwrap();
            assert!(!text.contains(['\u{1b}', '\u{202e}']), "{text}");
            let options = pulldown_cmark::Options::ENABLE_TABLES;
            for event in Parser::new_ext(&text, options) {
                let markup = matches!(
                    event,
                    Event::Html(_)
                        | Event::InlineHtml(_)
                        | Event::Code(_)
                        | Event::Rule
                        | Event::Start(
                            Tag::Link { .. }
                                | Tag::Image { .. }
                                | Tag::Emphasis
                                | Tag::HtmlBlock
                                | Tag::List(Some(_))
                        )
                );
                assert!(!markup, "{event:?} in {text}");
            }
        }
    }
}
