//! The commands, one file each.

mod agent;
mod calibrate;
mod capacity;
mod captures;
mod check;
mod compare;
mod completions;
mod convert;
mod diagnose;
mod doctor;
mod help;
mod hops;
mod init;
mod list;
mod man;
mod once;
mod remote;
mod report;
mod run;
mod schema;
mod serve;
mod show;
mod size;
mod tune;
mod watch;
mod worker;
mod workers;

use plimsoll_text::Lang;

use crate::args::{Cli, Command};

/// Does what the command line says, in that language; gives the exit code.
#[must_use]
pub fn dispatch(cli: Cli, lang: Lang) -> u8 {
    if let Some(server) = &cli.server {
        return remote::run(server, &cli.command, lang);
    }
    let code = match cli.command {
        Command::Init(args) => init::run(&args, lang),
        Command::Run(args) => run::run(&args, lang),
        Command::Check(args) => check::run(&args, lang),
        Command::Once(args) => once::run(&args, lang),
        Command::Report(args) => report::run(&args, lang),
        Command::Show(args) => show::run(&args, lang),
        Command::Captures(args) => captures::run(&args, lang),
        Command::List(args) => list::run(&args, lang),
        Command::Diagnose(args) => diagnose::run(&args, lang),
        Command::Compare(args) => compare::run(&args, lang),
        Command::Calibrate(args) => calibrate::run(&args, lang),
        Command::Capacity(args) => capacity::run(&args, lang),
        Command::Hops(args) => hops::run(&args, lang),
        Command::Size(args) => size::run(&args, lang),
        Command::Tune(args) => tune::run(&args, lang),
        Command::Convert(args) => convert::run(&args, lang),
        Command::Serve(args) => serve::run(&args, lang),
        Command::Schema(args) => schema::run(&args, lang),
        Command::Worker(args) => worker::run(&args, lang),
        Command::Workers(args) => workers::run(&args, lang),
        Command::Agent(args) => agent::run(args, lang),
        Command::Watch(args) => watch::run(&args, lang),
        Command::Doctor(args) => doctor::run(&args, lang),
        Command::Completions(args) => completions::run(&args, lang),
        Command::Man(args) => man::run(&args, lang),
        Command::Help(args) => help::run(&args, lang),
    };
    crate::kept::exit_code(code, lang)
}
