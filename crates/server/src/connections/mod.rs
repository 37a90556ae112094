//! Connections: how many there may be, of one address and in all, and how long each may take for what it sends.

mod body;
mod newcomers;
mod places;
mod serving;

pub(crate) use body::paced;
pub(crate) use places::ConnectionPlaces;
pub(crate) use serving::serve;
