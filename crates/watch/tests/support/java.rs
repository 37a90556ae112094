//! What tests of JVMs take from Maven Central.
#![allow(clippy::unwrap_used, clippy::expect_used)]

use std::net::TcpStream;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::{Duration, Instant};

use super::free_port;

/// Runs Maven: without the network first, which is quicker, and enough once all was fetched.
pub fn maven(arguments: &[&str]) {
    let run = |offline: &[&str]| {
        let mut command = Command::new("mvn");
        command.args(["-q", "-B"]).args(offline).args(arguments);
        command.output().unwrap()
    };
    if !run(&["-o"]).status.success() {
        let done = run(&[]);
        assert!(done.status.success(), "mvn {arguments:?}: {done:?}");
    }
}

/// The file of an artifact (`GROUP:NAME:VERSION`, or `…:jar:CLASSIFIER`).
pub fn jar(artifact: &str) -> PathBuf {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("jars");
    let parts: Vec<&str> = artifact.split(':').collect();
    let name = match parts.as_slice() {
        [_, name, version] => format!("{name}-{version}.jar"),
        [_, name, version, "jar", classifier] => format!("{name}-{version}-{classifier}.jar"),
        _ => panic!("{artifact}"),
    };
    let jar = folder.join(name);
    if !jar.exists() {
        maven(&[
            "org.apache.maven.plugins:maven-dependency-plugin:3.6.1:copy",
            &format!("-Dartifact={artifact}"),
            &format!("-DoutputDirectory={}", folder.display()),
        ]);
    }
    jar
}

/// Has Jolokia join a JVM that runs; gives its address.
pub fn join_jolokia(pid: u32) -> String {
    let port = free_port().to_string();
    let told = Command::new("java")
        .args(["-XX:TieredStopAtLevel=1", "-jar"])
        .arg(jar("org.jolokia:jolokia-agent-jvm:2.6.0:jar:javaagent"))
        .args(["--host", "127.0.0.1", "--port", &port])
        .args(["start", &pid.to_string()])
        .output()
        .unwrap();
    // What it says is no measure: it may call one that has just come up a failure.
    let began = Instant::now();
    while TcpStream::connect(format!("127.0.0.1:{port}")).is_err() {
        assert!(began.elapsed() < Duration::from_secs(120), "{told:?}");
        std::thread::sleep(Duration::from_millis(50));
    }
    format!("http://127.0.0.1:{port}/jolokia/")
}
