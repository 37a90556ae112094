//! NATS, if runs over workers are meant to go over one.

use plimsoll_doctor::{Examined, Grade};
use plimsoll_run::fleet::{connect, nats_options, runtime};
use plimsoll_text::Message;

use crate::args::NatsArgs;

/// Connects to the servers that the arguments or the environment name.
pub(super) fn examine(args: &NatsArgs) -> Examined {
    let named = std::env::var_os("PLIMSOLL_NATS").filter(|value| !value.is_empty());
    if args.nats.is_empty() && named.is_none() {
        let mut unused = Examined::good("nats", Message::new("doctor-nats-unused"))
            .fact("named", false)
            .fact("reached", false);
        unused.grade = Grade::Unused;
        return unused;
    }
    let reached = runtime().and_then(|runtime| {
        let (options, warning) = nats_options(&args.into(), "plimsoll doctor")?;
        connect(&runtime, &options).map(|_| warning)
    });
    let is_reached = reached.is_ok();
    let told = |says| {
        Examined::good("nats", says)
            .fact("named", true)
            .fact("reached", is_reached)
    };
    match reached {
        Ok(warning) => {
            let mut examined = told(Message::new("doctor-nats-good"));
            if let Some(warning) = warning {
                examined.cost(Grade::Limited, warning);
            }
            examined
        }
        Err(reason) => {
            let mut examined = told(reason);
            examined.cost(Grade::Bad, Message::new("doctor-nats-costs"));
            if let Some(command) = server_here(args) {
                examined.mend(command);
            }
            examined
        }
    }
}

/// The command that starts a server where one was looked for, if that is on this host.
fn server_here(args: &NatsArgs) -> Option<String> {
    let environment = std::env::var("PLIMSOLL_NATS").unwrap_or_default();
    let first = args.nats.first().unwrap_or(&environment);
    let first = first.split(',').next().unwrap_or_default();
    let with_scheme = match first.contains("://") {
        true => first.to_owned(),
        false => format!("nats://{first}"),
    };
    let url = url::Url::parse(&with_scheme).ok()?;
    let host = url.host_str()?.trim_matches(['[', ']']);
    let is_here = host == "localhost"
        || host
            .parse::<std::net::IpAddr>()
            .is_ok_and(|address| address.is_loopback());
    let port = url.port().unwrap_or(4222);
    is_here.then(|| format!("nats-server --addr {host} --port {port}"))
}
