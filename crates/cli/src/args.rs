//! The command line. Help texts are those of `locales/*/help.ftl`, put in by [`crate::help`].

mod calibrate;
mod capacity;
mod fleet;
pub mod hops;
mod program;
mod run;
mod serve;
mod tune;
mod values;

use std::net::SocketAddr;
use std::path::PathBuf;
use std::time::Duration;

use clap::{Args, Parser, Subcommand, ValueEnum};
use plimsoll_text::Lang;
use plimsoll_watch::agent::DEFAULT_PORT;

pub use self::calibrate::CalibrateArgs;
pub use self::capacity::{CapacityArgs, SizeArgs};
pub use self::fleet::{NatsArgs, WorkerArgs, WorkersArgs};
pub use self::hops::HopsArgs;
pub use self::program::{CompletionsArgs, DoctorArgs, HelpArgs, ManArgs, ShellName};
pub use self::run::{JMeterArgs, LoadArgs, RunArgs, SourceArgs};
pub use self::serve::ServeArgs;
pub use self::tune::TuneArgs;
pub use self::values::{RunsDir, parse_lang};
use self::values::{duration, parse_pair, percentage};

/// Everything the command line may say.
#[derive(Debug, Parser)]
#[command(name = "plimsoll", version, disable_help_subcommand = true)]
pub struct Cli {
    /// Language of texts for people.
    #[arg(long, global = true, value_parser = parse_lang)]
    pub lang: Option<Lang>,
    /// The workbench that makes the runs.
    #[arg(long, value_name = "URL")]
    pub server: Option<String>,
    /// What to do.
    #[command(subcommand)]
    pub command: Command,
}

/// The commands.
#[derive(Debug, Subcommand)]
pub enum Command {
    /// Make a plan of a URL, a curl command line or a JMeter plan.
    Init(ConvertArgs),
    /// Load a service and say how it did.
    Run(Box<RunArgs>),
    /// Check a plan and print what it compiles to.
    Check(CheckArgs),
    /// One user, one iteration, every request and response shown.
    Once(OnceArgs),
    /// Make a report of a run.
    Report(ReportArgs),
    /// Show a run's aggregate report.
    Show(ShowArgs),
    /// What was seen and captured of the target during a run.
    Captures(CapturesArgs),
    /// Say what limited a run.
    Diagnose(DiagnoseArgs),
    /// List the runs.
    List(RunsDir),
    /// Compare runs.
    Compare(Box<CompareArgs>),
    /// Search the most load that meets the goals.
    Capacity(Box<CapacityArgs>),
    /// Load each hop of a chain alone.
    Hops(Box<HopsArgs>),
    /// Measure what this load generator can do at most.
    Calibrate(CalibrateArgs),
    /// Change settings, read them back, measure again, keep what helps.
    Tune(Box<TuneArgs>),
    /// Serve the workbench: runs in a browser, live.
    Serve(ServeArgs),
    /// Calculate how much load to expect and what it needs.
    Size(SizeArgs),
    /// Turn a JMeter plan or a curl command line into a plan.
    Convert(ConvertArgs),
    /// Print a JSON Schema.
    Schema(SchemaArgs),
    /// Make load for controllers on other hosts.
    Worker(WorkerArgs),
    /// List the workers.
    Workers(WorkersArgs),
    /// Let a controller on another host watch this one.
    Agent(AgentArgs),
    /// Show what happens on the target, without load.
    Watch(WatchArgs),
    /// Say what this host allows.
    Doctor(Box<DoctorArgs>),
    /// Print what a shell completes command lines by.
    Completions(CompletionsArgs),
    /// Print or write manual pages.
    Man(ManArgs),
    /// Print the help of a command.
    Help(HelpArgs),
}

/// `check`.
#[derive(Debug, Clone, Args)]
pub struct CheckArgs {
    /// What to check.
    #[command(flatten)]
    pub source: SourceArgs,
    /// Only say whether it is right.
    #[arg(long, conflicts_with = "operations")]
    pub quiet: bool,
    /// Show what it compiles to.
    #[arg(long)]
    pub operations: bool,
}

/// `once`.
#[derive(Debug, Clone, Args)]
pub struct OnceArgs {
    /// What to run.
    #[command(flatten)]
    pub source: SourceArgs,
    /// Show bodies up to so many bytes; 0: whole.
    #[arg(long, value_name = "N", default_value_t = 2000)]
    pub body_bytes: usize,
}

/// `report`.
#[derive(Debug, Clone, Args)]
pub struct ReportArgs {
    /// The run: a folder, a unique prefix of its name, last, last~N; several for an acceptance
    /// report.
    #[arg(value_name = "RUN", default_value = "last")]
    pub run: Vec<String>,
    /// What is told: of one run, or what people hand in.
    #[arg(long, value_enum, default_value_t = ReportForm::Run)]
    pub form: ReportForm,
    /// The format.
    #[arg(long, value_name = "NAME")]
    pub format: Option<String>,
    /// Prints all errors with their samples.
    #[arg(long, conflicts_with_all = ["format", "form", "output"])]
    pub errors: bool,
    /// Title of an acceptance report.
    #[arg(long, value_name = "TEXT")]
    pub title: Option<String>,
    /// Who tested.
    #[arg(long, value_name = "NAME")]
    pub tester: Vec<String>,
    /// A requirement, in place of the plans' goals.
    #[arg(long, value_name = "GOAL")]
    pub goal: Vec<String>,
    /// The file; by default the form's name in the run's folder.
    #[arg(long, short = 'o', value_name = "FILE")]
    pub output: Option<PathBuf>,
    /// Where runs lie.
    #[command(flatten)]
    pub runs: RunsDir,
}

/// What a report tells.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum ReportForm {
    /// All of one run.
    Run,
    /// Requirements, environment, the loads of one or several runs, the limit, the verdict.
    Acceptance,
}

/// `show`.
#[derive(Debug, Clone, Args)]
pub struct ShowArgs {
    /// The runs; several stand side by side, each under its own name or one that is given.
    #[arg(value_name = "[NAME=]RUN", default_value = "last")]
    pub run: Vec<String>,
    /// A further column: the share of responses whose response time was above this.
    #[arg(long, value_name = "DURATION", value_parser = duration)]
    pub over: Option<Duration>,
    /// Where runs lie.
    #[command(flatten)]
    pub runs: RunsDir,
}

/// `captures`.
#[derive(Debug, Clone, Args)]
pub struct CapturesArgs {
    /// The run.
    #[arg(value_name = "RUN", default_value = "last")]
    pub run: String,
    /// The capture to write out, by its number.
    #[arg(long, short = 'n', value_name = "N")]
    pub number: Option<i64>,
    /// The file; by default standard output.
    #[arg(long, short = 'o', value_name = "FILE")]
    pub output: Option<PathBuf>,
    /// Take captures now, while the run goes on.
    #[arg(
        long,
        value_name = "KIND",
        num_args = 0..=1,
        default_missing_value = "all",
        value_parser = capture_kinds(),
        conflicts_with_all = ["number", "output"]
    )]
    pub take: Option<String>,
    /// Where runs lie.
    #[command(flatten)]
    pub runs: RunsDir,
}

/// `diagnose`.
#[derive(Debug, Clone, Args)]
pub struct DiagnoseArgs {
    /// The run, finished or still going on.
    #[arg(value_name = "RUN", default_value = "last")]
    pub run: String,
    /// As JSON.
    #[arg(long)]
    pub json: bool,
    /// Evidence that was saved, in place of a run.
    #[arg(long, value_name = "FILE", conflicts_with = "run")]
    pub evidence: Option<PathBuf>,
    /// Save all that the diagnosis was made from.
    #[arg(long, value_name = "FILE")]
    pub save_evidence: Option<PathBuf>,
    /// Where runs lie.
    #[command(flatten)]
    pub runs: RunsDir,
}

/// `all`, and the kinds of captures.
fn capture_kinds() -> clap::builder::PossibleValuesParser {
    let kinds = plimsoll_watch::capture::KINDS.iter().copied();
    std::iter::once("all")
        .chain(kinds)
        .collect::<Vec<_>>()
        .into()
}

/// `compare`.
#[derive(Debug, Clone, Args)]
pub struct CompareArgs {
    /// Runs of side A.
    #[arg(value_name = "RUN_A")]
    pub a: Vec<String>,
    /// Runs of side B, after `--`.
    #[arg(value_name = "RUN_B", last = true)]
    pub b: Vec<String>,
    /// Run two plans in turn and compare them.
    #[arg(long, num_args = 2, value_names = ["PLAN_A", "PLAN_B"])]
    pub interleave: Vec<String>,
    /// Pairs of runs.
    #[arg(long, value_name = "N", default_value_t = 10)]
    pub pairs: u32,
    /// The runs of both sides were made in turn: A, B, A, B …
    #[arg(long)]
    pub paired: bool,
    /// Fail if B is shown to be worse, by more than so many percent.
    #[arg(long, value_name = "PERCENT", num_args = 0..=1, require_equals = true, default_missing_value = "0", value_parser = percentage)]
    pub fail_if_worse: Option<f64>,
    /// The form.
    #[arg(long, value_enum, default_value_t = CompareForm::Text)]
    pub format: CompareForm,
    /// The load of interleaved runs.
    #[command(flatten)]
    pub load: LoadArgs,
    /// Set a variable of both plans.
    #[arg(long = "set", value_name = "NAME=VALUE", value_parser = parse_pair)]
    pub set: Vec<(String, String)>,
    /// A further host that may be loaded.
    #[arg(long = "allow-host", value_name = "HOST[:PORT]")]
    pub allow_host: Vec<String>,
    /// What JMeter's own command line would say.
    #[command(flatten)]
    pub jmeter: JMeterArgs,
    /// Where runs lie.
    #[command(flatten)]
    pub runs: RunsDir,
}

/// Forms of a comparison.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum CompareForm {
    /// For the terminal.
    Text,
    /// Markdown.
    Markdown,
    /// A page.
    Html,
    /// For programs.
    Json,
}

/// `convert`.
#[derive(Debug, Clone, Default, Args)]
pub struct ConvertArgs {
    /// The file to write; by default standard output.
    #[arg(long, short = 'o', value_name = "FILE")]
    pub output: Option<PathBuf>,
    /// Write over a file that is there.
    #[arg(long)]
    pub force: bool,
    /// What JMeter's own command line would say.
    #[command(flatten)]
    pub jmeter: JMeterArgs,
    /// A JMeter plan; or a curl command line, as one argument or as many; `-`: that from
    /// standard input.
    #[arg(
        value_name = "PLAN.jmx|CURL",
        trailing_var_arg = true,
        allow_hyphen_values = true
    )]
    pub command: Vec<String>,
}

/// `agent`.
#[derive(Debug, Clone, Args)]
pub struct AgentArgs {
    /// Where to listen.
    #[arg(long, value_name = "ADDRESS:PORT", default_value_t = SocketAddr::from(([127, 0, 0, 1], DEFAULT_PORT)))]
    pub listen: SocketAddr,
    /// What captures may do.
    #[arg(long, value_enum, default_value_t = AllowLevel::Observe)]
    pub allow: AllowLevel,
    /// Controllers may name sources on other hosts.
    #[arg(long)]
    pub allow_remote_sources: bool,
    /// The file with the token that controllers must show.
    #[arg(long, value_name = "FILE")]
    pub token_file: Option<PathBuf>,
    /// TLS also on loopback.
    #[arg(long)]
    pub tls: bool,
    /// The folder of the certificate.
    #[arg(long, value_name = "DIR")]
    pub state: Option<PathBuf>,
    /// What studies may change here.
    #[arg(long, value_name = "FILE")]
    pub tune: Option<PathBuf>,
    /// What to watch for controllers that name no sources.
    #[arg(
        long,
        value_name = "SOURCE[=ADDRESS][,KEY=VALUE]",
        default_value = "host"
    )]
    pub watch: Vec<String>,
}

/// `watch`.
#[derive(Debug, Clone, Args)]
pub struct WatchArgs {
    /// What to watch; may be given several times.
    #[arg(long, value_name = "SOURCE[=ADDRESS][,KEY=VALUE]")]
    pub watch: Vec<String>,
    /// Where the service listens that is to be found.
    #[arg(long, value_name = "ADDRESS:PORT")]
    pub target: Option<String>,
    /// Time between two pictures.
    #[arg(long, value_name = "DURATION", value_parser = duration, default_value = "2s")]
    pub interval: Duration,
    /// One picture.
    #[arg(long)]
    pub once: bool,
    /// For programs: a line of JSON each time.
    #[arg(long)]
    pub json: bool,
}

/// What captures may do.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum AllowLevel {
    /// Only look.
    Observe,
    /// Dumps, histograms, profiles.
    Capture,
    /// Studies change what the agent's file lets them.
    Tune,
}

/// `schema`.
#[derive(Debug, Clone, Args)]
pub struct SchemaArgs {
    /// Which schema.
    #[arg(value_enum, default_value_t = SchemaName::Plan)]
    pub name: SchemaName,
    /// The file to write; by default standard output.
    #[arg(long, short = 'o', value_name = "FILE")]
    pub output: Option<PathBuf>,
}

/// The schemas.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum SchemaName {
    /// Plans in YAML.
    Plan,
    /// The summary JSON.
    Summary,
    /// The JSON of a comparison.
    Compare,
    /// What `plimsoll diagnose --json` says.
    Diagnosis,
    /// What `plimsoll workers --json` prints.
    Workers,
    /// A line of `plimsoll watch --json`.
    Watch,
    /// A line of `--output jsonl=FILE`.
    OutputLine,
    /// A run's curve.
    Curve,
    /// What `plimsoll capacity` writes.
    Capacity,
    /// What `plimsoll size --json` prints.
    Size,
    /// What `plimsoll calibrate --json` prints.
    Calibration,
    /// What `plimsoll hops --json` prints.
    Hops,
    /// What `plimsoll doctor --json` prints.
    Doctor,
    /// Studies in YAML.
    Study,
    /// What `plimsoll tune` writes.
    Tune,
    /// What a generic webhook of the workbench is sent.
    Webhook,
    /// What the capture `stacks` keeps.
    Stacks,
}
