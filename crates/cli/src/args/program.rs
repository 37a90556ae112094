//! Arguments of the commands about the program itself.

use std::path::PathBuf;

use clap::{Args, ValueEnum};

use super::fleet::NatsArgs;
use super::values::RunsDir;

/// `completions`.
#[derive(Debug, Clone, Args)]
pub struct CompletionsArgs {
    /// The shell.
    #[arg(value_enum, value_name = "SHELL")]
    pub shell: ShellName,
}

/// Shells that command lines are completed in.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum ShellName {
    /// GNU Bash with bash-completion.
    Bash,
    /// Zsh.
    Zsh,
    /// Fish.
    Fish,
}

/// `man`.
#[derive(Debug, Clone, Args)]
pub struct ManArgs {
    /// The command; by default the program.
    #[arg(value_name = "COMMAND")]
    pub topic: Option<String>,
    /// Write all pages into this folder.
    #[arg(long, short = 'o', value_name = "DIR", conflicts_with = "topic")]
    pub output: Option<PathBuf>,
}

/// `help`.
#[derive(Debug, Clone, Args)]
pub struct HelpArgs {
    /// The command; by default the program.
    #[arg(value_name = "COMMAND")]
    pub topic: Option<String>,
}

/// `doctor`.
#[derive(Debug, Clone, Args)]
pub struct DoctorArgs {
    /// As JSON.
    #[arg(long)]
    pub json: bool,
    /// Where runs lie.
    #[command(flatten)]
    pub runs: RunsDir,
    /// How NATS is reached.
    #[command(flatten)]
    pub nats: NatsArgs,
}
