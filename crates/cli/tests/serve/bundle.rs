//! A run handed out by one server and taken in by another.

use std::io::Write as _;
use std::process::{Command, Stdio};

use serde_json::json;

use crate::client::Served;
use crate::common::folder;
use crate::{one_run, only_run};

const GZIP: &str = "Content-Type: application/gzip\r\n";
const IMPORT: &str = "/api/v1/runs/import";

/// What another program finds in it.
fn listed_by_tar(bundle: &[u8]) -> Vec<String> {
    let mut tar = Command::new("tar")
        .args(["-tzf", "-"])
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    tar.stdin.take().unwrap().write_all(bundle).unwrap();
    let out = tar.wait_with_output().unwrap();
    assert!(out.status.success());
    let text = String::from_utf8(out.stdout).unwrap();
    text.lines().map(str::to_owned).collect()
}

#[test]
fn a_run_goes_from_one_server_to_another() {
    let (_dir, _target, first, id) = one_run();
    let note = json!({"note": "发布前 <b>", "tags": ["v2"]});
    let json = "Content-Type: application/json\r\n";
    let patched = first.call(
        "PATCH",
        &format!("/api/v1/runs/{id}"),
        json,
        &note.to_string(),
    );
    assert_eq!(patched.status, 200);
    let (head, bundle) = first.bytes("GET", &format!("/api/v1/runs/{id}/export"), "", b"");
    assert!(
        head.contains("200 OK")
            && head.contains(&format!("filename=\"{id}.plimsoll.tar.gz\""))
            && head.contains(&format!("filename*=UTF-8''{id}.plimsoll.tar.gz")),
        "{head}"
    );
    let names = listed_by_tar(&bundle);
    assert_eq!(
        names,
        [
            "plimsoll-run.json",
            "plan",
            "run.sqlite",
            "summary.json",
            "notes.json"
        ]
    );

    let dir = folder();
    let second = Served::start(dir.path());
    let taken = second.import(&bundle, "", GZIP);
    assert_eq!(
        (taken.status, taken.json()),
        (201, json!({"id": id, "was": id}))
    );
    for path in [
        "",
        "/labels",
        "/labels?from_s=1",
        "/series",
        "/errors",
        "/events",
        "/plan",
        "/distribution",
    ] {
        let path = format!("/runs/{id}{path}");
        assert_eq!(second.get(&path), first.get(&path), "{path}");
    }
    let again = second.import(&bundle, "", GZIP);
    assert_eq!(again.status, 409, "{again:?}");
    assert!(
        again.json()["detail"].as_str().unwrap().contains(&id),
        "{again:?}"
    );
    let renamed = second.import(&bundle, "?new_id=true", GZIP);
    assert_eq!(
        renamed.json(),
        json!({"id": format!("{id}-2"), "was": id}),
        "{renamed:?}"
    );
    let run = second.get(&format!("/runs/{id}-2"));
    assert_eq!(run["total"], first.get(&format!("/runs/{id}"))["total"]);
    assert_eq!((&run["note"], &run["tags"]), (&note["note"], &note["tags"]));
}

#[test]
fn what_is_no_run_is_not_taken_in() {
    let (_dir, _target, first, id) = one_run();
    let (_, bundle) = first.bytes("GET", &format!("/api/v1/runs/{id}/export"), "", b"");
    let dir = folder();
    let served = Served::start(dir.path());
    for length in [
        0,
        1,
        10,
        bundle.len() / 2,
        bundle.len() - 8,
        bundle.len() - 1,
    ] {
        let refused = served.import(&bundle[..length], "", GZIP);
        assert_eq!(refused.status, 422, "{length}: {refused:?}");
        assert!(!refused.json()["detail"].as_str().unwrap().is_empty());
        assert!(
            !refused.body.contains("imports"),
            "no path of this machine: {refused:?}"
        );
    }
    let mut damaged = bundle.clone();
    damaged[bundle.len() / 2] ^= 1;
    assert_eq!(served.import(&damaged, "", GZIP).status, 422);
    for kind in [
        "",
        "Content-Type: text/plain\r\n",
        "Content-Type: multipart/form-data; boundary=x\r\n",
    ] {
        assert_eq!(served.import(&bundle, "", kind).status, 415, "{kind}");
    }
    // Who goes away in the middle leaves nothing.
    let headers = format!("{GZIP}Content-Length: {}\r\n", bundle.len());
    drop(served.send_bytes("POST", IMPORT, &headers, &bundle[..bundle.len() / 2]));
    assert!(served.get("/runs")["items"].as_array().unwrap().is_empty());
    let imports = dir.path().join("plimsoll-runs/.workbench/imports");
    let began = std::time::Instant::now();
    while std::fs::read_dir(&imports).unwrap().count() > 0 {
        assert!(
            began.elapsed() < std::time::Duration::from_secs(60),
            "something stayed"
        );
        std::thread::sleep(std::time::Duration::from_millis(50));
    }
    assert_eq!(served.import(&bundle, "", GZIP).status, 201);
    assert_eq!(only_run(&served), id);
}
