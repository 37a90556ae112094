//! `plimsoll completions`: what a shell completes command lines by.

use clap_complete::Shell;
use plimsoll_text::Lang;

use crate::args::{CompletionsArgs, ShellName};
use crate::help;
use crate::say::out_bytes;

/// Runs `plimsoll completions`; gives the exit code.
#[must_use]
pub fn run(args: &CompletionsArgs, lang: Lang) -> u8 {
    let shell = match args.shell {
        ShellName::Bash => Shell::Bash,
        ShellName::Zsh => Shell::Zsh,
        ShellName::Fish => Shell::Fish,
    };
    let mut script = Vec::new();
    // Both are read in more spellings than are offered.
    let mut command = help::plain(lang).mut_arg("lang", |lang| lang.value_parser(["en", "zh"]));
    clap_complete::generate(shell, &mut command, "plimsoll", &mut script);
    out_bytes(&script);
    0
}
