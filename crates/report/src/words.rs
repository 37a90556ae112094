//! What a run keeps in English, in the language of a report: loads, names of things that were
//! watched and where rules come from.

use plimsoll_stats::series::Entity;
use plimsoll_text::{Lang, Message};

use crate::document::Say;

/// A thing that was watched.
#[must_use]
pub fn entity(entity: &Entity) -> Message {
    let kind = entity.kind.name().replace('_', "-");
    let id = match entity.name.as_str() {
        "" => "report-entity-host-only",
        _ => "report-entity",
    };
    Message::new(id)
        .with("kind", Message::new(format!("report-entity-{kind}")))
        .with("name", entity.name.as_str())
        .with("host", entity.host.as_str())
}

/// What stands before and after the figure of a part of a load, and its message.
const LOADS: [(&str, &str, &str); 6] = [
    ("users: ", "", "load-users"),
    ("ramp-up ", " s", "load-ramp-up"),
    ("hold ", " s", "load-hold"),
    ("iterations: ", "", "load-iterations"),
    ("iterations in all: ", "", "load-iterations-total"),
    ("at most ", " in flight", "load-max-in-flight"),
];

/// A load as a run keeps it, for a person.
#[must_use]
pub fn load_text(text: &str, lang: Lang) -> String {
    load(text, Say(lang))
}

/// A load as a run keeps it, such as `users: 50, ramp-up 10 s, hold 60 s`.
pub(crate) fn load(text: &str, say: Say) -> String {
    let stages = text.split("; ").map(|stage| {
        let parts = stage.split(", ").map(|part| load_part(part, say));
        parts.collect::<Vec<_>>().join(comma(say))
    });
    stages.collect::<Vec<_>>().join(semicolon(say))
}

fn load_part(part: &str, say: Say) -> String {
    let known = LOADS.iter().find_map(|(before, after, id)| {
        let figure = part.strip_prefix(before)?.strip_suffix(after)?;
        Some(Message::new(*id).with("figure", figure))
    });
    let rate = || {
        let (rate, seconds) = part.strip_prefix("rate: ")?.split_once(" for ")?;
        let message = Message::new("load-rate").with("rate", rate);
        Some(message.with("seconds", seconds.strip_suffix(" s")?))
    };
    known
        .or_else(rate)
        .map_or_else(|| part.to_owned(), |message| say.message(&message))
}

/// What of the sources of rules is words, and not the name of a standard, manual or counter.
const SOURCES: [(&str, &str); 49] = [
    ("sampling of stacks", "source-sampling-stacks"),
    (
        "CPU samples of the kernel (perf_event_open(2))",
        "source-cpu-samples",
    ),
    (
        "names of the programs' own functions",
        "source-own-functions",
    ),
    (
        "Little's law over stacks of waiting threads",
        "source-little-stacks",
    ),
    (
        "requests and their calls counted on the wire",
        "source-calls-on-wire",
    ),
    ("sampling: thread dumps", "source-sampling"),
    (
        "sessions kept = rate × time-out (Little's law)",
        "source-sessions",
    ),
    ("share of time at safepoints for GC", "source-safepoints"),
    (
        "java.lang.System.gc, HotSpot's DisableExplicitGC",
        "source-explicit-gc",
    ),
    ("iostat(1), %util and await", "source-iostat"),
    (
        "run_delay in /proc/PID/task/TID/schedstat",
        "source-run-delay",
    ),
    (
        "index of dispersion, Cox and Lewis 1966",
        "source-dispersion",
    ),
    (
        "nginx, ngx_http_limit_req_module and ngx_http_limit_conn_module",
        "source-limit-modules",
    ),
    (
        "nginx, ngx_core_module and ngx_http_upstream_module",
        "source-nginx-modules",
    ),
    (
        "SNMP counter TcpExt ListenOverflows",
        "source-listen-overflows",
    ),
    ("SNMP counter Tcp RetransSegs", "source-retransmissions"),
    ("RFC 9110, section 15", "source-status-codes"),
    ("RFC 9112, section 9.3", "source-persistence"),
    ("RFC 6585, section 4", "source-too-many-requests"),
    ("RFC 6298, section 2", "source-retransmission-timer"),
    ("Little's law", "source-little"),
    (
        "Little's law over requests in flight",
        "source-little-in-flight",
    ),
    (
        "utilization law over the states of the event loop's thread",
        "source-loop-states",
    ),
    ("Little's law over thread dumps", "source-little-dumps"),
    (
        "Little's law: waiting at once = seconds of wait a second",
        "source-little-waiting",
    ),
    (
        "Little's law: connections busy = rate × time",
        "source-little-connections",
    ),
    (
        "Little's law: busy threads = throughput × time",
        "source-little-threads",
    ),
    (
        "jdk.JavaMonitorEnter, Little's law over its waits",
        "source-little-jfr",
    ),
    (
        "async-profiler's lock profile, Little's law over its waits",
        "source-little-profiler",
    ),
    ("one query for each row (N+1)", "source-query-for-each-row"),
    (
        "one round trip for each key (N+1)",
        "source-trip-for-each-key",
    ),
    (
        "performance_schema's statement digests, SUM_NO_INDEX_USED",
        "source-digests",
    ),
    ("Handler_read_rnd_next and Select_scan", "source-scans"),
    ("the client's own times of each phase", "source-phases"),
    ("the client's own errors by kind", "source-kinds"),
    ("USE method, Gregg 2012", "source-use"),
    ("cutime and cstime in proc_pid_stat(5)", "source-children"),
    (
        "commands run one after the other: utilization of one thread",
        "source-one-thread",
    ),
    ("utilization law", "source-utilization"),
    (
        "utilization law, Denning and Buzen 1978",
        "source-utilization-paper",
    ),
    (
        "time of a hop loaded alone less that of the next",
        "source-hop-alone",
    ),
    ("nested times of the hops", "source-hops"),
    (
        "permutation test over shifts in time, Besag and Clifford 1989",
        "source-permutation",
    ),
    (
        "RFC 9110, section 15: a server that serves responds",
        "source-responds",
    ),
    (
        "RFC 9293, section 3.3.2: CLOSE-WAIT waits for the local user",
        "source-close-wait",
    ),
    (
        "RFC 1122, section 4.2.3.2 (delayed acknowledgements)",
        "source-delayed",
    ),
    ("bytes read for each request over time", "source-bytes-read"),
    ("rule of thumb", "source-rule-of-thumb"),
    (
        "nginx, ngx_core_module: worker_connections counts both sides",
        "source-worker-connections",
    ),
];

const CASES: [(&str, &str); 2] = [
    ("field cases ", "source-field-cases"),
    ("field case ", "source-field-case"),
];

/// Where a rule comes from; standards, manuals, papers and counters keep their names.
pub(crate) fn source(text: &str, say: Say) -> String {
    let parts = text.split("; ").map(|part| {
        let words = SOURCES.iter().find(|(words, _)| *words == part);
        let cases = CASES
            .iter()
            .find_map(|(word, id)| Some((*id, part.strip_prefix(word)?)));
        match (words, cases) {
            (Some((_, id)), _) => say.text(id),
            (None, Some((id, cases))) => say.message(&Message::new(id).with("cases", cases)),
            (None, None) => part.to_owned(),
        }
    });
    parts.collect::<Vec<_>>().join(semicolon(say))
}

/// What stands between the parts of a list.
pub(crate) fn comma(say: Say) -> &'static str {
    match say.0 {
        Lang::En => ", ",
        Lang::Zh => "，",
    }
}

/// What stands between longer parts.
pub(crate) fn semicolon(say: Say) -> &'static str {
    match say.0 {
        Lang::En => "; ",
        Lang::Zh => "；",
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use std::path::Path;

    use super::*;

    #[test]
    fn loads_are_told_in_the_language_of_the_report() {
        let text = "users: 50, ramp-up 10 s, hold 60 s; iterations in all: 7";
        assert_eq!(load(text, Say(Lang::En)), text);
        assert_eq!(
            load(text, Say(Lang::Zh)),
            "用户数 50，加压 10 s，保持 60 s；总迭代数 7"
        );
        let rate = "rate: 5/s..50/s for 30 s; at most 100 in flight";
        assert_eq!(load(rate, Say(Lang::En)), rate);
        assert_eq!(
            load(rate, Say(Lang::Zh)),
            "到达率 5/s..50/s，持续 30 s；最多同时执行 100 个用户"
        );
        assert_eq!(load("whatever it is", Say(Lang::Zh)), "whatever it is");
    }

    /// The sources of the rules, as their files name them.
    fn sources(folder: &Path, found: &mut Vec<String>) {
        for entry in std::fs::read_dir(folder).unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() {
                sources(&path, found);
                continue;
            }
            let text = std::fs::read_to_string(&path).unwrap();
            let literals = text.split("source: \"").skip(1);
            let literals = literals.chain(text.split("source = \"").skip(1));
            found.extend(literals.filter_map(|rest| Some(rest.split_once('"')?.0.to_owned())));
        }
    }

    #[test]
    fn sources_of_rules_are_no_english_sentences() {
        /// Titles keep their language.
        const TITLES: [&str; 1] = ["Redis, Diagnosing latency issues"];
        let rules = Path::new(env!("CARGO_MANIFEST_DIR")).join("../diagnose/src/findings");
        let mut found = Vec::new();
        sources(&rules, &mut found);
        assert!(found.len() > 30, "{found:?}");
        for text in found {
            assert_eq!(source(&text, Say(Lang::En)), text);
            let mut told = source(&text, Say(Lang::Zh));
            for title in TITLES {
                told = told.replace(title, "");
            }
            let words: Vec<&str> = told.split_whitespace().collect();
            let small =
                |word: &&str| word.len() > 1 && word.bytes().all(|b| b.is_ascii_lowercase());
            let english = words.windows(2).any(|two| two.iter().all(small));
            let joined = ["'s ", " and ", " in ", " section "];
            let english = english || joined.iter().any(|word| told.contains(word));
            assert!(!english, "{told}");
        }
    }
}
