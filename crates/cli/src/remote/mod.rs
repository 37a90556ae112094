//! Runs on a workbench elsewhere (`--server`).

mod follow;
mod order;

pub use follow::follow;
pub use order::order;
