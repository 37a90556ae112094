//! No secret of a run is found in what is kept, shown or reported of it.

#![allow(clippy::unwrap_used, clippy::expect_used)]

mod common;

use std::os::unix::fs::PermissionsExt as _;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};

use common::{Server, folder, plimsoll_with, write};

/// What every secret of these tests begins with; a number follows.
const CANARY: &str = "cAnArY";

/// All files below a folder; every folder and file there is its owner's alone.
fn files(folder: &Path) -> Vec<PathBuf> {
    let mode = |path: &Path| std::fs::metadata(path).unwrap().permissions().mode() & 0o777;
    assert_eq!(mode(folder), 0o700, "{}", folder.display());
    let mut all = Vec::new();
    for entry in std::fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            all.extend(files(&path));
        } else {
            assert_eq!(mode(&path), 0o600, "{}", path.display());
            all.push(path);
        }
    }
    all
}

/// Every secret in a text, with what stands around it.
fn found(place: &str, bytes: &[u8]) -> Vec<String> {
    let text = String::from_utf8_lossy(bytes);
    let around = |at: usize| {
        let before: String = text[..at].chars().rev().take(40).collect();
        let before: String = before.chars().rev().collect();
        let behind: String = text[at..].chars().take(20).collect();
        format!("{place}: {before}{behind}")
    };
    text.match_indices(CANARY)
        .map(|(at, _)| around(at))
        .collect()
}

/// A process that is told secrets and waits; dropped, it is ended.
struct Victim(Child);

impl Victim {
    fn start() -> Self {
        let mut shell = Command::new("sh");
        shell.args(["-c", "read wait", "app"]);
        for (number, word) in [
            "-Dtoken=§",
            "-DapiKey=§",
            "--user",
            "joe:§",
            "--bearer",
            "§",
            "http://u:§@h/?token=§",
            "--db.password=§",
            "-H",
            "Authorization: Bearer §",
            "PGPASSWORD=§",
        ]
        .iter()
        .enumerate()
        {
            shell.arg(word.replace('§', &format!("{CANARY}Process{number}")));
        }
        let child = shell.stdin(Stdio::piped()).stdout(Stdio::null()).spawn();
        Self(child.unwrap())
    }
}

impl Drop for Victim {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

const PLAN: &str = r#"
name: shop at http://joe:§a@shop.example/?token=§b
target: http://joe:§c@HOST
users: 1
iterations: 1
variables:
  apiToken: §d
  hidden: {default: §e, secret: true}
  given: {env: GIVEN, secret: true}
steps:
  - post: /login?password=§f&api_key=§g
    json: {user: joe, password: §h, "client\u005fsecret": "§i", note: "${hidden} ${given}"}
    headers: {X-Api-Key: §j, Authorization: "Bearer §k", Cookie: "a=§l", X-Note: "${given}"}
    query: {access_token: §m}
    check: {text: "not there ${apiToken} ${hidden}"}
  - post: /hello
    form: {user: joe, passwd: "${apiToken}", pin: 1234§n}
    label: "step ?token=§o ${hidden}"
  - post: /fail
    body: "<a><password>§p</password></a>"
  - post: /hello
    body: |
      {"refresh_token": "§q", "name": "secret", "value": "§r", "x": "{\"password\":\"§s\"}"}
  - get: /redirect?sig=§t
  - js: "log('password=§u'); throw new Error('token: §v')"
"#;

#[test]
fn a_run_keeps_no_secret() {
    let dir = folder();
    let server = Server::start();
    let victim = Victim::start();
    let host = server.url("").replace("http://", "");
    write(
        &dir,
        "plan.yaml",
        &PLAN.replace("HOST", &host).replace('§', CANARY),
    );
    let given = format!("{CANARY}Given");
    let env = [("GIVEN", given.as_str())];
    let watch = format!("process=pid:{}", victim.0.id());
    let run = [
        "run",
        "plan.yaml",
        "--jtl",
        "samples.jtl",
        "--watch",
        &watch,
        "--set",
        "hidden=cAnArYset",
    ];
    let told = plimsoll_with(&dir, &run, &env);
    assert!(
        server.requests().iter().any(|sent| sent.contains(CANARY)),
        "the target gets them: {told:?}"
    );
    let mut all = found("run's output", told.out.as_bytes());
    all.extend(found("run's errors", told.err.as_bytes()));
    let stored = files(&dir.path().join("plimsoll-runs"));
    assert!(stored.len() >= 3, "{stored:?}");
    for file in stored.iter().chain([&dir.path().join("samples.jtl")]) {
        let name = file.display().to_string();
        all.extend(found("name", name.as_bytes()));
        all.extend(found(&name, &std::fs::read(file).unwrap()));
    }
    for form in [
        "html",
        "markdown",
        "text",
        "json",
        "csv",
        "junit",
        "hdr",
        "target",
        "series",
        "diagnosis",
    ] {
        let out = format!("report.{form}");
        let made = plimsoll_with(
            &dir,
            &["report", "last", "--format", form, "-o", &out],
            &env,
        );
        all.extend(found(&out, made.out.as_bytes()));
        all.extend(found(&out, made.err.as_bytes()));
        let bytes = std::fs::read(dir.path().join(&out)).expect(form);
        all.extend(found(&out, &bytes));
    }
    for command in [
        &["check", "plan.yaml"][..],
        &["check", "--operations", "plan.yaml"],
        &["once", "plan.yaml"],
        &["list"],
        &["captures", "last"],
    ] {
        let told = plimsoll_with(&dir, command, &env);
        all.extend(found(command[0], told.out.as_bytes()));
        all.extend(found(command[0], told.err.as_bytes()));
    }
    assert!(all.is_empty(), "{}:\n{}", all.len(), all.join("\n"));
}

#[test]
fn an_address_is_kept_without_its_secrets() {
    let dir = folder();
    let server = Server::start();
    let url = server
        .url("/hello?token=§&a=1")
        .replace("http://", "http://joe:§@");
    let url = url.replace('§', CANARY);
    let header = format!("X-Api-Key: {CANARY}");
    let body = format!("{{\"password\": \"{CANARY}\"}}");
    let run = [
        "run",
        &url,
        "-c",
        "1",
        "--iterations",
        "2",
        "-H",
        &header,
        "-d",
        &body,
    ];
    let told = plimsoll_with(&dir, &run, &[]);
    // Two requests on a busy machine may say that the generator was late (4).
    assert!([0, 4].contains(&told.code), "{told:?}");
    assert!(server.requests()[0].contains(&header));
    let mut all = found("output", told.out.as_bytes());
    all.extend(found("errors", told.err.as_bytes()));
    for file in files(&dir.path().join("plimsoll-runs")) {
        all.extend(found("name", file.display().to_string().as_bytes()));
        all.extend(found("file", &std::fs::read(file).unwrap()));
    }
    assert!(all.is_empty(), "{}", all.join("\n"));
}
