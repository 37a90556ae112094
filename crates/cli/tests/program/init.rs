//! Plans that are made for a newcomer: they run, overwrite nothing, and name their schema.

use std::process::{Command, Output};

use tempfile::TempDir;

use crate::common::{
    Server, folder, jmeter_plan, plimsoll, plimsoll_reading, plimsoll_with, write,
};

fn read(dir: &TempDir, name: &str) -> String {
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
    let text = read(&dir, "deep/shop.yaml");
    for said in [
        "# What users do",
        "    # How many users are at work",
        "    # What each user does",
    ] {
        assert_eq!(text.matches(said).count(), 1, "{said}: {text}");
    }
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

/// A plan of JMeter's with secrets: a header, the field of a body, a password and a cookie.
fn jmeter_plan_with_secrets(url: &str) -> String {
    let text =
        |name: &str, value: &str| format!("<stringProp name=\"{name}\">{value}</stringProp>");
    let element = |kind: &str, inside: &str| {
        format!("<elementProp name=\"\" elementType=\"{kind}\">{inside}</elementProp>")
    };
    let manager = |class: &str, list: &str, inside: &str| {
        format!(
            "<{class} guiclass=\"x\" testclass=\"{class}\" testname=\"{class}\">\
             <collectionProp name=\"{list}\">{inside}</collectionProp></{class}><hashTree/>\n"
        )
    };
    let header = |name: &str, value: &str| {
        element(
            "Header",
            &(text("Header.name", name) + &text("Header.value", value)),
        )
    };
    let headers = header("Authorization", "Bearer s3cr3t-header")
        + &header("X-Plain", "plain")
        + &header("X-Api-Key", "${key}");
    let login = text("Authorization.url", "http://elsewhere.test/")
        + &text("Authorization.username", "ann")
        + &text("Authorization.password", "s3cr3t-login");
    let cookie = format!(
        "<elementProp name=\"SID\" elementType=\"Cookie\" testname=\"SID\">{}{}{}</elementProp>",
        text("Cookie.value", "s3cr3t-cookie"),
        text("Cookie.domain", "127.0.0.1"),
        text("Cookie.path", "/")
    );
    let managers = manager("HeaderManager", "HeaderManager.headers", &headers)
        + &manager(
            "AuthManager",
            "AuthManager.auth_list",
            &element("Authorization", &login),
        )
        + &manager("CookieManager", "CookieManager.cookies", &cookie);
    let plan = jmeter_plan(url);
    let (before, behind) = plan.split_once("<ThreadGroup").unwrap();
    format!("{before}{managers}<ThreadGroup{behind}")
}

#[test]
fn secrets_of_a_jmeter_plan_come_from_the_environment() {
    let (dir, server) = (folder(), Server::start());
    write(
        &dir,
        "shop.jmx",
        &jmeter_plan_with_secrets(&server.url("/")),
    );
    let told = plimsoll(&dir, &["init", "shop.jmx"]);
    assert_eq!(told.code, 0, "{told:?}");
    let text = read(&dir, "shop.yaml");
    assert!(!text.contains("s3cr3t") && text.contains("plain"), "{text}");
    let names = ["AUTHORIZATION", "PASSWORD", "COOKIE"];
    for name in names {
        assert!(told.out.contains(&format!("export {name}=")), "{told:?}");
    }
    let values = ["Bearer s3cr3t-header", "s3cr3t-login", "SID-s3cr3t-cookie"];
    let env: Vec<(&str, &str)> = names.into_iter().zip(values).collect();
    let ran = plimsoll_with(&dir, &["run", "shop.yaml", "--quiet"], &env);
    assert!(matches!(ran.code, 0 | 4), "{ran:?}");
    let seen = server.requests().remove(0);
    for sent in [
        "Authorization: Bearer s3cr3t-header",
        "SID=SID-s3cr3t-cookie",
        "X-Api-Key: ${key}",
    ] {
        assert!(seen.contains(sent), "{seen}");
    }
    // The same plan as YAML holds them, which is said.
    let told = plimsoll(&dir, &["convert", "shop.jmx"]);
    assert!(told.out.contains("s3cr3t-header"), "{told:?}");
    assert!(
        told.err.contains('3') && told.err.contains("plimsoll init"),
        "{told:?}"
    );
    assert!(!told.err.contains("s3cr3t"), "{told:?}");
}

fn in_bash(dir: &TempDir, script: &str) -> Output {
    let mut bash = Command::new("bash");
    bash.args(["-c", script]).current_dir(dir.path());
    bash.env("LC_ALL", "C.UTF-8").output().unwrap()
}

#[test]
fn nothing_is_read_or_written_without_a_bound() {
    let dir = folder();
    let script = format!(
        "ulimit -v 4000000; '{}' init - < /dev/zero",
        env!("CARGO_BIN_EXE_plimsoll")
    );
    let output = in_bash(&dir, &script);
    let told = String::from_utf8_lossy(&output.stderr).into_owned();
    assert_eq!(output.status.code(), Some(2), "{told}");
    assert!(told.contains("8 MiB"), "{told}");
    // Without a folder of the user's own there is no schema, and none is made for the host.
    let output = Command::new(env!("CARGO_BIN_EXE_plimsoll"))
        .args(["init", "http://127.0.0.1:1/x"])
        .current_dir(dir.path())
        .env_clear()
        .output()
        .unwrap();
    assert!(output.status.success(), "{output:?}");
    let text = read(&dir, "plan.yaml");
    let is_there = std::path::Path::new("/var/lib/plimsoll").is_dir();
    assert_eq!(text.contains("$schema="), is_there, "{text}");
}

#[test]
fn what_is_no_source_is_told() {
    let dir = folder();
    write(&dir, "there.test", "");
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
        (&["init", "/etc/passwd"], "", "/etc/passwd"),
        (&["init", "/tmp"], "", "/tmp"),
        (&["init", "./first.yaml"], "", "http://host:port/path"),
        (&["init", "nonexist.yaml"], "", "http://host:port/path"),
        (&["init", "plan.har"], "", "http://host:port/path"),
        (&["init", "there.test"], "", "there.test"),
        (&["init", "fetch(\"http://h/a\")"], "", "neither a URL"),
        (
            &["init", "-"],
            "curl \u{2014}X POST http://h/a",
            "word processor",
        ),
        (&["init", "-"], "curl http://h/a; ping h.test", "curl:1:18"),
        (
            &["init", "-"],
            "curl http://h/a &&\nping h.test",
            "curl:2:1",
        ),
        (&["init", "-"], "curl --pass x http://h/", "--key"),
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
    let line = format!("curl '{url}' \\\n  -H 'a: b' ;\ncurl '{url}/2'\n");
    write(&dir, "typed", &line);
    let script = format!(
        "script -qec \"'{}' init\" /dev/null < typed",
        env!("CARGO_BIN_EXE_plimsoll")
    );
    let output = in_bash(&dir, &script);
    let told = String::from_utf8_lossy(&output.stdout).into_owned();
    assert!(told.contains("A URL, a curl command line"), "{told}");
    let text = read(&dir, "plan.yaml");
    assert!(text.contains("a: b") && text.contains("/hello/2"), "{told}");
}
