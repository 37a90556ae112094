//! The page in a browser, where Chromium is installed: what it does, not what it says.
#![allow(clippy::unwrap_used, clippy::expect_used)]

mod common;

use std::path::Path;
use std::process::Command;

use common::{Shape, finished};
use plimsoll_report::{Acceptance, AcceptanceForm, ReportOptions, acceptance, exporter};
use plimsoll_stats::Goal;
use plimsoll_stats::curve::{LoadModel, LoadProfile, Stretch};
use plimsoll_text::Lang;
use serde_json::Value;

/// Runs inside a report and tells the page around it what was seen.
const LOOK: &str = include_str!("browser/look.js");

fn chromium() -> Option<String> {
    let names = ["chromium", "chromium-browser", "google-chrome"];
    let there = |name: &&str| Command::new(name).arg("--version").output().is_ok();
    names.into_iter().find(there).map(str::to_owned)
}

/// The reports in both languages, each as a phone and as a desk shows it: name, width, page.
fn pages() -> Vec<(String, u32, String)> {
    let root = tempfile::tempdir().unwrap();
    let stretch = |at: u32, load: f64| Stretch {
        from_s: f64::from(at),
        to_s: f64::from(at + 8),
        from: load,
        to: load,
    };
    let shape = Shape {
        seconds: 24,
        warm_up_s: 0,
        profile: Some(LoadProfile {
            model: LoadModel::Users,
            stretches: vec![stretch(0, 10.0), stretch(8, 20.0), stretch(16, 40.0)],
        }),
        ..Shape::default()
    };
    let run = finished(root.path(), &shape);
    let mut pages = Vec::new();
    for lang in Lang::ALL {
        let options = ReportOptions { lang };
        let (mut whole, mut handed_in) = (Vec::new(), Vec::new());
        let html = exporter("html").unwrap();
        html.export(&run, &options, &mut whole).unwrap();
        let asked = Acceptance {
            requirements: vec![Goal::parse("p95 < 100 ms").unwrap()],
            ..Acceptance::default()
        };
        let runs = std::slice::from_ref(&run);
        acceptance(runs, &asked, AcceptanceForm::Html, &options, &mut handed_in).unwrap();
        for (name, page) in [("run", whole), ("acceptance", handed_in)] {
            let page = String::from_utf8(page).unwrap();
            for width in [390, 1280] {
                pages.push((
                    format!("{name}-{}-{width}", lang.code()),
                    width,
                    page.clone(),
                ));
            }
        }
    }
    pages
}

/// What the script saw in each page.
fn seen(browser: &str, folder: &Path, pages: &[(String, u32, String)]) -> Value {
    let mut frames = String::new();
    for (name, width, page) in pages {
        let script = format!("<script>const NAME = \"{name}\";\n{LOOK}</script></body>");
        let file = format!("{name}.html");
        std::fs::write(folder.join(&file), page.replace("</body>", &script)).unwrap();
        frames.push_str(&format!(
            "<iframe src=\"{file}\" width=\"{width}\" height=\"900\"></iframe>"
        ));
    }
    let outer = format!(
        "<!doctype html><meta charset=\"utf-8\"><pre id=\"seen\"></pre><script>const seen = {{}};\
         addEventListener(\"message\", (event) => {{ seen[event.data.name] = event.data;\
         document.getElementById(\"seen\").textContent = JSON.stringify(seen); }});</script>{frames}"
    );
    std::fs::write(folder.join("outer.html"), outer).unwrap();
    let output = Command::new(browser)
        .args([
            "--headless",
            "--no-sandbox",
            "--disable-gpu",
            "--disable-quic",
            "--no-first-run",
        ])
        .args([
            "--disable-background-networking",
            "--disable-component-update",
            "--disable-sync",
        ])
        .args([
            "--virtual-time-budget=20000",
            "--timeout=120000",
            "--dump-dom",
        ])
        .arg(format!(
            "--user-data-dir={}",
            folder.join("profile").display()
        ))
        .arg(format!("file://{}", folder.join("outer.html").display()))
        .output()
        .unwrap();
    let dom = String::from_utf8_lossy(&output.stdout);
    let json = dom
        .split("<pre id=\"seen\">")
        .nth(1)
        .and_then(|rest| rest.split("</pre>").next());
    let json = json
        .unwrap_or_default()
        .replace("&lt;", "<")
        .replace("&gt;", ">")
        .replace("&amp;", "&");
    let problem = || format!("{}\n{dom}", String::from_utf8_lossy(&output.stderr));
    serde_json::from_str(&json).unwrap_or_else(|error| panic!("{error}: {}", problem()))
}

#[test]
fn pages_sort_keep_still_and_fit_a_phone() {
    let Some(browser) = chromium() else {
        eprintln!("no Chromium here: the pages were not looked at");
        return;
    };
    let folder = tempfile::tempdir().unwrap();
    let pages = pages();
    let seen = seen(&browser, folder.path(), &pages);
    for (name, width, _) in &pages {
        let page = &seen[name.as_str()];
        let is = |key: &str| page[key].as_bool() == Some(true);
        assert!(page.is_object(), "{name} told nothing: {seen}");
        assert_eq!(page["errors"], serde_json::json!([]), "{name}");
        assert_eq!(page["width"], *width, "{name}");
        // Nothing is wider than the window.
        assert_eq!(page["wider"], serde_json::json!([]), "{name}");
        assert!(
            is("sorted_down") && is("sorted_up") && is("totals_last"),
            "{name}: {page}"
        );
        assert_eq!(page["shifted"], serde_json::json!([]), "{name}");
        assert_eq!(page["same_colours"], serde_json::json!([]), "{name}");
        assert!(is("open_in_print") && is("folded_again"), "{name}: {page}");
        if name.starts_with("run") {
            assert!(page["hovered"].as_u64() > Some(5), "{name}: {page}");
            // A phone shows each bar of the phases below its own name.
            assert!(is("bars_by_name"), "{name}: {page}");
        }
    }
}
