//! What this binary is: version, commit, what it was built for and what it can do.

use plimsoll_text::{Lang, Message, render};

/// The commit it was built from, as `make build` and `make dist` hand it to the compiler; a plain
/// `cargo build` knows of none.
const COMMIT: Option<&str> = option_env!("PLIMSOLL_COMMIT");

/// The steps of plans that are not plain HTTP, and what runs beside requests.
const PROTOCOLS: &str = "http/1.1 websocket sse";

/// The version, and below it what else is to be known, a line each.
pub fn long(lang: Lang) -> String {
    let commit = COMMIT.filter(|commit| !commit.is_empty());
    let commit = commit.map_or_else(
        || render(lang, &Message::new("version-no-commit")),
        str::to_owned,
    );
    let message = Message::new("version-long")
        .with("commit", commit)
        .with("built", built())
        .with("protocols", PROTOCOLS)
        .with(
            "sources",
            names(plimsoll_watch::SOURCES.iter().map(|kind| kind.name)),
        )
        .with(
            "formats",
            names(plimsoll_report::exporters().iter().map(|form| form.name())),
        )
        .with("jmeter", "5.6.3");
    format!("{}\n{}", env!("CARGO_PKG_VERSION"), render(lang, &message))
}

fn names(of: impl Iterator<Item = &'static str>) -> String {
    of.collect::<Vec<_>>().join(" ")
}

/// Processor, system, C library, and what differs from other builds.
fn built() -> String {
    let libc = match (
        cfg!(target_env = "musl"),
        cfg!(target_feature = "crt-static"),
    ) {
        (true, true) => "musl-static",
        (true, false) => "musl",
        (false, true) => "glibc-static",
        (false, false) => "glibc",
    };
    let mut parts = vec![std::env::consts::ARCH, std::env::consts::OS, libc];
    // Stacks are unwound from the registers of this processor alone.
    if cfg!(target_arch = "x86_64") {
        parts.push("cpu-samples");
    }
    if cfg!(debug_assertions) {
        parts.push("debug");
    }
    parts.join(" ")
}
