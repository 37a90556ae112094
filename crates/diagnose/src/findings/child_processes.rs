//! Programs that a server starts for its requests, which take the CPU that it would need.

use plimsoll_stats::names;
use plimsoll_stats::series::Entity;
use plimsoll_text::Message;

use super::Rule;
use crate::about::object;
use crate::cpu::{CpuUse, HOST_FULL, ended_children, of_processes};
use crate::figures::hundredths;
use crate::model::{Advice, Exhibit, Explains, Finding, Layer, ShareOf};
use crate::processes::{is_database, stacks_of};
use crate::scene::Scene;
use crate::stacks::{SeenThread, most_common};

pub const RULE: Rule = Rule {
    ids: &["child_processes"],
    refuted_by: "children that take little of the CPU, or a CPU with room",
    look,
};

/// They matter when they use so much of what the server may use.
const SHARE_OF_CPU: f64 = 0.25;
/// What may be used is exhausted from this share on.
const FULL: f64 = 0.85;
/// Where Java starts a program or waits for it.
const STARTS: &[&str] = &["java.lang.ProcessImpl.", "java.lang.ProcessBuilder."];

fn look(scene: &Scene<'_>) -> Vec<Finding> {
    let all = of_processes(scene);
    all.iter().filter_map(|cpu| finding(scene, cpu)).collect()
}

fn finding(scene: &Scene<'_>, cpu: &CpuUse) -> Option<Finding> {
    // What a database forks are its own workers: for connections, and for parts of a statement.
    if is_database(&cpu.process.name) {
        return None;
    }
    let used = ended_children(scene, &cpu.process)?;
    if used < SHARE_OF_CPU * cpu.limit {
        return None;
    }
    let all = used + cpu.used;
    let is_full = all >= FULL * cpu.limit || cpu.host_used >= HOST_FULL;
    let layer = Layer::cause_if(is_full);
    let explains = Explains::new(used / all, ShareOf::Throughput);
    let starts = starter(scene, &cpu.process);
    let code = starts.as_ref().map_or(&cpu.process.name, |(code, _)| code);
    let text = Message::new("exhibit-child-processes")
        .with("used", hundredths(used))
        .with("own", hundredths(cpu.used))
        .with("limit", hundredths(cpu.limit));
    let why = Message::new("advice-child-processes").with("code", code.as_str());
    let about = object("process", code.as_str(), &cpu.process);
    let finding = Finding::new("child_processes", layer, about, explains)
        .with("used", hundredths(used))
        .shows(Exhibit::new(text).series(names::process::CHILD_CPU_TIME))
        .advises(Advice::code(why))
        .shows_all(starts.map(|(_, shown)| shown));
    Some(Finding {
        confidence: 0.9,
        source: "USE method, Gregg 2012; cutime and cstime in proc_pid_stat(5)",
        ..finding
    })
}

/// The code that starts them, by the threads of a JVM that do or that wait for one.
fn starter(scene: &Scene<'_>, process: &Entity) -> Option<(String, Exhibit)> {
    let stacks = stacks_of(scene, process)?;
    let (code, seen) = most_common(stacks.threads.iter().filter(|seen| starts(seen)))?;
    let text = Message::new("exhibit-child-started").with("code", code.as_str());
    let shown = Exhibit::new(text).capture(seen.capture, seen.lines());
    Some((code, shown))
}

fn starts(seen: &SeenThread) -> bool {
    let mut top = seen.thread.frames.iter().take(6);
    top.any(|frame| STARTS.iter().any(|call| frame.method.starts_with(call)))
}

#[cfg(test)]
#[allow(clippy::unwrap_used, clippy::expect_used)]
mod tests {
    use plimsoll_stats::series::EntityKind;

    use super::super::tests::{JVM, with};
    use crate::model::Layer;
    use crate::testing::{Made, thing};

    const WAITS: (&str, &str) = (
        "WAITING (on object monitor)",
        "\tat java.lang.Object.wait(Native Method)\n\tat java.lang.ProcessImpl.waitFor(P.java:4)\n\
         \tat shop.Thumbnail.make(Thumbnail.java:5)\n",
    );

    #[test]
    fn programs_that_requests_start_are_named_by_who_starts_them() {
        let made = |used: f64, own: f64| {
            let process = thing(EntityKind::Process, JVM);
            let made = Made::load(100.0, 100.0).process(JVM, own, 2.0);
            let made = made.counter(&process, "process.child.cpu.time", &[], used);
            with(made, &[(9, WAITS)])
        };
        let found = |used, own| made(used, own).find("child_processes");
        let finding = found(1.6, 0.2).unwrap();
        assert_eq!(finding.object.name, "shop.Thumbnail.make");
        assert_eq!(finding.layer, Layer::Cause);
        assert!((finding.explains.share - 0.89).abs() < 0.01, "{finding:?}");
        assert_eq!(made(1.6, 0.2).diagnose().findings[0].id, "child_processes");
        // Workers of a database are the database.
        let database = thing(EntityKind::Process, "postgres[5432]");
        let own = Made::load(100.0, 100.0).process("postgres[5432]", 1.0, 2.0);
        let own = own.counter(&database, "process.child.cpu.time", &[], 0.9);
        assert_eq!(own.find("child_processes"), None);
        // There is CPU left; they use hardly any.
        assert_eq!(found(0.7, 0.2).unwrap().layer, Layer::Hint);
        assert_eq!(found(0.3, 1.6), None);
    }
}
