//! What options of several commands are read by, and what they share.

use std::path::PathBuf;
use std::time::Duration;

use clap::Args;
use plimsoll_plan::model::Rate;
use plimsoll_plan::units::{parse_duration, parse_rate};
use plimsoll_text::{Lang, Message};

use crate::usage::UsageRefused;

/// Where runs lie.
#[derive(Debug, Clone, Args)]
pub struct RunsDir {
    /// Folder of the runs.
    #[arg(long, value_name = "DIR", default_value = "plimsoll-runs")]
    pub out: PathBuf,
}

/// A language by its code.
///
/// # Errors
/// One that there is not.
pub fn parse_lang(text: &str) -> Result<Lang, UsageRefused> {
    let codes: Vec<&str> = Lang::ALL.iter().map(|lang| lang.code()).collect();
    Lang::parse(text)
        .ok_or_else(|| UsageRefused(Message::new("usage-allowed").with("values", codes.join(", "))))
}

/// A time such as `500ms`.
///
/// # Errors
/// What is none.
pub fn duration(text: &str) -> Result<Duration, UsageRefused> {
    parse_duration(text).ok_or_else(|| UsageRefused::because("usage-wants-duration"))
}

/// A rate such as `100/s`.
///
/// # Errors
/// What is none.
pub fn rate(text: &str) -> Result<Rate, UsageRefused> {
    parse_rate(text).ok_or_else(|| UsageRefused::because("usage-wants-rate"))
}

/// `NAME=VALUE`.
///
/// # Errors
/// Without a name.
pub fn parse_pair(text: &str) -> Result<(String, String), UsageRefused> {
    let pair = text
        .split_once('=')
        .filter(|(name, _)| !name.trim().is_empty());
    pair.map(|(name, value)| (name.trim().to_owned(), value.to_owned()))
        .ok_or_else(|| UsageRefused::because("usage-wants-pair"))
}

/// A percentage of 0 or more, as a number: `5` or `5%`.
///
/// # Errors
/// What is none.
pub fn percentage(text: &str) -> Result<f64, UsageRefused> {
    let number = text.strip_suffix('%').unwrap_or(text).trim().parse::<f64>();
    let number = number
        .ok()
        .filter(|number| number.is_finite() && *number >= 0.0);
    number.ok_or_else(|| UsageRefused::because("usage-wants-tolerance"))
}
