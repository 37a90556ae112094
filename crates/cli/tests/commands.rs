//! The commands as a user calls them, against a small real HTTP server.

#![allow(clippy::unwrap_used, clippy::expect_used)]

mod common;

use std::fs;
use std::path::Path;

use common::{Server, folder, plimsoll, plimsoll_with, write};
use serde_json::Value;
use tempfile::TempDir;

/// Makes a short run of a plan of that name.
fn make_run(dir: &TempDir, server: &Server, name: &str) {
    let plan = format!(
        "name: {name}\ntarget: {}\nusers: 1\niterations: 5\nsteps:\n  - get: /hello\n",
        server.url("")
    );
    write(dir, &format!("{name}.yaml"), &plan);
    let told = plimsoll(dir, &["run", "--quiet", &format!("{name}.yaml")]);
    // 4: a busy machine may limit the generator, which is not what is tested here.
    assert!(matches!(told.code, 0 | 4), "{told:?}");
}

fn runs_of(dir: &TempDir) -> Vec<String> {
    let entries = fs::read_dir(dir.path().join("plimsoll-runs")).unwrap();
    let mut names: Vec<String> = entries
        .map(|entry| entry.unwrap().file_name().into_string().unwrap())
        .collect();
    names.sort();
    names
}

fn json(text: &str) -> Value {
    serde_json::from_str(text).unwrap_or_else(|error| panic!("{error}: {text}"))
}

/// What a schema requires is there, and nothing it does not name: enough to see that an
/// output and its schema belong together.
fn assert_fits(value: &Value, schema: &Value) {
    let properties = schema["properties"].as_object().unwrap();
    for (name, _) in value.as_object().unwrap() {
        assert!(properties.contains_key(name), "{name} is not in the schema");
    }
    for name in schema["required"].as_array().unwrap() {
        let name = name.as_str().unwrap();
        assert!(value.get(name).is_some(), "{name} is required");
    }
}

fn is_chinese(text: &str) -> bool {
    text.chars().any(|c| ('\u{4e00}'..='\u{9fff}').contains(&c))
}

#[test]
fn check_prints_the_program() {
    let dir = folder();
    let plan = "name: shop\ntarget: http://127.0.0.1:1\nusers: 1\niterations: 1\n\
                steps:\n  - get: /cart\n";
    write(&dir, "plan.yaml", plan);
    let told = plimsoll(&dir, &["check", "--operations", "plan.yaml"]);
    assert_eq!(told.code, 0, "{told:?}");
    assert!(
        told.out.contains("plan \"shop\"") && told.out.contains("/cart"),
        "{told:?}"
    );
    assert!(
        told.out.ends_with("plan.yaml is valid. Warnings: 0.\n"),
        "{told:?}"
    );
    let quiet = plimsoll(&dir, &["check", "--quiet", "plan.yaml"]);
    assert_eq!((quiet.code, quiet.out.lines().count()), (0, 1), "{quiet:?}");
    let chinese = plimsoll(&dir, &["check", "--quiet", "plan.yaml", "--lang", "zh"]);
    assert_eq!(chinese.out, "plan.yaml 有效。警告：0 条。\n");
}

#[test]
fn check_lists_every_mistake_with_its_place() {
    let dir = folder();
    let plan = "target: http://127.0.0.1:1\nusers: many\nsteps:\n  - gett: /x\n";
    write(&dir, "bad.yaml", plan);
    let told = plimsoll(&dir, &["check", "bad.yaml"]);
    assert_eq!((told.code, told.out.as_str()), (2, ""));
    assert!(told.err.contains("bad.yaml:2:8:"), "{told:?}");
    assert!(told.err.contains("bad.yaml:4:5:"), "{told:?}");
    let chinese = plimsoll(&dir, &["--lang", "zh", "check", "bad.yaml"]);
    assert!(
        chinese.err.contains("bad.yaml:2:8:") && is_chinese(&chinese.err),
        "{chinese:?}"
    );
    let missing = plimsoll(&dir, &["check", "nowhere.yaml"]);
    assert_eq!(missing.code, 2);
    assert!(
        missing.err.contains("nowhere.yaml") && missing.err.contains("http://"),
        "{missing:?}"
    );
}

#[test]
fn check_hides_secrets_that_are_parts_of_others() {
    let dir = folder();
    let plan = "target: http://127.0.0.1:1\nusers: 1\niterations: 1\nvariables:\n  \
                a: {default: abc, secret: true}\n  b: {default: abc def, secret: true}\n\
                steps:\n  - post: /${b}\n    body: ${b}\n";
    write(&dir, "plan.yaml", plan);
    let told = plimsoll(&dir, &["check", "--operations", "plan.yaml"]);
    assert_eq!(told.code, 0, "{told:?}");
    assert!(
        told.out.contains("body ***") && !told.out.contains("def"),
        "{told:?}"
    );
}

#[test]
fn once_and_compare_can_be_interrupted() {
    let dir = folder();
    let server = Server::start();
    let url = server.url("/never");
    let told = common::plimsoll_interrupted(&dir, &["once", &url], &server);
    assert_eq!(told.code, 130, "{told:?}");
    let other = Server::start();
    let url = other.url("/never");
    let args = ["compare", "--interleave", &url, &url, "--iterations", "1"];
    let told = common::plimsoll_interrupted(&dir, &args, &other);
    assert_eq!((told.code, told.out.as_str()), (130, ""), "{told:?}");
}

#[test]
fn reports_are_made_again_in_every_form() {
    let dir = folder();
    let server = Server::start();
    make_run(&dir, &server, "shop");
    let name = runs_of(&dir).remove(0);
    let told = plimsoll(&dir, &["report"]);
    assert_eq!(told.code, 0, "{told:?}");
    let page = Path::new("plimsoll-runs").join(&name).join("report.html");
    assert!(told.out.contains(page.to_str().unwrap()), "{told:?}");
    let html = fs::read_to_string(dir.path().join(page)).unwrap();
    assert!(html.contains("/hello") && html.contains("</html>"));
    let chinese = plimsoll(&dir, &["report", "last", "-o", "zh.html", "--lang", "zh"]);
    assert_eq!(chinese.code, 0, "{chinese:?}");
    assert!(is_chinese(
        &fs::read_to_string(dir.path().join("zh.html")).unwrap()
    ));
    for format in plimsoll_report::exporters() {
        let told = plimsoll(
            &dir,
            &["report", &name, "--format", format.name(), "-o", "-"],
        );
        assert!(
            told.code == 0 && !told.out.is_empty(),
            "{}: {told:?}",
            format.name()
        );
    }
    let by_name = plimsoll(&dir, &["report", "last", "-o", "out.md"]);
    assert_eq!(by_name.code, 0);
    assert!(
        fs::read_to_string(dir.path().join("out.md"))
            .unwrap()
            .contains("| --- |")
    );
    let unknown = plimsoll(&dir, &["report", "--format", "docx"]);
    assert_eq!(unknown.code, 2);
    assert!(
        unknown.err.contains("docx") && unknown.err.contains("markdown"),
        "{unknown:?}"
    );
    let nowhere = plimsoll(&dir, &["report", "-o", "no/such/folder/x.html"]);
    assert_eq!(nowhere.code, 2);
    assert!(nowhere.err.contains("no/such/folder"), "{nowhere:?}");
}

#[test]
fn runs_are_shown_and_listed() {
    let dir = folder();
    let server = Server::start();
    let none = plimsoll(&dir, &["list"]);
    assert!(
        none.code == 0 && none.err.contains("plimsoll run"),
        "{none:?}"
    );
    assert_eq!(plimsoll(&dir, &["show"]).code, 2);
    make_run(&dir, &server, "first");
    make_run(&dir, &server, "second");
    let shown = plimsoll(&dir, &["show"]);
    assert!(shown.code == 0 && shown.out.contains("/hello"), "{shown:?}");
    assert!(
        shown.out.contains("second") && !shown.out.contains("first"),
        "{shown:?}"
    );
    let both = plimsoll(&dir, &["show", "last~1", "last"]);
    assert!(both.code == 0, "{both:?}");
    assert!(
        both.out.contains("-first") && both.out.contains("-second"),
        "{both:?}"
    );
    let listed = plimsoll(&dir, &["list"]);
    let lines: Vec<&str> = listed.out.lines().collect();
    assert!(
        lines[0].starts_with("Run ") && lines.len() == 4,
        "{listed:?}"
    );
    assert!(
        lines[2].contains("first") && lines[3].contains("second"),
        "{listed:?}"
    );
    assert!(
        lines[3].split_whitespace().any(|cell| cell == "5"),
        "{listed:?}"
    );
    let chinese = plimsoll(&dir, &["list", "--lang", "zh"]);
    assert!(chinese.out.starts_with("运行"), "{chinese:?}");
    // What a killed process leaves: no summary.
    let name = runs_of(&dir).remove(0);
    common::forget_summary(&dir.path().join("plimsoll-runs").join(name));
    let cut = plimsoll(&dir, &["list"]);
    assert!(
        cut.out.lines().nth(2).unwrap().ends_with("cut short"),
        "{cut:?}"
    );
    assert_eq!(plimsoll(&dir, &["show", "last~1", "last"]).code, 0);
    fs::create_dir(dir.path().join("plimsoll-runs/zz-broken")).unwrap();
    write(&dir, "plimsoll-runs/zz-broken/run.sqlite", "not a database");
    let broken = plimsoll(&dir, &["list"]);
    assert_eq!(
        (broken.code, broken.out.lines().count()),
        (0, 5),
        "{broken:?}"
    );
    assert!(
        broken.out.lines().last().unwrap().contains("not a run"),
        "{broken:?}"
    );
    assert_eq!(plimsoll(&dir, &["show", "zz-broken"]).code, 2);
}

#[test]
fn runs_are_found_or_the_candidates_named() {
    let dir = folder();
    let server = Server::start();
    make_run(&dir, &server, "one");
    make_run(&dir, &server, "two");
    let names = runs_of(&dir);
    let unknown = plimsoll(&dir, &["show", "nothing-like-it"]);
    assert_eq!(unknown.code, 2);
    assert!(
        names.iter().all(|name| unknown.err.contains(name)),
        "{unknown:?}"
    );
    let ambiguous = plimsoll(&dir, &["report", "2"]);
    assert_eq!(ambiguous.code, 2);
    assert!(
        names.iter().all(|name| ambiguous.err.contains(name)),
        "{ambiguous:?}"
    );
    let chinese = plimsoll(&dir, &["show", "2", "--lang", "zh"]);
    assert!(
        is_chinese(&chinese.err) && chinese.err.contains(&names[0]),
        "{chinese:?}"
    );
    assert_eq!(plimsoll(&dir, &["show", &names[0]]).code, 0);
    assert_eq!(plimsoll(&dir, &["show", "last~7"]).code, 2);
}

#[test]
fn one_run_a_side_asks_for_more() {
    let dir = folder();
    let server = Server::start();
    make_run(&dir, &server, "a");
    make_run(&dir, &server, "b");
    let told = plimsoll(&dir, &["compare", "last~1", "--", "last"]);
    assert_eq!(told.code, 0, "{told:?}");
    assert!(told.out.contains("not judged: repeat"), "{told:?}");
    let chinese = plimsoll(&dir, &["compare", "last~1", "--lang", "zh", "--", "last"]);
    assert!(chinese.code == 0 && is_chinese(&chinese.out), "{chinese:?}");
    for (form, part) in [("markdown", "| --- |"), ("html", "</html>")] {
        let told = plimsoll(&dir, &["compare", "last~1", "--format", form, "--", "last"]);
        assert!(
            told.code == 0 && told.out.contains(part),
            "{form}: {told:?}"
        );
    }
    let told = plimsoll(
        &dir,
        &["compare", "last~1", "--format", "json", "--", "last"],
    );
    let schema = json(&plimsoll(&dir, &["schema", "compare"]).out);
    assert_fits(&json(&told.out), &schema);
}

#[test]
fn wrong_comparisons_are_refused() {
    let dir = folder();
    let server = Server::start();
    make_run(&dir, &server, "a");
    for (args, part) in [
        (&["compare", "last"][..], "--interleave"),
        (&["compare", "--", "last"], "--interleave"),
        (
            &["compare", "--paired", "last", "--", "last", "last"],
            "--paired",
        ),
        (&["compare", "gone", "--", "last"], "gone"),
        (
            &["compare", "--users", "3", "last", "--", "last"],
            "--users",
        ),
        (
            &["compare", "--interleave", "a.yaml", "a.yaml", "--", "last"],
            "--interleave",
        ),
        (
            &[
                "compare",
                "--interleave",
                "a.yaml",
                "b.yaml",
                "--pairs",
                "0",
            ],
            "--pairs",
        ),
        (
            &["compare", "--interleave", "a.yaml", "gone.yaml"],
            "gone.yaml",
        ),
    ] {
        let told = plimsoll(&dir, args);
        assert!(
            told.code == 2 && told.err.contains(part),
            "{args:?}: {told:?}"
        );
        assert_eq!(told.out, "", "{args:?}");
    }
}

#[test]
fn plans_are_run_in_turn_and_compared() {
    let dir = folder();
    let server = Server::start();
    for name in ["a", "b"] {
        let plan = format!(
            "target: {}\nusers: 9\nduration: 1m\nsteps:\n  - get: /{name}\n",
            server.url("")
        );
        write(&dir, &format!("{name}.yaml"), &plan);
    }
    let args = [
        "compare",
        "--interleave",
        "a.yaml",
        "b.yaml",
        "--pairs",
        "3",
        "--users",
        "1",
    ];
    let more = ["--iterations", "2", "--format", "json"];
    let told = plimsoll(&dir, &[&args[..], &more].concat());
    assert_eq!(told.code, 0, "{told:?}");
    let comparison = json(&told.out);
    assert_eq!(
        (&comparison["runs_a"], &comparison["runs_b"]),
        (&3.into(), &3.into())
    );
    assert_eq!(comparison["design"], "paired");
    let requests = server.requests();
    let paths: Vec<&str> = requests
        .iter()
        .filter_map(|sent| sent.split(' ').nth(1))
        .collect();
    let wanted = [
        "/a", "/a", "/b", "/b", "/b", "/b", "/a", "/a", "/a", "/a", "/b", "/b",
    ];
    assert_eq!(paths, wanted, "A B, B A, A B");
    assert_eq!(runs_of(&dir).len(), 6);
    let url = common::refusing_url();
    let gone = plimsoll(
        &dir,
        &[
            "compare",
            "--interleave",
            &url,
            "b.yaml",
            "--iterations",
            "1",
        ],
    );
    assert_eq!(gone.code, 3, "{gone:?}");
}

#[test]
fn curl_becomes_a_plan_that_is_right() {
    let dir = folder();
    let curl = ["curl", "-H", "X-A: it's", "http://127.0.0.1:1/x?b=c"];
    let told = plimsoll(&dir, &[&["convert", "-o", "plan.yaml"][..], &curl].concat());
    assert!(told.code == 0 && told.out.contains("plan.yaml"), "{told:?}");
    let checked = plimsoll(&dir, &["check", "--operations", "plan.yaml"]);
    assert!(
        checked.code == 0 && checked.out.contains("it's"),
        "{checked:?}"
    );
    let line = "curl -X DELETE http://127.0.0.1:1/y";
    let as_one = plimsoll(&dir, &["convert", line]);
    assert!(as_one.out.contains("delete: /y"), "{as_one:?}");
    let piped = common::plimsoll_reading(&dir, &["convert", "-"], line);
    assert_eq!(piped.out, as_one.out);
    let bad = plimsoll(
        &dir,
        &["convert", "curl", "--no-such-option", "http://127.0.0.1:1/"],
    );
    assert!(bad.code == 2 && bad.err.contains("curl:1:6"), "{bad:?}");
    let chinese = plimsoll(
        &dir,
        &["--lang", "zh", "convert", "wget", "http://127.0.0.1:1/"],
    );
    assert!(chinese.code == 2 && is_chinese(&chinese.err), "{chinese:?}");
}

#[test]
fn schemas_are_printed() {
    let dir = folder();
    // Not assert_eq: nobody reads two schemas in a failure.
    assert!(plimsoll(&dir, &["schema"]).out == plimsoll_plan::schema_text());
    let server = Server::start();
    let url = server.url("/hello");
    let told = plimsoll(
        &dir,
        &[
            "run",
            "--quiet",
            &url,
            "--iterations",
            "2",
            "--summary-json",
            "s.json",
        ],
    );
    assert!(matches!(told.code, 0 | 4), "{told:?}");
    let summary = json(&fs::read_to_string(dir.path().join("s.json")).unwrap());
    assert_fits(&summary, &json(&plimsoll(&dir, &["schema", "summary"]).out));
    assert_eq!(plimsoll(&dir, &["schema", "nothing"]).code, 2);
}

#[test]
fn help_speaks_both_languages() {
    let dir = folder();
    let english = plimsoll(&dir, &["run", "--help"]);
    assert_eq!(english.code, 0);
    assert!(english.out.contains("Usage: plimsoll run") && english.out.contains("--max-in-flight"));
    let chinese = plimsoll(&dir, &["run", "--help", "--lang", "zh"]);
    assert!(chinese.out.contains("用法：plimsoll run") && chinese.out.contains("选项"));
    let by_env = plimsoll_with(&dir, &["--help"], &[("LC_ALL", "zh_CN.UTF-8")]);
    assert!(by_env.out.contains("退出码"), "{by_env:?}");
    let version = plimsoll(&dir, &["--version"]);
    assert!(
        version.code == 0 && version.out.starts_with("plimsoll "),
        "{version:?}"
    );
}

#[test]
fn wrong_arguments_exit_with_2_and_name_what_is_allowed() {
    let dir = folder();
    for (args, part) in [
        (&["nonsense"][..], "nonsense"),
        (&[], "plimsoll"),
        (&["run"], "PLAN|URL"),
        (&["list", "--lang", "fr"], "en, zh"),
        (&["run", "x.yaml", "--rate", "fast"], "100/s"),
        (&["run", "x.yaml", "--duration", "long"], "30s"),
        (&["run", "x.yaml", "--set", "novalue"], "NAME=VALUE"),
        (&["once", "x.yaml", "--body-bytes", "many"], "--body-bytes"),
        (&["compare", "--format", "docx", "a", "--", "b"], "markdown"),
        (&["check", "--no-such-flag", "x.yaml"], "--no-such-flag"),
    ] {
        let told = plimsoll(&dir, args);
        assert!(
            told.code == 2 && told.err.contains(part),
            "{args:?}: {told:?}"
        );
    }
}
