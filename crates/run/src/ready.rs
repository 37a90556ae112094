//! From what is asked for to a program: a plan file or a URL, with what the settings change.

use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use plimsoll_access::Access;
use plimsoll_jmeter::JMeterOptions;
use plimsoll_load::engine::RunError;
use plimsoll_load::kit::extension::Extension;
use plimsoll_load::kit::extract::BindError;
use plimsoll_outputs::OutputSpec;
use plimsoll_plan::limits::{PLAN_BYTES, read_file};
use plimsoll_plan::model::{GoalSpec, Plan, Span, Undefined};
use plimsoll_plan::program::Program;
use plimsoll_plan::{CompileOptions, Problem, UrlOptions, compile, parse_yaml, url_plan};
use plimsoll_stats::Goal;
use plimsoll_store::OriginMeta;
use plimsoll_text::Message;
use plimsoll_watch::Spec;

use crate::jmx::{self, JMeterPlan, Told};
use crate::origins;
use crate::outputs;
use crate::reasons;
use crate::rejected::{RejectedPlan, not_read, unreadable};
use crate::request::is_url;
use crate::session::secrets_of;
use crate::{LoadSettings, PlanSource};

/// A plan that is ready to run.
pub struct ReadyPlan {
    /// The plan.
    pub plan: Plan,
    /// What its runs are called, if not by the plan's name.
    pub run_name: Option<String>,
    /// What it compiles to.
    pub program: Arc<Program>,
    /// Its source, for messages and the store; for a URL the URL.
    pub text: String,
    /// What the plan runs with, but should be told of.
    pub warnings: Vec<Problem>,
    /// The address that is loaded, as far as the plan names one.
    pub target: String,
    /// The others, as far as they are known before the run.
    pub other_origins: Vec<OriginMeta>,
    /// What is known of a plan of JMeter's, also of one that was converted.
    pub jmeter: Option<JMeterPlan>,
    /// What is watched while it runs.
    pub watch: Vec<Spec>,
    /// Who else hears of the run while it goes on.
    pub outputs: Vec<OutputSpec>,
    /// What it may do on this host.
    pub access: Access,
}

impl ReadyPlan {
    /// What its runs are called.
    #[must_use]
    pub fn run_name(&self) -> &str {
        self.run_name.as_deref().unwrap_or(&self.plan.name)
    }

    /// What runs the parts of the plan that the engine does not know, for one run: it knows the
    /// command line's options, and the file that every sample is written to.
    #[must_use]
    pub fn extension(&self, log: Option<&Path>, told: Told) -> Arc<dyn Extension> {
        Arc::new(self.jmeter_options(log, told))
    }

    pub(crate) fn jmeter_options(&self, log: Option<&Path>, told: Told) -> JMeterOptions {
        let plan = self.jmeter.as_ref();
        plan.map(|plan| plan.options(log, told)).unwrap_or_default()
    }
}

/// Reads and compiles what is asked for.
///
/// # Errors
/// All that is wrong with it.
pub fn load(source: &PlanSource, load: &LoadSettings) -> Result<ReadyPlan, RejectedPlan> {
    load_changed(source, load, &|_| Ok(()))
}

/// Names reach folders, logs and reports.
fn without_secrets_in_names(plan: &mut Plan) {
    let secrets = secrets_of(plan);
    let scenarios = plan.setup.iter_mut().chain(&mut plan.scenarios);
    let names = scenarios.chain(&mut plan.teardown);
    for name in names.map(|scenario| &mut scenario.name) {
        *name = secrets.text(name).into_owned();
    }
    plan.name = secrets.text(&plan.name).into_owned();
}

/// As [`load`], with a last change of the plan before it is compiled.
///
/// # Errors
/// All that is wrong with it.
pub fn load_changed(
    source: &PlanSource,
    load: &LoadSettings,
    change: &dyn Fn(&mut Plan) -> Result<(), Vec<Problem>>,
) -> Result<ReadyPlan, RejectedPlan> {
    let (mut plan, text, mut warnings, jmeter) = read(source, load)?;
    without_secrets_in_names(&mut plan);
    let reject = |problems| RejectedPlan {
        text: text.clone(),
        problems,
    };
    let mut problems = apply(load, &mut plan, is_url(&source.plan));
    problems.extend(change(&mut plan).err().into_iter().flatten());
    if !problems.is_empty() {
        return Err(reject(problems));
    }
    let compiled = compile(&plan, &compile_options(source));
    let program = match compiled {
        Ok(program) => program,
        // What was told of the plan before may be why there is nothing to run.
        Err(problems) => {
            warnings.extend(problems);
            return Err(reject(warnings));
        }
    };
    warnings.extend(program.warnings.iter().cloned());
    let program = Arc::new(program);
    let options = jmeter.as_ref().map(|plan| plan.options(None, Told::Nobody));
    let extension = options.unwrap_or_default();
    let access = source.access();
    match plimsoll_load::engine::check(&program, Some(&extension), &access) {
        Err(error) => return Err(reject(run_problems(error, &source.plan))),
        Ok(missing) => {
            let remedy = Message::new("data-missing-remedy");
            let missing = missing.into_iter().map(|(at, message)| Problem {
                file: source.plan.clone(),
                ..Problem::warning(at, message).remedy(remedy.clone())
            });
            warnings.extend(missing);
        }
    }
    let (target, other_origins) = origins::of(&program);
    let others = other_origins.iter().map(|other| other.origin.as_str());
    let targets: Vec<&str> = [target.as_str()].into_iter().chain(others).collect();
    let watch = crate::watching::specs(&plan, &source.plan, load, &targets).map_err(reject)?;
    let outputs = outputs::specs(&plan, load);
    Ok(ReadyPlan {
        plan,
        run_name: None,
        program,
        text,
        warnings,
        target,
        other_origins,
        jmeter,
        watch,
        outputs,
        access,
    })
}

/// Puts what is asked for into a plan; gives what cannot be done. The plan of a URL has its load
/// already.
fn apply(load: &LoadSettings, plan: &mut Plan, of_url: bool) -> Vec<Problem> {
    let mut problems = Vec::new();
    if !of_url {
        let scenarios = plan.scenarios.iter_mut();
        let wrong = scenarios.filter_map(|scenario| load.load.apply(&mut scenario.load).err());
        problems.extend(wrong.flatten());
    }
    if let Some(warm_up) = load.warm_up {
        plan.warm_up = warm_up;
    }
    plan.seed = load.seed.or(plan.seed);
    for text in &load.goals {
        match Goal::parse(text) {
            // It may stand in the plan, too.
            Ok(goal) if plan.goals.iter().any(|known| known.goal == goal) => {}
            Ok(goal) => plan.goals.push(GoalSpec {
                goal,
                abort_after: None,
                at: Span::default(),
            }),
            Err(error) => problems.push(bad_goal(text, reasons::of_goal(&error))),
        }
    }
    problems
}

/// Mistakes that show only when a program is made ready to run.
fn run_problems(error: RunError, file: &str) -> Vec<Problem> {
    match error {
        RunError::Bind(mistakes) => {
            let problem = |mistake: BindError| {
                let problem = Problem::error(mistake.at, mistake.message);
                if mistake.at.line > 0 {
                    problem.in_file(file)
                } else {
                    problem
                }
            };
            mistakes.into_iter().map(problem).collect()
        }
        system @ RunError::System(_) => {
            vec![Problem::error(Span::default(), reasons::of_run(&system))]
        }
    }
}

/// A plan, its text, what should be known about it, and what is known if it is JMeter's.
type Found = (Plan, String, Vec<Problem>, Option<JMeterPlan>);

fn read(source: &PlanSource, load: &LoadSettings) -> Result<Found, RejectedPlan> {
    let name = &source.plan;
    let nothing = |problems| RejectedPlan {
        text: String::new(),
        problems,
    };
    if is_url(name) {
        if !source.set.is_empty() {
            return Err(nothing(vec![option_problem("run-set-with-url", "--set")]));
        }
        let plan = url_plan(name, &url_options(source, load)).map_err(nothing)?;
        return Ok((plan, name.clone(), Vec::new(), None));
    }
    if let Some(option) = url_only(source) {
        return Err(nothing(vec![option_problem("run-url-option", option)]));
    }
    if jmx::is_jmx(name) {
        let (plan, text, warnings, jmeter) = jmx::load(source)?;
        return Ok((plan, text, warnings, Some(jmeter)));
    }
    let bytes = read_file(source.access().open(Path::new(name)), PLAN_BYTES)
        .map_err(|error| nothing(vec![not_read(name, &error)]))?;
    let text = String::from_utf8(bytes)
        .map_err(|error| nothing(vec![unreadable(name, &error.utf8_error().to_string())]))?;
    match parse_yaml(&text, name) {
        Ok((mut plan, warnings)) => {
            if plan.name.is_empty() {
                // Reports and lists must call it something.
                let stem = Path::new(name).file_stem().unwrap_or_default();
                plan.name = stem.to_string_lossy().into_owned();
            }
            let imported = plan.undefined == Undefined::KeepLiteral;
            let jmeter = imported.then(|| JMeterPlan::converted(source)).transpose();
            let jmeter = jmeter.map_err(|problem| nothing(vec![*problem]))?;
            Ok((plan, text, warnings, jmeter))
        }
        Err(problems) => Err(RejectedPlan { text, problems }),
    }
}

fn option_problem(id: &str, option: &str) -> Problem {
    Problem::error(Span::default(), Message::new(id).with("option", option))
}

fn bad_goal(goal: &str, reason: Message) -> Problem {
    let message = Message::new("run-bad-goal")
        .with("goal", goal)
        .with("reason", reason);
    Problem::error(Span::default(), message).remedy(Message::new("run-bad-goal.remedy"))
}

/// An option that was given and is for URLs only.
fn url_only(source: &PlanSource) -> Option<&'static str> {
    [
        (source.url.method.is_some(), "-X"),
        (!source.url.headers.is_empty(), "-H"),
        (source.url.body.is_some(), "-d"),
        (source.url.insecure, "-k"),
        (source.url.timeout.is_some(), "--timeout"),
    ]
    .into_iter()
    .find_map(|(given, option)| given.then_some(option))
}

fn url_options(source: &PlanSource, load: &LoadSettings) -> UrlOptions {
    let request = source.url.clone();
    UrlOptions {
        method: request.method,
        headers: request.headers,
        body: request.body,
        insecure: request.insecure,
        timeout: request.timeout,
        load: load.load.clone(),
        ..UrlOptions::default()
    }
}

fn compile_options(source: &PlanSource) -> CompileOptions {
    let url = is_url(&source.plan);
    let folder = match &source.unpacked {
        Some(unpacked) => Some(unpacked.folder.as_path()),
        None => Path::new(&source.plan).parent().filter(|_| !url),
    };
    let own = || {
        let pair = |(name, value): (OsString, OsString)| {
            Some((name.into_string().ok()?, value.into_string().ok()?))
        };
        std::env::vars_os().filter_map(pair).collect()
    };
    CompileOptions {
        file: if url {
            String::new()
        } else {
            source.plan.clone()
        },
        folder: folder.map_or_else(PathBuf::new, Path::to_path_buf),
        set: source.set.clone(),
        env: match &source.unpacked {
            Some(unpacked) => unpacked.env.iter().cloned().collect(),
            None => own(),
        },
        allow_hosts: source.allow_hosts.clone(),
        columns_of: {
            let access = source.access();
            Some(Arc::new(move |data: &_, path: &_| {
                plimsoll_load::column_names(data, path, &access)
            }))
        },
    }
}
