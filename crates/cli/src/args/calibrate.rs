//! Arguments of `calibrate`.

use std::path::PathBuf;

use clap::Args;

/// `calibrate`.
#[derive(Debug, Clone, Args)]
pub struct CalibrateArgs {
    /// A constant page to load in place of the built-in one.
    #[arg(value_name = "URL")]
    pub url: Option<String>,
    /// The most users that are tried.
    #[arg(long, alias = "connections", short = 'c', value_name = "N", default_value_t = 256, value_parser = clap::value_parser!(u32).range(1..=100_000))]
    pub users: u32,
    /// A connection for each request.
    #[arg(long)]
    pub no_keep_alive: bool,
    /// Load threads.
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..=1_024))]
    pub threads: Option<u32>,
    /// Do not check certificates.
    #[arg(short = 'k', long = "insecure")]
    pub insecure: bool,
    /// Seconds that each number of users is held.
    #[arg(long, value_name = "N", default_value_t = 3, value_parser = clap::value_parser!(u32).range(2..=600))]
    pub step_seconds: u32,
    /// For programs.
    #[arg(long)]
    pub json: bool,
    /// The file for the result as JSON.
    #[arg(long, short = 'o', value_name = "FILE")]
    pub output: Option<PathBuf>,
    /// Keep nothing: the result is only shown.
    #[arg(long)]
    pub no_save: bool,
    /// No progress, no table.
    #[arg(long)]
    pub quiet: bool,
}
