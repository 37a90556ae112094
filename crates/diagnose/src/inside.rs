//! Whether it was shown that nothing limits. A lock or a pool inside a process whose inside nobody
//! sees looks like nothing: no resource is exhausted, and the requests in flight are somewhere.

use plimsoll_stats::series::EntityKind;
use plimsoll_text::Message;

use crate::cpu::of_processes;
use crate::figures::tenths;
use crate::plateau;
use crate::processes::{is_database, is_loaded, is_store_or_proxy, may_have_requests, stacks_of};
use crate::scene::Scene;

/// With fewer requests in flight than this hardly one waits for another.
pub(crate) const ALONE: f64 = 1.5;
/// What is seen of this share of the requests in flight shows what they do.
const SHOWN: f64 = 0.5;
/// Beside databases, stores and proxies, which other rules look into.
const KNOWN: &[&str] = &["envoy", "plimsoll"];
/// So many names are told.
const NAMES: usize = 3;

/// What to do where nothing was found to limit, and nothing shows that nothing does; none where it
/// was shown: requests hardly meet, threads or CPUs say what they do, or throughput rose with the load.
#[must_use]
pub fn unseen(scene: &Scene<'_>) -> Option<Message> {
    let in_flight = scene.in_flight();
    if in_flight < ALONE || plateau::rises(scene) {
        return None;
    }
    let processes = scene.things(EntityKind::Process);
    let mut loaded = processes.iter().filter(|process| is_loaded(scene, process));
    let dumped = loaded.any(|process| stacks_of(scene, process).is_some());
    let busy = scene.stacks().iter().map(crate::stacks::Stacks::busy);
    let used = of_processes(scene);
    let on_way = used
        .iter()
        .filter(|cpu| may_have_requests(scene, &cpu.process));
    let computing = on_way.map(|cpu| cpu.used).sum::<f64>();
    if dumped || busy.fold(computing, f64::max) >= SHOWN * in_flight {
        return None;
    }
    let names = names(scene);
    Some(
        Message::new("diagnosis-missing-inside")
            .with("in_flight", tenths(in_flight))
            .with("ms", (scene.service_s() * 1e4).round() / 10.0)
            .with("count", names.len())
            .with("names", names.join(", ")),
    )
}

/// The processes whose inside is not seen: those that the load comes to, else those with the most
/// CPU.
fn names(scene: &Scene<'_>) -> Vec<String> {
    let is_hidden = |name: &str| {
        let is_known = KNOWN.iter().any(|known| name.starts_with(known));
        !is_known && !is_database(name) && !is_store_or_proxy(name)
    };
    let all = of_processes(scene).into_iter().map(|cpu| cpu.process);
    let hidden =
        all.filter(|process| is_hidden(&process.name) && stacks_of(scene, process).is_none());
    let (loaded, others): (Vec<_>, Vec<_>) = hidden.partition(|process| is_loaded(scene, process));
    let told = if loaded.is_empty() { others } else { loaded };
    told.into_iter()
        .map(|process| process.name)
        .take(NAMES)
        .collect()
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use crate::DiagnosisOutcome;
    use crate::testing::{Chance, Made};

    fn told(made: &Made) -> (DiagnosisOutcome, Option<String>) {
        let diagnosis = made.diagnose();
        let mut missing = diagnosis.missing.iter();
        let inside = missing.find(|missing| missing.id == "diagnosis-missing-inside");
        (
            diagnosis.outcome,
            inside.map(|inside| format!("{inside:?}")),
        )
    }

    #[test]
    fn a_lock_that_nobody_can_see_is_not_nothing() {
        // 30 users at a Python server that lets one through for 10 ms: the blind trial's.
        let made = Made::load(98.0, 309.0).at("http://127.0.0.1:21001/lock");
        let (outcome, inside) = told(&made.process("python3[21001]", 0.2, 2.0));
        assert_eq!(outcome, DiagnosisOutcome::Insufficient);
        assert!(inside.unwrap().contains("python3[21001]"));
    }

    #[test]
    fn nothing_is_said_only_where_it_was_shown() {
        let mut chance = Chance(3);
        for _ in 0..200 {
            let number = |from: i64, to: i64| f64::from(i32::try_from(from + to).unwrap());
            let rate = number(chance.below(400), 5);
            let in_flight = number(chance.below(100), 2);
            let made = || Made::load(rate, in_flight / rate * 1e3).at("http://h:8000/");
            let hidden = |name: &str| made().process(name, 0.3, 2.0);
            for name in ["python3[8000]", "node[8000]", "shopd[8000]", "java[8000]"] {
                assert_eq!(
                    told(&hidden(name)).0,
                    DiagnosisOutcome::Insufficient,
                    "{name}"
                );
            }
            // Loads that brought more throughput show it, whatever is inside.
            let rates = [(1.0, rate / 8.0), (2.0, rate / 4.0), (8.0, rate)];
            let stepped = hidden("python3[8000]").steps(&rates);
            if rate > 100.0 {
                assert_eq!(told(&stepped), (DiagnosisOutcome::Nothing, None));
            }
        }
        // One request at a time waits for no other.
        let alone = Made::load(90.0, 11.0).process("python3[8000]", 0.2, 2.0);
        assert_eq!(told(&alone), (DiagnosisOutcome::Nothing, None));
        // The requests in flight are on the CPUs, which have room.
        let computes = Made::load(100.0, 30.0).process("shopd[8000]", 2.9, 4.0);
        assert_eq!(told(&computes), (DiagnosisOutcome::Nothing, None));
    }

    #[test]
    fn threads_of_a_jvm_show_what_it_does() {
        let sleeps = ["java.lang.Thread.sleep", "shop.Page.show"];
        let made = Made::load(100.0, 200.0).at("http://127.0.0.1:8080/");
        let made = made.process("java[8080]", 0.2, 2.0);
        let made = made.threads(&[(20, &sleeps)]);
        assert_eq!(told(&made), (DiagnosisOutcome::Healthy, None));
        assert!(made.diagnose().is_pause());
    }
}
