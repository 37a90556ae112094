//! What a newcomer meets: the README's commands, help and summary on a terminal, files that cannot
//! be written, plans that do nothing.

#![allow(clippy::unwrap_used, clippy::expect_used)]

#[path = "../common/mod.rs"]
mod common;
#[path = "../support/http.rs"]
#[allow(dead_code)]
mod http;

mod files;
mod readme;
mod said;
mod trials;
mod width;
