//! A real Node.js process whose inspector listens: which of its functions run, held against what it was made to do.
#![allow(missing_docs, clippy::unwrap_used, clippy::expect_used)]

mod support;

use std::io::{BufRead, BufReader};
use std::process::{Child, Command, Stdio};

use plimsoll_watch::stacks::{NamedFrame, ToldStacks};
use plimsoll_watch::{Level, Moment, around};
use support::{Served, free_port, open, try_open};

/// Three parts of the time in one function and one in another, with events between them.
const SHOP: &str = r#"const { parse } = require("./node_modules/rates/index.js");
function price(until) {
  let sum = 0;
  while (Date.now() < until) {
    for (let n = 0; n < 1000; n++) sum += Math.sqrt(n);
  }
  return sum;
}
function turn() {
  price(Date.now() + 30);
  parse(Date.now() + 10);
  setTimeout(turn, 10);
}
require("http").createServer((_, response) => response.end("x")).listen(+process.argv[2], "127.0.0.1", turn);
"#;

const RATES: &str = r#"exports.parse = function parse(until) {
  let sum = 0;
  while (Date.now() < until) sum += 1;
  return sum;
};
"#;

/// The process, ended with the test.
struct Shop {
    process: Child,
    /// Its own port, and that of its inspector.
    port: u16,
    inspector: u16,
    folder: tempfile::TempDir,
}

impl Shop {
    fn start() -> Self {
        // What its path is percent-encoded for.
        let folder = tempfile::Builder::new()
            .prefix("my shop ")
            .tempdir()
            .unwrap();
        std::fs::create_dir_all(folder.path().join("node_modules/rates")).unwrap();
        std::fs::write(folder.path().join("node_modules/rates/index.js"), RATES).unwrap();
        std::fs::write(folder.path().join("shop.js"), SHOP).unwrap();
        let port = free_port();
        let mut process = Command::new("node")
            .arg("--inspect=127.0.0.1:0")
            .arg(folder.path().join("shop.js"))
            .arg(port.to_string())
            .stdin(Stdio::null())
            .stderr(Stdio::piped())
            .spawn()
            .unwrap();
        // `Debugger listening on ws://127.0.0.1:40123/…`
        let mut said = BufReader::new(process.stderr.take().unwrap());
        let mut line = String::new();
        said.read_line(&mut line).unwrap();
        let inspector = line.split("127.0.0.1:").nth(1).unwrap();
        let inspector = inspector.split('/').next().unwrap().parse().unwrap();
        std::thread::spawn(move || std::io::copy(&mut said, &mut std::io::sink()));
        while std::net::TcpStream::connect(("127.0.0.1", port)).is_err() {
            assert!(process.try_wait().unwrap().is_none(), "it has ended");
            std::thread::sleep(std::time::Duration::from_millis(20));
        }
        Self {
            process,
            port,
            inspector,
            folder,
        }
    }

    fn address(&self) -> String {
        format!("http://127.0.0.1:{}", self.inspector)
    }
}

impl Drop for Shop {
    fn drop(&mut self) {
        let _ = self.process.kill();
        let _ = self.process.wait();
    }
}

/// The share of samples whose innermost named function is that one, and one of its calls.
fn share(told: &ToldStacks, function: &str) -> (f64, Option<NamedFrame>) {
    let is_it = |call: &&NamedFrame| call.function == function;
    let with = told
        .stacks
        .iter()
        .filter(|stack| told.calls(stack).any(|call| is_it(&call)));
    let count: u64 = with.map(|stack| stack.count).sum();
    let mut one = told.stacks.iter().flat_map(|stack| told.calls(stack));
    #[expect(clippy::cast_precision_loss, reason = "some hundred samples")]
    let share = count as f64 / told.samples.max(1) as f64;
    (share, one.find(is_it).cloned())
}

#[tokio::test]
async fn functions_of_a_real_process_are_named() {
    let shop = Shop::start();
    let mut source = open("node-inspector", &shop.address(), &[("name", "node[1]")]);
    let taken = source.captures[0].take(Moment::Steady.into()).await;
    let artifacts = taken.unwrap();
    assert_eq!(artifacts.len(), 1);
    assert_eq!(artifacts[0].kind, "node_profile");
    let told = ToldStacks::read(std::str::from_utf8(&artifacts[0].bytes).unwrap()).unwrap();
    assert!(told.samples > 30 && told.lasted_s > 2.0, "{told:?}");
    let (price, call) = share(&told, "price");
    let call = call.unwrap();
    let file = shop.folder.path().canonicalize().unwrap().join("shop.js");
    assert_eq!(call.file.as_deref(), file.to_str());
    assert_eq!(call.library, None);
    assert!((2..=8).contains(&call.line.unwrap()), "{call:?}");
    let (parse, call) = share(&told, "parse");
    assert_eq!(call.unwrap().library.as_deref(), Some("rates"));
    // It computes three times as long in the one as in the other.
    assert!(
        price > 1.8 * parse && price + parse > 0.7,
        "{price} {parse} {told:?}"
    );
    let schema = include_str!("../../../schema/stacks.schema.json");
    let schema = serde_json::from_str(schema).unwrap();
    let checker = jsonschema::draft202012::new(&schema).unwrap();
    let json = serde_json::to_value(&told).unwrap();
    let wrong: Vec<String> = checker.iter_errors(&json).map(|e| e.to_string()).collect();
    assert!(wrong.is_empty(), "{wrong:?}");
    // It is found by itself where captures are allowed, and not asked elsewhere.
    let found = |level| around(&format!("127.0.0.1:{}", shop.port), level).specs;
    let is_inspector = |spec: &plimsoll_watch::Spec| {
        spec.source == "node-inspector" && spec.address == shop.address()
    };
    assert!(found(Level::Capture).iter().any(is_inspector));
    assert!(!found(Level::Observe).iter().any(is_inspector));
}

#[tokio::test]
async fn what_is_no_inspector_is_told() {
    let error = async |list: &'static str| {
        let served = Served::new(&[("/json/list", list)]);
        let mut wrong = open("node-inspector", &served.address, &[]);
        let taken = wrong.captures[0].take(Moment::Steady.into()).await;
        taken.unwrap_err().message.id
    };
    assert_eq!(error("hello").await, "watch-node-none");
    assert_eq!(error("[]").await, "watch-node-none");
    // A browser's page is none; and what does not speak WebSocket gives no profile.
    let page = r#"[{"type":"page","webSocketDebuggerUrl":"ws://127.0.0.1:1/x"}]"#;
    assert_eq!(error(page).await, "watch-node-none");
    let node = r#"[{"type":"node","webSocketDebuggerUrl":"ws://127.0.0.1:1/x"}]"#;
    assert_eq!(error(node).await, "watch-node-lost");
    let gone = format!("http://127.0.0.1:{}", free_port());
    let mut gone = open("node-inspector", &gone, &[]);
    let taken = gone.captures[0].take(Moment::Steady.into()).await;
    assert_eq!(taken.unwrap_err().message.id, "watch-http-unreachable");
    let unknown = try_open("node-inspector", "http://h:1", &[("user", "1")]);
    assert_eq!(unknown.err().unwrap(), "watch-unknown-option");
    let spec = plimsoll_watch::Spec {
        source: "node-inspector".to_owned(),
        address: "http://h:1".to_owned(),
        ..plimsoll_watch::Spec::default()
    };
    assert_eq!(spec.open().err().unwrap().0.id, "watch-node-level");
}
