//! Others hear of runs: requests to addresses that an administrator names, signed, tried again, and logged.

mod book;
mod delivery;
mod desk;
mod message;
mod send;
mod sign;

pub(crate) use book::{WebhookChange, WebhookEvent, WebhookKept, WebhookKind, WebhookOrder};
pub(crate) use delivery::WebhookDelivery;
pub(crate) use desk::WebhookDesk;
