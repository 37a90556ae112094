//! Help and summary fit 80 columns, and colours are where a terminal has them.

use std::process::Command;

use plimsoll_stats::series::{Entity, EntityKind};
use plimsoll_store::{CaptureRecord, RunMeta, RunWriter};
use plimsoll_text::display_width;

use crate::common::{Server, folder, plimsoll};

const COLUMNS: usize = 80;

fn too_wide(text: &str) -> Option<&str> {
    text.lines().find(|line| display_width(line) > COLUMNS)
}

#[test]
fn help_fits() {
    let dir = folder();
    for lang in ["en", "zh"] {
        let all = plimsoll(&dir, &["--help", "--lang", lang]).out;
        assert_eq!(too_wide(&all), None, "{all}");
        let commands: Vec<&str> = all
            .lines()
            .filter_map(|line| line.strip_prefix("  "))
            .filter(|line| line.starts_with(|c: char| c.is_ascii_lowercase()))
            .filter_map(|line| line.split_once("  ").map(|(name, _)| name))
            .filter(|name| !name.contains(' '))
            .collect();
        assert!(commands.len() >= 19, "{commands:?}");
        for command in commands {
            let help = plimsoll(&dir, &[command, "--help", "--lang", lang]).out;
            assert_eq!(too_wide(&help), None, "{command}: {help}");
            assert!(help.contains("--lang"), "{command}: {help}");
            assert!(!help.contains('\u{1b}'), "{command}: {help:?}");
        }
    }
    assert!(plimsoll(&dir, &["run", "--help"]).out.contains(".jmx"));
}

#[test]
fn summaries_fit_whatever_they_hold() {
    let (dir, server) = (folder(), Server::start());
    let path = format!("/{}?q={}", "很长的路径".repeat(30), "a".repeat(300));
    let url = server.url(&path);
    for lang in ["en", "zh"] {
        let goal = format!("{}:p95 < 1 ms", "标签".repeat(60));
        let run = ["run", &url, "-c", "2", "--iterations", "5", "--goal", &goal];
        let told = plimsoll(&dir, &[&run[..], &["--lang", lang]].concat());
        assert!(matches!(told.code, 1 | 4), "{told:?}");
        assert_eq!(too_wide(&told.out), None, "{}", told.out);
    }
}

/// What a command writes on a terminal of so many columns.
fn on_terminal(dir: &tempfile::TempDir, args: &str, env: &[(&str, &str)]) -> String {
    let call = format!(
        "stty cols 80; exec '{}' {args}",
        env!("CARGO_BIN_EXE_plimsoll")
    );
    let output = Command::new("script")
        .args(["-q", "-e", "-c", &call, "/dev/null"])
        .current_dir(dir.path())
        .env_remove("NO_COLOR")
        .env("LC_ALL", "C.UTF-8")
        .env("TERM", "xterm")
        .envs(env.iter().copied())
        .output()
        .unwrap();
    String::from_utf8_lossy(&output.stdout).into_owned()
}

#[test]
fn colours_are_for_terminals_that_want_them() {
    let (dir, server) = (folder(), Server::start());
    let url = server.url("/hello");
    let told = plimsoll(&dir, &["run", &url, "-c", "1", "--iterations", "3"]);
    assert!(!told.out.contains('\u{1b}'), "{told:?}");
    std::fs::write(dir.path().join("bad.yaml"), "users: x\n").unwrap();
    for args in ["show last", "--help", "check bad.yaml"] {
        let coloured = |env: &[(&str, &str)]| on_terminal(&dir, args, env).contains("\u{1b}[");
        assert!(coloured(&[]), "{args}");
        assert!(
            coloured(&[("NO_COLOR", "")]),
            "{args}: an empty one says nothing"
        );
        assert!(!coloured(&[("NO_COLOR", "1")]), "{args}");
        assert!(!coloured(&[("TERM", "dumb")]), "{args}");
    }
}

#[test]
fn a_watched_runs_finding_stands_in_its_summary() {
    let (dir, server) = (folder(), Server::start());
    let url = server.url("/hello");
    let run = [
        "run",
        &url,
        "-c",
        "2",
        "--duration",
        "3s",
        "--watch",
        "host",
    ];
    let told = plimsoll(&dir, &run);
    assert!(matches!(told.code, 0 | 4), "{told:?}");
    let next = told.out.find("plimsoll diagnose ").expect(&told.out);
    let words = told.out[next..].lines().next().unwrap();
    // The command is on one line, and works.
    let args: Vec<&str> = words.split(' ').skip(1).collect();
    let diagnosed = plimsoll(&dir, &args);
    assert_eq!(diagnosed.code, 0, "{words}: {diagnosed:?}");
    let outcome = diagnosed.out.lines().next().unwrap();
    assert!(told.out.contains(outcome), "{outcome}: {}", told.out);
    assert_eq!(too_wide(&told.out), None, "{}", told.out);
    // Without a target that was watched nothing is said of it.
    let told = plimsoll(&dir, &["run", &url, "-c", "1", "--iterations", "3"]);
    assert!(!told.out.contains("plimsoll diagnose"), "{told:?}");
}

#[test]
fn what_was_captured_does_not_steer_a_terminal() {
    const HOSTILE: &[u8] = b"threads \x1b]0;owned\x07\x1b[2J\xc2\x9b31m\nnext\x00\r\n";
    let dir = folder();
    let meta = RunMeta {
        name: "captured".to_owned(),
        started_at_unix_ns: 1_772_593_445_678_000_000,
        ..RunMeta::default()
    };
    let mut writer = RunWriter::create(&dir.path().join("plimsoll-runs"), &meta).unwrap();
    let record = CaptureRecord {
        entity: (*Entity::new(EntityKind::Host, "", "here")).clone(),
        kind: "thread_dump".to_owned(),
        moment: "end".to_owned(),
        media_type: "text/plain".to_owned(),
        took_ns: 1,
    };
    let at_unix_ns = meta.started_at_unix_ns;
    writer.write_capture(at_unix_ns, &record, HOSTILE).unwrap();
    drop(writer);
    let shown = on_terminal(&dir, "captures last -n 1", &[]);
    assert!(
        shown.contains("threads ") && shown.contains("next"),
        "{shown:?}"
    );
    let steers = |c: char| c.is_control() && !"\r\n\t".contains(c);
    assert!(!shown.contains(steers), "{shown:?}");
    // Into a file or a pipe they go as they are.
    let piped = Command::new(env!("CARGO_BIN_EXE_plimsoll"))
        .args(["captures", "last", "-n", "1"])
        .current_dir(dir.path())
        .output()
        .unwrap();
    assert_eq!(piped.stdout, HOSTILE);
}
