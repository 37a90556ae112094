//! Files that are not written over, and files that cannot be written: told before the load.

use std::os::unix::fs::PermissionsExt as _;

use crate::common::{Server, folder, plimsoll, write};

#[test]
fn what_cannot_be_written_is_told_before_the_load() {
    let (dir, server) = (folder(), Server::start());
    let url = server.url("/hello");
    std::fs::create_dir(dir.path().join("there")).unwrap();
    for (args, part) in [
        (["--report", "out.pdf"], "pdf"),
        (["--report", "no/out.html"], "no/out.html"),
        (["--report", "there"], "there"),
        (["--summary-json", "no/s.json"], "no/s.json"),
        (["--jtl", "no/results.jtl"], "no/results.jtl"),
        (["--jtl", "there"], "there"),
    ] {
        let run = ["run", &url, "-c", "1", "--iterations", "3"];
        let told = plimsoll(&dir, &[&run[..], &args].concat());
        assert_eq!(told.code, 2, "{args:?}: {told:?}");
        assert!(told.err.contains(part), "{args:?}: {told:?}");
    }
    let goal = ["--goal", "errors < 1 %", "-o", "no/c.json"];
    for args in [
        &[&["capacity", &url][..], &goal].concat()[..],
        &["calibrate", &url, "-o", "no/c.json"],
        &[
            "hops",
            &url,
            "--hop",
            &format!("a={url}"),
            "--hop",
            &format!("b={url}"),
            "-o",
            "no/c.json",
        ],
    ] {
        let told = plimsoll(&dir, args);
        assert_eq!(told.code, 2, "{args:?}: {told:?}");
        assert!(told.err.contains("no/c.json"), "{args:?}: {told:?}");
    }
    assert!(server.requests().is_empty(), "a load was made");
    assert!(!dir.path().join("plimsoll-runs").exists());
}

#[test]
fn a_folder_that_is_read_only_is_told_before_the_load() {
    let (dir, server) = (folder(), Server::start());
    let closed = dir.path().join("closed");
    std::fs::create_dir(&closed).unwrap();
    std::fs::set_permissions(&closed, std::fs::Permissions::from_mode(0o555)).unwrap();
    if std::fs::write(closed.join("root"), "").is_ok() {
        // Whoever may write anywhere has no such folder: /proc is one for all.
        let url = server.url("/hello");
        let told = plimsoll(
            &dir,
            &["run", &url, "-c", "1", "--report", "/proc/out.html"],
        );
        assert_eq!(told.code, 2, "{told:?}");
    } else {
        let url = server.url("/hello");
        let told = plimsoll(
            &dir,
            &["run", &url, "-c", "1", "--report", "closed/out.html"],
        );
        assert_eq!(told.code, 2, "{told:?}");
    }
    assert!(server.requests().is_empty(), "a load was made");
}

#[test]
fn files_that_are_there_keep_what_is_in_them_until_the_run_ends() {
    let (dir, server) = (folder(), Server::start());
    write(&dir, "out.json", "old");
    let url = server.url("/hello");
    let run = ["run", &url, "-c", "1", "--iterations", "3", "--quiet"];
    let told = plimsoll(&dir, &[&run[..], &["--report", "out.json"]].concat());
    assert!(matches!(told.code, 0 | 4), "{told:?}");
    let text = std::fs::read_to_string(dir.path().join("out.json")).unwrap();
    assert!(text.starts_with('{'), "{text}");
}

#[test]
fn convert_overwrites_nothing() {
    let dir = folder();
    write(&dir, "plan.yaml", "mine");
    write(
        &dir,
        "plan.jmx",
        &crate::common::jmeter_plan("http://127.0.0.1:1"),
    );
    let curl = "curl http://127.0.0.1:1/x";
    for args in [
        &["convert", "-o", "plan.yaml", curl][..],
        &["convert", "plan.jmx", "-o", "plan.yaml"],
        &["convert", "-o", "plan.yaml", "plan.jmx"],
    ] {
        let told = plimsoll(&dir, args);
        assert_eq!(told.code, 2, "{told:?}");
        assert!(told.err.contains("--force"), "{told:?}");
        let text = std::fs::read_to_string(dir.path().join("plan.yaml")).unwrap();
        assert_eq!(text, "mine");
    }
    for args in [
        &["convert", "--force", "-o", "plan.yaml", curl][..],
        &["convert", "plan.jmx", "-o", "plan.yaml", "--force"],
    ] {
        let told = plimsoll(&dir, args);
        assert_eq!(told.code, 0, "{told:?}");
    }
    let checked = plimsoll(&dir, &["check", "--quiet", "plan.yaml"]);
    assert_eq!(checked.code, 0, "{checked:?}");
}
