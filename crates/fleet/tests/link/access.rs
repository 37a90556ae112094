//! Who may connect, and what the first connection says if it does not work.

use std::fs;
use std::io::Write;
use std::net::TcpListener;

use nkeys::KeyPair;
use plimsoll_fleet::link::nats::{NatsLink, NatsOptions, Secret};
use plimsoll_fleet::{Link, LinkError};

use crate::behaviour::next;
use crate::identity::{Certificates, Operator};
use crate::support::{self, Server, options};

/// The id of what is said instead of connecting; nothing secret is in it.
async fn refusal(options: &NatsOptions) -> String {
    let error = NatsLink::connect(options)
        .await
        .err()
        .expect("it connected");
    let told = format!("{error} {error:?}");
    assert!(!told.contains("hunter2"), "{told}");
    assert!(
        told.contains(
            &options.servers[0]
                .reveal()
                .rsplit(['/', '@'])
                .next()
                .unwrap()[..9]
        ),
        "{told}"
    );
    error.0.id
}

async fn works(options: &NatsOptions) {
    let link = NatsLink::connect(options).await.unwrap();
    link.make_run("r").await.unwrap();
}

fn at(address: &str) -> NatsOptions {
    options(&[address.to_owned()])
}

#[tokio::test]
async fn where_there_is_no_server() {
    let closed = format!("nats://joe:hunter2@127.0.0.1:{}", support::free_port());
    assert_eq!(refusal(&at(&closed)).await, "nats-unreachable");
    assert_eq!(refusal(&at("nowhere.invalid")).await, "nats-unknown-host");
    let other = TcpListener::bind("127.0.0.1:0").unwrap();
    let address = other.local_addr().unwrap().to_string();
    std::thread::spawn(move || {
        for stream in other.incoming() {
            let _ = stream.unwrap().write_all(b"220 mail.test ESMTP\r\n");
        }
    });
    assert_eq!(refusal(&at(&address)).await, "nats-no-nats");
    let silent = TcpListener::bind("127.0.0.1:0").unwrap();
    let address = silent.local_addr().unwrap().to_string();
    assert_eq!(refusal(&at(&address)).await, "nats-silent");
}

#[tokio::test]
async fn without_jetstream() {
    for binary in support::binaries() {
        let server = Server::configured(&binary, "");
        assert_eq!(refusal(&at(&server.url())).await, "nats-no-jetstream");
        let accounts = "accounts { a { users: [{ user: joe, password: hunter2 }] } }";
        let server = Server::with(&binary, accounts);
        let url = server.url().replace("//", "//joe:hunter2@");
        assert_eq!(refusal(&at(&url)).await, "nats-no-jetstream");
    }
}

#[tokio::test]
async fn passwords_and_tokens() {
    for binary in support::binaries() {
        let server = Server::with(
            &binary,
            "authorization { user: joe, password: \"hunter2/@\" }",
        );
        let mut options = at(&server.url());
        assert_eq!(refusal(&options).await, "nats-wants-to-know");
        options.user = Some("joe".to_owned());
        options.password = Some(Secret::new("hunter2"));
        assert_eq!(refusal(&options).await, "nats-refused");
        options.password = Some(Secret::new("hunter2/@"));
        works(&options).await;
        let url = server.url().replace("//", "//joe:hunter2%2F%40@");
        works(&at(&url)).await;

        let server = Server::with(&binary, "authorization { token: hunter2token }");
        let mut options = at(&server.url());
        options.token = Some(Secret::new("hunter2"));
        assert_eq!(refusal(&options).await, "nats-refused");
        options.token = Some(Secret::new("hunter2token"));
        works(&options).await;
    }
}

#[tokio::test]
async fn nkeys() {
    let folder = tempfile::tempdir().unwrap();
    for binary in support::binaries() {
        let known = KeyPair::new_user();
        let users = format!(
            "authorization {{ users: [{{ nkey: {} }}] }}",
            known.public_key()
        );
        let server = Server::with(&binary, &users);
        let seeds = |name: &str, text: &str| {
            fs::write(folder.path().join(name), text).unwrap();
            NatsOptions {
                nkey_file: Some(folder.path().join(name)),
                ..at(&server.url())
            }
        };
        works(&seeds("known", &format!("{}\n", known.seed().unwrap()))).await;
        let unknown = KeyPair::new_user().seed().unwrap();
        assert_eq!(refusal(&seeds("unknown", &unknown)).await, "nats-refused");
        assert_eq!(
            refusal(&seeds("broken", "SUhunter2")).await,
            "nats-unusable-seed"
        );
    }
}

#[tokio::test]
async fn credentials() {
    let operator = Operator::new();
    for binary in support::binaries() {
        let server = Server::with(&binary, &operator.configuration);
        let with = |name: &str| NatsOptions {
            credentials_file: Some(operator.file(name)),
            ..at(&server.url())
        };
        works(&with("good")).await;
        assert_eq!(refusal(&with("forged")).await, "nats-refused");
        let error = NatsLink::connect(&with("broken")).await.err().unwrap();
        assert_eq!(error.0.id, "nats-credentials-file");
        assert!(!error.to_string().contains("hunter2"));
    }
}

#[tokio::test]
async fn tls() {
    let certificates = Certificates::new();
    for binary in support::binaries() {
        let server = Server::with(&binary, &certificates.server("here", ""));
        let mut options = at(&server.url());
        assert_eq!(refusal(&options).await, "nats-not-trusted");
        options.ca_file = Some(certificates.file("ca.pem"));
        works(&options).await;
        options.servers = vec![Secret::new(server.url().replace("nats://", "tls://"))];
        works(&options).await;

        let elsewhere = Server::with(&binary, &certificates.server("elsewhere", ""));
        options.servers = vec![Secret::new(elsewhere.url())];
        assert_eq!(refusal(&options).await, "nats-other-name");

        let strict = Server::with(&binary, &certificates.server("here", "verify: true"));
        options.servers = vec![Secret::new(strict.url())];
        assert_eq!(refusal(&options).await, "nats-wants-certificate");
        options.certificate_file = Some(certificates.file("client.pem"));
        options.key_file = Some(certificates.file("client.key"));
        works(&options).await;

        let plain = Server::start(&binary);
        options.servers = vec![Secret::new(plain.url().replace("nats://", "tls://"))];
        assert_eq!(refusal(&options).await, "nats-no-tls");
    }
}

#[tokio::test]
async fn who_may_not_publish_is_told() {
    for binary in support::binaries() {
        let users = "authorization { users: [
            { user: all, password: a },
            { user: worker, password: w, permissions: {
                publish: [\"plimsoll.journal.*.w1\", \"$JS.API.INFO\"], subscribe: [\"_INBOX.>\"] } } ] }";
        let server = Server::with(&binary, users);
        let connect = async |who: &str| {
            let url = server.url().replace("//", &format!("//{who}@"));
            NatsLink::connect(&at(&url)).await.unwrap()
        };
        let (all, worker) = (connect("all:a").await, connect("worker:w").await);
        all.make_run("r").await.unwrap();
        let journal = worker.journal("r").await.unwrap();
        journal.append("w1", 1, "mine".into()).await.unwrap();
        for refused in [
            journal
                .append("w2", 1, "another's".into())
                .await
                .unwrap_err(),
            worker.make_run("s").await.unwrap_err(),
            worker
                .request("x", "?".into(), support::LONGEST_WAIT / 10)
                .await
                .unwrap_err(),
        ] {
            assert!(matches!(refused, LinkError::Refused { .. }), "{refused}");
        }
    }
}

/// The configuration that is given to users: its permissions are enough, and not too much.
#[tokio::test]
async fn the_deployed_permissions() {
    let deployed = include_str!("../../../../deploy/helm/plimsoll/nats.conf");
    let ours = deployed
        .lines()
        .filter(|line| !line.starts_with("listen:") && !line.starts_with("http:"))
        .map(|line| line.replace("/data", "FOLDER/store") + "\n")
        .collect::<String>();
    let text = format!("NATS_CONTROLLER_PASSWORD: c\nNATS_WORKER_PASSWORD: w\n{ours}");
    for binary in support::binaries() {
        let server = Server::configured(&binary, &text);
        let connect = async |who: &str| {
            let url = server.url().replace("//", &format!("//{who}@"));
            NatsLink::connect(&at(&url)).await.unwrap()
        };
        let (controller, worker) = (connect("controller:c").await, connect("worker:w").await);
        controller.make_run("r").await.unwrap();
        let journal = worker.journal("r").await.unwrap();
        journal.append("w1", 1, "report".into()).await.unwrap();
        let read = controller.journal("r").await.unwrap();
        let entry = next(&mut read.read().await.unwrap()).await;
        read.acknowledge(&[entry.place]).await.unwrap();
        let bundle = controller.objects("r").await.unwrap();
        bundle.put("bundle", "plan".into()).await.unwrap();
        let objects = worker.objects("r").await.unwrap();
        assert_eq!(objects.get("bundle").await.unwrap(), "plan");

        let mut orders = worker.subscribe("worker.w1.*").await.unwrap();
        let asked = controller.request("worker.w1.x", "go".into(), support::LONGEST_WAIT);
        let responded = async {
            let order = next(&mut orders).await;
            worker
                .publish(&order.reply.unwrap(), "yes".into())
                .await
                .unwrap();
        };
        assert_eq!(tokio::join!(asked, responded).0.unwrap(), "yes");
        for (subject, from, to) in [
            ("discover", &controller, &worker),
            ("found.x", &worker, &controller),
            ("run.r.life", &worker, &controller),
        ] {
            let mut heard = to.subscribe(subject).await.unwrap();
            from.publish(subject, "x".into()).await.unwrap();
            assert_eq!(next(&mut heard).await.payload, "x", "{subject}");
        }
        // A worker gives no orders, changes no bundle and no run.
        let wait = support::LONGEST_WAIT / 10;
        for refused in [
            worker
                .request("worker.w1.x", "go".into(), wait)
                .await
                .unwrap_err(),
            objects.put("bundle", "other".into()).await.unwrap_err(),
            worker.make_run("s").await.unwrap_err(),
            worker.remove_run("r").await.unwrap_err(),
        ] {
            assert!(matches!(refused, LinkError::Refused { .. }), "{refused}");
        }
        controller.remove_run("r").await.unwrap();
    }
}
