//! Go's pprof endpoints (`net/http/pprof`): what goroutines wait for, where captures are allowed.

use plimsoll_stats::series::EntityKind;
use plimsoll_text::Message;

use crate::capture::Level;
use crate::captures::goroutines::Goroutines;
use crate::collector::Trouble;
use crate::collectors::entities::Entities;
use crate::http::{EndpointAccess, OriginClient};
use crate::source::{Opened, Spec};

/// Where `net/http/pprof` has them.
const PATH: &str = "/debug/pprof";

/// Opens the endpoints by their base address. Nothing is asked every second: all goroutines stand still while they are
/// counted.
pub(crate) fn open(spec: &Spec) -> Result<Opened, Trouble> {
    let client = OriginClient::new(EndpointAccess::of(spec, PATH)?);
    if spec.level < Level::Capture {
        let message = Message::new("watch-pprof-level").with("url", client.shown());
        return Err(Trouble::new(message));
    }
    let entity = Entities::of(spec, &client.authority()).get(EntityKind::Application);
    Ok(Opened {
        collectors: Vec::new(),
        captures: vec![Box::new(Goroutines::new(client, entity))],
    })
}
