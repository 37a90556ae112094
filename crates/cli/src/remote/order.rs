//! What is asked of a workbench: the plan, its files and the load, as the command line says it.

use std::path::{Path, PathBuf};

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use plimsoll_run::fleet::files::uses;
use plimsoll_run::reasons::file_failed;
use plimsoll_run::{LoadSettings, PlanSource, ReadyPlan};
use plimsoll_text::Message;
use serde_json::{Map, Value, json};

use crate::args::RunArgs;

/// The order for the runs of a command line. `ready` is the plan as it is here: its files are sent with it.
///
/// # Errors
/// Options that a workbench does not take, files that cannot be read or lie elsewhere.
pub fn order(args: &RunArgs, ready: &ReadyPlan) -> Result<Value, Message> {
    if let Some(option) = not_taken(args) {
        return Err(Message::new("remote-option").with("option", option));
    }
    let source = PlanSource::from(&args.source);
    let mut order = load(args);
    if source.is_url() {
        order.insert("url".to_owned(), source.plan.clone().into());
        return Ok(order.into());
    }
    let path = Path::new(&source.plan);
    let text = std::fs::read_to_string(path).map_err(|error| file_failed(path, &error))?;
    order.insert("plan".to_owned(), text.into());
    order.insert("name".to_owned(), ready.plan.name.clone().into());
    let set: Map<String, Value> = source
        .set
        .into_iter()
        .map(|(name, value)| (name, value.into()))
        .collect();
    order.insert("set".to_owned(), set.into());
    let folder = path.parent().map_or_else(PathBuf::new, Path::to_path_buf);
    order.insert("files".to_owned(), files(ready, &folder)?.into());
    Ok(order.into())
}

/// The first option that was given and that a workbench does not take.
fn not_taken(args: &RunArgs) -> Option<&'static str> {
    let (load, source) = (&args.load, &args.source);
    [
        (args.fleet.workers.is_some(), "--workers"),
        (args.fleet.resume.is_some(), "--resume"),
        (args.repeat > 1, "--repeat"),
        (args.probe.is_some(), "--probe"),
        (args.jtl.is_some(), "--jtl"),
        (!args.report.is_empty(), "--report"),
        (load.threads.is_some(), "--threads"),
        (load.pin, "--pin"),
        (load.time_all_receives, "--time-all-receives"),
        (load.watch.len() > 1, "--watch"),
        (load.watch_allow_capture, "--watch-allow-capture"),
        (!load.outputs.is_empty(), "--output"),
        (!source.allow_host.is_empty(), "--allow-host"),
        (source.method.is_some(), "-X"),
        (!source.headers.is_empty(), "-H"),
        (source.data.is_some(), "-d"),
        (source.insecure, "-k"),
        (source.timeout.is_some(), "--timeout"),
        (!source.jmeter.properties.is_empty(), "-J"),
        (!source.jmeter.global.is_empty(), "-G"),
        (!source.jmeter.system.is_empty(), "-D"),
        (!source.jmeter.system_files.is_empty(), "-S"),
        (!source.jmeter.files.is_empty(), "-q"),
        (!source.jmeter.plugins.is_empty(), "--plugins"),
    ]
    .into_iter()
    .find_map(|(is_given, option)| is_given.then_some(option))
}

fn load(args: &RunArgs) -> Map<String, Value> {
    let settings = LoadSettings::from(&args.load);
    let seconds = |time: std::time::Duration| format!("{}ms", time.as_millis());
    let rate = settings
        .load
        .rate
        .map(|rate| format!("{}/s", rate.as_per_second()));
    let values = json!({
        "users": settings.load.users,
        "rate": rate,
        "duration": settings.load.duration.map(seconds),
        "ramp_up": settings.load.ramp_up.map(seconds),
        "warm_up": settings.warm_up.map(seconds),
        "iterations": settings.load.iterations_per_user,
        "max_in_flight": settings.load.max_in_flight,
        "seed": settings.seed,
        "watch": settings.watch.first(),
        "goals": settings.goals,
    });
    let Value::Object(mut values) = values else {
        return Map::new();
    };
    values.retain(|_, value| !value.is_null());
    values
}

/// The files that a plan reads, in base64, under the names that it has for them.
fn files(ready: &ReadyPlan, folder: &Path) -> Result<Vec<Value>, Message> {
    let mut names: Vec<String> = Vec::new();
    for used in uses(&ready.program).into_iter().filter(|used| used.read) {
        match (&used.path, used.is_inside()) {
            (Some(path), true) => names.push(path.clone()),
            (Some(path), false) => {
                let message = Message::new("remote-file-elsewhere").with("path", path.as_str());
                return Err(message.with("what", used.what));
            }
            // It is named while the plan runs; what it is nobody knows here.
            (None, _) => crate::say::err(&format!("{}: ?", used.what)),
        }
    }
    names.sort();
    names.dedup();
    let sent = names.into_iter().map(|name| {
        let path = folder.join(&name);
        let bytes = std::fs::read(&path).map_err(|error| file_failed(&path, &error))?;
        let name = name.trim_start_matches("./");
        Ok(json!({"name": name, "base64": STANDARD.encode(bytes)}))
    });
    sent.collect()
}
