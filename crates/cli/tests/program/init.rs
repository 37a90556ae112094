//! Plans that are made for a newcomer: they run, overwrite nothing, and name their schema.

use std::process::Command;

use crate::common::{
    Server, folder, jmeter_plan, plimsoll, plimsoll_reading, plimsoll_with, write,
};

fn read(dir: &tempfile::TempDir, name: &str) -> String {
    std::fs::read_to_string(dir.path().join(name)).unwrap()
}

#[test]
fn a_plan_of_a_url_is_commented_checked_and_runs() {
    for (lang, word) in [("en", "The system under test"), ("zh", "被测系统")] {
        let (dir, server) = (folder(), Server::start());
        let state = dir.path().join("state");
        let env = [("XDG_STATE_HOME", state.to_str().unwrap())];
        let url = server.url("/hello?a=1");
        let told = plimsoll_with(&dir, &["init", &url, "--lang", lang], &env);
        assert_eq!(told.code, 0, "{told:?}");
        for part in [
            "plan.yaml",
            "plimsoll check",
            "plimsoll once",
            "plimsoll run",
        ] {
            assert!(told.out.contains(part), "{part}: {told:?}");
        }
        let text = read(&dir, "plan.yaml");
        assert!(
            text.contains(word) && text.lines().filter(|line| line.starts_with('#')).count() > 8,
            "{text}"
        );
        let schema = text.lines().next().unwrap();
        let address = schema
            .strip_prefix("# yaml-language-server: $schema=")
            .unwrap();
        let address = url::Url::parse(address).unwrap();
        assert!(address.to_file_path().unwrap().is_file(), "{schema}");
        let checked = plimsoll(&dir, &["check", "--quiet", "plan.yaml"]);
        assert_eq!((checked.code, checked.err.as_str()), (0, ""), "{checked:?}");
        let once = plimsoll(&dir, &["once", "plan.yaml"]);
        assert_eq!(once.code, 0, "{once:?}");
        let run = [
            "run",
            "plan.yaml",
            "--ramp-up",
            "0s",
            "--duration",
            "1s",
            "--quiet",
        ];
        let ran = plimsoll(&dir, &run);
        assert!(matches!(ran.code, 0 | 4), "{ran:?}");
        assert!(
            server
                .requests()
                .iter()
                .all(|request| request.starts_with("GET /hello?a=1 "))
        );
        // What is said only as a comment is right, too.
        let all = text
            .replace("# warm-up", "warm-up")
            .replace("#  - p95", "  - p95")
            .replace("#    check", "    check")
            .replace("#  - think", "  - think");
        assert_ne!(all, text);
        write(&dir, "all.yaml", &all);
        let checked = plimsoll(&dir, &["check", "--quiet", "all.yaml"]);
        assert_eq!(checked.code, 0, "{checked:?}");
    }
}

#[test]
fn a_jmeter_plan_becomes_one_beside_it() {
    let (dir, server) = (folder(), Server::start());
    std::fs::create_dir(dir.path().join("deep")).unwrap();
    write(&dir, "deep/shop.jmx", &jmeter_plan(&server.url("/")));
    let told = plimsoll(&dir, &["init", "deep/shop.jmx"]);
    assert_eq!(told.code, 0, "{told:?}");
    assert!(read(&dir, "deep/shop.yaml").contains("# "), "{told:?}");
    let ran = plimsoll(&dir, &["run", "deep/shop.yaml", "--quiet"]);
    assert!(matches!(ran.code, 0 | 4), "{ran:?}");
    assert_eq!(server.requests().len(), 3);
}

#[test]
fn nothing_is_overwritten_without_a_word() {
    let dir = folder();
    write(&dir, "plan.yaml", "mine");
    for args in [
        &["init", "http://127.0.0.1:1/x"][..],
        &["init", "-o", "plan.yaml", "curl", "http://127.0.0.1:1/x"],
        &["init", "curl http://127.0.0.1:1/x", "-o", "plan.yaml"],
    ] {
        let told = plimsoll(&dir, args);
        assert_eq!(told.code, 2, "{told:?}");
        assert!(told.err.contains("--force"), "{told:?}");
        assert_eq!(read(&dir, "plan.yaml"), "mine");
    }
    let told = plimsoll(&dir, &["init", "http://127.0.0.1:1/x", "--force"]);
    assert_eq!(told.code, 0, "{told:?}");
    assert!(read(&dir, "plan.yaml").contains("http://127.0.0.1:1"));
    let told = plimsoll(&dir, &["init", "http://127.0.0.1:1/x", "-o", "-"]);
    assert!(told.out.contains("http://127.0.0.1:1"), "{told:?}");
}

#[test]
fn what_is_no_source_is_told() {
    let dir = folder();
    for (args, input, part) in [
        (&["init"][..], "", ".jmx"),
        (&["init", "-"], "curl 'http://h", "quote"),
        (
            &["init", "curl", "--no-such-option", "http://h/"],
            "",
            "--no-such-option",
        ),
        (&["init", "missing.jmx"], "", "missing.jmx"),
        (&["init", "wget http://h/"], "", "curl"),
    ] {
        let told = plimsoll_reading(&dir, args, input);
        assert_eq!(told.code, 2, "{args:?}: {told:?}");
        assert!(told.err.contains(part), "{args:?}: {told:?}");
        assert!(!dir.path().join("plan.yaml").exists());
    }
}

#[test]
fn on_a_terminal_it_asks() {
    let (dir, server) = (folder(), Server::start());
    let url = server.url("/hello");
    let line = format!("curl '{url}' \\\n  -H 'a: b'\n");
    write(&dir, "typed", &line);
    let script = format!(
        "script -qec \"'{}' init\" /dev/null < typed",
        env!("CARGO_BIN_EXE_plimsoll")
    );
    let output = Command::new("bash")
        .args(["-c", &script])
        .current_dir(dir.path())
        .env("LC_ALL", "C.UTF-8")
        .output()
        .unwrap();
    let told = String::from_utf8_lossy(&output.stdout).into_owned();
    assert!(told.contains("A URL, a curl command line"), "{told}");
    assert!(read(&dir, "plan.yaml").contains("a: b"), "{told}");
}
