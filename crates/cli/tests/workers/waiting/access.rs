//! Who the three commands are to NATS, by their own options and variables; and what they say when
//! that is wrong.

use std::fs;
use std::path::Path;

use nkeys::KeyPair;

use crate::identity::{Certificates, Operator};
use crate::nats::{self, Server};
use crate::support::http::HttpServer;
use crate::support::{Bench, Process, eventually};

/// A word that is part of every secret here.
const SECRET: &str = "hunter2";

/// Options and variables that say who one is.
#[derive(Clone, Default)]
struct Way {
    args: Vec<String>,
    env: Vec<(&'static str, String)>,
}

impl Way {
    /// To this server, as nobody.
    fn to(url: &str) -> Self {
        Self {
            args: vec!["--nats".to_owned(), url.to_owned()],
            env: Vec::new(),
        }
    }

    fn option(mut self, name: &str, value: impl AsRef<Path>) -> Self {
        let value = value.as_ref().display().to_string();
        self.args.extend([name.to_owned(), value]);
        self
    }

    fn variable(mut self, name: &'static str, value: impl AsRef<Path>) -> Self {
        self.env.push((name, value.as_ref().display().to_string()));
        self
    }

    fn start(&self, bench: &Bench, words: &[&str]) -> Process {
        let mut command = bench.command(words);
        command.args(&self.args).envs(self.env.iter().cloned());
        bench.start(command)
    }
}

/// A worker is there, is listed, and makes the load of a run.
fn works(way: &Way) {
    let (bench, target) = (Bench::new(), HttpServer::hello());
    let worker = way.start(&bench, &["worker", "--name", "w1"]);
    eventually("the worker answers", || {
        let told = way.start(&bench, &["workers", "--json"]).end();
        assert_eq!(told.code, Some(0), "{told:?}");
        told.out.contains("\"name\": \"w1\"")
    });
    let url = format!("{}/hello", target.url());
    let run = ["run", &url, "--users", "1", "--iterations", "3", "--quiet"];
    let run = [&run[..], &["--workers", "1"]].concat();
    let told = way.start(&bench, &run).end();
    assert!(matches!(told.code, Some(0 | 4)), "{told:?}");
    assert_eq!(target.seen().len(), 3, "{told:?}");
    worker.signal("INT");
    let told = worker.end();
    assert_eq!(told.code, Some(0), "{told:?}");
}

/// Each command says so and ends; nothing secret is in what it says.
fn refused(way: &Way, says: &str) {
    let bench = Bench::new();
    let url = "http://127.0.0.1:9/";
    let commands: [&[&str]; 3] = [
        &["worker", "--name", "w1"],
        &["workers"],
        &[
            "run",
            url,
            "--users",
            "1",
            "--iterations",
            "1",
            "--workers",
            "1",
        ],
    ];
    for words in commands {
        let told = way.start(&bench, words).end();
        assert_eq!(told.code, Some(2), "{words:?} {told:?}");
        assert!(told.err.contains(says), "{words:?} {told:?}");
        let all = format!("{}{}", told.out, told.err);
        assert!(!all.contains(SECRET), "{words:?} {told:?}");
    }
}

fn server(configuration: &str) -> Server {
    Server::with(&nats::binaries().remove(0), configuration)
}

#[test]
fn a_user_and_a_password() {
    let server = server("authorization { user: joe, password: \"hunter2/@\" }");
    let nobody = Way::to(&server.url());
    refused(&nobody, "requires credentials");
    let joe = nobody.option("--nats-user", "joe");
    let wrong = joe.clone().variable("PLIMSOLL_NATS_PASSWORD", "hunter2");
    refused(&wrong, "refuses these credentials");
    works(&joe.clone().variable("PLIMSOLL_NATS_PASSWORD", "hunter2/@"));
    let file = server.path("password");
    fs::write(&file, "hunter2/@\n").unwrap();
    works(&joe.variable("PLIMSOLL_NATS_PASSWORD_FILE", &file));
    let wrong = server.url().replace("//", "//joe:hunter2@");
    refused(&Way::to(&wrong), "refuses these credentials");
}

#[test]
fn a_token() {
    let server = server("authorization { token: hunter2token }");
    let nobody = Way::to(&server.url());
    let wrong = nobody.clone().variable("PLIMSOLL_NATS_TOKEN", "hunter2");
    refused(&wrong, "refuses these credentials");
    works(&nobody.variable("PLIMSOLL_NATS_TOKEN", "hunter2token"));
    let in_address = server.url().replace("//", "//hunter2token@");
    works(&Way::to(&in_address));
}

#[test]
fn an_nkey() {
    let known = KeyPair::new_user();
    let users = format!(
        "authorization {{ users: [{{ nkey: {} }}] }}",
        known.public_key()
    );
    let server = server(&users);
    let with = |name: &str, text: &str| {
        fs::write(server.path(name), text).unwrap();
        Way::to(&server.url()).option("--nats-nkey", server.path(name))
    };
    works(&with("known", &known.seed().unwrap()));
    let unknown = KeyPair::new_user().seed().unwrap();
    refused(&with("unknown", &unknown), "refuses these credentials");
    refused(&with("broken", "SUhunter2"), "cannot be used");
    let nowhere = Way::to(&server.url()).option("--nats-nkey", "nowhere.nk");
    refused(&nowhere, "nowhere.nk");
}

#[test]
fn credentials() {
    let operator = Operator::new();
    let server = server(&operator.configuration);
    let with =
        |name: &str| Way::to(&server.url()).option("--nats-credentials", operator.file(name));
    works(&with("good"));
    refused(&with("forged"), "refuses these credentials");
    refused(&with("broken"), "cannot be used as credentials");
}

#[test]
fn certificates() {
    let files = Certificates::new();
    let strict = server(&files.server("here", "verify: true"));
    let nobody = Way::to(&strict.url());
    refused(&nobody, "is not trusted");
    let trusting = nobody.option("--nats-ca", files.file("ca.pem"));
    refused(&trusting, "requires a client certificate");
    let half = trusting
        .clone()
        .option("--nats-certificate", files.file("client.pem"));
    refused(&half, "needs its key");
    works(&half.option("--nats-key", files.file("client.key")));
}

#[test]
fn one_way_at_a_time() {
    let server = server("authorization { user: joe, password: hunter2 }");
    let two = Way::to(&server.url().replace("//", "//joe:hunter2@"));
    fs::write(server.path("seed"), "SUhunter2").unwrap();
    refused(
        &two.option("--nats-nkey", server.path("seed")),
        "Several kinds of NATS credentials",
    );
}
