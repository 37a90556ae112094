//! `plimsoll serve`: the workbench in a browser; `plimsoll serve user`: who may log in there.

mod password;

use std::process::{Command, Stdio};
use std::time::Duration;

use plimsoll_run::fleet::nats_options;
use plimsoll_run::{Interrupt, NatsSettings};
use plimsoll_server::{CertificateFiles, UserDesk, UserRole, Workbench, WorkbenchSettings};
use plimsoll_text::{Lang, Message};

use crate::args::ServeArgs;
use crate::interrupt::interrupt_by_signals;
use crate::tell::{BAD_USE, fail, say, tell_warning};

/// How often it is looked whether there was a signal.
const PERIOD: Duration = Duration::from_millis(100);

/// Runs `plimsoll serve`; gives the exit code: 0 once it was ended by a signal, 2 if it could not begin.
#[must_use]
pub fn run(args: &ServeArgs, lang: Lang) -> u8 {
    if !args.what.is_empty() {
        return match managed(args, lang) {
            Ok(()) => 0,
            Err(message) => fail(&message, lang, BAD_USE),
        };
    }
    let nats = match nats(args, lang) {
        Ok(nats) => nats,
        Err(message) => return fail(&message, lang, BAD_USE),
    };
    let version = env!("CARGO_PKG_VERSION").to_owned();
    let files = args.tls_cert.clone().zip(args.tls_key.clone());
    let settings = WorkbenchSettings {
        login: args.login,
        names: args.names.clone(),
        certificate: files.map(|(certificate, key)| CertificateFiles { certificate, key }),
        allows: args.allows.clone(),
        allow_hosts: args.allow_hosts.clone(),
        allow_webhooks: args.allow_webhooks.clone(),
        monitor: args.monitor.clone(),
        nats,
        ..WorkbenchSettings::new(args.runs.out.clone(), args.listen, version)
    };
    let workbench = match Workbench::open(settings) {
        Ok(workbench) => workbench,
        Err(message) => return fail(&message, lang, BAD_USE),
    };
    let url = workbench.url();
    tell(&workbench, &url, lang);
    if args.open {
        open_in_browser(&url);
    }
    let interrupt = interrupt_by_signals();
    match workbench.serve(async move { until_signalled(&interrupt).await }) {
        Ok(()) => 0,
        Err(message) => fail(&message, lang, BAD_USE),
    }
}

/// Where workers are asked who is there; none: nobody says it.
fn nats(args: &ServeArgs, lang: Lang) -> Result<Option<NatsSettings>, Message> {
    if args.nats.nats.is_empty() && std::env::var_os("PLIMSOLL_NATS").is_none() {
        return Ok(None);
    }
    let settings = NatsSettings::from(&args.nats);
    let (_, warning) = nats_options(&settings, "plimsoll serve")?;
    tell_warning(warning.as_ref(), lang);
    Ok(Some(settings))
}

/// Where it is, and what whoever started it must know.
fn tell(workbench: &Workbench, url: &str, lang: Lang) {
    if !workbench.cut_short().is_empty() {
        let runs = workbench.cut_short().join(", ");
        say(&Message::new("serve-cut-short").with("runs", runs), lang);
    }
    if let Some(fingerprint) = workbench.fingerprint() {
        let message = Message::new("serve-fingerprint");
        say(&message.with("fingerprint", fingerprint.to_string()), lang);
    }
    if let Some(code) = workbench.first_code() {
        say(&Message::new("serve-first-code").with("code", code), lang);
    }
    if workbench.loads_nothing() {
        say(&Message::new("serve-loads-nothing"), lang);
    }
    say(&Message::new("serve-begins").with("url", url), lang);
}

/// Does what is asked for with users.
fn managed(args: &ServeArgs, lang: Lang) -> Result<(), Message> {
    let what: Vec<&str> = args.what.iter().map(String::as_str).collect();
    let desk = UserDesk::open(&args.runs.out)?;
    match what[..] {
        ["user", "list"] => {
            let users = desk.list()?;
            if users.is_empty() {
                say(&Message::new("serve-no-users"), lang);
            }
            for (user, role) in users {
                crate::say::out(&format!("{user}\t{role}\n"));
            }
            Ok(())
        }
        ["user", "add", user] => {
            let role = args.role.unwrap_or(UserRole::Look);
            desk.add(user, role, &password::read(user, lang)?)?;
            let message = Message::new("serve-user-added").with("user", user);
            say(&message.with("role", role.name()), lang);
            Ok(())
        }
        ["user", "password", user] => {
            desk.alter(user, None, Some(&password::read(user, lang)?))?;
            say(&Message::new("serve-user-changed").with("user", user), lang);
            Ok(())
        }
        ["user", "role", user] if args.role.is_some() => {
            desk.alter(user, args.role, None)?;
            say(&Message::new("serve-user-changed").with("user", user), lang);
            Ok(())
        }
        ["user", "remove", user] => {
            desk.remove(user)?;
            say(&Message::new("serve-user-removed").with("user", user), lang);
            Ok(())
        }
        _ => Err(Message::new("serve-user-how").with("what", what.join(" "))),
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
