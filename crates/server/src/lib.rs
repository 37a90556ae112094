//! The workbench: runs over HTTP, live, with the UI inside.
//!
//! A [`Workbench`] serves a folder of runs. What it shows it reads from the store, also while a run goes on,
//! whoever makes it: a run of the command line in the same folder appears by itself. Runs that are asked of it
//! it makes with the crate `run`, one after the other.
//!
//! The interface is HTTP with JSON below `/api/v1`; its OpenAPI document ([`openapi`]) is made of the code. What
//! happens is server-sent events, each written once for all who watch (`live`).
//!
//! Beyond loopback people log in (`shared`): users with roles, sessions, tokens of programs, and what plans may do.
//!
//! This crate must not know arguments and terminals, how load is made, or how pages look.

mod app;
mod blocking;
mod bundle;
pub mod client;
mod connections;
mod data;
mod desk;
mod evidence;
mod guard;
mod hooks;
mod kept;
mod language;
mod library;
mod limit;
mod live;
mod machines;
mod monitor;
mod notes;
mod now;
mod page;
mod problem;
mod refusals;
mod respond;
mod routes;
mod schedules;
mod serve;
mod shared;
mod tls;

pub use routes::openapi;
pub use serve::{Workbench, WorkbenchSettings};
pub use shared::{ServerAllows, UserDesk, UserRole};
pub use tls::CertificateFiles;
