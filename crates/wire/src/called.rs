//! Hops by sockets of the file system, as calls told them.

use crate::connection::Followed;
use crate::report::{HopClient, HopServer};
use crate::sampled::SampledLook;

/// Hops by sockets of the file system, as calls told them.
#[derive(Default)]
pub struct CalledHops(pub(crate) Vec<CalledPair>);

/// The connections of one client's process at one server.
pub(crate) struct CalledPair {
    pub(crate) sides: (HopClient, HopServer),
    pub(crate) share: f64,
    pub(crate) followed: Vec<Followed>,
    /// How many waited to be accepted at each look.
    pub(crate) looks: Vec<SampledLook>,
}
