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
            examined.mend("nats-server --addr 127.0.0.1 --port 4222");
            examined
        }
    }
}
