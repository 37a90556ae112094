//! `plimsoll doctor`: what this host allows, what that costs, and the command that mends it.

mod nats;
mod text;

use plimsoll_doctor::{Examined, Grade, SCHEMA_VERSION, examine};
use plimsoll_run::environment::host_name;
use plimsoll_text::Lang;
use serde_json::{Value, json};

use crate::args::DoctorArgs;
use crate::say::out;

/// Exit code where runs would fail or their figures be wrong.
const BAD: u8 = 1;

/// Runs `plimsoll doctor`; gives the exit code.
#[must_use]
pub fn run(args: &DoctorArgs, lang: Lang) -> u8 {
    let mut all = examine(&args.runs.out);
    all.push(nats::examine(&args.nats));
    match args.json {
        true => out(&format!("{:#}\n", as_json(&all))),
        false => out(&text::shown(&all, crate::say::screen().columns, lang)),
    }
    match all.iter().any(|one| one.grade == Grade::Bad) {
        true => BAD,
        false => 0,
    }
}

fn as_json(all: &[Examined]) -> Value {
    let checks: Vec<Value> = all.iter().map(check).collect();
    let worst = all.iter().map(|one| one.grade).max();
    json!({
        "schema_version": SCHEMA_VERSION,
        "plimsoll_version": env!("CARGO_PKG_VERSION"),
        "host": host_name(),
        "worst": worst.unwrap_or(Grade::Good).name(),
        "checks": checks,
    })
}

fn check(one: &Examined) -> Value {
    let commands: Vec<&str> = one
        .remedies
        .iter()
        .map(|remedy| remedy.0.as_str())
        .collect();
    let costs: Vec<&str> = one.costs.iter().map(|cost| cost.id.as_str()).collect();
    json!({
        "id": one.id,
        "grade": one.grade.name(),
        "facts": one.facts,
        "costs": costs,
        "commands": commands,
    })
}
