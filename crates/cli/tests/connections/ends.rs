//! Keep-alive connections that the server closes without a word.

use std::io::{BufRead as _, BufReader, Read as _, Write as _};
use std::net::TcpStream;
use std::process::{Command, Stdio};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use super::support::http::read_head;
use super::support::raw::{self, RawServer};
use super::support::{Bench, Told};

/// What a server does after so many requests of a connection.
#[derive(Clone, Copy)]
enum Ends {
    /// It responds and closes.
    Responded,
    /// It takes one more and closes.
    Taken,
}

/// A server that closes its connections without saying so, and how many requests it took.
fn closing(ends: &'static [Ends]) -> (RawServer, Arc<AtomicU64>, Arc<AtomicU64>) {
    let (came, dropped) = (Arc::<AtomicU64>::default(), Arc::<AtomicU64>::default());
    let (counts, drops) = (Arc::clone(&came), Arc::clone(&dropped));
    let numbers = AtomicU64::new(0);
    let serve = move |stream: TcpStream| {
        // Some connections end soon, others late.
        let number = numbers.fetch_add(1, Ordering::SeqCst);
        let last = 1 + number * 7 % 11;
        let how = ends[usize::try_from(number).unwrap() % ends.len()];
        let mut reader = BufReader::new(stream);
        for at in 0.. {
            let Some(request) = read_head(&mut reader)? else {
                return Ok(());
            };
            let length = request.header("content-length");
            let mut body = vec![0; length.map_or(0, |length| length.parse().unwrap())];
            reader.read_exact(&mut body)?;
            counts.fetch_add(1, Ordering::SeqCst);
            if at == last && matches!(how, Ends::Taken) {
                drops.fetch_add(1, Ordering::SeqCst);
                return Ok(());
            }
            let stream = reader.get_mut();
            stream.write_all(b"HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nhi")?;
            if at == last {
                return Ok(());
            }
        }
        Ok(())
    };
    (RawServer::start(serve), came, dropped)
}

fn run(url: &str, step: &str) -> Told {
    let plan = format!("target: {url}\nusers: 4\niterations: 100\nsteps: [{{{step}}}]\n");
    Bench::new().plan(&plan, &[])
}

#[test]
fn what_a_closed_connection_lost_is_sent_again() {
    for (ends, step) in [
        (&[Ends::Taken] as &[_], "get: /"),
        (&[Ends::Responded], "get: /"),
        (&[Ends::Taken, Ends::Responded], "put: /, body: hello"),
    ] {
        let (server, came, dropped) = closing(ends);
        let told = run(&server.url(), step);
        told.assert_code(0).assert_all_ok(400);
        let (came, dropped) = (came.load(Ordering::SeqCst), dropped.load(Ordering::SeqCst));
        assert_eq!(came, 400 + dropped);
        let resent = told.total("resent");
        if let [Ends::Taken] = ends {
            assert!(dropped > 0);
            assert_eq!(came, told.total("samples") + resent);
        }
        // Those that met a closed door were never taken.
        assert!(resent >= dropped, "{resent} {dropped}");
    }
}

#[test]
fn what_must_not_be_done_twice_is_not_sent_again() {
    let (server, came, dropped) = closing(&[Ends::Taken]);
    let told = run(&server.url(), "post: /, body: hello");
    let dropped = dropped.load(Ordering::SeqCst);
    assert!(dropped > 0);
    assert_eq!(told.total("errors"), dropped);
    assert_eq!((told.total("samples"), told.total("resent")), (400, 0));
    assert_eq!(came.load(Ordering::SeqCst), 400);
}

#[test]
fn a_new_connection_that_is_closed_is_a_failure() {
    let server = RawServer::start(|mut stream| raw::read_head(&mut stream).map(drop));
    let told = run(&server.url(), "get: /");
    assert_eq!((told.total("errors"), told.total("resent")), (400, 0));
    assert_eq!(server.connections(), 400);
}

/// JMeter's HttpClient gives up unless it is told otherwise.
#[test]
fn a_jmeter_plan_follows_its_properties() {
    let plan = |url: &str, method: &str| {
        let (host, port) = url.trim_start_matches("http://").split_once(':').unwrap();
        format!(
            r#"<jmeterTestPlan version="1.2" properties="5.0" jmeter="5.6.3"><hashTree>
<TestPlan testname="p" enabled="true"/><hashTree>
<ThreadGroup testname="g" enabled="true"><elementProp name="ThreadGroup.main_controller" elementType="LoopController">
<boolProp name="LoopController.continue_forever">false</boolProp>
<stringProp name="LoopController.loops">60</stringProp></elementProp>
<stringProp name="ThreadGroup.num_threads">1</stringProp>
<boolProp name="ThreadGroup.same_user_on_next_iteration">true</boolProp></ThreadGroup><hashTree>
<HTTPSamplerProxy testname="h" enabled="true"><stringProp name="HTTPSampler.domain">{host}</stringProp>
<stringProp name="HTTPSampler.port">{port}</stringProp><stringProp name="HTTPSampler.path">/</stringProp>
<stringProp name="HTTPSampler.method">{method}</stringProp>
<boolProp name="HTTPSampler.use_keepalive">true</boolProp></HTTPSamplerProxy><hashTree/>
</hashTree></hashTree></hashTree></jmeterTestPlan>"#
        )
    };
    let run = |method: &str, properties: &[&str]| {
        let (server, came, dropped) = closing(&[Ends::Taken]);
        let bench = Bench::new();
        bench.write("plan.jmx", plan(&server.url(), method));
        let args = [
            "run",
            "plan.jmx",
            "--quiet",
            "--summary-json",
            "summary.json",
        ];
        let told = bench.call(&[&args, properties].concat());
        let (came, dropped) = (came.load(Ordering::SeqCst), dropped.load(Ordering::SeqCst));
        assert!(dropped > 0);
        assert_eq!(
            came,
            told.total("samples") + told.total("resent"),
            "{told:?}"
        );
        (
            told.total("errors") == dropped,
            told.total("resent") == dropped,
        )
    };
    let (lost, resent) = ((true, false), (false, true));
    let once = "httpclient4.retrycount=1";
    let sent = "httpclient4.request_sent_retry_enabled=true";
    assert_eq!(run("GET", &[]), lost);
    assert_eq!(run("GET", &["-J", once]), resent);
    assert_eq!(run("POST", &["-J", once]), lost);
    assert_eq!(run("POST", &["-J", once, "-J", sent]), resent);
}

/// Responds until it is out of descriptors; who comes then stays in the kernel's queue.
const OUT_OF_DESCRIPTORS: &str = "
import socket, threading
listener = socket.socket()
listener.bind(('127.0.0.1', 0))
listener.listen(128)
print(listener.getsockname()[1], flush=True)
def talk(client):
    while client.recv(65536):
        client.sendall(b'HTTP/1.1 200 OK\\r\\nContent-Length: 2\\r\\n\\r\\nhi')
kept = []
try:
    while True:
        kept.append(listener.accept()[0])
        threading.Thread(target=talk, args=kept[-1:], daemon=True).start()
except OSError:
    threading.Event().wait()
";

#[test]
fn a_service_out_of_descriptors_does_not_hold_the_runs_end() {
    let mut command = Command::new("prlimit");
    command.args(["--nofile=40:40", "python3", "-c", OUT_OF_DESCRIPTORS]);
    let Ok(mut service) = command.stdout(Stdio::piped()).spawn() else {
        eprintln!("skipped: prlimit is not installed");
        return;
    };
    let mut port = String::new();
    let mut out = BufReader::new(service.stdout.take().unwrap());
    out.read_line(&mut port).unwrap();
    let plan = format!(
        "target: http://127.0.0.1:{}\nusers: 60\nduration: 2s\ngrace: 1s\nsteps: [{{get: /}}]\n",
        port.trim()
    );
    let told = Bench::new().plan(&plan, &[]);
    service.kill().unwrap();
    service.wait().unwrap();
    assert_eq!(told.total("errors"), 0);
    assert!(told.total("samples") > 0);
    let unheard = told.total("cut_off");
    assert!((20..60).contains(&unheard), "{unheard} without a response");
}
