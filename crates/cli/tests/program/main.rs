//! The program itself: its version, help, completions and manual pages; what it says of the host;
//! plans that it makes of curl command lines.

#![allow(clippy::unwrap_used, clippy::expect_used)]

#[path = "../common/mod.rs"]
mod common;
#[path = "../support/http.rs"]
#[allow(dead_code)]
mod http;

mod about;
mod ci;
mod curl;
mod doctor;
mod init;
