//! The inspector of a Node.js process (`--inspect`): a profile with the names of functions, where captures are allowed.

use plimsoll_stats::series::EntityKind;
use plimsoll_text::Message;

use crate::capture::Level;
use crate::captures::node_profile::NodeProfile;
use crate::collector::Trouble;
use crate::collectors::entities::Entities;
use crate::http::{EndpointAccess, OriginClient};
use crate::source::{Opened, Spec};

/// Opens an inspector by its address. Nothing is asked every second.
pub(crate) fn open(spec: &Spec) -> Result<Opened, Trouble> {
    let access = EndpointAccess::of(spec, "/")?;
    let client = OriginClient::new(access);
    if spec.level < Level::Capture {
        let message = Message::new("watch-node-level").with("url", client.shown());
        return Err(Trouble::new(message));
    }
    // The same thing as the process, whose stacks have no names.
    let entity = Entities::of(spec, &client.authority()).get(EntityKind::Process);
    Ok(Opened {
        collectors: Vec::new(),
        captures: vec![Box::new(NodeProfile::new(client, entity))],
    })
}
