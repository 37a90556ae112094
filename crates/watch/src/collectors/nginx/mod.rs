//! nginx and OpenResty: stub_status, error and access log, workers, settings.

mod access_log;
mod config;
mod error_log;
mod found;
pub(crate) mod in_force;
mod logs;
mod process;
pub(crate) mod status;
mod tail;

use std::cell::RefCell;
use std::rc::Rc;
use std::sync::Arc;

use plimsoll_stats::series::{Entity, EntityKind};

use crate::capture::Level;
use crate::collector::Trouble;
use crate::collectors::entities::{host_of, is_loopback};
use crate::http::{EndpointAccess, OriginClient};
use crate::proc::host::hostname;
use crate::proc::log_file::LogFile;
use crate::source::{Opened, Spec};
use found::NginxFound;

/// Options of nginx, beside those of every endpoint.
pub(crate) const OPTIONS: &[&str] = &["name", "pid", "error-log", "access-log", "log-format"];

/// Opens nginx by the address of its stub_status. Without one only logs, workers and settings
/// are looked at, on this host.
pub(crate) fn open(spec: &Spec) -> Result<Opened, Trouble> {
    let mut opened = Opened::default();
    let address = spec.address.as_str();
    let client = match address {
        "" => None,
        _ => Some(OriginClient::new(EndpointAccess::of(spec, "/stub_status")?)),
    };
    let authority = client.as_ref().map(OriginClient::authority);
    let port = authority
        .as_deref()
        .and_then(|text| text.rsplit_once(':')?.1.parse().ok());
    let entity = entity(spec, authority.as_deref(), port);
    let local = spec.options.contains_key("pid")
        || entity.host == hostname()
        || authority.as_deref().is_none_or(is_loopback);
    let path = |name: &str| spec.options.get(name).map(LogFile::named);
    let found = Rc::new(RefCell::new(NginxFound {
        error_log: path("error-log"),
        access_log: path("access-log"),
        log_format: spec.options.get("log-format").cloned(),
    }));
    if let Some(client) = client {
        let status = status::NginxStatus::new(client, Arc::clone(&entity));
        opened.collectors.push(Box::new(status));
    }
    if local {
        let pid = spec.options.get("pid").and_then(|text| text.parse().ok());
        let may_read = spec.level >= Level::Capture;
        let process =
            process::NginxProcess::new(Arc::clone(&entity), pid, port, may_read, Rc::clone(&found));
        opened.collectors.push(Box::new(process));
    }
    let named = path("error-log").is_some() || path("access-log").is_some();
    if local || named {
        opened
            .collectors
            .push(Box::new(logs::Logs::new(entity, found)));
    }
    Ok(opened)
}

/// `nginx:80`, unless the option `name` says otherwise.
fn entity(spec: &Spec, authority: Option<&str>, port: Option<u16>) -> Arc<Entity> {
    let name = spec.options.get("name").cloned();
    let name = name.unwrap_or_else(|| match port {
        Some(port) => format!("nginx:{port}"),
        None => "nginx".to_owned(),
    });
    Entity::new(
        EntityKind::Proxy,
        name,
        host_of(spec, authority.unwrap_or("localhost")),
    )
}
