//! HAProxy: queues, sessions, errors and times of frontends, backends and servers, by its stats
//! socket or its page; its settings.

mod config;
mod process;
mod status;

use plimsoll_stats::series::{Entity, EntityKind};

use self::process::HaproxyProcess;
use self::status::{HaproxyPage, HaproxySocket};
use crate::collector::Trouble;
use crate::collectors::entities::host_of;
use crate::collectors::places::SocketPlace;
use crate::collectors::server::{ServerAddress, ServerPlace};
use crate::http::{EndpointAccess, OriginClient};
use crate::proc::host::hostname;
use crate::source::{Opened, Spec};

/// Opens a HAProxy by its stats socket (a path, or `host:port`), the URL of its page, or its
/// process (`pid:N`), whose configuration names the socket.
pub(crate) fn open(spec: &Spec) -> Result<Opened, Trouble> {
    let address = spec.address.trim();
    let named = |usual: String| spec.options.get("name").cloned().unwrap_or(usual);
    let entity = |name, host| Entity::new(EntityKind::Proxy, named(name), host);
    let pid = address
        .strip_prefix("pid:")
        .and_then(|pid| pid.parse().ok());
    let mut opened = Opened::default();
    if let Some(pid) = pid {
        let host = spec.host.clone().unwrap_or_else(hostname);
        let process = HaproxyProcess::new(pid, entity("haproxy".to_owned(), host));
        opened.collectors.push(Box::new(process));
    } else if address.starts_with("http://") || address.starts_with("https://") {
        let client = OriginClient::new(EndpointAccess::of(spec, "/stats;csv")?);
        let authority = client.authority();
        let port = authority.rsplit(':').next().unwrap_or_default();
        let entity = entity(format!("haproxy:{port}"), host_of(spec, &authority));
        opened
            .collectors
            .push(Box::new(HaproxyPage { entity, client }));
    } else {
        let address = ServerAddress::of(spec, 9999, None)?;
        let host = host_of(spec, &address.authority);
        let place = match address.place {
            ServerPlace::Unix(path) => SocketPlace::Unix(path.into()),
            ServerPlace::Tcp(host, port) => SocketPlace::Tcp(host, port),
        };
        let entity = entity(format!("haproxy:{}", place.short_name()), host);
        opened
            .collectors
            .push(Box::new(HaproxySocket { entity, place }));
    }
    Ok(opened)
}
