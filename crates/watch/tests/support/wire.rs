//! The capture of requests between processes, taken by tests.

use std::time::{Duration, SystemTime, UNIX_EPOCH};

use plimsoll_watch::{Artifact, Level, Moment, Spec, Trouble};
use serde_json::Value;

pub fn now_ns() -> u64 {
    let now = SystemTime::now().duration_since(UNIX_EPOCH).unwrap();
    u64::try_from(now.as_nanos()).unwrap()
}

/// Takes the capture, without a watcher; with what it lacks.
pub fn take() -> (Vec<Artifact>, Option<Trouble>) {
    let mut spec = Spec::parse("host").unwrap();
    spec.level = Level::Capture;
    let mut opened = spec.open().unwrap();
    let mut all = opened.captures.iter_mut();
    let capture = all.find(|capture| capture.kind() == "wire").unwrap();
    assert!(capture.at(Moment::Steady) && !capture.at(Moment::Start) && capture.is_aside());
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build()
        .unwrap();
    let taken = runtime.block_on(capture.take(Moment::Request.into()));
    let lacking = capture.lacking();
    // It is told once.
    assert_eq!(capture.lacking(), None);
    (taken.unwrap(), lacking)
}

/// The report of what was taken; none where packets are refused, which is said.
pub fn report(taken: &(Vec<Artifact>, Option<Trouble>)) -> Option<Value> {
    if let Some(trouble) = &taken.1 {
        assert_eq!(trouble.message.id, "watch-wire-refused");
        eprintln!("skipped: {trouble}");
        return None;
    }
    Some(serde_json::from_slice(&taken.0[0].bytes).unwrap())
}

/// What was on the wire while something was done, all of which was looked at; none without the right.
pub fn during<T>(mut work: impl FnMut() -> T) -> Option<(Value, T)> {
    // On a busy machine the look may begin too late or end too early; then it tells nothing.
    for _ in 0..10 {
        let taking = std::thread::spawn(take);
        std::thread::sleep(Duration::from_millis(1_200));
        let began_ns = now_ns();
        let done = work();
        let ended_ns = now_ns();
        let report = report(&taking.join().unwrap())?;
        let from_ns = report["from_unix_ns"].as_u64().unwrap();
        let lasts_ns = (report["lasts_ms"].as_f64().unwrap() * 1e6) as u64;
        // Beside others' load only a part of the connections may be followed.
        let calls = &report["calls"]["connections_share"];
        let whole = report["connections_share"] == 1.0 && (calls.is_null() || calls == 1.0);
        if whole && from_ns <= began_ns && ended_ns <= from_ns + lasts_ns {
            assert_eq!(report["packets_dropped"], 0);
            return Some((report, done));
        }
        let share = &report["connections_share"];
        eprintln!("again: {from_ns} {began_ns} {ended_ns} {lasts_ns} {share}");
    }
    panic!("the machine is too busy to look at anything whole");
}

/// The only hop to a port.
pub fn hop(report: &Value, port: u16) -> &Value {
    let suffix = format!(":{port}");
    let all = report["hops"].as_array().unwrap().iter();
    let to_port = |hop: &&Value| {
        hop["server"]["address"]
            .as_str()
            .unwrap()
            .ends_with(&suffix)
    };
    let found: Vec<&Value> = all.filter(to_port).collect();
    assert_eq!(found.len(), 1, "{port} in {report:#}");
    found[0]
}

pub fn number(value: &Value, path: &str) -> f64 {
    let found = value.pointer(path).and_then(Value::as_f64);
    found.unwrap_or_else(|| panic!("{path} in {value:#}"))
}
