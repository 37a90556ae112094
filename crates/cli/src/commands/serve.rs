//! `plimsoll serve`: the workbench in a browser.

use std::process::{Command, Stdio};
use std::time::Duration;

use plimsoll_run::Interrupt;
use plimsoll_server::{Workbench, WorkbenchSettings};
use plimsoll_text::{Lang, Message};

use crate::args::ServeArgs;
use crate::interrupt::interrupt_by_signals;
use crate::tell::{BAD_USE, fail, say};

/// How often it is looked whether there was a signal.
const PERIOD: Duration = Duration::from_millis(100);

/// Runs `plimsoll serve`; gives the exit code: 0 once it was ended by a signal, 2 if it could not begin.
#[must_use]
pub fn run(args: &ServeArgs, lang: Lang) -> u8 {
    let settings = WorkbenchSettings {
        runs: args.runs.out.clone(),
        listen: args.listen,
        version: env!("CARGO_PKG_VERSION").to_owned(),
    };
    let workbench = match Workbench::open(settings) {
        Ok(workbench) => workbench,
        Err(message) => return fail(&message, lang, BAD_USE),
    };
    let url = format!("http://{}/", workbench.address());
    if !workbench.cut_short().is_empty() {
        let runs = workbench.cut_short().join(", ");
        say(&Message::new("serve-cut-short").with("runs", runs), lang);
    }
    say(
        &Message::new("serve-begins").with("url", url.as_str()),
        lang,
    );
    if args.open {
        open_in_browser(&url);
    }
    let interrupt = interrupt_by_signals();
    match workbench.serve(async move { until_signalled(&interrupt).await }) {
        Ok(()) => 0,
        Err(message) => fail(&message, lang, BAD_USE),
    }
}

async fn until_signalled(interrupt: &Interrupt) {
    while !interrupt.is_hit() {
        tokio::time::sleep(PERIOD).await;
    }
}

/// The address was printed: where there is no browser nothing is lost.
fn open_in_browser(url: &str) {
    let _ = Command::new("xdg-open")
        .arg(url)
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .spawn();
}
