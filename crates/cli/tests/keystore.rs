//! Client certificates of JMeter plans, against a server that asks for them.

#![allow(clippy::unwrap_used, clippy::expect_used)]

mod support;

use std::io::{Read, Write};
use std::net::TcpStream;
use std::sync::{Arc, Mutex};

use rustls::pki_types::{CertificateDer, PrivateKeyDer, PrivatePkcs8KeyDer};
use rustls::server::WebPkiClientVerifier;
use rustls::{RootCertStore, ServerConfig, ServerConnection, StreamOwned};
use support::raw::RawServer;
use support::{Bench, Told};

/// Keys `first`, `second`, `third` and the expired `old`, in this order in the PKCS#12 store.
const STORES: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../jmeter/tests/data");

/// A server that wants a certificate of the store, and notes whose it was shown.
struct Server {
    raw: RawServer,
    shown: Arc<Mutex<Vec<String>>>,
}

impl Server {
    fn start() -> Self {
        let shown = Arc::new(Mutex::new(Vec::new()));
        let (config, noted) = (config(), Arc::clone(&shown));
        let raw = RawServer::start(move |stream| serve(&config, stream, &noted));
        Self { raw, shown }
    }

    /// The names in the certificates of its requests, in their order.
    fn shown(&self) -> Vec<String> {
        self.shown.lock().unwrap().clone()
    }
}

fn config() -> Arc<ServerConfig> {
    let store = std::fs::read(format!("{STORES}/clients.p12")).unwrap();
    let mut known = RootCertStore::empty();
    for entry in plimsoll_jmeter::keystore::read(&store, "changeit").unwrap() {
        known.add(entry.chain[0].clone()).unwrap();
    }
    let provider = Arc::new(rustls::crypto::ring::default_provider());
    let verifier =
        WebPkiClientVerifier::builder_with_provider(Arc::new(known), Arc::clone(&provider));
    let made = rcgen::generate_simple_self_signed(vec!["localhost".to_owned()]).unwrap();
    let key = PrivateKeyDer::Pkcs8(PrivatePkcs8KeyDer::from(made.signing_key.serialize_der()));
    let config = ServerConfig::builder_with_provider(provider)
        .with_safe_default_protocol_versions()
        .unwrap()
        .with_client_cert_verifier(verifier.build().unwrap())
        .with_single_cert(vec![made.cert.der().clone()], key)
        .unwrap();
    Arc::new(config)
}

fn serve(
    config: &Arc<ServerConfig>,
    stream: TcpStream,
    shown: &Mutex<Vec<String>>,
) -> std::io::Result<()> {
    let connection = ServerConnection::new(Arc::clone(config)).map_err(std::io::Error::other)?;
    let mut tls = StreamOwned::new(connection, stream);
    let mut request = [0; 4096];
    while tls.read(&mut request)? > 0 {
        let own = tls.conn.peer_certificates().and_then(<[_]>::first);
        shown.lock().unwrap().push(name(own.unwrap()));
        tls.write_all(b"HTTP/1.1 200 OK\r\nConnection: close\r\nContent-Length: 0\r\n\r\n")?;
        tls.conn.send_close_notify();
        tls.flush()?;
    }
    Ok(())
}

/// The common name in a certificate: each of the store's is plain text in its bytes.
fn name(certificate: &CertificateDer<'_>) -> String {
    let holds = |name: &&&str| {
        let common_name = [
            b"\x06\x03\x55\x04\x03\x13",
            &[name.len() as u8][..],
            name.as_bytes(),
        ];
        let wanted = common_name.concat();
        certificate.windows(wanted.len()).any(|part| part == wanted)
    };
    let names = ["first", "second", "third", "old"];
    names.iter().find(holds).unwrap_or(&"?").to_string()
}

/// Four requests, each on a connection of its own, by users whose alias is in `alias`, with this
/// Keystore Configuration.
fn plan(config: &str) -> String {
    format!(
        r#"<?xml version="1.0" encoding="UTF-8"?>
<jmeterTestPlan version="1.2" properties="5.0" jmeter="5.6.3"><hashTree>
<TestPlan testname="plan"/><hashTree>
<ThreadGroup testname="users">
  <elementProp name="ThreadGroup.main_controller" elementType="LoopController">
    <boolProp name="LoopController.continue_forever">false</boolProp>
    <stringProp name="LoopController.loops">4</stringProp>
  </elementProp>
  <stringProp name="ThreadGroup.num_threads">1</stringProp>
  <stringProp name="ThreadGroup.ramp_time">0</stringProp>
</ThreadGroup><hashTree>
{config}
<CSVDataSet testname="users">
  <stringProp name="filename">aliases.csv</stringProp>
  <stringProp name="variableNames">alias</stringProp>
  <stringProp name="delimiter">,</stringProp>
  <boolProp name="recycle">true</boolProp>
</CSVDataSet><hashTree/>
<HTTPSamplerProxy testname="get ${{alias}}">
  <stringProp name="HTTPSampler.protocol">https</stringProp>
  <stringProp name="HTTPSampler.domain">127.0.0.1</stringProp>
  <stringProp name="HTTPSampler.port">${{__P(port)}}</stringProp>
  <stringProp name="HTTPSampler.path">/</stringProp>
  <stringProp name="HTTPSampler.method">GET</stringProp>
</HTTPSamplerProxy><hashTree/>
</hashTree></hashTree></hashTree></jmeterTestPlan>
"#
    )
}

/// A Keystore Configuration.
fn keystore(start: &str, end: &str, variable: &str) -> String {
    format!(
        r#"<KeystoreConfig testname="keys">
  <stringProp name="startIndex">{start}</stringProp>
  <stringProp name="endIndex">{end}</stringProp>
  <stringProp name="preload">True</stringProp>
  <stringProp name="clientCertAliasVarName">{variable}</stringProp>
</KeystoreConfig><hashTree/>"#
    )
}

/// Runs the plan of this configuration with these further options.
fn run(server: &Server, config: &str, aliases: &str, options: &[&str]) -> (Told, Bench) {
    let bench = Bench::new();
    bench.write("plan.jmx", plan(config));
    bench.write("aliases.csv", aliases);
    let port = format!("-Jport={}", server.raw.port());
    let args = ["run", "plan.jmx", "--quiet", "-l", "out.jtl", &port];
    let told = bench.call(&[&args, options].concat());
    (told, bench)
}

/// The options that name a store.
fn store(name: &str) -> [String; 2] {
    [
        format!("-Djavax.net.ssl.keyStore={STORES}/{name}"),
        "-Djavax.net.ssl.keyStorePassword=changeit".to_owned(),
    ]
}

#[test]
fn the_alias_of_the_variable_is_sent() {
    for file in ["clients.p12", "clients.jks"] {
        let server = Server::start();
        let config = keystore("", "", "alias");
        let [file, password] = store(file);
        let aliases = "second\nfirst\nsecond\nthird\n";
        let (told, _bench) = run(&server, &config, aliases, &[&file, &password]);
        assert!(matches!(told.code, Some(0 | 4)), "{told:?}");
        assert_eq!(server.shown(), ["second", "first", "second", "third"]);
    }
}

#[test]
fn without_a_variable_the_keys_of_the_range_are_sent_in_turn() {
    let server = Server::start();
    let config = keystore("1", "2", "");
    let [file, password] = store("clients.p12");
    run(&server, &config, "x\n", &[&file, &password]);
    // The user keeps its TLS session: a session taken up again has the key it began with, so
    // that only whole handshakes are a turn.
    let shown = server.shown();
    assert_eq!(shown[0], "second", "{shown:?}");
    assert!(
        shown.iter().all(|it| it == "second" || it == "third"),
        "{shown:?}"
    );
}

#[test]
fn without_a_configuration_it_is_the_first_key_and_a_file_may_name_the_store() {
    let server = Server::start();
    let bench = Bench::new();
    bench.write("plan.jmx", plan(""));
    bench.write("aliases.csv", "x\n");
    let lines = store("clients.p12").map(|option| option[2..].to_owned());
    bench.write("system.properties", lines.join("\n"));
    let port = format!("-Jport={}", server.raw.port());
    bench.call(&[
        "run",
        "plan.jmx",
        "--quiet",
        "-S",
        "system.properties",
        &port,
    ]);
    assert_eq!(server.shown(), ["first"; 4]);
}

#[test]
fn an_alias_that_is_not_there_fails_as_in_jmeter() {
    let server = Server::start();
    let config = keystore("", "", "alias");
    let [file, password] = store("clients.p12");
    let (told, bench) = run(&server, &config, "first\nnobody\n", &[&file, &password]);
    let log = bench.read("out.jtl");
    assert!(
        log.contains("javax.net.ssl.SSLException")
            && log.contains("No PrivateKey found for alias:'nobody'"),
        "{told:?} {log}"
    );
    assert_eq!(server.shown(), ["first", "first"]);
}

#[test]
fn an_expired_certificate_is_told_of_and_refused() {
    let server = Server::start();
    let config = keystore("", "", "alias");
    let [file, password] = store("clients.p12");
    let (told, bench) = run(&server, &config, "old\n", &[&file, &password]);
    assert!(told.err.contains("old expired on 2001-01-"), "{}", told.err);
    let log = bench.read("out.jtl");
    assert!(
        log.contains("Received fatal alert: certificate_expired"),
        "{log}"
    );
    assert!(server.shown().is_empty());
}

#[test]
fn a_store_that_cannot_be_used_ends_it_before_it_begins() {
    let server = Server::start();
    let config = keystore("", "", "alias");
    let [file, password] = store("clients.p12");
    let missing = "-Djavax.net.ssl.keyStore=nowhere.p12";
    let wrong = "-Djavax.net.ssl.keyStorePassword=wrong";
    let kind = "-Djavax.net.ssl.keyStoreType=PKCS11";
    let range = keystore("7", "9", "");
    let backwards = keystore("2", "1", "");
    for (config, options, said) in [
        (
            &config,
            vec![missing, &*password],
            "nowhere.p12 is not there",
        ),
        (
            &config,
            vec![&*file, wrong],
            "password does not open the keystore",
        ),
        (&config, vec![&*file], "needs its password"),
        (
            &config,
            vec![&*file, &*password, kind],
            "of the kind PKCS11",
        ),
        (
            &range,
            vec![&*file, &*password],
            "none of the 4 private keys",
        ),
        (&backwards, vec![&*file, &*password], "from 2 to 1"),
    ] {
        let (told, _bench) = run(&server, config, "first\n", &options);
        assert_eq!(told.code, Some(2), "{told:?}");
        assert!(told.err.contains(said), "{said}: {}", told.err);
    }
    assert_eq!(server.raw.connections(), 0);
}
