//! Arguments of `serve`.

use std::net::SocketAddr;
use std::path::PathBuf;

use clap::Args;
use plimsoll_server::{ServerAllows, UserRole};
use plimsoll_text::Message;

use super::fleet::NatsArgs;
use super::values::RunsDir;
use crate::usage::UsageRefused;

/// `serve`.
#[derive(Debug, Clone, Args)]
pub struct ServeArgs {
    /// Users are managed: `user add NAME`; none: the workbench is served.
    #[arg(value_name = "user ACTION NAME", num_args = 0..=3)]
    pub what: Vec<String>,
    /// Where the runs lie.
    #[command(flatten)]
    pub runs: RunsDir,
    /// Address and port.
    #[arg(long, value_name = "ADDRESS:PORT", default_value = "127.0.0.1:8089")]
    pub listen: SocketAddr,
    /// Open the page in the browser.
    #[arg(long)]
    pub open: bool,
    /// Whoever calls must log in, also from this host.
    #[arg(long)]
    pub login: bool,
    /// A further name by which it is called.
    #[arg(long = "name", value_name = "HOST[:PORT]")]
    pub names: Vec<String>,
    /// The certificate of its TLS.
    #[arg(long, value_name = "FILE", requires = "tls_key")]
    pub tls_cert: Option<PathBuf>,
    /// The certificate's key.
    #[arg(long, value_name = "FILE", requires = "tls_cert")]
    pub tls_key: Option<PathBuf>,
    /// A host that may be loaded.
    #[arg(long = "allow-host", value_name = "HOST[:PORT]")]
    pub allow_hosts: Vec<String>,
    /// A host of an own network that webhooks may be sent to.
    #[arg(long = "allow-webhook", value_name = "HOST[:PORT]")]
    pub allow_webhooks: Vec<String>,
    /// What is allowed beside runs.
    #[arg(long = "allow", value_name = "WHAT", value_parser = allows)]
    pub allows: Vec<ServerAllows>,
    /// What is watched without load.
    #[arg(long, value_name = "SOURCE[=ADDRESS][,KEY=VALUE]")]
    pub monitor: Vec<String>,
    /// Where workers are asked who is there.
    #[command(flatten)]
    pub nats: NatsArgs,
    /// The role of a user that is added or changed.
    #[arg(long, value_name = "ROLE", value_parser = role)]
    pub role: Option<UserRole>,
}

fn allowed(values: &[&str]) -> UsageRefused {
    UsageRefused(Message::new("usage-allowed").with("values", values.join(", ")))
}

fn allows(text: &str) -> Result<ServerAllows, UsageRefused> {
    let known = ServerAllows::ALL.iter().find(|(_, name)| *name == text);
    known
        .map(|(allows, _)| *allows)
        .ok_or_else(|| allowed(&ServerAllows::ALL.map(|(_, name)| name)))
}

fn role(text: &str) -> Result<UserRole, UsageRefused> {
    text.parse()
        .map_err(|()| allowed(&UserRole::ALL.map(UserRole::name)))
}
