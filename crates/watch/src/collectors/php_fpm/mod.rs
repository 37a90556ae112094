//! PHP-FPM: processes and queue of each pool, by its status page; its settings.

mod config;
mod pools;
mod status;

use std::sync::Arc;

use plimsoll_stats::series::{Entity, EntityKind};

use self::pools::{Pools, Wanted, name_of};
use self::status::{PageStatus, PoolStatus};
use crate::collector::Trouble;
use crate::collectors::entities::{host_of, is_loopback};
use crate::collectors::places::SocketPlace;
use crate::collectors::server::{ServerAddress, ServerPlace};
use crate::http::{EndpointAccess, OriginClient};
use crate::proc::host::hostname;
use crate::source::{Opened, Spec};

pub(crate) use self::pools::{listens, masters};

/// Options of PHP-FPM, beside those of every endpoint.
pub(crate) const OPTIONS: &[&str] = &["name", "status-path"];

/// Opens pools: those of this host (no address, or `pid:N`), the one at `host:port` or a Unix
/// socket, or the one whose status a web server passes on (a URL).
pub(crate) fn open(spec: &Spec) -> Result<Opened, Trouble> {
    let address = spec.address.trim();
    if address.starts_with("http://") || address.starts_with("https://") {
        return page(spec);
    }
    let host = || spec.host.clone().unwrap_or_else(hostname);
    let pid = address.strip_prefix("pid:").map(str::parse);
    let wanted = match pid {
        _ if address.is_empty() => Some(Wanted::All),
        Some(Ok(pid)) => Some(Wanted::Master(pid)),
        _ => None,
    };
    match wanted {
        Some(wanted) => Ok(Opened {
            collectors: vec![Box::new(Pools::new(wanted, host()))],
            captures: Vec::new(),
        }),
        None => pool(spec),
    }
}

/// A pool by its own socket; its settings are looked for if it is on this host.
fn pool(spec: &Spec) -> Result<Opened, Trouble> {
    let address = ServerAddress::of(spec, 9000, None)?;
    let host = host_of(spec, &address.authority);
    let is_local = match &address.place {
        ServerPlace::Unix(_) => true,
        ServerPlace::Tcp(..) => is_loopback(&address.authority),
    };
    let place = match address.place {
        ServerPlace::Unix(path) => SocketPlace::Unix(path.into()),
        ServerPlace::Tcp(host, port) => SocketPlace::Tcp(host, port),
    };
    let at = name_of(&place);
    let name = spec.options.get("name").unwrap_or(&at);
    let entity = Entity::new(EntityKind::WebServer, name, host.as_str());
    let path = spec.options.get("status-path");
    let path = path.map_or("/status", String::as_str).to_owned();
    let mut opened = Opened::default();
    if is_local {
        let settings = Pools::named(Wanted::At(at), host, Arc::clone(&entity));
        opened.collectors.push(Box::new(settings));
    }
    let status = PoolStatus::new(entity, place, path);
    opened.collectors.push(Box::new(status));
    Ok(opened)
}

fn page(spec: &Spec) -> Result<Opened, Trouble> {
    let mut access = EndpointAccess::of(spec, "/status")?;
    if access.base.query().is_none() {
        access.base.set_query(Some("json"));
    }
    let client = OriginClient::new(access);
    let authority = client.authority();
    let port = authority.rsplit(':').next().unwrap_or_default();
    let name = spec.options.get("name").cloned();
    let name = name.unwrap_or_else(|| format!("php-fpm behind :{port}"));
    let entity = Entity::new(EntityKind::WebServer, name, host_of(spec, &authority));
    Ok(Opened {
        collectors: vec![Box::new(PageStatus { entity, client })],
        captures: Vec::new(),
    })
}
