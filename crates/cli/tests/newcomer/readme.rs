//! The commands of README.md and README.zh-CN.md, in their order, as they are written: addresses
//! become those of the test's servers, and times and loads are made short behind them.

use std::process::Command;

use tempfile::TempDir;

use crate::common::{folder, jmeter_plan, plimsoll_with, write};
use crate::http::{HttpServer, Response};

const READMES: [&str; 2] = [
    include_str!("../../../../README.md"),
    include_str!("../../../../README.zh-CN.md"),
];

/// Times of the README's plan and commands, and what they are here.
const SHORT: [(&str, &str); 6] = [
    ("duration: 10m", "duration: 5s"),
    ("warm-up: 1m ", "warm-up: 1s "),
    ("ramp-up: 30s", "ramp-up: 1s"),
    ("users: 100", "users: 5"),
    ("--duration 30s", "--duration 1s"),
    ("--duration 1m", "--duration 2s"),
];

/// What is added to commands that would take long, by their first words.
const LESS: [(&str, &str); 6] = [
    ("plimsoll run first.yaml", "--ramp-up 0s --duration 1s"),
    (
        "plimsoll capacity",
        "--to 2 --step-seconds 5 --max-measurements 2",
    ),
    ("plimsoll calibrate", "--users 2 --step-seconds 2"),
    ("plimsoll hops", "--users 1 --rounds 1 --round-seconds 1"),
    // Here is no app.jar.
    ("plimsoll tune plan.yaml --start", "--dry-run"),
    (
        "plimsoll tune study.yaml",
        "--measure 1s --warm-up 1s --trials 2",
    ),
];

/// The study that the README names and does not show: one argument of a small server.
fn study() -> String {
    let listener = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    let port = listener.local_addr().unwrap().port();
    format!(
        "plan: http://127.0.0.1:{port}/
users: 2
components:
  app:
    start: python3 -m http.server {port} --bind 127.0.0.1 --protocol HTTP/1.0
    ready: http://127.0.0.1:{port}/
knobs:
  protocol:
    argument: --protocol {{}}
    values: [HTTP/1.0, HTTP/1.1]
"
    )
}

/// Needs a NATS server, or serves until it is ended: only its arguments are looked at.
fn has_tests_of_its_own(command: &str) -> bool {
    command.contains("--nats") || command.starts_with("plimsoll serve ")
}

/// The command lines of a README.
fn commands(readme: &str) -> Vec<&str> {
    let lines = readme.lines().filter_map(|line| line.strip_prefix("    "));
    lines.filter(|line| line.starts_with("plimsoll ")).collect()
}

/// The plan of a README.
fn plan(readme: &str) -> &str {
    let (_, plan) = readme.split_once("```yaml\n").unwrap();
    plan.split_once("```").unwrap().0
}

fn short(text: &str, servers: [&str; 2]) -> String {
    let text = text
        .replace("http://127.0.0.1:8080", servers[0])
        .replace("http://127.0.0.1:8081", servers[1]);
    SHORT
        .iter()
        .fold(text, |text, (long, short)| text.replace(long, short))
}

/// A shop as the README's plan has it.
fn shop() -> HttpServer {
    HttpServer::start(|request| match request.path() {
        "/login" => Response::ok(r#"{"token": "t-1"}"#),
        "/cart" => Response::ok(r#"{"items": ["book-1"]}"#),
        "/order" => Response::new(201, "{}"),
        _ => Response::ok("hello"),
    })
}

/// Runs a line as a shell does.
fn shell(dir: &TempDir, line: &str) -> (i32, String) {
    let binary = std::path::Path::new(env!("CARGO_BIN_EXE_plimsoll"));
    let path = std::env::var("PATH").unwrap();
    let output = Command::new("bash")
        .args(["-c", line])
        .current_dir(dir.path())
        .env(
            "PATH",
            format!("{}:{path}", binary.parent().unwrap().display()),
        )
        .env("LC_ALL", "C.UTF-8")
        .env("XDG_STATE_HOME", dir.path().join("state"))
        .output()
        .unwrap();
    let told = [output.stdout, output.stderr].concat();
    let told = String::from_utf8_lossy(&told).into_owned();
    (output.status.code().unwrap(), told)
}

/// Exit codes of a command that did what it says: a goal may be missed, the machine be busy, and the two
/// trials of a study that is made short are too few to judge by.
fn is_done(command: &str, code: i32) -> bool {
    let also: [(&str, &[i32]); 3] = [("run", &[1, 4]), ("capacity", &[1, 4]), ("tune", &[5])];
    let also = also
        .iter()
        .find(|(name, _)| command.starts_with(&format!("plimsoll {name} ")));
    code == 0 || also.is_some_and(|(_, codes)| codes.contains(&code))
}

fn all_work(readme: &str) {
    let (dir, shop, other) = (folder(), shop(), shop());
    let (url, behind) = (shop.url(), other.url());
    let servers = [url.trim_end_matches('/'), behind.trim_end_matches('/')];
    write(&dir, "plan.yaml", &short(plan(readme), servers));
    write(&dir, "users.csv", "user\nann\nbob\n");
    write(&dir, "plan.jmx", &jmeter_plan(servers[0]));
    write(&dir, "test.properties", "a=b\n");
    write(&dir, "study.yaml", &study());
    let commands = commands(readme);
    assert!(commands.len() > 15, "{commands:#?}");
    for command in commands {
        // convert writes over nothing: here the README's plan is there.
        if command.starts_with("plimsoll convert ") {
            std::fs::rename(dir.path().join("plan.yaml"), dir.path().join("own.yaml")).unwrap();
        }
        let line = short(command, servers);
        let (words, _) = line.split_once(" #").unwrap_or((&line, ""));
        let more = LESS.iter().find(|(words, _)| command.starts_with(words));
        let more = match has_tests_of_its_own(command) {
            true => "--help",
            false => more.map_or("", |(_, more)| more),
        };
        let line = format!("{words} {more}");
        let (code, told) = shell(&dir, &line);
        assert!(is_done(command, code), "{line}: exit code {code}\n{told}");
        if command.starts_with("plimsoll convert ") {
            std::fs::rename(dir.path().join("own.yaml"), dir.path().join("plan.yaml")).unwrap();
        }
    }
    for file in [
        "out.html",
        "results.jtl",
        "report.xlsx",
        "story.html",
        "plan.schema.json",
    ] {
        assert!(dir.path().join(file).exists(), "{file}");
    }
}

#[test]
fn the_commands_of_the_readme_work() {
    all_work(READMES[0]);
}

#[test]
fn the_commands_of_the_chinese_readme_work() {
    all_work(READMES[1]);
}

#[test]
fn both_readmes_have_the_same_commands_and_targets_of_make() {
    let bare = |readme| {
        let commands = commands(readme).into_iter();
        let bare = commands.map(|line| line.split(" #").next().unwrap().trim_end().to_owned());
        bare.collect::<Vec<_>>()
    };
    assert_eq!(bare(READMES[0]), bare(READMES[1]));
    let makefile = include_str!("../../../../Makefile");
    let lines = READMES.iter().flat_map(|readme| readme.lines());
    for line in lines.filter_map(|line| line.strip_prefix("    make ")) {
        let target = line.split(' ').next().unwrap();
        assert!(makefile.contains(&format!("\n{target}:")), "make {target}");
    }
}

/// The file that the first line of a plan names for editors.
fn schema_of(plan: &str) -> Option<&str> {
    plan.lines()
        .find_map(|line| line.strip_prefix("# yaml-language-server: $schema="))
}

#[test]
fn the_line_for_editors_names_a_file_that_is_there() {
    let dir = folder();
    let state = dir.path().join("state");
    let env = [("XDG_STATE_HOME", state.to_str().unwrap())];
    // A folder that is neither the repository's nor the schema's.
    let plans = dir.path().join("a/深 er");
    std::fs::create_dir_all(&plans).unwrap();
    let plan = plans.join("plan.yaml");
    let call = |args: &[&str]| plimsoll_with(&dir, args, &env);
    let told = call(&[
        "convert",
        "-o",
        plan.to_str().unwrap(),
        "curl http://127.0.0.1:1/x",
    ]);
    assert_eq!(told.code, 0, "{told:?}");
    let text = std::fs::read_to_string(&plan).unwrap();
    let address = url::Url::parse(schema_of(&text).unwrap()).unwrap();
    let schema = std::fs::read(address.to_file_path().unwrap()).unwrap();
    let schema: serde_json::Value = serde_json::from_slice(&schema).unwrap();
    assert!(schema["properties"]["steps"].is_object(), "{schema}");
    let checked = call(&["check", "--quiet", plan.to_str().unwrap()]);
    assert_eq!(checked.code, 0, "{checked:?}");
    // The command that writes it says the line.
    let told = call(&["schema", "-o", "a/plan.schema.json"]);
    let address = url::Url::parse(schema_of_line(&told.out)).unwrap();
    assert!(address.to_file_path().unwrap().is_file(), "{told:?}");
}

fn schema_of_line(told: &str) -> &str {
    let (_, address) = told.split_once("$schema=").unwrap();
    address.split_whitespace().next().unwrap()
}

#[test]
fn plans_of_the_repository_name_schemas_that_are_there() {
    let root = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let mut seen = 0;
    for folder in ["examples", "demo", "bench", "lab"] {
        for entry in std::fs::read_dir(root.join(folder)).unwrap() {
            let path = entry.unwrap().path();
            if path.extension().is_none_or(|extension| extension != "yaml") {
                continue;
            }
            let text = std::fs::read_to_string(&path).unwrap();
            if let Some(schema) = schema_of(&text) {
                seen += 1;
                assert!(path.parent().unwrap().join(schema).is_file(), "{path:?}");
            }
        }
    }
    assert!(seen > 0);
    // The README's plan has its schema beside it, which its own command writes.
    for readme in READMES {
        let schema = schema_of(plan(readme)).unwrap();
        let command = format!("plimsoll schema -o {schema}");
        assert!(
            commands(readme)
                .iter()
                .any(|line| line.starts_with(&command))
        );
    }
}
