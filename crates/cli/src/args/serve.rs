//! Arguments of `serve`.

use std::net::SocketAddr;

use clap::Args;

use super::values::RunsDir;

/// `serve`.
#[derive(Debug, Clone, Args)]
pub struct ServeArgs {
    /// Where the runs lie.
    #[command(flatten)]
    pub runs: RunsDir,
    /// Address and port.
    #[arg(long, value_name = "ADDRESS:PORT", default_value = "127.0.0.1:8089")]
    pub listen: SocketAddr,
    /// Open the page in the browser.
    #[arg(long)]
    pub open: bool,
}
