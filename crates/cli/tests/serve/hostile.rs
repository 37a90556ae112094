//! Texts that want to be more than texts, in each place where others may put one: each form in which the server, or
//! the command line over the same run, gives a run has them as texts.

use std::collections::BTreeSet;
use std::io::Write as _;
use std::path::Path;
use std::process::{Command, Stdio};
use std::sync::Arc;

use plimsoll_stats::series::{Entity, EntityKind, Fact, SeriesKey, SeriesKind};
use plimsoll_stats::{
    Code, ErrorKind, GeneratorSecond, KeptSample, LabelId, LabelInfo, LabelInterval, LabelKind,
};
use plimsoll_store::{CaptureRecord, RunMeta, RunWriter};
use serde_json::{Value, json};

use crate::client::Served;
use crate::common::{folder, plimsoll};
use crate::recorded::{BEGAN, finish, put_capture, recording};

const TEXTS: [&str; 12] = [
    "<script>alert(1)</script>",
    "\"><img src=x onerror=alert(1)>",
    "=cmd|' /C calc'!A0",
    "+cmd|' /C calc'!A0",
    "@SUM(1+1)*cmd|' /C calc'!A0",
    "\u{1b}[31m\u{1b}]0;title\u{7}\u{1b}[2J",
    "\u{202e}gpj.exe\u{2066}",
    "nul\0nul",
    "a\r\nSet-Cookie: x=1\r\n\r\n<html>",
    "a\n\nevent: end\ndata: {}\n\n",
    "]]>&lt;!--${jndi:ldap://x}{{7*7}}",
    "'; DROP TABLE labels;--",
];

/// One that is long, too.
fn texts() -> Vec<String> {
    let long = format!("<script>{}", "long ".repeat(200_000));
    TEXTS.map(str::to_owned).into_iter().chain([long]).collect()
}

fn failed(text: &str) -> LabelInterval {
    let mut did = LabelInterval::default();
    for ms in 1..9 {
        did.ok.record(ms * 1_000_000, ms * 1_000_000);
    }
    did.err.record(1_000_000, 1_000_000);
    let code = Code::from_text(text);
    did.errors_by_kind.add(ErrorKind::CheckFailed, 1);
    did.status_codes.add(code, 1);
    // What is kept of a sample is cut.
    let text: &str = &text.chars().take(2_000).collect::<String>();
    let message: String = text.chars().take(100).collect();
    let key = (ErrorKind::CheckFailed, code, Some(message.as_str()));
    did.failures.add(key, 500);
    let sample = KeptSample {
        at_ms: 500,
        detail: text.to_owned(),
        request: format!("GET /{text} HTTP/1.1\r\nX-Header: {text}\r\n\r\n{text}"),
        response: format!("HTTP/1.1 500 {text}\r\nX-Header: {text}\r\n\r\n{text}"),
    };
    did.failures.keep(key, sample);
    did
}

/// A run that has them everywhere; gives its name.
fn written(root: &Path, texts: &[String]) -> String {
    let all = texts[..TEXTS.len()].join(" ");
    let meta = RunMeta {
        name: "hostile".to_owned(),
        plan_name: all.clone(),
        plan_source: format!("target: {all}\n"),
        command_line: texts.to_vec(),
        started_at_unix_ns: BEGAN,
        target: format!("http://127.0.0.1:1/{all}"),
        goals: texts[..TEXTS.len()].to_vec(),
        ..RunMeta::default()
    };
    let mut writer = RunWriter::create(&root.join("plimsoll-runs"), &meta).unwrap();
    writer.set_zero(BEGAN).unwrap();
    let dids: Vec<LabelInterval> = texts.iter().map(|text| failed(text)).collect();
    for (id, text) in (0_u32..).zip(texts) {
        let label = LabelInfo {
            id: LabelId(id),
            name: text.clone(),
            kind: LabelKind::Request,
            parent: None,
        };
        writer.add_label(&label).unwrap();
    }
    for (at, text) in (0_u64..).zip(&texts[..TEXTS.len()]) {
        let event = json!({"text": text, "reason": text});
        writer.event(at, text, &event).unwrap();
    }
    for second in 0..8 {
        let rows: Vec<_> = (0_u32..).map(LabelId).zip(&dids).collect();
        let own = GeneratorSecond {
            second: second.into(),
            users_active: 4,
            ..GeneratorSecond::default()
        };
        writer.write_second(second, &rows, &own).unwrap();
        let short = texts[..TEXTS.len()].iter();
        let points = short.map(|text| (key(text), f64::from(second)));
        let at = BEGAN + u64::from(second) * 1_000_000_000;
        writer.write_target(vec![(at, points.collect())]).unwrap();
    }
    for text in texts {
        let fact = Fact {
            entity: entity(text),
            name: text.clone(),
            value: text.clone(),
        };
        writer.write_fact(BEGAN, &fact).unwrap();
    }
    put_captures(&mut writer, texts);
    let id = writer
        .dir()
        .file_name()
        .unwrap()
        .to_str()
        .unwrap()
        .to_owned();
    finish(writer);
    id
}

fn entity(text: &str) -> Arc<Entity> {
    Entity::new(EntityKind::Process, text, text)
}

fn key(text: &str) -> SeriesKey {
    SeriesKey {
        entity: entity(text),
        name: text.to_owned().into(),
        attributes: vec![(text.to_owned().into(), text.to_owned())],
        unit: text.to_owned().into(),
        kind: SeriesKind::Gauge,
    }
}

/// Recorded captures of each kind with these texts for the names in them, and one that is named by each.
fn put_captures(writer: &mut RunWriter, texts: &[String]) {
    let evidence = recording("F17-index-101-faulty");
    let mut kinds = BTreeSet::new();
    for capture in &evidence.captures {
        if kinds.insert(capture.kind.clone()) {
            // What stands on one line of a real one stands on one here, too.
            let names = texts[..TEXTS.len()].concat().replace(['\r', '\n', '"'], "");
            let text = ["http-nio", "org.apache", "SELECT", "select", "java.lang"]
                .iter()
                .fold(capture.text.clone(), |text, name| {
                    text.replace(name, &names)
                });
            let record = CaptureRecord {
                entity: capture.entity.clone(),
                kind: capture.kind.clone(),
                moment: capture.moment.clone(),
                media_type: "text/plain".to_owned(),
                took_ns: 1,
            };
            put_capture(writer, 1_000, &record, text.as_bytes());
        }
    }
    for text in texts {
        let record = CaptureRecord {
            entity: (*entity(text)).clone(),
            kind: text.clone(),
            moment: text.clone(),
            media_type: format!("text/{text}"),
            took_ns: 1,
        };
        put_capture(writer, 2_000, &record, text.as_bytes());
    }
}

/// What a response may be, by the type that the document says.
fn assert_text(what: &str, declared: &str, head: &str, body: &[u8]) {
    let lower = head.to_ascii_lowercase();
    for line in head.lines().skip(1) {
        let name = line.split(':').next().unwrap().to_ascii_lowercase();
        let is_own = [
            "content-type",
            "content-length",
            "content-disposition",
            "content-security-policy",
            "x-content-type-options",
            "referrer-policy",
            "cache-control",
            "cross-origin-resource-policy",
            "date",
            "connection",
            "vary",
        ];
        assert!(is_own.contains(&name.as_str()), "{what}: {line:?}");
        assert!(
            line.chars().all(|c| c == ' ' || c.is_ascii_graphic()),
            "{what}: {line:?}"
        );
    }
    assert!(
        lower.contains(&format!("content-type: {declared}")),
        "{what}: {head}"
    );
    assert!(
        lower.contains("x-content-type-options: nosniff"),
        "{what}: {head}"
    );
    assert!(lower.contains("default-src 'none'"), "{what}: {head}");
    match declared {
        "application/json" | "application/problem+json" => {
            let is_raw = body.iter().any(|byte| *byte < b' ' && *byte != b'\n');
            assert!(!is_raw, "{what}: a control character as it is");
            serde_json::from_slice::<Value>(body).unwrap_or_else(|e| panic!("{what}: {e}"));
        }
        "text/event-stream" => {
            for line in String::from_utf8(body.to_vec()).unwrap().split('\n') {
                let (field, value) = line.split_once(':').unwrap_or((line, ""));
                assert!(
                    ["", "id", "event", "data", "retry"].contains(&field),
                    "{what}: {line:?}"
                );
                assert!(!line.contains('\r'), "{what}: {line:?}");
                if field == "data" {
                    serde_json::from_str::<Value>(value).unwrap();
                }
                let known = [
                    "event: end",
                    "event: second",
                    "event: event",
                    "event: hello",
                ];
                let is_foreign = field == "event" && value.contains(['<', '{', '=']);
                assert!(!is_foreign || known.contains(&line), "{what}: {line:?}");
            }
        }
        "application/gzip" | "application/octet-stream" => {
            let line = lower
                .lines()
                .find(|line| line.starts_with("content-disposition: "));
            let name = line.unwrap_or_else(|| panic!("{what}: {head}"));
            assert!(name.contains("attachment"), "{what}: {name}");
            let (_, file) = name.split_once("filename=\"").unwrap();
            let is_plain = |c: char| c.is_ascii_alphanumeric() || "-_.\"".contains(c);
            let (quoted, extended) = file.split_once("; ").unwrap_or((file, ""));
            assert!(quoted.chars().all(is_plain), "{what}: {file}");
            let extended = extended
                .strip_prefix("filename*=utf-8''")
                .unwrap_or(extended);
            let is_encoded = |c: char| is_plain(c) || c == '%';
            assert!(extended.chars().all(is_encoded), "{what}: {file}");
        }
        "text/plain" => assert!(!body.contains(&0x1b), "{what}"),
        other => panic!("{what}: {other} is not looked at"),
    }
}

/// The operations that read, each with the type that it gives.
fn reads(api: &Value) -> Vec<(String, String)> {
    let paths = api["paths"].as_object().unwrap().iter();
    let content = |item: &Value| item["get"]["responses"]["200"]["content"].clone();
    let of = |(path, item): (&String, &Value)| {
        let types = content(item);
        let types: Vec<String> = types.as_object()?.keys().cloned().collect();
        Some(
            types
                .into_iter()
                .map(|it| (path.clone(), it))
                .collect::<Vec<_>>(),
        )
    };
    paths.filter_map(of).flatten().collect()
}

/// What is of no run: it has tests of its own.
const NAMED: [&str; 5] = [
    "{webhook}",
    "{schedule}",
    "{measurement}",
    "{study}",
    "/text",
];

#[test]
fn each_form_has_hostile_texts_as_texts() {
    let (dir, texts) = (folder(), texts());
    let id = written(dir.path(), &texts);
    let served = Served::start(dir.path());
    let api = served.get("/openapi.json");
    let captures = served.get(&format!("/runs/{id}/evidence/captures?limit=1000"));
    let captures = captures["items"].as_array().unwrap().clone();
    assert!(captures.len() > texts.len(), "{}", captures.len());
    let mut seen = BTreeSet::new();
    for (path, declared) in reads(&api) {
        if NAMED.iter().any(|name| path.contains(name)) || path.ends_with("/monitor/live") {
            continue;
        }
        let path = path.replace("{id}", &id);
        let paths: Vec<String> = match path.contains("{number}") {
            true => captures
                .iter()
                .map(|capture| path.replace("{number}", &capture["number"].to_string()))
                .collect(),
            false => vec![path],
        };
        for path in paths {
            let path = match path.ends_with("/compare") {
                true => format!("{path}?a={id}&b={id}"),
                false => path,
            };
            let (head, body) = served.bytes("GET", &path, "", b"");
            let status = head.split(' ').nth(1).unwrap();
            assert!(!status.starts_with('5'), "{path}: {head}");
            match status {
                "200" => {
                    assert_text(&path, &declared, &head, &body);
                    seen.insert(declared.clone());
                }
                _ => assert_text(&path, "application/problem+json", &head, &body),
            }
        }
    }
    let expected = [
        "application/gzip",
        "application/json",
        "application/octet-stream",
        "text/event-stream",
    ];
    assert!(expected.iter().all(|it| seen.contains(*it)), "{seen:?}");
    assert_told_as_written(&served, &id, &texts);
    assert_goes_elsewhere(&served, &id);
    // Each is looked at, whatever the ones before it have.
    let failed = FORMS.iter().filter(|(form, looked_at)| {
        let look = || assert_report(&dir, &id, form, *looked_at);
        std::panic::catch_unwind(std::panic::AssertUnwindSafe(look)).is_err()
    });
    let failed: Vec<&[&str]> = failed.map(|(form, _)| *form).collect();
    assert!(failed.is_empty(), "{failed:?}");
}

/// Nothing is cut away or changed where it stands for itself.
fn assert_told_as_written(served: &Served, id: &str, texts: &[String]) {
    let labels = served.get(&format!("/runs/{id}/labels"));
    let labels: Vec<&str> = labels["items"]
        .as_array()
        .unwrap()
        .iter()
        .map(|label| label["label"].as_str().unwrap())
        .collect();
    assert_eq!(labels, texts.iter().map(String::as_str).collect::<Vec<_>>());
    for text in &texts[..TEXTS.len()] {
        let query: String = text.bytes().map(|byte| format!("%{byte:02x}")).collect();
        for path in [
            format!("/runs/{id}/series?label={query}"),
            format!("/runs/{id}/series?names={query}"),
            format!("/runs/{id}/evidence/captures?kind={query}"),
            format!("/runs?search={query}"),
            format!("/{query}"),
            format!("/runs/{query}"),
            format!("/trend?key={query}"),
        ] {
            let (head, body) = served.bytes("GET", &format!("/api/v1{path}"), "", b"");
            let status = head.split(' ').nth(1).unwrap();
            let declared = match status {
                "200" => "application/json",
                _ => "application/problem+json",
            };
            assert!(!status.starts_with('5'), "{path}: {head}");
            assert_text(&path, declared, &head, &body);
        }
    }
}

/// As one file it is the same run elsewhere.
fn assert_goes_elsewhere(served: &Served, id: &str) {
    let (_, bundle) = served.bytes("GET", &format!("/api/v1/runs/{id}/export"), "", b"");
    let elsewhere = folder();
    let other = Served::start(elsewhere.path());
    let taken = other.import(&bundle, "", "Content-Type: application/gzip\r\n");
    assert_eq!(taken.status, 201, "{taken:?}");
    for path in ["labels", "errors", "events", "evidence/facts?limit=1000"] {
        let path = format!("/runs/{id}/{path}");
        assert_eq!(other.get(&path), served.get(&path), "{path}");
    }
}

/// How a form of a report is looked at.
#[derive(Clone, Copy)]
enum Looked {
    Html,
    Csv,
    Json,
    Xml,
    Screen,
    Workbook,
    Other,
}

/// All forms that a run has on the command line.
const FORMS: &[(&[&str], Looked)] = &[
    (&["--format", "html"], Looked::Html),
    (&["--format", "markdown"], Looked::Other),
    (&["--format", "text"], Looked::Screen),
    (&["--format", "errors"], Looked::Screen),
    (&["--format", "json"], Looked::Json),
    (&["--format", "curve"], Looked::Json),
    (&["--format", "csv"], Looked::Csv),
    (&["--format", "junit"], Looked::Xml),
    (&["--format", "hdr"], Looked::Other),
    (&["--format", "target"], Looked::Screen),
    (&["--format", "series"], Looked::Csv),
    (&["--format", "diagnosis"], Looked::Screen),
    (&["--format", "diagnosis-json"], Looked::Json),
    (&["--form", "acceptance", "--format", "html"], Looked::Html),
    (
        &["--form", "acceptance", "--format", "xlsx"],
        Looked::Workbook,
    ),
];

const WELL_FORMED: &str =
    "import sys, xml.etree.ElementTree as tree; tree.fromstring(sys.stdin.buffer.read())";
const NO_FORMULA: &str = "import sys, io, zipfile, re
book = zipfile.ZipFile(io.BytesIO(sys.stdin.buffer.read()))
for name in book.namelist():
    if name.startswith('xl/worksheets/') and name.endswith('.xml'):
        assert b'<f' not in re.sub(b'<(font|fill|formula)[^a-z]', b'', book.read(name)), name";
const NO_ELEMENT: &str = "import sys, html.parser
class Looked(html.parser.HTMLParser):
    inside = None
    def handle_starttag(self, tag, attributes):
        names = [name for name, _ in attributes]
        assert not any(name.startswith('on') for name in names), (tag, names)
        assert tag != 'img', attributes
        assert not (tag == 'html' and self.getpos()[0] > 5), self.getpos()
        self.inside = tag
    def handle_endtag(self, tag):
        self.inside = None
    def handle_data(self, data):
        if self.inside == 'script':
            assert data.strip() != 'alert(1)', data
Looked().feed(sys.stdin.buffer.read().decode())";

fn python(what: &[&str], script: &str, input: &[u8]) {
    let mut child = Command::new("python3")
        .args(["-c", script])
        .stdin(Stdio::piped())
        .spawn()
        .unwrap();
    // One that found something need not read the rest.
    let _ = child.stdin.take().unwrap().write_all(input);
    assert!(child.wait().unwrap().success(), "{what:?}");
}

fn assert_report(dir: &tempfile::TempDir, id: &str, form: &[&str], looked_at: Looked) {
    let path = dir.path().join("report");
    let told = plimsoll(dir, &[&["report", id, "--output", "report"], form].concat());
    assert_eq!(told.code, 0, "{form:?}: {}", told.err);
    let bytes = std::fs::read(&path).unwrap();
    std::fs::remove_file(&path).unwrap();
    // Programs read CSV: it has names as they are.
    if !matches!(looked_at, Looked::Workbook | Looked::Csv) {
        let text = String::from_utf8(bytes.clone()).unwrap_or_else(|e| panic!("{form:?}: {e}"));
        let is_raw = |c: char| c == '\u{1b}' || c == '\0' || c == '\u{7}';
        assert!(
            !text.contains(is_raw),
            "{form:?}: a control character as it is"
        );
    }
    match looked_at {
        Looked::Html => python(form, NO_ELEMENT, &bytes),
        Looked::Xml => python(form, WELL_FORMED, &bytes),
        Looked::Workbook => python(form, NO_FORMULA, &bytes),
        Looked::Json => drop(serde_json::from_slice::<Value>(&bytes).unwrap()),
        Looked::Csv => {
            let mut rows = csv::ReaderBuilder::new()
                .flexible(true)
                .from_reader(&bytes[..]);
            let records: Vec<csv::StringRecord> = rows.records().map(Result::unwrap).collect();
            assert!(!records.is_empty(), "{form:?}");
            for cell in records
                .iter()
                .flatten()
                .filter(|cell| cell.contains("cmd|"))
            {
                assert!(
                    !cell.starts_with(['=', '+', '-', '@']),
                    "{form:?}: {cell:?}"
                );
            }
        }
        Looked::Screen => {
            let text = String::from_utf8(bytes).unwrap();
            assert!(!text.contains(['\u{202e}', '\u{2066}', '\r']), "{form:?}");
        }
        Looked::Other => assert!(!bytes.is_empty(), "{form:?}"),
    }
}
