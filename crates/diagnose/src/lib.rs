//! What limits a service, and what shows it.
pub mod evidence;
pub mod model;
pub mod scene;
pub mod stacks;
