//! Runs on a workbench elsewhere (`--server`).

mod follow;
mod link;
mod order;

pub use follow::follow;
pub use link::{RemoteError, ServerLink};
pub use order::order;
