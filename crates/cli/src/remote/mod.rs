//! Runs on a workbench elsewhere (`--server`).

mod follow;
mod interrupts;
mod order;

pub use follow::follow;
pub use interrupts::RemoteInterrupts;
pub use order::order;
