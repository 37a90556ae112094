//! A session flow on a real Tomcat: the lab service.

#![allow(clippy::unwrap_used, clippy::expect_used)]

mod support;

use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use support::{Bench, count};
use tempfile::TempDir;

/// An instance of the lab service, which ends with the test.
struct Lab {
    url: String,
    state: TempDir,
}

fn project() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

fn is_installed(program: &str) -> bool {
    let found = Command::new(program)
        .arg("-version")
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .status();
    found.is_ok()
}

impl Lab {
    /// Starts one; none on a machine without Java, which CI must have.
    fn start() -> Option<Self> {
        if !(is_installed("java") && is_installed("mvn")) {
            assert!(
                std::env::var_os("CI").is_none(),
                "CI must have java and mvn"
            );
            eprintln!("skipped: java and mvn are not installed (tools/setup.sh lab)");
            return None;
        }
        let state = tempfile::tempdir().unwrap();
        let output = Command::new(project().join("lab/start.sh"))
            .args(["--name", "session"])
            .env("PLIMSOLL_LAB_STATE", state.path())
            .env("PLIMSOLL_LAB_JAVA_OPTS", "-Xmx256m -XX:+UseSerialGC")
            .env("PLIMSOLL_LAB_START_TIMEOUT_S", "300")
            .stdin(Stdio::null())
            .output()
            .unwrap();
        let out = String::from_utf8(output.stdout).unwrap();
        let err = String::from_utf8_lossy(&output.stderr);
        let url = out.lines().find_map(|line| line.strip_prefix("URL="));
        let url = url
            .unwrap_or_else(|| panic!("the lab did not start: {err}"))
            .to_owned();
        Some(Self { url, state })
    }
}

impl Drop for Lab {
    fn drop(&mut self) {
        let _ = Command::new(project().join("lab/stop.sh"))
            .arg("session")
            .env("PLIMSOLL_LAB_STATE", self.state.path())
            .status();
    }
}

const SESSION: &str = "
users: 6
iterations: 5
data: users.csv
check: {time: 60s}
steps:
  - post: /login
    json: {user: \"${user}\", password: \"${password}\"}
    save: {token: $.token}
    check: {status: 200, json: {$.user: \"${user}\"}}
  - transaction: check out
    headers: {Authorization: \"Bearer ${token}\"}
    steps:
      - repeat: 2
        steps:
          - post: /cart
            json: {sku: \"item-${random(1, 100)}\", quantity: !raw \"${random(1, 3)}\"}
            save: {cart: {regex: '\"cart_id\":\"([^\"]+)\"'}}
      - post: /order
        save: {number: $.order_number, where: {header: Location}}
        check: {status: 201, json: {$.user: \"${user}\"}, header: {Location: {matches: \"^/order/[0-9]+$\"}}}
      - get: \"${where}\"
        label: read the order
        check: {json: {$.order_number: \"${number}\"}}
      - get: /logout
  - get: /order/${number}
    label: without a session
    check: {status: 401}
goals: [\"errors < 0.001 %\"]
";

#[test]
fn a_session_flow_on_tomcat() {
    let Some(lab) = Lab::start() else { return };
    let bench = Bench::new();
    let users: String = (0..30)
        .map(|n| format!("kunde-{n},secret-kunde-{n}\n"))
        .collect();
    bench.write("users.csv", format!("user,password\n{users}"));
    let told = bench.plan(
        &format!("target: {}\n{SESSION}", lab.url),
        &["--threads", "2"],
    );
    told.assert_code(0).assert_all_ok(30 * 7).assert_readable();
    assert_eq!(count(&told.label("check out"), "samples"), 30);
    assert_eq!(told.summary()["goals"][0]["met"], true);
    the_example_of_a_shop(&lab);
}

/// The shop among the examples is written for the lab: it runs there without an error.
fn the_example_of_a_shop(lab: &Lab) {
    let example = std::fs::read_to_string(project().join("examples/shop.yaml")).unwrap();
    let plan: String = example
        .lines()
        .map(|line| match line.split(':').next().unwrap() {
            "target" => format!("target: {}\n", lab.url),
            "users" => "users: 10\niterations: 3\n".to_owned(),
            "ramp-up" | "duration" | "warm-up" | "think" => String::new(),
            _ => format!("{line}\n"),
        })
        .collect();
    let told = Bench::new().plan(&plan, &["--threads", "2"]);
    assert!(matches!(told.code, Some(0 | 1 | 4)), "{told:?}");
    told.assert_all_ok(8 * 3 * 2 + 2 * 3 * 4);
}
