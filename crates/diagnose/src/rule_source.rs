//! Where rules come from, in the language of whoever reads it.

use plimsoll_text::{Lang, Message, render};

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

/// Faults that a rule was made for, by the numbers that its tests have: they say nothing to who reads a finding.
const CASES: [&str; 2] = ["field cases ", "field case "];

/// Where a rule comes from; standards, manuals, papers and counters keep their names. Empty: nothing that says anything
/// to others.
#[must_use]
pub fn source_text(source: &str, lang: Lang) -> String {
    let parts = source.split("; ");
    let told = parts.filter(|part| !CASES.iter().any(|case| part.starts_with(case)));
    let texts = told.map(|part| {
        let words = SOURCES.iter().find(|(words, _)| *words == part);
        words.map_or_else(
            || part.to_owned(),
            |(_, id)| render(lang, &Message::new(*id)),
        )
    });
    let between = match lang {
        Lang::En => "; ",
        Lang::Zh => "；",
    };
    texts.collect::<Vec<_>>().join(between)
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use std::path::Path;

    use super::*;

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
        let rules = Path::new(env!("CARGO_MANIFEST_DIR")).join("src/findings");
        let mut found = Vec::new();
        sources(&rules, &mut found);
        assert!(found.len() > 30, "{found:?}");
        for text in found {
            let known = source_text(&text, Lang::En);
            assert!(text.contains(&known), "{known}");
            let mut told = source_text(&text, Lang::Zh);
            assert!(
                !known.contains("field case") && !told.contains("案例"),
                "{told}"
            );
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
