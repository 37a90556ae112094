//! Responses as files: `responses/NAME.http` holds the bytes, `responses/NAME.trace`
//! the circumstances, then `---`, then what the reader must report.
//!
//! After a deliberate change, `PLIMSOLL_BLESS=1` writes the traces anew; read
//! the difference.

use std::path::{Path, PathBuf};

use plimsoll_load::kit::http1::{RequestMethod, ResponseLimits};

use crate::trace::{End, Setting, trace};

struct Case {
    name: String,
    trace_file: PathBuf,
    bytes: Vec<u8>,
    setting_text: String,
    setting: Setting,
    expected: String,
}

fn cases() -> Vec<Case> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/http1/responses");
    let mut cases: Vec<Case> = std::fs::read_dir(folder)
        .unwrap()
        .map(|entry| entry.unwrap().path())
        .filter(|path| path.extension().is_some_and(|e| e == "http"))
        .map(|path| load(&path))
        .collect();
    cases.sort_by(|a, b| a.name.cmp(&b.name));
    assert!(cases.len() > 100, "the responses are missing");
    cases
}

fn load(path: &Path) -> Case {
    let trace_file = path.with_extension("trace");
    let text = std::fs::read_to_string(&trace_file).unwrap();
    let (setting_text, expected) = text.split_once("---\n").unwrap();
    Case {
        name: path.file_stem().unwrap().to_string_lossy().into_owned(),
        bytes: std::fs::read(path).unwrap(),
        setting: setting(setting_text),
        setting_text: setting_text.to_owned(),
        expected: expected.to_owned(),
        trace_file,
    }
}

fn setting(text: &str) -> Setting {
    let mut setting = Setting {
        method: RequestMethod::Other,
        limits: ResponseLimits::default(),
        close: false,
    };
    for line in text.lines() {
        match line.split_once(": ").unwrap_or((line, "")) {
            ("close", "") => setting.close = true,
            ("request", "HEAD") => setting.method = RequestMethod::Head,
            ("request", "CONNECT") => setting.method = RequestMethod::Connect,
            ("limit", limit) => match limit.split_once('=').unwrap() {
                ("head_bytes", n) => setting.limits.head_bytes = n.parse().unwrap(),
                ("headers", n) => setting.limits.headers = n.parse().unwrap(),
                ("body_bytes", n) => setting.limits.body_bytes = n.parse().unwrap(),
                other => panic!("unknown limit {other:?}"),
            },
            other => panic!("unknown setting {other:?}"),
        }
    }
    setting
}

fn render(case: &Case) -> String {
    let whole = trace(&case.setting, [&case.bytes[..]]);
    let end = match whole.end {
        End::NeedMore => "needs more".to_owned(),
        End::Failed(error) => format!("{}: {error}", error.kind()),
        End::Upgraded { consumed } => {
            format!(
                "upgraded, left \"{}\"",
                case.bytes[consumed..].escape_ascii()
            )
        }
        End::Done {
            consumed,
            keep_alive,
        } => {
            let connection = if keep_alive { "keep-alive" } else { "close" };
            let left = case.bytes[consumed..].escape_ascii();
            format!("done, {connection}, left \"{left}\"")
        }
    };
    format!("{}{end}\n", whole.events)
}

#[test]
fn every_response_is_read_as_written_down() {
    let bless = std::env::var_os("PLIMSOLL_BLESS").is_some();
    let mut wrong = String::new();
    for case in cases() {
        let found = render(&case);
        if found == case.expected {
            continue;
        }
        if bless {
            let text = format!("{}---\n{found}", case.setting_text);
            std::fs::write(&case.trace_file, text).unwrap();
        } else {
            let Case { name, expected, .. } = case;
            wrong += &format!("{name}: expected\n{expected}found\n{found}\n");
        }
    }
    assert!(wrong.is_empty(), "{wrong}");
}

#[test]
fn every_response_is_read_the_same_at_every_split() {
    for Case {
        name,
        bytes,
        setting,
        ..
    } in cases()
    {
        let mut whole = trace(&setting, [&bytes[..]]);
        whole.end = whole.end.without_quotation();
        for cut in 0..=bytes.len() {
            let (first, second) = bytes.split_at(cut);
            let mut split = trace(&setting, [first, second]);
            split.end = split.end.without_quotation();
            assert_eq!(split, whole, "{name} cut at {cut}");
        }
        for step in [1, 2, 3, 7] {
            let mut pieces = trace(&setting, bytes.chunks(step));
            pieces.end = pieces.end.without_quotation();
            assert_eq!(pieces, whole, "{name} in pieces of {step}");
        }
    }
}
