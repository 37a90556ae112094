//! `plimsoll --server URL run`: a run there, told here.

use std::process::{Child, Command, Output, Stdio};
use std::time::Duration;

use serde_json::json;

use crate::client::Served;
use crate::common::{Server, folder};
use crate::{assert_made, only_run};

fn command(dir: &tempfile::TempDir, served: &Served, more: &[&str]) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_plimsoll"));
    command
        .args(["--server", &format!("http://{}", served.host)])
        .args(more)
        .current_dir(dir.path())
        .env("LC_ALL", "C.UTF-8")
        .env_remove("PLIMSOLL_SERVER_TOKEN");
    command
}

fn made(dir: &tempfile::TempDir, served: &Served, more: &[&str]) -> (Output, String, String) {
    let output = command(dir, served, more).output().unwrap();
    let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
    let (out, err) = (text(&output.stdout), text(&output.stderr));
    (output, out, err)
}

fn started(dir: &tempfile::TempDir, served: &Served, more: &[&str]) -> Child {
    let mut command = command(dir, served, more);
    command
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap()
}

/// Waits until the server makes a run; gives its name.
fn running(served: &Served) -> String {
    loop {
        if let Some(run) = served.get("/meta")["running"].as_str() {
            return run.to_owned();
        }
        std::thread::sleep(Duration::from_millis(20));
    }
}

#[test]
fn a_plan_with_its_files_is_run_there_and_told_here() {
    let (there, here, target) = (folder(), folder(), Server::start());
    let served = Served::start(there.path());
    std::fs::create_dir(here.path().join("lists")).unwrap();
    std::fs::write(here.path().join("lists/words.csv"), "word\nsent\n").unwrap();
    let plan = format!(
        "name: from afar\nusers: 1\niterations: 3\ndata:\n  - csv: lists/words.csv\nsteps:\n  - get: {}?w=${{word}}\n",
        target.url("/hello")
    );
    std::fs::write(here.path().join("plan.yaml"), plan).unwrap();
    let arguments = ["run", "plan.yaml", "--summary-json", "summary.json"];
    let (output, out, err) = made(&here, &served, &arguments);
    assert_made(output.status.code().unwrap());
    assert_eq!(target.requests().len(), 3, "{err}");
    assert!(
        format!("{:?}", target.requests()).contains("w=sent"),
        "{err}"
    );
    let run = only_run(&served);
    let shown = Command::new(env!("CARGO_BIN_EXE_plimsoll"))
        .args(["show", &run])
        .current_dir(there.path())
        .env("LC_ALL", "C.UTF-8")
        .output()
        .unwrap();
    let shown = String::from_utf8_lossy(&shown.stdout).into_owned();
    assert!(
        shown.starts_with(&out) && out.contains("GET /hello"),
        "as it is shown there: {out}\n{shown}"
    );
    let summary = std::fs::read_to_string(here.path().join("summary.json")).unwrap();
    let summary: serde_json::Value = serde_json::from_str(&summary).unwrap();
    assert_eq!(summary["total"]["samples"], 3, "{summary}");
    assert!(
        !here.path().join("plimsoll-runs").exists(),
        "nothing is kept here"
    );
}

#[test]
fn exit_codes_are_those_of_a_run_here() {
    let (there, here, target) = (folder(), folder(), Server::start());
    let served = Served::start(there.path());
    let url = target.url("/hello");
    let goal = [
        "run",
        &url,
        "--rate",
        "20/s",
        "--duration",
        "2s",
        "--goal",
        "throughput > 1000000/s",
        "--quiet",
    ];
    let (output, _, err) = made(&here, &served, &goal);
    assert!(
        [1, 4].contains(&output.status.code().unwrap()),
        "{output:?}, {err}"
    );
    let nowhere = [
        "run",
        "http://127.0.0.1:1/",
        "--users",
        "1",
        "--duration",
        "1s",
        "--quiet",
    ];
    assert_eq!(made(&here, &served, &nowhere).0.status.code(), Some(3));
    std::fs::write(
        here.path().join("bad.yaml"),
        "name: x\nsteps: []\nuserz: 3\n",
    )
    .unwrap();
    let (output, _, err) = made(&here, &served, &["run", "bad.yaml"]);
    assert_eq!(output.status.code(), Some(2));
    assert!(err.contains("userz"), "{err}");
    let (output, _, err) = made(&here, &served, &["run", &url, "--jtl", "x.jtl"]);
    assert_eq!(output.status.code(), Some(2));
    assert!(err.contains("--jtl"), "{err}");
    let (output, _, err) = made(&here, &served, &["list"]);
    assert_eq!(output.status.code(), Some(2), "{err}");
    drop(served);
    let dead = Served::start(there.path());
    let host = dead.host.clone();
    drop(dead);
    let gone = Command::new(env!("CARGO_BIN_EXE_plimsoll"))
        .args(["--server", &format!("http://{host}"), "run", &url])
        .current_dir(here.path())
        .output()
        .unwrap();
    assert_eq!(gone.status.code(), Some(2), "{gone:?}");
}

#[test]
fn an_interruption_here_ends_the_run_there() {
    let (there, here, target) = (folder(), folder(), Server::start());
    let served = Served::start(there.path());
    let url = target.url("/hello");
    let child = started(
        &here,
        &served,
        &["run", &url, "--rate", "20/s", "--duration", "10m"],
    );
    let run = running(&served);
    let pid = child.id().to_string();
    let signalled = Command::new("kill").args(["-INT", &pid]).status().unwrap();
    assert!(signalled.success());
    let output = child.wait_with_output().unwrap();
    assert_eq!(output.status.code(), Some(130), "{output:?}");
    assert_eq!(served.get(&format!("/runs/{run}"))["state"], "interrupted");
}

#[test]
fn a_token_opens_the_way_and_a_wrong_one_does_not() {
    let (there, here, target) = (folder(), folder(), Server::start());
    let user = crate::shared::with_users_in(&there, &["--allow-host", "127.0.0.1"]);
    let runner = crate::shared::log_in(&user, "run");
    let token = runner.call(
        "POST",
        "/tokens",
        &json!({"name": "x", "role": "run", "days": 1}).to_string(),
    );
    let secret = token.json()["secret"].as_str().unwrap().to_owned();
    let url = target.url("/hello");
    let arguments = ["run", &url, "--users", "1", "--duration", "1s", "--quiet"];
    let mut with = command(&here, &user, &arguments);
    let output = with.env("PLIMSOLL_SERVER_TOKEN", &secret).output().unwrap();
    assert_made(output.status.code().unwrap());
    let without = command(&here, &user, &arguments).output().unwrap();
    assert_eq!(without.status.code(), Some(2), "{without:?}");
    let said = String::from_utf8_lossy(&without.stderr).into_owned();
    assert!(said.contains("401") && !said.contains(&secret), "{said}");
}

#[test]
fn nothing_goes_to_another_host_without_tls() {
    let here = folder();
    let mut asked = std::process::Command::new(env!("CARGO_BIN_EXE_plimsoll"));
    asked.current_dir(here.path());
    let arguments = [
        "--server",
        "http://192.0.2.1:8089",
        "run",
        "http://127.0.0.1:9/",
    ];
    let output = asked
        .args(arguments)
        .env("PLIMSOLL_SERVER_TOKEN", "plm_x")
        .output()
        .unwrap();
    assert_eq!(output.status.code(), Some(2), "{output:?}");
    let said = String::from_utf8_lossy(&output.stderr).into_owned();
    assert!(said.contains("https://"), "{said}");
}
