//! Load from many machines: what a run adds to `plimsoll-fleet`: how plans travel, which engine
//! works on a share, and where the one result goes.

pub mod engine;
pub mod files;
pub mod package;
pub mod planned;
pub mod present;
pub mod results;
pub mod resume;
pub mod run;
pub mod samples;
pub mod told;

mod share;

use std::sync::Arc;

use plimsoll_fleet::controller::{Desk, Now};
use plimsoll_fleet::link::Link;
use plimsoll_fleet::link::nats::{NatsLink, NatsOptions, Secret};
use plimsoll_load::clock::boottime_ns;
use plimsoll_text::Message;
use tokio::runtime::Runtime;

use crate::NatsSettings;

/// The options of a connection, what is not given taken from the environment; and a warning, if a
/// connection to another host need not be encrypted.
///
/// # Errors
/// A file of the environment's that cannot be read.
pub fn nats_options(
    settings: &NatsSettings,
    name: &str,
) -> Result<(NatsOptions, Option<Message>), Message> {
    let defaults = NatsOptions::default();
    let options = NatsOptions {
        servers: settings.servers.iter().map(Secret::new).collect(),
        prefix: settings.prefix.clone().unwrap_or(defaults.prefix),
        name: name.to_owned(),
        user: settings.user.clone(),
        nkey_file: settings.nkey_file.clone(),
        credentials_file: settings.credentials_file.clone(),
        ca_file: settings.ca_file.clone(),
        certificate_file: settings.certificate_file.clone(),
        key_file: settings.key_file.clone(),
        ..NatsOptions::default()
    };
    let variable = |name: &str| std::env::var(name).ok();
    let options = options.or_from(variable).map_err(|error| error.0)?;
    let unencrypted = options.unencrypted();
    let warning = (!unencrypted.is_empty()).then(|| {
        let servers = plimsoll_report::printable(&unencrypted.join(", "));
        Message::new("nats-unencrypted").with("servers", servers)
    });
    Ok((options, warning))
}

/// What the connection runs on: a thread of its own, so that it goes on while results are
/// merged or written.
///
/// # Errors
/// What the system refuses.
pub fn runtime() -> Result<Runtime, Message> {
    let runtime = tokio::runtime::Builder::new_multi_thread()
        .worker_threads(1)
        .thread_name("fleet")
        .enable_all()
        .build();
    runtime.map_err(|error| Message::new("fleet-no-runtime").with("reason", error.to_string()))
}

/// Connects to NATS.
///
/// # Errors
/// Why it cannot be reached.
pub fn connect(runtime: &Runtime, options: &NatsOptions) -> Result<Arc<dyn Link>, Message> {
    let link = runtime.block_on(NatsLink::connect(options));
    let link: Arc<dyn Link> = Arc::new(link.map_err(|error| error.0)?);
    Ok(link)
}

/// A controller's desk: the link, and the clock that goes on while the host is suspended.
#[must_use]
pub fn desk(link: Arc<dyn Link>) -> Desk {
    let now: Now = Arc::new(boottime_ns);
    Desk { link, now }
}

/// What has to be added to that clock for the time of day, Unix ns.
#[must_use]
pub fn to_unix_ns() -> i64 {
    let unix = std::time::SystemTime::now().duration_since(std::time::UNIX_EPOCH);
    let unix_ns = i128::try_from(unix.unwrap_or_default().as_nanos()).unwrap_or(0);
    i64::try_from(unix_ns - i128::from(boottime_ns())).unwrap_or(0)
}

/// A token that nobody else has: 16 hexadecimal digits.
#[must_use]
pub fn token() -> String {
    format!("{:016x}", fastrand::u64(..))
}
